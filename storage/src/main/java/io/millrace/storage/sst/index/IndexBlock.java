package io.millrace.storage.sst.index;

/** A decoded part of a side-car, as it is kept in memory. Immutable. */
interface IndexBlock {
  /** Bytes held, about. */
  long bytes();
}

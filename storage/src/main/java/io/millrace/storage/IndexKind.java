package io.millrace.storage;

/** Kinds of index in the side-car of a file. */
public enum IndexKind {
  /** Bloom filters of whole keys. */
  KEY_BLOOM,
  /** Per value the rows that have it. */
  INVERTED,
  /** Bloom filters of the values of some rows each. */
  SKIPPING,
  /** Per word the rows that have it. */
  FULLTEXT
}

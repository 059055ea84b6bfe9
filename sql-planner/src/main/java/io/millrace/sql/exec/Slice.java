package io.millrace.sql.exec;

/** One turn of a driver: its deadline, the cancel flag, its memory. */
public interface Slice {
  /** Whether the turn's time is used up. */
  boolean expired();

  /** Throws QUERY_CANCELED (or what the query was ended with); call every 1,024 rows or 64 KiB. */
  void check();

  MemoryContext memory();
}

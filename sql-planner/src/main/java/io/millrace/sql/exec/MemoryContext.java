package io.millrace.sql.exec;

/** A query's memory: reserve before allocating. */
public interface MemoryContext {
  /** Throws OUT_OF_MEMORY (53200) if the query's or server's budget does not allow it. */
  void reserve(long bytes);

  void release(long bytes);

  long reserved();
}

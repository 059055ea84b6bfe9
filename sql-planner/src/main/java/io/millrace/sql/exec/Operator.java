package io.millrace.sql.exec;

/** A resumable operator: owned by one thread at a time, never waits, returns within about 10 ms. */
public interface Operator extends AutoCloseable {
  Step step(Slice slice);

  /** Releases snapshot, memory and temp files; idempotent. */
  @Override
  void close();
}

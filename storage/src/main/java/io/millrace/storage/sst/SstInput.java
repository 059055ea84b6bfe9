package io.millrace.storage.sst;

/** Positional reads of an SST. Any thread, several at once. */
public interface SstInput extends AutoCloseable {
  long length();

  /** Fills {@code target[from, from + count)} from the position; IO_ERROR if it cannot. */
  void read(long position, byte[] target, int from, int count);

  @Override
  void close();
}

package io.millrace.storage.sst;

/** An SST being written, front to back, by one thread. */
public interface SstOutput extends AutoCloseable {
  void write(byte[] source, int from, int count);

  /** Forces the bytes and makes the file visible under its name. Nothing may follow but close. */
  void finish();

  /** Without {@link #finish} before: removes what was written. */
  @Override
  void close();
}

package io.millrace.storage.read;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.SstStore;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** SSTs in memory. */
public final class MemoryStore implements SstStore {
  public final Map<String, byte[]> files = new ConcurrentHashMap<>();

  @Override
  public SstInput open(RegionId region, String fileId) {
    byte[] b = files.get(fileId);
    if (b == null) {
      throw new MillraceException(ErrorCode.IO_ERROR, "no file " + fileId);
    }
    return new SstInput() {
      @Override
      public long length() {
        return b.length;
      }

      @Override
      public void read(long position, byte[] target, int from, int count) {
        System.arraycopy(b, (int) position, target, from, count);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public SstOutput create(RegionId region, String fileId) {
    var bytes = new ByteArrayOutputStream();
    return new SstOutput() {
      @Override
      public void write(byte[] source, int from, int count) {
        bytes.write(source, from, count);
      }

      @Override
      public void finish() {
        files.put(fileId, bytes.toByteArray());
      }

      @Override
      public void close() {}
    };
  }
}

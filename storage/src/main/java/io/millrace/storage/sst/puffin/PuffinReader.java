package io.millrace.storage.sst.puffin;

import com.github.luben.zstd.Zstd;
import io.millrace.common.batch.Words;
import io.millrace.storage.sst.SstInput;
import java.util.Arrays;
import java.util.List;

/**
 * Reads Puffin files by ranges; whatever does not check out is an IllegalStateException. Any
 * thread.
 */
public final class PuffinReader {
  private static final int MAX_BLOB_BYTES = 1 << 30;

  private PuffinReader() {}

  /** The blobs that the footer names; its length and checksum are known from elsewhere. */
  public static List<PuffinBlob> blobs(SstInput in, long bytes, int footerLength, int footerCrc) {
    if (in.length() != bytes || footerLength < PuffinFormat.AROUND || footerLength > bytes) {
      throw new IllegalStateException("file has " + in.length() + " bytes");
    }
    byte[] footer = read(in, bytes - footerLength, footerLength);
    if (PuffinWriter.crc(footer) != footerCrc) {
      throw new IllegalStateException("footer does not match its checksum");
    }
    int n = Words.getInt(footer, footerLength - 12);
    int flags = Words.getInt(footer, footerLength - 8);
    boolean framed =
        magic(footer, 0) && magic(footer, footerLength - 4) && n == footerLength - 16 && flags == 0;
    if (!framed) {
      throw new IllegalStateException("not a Puffin footer");
    }
    return PuffinFormat.blobs(footer, 4, n);
  }

  private static boolean magic(byte[] b, int at) {
    return Arrays.equals(PuffinFormat.MAGIC, 0, 4, b, at, at + 4);
  }

  private static byte[] read(SstInput in, long position, int count) {
    byte[] b = new byte[count];
    in.read(position, b, 0, count);
    return b;
  }

  /** The bytes of a blob, checked and decompressed. */
  public static byte[] read(SstInput in, PuffinBlob blob) {
    if (blob.offset() < 4 || blob.length() < 0 || blob.offset() + blob.length() > in.length()) {
      throw new IllegalStateException("blob beyond the file at " + blob.offset());
    }
    byte[] stored = read(in, blob.offset(), blob.length());
    String crc = blob.properties().get(PuffinBlob.CRC);
    if (!Integer.toHexString(PuffinWriter.crc(stored)).equals(crc)) {
      throw new IllegalStateException("blob at " + blob.offset() + " does not match its checksum");
    }
    if (!blob.compressed()) {
      return stored;
    }
    long size = Zstd.getFrameContentSize(stored);
    if (size < 0 || size > MAX_BLOB_BYTES) {
      throw new IllegalStateException("blob at " + blob.offset() + " has no size");
    }
    byte[] out = new byte[(int) size];
    long got = Zstd.decompressByteArray(out, 0, out.length, stored, 0, stored.length);
    if (Zstd.isError(got) || got != size) {
      throw new IllegalStateException("blob at " + blob.offset() + " does not decompress");
    }
    return out;
  }
}

package io.millrace.storage.sst.puffin;

import com.github.luben.zstd.Zstd;
import io.millrace.common.batch.Words;
import io.millrace.storage.sst.SstOutput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/** Writes one Puffin file front to back, see {@link PuffinFormat}. One thread. */
public final class PuffinWriter implements AutoCloseable {
  private static final int LEVEL = 1;

  /** What the file's name should come with: its size, its footer's size and CRC32C. */
  public record Finished(long bytes, int footerLength, int footerCrc) {}

  private final SstOutput out;
  private final List<PuffinBlob> blobs = new ArrayList<>();
  private long position;

  public PuffinWriter(SstOutput out) {
    this.out = out;
    write(PuffinFormat.MAGIC, PuffinFormat.MAGIC.length);
  }

  private void write(byte[] b, int n) {
    out.write(b, 0, n);
    position += n;
  }

  /**
   * Adds a blob.
   *
   * @param compress keep it compressed if that makes it smaller by an eighth
   * @return bytes stored
   */
  public int add(
      String type,
      List<Integer> fields,
      Map<String, String> properties,
      byte[] data,
      boolean compress) {
    byte[] stored = data;
    if (compress) {
      byte[] z = Zstd.compress(data, LEVEL);
      stored = z.length < data.length - data.length / 8 ? z : data;
    }
    var all = new HashMap<>(properties);
    all.put(PuffinBlob.CRC, Integer.toHexString(crc(stored)));
    long at = position;
    write(stored, stored.length);
    blobs.add(new PuffinBlob(type, fields, at, stored.length, stored != data, all));
    return stored.length;
  }

  static int crc(byte[] b) {
    var crc = new CRC32C();
    crc.update(b);
    return (int) crc.getValue();
  }

  /** Writes the footer and makes the file durable and visible. */
  public Finished finish(Map<String, String> properties) {
    byte[] payload = PuffinFormat.payload(blobs, properties);
    int n = payload.length;
    byte[] footer = new byte[n + PuffinFormat.AROUND];
    System.arraycopy(PuffinFormat.MAGIC, 0, footer, 0, 4);
    System.arraycopy(payload, 0, footer, 4, n);
    Words.putInt(footer, n + 4, n);
    Words.putInt(footer, n + 8, 0);
    System.arraycopy(PuffinFormat.MAGIC, 0, footer, n + 12, 4);
    write(footer, footer.length);
    out.finish();
    return new Finished(position, footer.length, crc(footer));
  }

  /** Gives up unless finished. */
  @Override
  public void close() {
    out.close();
  }
}

package io.millrace.storage.sst.index;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/** The Bloom filter of the keys of a row group. As a blob: version, filter. */
record GroupBloom(BloomFilter filter) implements IndexBlock {
  private static final int VERSION = 1;
  private static final double BITS_PER_KEY = 10;

  @Override
  public long bytes() {
    return filter.bytes();
  }

  /**
   * Over pages of columns.
   *
   * @param columns per key column its pages, the time index last
   */
  static byte[] build(List<List<Vector>> columns, int rows) {
    BloomFilter f = BloomFilter.ofBits(rows, BITS_PER_KEY);
    List<Vector> time = columns.getLast();
    for (int p = 0; p < time.size(); p++) {
      var tags = new ArrayList<Vector>();
      for (List<Vector> c : columns.subList(0, columns.size() - 1)) {
        tags.add(c.get(p));
      }
      for (long h : KeyHash.of(tags, times(time.get(p)), time.get(p).length())) {
        f.add(h);
      }
    }
    var w = new ByteWriter((int) f.bytes() + 16);
    w.u1(VERSION);
    f.write(w);
    return w.toBytes();
  }

  private static long[] times(Vector v) {
    if (v instanceof LongVector l) {
      return l.values();
    }
    int[] narrow = ((IntVector) v).values();
    long[] out = new long[v.length()];
    for (int i = 0; i < out.length; i++) {
      out[i] = narrow[i];
    }
    return out;
  }

  static GroupBloom read(byte[] blob) {
    var r = new ByteReader(blob, 0, blob.length);
    SideCarFormat.version(r.u1(), VERSION);
    return new GroupBloom(BloomFilter.read(r));
  }
}

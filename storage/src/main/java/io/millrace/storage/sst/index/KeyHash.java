package io.millrace.storage.sst.index;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import java.util.List;

/**
 * The hash of a key (tags in order, then time) in Bloom filters. Part of the file format: it must
 * never change, nor may {@link Vector#hash}. Equal keys hash alike however their vectors are laid
 * out.
 */
public final class KeyHash {
  private static final long SEED = 0x2545F4914F6CDD1DL;
  private static final long NULL = 0x632BE59BD9B4E019L;

  private KeyHash() {}

  /** Hashes of the first rows. */
  public static long[] of(List<Vector> tags, long[] times, int rows) {
    long[] out = new long[rows];
    java.util.Arrays.fill(out, SEED);
    for (Vector v : tags) {
      add(out, v, rows);
    }
    for (int i = 0; i < rows; i++) {
      out[i] = step(out[i], times[i] * 0xBF58476D1CE4E5B9L);
    }
    return out;
  }

  private static long step(long h, long value) {
    long x = (h ^ value) * 0x9E3779B97F4A7C15L;
    x ^= x >>> 32;
    x *= 0xD6E8FEB86659FD93L;
    return x ^ x >>> 29;
  }

  private static void add(long[] out, Vector v, int rows) {
    long[] ofCode = v instanceof DictVector d ? new long[d.dictionary().size()] : new long[0];
    int[] codes = v instanceof DictVector d ? d.codes() : new int[0];
    for (int i = 0; i < rows; i++) {
      long h;
      if (v.isNull(i)) {
        h = NULL;
      } else if (codes.length == 0) {
        h = v.hash(i);
      } else {
        h = ofCode[codes[i]];
        if (h == 0) {
          h = v.hash(i);
          ofCode[codes[i]] = h;
        }
      }
      out[i] = step(out[i], h);
    }
  }
}

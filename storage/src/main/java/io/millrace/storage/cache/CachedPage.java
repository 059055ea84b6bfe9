package io.millrace.storage.cache;

import io.millrace.common.batch.Vector;
import java.util.List;

/** A decoded page as blocks of equal length but for the last. */
public record CachedPage(List<Vector> blocks, int bytes) {
  public static CachedPage of(List<Vector> blocks) {
    long n = 64;
    for (Vector v : blocks) {
      n += v.byteSize();
    }
    return new CachedPage(List.copyOf(blocks), (int) Math.min(Integer.MAX_VALUE, n));
  }
}

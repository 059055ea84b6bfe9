package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.sql.exec.RowIndex;
import java.util.Arrays;

/**
 * Remembers keys by their 64-bit hashes, for statements of too many rows to keep: 16 bytes a key.
 * Among a hundred million keys the odds of two with one hash are one in four thousand.
 */
final class KeyHashes {
  private long[] slots = new long[1 << 12];
  private int size;
  private boolean zero;

  /** Adds a row's key; false if it was there. */
  boolean add(Batch keys, int row) {
    long h = RowIndex.hash(keys.columns(), row);
    if (h == 0) {
      boolean fresh = !zero;
      zero = true;
      return fresh;
    }
    int at = place(slots, h);
    if (slots[at] == h) {
      return false;
    }
    slots[at] = h;
    if (++size * 2 > slots.length) {
      long[] old = slots;
      slots = new long[old.length * 2];
      Arrays.stream(old).filter(x -> x != 0).forEach(x -> slots[place(slots, x)] = x);
    }
    return true;
  }

  private static int place(long[] slots, long h) {
    int mask = slots.length - 1;
    int at = (int) (h >>> 20) & mask;
    while (slots[at] != 0 && slots[at] != h) {
      at = at + 1 & mask;
    }
    return at;
  }
}

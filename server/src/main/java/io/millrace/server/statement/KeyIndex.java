package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows by their values in all columns, NULL equal to NULL: open addressing over batches of one
 * shape.
 */
final class KeyIndex {
  private final List<Batch> batches = new ArrayList<>();
  private final List<Integer> starts = new ArrayList<>();
  private int[] slots = new int[64];
  private long[] hashes = new long[16];
  private int[] batchOf = new int[16];
  private int size;

  KeyIndex() {
    Arrays.fill(slots, -1);
  }

  /** Number of rows added, duplicates included. */
  int size() {
    return size;
  }

  /**
   * Adds all rows of a batch.
   *
   * @return per row the number (from 0, over all batches) of an earlier equal row, or -1
   */
  int[] add(Batch batch) {
    int[] out = new int[batch.rows()];
    batches.add(batch);
    starts.add(size);
    for (int r = 0; r < batch.rows(); r++) {
      long h = hash(batch, r);
      int at = find(h, batch, r);
      out[r] = slots[at];
      if (size == hashes.length) {
        hashes = Arrays.copyOf(hashes, size * 2);
        batchOf = Arrays.copyOf(batchOf, size * 2);
      }
      hashes[size] = h;
      batchOf[size] = batches.size() - 1;
      if (slots[at] < 0) {
        slots[at] = size;
      }
      size++;
      if (size * 2 > slots.length) {
        grow();
      }
    }
    return out;
  }

  /** Number of the first row equal to the given one, or -1. */
  int indexOf(Batch batch, int row) {
    return slots[find(hash(batch, row), batch, row)];
  }

  private int find(long hash, Batch batch, int row) {
    int mask = slots.length - 1;
    int at = (int) hash & mask;
    while (slots[at] >= 0) {
      int n = slots[at];
      if (hashes[n] == hash && equal(n, batch, row)) {
        return at;
      }
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean equal(int number, Batch batch, int row) {
    Batch mine = batches.get(batchOf[number]);
    int myRow = number - starts.get(batchOf[number]);
    for (int c = 0; c < batch.width(); c++) {
      if (!mine.column(c).same(myRow, batch.column(c), row)) {
        return false;
      }
    }
    return true;
  }

  private void grow() {
    int[] old = slots;
    slots = new int[old.length * 2];
    Arrays.fill(slots, -1);
    int mask = slots.length - 1;
    for (int n : old) {
      if (n >= 0) {
        int at = (int) hashes[n] & mask;
        while (slots[at] >= 0) {
          at = at + 1 & mask;
        }
        slots[at] = n;
      }
    }
  }

  private static long hash(Batch batch, int row) {
    long h = 0x51_7C_C1_B7L;
    for (Vector v : batch.columns()) {
      h = (h ^ (v.isNull(row) ? 0x5bd1e995L : v.hash(row))) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
    }
    return h;
  }
}

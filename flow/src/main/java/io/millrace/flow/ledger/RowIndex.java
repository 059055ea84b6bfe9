package io.millrace.flow.ledger;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows by the values of their first columns, NULL equal to NULL: open addressing over batches. */
final class RowIndex {
  private final int keyWidth;
  private final List<Batch> batches = new ArrayList<>();
  private int[] slots = new int[64];
  private long[] hashes = new long[16];
  private int[] batchOf = new int[16];
  private int[] rowOf = new int[16];
  private int size;

  /**
   * @param keyWidth number of leading columns that are the key
   */
  RowIndex(int keyWidth) {
    this.keyWidth = keyWidth;
    Arrays.fill(slots, -1);
  }

  int size() {
    return size;
  }

  Batch batch(int number) {
    return batches.get(batchOf[number]);
  }

  int row(int number) {
    return rowOf[number];
  }

  /** Adds the rows; a later row of an equal key takes the earlier one's place. */
  void add(Batch b) {
    batches.add(b);
    for (int r = 0; r < b.rows(); r++) {
      long h = hash(b, r);
      int at = slot(h, b, r);
      if (slots[at] >= 0) {
        int n = slots[at];
        batchOf[n] = batches.size() - 1;
        rowOf[n] = r;
        continue;
      }
      if (size == hashes.length) {
        hashes = Arrays.copyOf(hashes, size * 2);
        batchOf = Arrays.copyOf(batchOf, size * 2);
        rowOf = Arrays.copyOf(rowOf, size * 2);
      }
      hashes[size] = h;
      batchOf[size] = batches.size() - 1;
      rowOf[size] = r;
      slots[at] = size++;
      if (size * 2 > slots.length) {
        grow();
      }
    }
  }

  /** The number of the row with the key, or -1. */
  int find(Batch b, int row) {
    return slots[slot(hash(b, row), b, row)];
  }

  private int slot(long h, Batch b, int row) {
    int mask = slots.length - 1;
    int at = (int) h & mask;
    while (slots[at] >= 0) {
      int n = slots[at];
      if (hashes[n] == h && equal(n, b, row)) {
        return at;
      }
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean equal(int number, Batch b, int row) {
    Batch mine = batch(number);
    for (int c = 0; c < keyWidth; c++) {
      if (!mine.column(c).same(rowOf[number], b.column(c), row)) {
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

  private long hash(Batch b, int row) {
    return hash(b.columns().subList(0, keyWidth), row);
  }

  /** A hash of a row's values in the columns. */
  static long hash(List<Vector> columns, int row) {
    long h = 0x2545F4914F6CDD1DL;
    for (Vector v : columns) {
      h = (h ^ (v.isNull(row) ? 0x5bd1e995L : v.hash(row))) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
    }
    return h;
  }
}

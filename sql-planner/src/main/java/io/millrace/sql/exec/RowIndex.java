package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/*
 * Rows of batches by the values of their key, NULL equal to NULL: open addressing, half full at most, over
 * rows that stay where they are. Rows are numbered as they are added, duplicates included; `first` finds the
 * first row of a key, `last` the newest, whose number is kept beside it.
 */
/** A hash index over rows of batches of one shape. Not thread-safe. */
public final class RowIndex {
  private final int keyWidth;
  private final List<Batch> batches = new ArrayList<>();
  private final List<Integer> starts = new ArrayList<>();
  private int[] slots = new int[64];
  private long[] hashes = new long[16];
  private int[] batchOf = new int[16];

  /** Per first row of a key: the newest row of it. */
  private int[] newest = new int[16];

  private final BitSet superseded = new BitSet();
  private int size;
  private int keys;

  /**
   * @param keyWidth number of leading columns that are the key
   */
  public RowIndex(int keyWidth) {
    this.keyWidth = keyWidth;
    Arrays.fill(slots, -1);
  }

  /** An index of one batch by all its columns. */
  public static RowIndex of(Batch batch) {
    var out = new RowIndex(batch.width());
    out.add(batch);
    return out;
  }

  /** Number of rows added, duplicates included. */
  public int size() {
    return size;
  }

  /** The batch of a row's number. */
  public Batch batch(int number) {
    return batches.get(batchOf[number]);
  }

  /** The place of a row in its batch. */
  public int row(int number) {
    return number - starts.get(batchOf[number]);
  }

  /**
   * Adds all rows of a batch.
   *
   * @return per row the number of the first row of its key if it was there before, or -1
   */
  public int[] add(Batch batch) {
    int[] out = new int[batch.rows()];
    batches.add(batch);
    starts.add(size);
    for (int r = 0; r < batch.rows(); r++) {
      long h = hash(batch, r);
      int at = slot(h, batch, r);
      out[r] = slots[at];
      if (size == hashes.length) {
        hashes = Arrays.copyOf(hashes, size * 2);
        batchOf = Arrays.copyOf(batchOf, size * 2);
        newest = Arrays.copyOf(newest, size * 2);
      }
      hashes[size] = h;
      batchOf[size] = batches.size() - 1;
      if (slots[at] < 0) {
        slots[at] = size;
        keys++;
      } else {
        superseded.set(newest[slots[at]]);
      }
      newest[slots[at]] = size++;
      if (keys * 2 > slots.length) {
        grow();
      }
    }
    return out;
  }

  /** Whether a later row of the same key was added. */
  public boolean superseded(int number) {
    return superseded.get(number);
  }

  /** Number of the first row whose key equals the given row's, or -1. */
  public int first(Batch batch, int row) {
    return slots[slot(hash(batch, row), batch, row)];
  }

  /** Number of the newest row whose key equals the given row's, or -1. */
  public int last(Batch batch, int row) {
    int n = first(batch, row);
    return n < 0 ? n : newest[n];
  }

  private int slot(long h, Batch batch, int row) {
    int mask = slots.length - 1;
    int at = (int) h & mask;
    while (slots[at] >= 0) {
      int n = slots[at];
      if (hashes[n] == h && equal(n, batch, row)) {
        return at;
      }
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean equal(int number, Batch batch, int row) {
    Batch mine = batch(number);
    int at = row(number);
    for (int c = 0; c < keyWidth; c++) {
      if (!mine.column(c).same(at, batch.column(c), row)) {
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

  /** A hash of a row's values in the columns; the same in every run. */
  public static long hash(List<Vector> columns, int row) {
    long h = 0x2545F4914F6CDD1DL;
    for (Vector v : columns) {
      h = (h ^ (v.isNull(row) ? 0x5bd1e995L : v.hash(row))) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
    }
    return h;
  }
}

package io.millrace.storage.sst.index;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.storage.memtable.IntSort;
import java.util.Arrays;
import java.util.List;

/**
 * The distinct values of a column of a row group, numbered as they first come. Values are told
 * apart by an open hash table over {@link Vector#hash}; in dictionary pages each entry is looked up
 * once, so that a row costs one array access. One thread.
 */
final class Ordinals {
  private static final int NULL = -1;

  private final List<Vector> pages;
  private final int[] ofRow;
  private int[] page = new int[64];
  private int[] row = new int[64];
  private long[] hash = new long[64];
  private int[] table = new int[256];
  private int count;

  private Ordinals(List<Vector> pages, int rows) {
    this.pages = pages;
    this.ofRow = new int[rows];
  }

  static Ordinals of(List<Vector> pages, int rows) {
    var o = new Ordinals(pages, rows);
    int at = 0;
    for (int p = 0; p < pages.size(); p++) {
      at = o.add(p, at);
    }
    return o;
  }

  private int add(int p, int from) {
    Vector v = pages.get(p);
    int n = v.length();
    int[] codes = v instanceof DictVector d ? d.codes() : new int[0];
    int entries = v instanceof DictVector d ? d.dictionary().size() : 0;
    int[] known = new int[entries <= 4 * n ? entries : 0];
    for (int i = 0; i < n; i++) {
      int o;
      if (v.isNull(i)) {
        o = NULL;
      } else if (known.length == 0) {
        o = find(p, v, i);
      } else {
        o = known[codes[i]] - 1;
        if (o < 0) {
          o = find(p, v, i);
          known[codes[i]] = o + 1;
        }
      }
      ofRow[from + i] = o;
    }
    return from + n;
  }

  private int find(int p, Vector v, int i) {
    long h = v.hash(i);
    int mask = table.length - 1;
    int slot = (int) (h ^ h >>> 32) & mask;
    for (; ; slot = slot + 1 & mask) {
      int o = table[slot] - 1;
      if (o < 0) {
        table[slot] = count + 1;
        return push(p, i, h);
      }
      if (hash[o] == h && pages.get(page[o]).compare(row[o], v, i) == 0) {
        return o;
      }
    }
  }

  private int push(int p, int i, long h) {
    if (count == page.length) {
      page = Arrays.copyOf(page, count * 2);
      row = Arrays.copyOf(row, count * 2);
      hash = Arrays.copyOf(hash, count * 2);
    }
    page[count] = p;
    row[count] = i;
    hash[count] = h;
    count++;
    if (count * 2 > table.length) {
      grow();
    }
    return count - 1;
  }

  private void grow() {
    table = new int[table.length * 4];
    int mask = table.length - 1;
    for (int o = 0; o < count; o++) {
      int slot = (int) (hash[o] ^ hash[o] >>> 32) & mask;
      while (table[slot] != 0) {
        slot = slot + 1 & mask;
      }
      table[slot] = o + 1;
    }
  }

  int rows() {
    return ofRow.length;
  }

  /** How many values there are. */
  int count() {
    return count;
  }

  /** The value of a row; negative where it is NULL. */
  int of(int r) {
    return ofRow[r];
  }

  long hash(int ordinal) {
    return hash[ordinal];
  }

  /** The values' numbers in the order of the values. */
  int[] sorted() {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    IntSort.sort(
        order, 0, count, (a, b) -> pages.get(page[a]).compare(row[a], pages.get(page[b]), row[b]));
    return order;
  }

  /** The values by the numbers given. */
  Vector values(int[] order) {
    VectorBuilder b = VectorBuilder.of(pages.getFirst().type(), order.length);
    for (int o : order) {
      b.append(pages.get(page[o]), row[o]);
    }
    return b.build();
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.expr.Gather;
import java.util.Arrays;
import java.util.List;

/*
 * The right side of a join in memory. Rows are grouped by key: after the build, the rows of group g
 * are slots [starts[g], starts[g + 1]); rows whose key is NULL (and not null-safe) can match nothing
 * and lie behind all groups. Joins without keys have one group that holds everything.
 */
/** Rows by key. */
final class BuildSide {
  private final KeyEncoder encoder;
  private final GroupTable table;
  private final boolean[] nullSafe;
  private final RowPages pages;
  private int[][] groupPages = new int[8][];
  private int rows;
  private long[] words = new long[0];
  private int[] starts = new int[0];
  private int[] ids = new int[0];
  private long[] matched = new long[0];

  BuildSide(List<SqlType> types, List<SqlType> keyTypes, boolean[] nullSafe) {
    encoder = new KeyEncoder(keyTypes);
    table = new GroupTable(encoder.width());
    this.nullSafe = nullSafe;
    pages = new RowPages(types);
  }

  int rows() {
    return rows;
  }

  RowPages pages() {
    return pages;
  }

  static long bytesFor(Batch b) {
    return b.byteSize() + b.rows() * 40L;
  }

  void add(Batch b, Vector[] keys) {
    int n = b.rows();
    int[] groups = new int[n];
    find(keys, n, groups, true);
    for (int i = 0; i < n; i++) {
      int at = rows + i;
      int page = at >>> 12;
      if (page == groupPages.length) {
        groupPages = Arrays.copyOf(groupPages, page * 2);
      }
      if (groupPages[page] == null) {
        groupPages[page] = new int[1 << 12];
      }
      groupPages[page][at & (1 << 12) - 1] = groups[i];
    }
    rows += n;
    pages.add(b);
  }

  /** Group of each row's key: -1 if it is NULL where that matches nothing, or unknown. */
  void find(Vector[] keys, int n, int[] groups, boolean add) {
    int w = encoder.width();
    if (words.length < n * w) {
      words = new long[n * w];
    }
    encoder.encode(keys, Gather.identity(n), n, words, add);
    if (add) {
      table.lookup(words, n, groups, true);
    } else {
      for (int i = 0; i < n; i++) {
        groups[i] = encoder.unknown(words, i * w) ? -1 : table.lookup(words, i * w, false);
      }
    }
    for (int k = 0; k < keys.length; k++) {
      if (!nullSafe[k] && keys[k].mayHaveNulls()) {
        for (int i = 0; i < n; i++) {
          if (keys[k].isNull(i)) {
            groups[i] = -1;
          }
        }
      }
    }
  }

  /** Ends the build. */
  void seal() {
    pages.seal();
    int groups = table.size();
    int[] count = new int[groups + 2];
    for (int i = 0; i < rows; i++) {
      count[group(i, groups) + 1]++;
    }
    for (int g = 0; g <= groups; g++) {
      count[g + 1] += count[g];
    }
    starts = Arrays.copyOf(count, count.length);
    int[] order = pages.ids();
    int[] out = new int[rows];
    for (int i = 0; i < rows; i++) {
      out[count[group(i, groups)]++] = order[i];
    }
    ids = out;
    matched = new long[Bits.words(Math.max(1, rows))];
  }

  private int group(int row, int nulls) {
    int g = groupPages[row >>> 12][row & (1 << 12) - 1];
    return g < 0 ? nulls : g;
  }

  int start(int group) {
    return starts[group];
  }

  int end(int group) {
    return starts[group + 1];
  }

  /** First slot of the rows whose key is NULL. */
  int nullStart() {
    return starts[table.size()];
  }

  /** Row id of a slot. */
  int id(int slot) {
    return ids[slot];
  }

  void match(int slot) {
    Bits.set(matched, slot);
  }

  boolean isMatched(int slot) {
    return Bits.get(matched, slot);
  }
}

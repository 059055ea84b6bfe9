package io.millrace.storage.read;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.storage.OpType;
import io.millrace.storage.memtable.ColumnSets;
import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of the versions of one key. One thread. */
interface Fold {
  /** Versions newest first; their number is n. */
  void group(Chunk[] chunks, int[] rows, int n, Assembly out);

  /** Whether every version goes through as it is, so that whole runs may. */
  boolean raw();

  static byte op(Chunk c, int row) {
    byte[] ops = c.op();
    return ops == null ? OpType.PUT.code() : ops[row];
  }

  /** Everything goes through: append mode, unmerged reads. */
  final class All implements Fold {
    @Override
    public void group(Chunk[] chunks, int[] rows, int n, Assembly out) {
      for (int i = 0; i < n; i++) {
        out.run(chunks[i], rows[i], 1);
      }
    }

    @Override
    public boolean raw() {
      return true;
    }
  }

  /** The newest version of each key as it is: which keys changed. */
  final class Newest implements Fold {
    @Override
    public void group(Chunk[] chunks, int[] rows, int n, Assembly out) {
      out.run(chunks[0], rows[0], 1);
    }

    @Override
    public boolean raw() {
      return false;
    }
  }

  /** The row that a reader sees, if any. */
  final class Visible implements Fold {
    private final boolean lastRow;

    Visible(boolean lastRow) {
      this.lastRow = lastRow;
    }

    @Override
    public boolean raw() {
      return false;
    }

    @Override
    public void group(Chunk[] chunks, int[] rows, int n, Assembly out) {
      byte op = op(chunks[0], rows[0]);
      if (op == OpType.DELETE.code()) {
        return;
      }
      if (op == OpType.REPLACE.code() || (op == OpType.PUT.code() && (lastRow || n == 1))) {
        out.run(chunks[0], rows[0], 1);
        return;
      }
      int used = Versions.stretch(chunks, rows, 0, n, lastRow);
      Assembly.Folded f = Versions.fold(chunks, rows, 0, used, lastRow);
      if (f.op() == OpType.PUT.code() || f.op() == OpType.REPLACE.code()) {
        out.fold(f);
      }
    }
  }

  /** Folding of versions. */
  final class Versions {
    private Versions() {}

    /** How far a fold from version i reaches: through the first one that cuts history. */
    static int stretch(Chunk[] chunks, int[] rows, int i, int end, boolean lastRow) {
      int k = i;
      while (k < end) {
        byte op = op(chunks[k], rows[k]);
        k++;
        boolean cuts =
            op == OpType.DELETE.code()
                || op == OpType.REPLACE.code()
                || (op == OpType.PUT.code() && lastRow);
        if (cuts) {
          break;
        }
      }
      return k;
    }

    /** Folds versions [i, end): the last one may cut history. */
    static Assembly.Folded fold(Chunk[] chunks, int[] rows, int i, int end, boolean lastRow) {
      boolean put = false;
      byte cut = -1;
      TreeSet<Integer> mask = null;
      for (int k = i; k < end; k++) {
        byte op = op(chunks[k], rows[k]);
        if (op == OpType.PUT.code()) {
          put = true;
          if (lastRow) {
            cut = op;
          }
        } else if (op != OpType.CLEAR.code()) {
          cut = op;
        }
        Vector set = cut >= 0 ? null : chunks[k].field(ReadSchema.CLEARED);
        if (set != null && !set.isNull(rows[k])) {
          var b = (BytesColumn) set;
          mask = mask == null ? new TreeSet<>() : mask;
          for (int id : ColumnSets.decode(b.data(rows[k]), b.start(rows[k]), b.end(rows[k]))) {
            mask.add(id);
          }
        }
      }
      byte op;
      if (cut == OpType.DELETE.code()) {
        op = put ? OpType.REPLACE.code() : OpType.DELETE.code();
      } else if (cut == OpType.REPLACE.code()) {
        op = lastRow ? OpType.PUT.code() : OpType.REPLACE.code();
      } else {
        op = put ? OpType.PUT.code() : OpType.CLEAR.code();
      }
      boolean masked = op == OpType.CLEAR.code() || (op == OpType.PUT.code() && !lastRow);
      byte @Nullable [] cleared = masked && mask != null ? ColumnSets.encode(mask) : null;
      return new Assembly.Folded(
          Arrays.copyOfRange(chunks, i, end), Arrays.copyOfRange(rows, i, end), op, cleared);
    }
  }
}

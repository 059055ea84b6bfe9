package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.expr.Gather;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Rows kept in memory for access by row id (see Gather). Small batches are put together to pages of
 * at least 1,024 rows, so that ids reach 2^17 pages.
 */
/** Pages of rows. */
final class RowPages {
  private static final int SMALL = 1024;
  private final List<SqlType> types;
  private final List<Batch> pages = new ArrayList<>();
  private final List<Batch> small = new ArrayList<>();
  private final Vector[] @Nullable [] columns;
  private int smallRows;
  private long rows;

  RowPages(List<SqlType> types) {
    this.types = types;
    columns = new Vector[types.size()][];
  }

  /** Without the bytes of rows that are not in it. */
  static Batch compact(Batch b) {
    boolean waste = false;
    for (Vector v : b.columns()) {
      waste |= wasteful(v);
    }
    if (!waste) {
      return b;
    }
    int[] all = Gather.identity(b.rows());
    var out = new ArrayList<Vector>(b.width());
    for (Vector v : b.columns()) {
      out.add(wasteful(v) ? v.take(all, b.rows()) : v);
    }
    return new Batch(out, b.rows());
  }

  private static boolean wasteful(Vector v) {
    return v instanceof BytesVector s
        && s.data().length > 1024
        && (s.offsets()[v.length()] - s.offsets()[0]) * 2L < s.data().length;
  }

  void add(Batch b) {
    if (b.rows() == 0) {
      return;
    }
    rows += b.rows();
    if (b.rows() >= SMALL) {
      flushSmall();
      for (int from = 0; from < b.rows(); from += Gather.PAGE_ROWS) {
        pages.add(b.slice(from, Math.min(Gather.PAGE_ROWS, b.rows() - from)));
      }
      return;
    }
    small.add(b);
    smallRows += b.rows();
    if (smallRows >= Batch.ROWS) {
      flushSmall();
    }
  }

  private void flushSmall() {
    if (small.isEmpty()) {
      return;
    }
    pages.add(concat(types, small));
    small.clear();
    smallRows = 0;
  }

  static Batch concat(List<SqlType> types, List<Batch> batches) {
    if (batches.size() == 1) {
      return batches.getFirst();
    }
    int n = 0;
    for (Batch b : batches) {
      n += b.rows();
    }
    var out = new ArrayList<Vector>(types.size());
    for (int c = 0; c < types.size(); c++) {
      var parts = new ArrayList<Vector>(batches.size());
      for (Batch b : batches) {
        parts.add(b.column(c));
      }
      out.add(Gather.concat(types.get(c), parts));
    }
    return new Batch(out, n);
  }

  /** Ends adding: ids are valid from now on. */
  void seal() {
    flushSmall();
  }

  long rows() {
    return rows;
  }

  int pageCount() {
    return pages.size();
  }

  Batch page(int i) {
    return pages.get(i);
  }

  /** One column, page by page. */
  Vector[] column(int c) {
    Vector[] v = columns[c];
    if (v == null) {
      v = new Vector[pages.size()];
      for (int i = 0; i < v.length; i++) {
        v[i] = pages.get(i).column(c);
      }
      columns[c] = v;
    }
    return v;
  }

  /** All ids in order. */
  int[] ids() {
    int[] out = new int[Math.toIntExact(rows)];
    int n = 0;
    for (int p = 0; p < pages.size(); p++) {
      for (int r = 0; r < pages.get(p).rows(); r++) {
        out[n++] = Gather.id(p, r);
      }
    }
    return out;
  }

  /** Rows ids[from, from + count) of the first {@code width} columns. */
  Batch take(int width, int[] ids, int from, int count) {
    var out = new ArrayList<Vector>(width);
    for (int c = 0; c < width; c++) {
      out.add(Gather.take(types.get(c), column(c), ids, from, count));
    }
    return new Batch(out, count);
  }
}

package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Rows of several vectors of one layout ("pages") as one vector. A row id is page << 14 | row, since
 * no batch has more than 16,384 rows; -1 is a NULL. Strings stay dictionary codes where every page
 * shares one dictionary.
 */
/** Gathers rows out of pages. */
public final class Gather {
  /** Bits of a row id that hold the row within its page. */
  public static final int SHIFT = 14;

  /** The most rows a page may have. */
  public static final int PAGE_ROWS = 1 << SHIFT;

  private static final int MASK = PAGE_ROWS - 1;

  private Gather() {}

  public static int id(int page, int row) {
    return page << SHIFT | row;
  }

  public static int page(int id) {
    return id >>> SHIFT;
  }

  public static int row(int id) {
    return id & MASK;
  }

  /** A vector of NULLs. */
  public static Vector nulls(SqlType type, int count) {
    long[] v = new long[Bits.words(count)];
    return switch (type.layout()) {
      case BOOL -> new BoolVector(type, new boolean[count], count, v);
      case INT -> new IntVector(type, new int[count], count, v);
      case LONG -> new LongVector(type, new long[count], count, v);
      case FLOAT -> new FloatVector(type, new float[count], count, v);
      case DOUBLE -> new DoubleVector(type, new double[count], count, v);
      case BYTES -> new BytesVector(type, new int[count + 1], new byte[0], count, v);
      case NUMERIC -> new NumericVector(type, new long[count], 0, null, null, null, count, v);
      case INTERVAL ->
          new IntervalVector(type, new int[count], new int[count], new long[count], count, v);
      case ARRAY, RECORD -> {
        VectorBuilder b = VectorBuilder.of(type, count);
        for (int i = 0; i < count; i++) {
          b.appendNull();
        }
        yield b.build();
      }
    };
  }

  /** Rows ids[from, from + count). */
  public static Vector take(SqlType type, Vector[] pages, int[] ids, int from, int count) {
    if (pages.length == 0) {
      return nulls(type, count);
    }
    long[] valid = validity(pages, ids, from, count);
    return switch (type.layout()) {
      case BOOL -> {
        boolean[] out = new boolean[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            out[i] = ((BoolVector) pages[id >>> SHIFT]).values()[id & MASK];
          }
        }
        yield new BoolVector(type, out, count, valid);
      }
      case INT -> {
        int[] out = new int[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            out[i] = ((IntVector) pages[id >>> SHIFT]).values()[id & MASK];
          }
        }
        yield new IntVector(type, out, count, valid);
      }
      case LONG -> {
        long[] out = new long[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            out[i] = ((LongVector) pages[id >>> SHIFT]).values()[id & MASK];
          }
        }
        yield new LongVector(type, out, count, valid);
      }
      case FLOAT -> {
        float[] out = new float[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            out[i] = ((FloatVector) pages[id >>> SHIFT]).values()[id & MASK];
          }
        }
        yield new FloatVector(type, out, count, valid);
      }
      case DOUBLE -> {
        double[] out = new double[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            out[i] = ((DoubleVector) pages[id >>> SHIFT]).values()[id & MASK];
          }
        }
        yield new DoubleVector(type, out, count, valid);
      }
      case BYTES -> bytes(type, pages, ids, from, count, valid);
      case INTERVAL -> {
        int[] m = new int[count];
        int[] d = new int[count];
        long[] u = new long[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            var p = (IntervalVector) pages[id >>> SHIFT];
            m[i] = p.months()[id & MASK];
            d[i] = p.days()[id & MASK];
            u[i] = p.micros()[id & MASK];
          }
        }
        yield new IntervalVector(type, m, d, u, count, valid);
      }
      case NUMERIC -> numeric(type, pages, ids, from, count, valid);
      case ARRAY -> built(type, pages, ids, from, count);
      case RECORD -> record(type, pages, ids, from, count, valid);
    };
  }

  private static long @Nullable [] validity(Vector[] pages, int[] ids, int from, int count) {
    boolean any = false;
    for (Vector p : pages) {
      any |= p.mayHaveNulls();
    }
    for (int i = from; i < from + count && !any; i++) {
      any = ids[i] < 0;
    }
    if (!any) {
      return null;
    }
    long[] v = Bits.allSet(count);
    boolean nulls = false;
    for (int i = 0; i < count; i++) {
      int id = ids[from + i];
      if (id < 0 || pages[id >>> SHIFT].isNull(id & MASK)) {
        Bits.clear(v, i);
        nulls = true;
      }
    }
    return nulls ? v : null;
  }

  private static Vector bytes(
      SqlType type, Vector[] pages, int[] ids, int from, int count, long @Nullable [] valid) {
    if (pages[0] instanceof DictVector first) {
      DictVector.Dictionary dictionary = first.dictionary();
      boolean same = true;
      for (Vector p : pages) {
        same &= p instanceof DictVector d && d.dictionary() == dictionary;
      }
      if (same) {
        int[] codes = new int[count];
        for (int i = 0; i < count; i++) {
          int id = ids[from + i];
          if (id >= 0) {
            codes[i] = ((DictVector) pages[id >>> SHIFT]).codes()[id & MASK];
          }
        }
        return new DictVector(type, codes, dictionary, count, valid);
      }
    }
    int[] o = new int[count + 1];
    int total = 0;
    for (int i = 0; i < count; i++) {
      if (valid == null || Bits.get(valid, i)) {
        int id = ids[from + i];
        total = Math.addExact(total, ((BytesColumn) pages[id >>> SHIFT]).size(id & MASK));
      }
      o[i + 1] = total;
    }
    byte[] out = new byte[total];
    for (int i = 0; i < count; i++) {
      int n = o[i + 1] - o[i];
      if (n > 0) {
        int id = ids[from + i];
        var p = (BytesColumn) pages[id >>> SHIFT];
        int row = id & MASK;
        System.arraycopy(p.data(row), p.start(row), out, o[i], n);
      }
    }
    return new BytesVector(type, o, out, count, valid);
  }

  private static Vector numeric(
      SqlType type, Vector[] pages, int[] ids, int from, int count, long @Nullable [] valid) {
    int scale = -1;
    for (Vector p : pages) {
      var n = (NumericVector) p;
      if (!n.isPlain() || (scale >= 0 && n.uniformScale() != scale)) {
        return built(type, pages, ids, from, count);
      }
      scale = n.uniformScale();
    }
    long[] out = new long[count];
    for (int i = 0; i < count; i++) {
      int id = ids[from + i];
      if (id >= 0) {
        out[i] = ((NumericVector) pages[id >>> SHIFT]).unscaled()[id & MASK];
      }
    }
    return new NumericVector(type, out, scale, null, null, null, count, valid);
  }

  private static Vector built(SqlType type, Vector[] pages, int[] ids, int from, int count) {
    VectorBuilder b = VectorBuilder.of(type, count);
    for (int i = 0; i < count; i++) {
      int id = ids[from + i];
      if (id < 0) {
        b.appendNull();
      } else {
        b.append(pages[id >>> SHIFT], id & MASK);
      }
    }
    return b.build();
  }

  private static Vector record(
      SqlType type, Vector[] pages, int[] ids, int from, int count, long @Nullable [] valid) {
    int fields = ((RecordVector) pages[0]).children().size();
    var out = new ArrayList<Vector>(fields);
    for (int f = 0; f < fields; f++) {
      Vector[] child = new Vector[pages.length];
      for (int p = 0; p < pages.length; p++) {
        child[p] = ((RecordVector) pages[p]).children().get(f);
      }
      out.add(take(child[0].type(), child, ids, from, count));
    }
    return new RecordVector(type, out, count, valid);
  }

  /** All pages one after the other. */
  public static Vector concat(SqlType type, List<Vector> parts) {
    if (parts.size() == 1) {
      return parts.getFirst();
    }
    int n = 0;
    for (Vector v : parts) {
      n = Math.addExact(n, v.length());
    }
    boolean paged = true;
    for (Vector v : parts) {
      paged &= v.length() <= PAGE_ROWS;
    }
    if (!paged) {
      VectorBuilder b = VectorBuilder.of(type, n);
      for (Vector v : parts) {
        b.append(v, 0, v.length());
      }
      return b.build();
    }
    int[] ids = new int[n];
    int at = 0;
    for (int p = 0; p < parts.size(); p++) {
      int rows = parts.get(p).length();
      for (int i = 0; i < rows; i++) {
        ids[at++] = id(p, i);
      }
    }
    return take(type, parts.toArray(new Vector[0]), ids, 0, n);
  }

  /** Positions 0, 1, 2, … n - 1. */
  public static int[] identity(int n) {
    int[] p = new int[n];
    Arrays.setAll(p, i -> i);
    return p;
  }
}

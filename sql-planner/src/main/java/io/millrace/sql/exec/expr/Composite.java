package io.millrace.sql.exec.expr;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Arrays and row values: construction, access, and comparison with all elements. */
final class Composite {
  private Composite() {}

  /** Dimensions of an array value as lengths and lower bounds; none for an empty one. */
  private static int[] shape(ArrayVector a, int row) {
    int[] s = a.shape(row);
    if (s != null) {
      return s;
    }
    int n = a.end(row) - a.start(row);
    return n == 0 ? new int[0] : new int[] {n, 1};
  }

  static final class ArrayOf extends Eval {
    private final Eval[] elements;

    ArrayOf(SqlType type, Eval[] elements) {
      super(type);
      this.elements = elements;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      Vector[] v = new Vector[elements.length];
      for (int i = 0; i < v.length; i++) {
        v[i] = elements[i].eval(in);
      }
      var b = (VectorBuilder.ArrayRows) VectorBuilder.of(type(), n);
      boolean nested = v.length > 0 && elements[0].type().isArray();
      for (int r = 0; r < n; r++) {
        if (nested) {
          b.endRow(nest(b, v, r));
        } else {
          for (Vector e : v) {
            b.elements().append(e, r);
          }
          b.endRow(null);
        }
      }
      return b.build();
    }

    private static int @Nullable [] nest(VectorBuilder.ArrayRows b, Vector[] v, int r) {
      int[] inner = null;
      for (Vector e : v) {
        int[] s = e.isNull(r) ? new int[0] : shape((ArrayVector) e, r);
        if (inner != null && !Arrays.equals(inner, s)) {
          throw new MillraceException(
              ErrorCode.ARRAY_SUBSCRIPT_ERROR,
              "multidimensional arrays must have array expressions with matching dimensions");
        }
        inner = s;
      }
      if (inner == null || inner.length == 0) {
        return null;
      }
      for (Vector e : v) {
        var a = (ArrayVector) e;
        for (int i = a.start(r); i < a.end(r); i++) {
          b.elements().append(a.elements(), i);
        }
      }
      int[] out = new int[inner.length + 2];
      out[0] = v.length;
      out[1] = 1;
      System.arraycopy(inner, 0, out, 2, inner.length);
      return out;
    }
  }

  static final class RowOf extends Eval {
    private final Eval[] fields;

    RowOf(SqlType type, Eval[] fields) {
      super(type);
      this.fields = fields;
    }

    @Override
    public Vector eval(Rows in) {
      var children = new ArrayList<Vector>(fields.length);
      for (Eval f : fields) {
        children.add(f.eval(in));
      }
      return new RecordVector(type(), children, in.rows(), null);
    }
  }

  static final class FieldOf extends Eval {
    private final Eval record;
    private final int field;

    FieldOf(Eval record, int field, SqlType type) {
      super(type);
      this.record = record;
      this.field = field;
    }

    @Override
    public Vector eval(Rows in) {
      var r = (RecordVector) record.eval(in);
      Vector c = r.children().get(field);
      if (!r.mayHaveNulls()) {
        return c;
      }
      int[] at = Gather.identity(in.rows());
      for (int i = 0; i < at.length; i++) {
        at[i] = r.isNull(i) ? -1 : at[i];
      }
      return Gather.take(type(), new Vector[] {c}, at, 0, at.length);
    }
  }

  static final class Subscript extends Eval {
    private final Eval array;
    private final Eval[] indexes;

    Subscript(Eval array, Eval[] indexes, SqlType type) {
      super(type);
      this.array = array;
      this.indexes = indexes;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      var a = (ArrayVector) array.eval(in);
      IntVector[] ix = new IntVector[indexes.length];
      for (int i = 0; i < ix.length; i++) {
        ix[i] = (IntVector) indexes[i].eval(in);
      }
      VectorBuilder b = VectorBuilder.of(type(), n);
      for (int r = 0; r < n; r++) {
        int at = a.isNull(r) ? -1 : find(a, ix, r);
        if (at < 0) {
          b.appendNull();
        } else {
          b.append(a.elements(), at);
        }
      }
      return b.build();
    }

    private static int find(ArrayVector a, IntVector[] ix, int r) {
      int[] s = shape(a, r);
      if (s.length != ix.length * 2) {
        return -1;
      }
      long at = 0;
      for (int d = 0; d < ix.length; d++) {
        if (ix[d].isNull(r)) {
          return -1;
        }
        long i = (long) ix[d].get(r) - s[2 * d + 1];
        if (i < 0 || i >= s[2 * d]) {
          return -1;
        }
        at = at * s[2 * d] + i;
      }
      return a.start(r) + (int) at;
    }
  }

  static final class SliceOf extends Eval {
    private final Eval array;
    private final @Nullable Eval lower;
    private final @Nullable Eval upper;

    SliceOf(Eval array, @Nullable Eval lower, @Nullable Eval upper, SqlType type) {
      super(type);
      this.array = array;
      this.lower = lower;
      this.upper = upper;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      var a = (ArrayVector) array.eval(in);
      var lo = lower == null ? null : (IntVector) lower.eval(in);
      var hi = upper == null ? null : (IntVector) upper.eval(in);
      var b = (VectorBuilder.ArrayRows) VectorBuilder.of(type(), n);
      for (int r = 0; r < n; r++) {
        if (a.isNull(r) || (lo != null && lo.isNull(r)) || (hi != null && hi.isNull(r))) {
          b.appendNull();
          continue;
        }
        int[] s = shape(a, r);
        if (s.length == 0) {
          b.endRow(null);
          continue;
        }
        long from = lo == null ? s[1] : Math.max(s[1], lo.get(r));
        long last = s[1] + (long) s[0] - 1;
        long to = hi == null ? last : Math.min(last, hi.get(r));
        if (to < from) {
          b.endRow(null);
          continue;
        }
        int inner = 1;
        for (int d = 2; d < s.length; d += 2) {
          inner *= s[d];
        }
        int start = a.start(r) + (int) (from - s[1]) * inner;
        int count = (int) (to - from + 1);
        for (int i = 0; i < count * inner; i++) {
          b.elements().append(a.elements(), start + i);
        }
        if (s.length == 2) {
          b.endRow(null);
        } else {
          int[] shape = s.clone();
          shape[0] = count;
          for (int d = 1; d < shape.length; d += 2) {
            shape[d] = 1;
          }
          b.endRow(shape);
        }
      }
      return b.build();
    }
  }

  /** value op ANY (array), value op ALL (array): the rows are unfolded and the answers folded. */
  static final class Quantified extends Eval {
    private static final int UNFOLDED = 8192;
    private final Eval value;
    private final Eval array;
    private final Eval op;
    private final boolean all;

    Quantified(Eval value, Eval array, Eval op, boolean all) {
      super(SqlType.BOOL);
      this.value = value;
      this.array = array;
      this.op = op;
      this.all = all;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      Vector v = value.eval(in);
      var a = (ArrayVector) array.eval(in);
      boolean[] out = new boolean[n];
      long[] valid = Bits.allSet(n);
      Arrays.fill(out, all);
      int[] row = new int[UNFOLDED];
      int[] element = new int[UNFOLDED];
      int m = 0;
      for (int r = 0; r < n; r++) {
        if (a.isNull(r)) {
          Bits.clear(valid, r);
          out[r] = false;
          continue;
        }
        for (int e = a.start(r); e < a.end(r); e++) {
          row[m] = r;
          element[m++] = e;
          if (m == UNFOLDED) {
            fold(v, a, row, element, m, out, valid);
            m = 0;
          }
        }
      }
      if (m > 0) {
        fold(v, a, row, element, m, out, valid);
      }
      for (int r = 0; r < n; r++) {
        if (out[r] != all) {
          Bits.set(valid, r);
        }
      }
      return new BoolVector(SqlType.BOOL, out, n, valid);
    }

    /** Marks deciding answers in {@code out} and unknown ones in {@code valid}. */
    private void fold(
        Vector v, ArrayVector a, int[] row, int[] element, int m, boolean[] out, long[] valid) {
      Vector left = v.take(row, m);
      Vector right = a.elements().take(element, m);
      var answer = (BoolVector) op.eval(new Rows(c -> c == 0 ? left : right, m));
      for (int j = 0; j < m; j++) {
        if (answer.isNull(j)) {
          Bits.clear(valid, row[j]);
        } else if (answer.get(j) != all) {
          out[row[j]] = !all;
        }
      }
    }
  }
}

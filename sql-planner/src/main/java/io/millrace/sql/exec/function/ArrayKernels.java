package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.util.Arrays;
import java.util.List;

/** Array functions and operators. */
final class ArrayKernels {
  private ArrayKernels() {}

  static void register(FunctionRegistry.Builder b) {
    b.scalar(
        "array_append(anycompatiblearray,anycompatible)", (_, r) -> (a, n, _) -> append(a, n, r));
    b.scalar(
        "array_prepend(anycompatible,anycompatiblearray)", (_, r) -> (a, n, _) -> prepend(a, n, r));
    b.scalar(
        "array_cat(anycompatiblearray,anycompatiblearray)", (_, r) -> (a, n, _) -> concat(a, n, r));
    b.simple(
        "cardinality(anyarray)",
        (a, n, _) -> {
          ArrayVector v = array(a, 0);
          return Build.ints(SqlType.INT4, a, n, i -> v.end(i) - v.start(i));
        });
    b.simple("array_length(anyarray,int4)", (a, n, _) -> bound(a, n, 'n'));
    b.simple("array_lower(anyarray,int4)", (a, n, _) -> bound(a, n, 'l'));
    b.simple("array_upper(anyarray,int4)", (a, n, _) -> bound(a, n, 'u'));
    b.simple(
        "array_ndims(anyarray)",
        (a, n, _) -> {
          ArrayVector v = array(a, 0);
          var out = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, n);
          for (int i = 0; i < n; i++) {
            if (v.isNull(i) || shape(v, i).length == 0) {
              out.appendNull();
            } else {
              out.append(shape(v, i).length / 2);
            }
          }
          return out.build();
        });
    b.simple(
        "array_dims(anyarray)",
        (a, n, _) -> {
          ArrayVector v = array(a, 0);
          return Build.bytes(
              SqlType.TEXT,
              a,
              n,
              (i, out) -> {
                int[] s = shape(v, i);
                if (s.length == 0) {
                  out.appendNull();
                  return;
                }
                var text = new StringBuilder();
                for (int d = 0; d < s.length; d += 2) {
                  text.append('[')
                      .append(s[d + 1])
                      .append(':')
                      .append(s[d + 1] + s[d] - 1)
                      .append(']');
                }
                out.append(text.toString());
              });
        });
    for (String extra : new String[] {"", ",int4"}) {
      b.simple(
          "array_position(anycompatiblearray,anycompatible" + extra + ")",
          (a, n, _) -> position(a, n));
    }
    b.simple("array_positions(anycompatiblearray,anycompatible)", (a, n, _) -> positions(a, n));
    b.scalar(
        "array_remove(anycompatiblearray,anycompatible)", (_, r) -> (a, n, _) -> remove(a, n, r));
    b.scalar(
        "array_replace(anycompatiblearray,anycompatible,anycompatible)",
        (_, r) -> (a, n, _) -> replace(a, n, r));
    b.scalar("array_to_string(anyarray,text)", (t, _) -> join(t));
    b.scalar("array_to_string(anyarray,text,text)", (t, _) -> join(t));
    for (String extra : new String[] {"", ",_int4"}) {
      b.scalar("array_fill(anyelement,_int4" + extra + ")", (_, r) -> (a, n, _) -> fill(a, n, r));
    }
    b.simple("arraycontains(anyarray,anyarray)", (a, n, _) -> contains(a, n, 0, 1));
    b.simple("arraycontained(anyarray,anyarray)", (a, n, _) -> contains(a, n, 1, 0));
    b.simple(
        "arrayoverlap(anyarray,anyarray)",
        (a, n, _) -> {
          ArrayVector x = array(a, 0);
          ArrayVector y = array(a, 1);
          return Build.bools(
              a,
              n,
              i -> {
                for (int e = x.start(i); e < x.end(i); e++) {
                  if (!x.elements().isNull(e) && find(y, i, x.elements(), e)) {
                    return true;
                  }
                }
                return false;
              });
        });
    b.scalar("trim_array(anyarray,int4)", (_, r) -> (a, n, _) -> trim(a, n, r));
    for (String c : new String[] {"larger", "smaller"}) {
      b.scalar(
          "array_" + c + "(anyarray,anyarray)",
          (_, r) ->
              (a, n, _) ->
                  Build.any(
                      r,
                      a,
                      n,
                      (i, out) ->
                          out.append(
                              a.get(0).compare(i, a.get(1), i) > 0 == c.equals("larger")
                                  ? a.get(0)
                                  : a.get(1),
                              i)));
    }
  }

  private static ArrayVector array(List<Vector> a, int arg) {
    return (ArrayVector) a.get(arg);
  }

  /** Length and lower bound of each dimension; empty for an empty array. */
  static int[] shape(ArrayVector v, int i) {
    int[] s = v.shape(i);
    if (s != null) {
      return s;
    }
    int n = v.end(i) - v.start(i);
    int low = v.type().kind() == io.millrace.common.type.TypeKind.ARRAY ? 1 : 0;
    return n == 0 ? new int[0] : new int[] {n, low};
  }

  private static Vector bound(List<Vector> a, int n, char what) {
    ArrayVector v = array(a, 0);
    int[] dimension = Args.ints(a, 1);
    var out = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, n);
    for (int i = 0; i < n; i++) {
      if (SetKernels.anyNull(a, i)) {
        out.appendNull();
        continue;
      }
      int[] s = shape(v, i);
      int d = dimension[i];
      if (d < 1 || d * 2 > s.length) {
        out.appendNull();
      } else {
        int length = s[d * 2 - 2];
        int low = s[d * 2 - 1];
        out.append(what == 'n' ? length : what == 'l' ? low : low + length - 1);
      }
    }
    return out.build();
  }

  private static void copy(ArrayVector v, int i, VectorBuilder.ArrayRows out) {
    out.elements().append(v.elements(), v.start(i), v.end(i) - v.start(i));
  }

  private static int @org.jspecify.annotations.Nullable [] usual(int length, int low) {
    return low == 1 || length == 0 ? null : new int[] {length, low};
  }

  private static Vector append(List<Vector> a, int n, SqlType type) {
    ArrayVector v = array(a, 0);
    Vector e = a.get(1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      int low = 1;
      int length = 0;
      if (!v.isNull(i)) {
        int[] s = shape(v, i);
        requireOneDimension(s);
        low = s.length == 0 ? 1 : s[1];
        length = s.length == 0 ? 0 : s[0];
        copy(v, i, out);
      }
      out.elements().append(e, i);
      out.endRow(usual(length + 1, low));
    }
    return out.build();
  }

  private static void requireOneDimension(int[] s) {
    if (s.length > 2) {
      throw new MillraceException(
          ErrorCode.ARRAY_SUBSCRIPT_ERROR, "argument must be empty or one-dimensional array");
    }
  }

  private static Vector prepend(List<Vector> a, int n, SqlType type) {
    Vector e = a.get(0);
    ArrayVector v = array(a, 1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      int low = 1;
      int length = 0;
      out.elements().append(e, i);
      if (!v.isNull(i)) {
        int[] s = shape(v, i);
        requireOneDimension(s);
        low = s.length == 0 ? 1 : s[1];
        length = s.length == 0 ? 0 : s[0];
        copy(v, i, out);
      }
      out.endRow(usual(length + 1, low));
    }
    return out.build();
  }

  private static Vector concat(List<Vector> a, int n, SqlType type) {
    ArrayVector x = array(a, 0);
    ArrayVector y = array(a, 1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (x.isNull(i) && y.isNull(i)) {
        out.appendNull();
        continue;
      }
      int[] s = x.isNull(i) ? new int[0] : shape(x, i);
      int[] t = y.isNull(i) ? new int[0] : shape(y, i);
      if (!x.isNull(i)) {
        copy(x, i, out);
      }
      if (!y.isNull(i)) {
        copy(y, i, out);
      }
      int[] r;
      if (s.length == 0) {
        r = t;
      } else if (t.length == 0) {
        r = s;
      } else if (s.length == t.length) {
        requireSame(s, t, 2, 2);
        r = s.clone();
        r[0] += t[0];
      } else if (s.length == t.length + 2) {
        requireSame(s, t, 2, 0);
        r = s.clone();
        r[0]++;
      } else if (t.length == s.length + 2) {
        requireSame(s, t, 0, 2);
        r = t.clone();
        r[0]++;
      } else {
        throw incompatible();
      }
      out.endRow(r.length == 2 ? usual(r[0], r[1]) : r.length == 0 ? null : r);
    }
    return out.build();
  }

  private static void requireSame(int[] s, int[] t, int fromS, int fromT) {
    for (int d = 0; fromS + d < s.length; d += 2) {
      if (s[fromS + d] != t[fromT + d]) {
        throw incompatible();
      }
    }
  }

  private static MillraceException incompatible() {
    return new MillraceException(
        ErrorCode.ARRAY_SUBSCRIPT_ERROR, "cannot concatenate incompatible arrays");
  }

  private static boolean equal(Vector x, int i, Vector y, int k) {
    return x.isNull(i) || y.isNull(k) ? x.isNull(i) && y.isNull(k) : x.compare(i, y, k) == 0;
  }

  private static boolean find(ArrayVector v, int row, Vector e, int at) {
    for (int k = v.start(row); k < v.end(row); k++) {
      if (!v.elements().isNull(k) && v.elements().compare(k, e, at) == 0) {
        return true;
      }
    }
    return false;
  }

  private static Vector position(List<Vector> a, int n) {
    ArrayVector v = array(a, 0);
    Vector e = a.get(1);
    var out = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        out.appendNull();
        continue;
      }
      int[] s = shape(v, i);
      requireOneDimension(s);
      int low = s.length == 0 ? 1 : s[1];
      int found = -1;
      int from = v.start(i);
      if (a.size() > 2 && !a.get(2).isNull(i)) {
        from = Math.max(from, from + ((IntVector) a.get(2)).get(i) - low);
      }
      for (int k = from; k < v.end(i) && found < 0; k++) {
        found = equal(v.elements(), k, e, i) ? k - v.start(i) : -1;
      }
      if (found < 0) {
        out.appendNull();
      } else {
        out.append(found + low);
      }
    }
    return out.build();
  }

  private static Vector positions(List<Vector> a, int n) {
    ArrayVector v = array(a, 0);
    Vector e = a.get(1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(SqlType.arrayOf(SqlType.INT4), n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        out.appendNull();
        continue;
      }
      int[] s = shape(v, i);
      requireOneDimension(s);
      int low = s.length == 0 ? 1 : s[1];
      for (int k = v.start(i); k < v.end(i); k++) {
        if (equal(v.elements(), k, e, i)) {
          ((VectorBuilder.Ints) out.elements()).append(k - v.start(i) + low);
        }
      }
      out.endRow(null);
    }
    return out.build();
  }

  private static Vector remove(List<Vector> a, int n, SqlType type) {
    ArrayVector v = array(a, 0);
    Vector e = a.get(1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        out.appendNull();
        continue;
      }
      int[] s = shape(v, i);
      requireOneDimension(s);
      int kept = 0;
      for (int k = v.start(i); k < v.end(i); k++) {
        if (!equal(v.elements(), k, e, i)) {
          out.elements().append(v.elements(), k);
          kept++;
        }
      }
      out.endRow(s.length == 0 ? null : usual(kept, s[1]));
    }
    return out.build();
  }

  private static Vector replace(List<Vector> a, int n, SqlType type) {
    ArrayVector v = array(a, 0);
    Vector from = a.get(1);
    Vector to = a.get(2);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        out.appendNull();
        continue;
      }
      for (int k = v.start(i); k < v.end(i); k++) {
        if (equal(v.elements(), k, from, i)) {
          out.elements().append(to, i);
        } else {
          out.elements().append(v.elements(), k);
        }
      }
      out.endRow(v.shape(i));
    }
    return out.build();
  }

  private static ScalarKernel join(List<SqlType> types) {
    SqlType element =
        types.getFirst().element() == null ? SqlType.TEXT : types.getFirst().elementType();
    TypeCodec codec = TypeCodecs.full(element);
    return (a, n, c) -> {
      ArrayVector v = array(a, 0);
      BytesColumn separator = Args.bytes(a, 1);
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, n);
      var text = new ByteSink();
      for (int i = 0; i < n; i++) {
        if (v.isNull(i) || separator.isNull(i)) {
          out.appendNull();
          continue;
        }
        boolean nulls = a.size() > 2 && !a.get(2).isNull(i);
        text.clear();
        boolean first = true;
        for (int k = v.start(i); k < v.end(i); k++) {
          boolean isNull = v.elements().isNull(k);
          if (isNull && !nulls) {
            continue;
          }
          if (!first) {
            text.putBytes(separator.data(i), separator.start(i), separator.size(i));
          }
          if (isNull) {
            BytesColumn s = Args.bytes(a, 2);
            text.putBytes(s.data(i), s.start(i), s.size(i));
          } else {
            codec.writeText(v.elements(), k, text, c.format());
          }
          first = false;
        }
        out.append(text.array(), 0, text.position());
      }
      return out.build();
    };
  }

  private static Vector fill(List<Vector> a, int n, SqlType type) {
    Vector value = a.get(0);
    ArrayVector dims = array(a, 1);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (dims.isNull(i) || (a.size() > 2 && a.get(2).isNull(i))) {
        throw new MillraceException(
            ErrorCode.NULL_VALUE_NOT_ALLOWED, "dimension array or low bound array cannot be null");
      }
      int d = dims.end(i) - dims.start(i);
      int[] shape = new int[d * 2];
      long total = d == 0 ? 0 : 1;
      for (int k = 0; k < d; k++) {
        shape[2 * k] = ((IntVector) dims.elements()).get(dims.start(i) + k);
        ArrayVector lows = a.size() > 2 ? array(a, 2) : dims;
        shape[2 * k + 1] = a.size() > 2 ? ((IntVector) lows.elements()).get(lows.start(i) + k) : 1;
        total *= shape[2 * k];
      }
      if (total < 0 || total > 10_000_000) {
        throw new MillraceException(
            ErrorCode.PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed");
      }
      for (long k = 0; k < total; k++) {
        out.elements().append(value, i);
      }
      boolean usual = total == 0 || (d == 1 && shape[1] == 1);
      out.endRow(usual ? null : shape);
    }
    return out.build();
  }

  private static Vector contains(List<Vector> a, int n, int outer, int inner) {
    ArrayVector x = array(a, outer);
    ArrayVector y = array(a, inner);
    return Build.bools(
        a,
        n,
        i -> {
          for (int e = y.start(i); e < y.end(i); e++) {
            if (y.elements().isNull(e) || !find(x, i, y.elements(), e)) {
              return false;
            }
          }
          return true;
        });
  }

  private static Vector trim(List<Vector> a, int n, SqlType type) {
    ArrayVector v = array(a, 0);
    int[] by = Args.ints(a, 1);
    return Build.arrays(
        type,
        a,
        n,
        (i, out) -> {
          int length = v.end(i) - v.start(i);
          int[] s = shape(v, i);
          int first = s.length == 0 ? 0 : s[0];
          if (by[i] < 0 || by[i] > first) {
            throw new MillraceException(
                ErrorCode.ARRAY_SUBSCRIPT_ERROR,
                "number of elements to trim must be between 0 and " + first);
          }
          int per = first == 0 ? 0 : length / first;
          out.elements().append(v.elements(), v.start(i), length - by[i] * per);
          out.endRow(s.length > 2 ? withFirst(s, first - by[i]) : null);
        });
  }

  private static int[] withFirst(int[] s, int first) {
    int[] r = Arrays.copyOf(s, s.length);
    r[0] = first;
    return r;
  }
}

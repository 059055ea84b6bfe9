package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.Expr;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Comparisons by btree order. Integers against a constant are one range test whatever the operator;
 * dictionary columns against a constant are decided once per dictionary entry; doubles follow
 * PostgreSQL (NaN equals NaN and is above everything). What remains goes through Vector.compare.
 */
/** Compares two values of one type. */
final class Compare extends Eval {
  private final Expr.Op op;
  private final Eval left;
  private final Eval right;
  private final boolean padded;
  private DictVector.@Nullable Dictionary lastDictionary;
  private byte[] decided = new byte[0];

  Compare(Expr.Op op, Eval left, Eval right) {
    super(SqlType.BOOL);
    // A constant goes to the right.
    boolean swap = left instanceof Const && !(right instanceof Const);
    this.op = swap ? mirrored(op) : op;
    this.left = swap ? right : left;
    this.right = swap ? left : right;
    this.padded = left.type().kind() == TypeKind.BPCHAR;
  }

  static Expr.Op mirrored(Expr.Op op) {
    return switch (op) {
      case LT -> Expr.Op.GT;
      case LE -> Expr.Op.GE;
      case GT -> Expr.Op.LT;
      case GE -> Expr.Op.LE;
      default -> op;
    };
  }

  @Override
  boolean safe() {
    return left.safe() && right.safe();
  }

  @Override
  public Vector eval(Rows in) {
    int n = in.rows();
    boolean distinct = op == Expr.Op.IS_DISTINCT || op == Expr.Op.IS_NOT_DISTINCT;
    Vector a = left.eval(in);
    if (!distinct && right instanceof Const c) {
      if (c.isNull()) {
        return Gather.nulls(SqlType.BOOL, n);
      }
      boolean[] out = constant(a, c.one(), n);
      if (out != null) {
        return new BoolVector(SqlType.BOOL, out, n, a.validity());
      }
    }
    Vector b = right.eval(in);
    return distinct
        ? new BoolVector(SqlType.BOOL, distinct(a, b, n), n, null)
        : new BoolVector(
            SqlType.BOOL, compare(a, b, n), n, Bits.and(a.validity(), b.validity(), n));
  }

  private boolean[] distinct(Vector a, Vector b, int n) {
    boolean[] out = new boolean[n];
    boolean when = op == Expr.Op.IS_DISTINCT;
    for (int i = 0; i < n; i++) {
      boolean an = a.isNull(i);
      boolean bn = b.isNull(i);
      boolean same = an || bn ? an == bn : order(a, b, i) == 0;
      out[i] = same != when;
    }
    return out;
  }

  private int order(Vector a, Vector b, int i) {
    return padded ? comparePadded((BytesColumn) a, (BytesColumn) b, i) : a.compare(i, b, i);
  }

  private boolean @Nullable [] constant(Vector a, Vector c, int n) {
    return switch (a) {
      case IntVector v when !v.type().kind().isOid() -> ints(v.values(), ((IntVector) c).get(0), n);
      case LongVector v when v.type().kind() != TypeKind.TIMETZ ->
          longs(v.values(), ((LongVector) c).get(0), n);
      case DoubleVector v -> doubles(v.values(), ((DoubleVector) c).get(0), n);
      case DictVector v -> dict(v, c, n);
      case BytesColumn v when !padded -> bytes(v, (BytesColumn) c, n);
      default -> null;
    };
  }

  private boolean[] ints(int[] v, int c, int n) {
    long lo = Integer.MIN_VALUE;
    long hi = Integer.MAX_VALUE;
    switch (op) {
      case EQ, NE -> {
        lo = c;
        hi = c;
      }
      case LT -> hi = c - 1L;
      case LE -> hi = c;
      case GT -> lo = c + 1L;
      default -> lo = c;
    }
    boolean[] out = new boolean[n];
    if (lo > hi || lo > Integer.MAX_VALUE || hi < Integer.MIN_VALUE) {
      return out;
    }
    int l = (int) lo;
    int h = (int) hi;
    if (op == Expr.Op.NE) {
      for (int i = 0; i < n; i++) {
        out[i] = v[i] != c;
      }
    } else {
      for (int i = 0; i < n; i++) {
        out[i] = v[i] >= l && v[i] <= h;
      }
    }
    return out;
  }

  private boolean[] longs(long[] v, long c, int n) {
    boolean[] out = new boolean[n];
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] == c;
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] != c;
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] < c;
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] <= c;
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] > c;
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] >= c;
        }
      }
    }
    return out;
  }

  private boolean[] doubles(double[] v, double c, int n) {
    boolean[] out = new boolean[n];
    if (Double.isNaN(c)) {
      for (int i = 0; i < n; i++) {
        boolean nan = Double.isNaN(v[i]);
        out[i] =
            switch (op) {
              case EQ, GE -> nan;
              case NE, LT -> !nan;
              case LE -> true;
              default -> false;
            };
      }
      return out;
    }
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] == c;
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] != c;
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] < c;
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          out[i] = v[i] <= c;
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          out[i] = !(v[i] <= c);
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = !(v[i] < c);
        }
      }
    }
    return out;
  }

  private boolean[] dict(DictVector v, Vector c, int n) {
    DictVector.Dictionary d = v.dictionary();
    int size = d.size();
    if (d != lastDictionary) {
      lastDictionary = d;
      decided = new byte[size];
    } else if (decided.length < size) {
      decided = Arrays.copyOf(decided, Math.max(size, decided.length * 2));
    }
    byte[] known = decided;
    int[] codes = v.codes();
    boolean[] out = new boolean[n];
    for (int i = 0; i < n; i++) {
      int code = codes[i];
      if (code < 0 || code >= size) {
        continue; // a NULL: its code means nothing, and the dictionary may be empty
      }
      byte k = known[code];
      if (k == 0) {
        if (v.isNull(i)) {
          continue;
        }
        int o =
            padded
                ? comparePadded(d.data(code), d.start(code), d.end(code), (BytesColumn) c, 0)
                : compareBytes(d.data(code), d.start(code), d.end(code), (BytesColumn) c);
        k = (byte) (holds(o) ? 2 : 1);
        known[code] = k;
      }
      out[i] = k == 2;
    }
    return out;
  }

  private static int compareBytes(byte[] data, int from, int to, BytesColumn c) {
    return Arrays.compareUnsigned(data, from, to, c.data(0), c.start(0), c.end(0));
  }

  private boolean[] bytes(BytesColumn v, BytesColumn c, int n) {
    boolean[] out = new boolean[n];
    byte[] cd = c.data(0);
    int cs = c.start(0);
    int ce = c.end(0);
    if (op == Expr.Op.EQ || op == Expr.Op.NE) {
      boolean when = op == Expr.Op.EQ;
      for (int i = 0; i < n; i++) {
        out[i] = !v.isNull(i) && Arrays.equals(v.data(i), v.start(i), v.end(i), cd, cs, ce) == when;
      }
    } else {
      for (int i = 0; i < n; i++) {
        out[i] =
            !v.isNull(i)
                && holds(Arrays.compareUnsigned(v.data(i), v.start(i), v.end(i), cd, cs, ce));
      }
    }
    return out;
  }

  /** Blank-padded comparison: trailing spaces do not count. */
  private static int comparePadded(BytesColumn a, BytesColumn b, int i) {
    return comparePadded(a.data(i), a.start(i), a.end(i), b, i);
  }

  private static int comparePadded(byte[] a, int from, int to, BytesColumn b, int row) {
    byte[] bd = b.data(row);
    int bs = b.start(row);
    int be = b.end(row);
    int ae = to;
    while (ae > from && a[ae - 1] == ' ') {
      ae--;
    }
    while (be > bs && bd[be - 1] == ' ') {
      be--;
    }
    return Arrays.compareUnsigned(a, from, ae, bd, bs, be);
  }

  private boolean holds(int order) {
    return switch (op) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
      case IS_DISTINCT -> order != 0;
      case IS_NOT_DISTINCT -> order == 0;
    };
  }

  private boolean[] compare(Vector a, Vector b, int n) {
    boolean[] out = new boolean[n];
    if (a instanceof LongVector x
        && b instanceof LongVector y
        && x.type().kind() != TypeKind.TIMETZ) {
      longs(x.values(), y.values(), out, n);
    } else if (a instanceof IntVector x && b instanceof IntVector y && !x.type().kind().isOid()) {
      ints(x.values(), y.values(), out, n);
    } else if (a instanceof DictVector x
        && b instanceof DictVector y
        && !padded
        && x.dictionary() == y.dictionary()
        && (op == Expr.Op.EQ || op == Expr.Op.NE)) {
      boolean when = op == Expr.Op.EQ;
      for (int i = 0; i < n; i++) {
        out[i] = x.codes()[i] == y.codes()[i] == when;
      }
    } else {
      boolean nulls = a.mayHaveNulls() || b.mayHaveNulls();
      for (int i = 0; i < n; i++) {
        if (nulls && (a.isNull(i) || b.isNull(i))) {
          continue;
        }
        out[i] = holds(order(a, b, i));
      }
    }
    return out;
  }

  private void longs(long[] x, long[] y, boolean[] out, int n) {
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] == y[i];
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] != y[i];
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] < y[i];
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] <= y[i];
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] > y[i];
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] >= y[i];
        }
      }
    }
  }

  private void ints(int[] x, int[] y, boolean[] out, int n) {
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] == y[i];
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] != y[i];
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] < y[i];
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] <= y[i];
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] > y[i];
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = x[i] >= y[i];
        }
      }
    }
  }
}

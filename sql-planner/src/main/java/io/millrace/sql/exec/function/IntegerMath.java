package io.millrace.sql.exec.function;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Integer arithmetic. Loops compute every row and gather an overflow mark without branches, so that
 * they vectorise; only when the mark is set are the rows looked at one by one, since what
 * overflowed may stand in a NULL row.
 */
final class IntegerMath {
  private IntegerMath() {}

  private enum Op {
    PLUS,
    MINUS,
    TIMES
  }

  static void register(FunctionRegistry.Builder b) {
    String[] names = {"2", "4", "8"};
    for (String l : names) {
      for (String r : names) {
        String wide = l.compareTo(r) >= 0 ? l : r;
        String infix = l.equals(r) ? l : l + r;
        String args = "(int" + l + ",int" + r + ")";
        SqlType type = type(wide);
        boolean eight = wide.equals("8");
        for (Op op : Op.values()) {
          String name = "int" + infix + (op == Op.PLUS ? "pl" : op == Op.MINUS ? "mi" : "mul");
          b.simple(
              name + args,
              eight ? (a, n, _) -> wide(op, a, n) : (a, n, _) -> narrow(op, type, a, n));
        }
        b.simple("int" + infix + "div" + args, (a, n, _) -> divide(type, a, n));
        if (l.equals(r)) {
          b.simple("int" + l + "mod" + args, (a, n, _) -> modulo(type, a, n));
          b.simple("mod" + args, (a, n, _) -> modulo(type, a, n));
          b.simple("int" + l + "and" + args, (a, n, _) -> bitwise('&', type, a, n));
          b.simple("int" + l + "or" + args, (a, n, _) -> bitwise('|', type, a, n));
          b.simple("int" + l + "xor" + args, (a, n, _) -> bitwise('#', type, a, n));
          b.simple("int" + l + "larger" + args, (a, n, _) -> bitwise('>', type, a, n));
          b.simple("int" + l + "smaller" + args, (a, n, _) -> bitwise('<', type, a, n));
        }
      }
      SqlType type = type(l);
      String one = "(int" + l + ")";
      b.simple("int" + l + "um" + one, (a, n, _) -> negate(type, a, n, false));
      b.simple("int" + l + "up" + one, (a, _, _) -> a.getFirst());
      b.simple("int" + l + "abs" + one, (a, n, _) -> negate(type, a, n, true));
      b.simple("abs" + one, (a, n, _) -> negate(type, a, n, true));
      b.simple("int" + l + "not" + one, (a, n, _) -> complement(type, a, n));
      b.simple("int" + l + "shl(int" + l + ",int4)", (a, n, _) -> shift(true, type, a, n));
      b.simple("int" + l + "shr(int" + l + ",int4)", (a, n, _) -> shift(false, type, a, n));
    }
    for (String l : new String[] {"4", "8"}) {
      SqlType type = type(l);
      b.simple("gcd(int" + l + ",int" + l + ")", (a, n, _) -> gcd(type, a, n, false));
      b.simple("lcm(int" + l + ",int" + l + ")", (a, n, _) -> gcd(type, a, n, true));
    }
  }

  private static SqlType type(String width) {
    return switch (width) {
      case "2" -> SqlType.INT2;
      case "4" -> SqlType.INT4;
      default -> SqlType.INT8;
    };
  }

  /** A result of the type from 64-bit values that are known to fit. */
  private static Vector make(SqlType type, long[] values, int rows, long @Nullable [] validity) {
    if (type.layout() == io.millrace.common.type.Layout.LONG) {
      return new LongVector(type, values, rows, validity);
    }
    int[] out = new int[rows];
    for (int i = 0; i < rows; i++) {
      out[i] = (int) values[i];
    }
    return new IntVector(type, out, rows, validity);
  }

  private static long min(SqlType type) {
    return switch (type.kind()) {
      case INT2 -> Short.MIN_VALUE;
      case INT4 -> Integer.MIN_VALUE;
      default -> Long.MIN_VALUE;
    };
  }

  private static Vector narrow(Op op, SqlType type, List<Vector> args, int n) {
    int[] a = Args.ints(args, 0);
    int[] b = Args.ints(args, 1);
    long[] validity = Args.validity(args, n);
    int[] out = new int[n];
    long bad = 0;
    int unused = type.kind() == io.millrace.common.type.TypeKind.INT2 ? 48 : 32;
    switch (op) {
      case PLUS -> {
        for (int i = 0; i < n; i++) {
          long r = (long) a[i] + b[i];
          out[i] = (int) r;
          bad |= (r << unused >> unused) ^ r;
        }
      }
      case MINUS -> {
        for (int i = 0; i < n; i++) {
          long r = (long) a[i] - b[i];
          out[i] = (int) r;
          bad |= (r << unused >> unused) ^ r;
        }
      }
      case TIMES -> {
        for (int i = 0; i < n; i++) {
          long r = (long) a[i] * b[i];
          out[i] = (int) r;
          bad |= (r << unused >> unused) ^ r;
        }
      }
    }
    if (bad != 0) {
      for (int i = 0; i < n; i++) {
        long r = exact(op, a[i], b[i]);
        if (Args.valid(validity, i) && r << unused >> unused != r) {
          throw Errors.outOfRange(type.sqlName());
        }
      }
    }
    return new IntVector(type, out, n, validity);
  }

  private static long exact(Op op, long a, long b) {
    return switch (op) {
      case PLUS -> a + b;
      case MINUS -> a - b;
      case TIMES -> a * b;
    };
  }

  private static Vector wide(Op op, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    long[] b = Args.longs(args, 1);
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    long bad = 0;
    switch (op) {
      case PLUS -> {
        for (int i = 0; i < n; i++) {
          long r = a[i] + b[i];
          out[i] = r;
          bad |= (a[i] ^ r) & (b[i] ^ r);
        }
      }
      case MINUS -> {
        for (int i = 0; i < n; i++) {
          long r = a[i] - b[i];
          out[i] = r;
          bad |= (a[i] ^ b[i]) & (a[i] ^ r);
        }
      }
      case TIMES -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] * b[i];
          long high = Math.multiplyHigh(a[i], b[i]);
          bad |= high != out[i] >> 63 ? -1L : 0L;
        }
      }
    }
    if (bad < 0) {
      for (int i = 0; i < n; i++) {
        if (Args.valid(validity, i) && overflows(op, a[i], b[i])) {
          throw Errors.outOfRange("bigint");
        }
      }
    }
    return new LongVector(SqlType.INT8, out, n, validity);
  }

  private static boolean overflows(Op op, long a, long b) {
    return switch (op) {
      case PLUS -> ((a ^ a + b) & (b ^ a + b)) < 0;
      case MINUS -> ((a ^ b) & (a ^ a - b)) < 0;
      case TIMES -> Math.multiplyHigh(a, b) != a * b >> 63;
    };
  }

  private static Vector divide(SqlType type, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    long[] b = Args.longs(args, 1);
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    long min = min(type);
    for (int i = 0; i < n; i++) {
      if (b[i] == 0 || (b[i] == -1 && a[i] == min)) {
        if (Args.valid(validity, i)) {
          throw b[i] == 0 ? Errors.divisionByZero() : Errors.outOfRange(type.sqlName());
        }
      } else {
        out[i] = a[i] / b[i];
      }
    }
    return make(type, out, n, validity);
  }

  private static Vector modulo(SqlType type, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    long[] b = Args.longs(args, 1);
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      if (b[i] == 0) {
        if (Args.valid(validity, i)) {
          throw Errors.divisionByZero();
        }
      } else {
        out[i] = a[i] % b[i];
      }
    }
    return make(type, out, n, validity);
  }

  private static Vector bitwise(char op, SqlType type, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    long[] b = Args.longs(args, 1);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      out[i] =
          switch (op) {
            case '&' -> a[i] & b[i];
            case '|' -> a[i] | b[i];
            case '#' -> a[i] ^ b[i];
            case '<' -> Math.min(a[i], b[i]);
            default -> Math.max(a[i], b[i]);
          };
    }
    return make(type, out, n, Args.validity(args, n));
  }

  private static Vector negate(SqlType type, List<Vector> args, int n, boolean absolute) {
    long[] a = Args.longs(args, 0);
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    long min = min(type);
    for (int i = 0; i < n; i++) {
      if (a[i] == min && Args.valid(validity, i)) {
        throw Errors.outOfRange(type.sqlName());
      }
      out[i] = absolute ? Math.abs(a[i]) : -a[i];
    }
    return make(type, out, n, validity);
  }

  private static Vector complement(SqlType type, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      out[i] = ~a[i];
    }
    return make(type, out, n, Args.validity(args, n));
  }

  private static Vector shift(boolean left, SqlType type, List<Vector> args, int n) {
    long[] a = Args.longs(args, 0);
    int[] by = Args.ints(args, 1);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      out[i] =
          switch (type.kind()) {
            case INT2 -> left ? (short) ((int) a[i] << by[i]) : (short) ((int) a[i] >> by[i]);
            case INT4 -> left ? (int) a[i] << by[i] : (int) a[i] >> by[i];
            default -> left ? a[i] << by[i] : a[i] >> by[i];
          };
    }
    return make(type, out, n, Args.validity(args, n));
  }

  private static Vector gcd(SqlType type, List<Vector> args, int n, boolean multiple) {
    long[] a = Args.longs(args, 0);
    long[] b = Args.longs(args, 1);
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    long min = min(type);
    for (int i = 0; i < n; i++) {
      if (!Args.valid(validity, i)) {
        continue;
      }
      long x = a[i];
      long y = b[i];
      while (y != 0) {
        long t = y == -1 ? 0 : x % y;
        x = y;
        y = t;
      }
      long g = x;
      if (!multiple) {
        if (g == min) {
          throw Errors.outOfRange(type.sqlName());
        }
        out[i] = Math.abs(g);
      } else if (a[i] != 0 && b[i] != 0) {
        long q = a[i] / g;
        boolean over = Math.multiplyHigh(q, b[i]) != q * b[i] >> 63;
        long r = q * b[i];
        if (over || r <= min || -r <= min) {
          throw Errors.outOfRange(type.sqlName());
        }
        out[i] = Math.abs(r);
      }
    }
    return make(type, out, n, validity);
  }
}

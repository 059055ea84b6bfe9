package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.WindowKernel.Partition;

/** The window functions. */
final class WindowKernels {
  private WindowKernels() {}

  static void register(FunctionRegistry.Builder b) {
    b.window(
        "row_number()",
        (_, _) ->
            (p, _) -> {
              long[] out = new long[p.rows()];
              for (int i = 0; i < out.length; i++) {
                out[i] = i + 1L;
              }
              return longs(out);
            });
    b.window(
        "rank()",
        (_, _) ->
            (p, _) -> {
              long[] out = new long[p.rows()];
              for (int i = 0; i < out.length; i++) {
                out[i] = p.peerStart()[i] + 1L;
              }
              return longs(out);
            });
    b.window(
        "dense_rank()",
        (_, _) ->
            (p, _) -> {
              long[] out = new long[p.rows()];
              long rank = 0;
              for (int i = 0; i < out.length; i++) {
                rank += p.peerStart()[i] == i ? 1 : 0;
                out[i] = rank;
              }
              return longs(out);
            });
    b.window(
        "percent_rank()",
        (_, _) ->
            (p, _) -> {
              double[] out = new double[p.rows()];
              for (int i = 0; i < out.length; i++) {
                out[i] = p.rows() <= 1 ? 0 : p.peerStart()[i] / (double) (p.rows() - 1);
              }
              return new DoubleVector(SqlType.FLOAT8, out, out.length, null);
            });
    b.window(
        "cume_dist()",
        (_, _) ->
            (p, _) -> {
              double[] out = new double[p.rows()];
              for (int i = 0; i < out.length; i++) {
                out[i] = p.peerEnd()[i] / (double) p.rows();
              }
              return new DoubleVector(SqlType.FLOAT8, out, out.length, null);
            });
    b.window("ntile(int4)", (_, _) -> (p, _) -> ntile(p));
    for (String s : new String[] {"lag", "lead"}) {
      int sign = s.equals("lag") ? -1 : 1;
      b.window(s + "(anyelement)", (_, r) -> (p, _) -> shift(p, r, sign));
      b.window(s + "(anyelement,int4)", (_, r) -> (p, _) -> shift(p, r, sign));
      b.window(s + "(anycompatible,int4,anycompatible)", (_, r) -> (p, _) -> shift(p, r, sign));
    }
    b.window("first_value(anyelement)", (_, r) -> (p, _) -> frame(p, r, 'f'));
    b.window("last_value(anyelement)", (_, r) -> (p, _) -> frame(p, r, 'l'));
    b.window("nth_value(anyelement,int4)", (_, r) -> (p, _) -> frame(p, r, 'n'));
  }

  private static Vector longs(long[] v) {
    return new LongVector(SqlType.INT8, v, v.length, null);
  }

  private static Vector ntile(Partition p) {
    var out = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, p.rows());
    Vector arg = p.args().getFirst();
    if (p.rows() == 0 || arg.isNull(0)) {
      for (int i = 0; i < p.rows(); i++) {
        out.appendNull();
      }
      return out.build();
    }
    int buckets = ((IntVector) arg).get(0);
    if (buckets <= 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_NTILE, "argument of ntile must be greater than zero");
    }
    int size = p.rows() / buckets;
    int larger = p.rows() % buckets;
    int border = larger * (size + 1);
    for (int i = 0; i < p.rows(); i++) {
      out.append(i < border ? i / (size + 1) + 1 : larger + (i - border) / size + 1);
    }
    return out.build();
  }

  private static Vector shift(Partition p, SqlType type, int sign) {
    Vector v = p.args().getFirst();
    VectorBuilder out = VectorBuilder.of(type, p.rows());
    for (int i = 0; i < p.rows(); i++) {
      long by = 1;
      if (p.args().size() > 1) {
        if (p.args().get(1).isNull(i)) {
          out.appendNull();
          continue;
        }
        by = ((IntVector) p.args().get(1)).get(i);
      }
      long at = i + sign * by;
      if (at >= 0 && at < p.rows()) {
        out.append(v, (int) at);
      } else if (p.args().size() > 2) {
        out.append(p.args().get(2), i);
      } else {
        out.appendNull();
      }
    }
    return out.build();
  }

  static boolean excluded(Partition p, int row, int i) {
    return switch (p.exclude()) {
      case NO_OTHERS -> false;
      case CURRENT_ROW -> i == row;
      case GROUP -> i >= p.peerStart()[row] && i < p.peerEnd()[row];
      case TIES -> i != row && i >= p.peerStart()[row] && i < p.peerEnd()[row];
    };
  }

  private static Vector frame(Partition p, SqlType type, char what) {
    Vector v = p.args().getFirst();
    VectorBuilder out = VectorBuilder.of(type, p.rows());
    for (int i = 0; i < p.rows(); i++) {
      int found = -1;
      int from = p.frameStart()[i];
      int to = p.frameEnd()[i];
      switch (what) {
        case 'f' -> {
          for (int k = from; k < to && found < 0; k++) {
            found = excluded(p, i, k) ? -1 : k;
          }
        }
        case 'l' -> {
          for (int k = to - 1; k >= from && found < 0; k--) {
            found = excluded(p, i, k) ? -1 : k;
          }
        }
        default -> {
          if (p.args().get(1).isNull(i)) {
            out.appendNull();
            continue;
          }
          int n = ((IntVector) p.args().get(1)).get(i);
          if (n <= 0) {
            throw new MillraceException(
                ErrorCode.INVALID_ARGUMENT_FOR_NTH_VALUE,
                "argument of nth_value must be greater than zero");
          }
          if (p.exclude() == io.millrace.sql.physical.PhysicalPlan.Frame.Exclude.NO_OTHERS) {
            found = from + (long) n - 1 < to ? from + n - 1 : -1;
          } else {
            int left = n;
            for (int k = from; k < to && found < 0; k++) {
              if (!excluded(p, i, k) && --left == 0) {
                found = k;
              }
            }
          }
        }
      }
      if (found < 0) {
        out.appendNull();
      } else {
        out.append(v, found);
      }
    }
    return out.build();
  }
}

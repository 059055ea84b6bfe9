package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.List;

/** GREATEST, LEAST, NULLIF, tests of NULL, identities and what fits nowhere else. */
final class MiscKernels {
  private MiscKernels() {}

  static void register(FunctionRegistry.Builder b) {
    b.simple("sample_percent(float8)", (a, n, c) -> percent(a.getFirst(), n));
    b.simple("sample_draw(float8,text)", (a, n, c) -> drawn(a, n));
    b.simple("domain_refuses(anyelement,text,text)", (a, n, c) -> refused(a, n));
    b.scalar("greatest(anycompatiblearray)", (_, r) -> (a, n, _) -> best(a, n, r, true));
    b.scalar("least(anycompatiblearray)", (_, r) -> (a, n, _) -> best(a, n, r, false));
    b.scalar(
        "nullif(anycompatible,anycompatible)",
        (_, r) ->
            (a, n, _) -> {
              VectorBuilder out = VectorBuilder.of(r, n);
              Vector x = a.get(0);
              Vector y = a.get(1);
              for (int i = 0; i < n; i++) {
                if (!x.isNull(i) && !y.isNull(i) && x.compare(i, y, i) == 0) {
                  out.appendNull();
                } else {
                  out.append(x, i);
                }
              }
              return out.build();
            });
    b.scalar(
        "clamp(anycompatible,anycompatible,anycompatible)",
        (_, r) -> (a, n, _) -> Build.any(r, a, n, (i, out) -> clamp(a, i, out)));
    b.scalar(
        "clamp_min(anycompatible,anycompatible)",
        (_, r) -> (a, n, _) -> Build.any(r, a, n, (i, out) -> extreme(a, i, out, true)));
    b.scalar(
        "clamp_max(anycompatible,anycompatible)",
        (_, r) -> (a, n, _) -> Build.any(r, a, n, (i, out) -> extreme(a, i, out, false)));
    b.simple("num_nulls(any)", (a, n, _) -> nulls(a, n, true));
    b.simple("num_nonnulls(any)", (a, n, _) -> nulls(a, n, false));
    b.scalar(
        "pg_typeof(any)",
        (t, _) ->
            (_, n, _) ->
                Build.constant(
                    SqlType.REGTYPE, n, o -> ((VectorBuilder.Ints) o).append(t.getFirst().oid())));
    b.scalar(
        "pg_column_size(any)",
        (_, _) ->
            (a, n, _) -> {
              Vector v = a.getFirst();
              return Build.ints(SqlType.INT4, a, n, i -> size(v, i));
            });
    b.simple(
        "gen_random_uuid()",
        (_, n, c) ->
            Build.bytes(
                SqlType.UUID,
                List.of(),
                n,
                (_, out) -> {
                  byte[] u = new byte[16];
                  c.random().nextBytes(u);
                  u[6] = (byte) (u[6] & 0x0f | 0x40);
                  u[8] = (byte) (u[8] & 0x3f | 0x80);
                  out.append(u);
                }));
    for (String x : new String[] {"xid,xid", "xid,int4"}) {
      String suffix = x.endsWith("int4") ? "int4" : "";
      b.simple(
          "xideq" + suffix + "(" + x + ")",
          (a, n, _) -> Build.bools(a, n, i -> Args.ints(a, 0)[i] == Args.ints(a, 1)[i]));
      b.simple(
          "xidneq" + suffix + "(" + x + ")",
          (a, n, _) -> Build.bools(a, n, i -> Args.ints(a, 0)[i] != Args.ints(a, 1)[i]));
    }
    for (boolean larger : new boolean[] {true, false}) {
      String s = larger ? "larger" : "smaller";
      for (String t : new String[] {"float4", "oid"}) {
        b.scalar(
            t + s + "(" + t + "," + t + ")",
            (types, _) ->
                (a, n, _) ->
                    Build.any(
                        types.getFirst(),
                        a,
                        n,
                        (i, out) ->
                            out.append(
                                a.get(0).compare(i, a.get(1), i) > 0 == larger
                                    ? a.get(0)
                                    : a.get(1),
                                i)));
      }
    }
    for (String t : CONVERSIONS) {
      String[] p = t.split(":");
      b.scalar(p[1] + "(" + p[0] + ")", (types, r) -> Casts.bind(types.getFirst(), r, true));
    }
  }

  /** Casts that PostgreSQL also lets one call by the name of the type. */
  private static final List<String> CONVERSIONS =
      List.of(
          "int4:bool",
          "int4:int2",
          "int8:int2",
          "float4:int2",
          "float8:int2",
          "numeric:int2",
          "int2:int4",
          "int8:int4",
          "float4:int4",
          "float8:int4",
          "numeric:int4",
          "bool:int4",
          "char:int4",
          "int2:int8",
          "int4:int8",
          "float4:int8",
          "float8:int8",
          "numeric:int8",
          "oid:int8",
          "int2:float4",
          "int4:float4",
          "int8:float4",
          "float8:float4",
          "numeric:float4",
          "int2:float8",
          "int4:float8",
          "int8:float8",
          "float4:float8",
          "numeric:float8",
          "int2:numeric",
          "int4:numeric",
          "int8:numeric",
          "float4:numeric",
          "float8:numeric",
          "bool:text",
          "bpchar:text",
          "name:text",
          "char:text",
          "name:varchar",
          "text:name",
          "bpchar:name",
          "varchar:name",
          "int8:oid",
          "timestamp:date",
          "timestamptz:date",
          "timestamp:time",
          "timestamptz:time",
          "timetz:time",
          "interval:time",
          "time:timetz",
          "timestamptz:timetz",
          "date:timestamp",
          "timestamptz:timestamp",
          "date:timestamptz",
          "timestamp:timestamptz",
          "time:interval");

  private static Vector best(List<Vector> a, int n, SqlType type, boolean greatest) {
    VectorBuilder out = VectorBuilder.of(type, n);
    if (a.size() == 1 && a.getFirst() instanceof ArrayVector v && !type.isArray()) {
      for (int i = 0; i < n; i++) {
        int best = -1;
        for (int k = v.start(i); !v.isNull(i) && k < v.end(i); k++) {
          boolean better =
              !v.elements().isNull(k)
                  && (best < 0
                      || v.elements().compare(k, v.elements(), best) > 0 == greatest
                          && v.elements().compare(k, v.elements(), best) != 0);
          best = better ? k : best;
        }
        if (best < 0) {
          out.appendNull();
        } else {
          out.append(v.elements(), best);
        }
      }
      return out.build();
    }
    for (int i = 0; i < n; i++) {
      Vector best = null;
      for (Vector v : a) {
        if (v.isNull(i)) {
          continue;
        }
        int c = best == null ? 0 : v.compare(i, best, i);
        if (best == null || (greatest ? c > 0 : c < 0)) {
          best = v;
        }
      }
      if (best == null) {
        out.appendNull();
      } else {
        out.append(best, i);
      }
    }
    return out.build();
  }

  private static void clamp(List<Vector> a, int i, VectorBuilder out) {
    if (a.get(1).compare(i, a.get(2), i) > 0) {
      throw Errors.invalidParameter("the lower bound of clamp is above the upper one");
    }
    boolean low = a.get(0).compare(i, a.get(1), i) < 0;
    boolean high = a.get(0).compare(i, a.get(2), i) > 0;
    out.append(a.get(low ? 1 : high ? 2 : 0), i);
  }

  private static void extreme(List<Vector> a, int i, VectorBuilder out, boolean larger) {
    boolean first = a.get(0).compare(i, a.get(1), i) > 0 == larger;
    out.append(a.get(first ? 0 : 1), i);
  }

  private static Vector nulls(List<Vector> a, int n, boolean count) {
    return Build.ints(
        SqlType.INT4,
        List.of(),
        n,
        i -> {
          int c = 0;
          for (Vector v : a) {
            c += v.isNull(i) == count ? 1 : 0;
          }
          return c;
        });
  }

  private static int size(Vector v, int i) {
    int fixed = v.type().typlen();
    if (fixed > 0) {
      return fixed;
    }
    return v instanceof io.millrace.common.batch.BytesColumn b
        ? b.size(i) + (b.size(i) < 127 ? 1 : 4)
        : (int) Math.min(Integer.MAX_VALUE, v.take(new int[] {i}, 1).byteSize());
  }

  /**
   * A value that a domain does not take: the value, the domain, the constraint (NOT NULL: none).
   */
  private static Vector refused(List<Vector> args, int rows) {
    if (rows == 0) {
      return args.getFirst();
    }
    String domain = ((BytesColumn) args.get(1)).string(0);
    String constraint = ((BytesColumn) args.get(2)).string(0);
    throw constraint.isEmpty()
        ? new MillraceException(
            ErrorCode.NOT_NULL_VIOLATION, "domain " + domain + " does not allow null values")
        : new MillraceException(
            ErrorCode.CHECK_VIOLATION,
            "value for domain " + domain + " violates check constraint \"" + constraint + "\"");
  }

  /** The percentage of TABLESAMPLE. */
  private static Vector percent(Vector v, int rows) {
    for (int i = 0; i < rows; i++) {
      if (v.isNull(i)) {
        throw new MillraceException(
            ErrorCode.INVALID_TABLESAMPLE_ARGUMENT, "TABLESAMPLE parameter cannot be null");
      }
      double p = ((DoubleVector) v).get(i);
      if (!(p >= 0 && p <= 100)) {
        throw new MillraceException(
            ErrorCode.INVALID_TABLESAMPLE_ARGUMENT, "sample percentage must be between 0 and 100");
      }
    }
    return v;
  }

  /** A number from 0 to 100 of each row, by a hash of the seed and the values. */
  private static Vector drawn(List<Vector> args, int rows) {
    var out = (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, rows);
    Vector seed = args.getFirst();
    for (int i = 0; i < rows; i++) {
      if (seed.isNull(i)) {
        throw new MillraceException(
            ErrorCode.INVALID_TABLESAMPLE_REPEAT,
            "TABLESAMPLE REPEATABLE parameter cannot be null");
      }
      long h = Double.doubleToLongBits(((DoubleVector) seed).get(i));
      for (int k = 1; k < args.size(); k++) {
        h =
            mixed(
                h * 31
                    + (args.get(k).isNull(i)
                        ? 7
                        : ((BytesColumn) args.get(k)).string(i).hashCode()));
      }
      out.append((mixed(h) >>> 11) * 0x1p-53 * 100);
    }
    return out.build();
  }

  /** SplitMix64's finisher. */
  private static long mixed(long x) {
    long z = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

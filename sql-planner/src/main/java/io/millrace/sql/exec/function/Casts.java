package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.IntervalText;
import io.millrace.common.type.io.Json;
import io.millrace.common.type.io.NumericText;
import io.millrace.common.type.io.TimeTz;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.common.type.io.Utf8;
import io.millrace.common.type.io.Zones;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All casts. Which kernel does the work follows from the two types; what has no way of its own goes
 * through the text form. The result type's modifier is applied at the end: an explicit cast cuts
 * what is too long for varchar(n), an assignment refuses it.
 */
final class Casts {
  private Casts() {}

  /** One vector in, one out, of the result's layout; NULL rows may hold anything. */
  private interface Step {
    Vector apply(Vector in, int n, EvalContext context);
  }

  /** The kernel of {@code cast(…):…} or, not explicit, {@code assign(…):…}. */
  static ScalarKernel bind(SqlType source, SqlType target, boolean explicit) {
    Step step = step(source, target, explicit);
    return (args, n, context) -> {
      Vector out = step.apply(args.getFirst(), n, context);
      return out.type().equals(target) ? out : out.withType(target);
    };
  }

  private static Step step(SqlType source, SqlType target, boolean explicit) {
    TypeKind s = source.kind();
    TypeKind t = target.kind();
    if (s == TypeKind.UNKNOWN && target.layout() != Layout.BYTES) {
      return viaText(source, target);
    }
    if (target.isArray() && source.isArray()) {
      return array(source, target, explicit);
    }
    Step typmod = target.typmod() < 0 ? null : modifier(target, explicit);
    Step base = base(s, t, target);
    if (base == null && typmod != null && (t == TypeKind.VARCHAR || t == TypeKind.BPCHAR)) {
      base = viaText(source, target.withTypmod(-1));
    }
    if (base == null) {
      return viaText(source, target);
    }
    return chain(base, typmod);
  }

  private static Step chain(Step base, @Nullable Step typmod) {
    return typmod == null ? base : (v, n, c) -> typmod.apply(base.apply(v, n, c), n, c);
  }

  private static @Nullable Step base(TypeKind s, TypeKind t, SqlType target) {
    if (s == t) {
      return (v, _, _) -> v;
    }
    return switch (t) {
      case INT2, INT4, INT8 -> toInteger(s, target);
      case FLOAT4, FLOAT8 -> toFloat(s, target);
      case NUMERIC -> toNumeric(s);
      case BOOL -> toBool(s);
      case TEXT, VARCHAR, BPCHAR, NAME, CHAR -> toText(s, t);
      case OID,
          XID,
          REGCLASS,
          REGTYPE,
          REGPROC,
          REGPROCEDURE,
          REGOPER,
          REGOPERATOR,
          REGNAMESPACE,
          REGROLE ->
          toOid(s, target);
      case DATE -> toDate(s);
      case TIME -> toTime(s);
      case TIMETZ -> toTimeTz(s);
      case TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ -> toTimestamp(s, t, target);
      case INTERVAL -> s == TypeKind.TIME ? (v, n, _) -> timeToInterval(v, n) : null;
      case JSON -> s == TypeKind.JSONB ? (v, _, _) -> v : null;
      default -> null;
    };
  }

  // ---- through text

  private static Step viaText(SqlType source, SqlType target) {
    if (source.layout() == Layout.BYTES && source.kind().isText()) {
      return (v, n, c) -> {
        TypeCodec in = TypeCodecs.full(target, c::nowMicros);
        var bytes = (BytesColumn) v;
        VectorBuilder out = VectorBuilder.of(target, n);
        for (int i = 0; i < n; i++) {
          if (v.isNull(i)) {
            out.appendNull();
          } else {
            int from = bytes.start(i);
            in.parseText(bytes.data(i), from, bytes.end(i) - from, out, c.format());
          }
        }
        return out.build();
      };
    }
    return (v, n, c) -> {
      TypeCodec from = TypeCodecs.full(source);
      TypeCodec in = TypeCodecs.full(target, c::nowMicros);
      var text = new ByteSink();
      VectorBuilder out = VectorBuilder.of(target, n);
      for (int i = 0; i < n; i++) {
        if (v.isNull(i)) {
          out.appendNull();
        } else {
          text.clear();
          from.writeText(v, i, text, c.format());
          in.parseText(text.array(), 0, text.position(), out, c.format());
        }
      }
      return out.build();
    };
  }

  private static Step array(SqlType source, SqlType target, boolean explicit) {
    SqlType from = source.element() == null ? SqlType.TEXT : source.elementType();
    SqlType to = target.element() == null ? from : target.elementType();
    if (target.kind() != TypeKind.ARRAY && source.kind() == TypeKind.ARRAY) {
      return viaText(source, target);
    }
    Step inner = step(from, to, explicit);
    return (v, n, c) -> {
      var a = (ArrayVector) v;
      Vector elements = a.elements();
      Vector cast = inner.apply(elements, elements.length(), c);
      int @Nullable [] @Nullable [] shapes = new int @Nullable [n] @Nullable [];
      for (int i = 0; i < n; i++) {
        shapes[i] = a.shape(i);
      }
      return new ArrayVector(
          target,
          a.offsets(),
          cast.type().equals(to) ? cast : cast.withType(to),
          shapes,
          n,
          v.validity());
    };
  }

  // ---- modifiers

  private static @Nullable Step modifier(SqlType target, boolean explicit) {
    int m = target.typmod();
    return switch (target.kind()) {
      case NUMERIC -> (v, n, _) -> fitNumeric((NumericVector) v, n, target);
      case VARCHAR -> m < 4 ? null : (v, n, _) -> fitText((BytesColumn) v, n, target, explicit);
      case BPCHAR -> m < 4 ? null : (v, n, _) -> fitText((BytesColumn) v, n, target, explicit);
      case TIMESTAMP, TIMESTAMPTZ ->
          m >= 6 ? null : (v, n, _) -> mapLongs(v, n, target, x -> Dates.round(x, m));
      case TIME ->
          m >= 6 ? null : (v, n, _) -> mapLongs(v, n, target, x -> Dates.roundFromZero(x, m));
      case TIMETZ ->
          m >= 6
              ? null
              : (v, n, _) ->
                  mapLongs(
                      v,
                      n,
                      target,
                      x -> TimeTz.pack(Dates.roundFromZero(TimeTz.micros(x), m), TimeTz.west(x)));
      case INTERVAL ->
          (v, n, _) -> {
            var in = (IntervalVector) v;
            return Build.intervals(
                target,
                List.of(v),
                n,
                (i, out) -> {
                  IntervalText.Parts p =
                      IntervalText.fit(in.months()[i], in.days()[i], in.micros()[i], m);
                  out.append(p.months(), p.days(), p.micros());
                });
          };
      default -> null;
    };
  }

  private static Vector fitNumeric(NumericVector v, int n, SqlType target) {
    int m = target.typmod();
    return Build.numerics(
        target,
        List.of(v),
        n,
        (i, out) -> {
          byte special = v.special(i);
          if (special != NumericVector.FINITE) {
            NumericText.checkSpecial(special, m);
            out.appendSpecial(special);
          } else {
            NumericText.appendFitted(out, v, i, m);
          }
        });
  }

  private static Vector fitText(BytesColumn v, int n, SqlType target, boolean explicit) {
    int limit = target.typmod() - 4;
    boolean pad = target.kind() == TypeKind.BPCHAR;
    boolean touch = pad;
    for (int i = 0; i < n && !touch; i++) {
      touch = !v.isNull(i) && v.size(i) > limit;
    }
    if (!touch) {
      return v;
    }
    return Build.bytes(
        target,
        List.of(v),
        n,
        (i, out) -> {
          byte[] d = v.data(i);
          int from = v.start(i);
          int to = v.end(i);
          int cut = to - from <= limit ? to : Utf8.offset(d, from, to, limit);
          if (!explicit) {
            for (int k = cut; k < to; k++) {
              if (d[k] != ' ') {
                throw new MillraceException(
                    ErrorCode.STRING_DATA_RIGHT_TRUNCATION,
                    "value too long for type " + target.sqlName());
              }
            }
          }
          int missing = pad ? limit - Utf8.length(d, from, cut) : 0;
          if (missing > 0) {
            byte[] padded = Arrays.copyOfRange(d, from, cut + missing);
            Arrays.fill(padded, cut - from, padded.length, (byte) ' ');
            out.append(padded);
          } else {
            out.append(d, from, cut - from);
          }
        });
  }

  private static Vector mapLongs(
      Vector v, int n, SqlType target, java.util.function.LongUnaryOperator f) {
    long[] in = ((LongVector) v).values();
    return Build.longs(target, List.of(v), n, i -> f.applyAsLong(in[i]));
  }

  // ---- numbers

  private static @Nullable Step toInteger(TypeKind s, SqlType target) {
    return switch (s) {
      case INT2, INT4, INT8 ->
          (v, n, _) -> integerFromLongs(Args.longs(List.of(v), 0), v, n, target);
      case OID,
          REGCLASS,
          REGTYPE,
          REGPROC,
          REGPROCEDURE,
          REGOPER,
          REGOPERATOR,
          REGNAMESPACE,
          REGROLE ->
          (v, n, _) -> {
            int[] in = ((IntVector) v).values();
            if (target.kind() == TypeKind.INT4) {
              return v;
            }
            return Build.longs(target, List.of(v), n, i -> in[i] & 0xffffffffL);
          };
      case FLOAT4, FLOAT8 -> (v, n, _) -> integerFromDoubles(v, n, target);
      case NUMERIC -> (v, n, _) -> integerFromNumeric((NumericVector) v, n, target);
      case BOOL ->
          (v, n, _) -> {
            boolean[] in = ((BoolVector) v).values();
            return Build.ints(target, List.of(v), n, i -> in[i] ? 1 : 0);
          };
      case CHAR ->
          (v, n, _) -> {
            var in = (BytesColumn) v;
            return Build.ints(
                target, List.of(v), n, i -> in.size(i) == 0 ? 0 : in.data(i)[in.start(i)]);
          };
      case JSONB -> (v, n, c) -> jsonbNumber(v, n, c, target);
      default -> null;
    };
  }

  private static long min(SqlType t) {
    return switch (t.kind()) {
      case INT2 -> Short.MIN_VALUE;
      case INT4 -> Integer.MIN_VALUE;
      default -> Long.MIN_VALUE;
    };
  }

  private static Vector integerFromLongs(long[] in, Vector v, int n, SqlType target) {
    if (target.kind() == TypeKind.INT8) {
      return new LongVector(target, in, n, v.validity());
    }
    long min = min(target);
    int[] out = new int[n];
    for (int i = 0; i < n; i++) {
      out[i] = (int) in[i];
      if ((in[i] < min || in[i] > ~min) && !v.isNull(i)) {
        throw Errors.outOfRange(target.sqlName());
      }
    }
    return new IntVector(target, out, n, v.validity());
  }

  private static Vector integerFromDoubles(Vector v, int n, SqlType target) {
    double[] in = Args.doubles(List.of(v), 0);
    double min = min(target);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      double r = Math.rint(in[i]);
      if (!(r >= min && r < -min) && !v.isNull(i)) {
        throw Errors.outOfRange(target.sqlName());
      }
      out[i] = (long) r;
    }
    return integerFromLongs(out, v, n, target);
  }

  private static Vector integerFromNumeric(NumericVector v, int n, SqlType target) {
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        continue;
      }
      if (v.special(i) != NumericVector.FINITE) {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "cannot convert "
                + (v.special(i) == NumericVector.NAN ? "NaN" : "infinity")
                + " to "
                + target.sqlName());
      }
      int scale = v.scale(i);
      if (v.big(i) == null && scale <= 18) {
        long power = NumericText.power(scale);
        long u = v.unscaled()[i];
        long q = u / power;
        long rest = Math.abs(u - q * power);
        out[i] = scale > 0 && rest * 2 >= power && rest > 0 ? q + Long.signum(u) : q;
        if (scale == 18 && rest >= power / 2 && rest > 0) {
          out[i] = q + Long.signum(u);
        }
      } else {
        BigDecimal d = v.get(i).setScale(0, RoundingMode.HALF_UP);
        if (d.unscaledValue().bitLength() > 63) {
          throw Errors.outOfRange(target.sqlName());
        }
        out[i] = d.longValue();
      }
    }
    return integerFromLongs(out, v, n, target);
  }

  private static @Nullable Step toFloat(TypeKind s, SqlType target) {
    boolean single = target.kind() == TypeKind.FLOAT4;
    return switch (s) {
      case INT2, INT4, INT8 ->
          (v, n, _) -> {
            long[] in = Args.longs(List.of(v), 0);
            if (single) {
              float[] out = new float[n];
              for (int i = 0; i < n; i++) {
                out[i] = in[i];
              }
              return new FloatVector(target, out, n, v.validity());
            }
            double[] out = new double[n];
            for (int i = 0; i < n; i++) {
              out[i] = in[i];
            }
            return new DoubleVector(target, out, n, v.validity());
          };
      case FLOAT4 ->
          (v, n, _) -> new DoubleVector(target, Args.doubles(List.of(v), 0), n, v.validity());
      case FLOAT8 -> (v, n, _) -> narrow(((DoubleVector) v).values(), v, n, target);
      case NUMERIC ->
          (v, n, _) -> {
            double[] d = doublesOf((NumericVector) v, n);
            return single ? narrow(d, v, n, target) : new DoubleVector(target, d, n, v.validity());
          };
      case JSONB -> (v, n, c) -> jsonbNumber(v, n, c, target);
      default -> null;
    };
  }

  private static Vector narrow(double[] in, Vector v, int n, SqlType target) {
    float[] out = new float[n];
    for (int i = 0; i < n; i++) {
      out[i] = (float) in[i];
      if (Float.isInfinite(out[i]) && !Double.isInfinite(in[i]) && !v.isNull(i)) {
        throw Errors.overflow("value out of range: overflow");
      }
      if (out[i] == 0 && in[i] != 0 && !v.isNull(i)) {
        throw Errors.overflow("value out of range: underflow");
      }
    }
    return new FloatVector(target, out, n, v.validity());
  }

  /** Numerics as the nearest doubles; digits below 2^53 need one exact division. */
  static double[] doublesOf(NumericVector v, int n) {
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      if (!v.isNull(i)) {
        out[i] = doubleOf(v, i);
      }
    }
    return out;
  }

  static double doubleOf(NumericVector v, int i) {
    switch (v.special(i)) {
      case NumericVector.NAN -> {
        return Double.NaN;
      }
      case NumericVector.POSITIVE_INFINITY -> {
        return Double.POSITIVE_INFINITY;
      }
      case NumericVector.NEGATIVE_INFINITY -> {
        return Double.NEGATIVE_INFINITY;
      }
      default -> {
        long u = v.unscaled()[i];
        int scale = v.scale(i);
        if (v.big(i) == null && scale <= 18 && Math.abs(u) < 1L << 53) {
          return u / (double) NumericText.power(scale);
        }
        double d = v.get(i).doubleValue();
        if (Double.isInfinite(d)) {
          throw new MillraceException(
              ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
              "\"" + v.get(i).toPlainString() + "\" is out of range for type double precision");
        }
        return d;
      }
    }
  }

  private static @Nullable Step toNumeric(TypeKind s) {
    return switch (s) {
      case INT2, INT4, INT8 ->
          (v, n, _) ->
              new NumericVector(
                  SqlType.NUMERIC, Args.longs(List.of(v), 0), 0, null, null, null, n, v.validity());
      case FLOAT8 -> (v, n, _) -> numericFromDoubles(Args.doubles(List.of(v), 0), v, n, 15);
      case FLOAT4 -> (v, n, _) -> numericFromDoubles(Args.doubles(List.of(v), 0), v, n, 6);
      case JSONB -> (v, n, c) -> jsonbNumber(v, n, c, SqlType.NUMERIC);
      default -> null;
    };
  }

  private static Vector numericFromDoubles(double[] in, Vector v, int n, int digits) {
    return Build.numerics(
        SqlType.NUMERIC, List.of(v), n, (i, out) -> appendDouble(out, in[i], digits));
  }

  /** A double with so many significant digits, as PostgreSQL turns floats into numerics. */
  static void appendDouble(VectorBuilder.Numerics out, double d, int digits) {
    if (Double.isNaN(d)) {
      out.appendSpecial(NumericVector.NAN);
    } else if (Double.isInfinite(d)) {
      out.appendSpecial(d > 0 ? NumericVector.POSITIVE_INFINITY : NumericVector.NEGATIVE_INFINITY);
    } else {
      out.append(decimal(d, digits));
    }
  }

  static BigDecimal decimal(double d, int digits) {
    BigDecimal r =
        new BigDecimal(d)
            .round(new MathContext(digits, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    return r.scale() < 0 ? r.setScale(0) : r;
  }

  private static @Nullable Step toBool(TypeKind s) {
    return switch (s) {
      case INT4 ->
          (v, n, _) -> {
            int[] in = ((IntVector) v).values();
            return Build.bools(List.of(v), n, i -> in[i] != 0);
          };
      case JSONB ->
          (v, n, c) -> {
            var in = (BytesColumn) v;
            return Build.bools(
                List.of(v),
                n,
                i -> {
                  Json.Value j = json(in, i);
                  if (j instanceof Json.Bool b) {
                    return b.value();
                  }
                  throw notJson(j, "boolean");
                });
          };
      default -> null;
    };
  }

  private static Json.Value json(BytesColumn v, int i) {
    return Json.parseBinary(v.data(i), v.start(i), v.size(i));
  }

  private static MillraceException notJson(Json.Value j, String type) {
    String kind =
        switch (j) {
          case Json.Obj _ -> "object";
          case Json.Arr _ -> "array";
          case Json.Str _ -> "string";
          case Json.Num _ -> "numeric";
          case Json.Bool _ -> "boolean";
          case Json.Null _ -> "null";
        };
    return Errors.invalidParameter("cannot cast jsonb " + kind + " to type " + type);
  }

  private static Vector jsonbNumber(Vector v, int n, EvalContext c, SqlType target) {
    var in = (BytesColumn) v;
    Vector numeric =
        Build.numerics(
            SqlType.NUMERIC,
            List.of(v),
            n,
            (i, out) -> {
              Json.Value j = json(in, i);
              if (j instanceof Json.Num x) {
                out.append(x.value());
              } else {
                throw notJson(j, target.sqlName());
              }
            });
    return step(SqlType.NUMERIC, target, true).apply(numeric, n, c);
  }

  // ---- text

  private static @Nullable Step toText(TypeKind s, TypeKind t) {
    boolean fromText = s.isText();
    if (!fromText) {
      SqlType source = s == TypeKind.BOOL ? SqlType.BOOL : null;
      if (source != null && t != TypeKind.CHAR) {
        return (v, n, _) -> {
          boolean[] in = ((BoolVector) v).values();
          return Build.text(SqlType.of(t), List.of(v), n, i -> in[i] ? "true" : "false");
        };
      }
      if (s == TypeKind.INT4 && t == TypeKind.CHAR) {
        return (v, n, _) -> {
          int[] in = ((IntVector) v).values();
          return Build.bytes(
              SqlType.CHAR,
              List.of(v),
              n,
              (i, out) -> {
                if (in[i] < -128 || in[i] > 127) {
                  throw Errors.outOfRange("\"char\"");
                }
                out.append(new byte[] {(byte) in[i]}, 0, in[i] == 0 ? 0 : 1);
              });
        };
      }
      return null;
    }
    return switch (t) {
      case NAME, CHAR ->
          (v, n, _) -> {
            var in = (BytesColumn) v;
            TypeCodec codec = TypeCodecs.of(SqlType.of(t));
            return Build.bytes(
                SqlType.of(t),
                List.of(v),
                n,
                (i, out) -> codec.parseBinary(in.data(i), in.start(i), in.size(i), out));
          };
      default -> s == TypeKind.BPCHAR ? (v, n, _) -> strip((BytesColumn) v, n) : (v, _, _) -> v;
    };
  }

  /** char(n) to text: without the blanks at its end. */
  private static Vector strip(BytesColumn v, int n) {
    boolean touch = false;
    for (int i = 0; i < n && !touch; i++) {
      touch = !v.isNull(i) && v.size(i) > 0 && v.data(i)[v.end(i) - 1] == ' ';
    }
    if (!touch) {
      return v;
    }
    return Build.bytes(
        SqlType.TEXT,
        List.of(v),
        n,
        (i, out) -> {
          byte[] d = v.data(i);
          int to = v.end(i);
          while (to > v.start(i) && d[to - 1] == ' ') {
            to--;
          }
          out.append(d, v.start(i), to - v.start(i));
        });
  }

  private static @Nullable Step toOid(TypeKind s, SqlType target) {
    if (s.isOid() || s == TypeKind.INT4 || s == TypeKind.INT2) {
      return (v, _, _) -> v.withType(target);
    }
    if (s == TypeKind.INT8) {
      return (v, n, _) -> {
        long[] in = ((LongVector) v).values();
        return Build.ints(
            target,
            List.of(v),
            n,
            i -> {
              if (in[i] < 0 || in[i] > 0xffffffffL) {
                throw new MillraceException(
                    ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "OID out of range");
              }
              return (int) in[i];
            });
      };
    }
    return null;
  }

  // ---- dates and times

  private static long microsOf(TypeKind s, long x) {
    boolean infinite = x == Dates.INFINITY || x == Dates.MINUS_INFINITY;
    return s == TypeKind.TIMESTAMP_NS && !infinite ? Math.floorDiv(x, 1000L) : x;
  }

  private static @Nullable Step toDate(TypeKind s) {
    if (!s.isTimestamp()) {
      return null;
    }
    return (v, n, c) -> {
      long[] in = ((LongVector) v).values();
      return Build.ints(
          SqlType.DATE,
          List.of(v),
          n,
          i -> {
            long x = microsOf(s, in[i]);
            if (x == Dates.INFINITY) {
              return Dates.DATE_INFINITY;
            }
            if (x == Dates.MINUS_INFINITY) {
              return Dates.DATE_MINUS_INFINITY;
            }
            long local = s == TypeKind.TIMESTAMPTZ ? Zones.toLocal(c.format().zone(), x) : x;
            return (int) Math.floorDiv(local, Dates.DAY);
          });
    };
  }

  private static @Nullable Step toTime(TypeKind s) {
    return switch (s) {
      case TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ ->
          (v, n, c) -> {
            long[] in = ((LongVector) v).values();
            var out = VectorBuilder.of(SqlType.TIME, n);
            for (int i = 0; i < n; i++) {
              long x = v.isNull(i) ? 0 : microsOf(s, in[i]);
              if (v.isNull(i) || x == Dates.INFINITY || x == Dates.MINUS_INFINITY) {
                out.appendNull();
              } else {
                long local = s == TypeKind.TIMESTAMPTZ ? Zones.toLocal(c.format().zone(), x) : x;
                ((VectorBuilder.Longs) out).append(Math.floorMod(local, Dates.DAY));
              }
            }
            return out.build();
          };
      case TIMETZ -> (v, n, _) -> mapLongs(v, n, SqlType.TIME, TimeTz::micros);
      case INTERVAL ->
          (v, n, _) -> {
            long[] in = ((IntervalVector) v).micros();
            return Build.longs(SqlType.TIME, List.of(v), n, i -> Math.floorMod(in[i], Dates.DAY));
          };
      default -> null;
    };
  }

  private static @Nullable Step toTimeTz(TypeKind s) {
    return switch (s) {
      case TIME ->
          (v, n, c) -> {
            int east = Zones.offsetAt(c.format().zone(), c.nowMicros());
            return mapLongs(v, n, SqlType.TIMETZ, x -> TimeTz.pack(x, -east));
          };
      case TIMESTAMPTZ ->
          (v, n, c) ->
              mapLongs(
                  v,
                  n,
                  SqlType.TIMETZ,
                  x -> {
                    int east = Zones.offsetAt(c.format().zone(), x);
                    return TimeTz.pack(Math.floorMod(x + east * Dates.SECOND, Dates.DAY), -east);
                  });
      default -> null;
    };
  }

  private static @Nullable Step toTimestamp(TypeKind s, TypeKind t, SqlType target) {
    if (s == TypeKind.DATE) {
      return (v, n, c) -> {
        int[] in = ((IntVector) v).values();
        return Build.longs(
            target,
            List.of(v),
            n,
            i -> {
              if (in[i] == Dates.DATE_INFINITY) {
                return Dates.INFINITY;
              }
              if (in[i] == Dates.DATE_MINUS_INFINITY) {
                return Dates.MINUS_INFINITY;
              }
              if (in[i] >= 106_751_990) {
                throw Errors.datetimeOutOfRange("date");
              }
              long local = in[i] * Dates.DAY;
              return switch (t) {
                case TIMESTAMPTZ -> Zones.toUtc(c.format().zone(), local);
                case TIMESTAMP_NS -> nanos(local);
                default -> local;
              };
            });
      };
    }
    if (!s.isTimestamp()) {
      return null;
    }
    return (v, n, c) -> {
      long[] in = ((LongVector) v).values();
      return Build.longs(
          target,
          List.of(v),
          n,
          i -> {
            long x = microsOf(s, in[i]);
            if (s == TypeKind.TIMESTAMPTZ && t != TypeKind.TIMESTAMPTZ) {
              x = Zones.toLocal(c.format().zone(), x);
            } else if (s != TypeKind.TIMESTAMPTZ && t == TypeKind.TIMESTAMPTZ) {
              x = Zones.toUtc(c.format().zone(), x);
            }
            return t == TypeKind.TIMESTAMP_NS ? nanos(x) : x;
          });
    };
  }

  static long nanos(long micros) {
    if (micros == Dates.INFINITY || micros == Dates.MINUS_INFINITY) {
      return micros;
    }
    if (micros <= Long.MIN_VALUE / 1000 || micros >= Long.MAX_VALUE / 1000) {
      throw Errors.datetimeOutOfRange("timestamp");
    }
    return micros * 1000;
  }

  private static Vector timeToInterval(Vector v, int n) {
    long[] in = ((LongVector) v).values();
    return new IntervalVector(
        SqlType.INTERVAL, new int[n], new int[n], Arrays.copyOf(in, n), n, v.validity());
  }

  /** Whether a column is one dictionary entry over and over, so that work can be done once. */
  static boolean repeated(Vector v) {
    return v instanceof DictVector d && d.dictionary().size() == 1;
  }
}

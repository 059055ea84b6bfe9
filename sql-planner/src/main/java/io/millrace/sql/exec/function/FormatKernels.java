package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.Zones;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;
import java.util.List;

/** to_char, to_date, to_timestamp, to_number and the sizes of pg_size_pretty. */
final class FormatKernels {
  private FormatKernels() {}

  private static final class Templates {
    private String date = "";
    private DateFormat dates = new DateFormat("");
    private String number = "";
    private NumberFormat numbers = new NumberFormat("");

    DateFormat dates(String template) {
      if (!template.equals(date)) {
        dates = new DateFormat(template);
        date = template;
      }
      return dates;
    }

    NumberFormat numbers(String template) {
      if (!template.equals(number)) {
        numbers = new NumberFormat(template);
        number = template;
      }
      return numbers;
    }
  }

  static void register(FunctionRegistry.Builder b) {
    for (String t : new String[] {"timestamp", "timestamptz", "timestamp_ns"}) {
      b.scalar("to_char(" + t + ",text)", (types, _) -> timestamp(types.getFirst().kind()));
    }
    b.scalar(
        "to_char(interval,text)",
        (_, _) -> {
          var cache = new Templates();
          return (a, n, _) -> {
            IntervalVector v = Args.intervals(a, 0);
            BytesColumn f = Args.bytes(a, 1);
            return text(
                a,
                n,
                i ->
                    cache
                        .dates(f.string(i))
                        .write(
                            DateFormat.Parts.ofInterval(
                                v.months()[i], v.days()[i], v.micros()[i])));
          };
        });
    for (String t : new String[] {"int4", "int8", "float4", "float8", "numeric"}) {
      b.scalar("to_char(" + t + ",text)", (_, _) -> number());
    }
    b.scalar(
        "to_number(text,text)",
        (_, _) -> {
          var cache = new Templates();
          return (a, n, _) -> {
            BytesColumn f = Args.bytes(a, 1);
            return Build.numerics(
                SqlType.NUMERIC,
                a,
                n,
                (i, out) -> out.append(cache.numbers(f.string(i)).read(TextKernels.str(a, 0, i))));
          };
        });
    b.scalar(
        "to_date(text,text)",
        (_, _) -> {
          var cache = new Templates();
          return (a, n, c) -> {
            BytesColumn f = Args.bytes(a, 1);
            return Build.ints(
                SqlType.DATE,
                a,
                n,
                i ->
                    (int)
                        cache
                            .dates(f.string(i))
                            .read(TextKernels.str(a, 0, i), c.format().zone())
                            .dayNumber);
          };
        });
    b.scalar(
        "to_timestamp(text,text)",
        (_, _) -> {
          var cache = new Templates();
          return (a, n, c) -> {
            BytesColumn f = Args.bytes(a, 1);
            return Build.longs(
                SqlType.TIMESTAMPTZ,
                a,
                n,
                i -> {
                  DateFormat.Read r =
                      cache.dates(f.string(i)).read(TextKernels.str(a, 0, i), c.format().zone());
                  long local = r.dayNumber * Dates.DAY + r.micros;
                  Integer offset = r.offset;
                  if (offset != null) {
                    return local - offset * Dates.SECOND;
                  }
                  ZoneId zone = r.zone;
                  return Zones.toUtc(zone == null ? c.format().zone() : zone, local);
                });
          };
        });
    b.simple(
        "pg_size_pretty(int8)",
        (a, n, _) -> {
          long[] v = Args.longs(a, 0);
          return text(a, n, i -> size(BigDecimal.valueOf(v[i])));
        });
    b.simple(
        "pg_size_pretty(numeric)",
        (a, n, _) -> {
          NumericVector v = Args.numerics(a, 0);
          return text(a, n, i -> size(v.get(i)));
        });
  }

  private static Vector text(List<Vector> a, int n, java.util.function.IntFunction<String> f) {
    return Build.text(SqlType.TEXT, a, n, f);
  }

  private static ScalarKernel timestamp(TypeKind kind) {
    var cache = new Templates();
    return (a, n, c) -> {
      long[] v = ((LongVector) a.getFirst()).values();
      BytesColumn f = Args.bytes(a, 1);
      return Build.bytes(
          SqlType.TEXT,
          a,
          n,
          (i, out) -> {
            long t = v[i];
            if (TimeMath.infinite(t)) {
              out.appendNull();
              return;
            }
            int nanos = 0;
            if (kind == TypeKind.TIMESTAMP_NS) {
              nanos = (int) Math.floorMod(t, 1000L);
              t = Math.floorDiv(t, 1000L);
            }
            ZoneId zone = kind == TypeKind.TIMESTAMPTZ ? c.format().zone() : null;
            int offset = zone == null ? 0 : Zones.offsetAt(zone, t);
            DateFormat.Parts p = DateFormat.Parts.of(t + offset * Dates.SECOND, nanos);
            p.zone = zone;
            p.offset = offset;
            p.utcSeconds = Math.floorDiv(t, Dates.SECOND);
            out.append(cache.dates(f.string(i)).write(p));
          });
    };
  }

  private static ScalarKernel number() {
    var cache = new Templates();
    return (a, n, _) -> {
      BytesColumn f = Args.bytes(a, 1);
      Vector v = a.getFirst();
      return text(
          a,
          n,
          i -> {
            NumberFormat format = cache.numbers(f.string(i));
            return switch (v) {
              case NumericVector x ->
                  x.special(i) == NumericVector.FINITE
                      ? format.write(x.get(i))
                      : format.writeSpecial(x.special(i) == NumericVector.NEGATIVE_INFINITY);
              case io.millrace.common.batch.DoubleVector x -> floating(format, x.get(i), 15);
              case io.millrace.common.batch.FloatVector x -> floating(format, x.get(i), 6);
              default -> format.write(BigDecimal.valueOf(Args.longs(a, 0)[i]));
            };
          });
    };
  }

  private static String floating(NumberFormat f, double v, int digits) {
    if (Double.isNaN(v) || Double.isInfinite(v)) {
      return f.writeSpecial(v < 0);
    }
    return f.write(Casts.decimal(v, digits));
  }

  private static String size(BigDecimal bytes) {
    String[] units = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    BigDecimal v = bytes;
    int unit = 0;
    BigDecimal limit = BigDecimal.valueOf(10 * 1024);
    while (unit < units.length - 1 && v.abs().compareTo(limit) >= 0) {
      // Halves round away from zero once, at the last unit.
      BigDecimal next = v.divide(BigDecimal.valueOf(1024), 10, RoundingMode.DOWN);
      unit++;
      v = next;
      limit = BigDecimal.valueOf(20 * 1024L - 1).divide(BigDecimal.TWO);
    }
    BigDecimal r = v.setScale(0, RoundingMode.HALF_UP);
    return r.toPlainString() + " " + units[unit];
  }
}

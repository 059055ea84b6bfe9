package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.TimeTz;
import io.millrace.common.type.io.Zones;
import java.time.ZoneId;
import java.util.List;

/**
 * Operators and functions over dates, times and intervals, but for extract, truncation and text.
 */
final class TimeKernels {
  private TimeKernels() {}

  static void register(FunctionRegistry.Builder b) {
    plusInterval(b, "timestamp", TypeKind.TIMESTAMP);
    plusInterval(b, "timestamptz", TypeKind.TIMESTAMPTZ);
    plusInterval(b, "timestamp_ns", TypeKind.TIMESTAMP_NS);
    for (int sign : new int[] {1, -1}) {
      b.simple(
          sign > 0 ? "date_pl_interval(date,interval)" : "date_mi_interval(date,interval)",
          (a, n, _) -> datePlus(a, n, 0, 1, sign));
    }
    b.simple("interval_pl_date(interval,date)", (a, n, _) -> datePlus(a, n, 1, 0, 1));
    b.simple("date_pli(date,int4)", (a, n, _) -> days(a, n, 0, 1, 1));
    b.simple("integer_pl_date(int4,date)", (a, n, _) -> days(a, n, 1, 0, 1));
    b.simple("date_mii(date,int4)", (a, n, _) -> days(a, n, 0, 1, -1));
    b.simple("date_mi(date,date)", (a, n, _) -> dateDifference(a, n));
    b.simple("datetime_pl(date,time)", (a, n, _) -> dateTime(a, n, 0, 1));
    b.simple("timedate_pl(time,date)", (a, n, _) -> dateTime(a, n, 1, 0));
    b.simple("datetimetz_pl(date,timetz)", (a, n, _) -> dateTimeTz(a, n, 0, 1));
    b.simple("timetzdate_pl(timetz,date)", (a, n, _) -> dateTimeTz(a, n, 1, 0));
    b.simple(
        "timestamptz(date,time)",
        (a, n, c) -> {
          Vector local = dateTime(a, n, 0, 1);
          return Casts.bind(SqlType.TIMESTAMP, SqlType.TIMESTAMPTZ, true)
              .apply(List.of(local), n, c);
        });
    b.simple("timestamptz(date,timetz)", (a, n, _) -> dateTimeTz(a, n, 0, 1));
    b.simple("timestamp(date,time)", (a, n, _) -> dateTime(a, n, 0, 1));
    for (String t : new String[] {"timestamp", "timestamptz", "timestamp_ns"}) {
      b.simple(t + "_mi(" + t + "," + t + ")", (a, n, _) -> difference(a, n));
    }
    timeOfDay(b);
    intervals(b);
    for (String t : new String[] {"timestamp", "timestamptz"}) {
      boolean zoned = t.equals("timestamptz");
      b.simple("age(" + t + "," + t + ")", (a, n, c) -> age(a, n, c, zoned, false));
      b.simple("age(" + t + ")", (a, n, c) -> age(a, n, c, zoned, true));
    }
    zones(b);
    making(b);
    for (String s : new String[] {"now", "transaction_timestamp"}) {
      b.simple(s + "()", (_, n, c) -> instants(n, c.nowMicros()));
    }
    b.simple("statement_timestamp()", (_, n, c) -> instants(n, c.statementMicros()));
    b.simple(
        "now_ns()",
        (_, n, c) -> {
          long x = Casts.nanos(Zones.toLocal(c.format().zone(), c.nowMicros()));
          return Build.longs(SqlType.TIMESTAMP_NS, List.of(), n, _ -> x);
        });
    // The waiting itself is the business of the operator below the call.
    for (String sleep :
        new String[] {
          "pg_sleep(float8)", "pg_sleep_for(interval)", "pg_sleep_until(timestamptz)"
        }) {
      b.simple(sleep, TimeKernels::sleep);
    }
    b.simple(
        "clock_timestamp()",
        (_, n, c) -> Build.longs(SqlType.TIMESTAMPTZ, List.of(), n, _ -> c.clock().wallMicros()));
    b.simple(
        "timeofday()",
        (_, n, c) ->
            Build.text(
                SqlType.TEXT,
                List.of(),
                n,
                _ ->
                    java.time.format.DateTimeFormatter.ofPattern(
                            "EEE MMM dd HH:mm:ss.SSSSSS yyyy zzz", java.util.Locale.ENGLISH)
                        .format(
                            java.time.Instant.ofEpochSecond(
                                    Math.floorDiv(c.clock().wallMicros(), Dates.SECOND),
                                    Math.floorMod(c.clock().wallMicros(), Dates.SECOND) * 1000)
                                .atZone(c.format().zone()))));
    b.simple(
        "isfinite(date)",
        (a, n, _) -> {
          int[] d = Args.ints(a, 0);
          return Build.bools(
              a, n, i -> d[i] != Dates.DATE_INFINITY && d[i] != Dates.DATE_MINUS_INFINITY);
        });
    for (String t : new String[] {"timestamp", "timestamptz"}) {
      b.simple(
          "isfinite(" + t + ")",
          (a, n, _) -> {
            long[] x = ((LongVector) a.getFirst()).values();
            return Build.bools(a, n, i -> !TimeMath.infinite(x[i]));
          });
    }
    b.simple("isfinite(interval)", (a, n, _) -> Build.bools(a, n, _ -> true));
    b.simple(
        "to_timestamp(float8)",
        (a, n, _) -> {
          double[] in = Args.doubles(a, 0);
          return Build.longs(
              SqlType.TIMESTAMPTZ,
              a,
              n,
              i -> {
                if (Double.isNaN(in[i])) {
                  throw new MillraceException(
                      ErrorCode.DATETIME_FIELD_OVERFLOW, "timestamp cannot be NaN");
                }
                if (Double.isInfinite(in[i])) {
                  return in[i] > 0 ? Dates.INFINITY : Dates.MINUS_INFINITY;
                }
                double micros = Math.rint(in[i] * 1e6);
                if (!(micros >= Dates.MIN_MICROS && micros < Dates.END_MICROS)) {
                  throw new MillraceException(
                      ErrorCode.DATETIME_FIELD_OVERFLOW,
                      "timestamp out of range: \"" + shown(in[i]) + "\"");
                }
                // Whole seconds and the fraction apart, so that microseconds stay exact.
                double whole = Math.floor(in[i]);
                return (long) whole * Dates.SECOND + Math.round((in[i] - whole) * 1e6);
              });
        });
    overlaps(b);
    choices(b);
  }

  private static Vector instants(int n, long micros) {
    return Build.longs(SqlType.TIMESTAMPTZ, List.of(), n, _ -> micros);
  }

  private static void plusInterval(FunctionRegistry.Builder b, String t, TypeKind kind) {
    b.simple(t + "_pl_interval(" + t + ",interval)", (a, n, c) -> plus(a, n, c, kind, 0, 1, 1));
    b.simple(t + "_mi_interval(" + t + ",interval)", (a, n, c) -> plus(a, n, c, kind, 0, 1, -1));
    b.simple(
        "interval_pl_" + t + "(interval," + t + ")", (a, n, c) -> plus(a, n, c, kind, 1, 0, 1));
  }

  private static Vector plus(
      List<Vector> a, int n, EvalContext c, TypeKind kind, int at, int by, int sign) {
    long[] t = ((LongVector) a.get(at)).values();
    IntervalVector v = Args.intervals(a, by);
    int[] months = v.months();
    int[] days = v.days();
    long[] micros = v.micros();
    ZoneId zone = kind == TypeKind.TIMESTAMPTZ ? c.format().zone() : null;
    boolean nanos = kind == TypeKind.TIMESTAMP_NS;
    return Build.longs(
        SqlType.of(kind).kind() == TypeKind.TIMESTAMP_NS ? SqlType.TIMESTAMP_NS : SqlType.of(kind),
        a,
        n,
        i -> {
          if (TimeMath.infinite(t[i])) {
            return t[i];
          }
          if (!nanos) {
            return TimeMath.add(t[i], sign * months[i], sign * days[i], sign * micros[i], zone);
          }
          long r =
              TimeMath.add(
                  Math.floorDiv(t[i], 1000L),
                  sign * months[i],
                  sign * days[i],
                  sign * micros[i],
                  null);
          return Casts.nanos(r) + Math.floorMod(t[i], 1000L);
        });
  }

  private static long dateMicros(int day) {
    if (day == Dates.DATE_INFINITY) {
      return Dates.INFINITY;
    }
    if (day == Dates.DATE_MINUS_INFINITY) {
      return Dates.MINUS_INFINITY;
    }
    if (day >= 106_751_990) {
      throw new MillraceException(
          ErrorCode.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
    }
    return day * Dates.DAY;
  }

  private static Vector datePlus(List<Vector> a, int n, int date, int by, int sign) {
    int[] d = Args.ints(a, date);
    IntervalVector v = Args.intervals(a, by);
    return Build.longs(
        SqlType.TIMESTAMP,
        a,
        n,
        i ->
            TimeMath.add(
                dateMicros(d[i]),
                sign * v.months()[i],
                sign * v.days()[i],
                sign * v.micros()[i],
                null));
  }

  private static Vector days(List<Vector> a, int n, int date, int by, int sign) {
    int[] d = Args.ints(a, date);
    int[] k = Args.ints(a, by);
    return Build.ints(
        SqlType.DATE,
        a,
        n,
        i -> {
          if (d[i] == Dates.DATE_INFINITY || d[i] == Dates.DATE_MINUS_INFINITY) {
            return d[i];
          }
          long r = d[i] + (long) sign * k[i];
          if (r < Dates.MIN_DAY || r >= Dates.END_DAY) {
            throw Errors.datetimeOutOfRange("date");
          }
          return (int) r;
        });
  }

  private static Vector dateDifference(List<Vector> a, int n) {
    int[] x = Args.ints(a, 0);
    int[] y = Args.ints(a, 1);
    return Build.ints(
        SqlType.INT4,
        a,
        n,
        i -> {
          if (Math.abs((long) x[i]) >= Integer.MAX_VALUE
              || Math.abs((long) y[i]) >= Integer.MAX_VALUE) {
            throw new MillraceException(
                ErrorCode.DATETIME_FIELD_OVERFLOW, "cannot subtract infinite dates");
          }
          return x[i] - y[i];
        });
  }

  private static Vector dateTime(List<Vector> a, int n, int date, int time) {
    int[] d = Args.ints(a, date);
    long[] t = Args.longs(a, time);
    return Build.longs(
        SqlType.TIMESTAMP,
        a,
        n,
        i -> {
          long day = dateMicros(d[i]);
          return TimeMath.infinite(day) ? day : day + t[i];
        });
  }

  private static Vector dateTimeTz(List<Vector> a, int n, int date, int time) {
    int[] d = Args.ints(a, date);
    long[] t = Args.longs(a, time);
    return Build.longs(
        SqlType.TIMESTAMPTZ,
        a,
        n,
        i -> {
          long day = dateMicros(d[i]);
          return TimeMath.infinite(day)
              ? day
              : day + TimeTz.micros(t[i]) + TimeTz.west(t[i]) * Dates.SECOND;
        });
  }

  private static Vector difference(List<Vector> a, int n) {
    long[] x = ((LongVector) a.get(0)).values();
    long[] y = ((LongVector) a.get(1)).values();
    boolean nanos = a.getFirst().type().kind() == TypeKind.TIMESTAMP_NS;
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          if (TimeMath.infinite(x[i]) || TimeMath.infinite(y[i])) {
            throw new MillraceException(
                ErrorCode.DATETIME_FIELD_OVERFLOW, "cannot subtract infinite timestamps");
          }
          long r = x[i] - y[i];
          if (((x[i] ^ y[i]) & (x[i] ^ r)) < 0) {
            throw Errors.datetimeOutOfRange("interval");
          }
          r = nanos ? r / 1000 : r;
          out.append(0, (int) (r / Dates.DAY), r % Dates.DAY);
        });
  }

  private static void timeOfDay(FunctionRegistry.Builder b) {
    b.simple("time_pl_interval(time,interval)", (a, n, _) -> timePlus(a, n, 0, 1, 1));
    b.simple("time_mi_interval(time,interval)", (a, n, _) -> timePlus(a, n, 0, 1, -1));
    b.simple("interval_pl_time(interval,time)", (a, n, _) -> timePlus(a, n, 1, 0, 1));
    b.simple("timetz_pl_interval(timetz,interval)", (a, n, _) -> timePlus(a, n, 0, 1, 1));
    b.simple("timetz_mi_interval(timetz,interval)", (a, n, _) -> timePlus(a, n, 0, 1, -1));
    b.simple("interval_pl_timetz(interval,timetz)", (a, n, _) -> timePlus(a, n, 1, 0, 1));
    b.simple(
        "time_mi_time(time,time)",
        (a, n, _) -> {
          long[] x = Args.longs(a, 0);
          long[] y = Args.longs(a, 1);
          return Build.intervals(SqlType.INTERVAL, a, n, (i, out) -> out.append(0, 0, x[i] - y[i]));
        });
  }

  private static Vector timePlus(List<Vector> a, int n, int time, int by, int sign) {
    long[] t = Args.longs(a, time);
    long[] micros = Args.intervals(a, by).micros();
    boolean zoned = a.get(time).type().kind() == TypeKind.TIMETZ;
    return Build.longs(
        zoned ? SqlType.TIMETZ : SqlType.TIME,
        a,
        n,
        i -> {
          long x = zoned ? TimeTz.micros(t[i]) : t[i];
          long r = Math.floorMod(x + Math.floorMod(sign * micros[i], Dates.DAY), Dates.DAY);
          return zoned ? TimeTz.pack(r, TimeTz.west(t[i])) : r;
        });
  }

  private static void intervals(FunctionRegistry.Builder b) {
    b.simple("interval_pl(interval,interval)", (a, n, _) -> intervalPlus(a, n, 1));
    b.simple("interval_mi(interval,interval)", (a, n, _) -> intervalPlus(a, n, -1));
    b.simple(
        "interval_um(interval)",
        (a, n, _) -> {
          IntervalVector v = Args.intervals(a, 0);
          return Build.intervals(
              SqlType.INTERVAL,
              a,
              n,
              (i, out) -> append(out, -(long) v.months()[i], -(long) v.days()[i], -v.micros()[i]));
        });
    b.simple("interval_mul(interval,float8)", (a, n, _) -> scale(a, n, 0, 1, true));
    b.simple("mul_d_interval(float8,interval)", (a, n, _) -> scale(a, n, 1, 0, true));
    b.simple("interval_div(interval,float8)", (a, n, _) -> scale(a, n, 0, 1, false));
    b.simple("justify_hours(interval)", (a, n, _) -> justify(a, n, false, true));
    b.simple("justify_days(interval)", (a, n, _) -> justify(a, n, true, false));
    b.simple("justify_interval(interval)", (a, n, _) -> justify(a, n, true, true));
  }

  private static void append(VectorBuilder.Intervals out, long months, long days, long micros) {
    if (months != (int) months || days != (int) days) {
      throw Errors.datetimeOutOfRange("interval");
    }
    out.append((int) months, (int) days, micros);
  }

  private static Vector intervalPlus(List<Vector> a, int n, int sign) {
    IntervalVector x = Args.intervals(a, 0);
    IntervalVector y = Args.intervals(a, 1);
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          long u = x.micros()[i];
          long v = sign * y.micros()[i];
          long r = u + v;
          if (((u ^ r) & (v ^ r)) < 0) {
            throw Errors.datetimeOutOfRange("interval");
          }
          append(
              out,
              x.months()[i] + (long) sign * y.months()[i],
              x.days()[i] + (long) sign * y.days()[i],
              r);
        });
  }

  private static Vector scale(List<Vector> a, int n, int interval, int by, boolean times) {
    IntervalVector x = Args.intervals(a, interval);
    double[] f = ((DoubleVector) a.get(by)).values();
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          if (times) {
            TimeMath.multiply(x.months()[i], x.days()[i], x.micros()[i], f[i], out);
          } else {
            TimeMath.divide(x.months()[i], x.days()[i], x.micros()[i], f[i], out);
          }
        });
  }

  private static Vector justify(List<Vector> a, int n, boolean toMonths, boolean toDays) {
    IntervalVector v = Args.intervals(a, 0);
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          long m = v.months()[i];
          long d = v.days()[i];
          long u = v.micros()[i];
          if (toDays) {
            d += u / Dates.DAY;
            u %= Dates.DAY;
          }
          if (toMonths) {
            m += d / 30;
            d %= 30;
          }
          if (toMonths && m > 0 && (d < 0 || (toDays && d == 0 && u < 0))) {
            d += 30;
            m--;
          } else if (toMonths && m < 0 && (d > 0 || (toDays && d == 0 && u > 0))) {
            d -= 30;
            m++;
          }
          if (toDays && d > 0 && u < 0) {
            u += Dates.DAY;
            d--;
          } else if (toDays && d < 0 && u > 0) {
            u -= Dates.DAY;
            d++;
          }
          append(out, m, d, u);
        });
  }

  private static Vector age(
      List<Vector> a, int n, EvalContext c, boolean zoned, boolean fromToday) {
    long[] x = ((LongVector) a.getFirst()).values();
    long[] y = fromToday ? x : ((LongVector) a.get(1)).values();
    ZoneId zone = c.format().zone();
    long today = Math.floorDiv(Zones.toLocal(zone, c.nowMicros()), Dates.DAY) * Dates.DAY;
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          if (TimeMath.infinite(x[i]) || TimeMath.infinite(y[i])) {
            throw Errors.datetimeOutOfRange("interval");
          }
          long p = zoned ? Zones.toLocal(zone, x[i]) : x[i];
          long q = zoned ? Zones.toLocal(zone, y[i]) : y[i];
          TimeMath.age(fromToday ? today : p, fromToday ? p : q, out);
        });
  }

  /** AT TIME ZONE; the zone of a row is looked up once as long as it stays the same. */
  private static final class ZoneCache {
    private String name = "";
    private ZoneId zone = java.time.ZoneOffset.UTC;

    ZoneId get(String text) {
      if (!text.equals(name)) {
        zone = Zones.require(text);
        name = text;
      }
      return zone;
    }
  }

  private static Vector sleep(List<Vector> args, int rows, EvalContext context) {
    for (int i = 0; i < rows; i++) {
      context.naps().accept(Naps.micros(args.getFirst(), i, context.clock()));
    }
    return Build.text(SqlType.VOID, args, rows, i -> "");
  }

  private static void zones(FunctionRegistry.Builder b) {
    b.scalar(
        "timezone(text,timestamp)",
        (_, _) -> {
          var cache = new ZoneCache();
          return (a, n, _) -> {
            BytesColumn z = Args.bytes(a, 0);
            long[] t = Args.longs(a, 1);
            return Build.longs(
                SqlType.TIMESTAMPTZ, a, n, i -> Zones.toUtc(cache.get(z.string(i)), t[i]));
          };
        });
    b.scalar(
        "timezone(text,timestamptz)",
        (_, _) -> {
          var cache = new ZoneCache();
          return (a, n, _) -> {
            BytesColumn z = Args.bytes(a, 0);
            long[] t = Args.longs(a, 1);
            return Build.longs(
                SqlType.TIMESTAMP, a, n, i -> Zones.toLocal(cache.get(z.string(i)), t[i]));
          };
        });
    b.scalar(
        "timezone(text,timetz)",
        (_, _) -> {
          var cache = new ZoneCache();
          return (a, n, c) -> {
            BytesColumn z = Args.bytes(a, 0);
            long[] t = Args.longs(a, 1);
            return Build.longs(
                SqlType.TIMETZ,
                a,
                n,
                i -> shift(t[i], Zones.offsetAt(cache.get(z.string(i)), c.nowMicros())));
          };
        });
    b.simple(
        "timezone(interval,timestamp)",
        (a, n, _) -> {
          long[] t = Args.longs(a, 1);
          return Build.longs(
              SqlType.TIMESTAMPTZ, a, n, i -> TimeMath.infinite(t[i]) ? t[i] : t[i] - offset(a, i));
        });
    b.simple(
        "timezone(interval,timestamptz)",
        (a, n, _) -> {
          long[] t = Args.longs(a, 1);
          return Build.longs(
              SqlType.TIMESTAMP, a, n, i -> TimeMath.infinite(t[i]) ? t[i] : t[i] + offset(a, i));
        });
    b.simple(
        "timezone(interval,timetz)",
        (a, n, _) -> {
          long[] t = Args.longs(a, 1);
          return Build.longs(
              SqlType.TIMETZ, a, n, i -> shift(t[i], (int) (offset(a, i) / Dates.SECOND)));
        });
  }

  private static long shift(long packed, int east) {
    long utc = TimeTz.micros(packed) + TimeTz.west(packed) * Dates.SECOND;
    return TimeTz.pack(Math.floorMod(utc + east * Dates.SECOND, Dates.DAY), -east);
  }

  /** A number as C prints it with %g. */
  private static String shown(double v) {
    String s = String.format(java.util.Locale.ROOT, "%.5e", v);
    int e = s.indexOf('e');
    return new java.math.BigDecimal(s.substring(0, e)).stripTrailingZeros().toPlainString()
        + s.substring(e);
  }

  private static long offset(List<Vector> a, int i) {
    IntervalVector v = Args.intervals(a, 0);
    if (v.months()[i] != 0 || v.days()[i] != 0) {
      throw Errors.invalidParameter("interval time zone must not include months or days");
    }
    return v.micros()[i];
  }

  private static MillraceException field(String what, String value) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, what + " field value out of range: " + value);
  }

  private static long day(List<Vector> a, int i, String what) {
    int y = Args.ints(a, 0)[i];
    int m = Args.ints(a, 1)[i];
    int d = Args.ints(a, 2)[i];
    int year = y < 0 ? y + 1 : y;
    boolean ok = y != 0 && m >= 1 && m <= 12 && d >= 1 && d <= Dates.daysInMonth(year, m);
    if (!ok) {
      throw field(what, String.format("%d-%02d-%02d", y, m, d));
    }
    return Dates.day(year, m, d);
  }

  private static long timeOf(List<Vector> a, int at, int i) {
    int h = Args.ints(a, at)[i];
    int m = Args.ints(a, at + 1)[i];
    double s = Args.doubles(a, at + 2)[i];
    boolean ok =
        h >= 0
            && m >= 0
            && m < 60
            && s >= 0
            && s <= 60
            && (h < 24 || (h == 24 && m == 0 && s == 0));
    if (!ok) {
      throw field("time", String.format("%d:%02d:%s", h, m, secondsText(s)));
    }
    return h * Dates.HOUR + m * Dates.MINUTE + Math.round(s * 1e6);
  }

  private static String secondsText(double s) {
    return s == Math.rint(s) ? String.format("%02d", (long) s) : String.valueOf(s);
  }

  private static void making(FunctionRegistry.Builder b) {
    b.simple(
        "make_date(int4,int4,int4)",
        (a, n, _) -> Build.ints(SqlType.DATE, a, n, i -> (int) day(a, i, "date")));
    b.simple(
        "make_time(int4,int4,float8)",
        (a, n, _) -> Build.longs(SqlType.TIME, a, n, i -> timeOf(a, 0, i)));
    String args = "(int4,int4,int4,int4,int4,float8";
    b.simple(
        "make_timestamp" + args + ")",
        (a, n, _) ->
            Build.longs(
                SqlType.TIMESTAMP, a, n, i -> day(a, i, "date") * Dates.DAY + timeOf(a, 3, i)));
    b.simple(
        "make_timestamptz" + args + ")",
        (a, n, c) ->
            Build.longs(
                SqlType.TIMESTAMPTZ,
                a,
                n,
                i ->
                    Zones.toUtc(
                        c.format().zone(), day(a, i, "date") * Dates.DAY + timeOf(a, 3, i))));
    b.simple(
        "make_timestamptz" + args + ",text)",
        (a, n, _) ->
            Build.longs(
                SqlType.TIMESTAMPTZ,
                a,
                n,
                i ->
                    Zones.toUtc(
                        Zones.require(TextKernels.str(a, 6, i)),
                        day(a, i, "date") * Dates.DAY + timeOf(a, 3, i))));
    b.simple(
        "make_interval(int4,int4,int4,int4,int4,int4,float8)",
        (a, n, _) ->
            Build.intervals(
                SqlType.INTERVAL,
                a,
                n,
                (i, out) -> {
                  double s = Args.doubles(a, 6)[i];
                  if (Double.isNaN(s) || Double.isInfinite(s)) {
                    throw Errors.datetimeOutOfRange("interval");
                  }
                  append(
                      out,
                      Args.ints(a, 0)[i] * 12L + Args.ints(a, 1)[i],
                      Args.ints(a, 2)[i] * 7L + Args.ints(a, 3)[i],
                      Args.ints(a, 4)[i] * Dates.HOUR
                          + Args.ints(a, 5)[i] * Dates.MINUTE
                          + Math.round(s * 1e6));
                }));
  }

  /** OVERLAPS over ends or lengths: each period may be given by its ends in either order. */
  private static void overlaps(FunctionRegistry.Builder b) {
    for (String t : new String[] {"timestamp", "timestamptz", "time", "timetz"}) {
      String i = "interval";
      b.simple("overlaps(" + String.join(",", t, t, t, t) + ")", TimeKernels::overlap);
      if (!t.equals("timetz")) {
        b.simple("overlaps(" + String.join(",", t, i, t, i) + ")", TimeKernels::overlap);
        b.simple("overlaps(" + String.join(",", t, t, t, i) + ")", TimeKernels::overlap);
        b.simple("overlaps(" + String.join(",", t, i, t, t) + ")", TimeKernels::overlap);
      }
    }
  }

  private static Vector overlap(List<Vector> a, int n, EvalContext c) {
    var out = (VectorBuilder.Bools) VectorBuilder.of(SqlType.BOOL, n);
    for (int i = 0; i < n; i++) {
      if (SetKernels.anyNull(a, i)) {
        out.appendNull();
        continue;
      }
      long s1 = instant(a, 0, i);
      long e1 = end(a, 0, i, c);
      long s2 = instant(a, 2, i);
      long e2 = end(a, 2, i, c);
      long x1 = Math.min(s1, e1);
      long y1 = Math.max(s1, e1);
      long x2 = Math.min(s2, e2);
      long y2 = Math.max(s2, e2);
      out.append(x1 == x2 || (x1 > x2 ? x1 < y2 : x2 < y1));
    }
    return out.build();
  }

  private static long instant(List<Vector> a, int at, int i) {
    long x = ((LongVector) a.get(at)).get(i);
    return a.get(at).type().kind() == TypeKind.TIMETZ
        ? TimeTz.micros(x) + TimeTz.west(x) * Dates.SECOND
        : x;
  }

  private static long end(List<Vector> a, int at, int i, EvalContext c) {
    if (!(a.get(at + 1) instanceof IntervalVector v)) {
      return instant(a, at + 1, i);
    }
    long x = ((LongVector) a.get(at)).get(i);
    TypeKind kind = a.get(at).type().kind();
    if (kind == TypeKind.TIME) {
      return Math.floorMod(x + v.micros()[i], Dates.DAY);
    }
    return TimeMath.add(
        x,
        v.months()[i],
        v.days()[i],
        v.micros()[i],
        kind == TypeKind.TIMESTAMPTZ ? c.format().zone() : null);
  }

  /** The functions behind min and max, callable by name. */
  private static void choices(FunctionRegistry.Builder b) {
    for (String t :
        new String[] {"date", "time", "timetz", "timestamp", "timestamptz", "interval"}) {
      for (boolean larger : new boolean[] {true, false}) {
        b.scalar(
            t + (larger ? "_larger" : "_smaller") + "(" + t + "," + t + ")",
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
  }

  static int date(Vector v, int i) {
    return ((IntVector) v).get(i);
  }
}

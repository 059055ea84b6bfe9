package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.ZoneOffsets;
import io.millrace.common.type.io.Zones;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * date_trunc, date_bin and time_bucket. The last bucket is kept with its bounds: near times, the
 * rule in time series, cost two comparisons and no division.
 */
final class TruncateKernels {
  /** Monday, 2000-01-03, from which time_bucket counts days and shorter; months from 2000-01-01. */
  private static final long BUCKET_ORIGIN = Dates.EPOCH_2000 + 2 * Dates.DAY;

  private TruncateKernels() {}

  static void register(FunctionRegistry.Builder b) {
    b.scalar("date_trunc(text,timestamp)", (_, _) -> new Truncate(TypeKind.TIMESTAMP));
    b.scalar("date_trunc(text,timestamp_ns)", (_, _) -> new Truncate(TypeKind.TIMESTAMP_NS));
    b.scalar("date_trunc(text,timestamptz)", (_, _) -> new Truncate(TypeKind.TIMESTAMPTZ));
    b.scalar("date_trunc(text,timestamptz,text)", (_, _) -> new Truncate(TypeKind.TIMESTAMPTZ));
    b.scalar("date_trunc(text,interval)", (_, _) -> TruncateKernels::truncateInterval);
    String[] types = {"timestamp", "timestamptz", "timestamp_ns"};
    for (String t : types) {
      b.scalar("date_bin(interval," + t + "," + t + ")", (_, r) -> new Bin(r, false));
      b.scalar("date_bin(interval," + t + ")", (_, r) -> new Bin(r, false));
      b.scalar("time_bucket(interval," + t + ")", (_, r) -> new Bin(r, true));
      b.scalar("time_bucket(interval," + t + "," + t + ")", (_, r) -> new Bin(r, true));
      b.scalar("time_bucket(interval," + t + ",interval)", (_, r) -> new Bin(r, true));
    }
    b.scalar("date_bin(interval,date)", (_, r) -> new Bin(r, false));
    for (String t : new String[] {"", ",date", ",interval"}) {
      b.scalar("time_bucket(interval,date" + t + ")", (_, r) -> new Bin(r, true));
    }
    for (String t : new String[] {"int2", "int4", "int8"}) {
      b.scalar("time_bucket(" + t + "," + t + ")", (_, r) -> (a, n, _) -> integers(a, n, r));
      b.scalar(
          "time_bucket(" + t + "," + t + "," + t + ")", (_, r) -> (a, n, _) -> integers(a, n, r));
    }
  }

  private static Vector integers(List<Vector> a, int n, SqlType type) {
    long[] width = Args.longs(a, 0);
    long[] v = Args.longs(a, 1);
    long[] offset = a.size() > 2 ? Args.longs(a, 2) : null;
    Vector out =
        Build.longs(
            SqlType.INT8,
            a,
            n,
            i -> {
              if (width[i] <= 0) {
                throw Errors.invalidParameter("period must be greater than 0");
              }
              long o = offset == null ? 0 : offset[i];
              return Math.floorDiv(v[i] - o, width[i]) * width[i] + o;
            });
    if (type.kind() == TypeKind.INT8) {
      return out;
    }
    long[] wide = ((LongVector) out).values();
    return Build.ints(type, a, n, i -> (int) wide[i]);
  }

  /** Stretches of times; each infinity is one of its own. */
  private abstract static class Steps implements StepFunction {
    private long first;
    private long last;
    private long result;

    /** Sets the stretch around a time that is not infinite. */
    abstract void find(long t);

    /** The stretch [from, to). */
    final void set(long from, long to, long becomes) {
      first = Math.max(from, Dates.MINUS_INFINITY + 1);
      last = Math.min(to, Dates.INFINITY) - 1;
      result = becomes;
    }

    @Override
    public final void locate(long t) {
      if (TimeMath.infinite(t)) {
        first = t;
        last = t;
        result = t;
      } else {
        find(t);
      }
    }

    @Override
    public final long first() {
      return first;
    }

    @Override
    public final long last() {
      return last;
    }

    @Override
    public final long result() {
      return result;
    }
  }

  /** date_bin and time_bucket. */
  private static final class Bin implements ScalarKernel {
    private final SqlType result;
    private final boolean bucket;
    private int months;
    private long stride;
    private long origin;
    private long from;
    private long to;

    Bin(SqlType result, boolean bucket) {
      this.result = result;
      this.bucket = bucket;
    }

    @Override
    public Vector apply(List<Vector> a, int n, EvalContext c) {
      IntervalVector w = Args.intervals(a, 0);
      Vector v = a.get(1);
      boolean dates = v instanceof IntVector;
      long unit = result.kind() == TypeKind.TIMESTAMP_NS ? 1000 : 1;
      Vector third = a.size() > 2 ? a.get(2) : null;
      long[] validity = Args.validity(a, n);
      long[] out = new long[n];
      from = 1;
      to = 0;
      int lastMonths = 0;
      int lastDays = 0;
      long lastMicros = 0;
      for (int i = 0; i < n; i++) {
        if (!Args.valid(validity, i)) {
          continue;
        }
        long t = dates ? dateMicros(((IntVector) v).get(i)) : ((LongVector) v).get(i);
        if (TimeMath.infinite(t)) {
          out[i] = t;
          continue;
        }
        int m = w.months()[i];
        int d = w.days()[i];
        long u = w.micros()[i];
        long o = origin(third, i, m, unit);
        if (m != lastMonths || d != lastDays || u != lastMicros || o != origin || to < from) {
          setUp(m, d, u, unit);
          lastMonths = m;
          lastDays = d;
          lastMicros = u;
          origin = o;
          from = 1;
          to = 0;
        }
        if (t < from || t >= to) {
          locate(t, unit);
        }
        out[i] = from;
      }
      if (result.kind() != TypeKind.DATE) {
        return new LongVector(result, out, n, validity);
      }
      int[] days = new int[n];
      for (int i = 0; i < n; i++) {
        days[i] =
            out[i] == Dates.INFINITY
                ? Dates.DATE_INFINITY
                : out[i] == Dates.MINUS_INFINITY
                    ? Dates.DATE_MINUS_INFINITY
                    : (int) Math.floorDiv(out[i], Dates.DAY);
      }
      return new IntVector(SqlType.DATE, days, n, validity);
    }

    @Override
    public @Nullable StepFunction steps(List<@Nullable Vector> constants, EvalContext c) {
      Vector width = constants.getFirst();
      if (!(width instanceof IntervalVector w)
          || constants.get(1) != null
          || result.kind() == TypeKind.DATE) {
        return null;
      }
      Vector third = constants.size() > 2 ? constants.get(2) : null;
      long unit = result.kind() == TypeKind.TIMESTAMP_NS ? 1000 : 1;
      return new Steps() {
        private boolean ready;

        @Override
        void find(long t) {
          if (!ready) {
            setUp(w.months()[0], w.days()[0], w.micros()[0], unit);
            origin = origin(third, 0, w.months()[0], unit);
            ready = true;
          }
          Bin.this.locate(t, unit);
          set(from, to, from);
        }
      };
    }

    private static long dateMicros(int day) {
      return day == Dates.DATE_INFINITY
          ? Dates.INFINITY
          : day == Dates.DATE_MINUS_INFINITY ? Dates.MINUS_INFINITY : day * Dates.DAY;
    }

    private void setUp(int m, int d, long u, long unit) {
      if (m != 0 && (!bucket || d != 0 || u != 0)) {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            bucket
                ? "month intervals cannot have day or time component"
                : "timestamps cannot be binned into intervals containing months or years");
      }
      months = m;
      stride = m != 0 ? m : Math.multiplyExact(Math.addExact(d * Dates.DAY, u), unit);
      if (stride <= 0) {
        throw new MillraceException(
            ErrorCode.DATETIME_FIELD_OVERFLOW,
            bucket ? "period must be greater than 0" : "stride must be greater than zero");
      }
    }

    private long origin(@Nullable Vector third, int i, int m, long unit) {
      long standard = bucket ? (m != 0 ? Dates.EPOCH_2000 : BUCKET_ORIGIN) * unit : 0;
      return switch (third) {
        case null -> standard;
        case LongVector x -> {
          if (TimeMath.infinite(x.get(i))) {
            throw new MillraceException(ErrorCode.DATETIME_FIELD_OVERFLOW, "origin out of range");
          }
          yield x.get(i);
        }
        case IntVector x -> dateMicros(x.get(i));
        case IntervalVector x -> {
          // An offset shifts the standard origin.
          long shift = x.days()[i] * Dates.DAY + x.micros()[i];
          yield TimeMath.add(standard / unit, x.months()[i], 0, shift, null) * unit;
        }
        default -> throw new IllegalStateException("origin");
      };
    }

    private void locate(long t, long unit) {
      if (months == 0) {
        long k = Math.floorDiv(Math.subtractExact(t, origin), stride);
        from = k * stride + origin;
        to = from + stride;
        if (to < from) {
          to = Long.MAX_VALUE;
        }
        return;
      }
      long origins = Dates.civil(Math.floorDiv(origin / unit, Dates.DAY));
      long base = Dates.year(origins) * 12L + Dates.month(origins) - 1;
      long c = Dates.civil(Math.floorDiv(Math.floorDiv(t, unit), Dates.DAY));
      long at = Dates.year(c) * 12L + Dates.month(c) - 1;
      long k = Math.floorDiv(at - base, stride) * stride + base;
      from = monthStart(k) * unit;
      to = monthStart(k + stride) * unit;
    }

    private static long monthStart(long k) {
      return Dates.day(Math.floorDiv(k, 12L), (int) Math.floorMod(k, 12L) + 1, 1) * Dates.DAY;
    }
  }

  /** date_trunc over timestamps. */
  private static final class Truncate implements ScalarKernel {
    private final TypeKind kind;
    private final ZoneOffsets offsets = new ZoneOffsets();
    private String unitName = "";
    private TimeUnits unit = TimeUnits.DAY;
    private String zoneName = "";
    private @Nullable ZoneId namedZone;

    // The last bucket, in local microseconds, and what it became in UTC.
    private long from = 1;
    private long to;
    private long utc;
    private @Nullable ZoneId lastZone;

    Truncate(TypeKind kind) {
      this.kind = kind;
    }

    @Override
    public Vector apply(List<Vector> a, int n, EvalContext c) {
      BytesColumn units = Args.bytes(a, 0);
      long[] in = ((LongVector) a.get(1)).values();
      boolean zoned = kind == TypeKind.TIMESTAMPTZ;
      boolean nanos = kind == TypeKind.TIMESTAMP_NS;
      boolean fixedUnit = Casts.repeated(units);
      SqlType type = nanos ? SqlType.TIMESTAMP_NS : SqlType.of(kind);
      return Build.longs(
          type,
          a,
          n,
          i -> {
            long t = in[i];
            if (TimeMath.infinite(t)) {
              return t;
            }
            if (!fixedUnit || i == 0 || unitName.isEmpty()) {
              unit(units.string(i), type);
            }
            if (nanos) {
              long micros = Math.floorDiv(t, 1000L);
              return local(micros) * 1000;
            }
            if (!zoned) {
              return local(t);
            }
            ZoneId zone = a.size() > 2 ? zone(TextKernels.str(a, 2, i)) : c.format().zone();
            if (zone != lastZone) {
              lastZone = zone;
              from = 1;
              to = 0;
            }
            long offset = offsets.micros(zone, t);
            long before = from;
            long start = local(t + offset);
            switch (unit) {
              case MICROSECONDS, MILLISECONDS, SECOND, MINUTE, HOUR -> {
                return start - offset;
              }
              default -> {
                if (start != before || utc == Long.MIN_VALUE) {
                  utc = Zones.toUtc(zone, start);
                }
                return utc;
              }
            }
          });
    }

    @Override
    public @Nullable StepFunction steps(List<@Nullable Vector> constants, EvalContext c) {
      if (constants.getFirst() == null || constants.get(1) != null || constants.size() > 2) {
        return null;
      }
      String name = ((BytesColumn) constants.getFirst()).string(0);
      ZoneId session = kind == TypeKind.TIMESTAMPTZ ? c.format().zone() : null;
      return new Steps() {
        @Override
        void find(long t) {
          unit(name, SqlType.of(kind));
          if (kind == TypeKind.TIMESTAMP_NS) {
            long start = local(Math.floorDiv(t, 1000L));
            boolean ends = to <= Dates.INFINITY / 1000;
            boolean begins = from >= Dates.MINUS_INFINITY / 1000;
            long all = start * 1000;
            set(begins ? all : t, ends ? to * 1000 : t + 1, all);
          } else if (session == null) {
            long start = local(t);
            set(start, to, start);
          } else {
            zoned(t, session);
          }
        }

        /** The stretch ends where its unit ends, or the offset of its zone. */
        private void zoned(long t, ZoneId zone) {
          long offset = offsets.micros(zone, t);
          long start = local(t + offset);
          boolean days =
              switch (unit) {
                case MICROSECONDS, MILLISECONDS, SECOND, MINUTE, HOUR -> false;
                default -> true;
              };
          long becomes = days ? Zones.toUtc(zone, start) : start - offset;
          set(
              Math.max(start - offset, offsets.from()),
              Math.min(to - offset, offsets.to()),
              becomes);
        }
      };
    }

    private void unit(String name, SqlType type) {
      if (name.equals(unitName)) {
        return;
      }
      TimeUnits u = TimeUnits.require(name, type.sqlName());
      switch (u) {
        case EPOCH, JULIAN, ISOYEAR, DOW, ISODOW, DOY ->
            throw TimeUnits.unknown(name, type.sqlName());
        case TIMEZONE, TIMEZONE_HOUR, TIMEZONE_MINUTE ->
            throw TimeUnits.unsupported(name, type.sqlName());
        default -> {}
      }
      unit = u;
      unitName = name;
      from = 1;
      to = 0;
      utc = Long.MIN_VALUE;
    }

    private ZoneId zone(String name) {
      ZoneId z = namedZone;
      if (z == null || !name.equals(zoneName)) {
        z = Zones.require(name);
        namedZone = z;
        zoneName = name;
      }
      return z;
    }

    /** The start of the unit that local microseconds stand in. */
    private long local(long t) {
      if (t >= from && t < to) {
        return from;
      }
      long size =
          switch (unit) {
            case MICROSECONDS -> 1;
            case MILLISECONDS -> 1000;
            case SECOND -> Dates.SECOND;
            case MINUTE -> Dates.MINUTE;
            case HOUR -> Dates.HOUR;
            case DAY -> Dates.DAY;
            default -> 0;
          };
      utc = Long.MIN_VALUE;
      if (size > 0) {
        from = Math.floorDiv(t, size) * size;
        to = from + size;
        return from;
      }
      long day = Math.floorDiv(t, Dates.DAY);
      if (unit == TimeUnits.WEEK) {
        long monday = day - Math.floorMod(day + 3, 7L);
        from = monday * Dates.DAY;
        to = from + 7 * Dates.DAY;
        return from;
      }
      long c = Dates.civil(day);
      long year = Dates.year(c);
      int month = Dates.month(c);
      long first;
      long next;
      switch (unit) {
        case MONTH -> {
          first = Dates.day(year, month, 1);
          next = first + Dates.daysInMonth(year, month);
        }
        case QUARTER -> {
          int q = (month - 1) / 3 * 3 + 1;
          first = Dates.day(year, q, 1);
          next = q == 10 ? Dates.day(year + 1, 1, 1) : Dates.day(year, q + 3, 1);
        }
        default -> {
          long start =
              switch (unit) {
                case DECADE -> Math.floorDiv(year, 10L) * 10;
                case CENTURY ->
                    year > 0 ? (year + 99) / 100 * 100 - 99 : -((99 - (year - 1)) / 100) * 100 + 1;
                case MILLENNIUM ->
                    year > 0
                        ? (year + 999) / 1000 * 1000 - 999
                        : -((999 - (year - 1)) / 1000) * 1000 + 1;
                default -> year;
              };
          long span =
              switch (unit) {
                case DECADE -> 10;
                case CENTURY -> 100;
                case MILLENNIUM -> 1000;
                default -> 1;
              };
          first = Dates.day(start, 1, 1);
          next = Dates.day(start + span, 1, 1);
        }
      }
      from = first * Dates.DAY;
      to = next * Dates.DAY;
      return from;
    }
  }

  private static Vector truncateInterval(List<Vector> a, int n, EvalContext c) {
    BytesColumn units = Args.bytes(a, 0);
    IntervalVector v = Args.intervals(a, 1);
    return Build.intervals(
        SqlType.INTERVAL,
        a,
        n,
        (i, out) -> {
          int m = v.months()[i];
          int d = v.days()[i];
          long u = v.micros()[i];
          TimeUnits unit = TimeUnits.require(units.string(i), "interval");
          switch (unit) {
            case MILLENNIUM -> out.append(m / 12_000 * 12_000, 0, 0);
            case CENTURY -> out.append(m / 1200 * 1200, 0, 0);
            case DECADE -> out.append(m / 120 * 120, 0, 0);
            case YEAR -> out.append(m / 12 * 12, 0, 0);
            case QUARTER -> out.append(m / 3 * 3, 0, 0);
            case MONTH -> out.append(m, 0, 0);
            case DAY -> out.append(m, d, 0);
            case HOUR -> out.append(m, d, u / Dates.HOUR * Dates.HOUR);
            case MINUTE -> out.append(m, d, u / Dates.MINUTE * Dates.MINUTE);
            case SECOND -> out.append(m, d, u / Dates.SECOND * Dates.SECOND);
            case MILLISECONDS -> out.append(m, d, u / 1000 * 1000);
            case MICROSECONDS -> out.append(m, d, u);
            case WEEK ->
                throw TimeUnits.unsupported(units.string(i), "interval")
                    .withDetail("Months usually have fractional weeks.");
            case EPOCH, JULIAN, ISOYEAR, DOW, ISODOW, DOY ->
                throw TimeUnits.unknown(units.string(i), "interval");
            default -> throw TimeUnits.unsupported(units.string(i), "interval");
          }
        });
  }
}

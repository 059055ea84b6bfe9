package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.TimeTz;
import io.millrace.common.type.io.ZoneOffsets;
import java.math.BigDecimal;
import java.util.List;

/**
 * extract (numeric) and date_part (double). Every field is an integer over a power of ten, but for
 * Julian days of timestamps; infinities answer for the fields that only grow.
 */
final class ExtractKernels {
  private ExtractKernels() {}

  static void register(FunctionRegistry.Builder b) {
    for (String t :
        new String[] {"date", "timestamp", "timestamptz", "time", "timetz", "interval"}) {
      b.scalar("extract(text," + t + ")", (types, _) -> new Kernel(types.get(1), true)::apply);
      b.scalar("date_part(text," + t + ")", (types, _) -> new Kernel(types.get(1), false)::apply);
    }
  }

  private static final class Kernel {
    private final SqlType type;
    private final boolean numeric;
    private final ZoneOffsets offsets = new ZoneOffsets();
    private String unitName = "";
    private TimeUnits unit = TimeUnits.EPOCH;

    Kernel(SqlType type, boolean numeric) {
      this.type = type;
      this.numeric = numeric;
    }

    Vector apply(List<Vector> args, int n, EvalContext c) {
      BytesColumn units = Args.bytes(args, 0);
      Vector v = args.get(1);
      long[] validity = Args.validity(args, n);
      boolean fixedUnit = Casts.repeated(units) && n > 0;
      var numerics = numeric ? (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, n) : null;
      var doubles = numeric ? null : (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, n);
      VectorBuilder out = numerics != null ? numerics : java.util.Objects.requireNonNull(doubles);
      for (int i = 0; i < n; i++) {
        if (!Args.valid(validity, i)) {
          out.appendNull();
          continue;
        }
        if (i == 0 || !fixedUnit || unitName.isEmpty()) {
          String name = units.string(i);
          if (!name.equals(unitName)) {
            unit = TimeUnits.require(name, type.sqlName());
            unitName = name;
          }
        }
        long scaled = 0;
        int scale = 0;
        switch (v) {
          case IntervalVector x -> {
            scale = intervalScale();
            scaled = interval(x.months()[i], x.days()[i], x.micros()[i]);
          }
          case IntVector x -> {
            int day = x.get(i);
            if (day == Dates.DATE_INFINITY || day == Dates.DATE_MINUS_INFINITY) {
              infinite(out, day > 0);
              continue;
            }
            scaled = day(day);
          }
          case LongVector x -> {
            long t = x.get(i);
            if (type.kind() == TypeKind.TIME || type.kind() == TypeKind.TIMETZ) {
              scale = timeScale();
              scaled = time(t);
            } else {
              if (TimeMath.infinite(t)) {
                infinite(out, t > 0);
                continue;
              }
              boolean zoned = type.kind() == TypeKind.TIMESTAMPTZ;
              long offset = zoned ? offsets.micros(c.format().zone(), t) : 0;
              long local = t + offset;
              if (unit == TimeUnits.JULIAN) {
                julian(local, numerics, doubles);
                continue;
              }
              scale = timestampScale();
              scaled = timestamp(t, local, offset, zoned);
            }
          }
          default -> throw new IllegalStateException("layout");
        }
        if (numerics != null) {
          numerics.append(scaled, scale);
        } else if (doubles != null) {
          doubles.append(
              scale == 0
                  ? scaled
                  : scaled / (double) io.millrace.common.type.io.NumericText.power(scale));
        }
      }
      return out.build();
    }

    private void infinite(VectorBuilder out, boolean positive) {
      switch (unit) {
        case YEAR, DECADE, CENTURY, MILLENNIUM, JULIAN, ISOYEAR, EPOCH -> {
          if (out instanceof VectorBuilder.Numerics x) {
            x.appendSpecial(
                positive ? NumericVector.POSITIVE_INFINITY : NumericVector.NEGATIVE_INFINITY);
          } else {
            ((VectorBuilder.Doubles) out)
                .append(positive ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY);
          }
        }
        default -> out.appendNull();
      }
    }

    private void julian(
        long local,
        VectorBuilder.@org.jspecify.annotations.Nullable Numerics numerics,
        VectorBuilder.@org.jspecify.annotations.Nullable Doubles doubles) {
      long day = Math.floorDiv(local, Dates.DAY) + 2_440_588;
      long time = Math.floorMod(local, Dates.DAY);
      if (numerics != null) {
        BigDecimal fraction =
            Decimals.divide(BigDecimal.valueOf(time), BigDecimal.valueOf(Dates.DAY));
        numerics.append(BigDecimal.valueOf(day).add(fraction));
      } else if (doubles != null) {
        doubles.append(day + time / (double) Dates.DAY);
      }
    }

    private long unsupported() {
      throw TimeUnits.unsupported(unitName, type.sqlName());
    }

    private int timestampScale() {
      return switch (unit) {
        case EPOCH, SECOND -> 6;
        case MILLISECONDS -> 3;
        default -> 0;
      };
    }

    private long timestamp(long t, long local, long offset, boolean zoned) {
      long time = Math.floorMod(local, Dates.DAY);
      return switch (unit) {
        case MICROSECONDS, MILLISECONDS, SECOND -> time % Dates.MINUTE;
        case MINUTE -> time / Dates.MINUTE % 60;
        case HOUR -> time / Dates.HOUR;
        case EPOCH -> t;
        case TIMEZONE -> zoned ? offset / Dates.SECOND : unsupported();
        case TIMEZONE_HOUR -> zoned ? offset / Dates.HOUR : unsupported();
        case TIMEZONE_MINUTE -> zoned ? offset / Dates.MINUTE % 60 : unsupported();
        default -> day(Math.floorDiv(local, Dates.DAY));
      };
    }

    private long day(long day) {
      switch (unit) {
        case EPOCH -> {
          return day * 86_400;
        }
        case JULIAN -> {
          return day + 2_440_588;
        }
        case DOW -> {
          return Dates.dayOfWeek(day);
        }
        case ISODOW -> {
          int d = Dates.dayOfWeek(day);
          return d == 0 ? 7 : d;
        }
        case WEEK -> {
          return Math.floorMod(Dates.isoWeek(day), 100L);
        }
        case ISOYEAR -> {
          long y = Math.floorDiv(Dates.isoWeek(day), 100L);
          return y <= 0 ? y - 1 : y;
        }
        case DOY -> {
          return Dates.dayOfYear(day);
        }
        default -> {
          long c = Dates.civil(day);
          long year = Dates.year(c);
          return switch (unit) {
            case DAY -> Dates.dom(c);
            case MONTH -> Dates.month(c);
            case QUARTER -> (Dates.month(c) - 1) / 3 + 1;
            case YEAR -> year > 0 ? year : year - 1;
            case DECADE -> Math.floorDiv(year, 10L);
            case CENTURY -> year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100);
            case MILLENNIUM -> year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000);
            default -> unsupported();
          };
        }
      }
    }

    private int timeScale() {
      return timestampScale();
    }

    private long time(long packed) {
      boolean zoned = type.kind() == TypeKind.TIMETZ;
      long t = zoned ? TimeTz.micros(packed) : packed;
      int east = zoned ? -TimeTz.west(packed) : 0;
      return switch (unit) {
        case MICROSECONDS, MILLISECONDS, SECOND -> t % Dates.MINUTE;
        case MINUTE -> t / Dates.MINUTE % 60;
        case HOUR -> t / Dates.HOUR;
        case EPOCH -> t - east * Dates.SECOND;
        case TIMEZONE -> zoned ? east : unsupported();
        case TIMEZONE_HOUR -> zoned ? east / 3600 : unsupported();
        case TIMEZONE_MINUTE -> zoned ? east / 60 % 60 : unsupported();
        default -> unsupported();
      };
    }

    private int intervalScale() {
      return timestampScale();
    }

    private long interval(int months, int days, long micros) {
      int years = months / 12;
      return switch (unit) {
        case MICROSECONDS, MILLISECONDS, SECOND -> micros % Dates.MINUTE;
        case MINUTE -> micros / Dates.MINUTE % 60;
        case HOUR -> micros / Dates.HOUR;
        case DAY -> days;
        case MONTH -> months % 12;
        case QUARTER -> months % 12 / 3 + 1;
        case YEAR -> years;
        case DECADE -> years / 10;
        case CENTURY -> years / 100;
        case MILLENNIUM -> years / 1000;
        case EPOCH ->
            Math.addExact(
                Math.multiplyExact(
                    years * 31_557_600L + months % 12 * 2_592_000L + days * 86_400L, 1_000_000L),
                micros);
        default -> unsupported();
      };
    }
  }
}

package io.millrace.sql.exec.function;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.List;
import java.util.Locale;

/** date_add, date_sub, date_format (strftime's templates) and to_unixtime. */
final class CompatTime {
  private static final List<String> INSTANTS = List.of("timestamp", "timestamptz", "timestamp_ns");

  private CompatTime() {}

  static void register(FunctionRegistry.Builder b) {
    registerInstants(b);
    for (String t : INSTANTS) {
      b.simple("date_add(" + t + ",interval)", (a, n, c) -> shift(a, n, c, 1));
      b.simple("date_sub(" + t + ",interval)", (a, n, c) -> shift(a, n, c, -1));
      b.simple("to_unixtime(" + t + ")", (a, n, _) -> seconds(a, n));
      b.simple("date_format(" + t + ",text)", CompatTime::format);
    }
    b.simple("date_add(date,interval)", (a, n, _) -> days(a, n, 1));
    b.simple("date_sub(date,interval)", (a, n, _) -> days(a, n, -1));
    b.simple("date_format(date,text)", CompatTime::format);
    b.simple(
        "to_unixtime(date)",
        (a, n, _) ->
            Build.longs(SqlType.INT8, a, n, i -> Args.ints(a, 0)[i] * (Dates.DAY / Dates.SECOND)));
    b.simple("to_unixtime(int8)", (a, _, _) -> a.getFirst());
    b.scalar(
        "to_unixtime(text)",
        (t, _) -> {
          ScalarKernel read = Casts.bind(t.getFirst(), SqlType.TIMESTAMPTZ, true);
          return (a, n, c) -> seconds(List.of(read.apply(a, n, c)), n);
        });
  }

  /** Integers as instants, in the unit of the name's digits. */
  private static void registerInstants(FunctionRegistry.Builder b) {
    for (SqlType t : List.of(SqlType.TIMESTAMP, SqlType.TIMESTAMPTZ)) {
      b.simple("instant0(int8):" + t.typname(), (a, n, _) -> instants(t, 1_000_000, a, n));
      b.simple("instant3(int8):" + t.typname(), (a, n, _) -> instants(t, 1000, a, n));
      b.simple("instant6(int8):" + t.typname(), (a, n, _) -> instants(t, 1, a, n));
    }
    SqlType nanos = SqlType.TIMESTAMP_NS;
    b.simple("instant9(int8):" + nanos.typname(), (a, n, _) -> instants(nanos, 1, a, n));
  }

  private static Vector instants(SqlType type, long factor, List<Vector> a, int n) {
    var v = (LongVector) a.getFirst();
    return Build.longs(
        type,
        a,
        n,
        i -> {
          long high = Math.multiplyHigh(v.get(i), factor);
          long low = v.get(i) * factor;
          if ((high != 0 || low < 0) && (high != -1 || low >= 0)) {
            throw Errors.datetimeOutOfRange("timestamp");
          }
          return low;
        });
  }

  private static Vector seconds(List<Vector> a, int n) {
    boolean nanos = a.getFirst().type().kind() == TypeKind.TIMESTAMP_NS;
    long unit = nanos ? Dates.SECOND * 1000 : Dates.SECOND;
    var v = (LongVector) a.getFirst();
    return Build.longs(
        SqlType.INT8,
        a,
        n,
        i -> {
          if (!nanos && TimeMath.infinite(v.get(i))) {
            throw Errors.datetimeOutOfRange("timestamp");
          }
          return Math.floorDiv(v.get(i), unit);
        });
  }

  private static Vector shift(List<Vector> a, int n, EvalContext c, int sign) {
    var t = (LongVector) a.getFirst();
    IntervalVector v = Args.intervals(a, 1);
    TypeKind kind = t.type().kind();
    ZoneId zone = kind == TypeKind.TIMESTAMPTZ ? c.format().zone() : null;
    long unit = kind == TypeKind.TIMESTAMP_NS ? 1000 : 1;
    return Build.longs(
        t.type(),
        a,
        n,
        i -> {
          long x = t.get(i);
          if (TimeMath.infinite(x)) {
            return x;
          }
          long r =
              TimeMath.add(
                  Math.floorDiv(x, unit),
                  sign * v.months()[i],
                  sign * v.days()[i],
                  sign * v.micros()[i],
                  zone);
          return unit == 1 ? r : Casts.nanos(r) + Math.floorMod(x, unit);
        });
  }

  /** A date stays one: what an interval has below days is counted in whole days. */
  private static Vector days(List<Vector> a, int n, int sign) {
    int[] d = Args.ints(a, 0);
    IntervalVector v = Args.intervals(a, 1);
    return Build.ints(
        SqlType.DATE,
        a,
        n,
        i -> {
          if (d[i] == Dates.DATE_INFINITY || d[i] == Dates.DATE_MINUS_INFINITY) {
            return d[i];
          }
          if (d[i] < Dates.MIN_DAY || d[i] >= Dates.END_MICROS / Dates.DAY) {
            throw Errors.datetimeOutOfRange("date");
          }
          long r =
              TimeMath.add(
                  d[i] * Dates.DAY,
                  sign * v.months()[i],
                  sign * v.days()[i],
                  sign * v.micros()[i],
                  null);
          return (int) Math.floorDiv(r, Dates.DAY);
        });
  }

  private static Vector format(List<Vector> a, int n, EvalContext c) {
    return Build.text(
        SqlType.TEXT, a, n, i -> format(local(a.getFirst(), i, c), TextKernels.str(a, 1, i)));
  }

  private static ZonedDateTime local(Vector v, int i, EvalContext c) {
    if (v instanceof IntVector d) {
      if (d.get(i) == Dates.DATE_INFINITY || d.get(i) == Dates.DATE_MINUS_INFINITY) {
        throw Errors.datetimeOutOfRange("date");
      }
      return Instant.EPOCH.plus(d.get(i), ChronoUnit.DAYS).atZone(ZoneOffset.UTC);
    }
    long x = ((LongVector) v).get(i);
    if (v.type().kind() == TypeKind.TIMESTAMP_NS) {
      return Instant.EPOCH.plusNanos(x).atZone(ZoneOffset.UTC);
    }
    if (TimeMath.infinite(x)) {
      throw Errors.datetimeOutOfRange("timestamp");
    }
    ZoneId zone = v.type().kind() == TypeKind.TIMESTAMPTZ ? c.format().zone() : ZoneOffset.UTC;
    return Instant.EPOCH.plus(x, ChronoUnit.MICROS).atZone(zone);
  }

  private static String format(ZonedDateTime t, String template) {
    var out = new StringBuilder();
    for (int k = 0; k < template.length(); k++) {
      char ch = template.charAt(k);
      if (ch != '%') {
        out.append(ch);
        continue;
      }
      int end = k + 1;
      boolean dot = end < template.length() && template.charAt(end) == '.';
      end += dot ? 1 : 0;
      int digits = 0;
      if (end < template.length() && "369".indexOf(template.charAt(end)) >= 0) {
        digits = template.charAt(end++) - '0';
      }
      if (end >= template.length() || (dot || digits > 0) && template.charAt(end) != 'f') {
        throw unknown(template.substring(k, Math.min(end + 1, template.length())));
      }
      if (template.charAt(end) == 'f') {
        String nanos = String.format(Locale.ROOT, "%09d", t.getNano());
        out.append(dot ? "." : "").append(nanos, 0, digits == 0 ? 9 : digits);
      } else {
        field(t, template.charAt(end), out);
      }
      k = end;
    }
    return out.toString();
  }

  private static void field(ZonedDateTime t, char f, StringBuilder out) {
    switch (f) {
      case 'Y' -> out.append(number(t.getYear(), 4));
      case 'y' -> out.append(number(Math.floorMod(t.getYear(), 100), 2));
      case 'C' -> out.append(number(Math.floorDiv(t.getYear(), 100), 2));
      case 'm' -> out.append(number(t.getMonthValue(), 2));
      case 'd' -> out.append(number(t.getDayOfMonth(), 2));
      case 'e' -> out.append(String.format(Locale.ROOT, "%2d", t.getDayOfMonth()));
      case 'j' -> out.append(number(t.getDayOfYear(), 3));
      case 'H' -> out.append(number(t.getHour(), 2));
      case 'I' -> out.append(number(t.get(ChronoField.CLOCK_HOUR_OF_AMPM), 2));
      case 'M' -> out.append(number(t.getMinute(), 2));
      case 'S' -> out.append(number(t.getSecond(), 2));
      case 'p' -> out.append(t.getHour() < 12 ? "AM" : "PM");
      case 'b', 'h' -> out.append(t.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH));
      case 'B' -> out.append(t.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
      case 'a' -> out.append(t.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH));
      case 'A' -> out.append(t.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
      case 'u' -> out.append(t.getDayOfWeek().getValue());
      case 'w' -> out.append(t.getDayOfWeek().getValue() % 7);
      case 'V' -> out.append(number(t.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2));
      case 'G' -> out.append(number(t.get(IsoFields.WEEK_BASED_YEAR), 4));
      case 's' -> out.append(t.toEpochSecond());
      case 'z' -> out.append(DateTimeFormatter.ofPattern("xx", Locale.ROOT).format(t));
      case 'Z' -> out.append(t.getZone().getDisplayName(TextStyle.SHORT, Locale.ENGLISH));
      case 'F' -> out.append(format(t, "%Y-%m-%d"));
      case 'D' -> out.append(format(t, "%m/%d/%y"));
      case 'T' -> out.append(format(t, "%H:%M:%S"));
      case 'R' -> out.append(format(t, "%H:%M"));
      case 'n' -> out.append('\n');
      case 't' -> out.append('\t');
      case '%' -> out.append('%');
      default -> throw unknown("%" + f);
    }
  }

  private static String number(int value, int width) {
    return String.format(Locale.ROOT, "%0" + width + "d", value);
  }

  private static RuntimeException unknown(String field) {
    return Errors.invalidParameter("unknown field \"" + field + "\" in the template of a date");
  }
}

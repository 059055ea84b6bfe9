package io.millrace.sql.exec.function;

import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.Zones;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** Arithmetic of instants and intervals, in PostgreSQL's steps: months, then days, then time. */
final class TimeMath {
  private TimeMath() {}

  static boolean infinite(long micros) {
    return micros == Dates.INFINITY || micros == Dates.MINUS_INFINITY;
  }

  static long checked(long micros, String type) {
    if (!Dates.validMicros(micros)) {
      throw Errors.datetimeOutOfRange(type);
    }
    return micros;
  }

  /**
   * Adds an interval.
   *
   * @param zone where months and days are counted; null for timestamps without one
   */
  static long add(long at, int months, int days, long micros, @Nullable ZoneId zone) {
    if (infinite(at)) {
      return at;
    }
    long t = at;
    if (months != 0 || days != 0) {
      long local = zone == null ? t : Zones.toLocal(zone, t);
      long day = Math.floorDiv(local, Dates.DAY);
      long time = local - day * Dates.DAY;
      if (months != 0) {
        day = Dates.addMonths(day, months);
      }
      day += days;
      if (day < Dates.MIN_DAY || day >= 106_751_990L) {
        throw Errors.datetimeOutOfRange("timestamp");
      }
      t = day * Dates.DAY + time;
      t = zone == null ? t : Zones.toUtc(zone, t);
    }
    long r = t + micros;
    if (((t ^ r) & (micros ^ r)) < 0) {
      throw Errors.datetimeOutOfRange("timestamp");
    }
    return checked(r, "timestamp");
  }

  private static double rounded(double v) {
    return Math.rint(v * 1e6) / 1e6;
  }

  static void multiply(
      int months, int days, long micros, double factor, VectorBuilder.Intervals out) {
    scale(months * factor, days * factor, micros * factor, out);
  }

  static void divide(
      long months, long days, long micros, double divisor, VectorBuilder.Intervals out) {
    if (divisor == 0) {
      throw Errors.divisionByZero();
    }
    scale(months / divisor, days / divisor, micros / divisor, out);
  }

  /** Fractions of months go to days, fractions of days to the time. */
  private static void scale(
      double months, double days, double micros, VectorBuilder.Intervals out) {
    if (!(Math.abs(months) <= Integer.MAX_VALUE) || !(Math.abs(days) <= Integer.MAX_VALUE)) {
      throw Errors.datetimeOutOfRange("interval");
    }
    int m = (int) months;
    long d = (int) days;
    double restDays = rounded((months - m) * 30);
    double seconds = rounded((days - d + restDays - (int) restDays) * 86_400);
    if (Math.abs(seconds) >= 86_400) {
      int whole = (int) (seconds / 86_400);
      d += whole;
      seconds -= whole * 86_400.0;
    }
    d += (int) restDays;
    double u = Math.rint(micros + seconds * 1e6);
    if (!(Math.abs(u) < 9.2e18) || d != (int) d) {
      throw Errors.datetimeOutOfRange("interval");
    }
    out.append(m, (int) d, (long) u);
  }

  /** PostgreSQL's age(): the difference in years, months, days and time, from local times. */
  static void age(long a, long b, VectorBuilder.Intervals out) {
    boolean negative = a < b;
    long hi = negative ? b : a;
    long lo = negative ? a : b;
    long dayHi = Math.floorDiv(hi, Dates.DAY);
    long dayLo = Math.floorDiv(lo, Dates.DAY);
    long ch = Dates.civil(dayHi);
    long cl = Dates.civil(dayLo);
    long time = (hi - dayHi * Dates.DAY) - (lo - dayLo * Dates.DAY);
    int days = Dates.dom(ch) - Dates.dom(cl);
    int months = (Dates.year(ch) - Dates.year(cl)) * 12 + Dates.month(ch) - Dates.month(cl);
    if (time < 0) {
      time += Dates.DAY;
      days--;
    }
    while (days < 0) {
      // Days are borrowed from the month that the earlier date stands in.
      days += Dates.daysInMonth(Dates.year(cl), Dates.month(cl));
      months--;
    }
    if (negative) {
      out.append(-months, -days, -time);
    } else {
      out.append(months, days, time);
    }
  }
}

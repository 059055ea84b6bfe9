package io.millrace.common.type.io;

/** The proleptic Gregorian calendar in days since 1970-01-01; years before 1 are 0, -1, … */
public final class Dates {
  public static final long DAY = 86_400_000_000L;
  public static final long HOUR = 3_600_000_000L;
  public static final long MINUTE = 60_000_000L;
  public static final long SECOND = 1_000_000L;

  /** Microseconds from 1970-01-01 to PostgreSQL's zero, 2000-01-01. */
  public static final long EPOCH_2000 = 946_684_800_000_000L;

  /** Days from 1970-01-01 to 2000-01-01. */
  public static final int DAYS_2000 = 10_957;

  /** The day number of 4714-11-24 BC, PostgreSQL's first date. */
  public static final int MIN_DAY = -2_440_588;

  /** One past 5874897-12-31. */
  public static final int END_DAY = 2_145_042_906;

  /** One past the last timestamp, 294247-01-08: the last whole day that a long holds. */
  public static final long END_MICROS = 106_751_990L * DAY;

  /** The first timestamp. */
  public static final long MIN_MICROS = MIN_DAY * DAY;

  public static final long INFINITY = Long.MAX_VALUE;
  public static final long MINUS_INFINITY = Long.MIN_VALUE;
  public static final int DATE_INFINITY = Integer.MAX_VALUE;
  public static final int DATE_MINUS_INFINITY = Integer.MIN_VALUE;

  private Dates() {}

  public static boolean leap(long year) {
    return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  public static int daysInMonth(long year, int month) {
    return switch (month) {
      case 4, 6, 9, 11 -> 30;
      case 2 -> leap(year) ? 29 : 28;
      default -> 31;
    };
  }

  /** Day number of a date; month and day may be anything that is counted on from the year. */
  public static long day(long year, int month, int day) {
    long y = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(y, 400L);
    long yoe = y - era * 400;
    long doy = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    long doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146_097 + doe - 719_468;
  }

  /**
   * Year, month and day of a day number, packed: see {@link #year}, {@link #month}, {@link #dom}.
   */
  public static long civil(long day) {
    long z = day + 719_468;
    long era = Math.floorDiv(z, 146_097L);
    long doe = z - era * 146_097;
    long yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    long doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    long mp = (5 * doy + 2) / 153;
    long d = doy - (153 * mp + 2) / 5 + 1;
    long m = mp < 10 ? mp + 3 : mp - 9;
    long y = yoe + era * 400 + (m <= 2 ? 1 : 0);
    return y << 16 | m << 8 | d;
  }

  public static int year(long civil) {
    return (int) (civil >> 16);
  }

  public static int month(long civil) {
    return (int) (civil >> 8 & 0xff);
  }

  public static int dom(long civil) {
    return (int) (civil & 0xff);
  }

  /** 0 = Sunday … 6 = Saturday. */
  public static int dayOfWeek(long day) {
    return (int) Math.floorMod(day + 4, 7L);
  }

  public static int dayOfYear(long day) {
    return (int) (day - day(year(civil(day)), 1, 1)) + 1;
  }

  /** ISO week and its year: year × 100 + week. */
  public static long isoWeek(long day) {
    long thursday = day + 3 - Math.floorMod(day + 3, 7L);
    long year = year(civil(thursday));
    return year * 100 + (thursday - day(year, 1, 1)) / 7 + 1;
  }

  public static boolean validMicros(long micros) {
    return micros >= MIN_MICROS && micros < END_MICROS;
  }

  /** Adds months to a day number, the day cut to the month's length. */
  public static long addMonths(long day, long months) {
    long c = civil(day);
    long total = year(c) * 12L + month(c) - 1 + months;
    long y = Math.floorDiv(total, 12L);
    int m = (int) Math.floorMod(total, 12L) + 1;
    return day(y, m, Math.min(dom(c), daysInMonth(y, m)));
  }

  /**
   * Rounds microseconds since 1970 to so many fractional digits of a second, halves away from
   * 2000-01-01 as PostgreSQL does.
   */
  public static long round(long micros, int digits) {
    if (digits < 0 || digits >= 6 || micros == INFINITY || micros == MINUS_INFINITY) {
      return micros;
    }
    return roundFromZero(micros - EPOCH_2000, digits) + EPOCH_2000;
  }

  /** Rounds a span, halves away from zero. */
  public static long roundFromZero(long micros, int digits) {
    if (digits < 0 || digits >= 6) {
      return micros;
    }
    long scale = NumericText.power(6 - digits);
    long half = scale / 2;
    return micros >= 0 ? (micros + half) / scale * scale : -((-micros + half) / scale * scale);
  }
}

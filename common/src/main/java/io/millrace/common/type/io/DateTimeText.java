package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.SessionFormat.DateOrder;
import io.millrace.common.type.io.SessionFormat.DateStyle;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.TimeZone;

/** Dates and times to and from text in any form; the codecs put fast paths before it. */
public final class DateTimeText {
  /** For callers without a clock: "now" and "today" are refused. */
  public static final long NO_CLOCK = Long.MIN_VALUE;

  private static final String[] DAYS = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  private static final String[] MONTHS = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
  };

  private DateTimeText() {}

  /** A date as days since 1970. */
  public static int parseDate(String text, SessionFormat format, long now) {
    var p = new DateTimeParser(text, "date", format, now).parse(false);
    if (p.infinity) {
      return Dates.DATE_INFINITY;
    }
    if (p.minusInfinity) {
      return Dates.DATE_MINUS_INFINITY;
    }
    long day = p.dayNumber();
    if (day < Dates.MIN_DAY || day >= Dates.END_DAY) {
      throw Problems.datetimeRange("date", text);
    }
    return (int) day;
  }

  /**
   * A timestamp as microseconds since 1970.
   *
   * @param zoned with time zone: the text's zone or the session's counts; else a zone is ignored
   */
  public static long parseTimestamp(String text, boolean zoned, SessionFormat format, long now) {
    var p = parse(text, zoned, format, now);
    if (p.infinity) {
      return Dates.INFINITY;
    }
    if (p.minusInfinity) {
      return Dates.MINUS_INFINITY;
    }
    long day = p.dayNumber();
    if (day < Dates.MIN_DAY || day >= 106_751_990) {
      throw Problems.datetimeRange("timestamp", text);
    }
    long micros = zone(p, day * Dates.DAY + p.timeMicros(), zoned, format);
    if (!Dates.validMicros(micros)) {
      throw Problems.datetimeRange("timestamp", text);
    }
    return micros;
  }

  /** A timestamp without time zone as nanoseconds since 1970. */
  public static long parseNanos(String text, SessionFormat format, long now) {
    var p = parse(text, false, format, now);
    if (p.infinity) {
      return Dates.INFINITY;
    }
    if (p.minusInfinity) {
      return Dates.MINUS_INFINITY;
    }
    long seconds = p.dayNumber() * 86_400 + (p.hour * 60L + p.minute) * 60 + p.second;
    if (seconds <= -9_223_372_036L || seconds >= 9_223_372_036L) {
      throw Problems.datetimeRange("timestamp", text);
    }
    return seconds * 1_000_000_000L + p.nanos;
  }

  private static DateTimeParser parse(String text, boolean zoned, SessionFormat format, long now) {
    String type = zoned ? "timestamp with time zone" : "timestamp";
    return new DateTimeParser(text, type, format, now).parse(false);
  }

  private static long zone(DateTimeParser p, long local, boolean zoned, SessionFormat format) {
    if (!zoned) {
      return local;
    }
    ZoneId zone = p.zone;
    Integer offset = p.offset;
    if (offset != null) {
      return local - offset * Dates.SECOND;
    }
    return Zones.toUtc(zone == null ? format.zone() : zone, local);
  }

  /** A time of day in microseconds. */
  public static long parseTime(String text, SessionFormat format, long now) {
    var p = new DateTimeParser(text, "time", format, now).parse(true);
    if (p.infinity || p.minusInfinity || p.epoch) {
      throw p.bad();
    }
    return p.timeMicros();
  }

  /** A packed time with time zone, see {@link TimeTz}. */
  public static long parseTimeTz(String text, SessionFormat format, long now) {
    var p = new DateTimeParser(text, "time with time zone", format, now).parse(true);
    if (p.infinity || p.minusInfinity || p.epoch) {
      throw p.bad();
    }
    Integer offset = p.offset;
    if (offset == null) {
      ZoneId zone = p.zone == null ? format.zone() : p.zone;
      if (p.hasDate()) {
        long local = p.dayNumber() * Dates.DAY + p.timeMicros();
        offset = Zones.offsetOfLocal(zone.getRules(), Math.floorDiv(local, Dates.SECOND));
      } else if (zone.getRules().isFixedOffset()) {
        offset = zone.getRules().getOffset(Instant.EPOCH).getTotalSeconds();
      } else if (p.zone != null || now == NO_CLOCK) {
        offset = zone.getRules().getStandardOffset(Instant.EPOCH).getTotalSeconds();
      } else {
        offset = Zones.offsetAt(zone, now);
      }
    }
    return TimeTz.pack(p.timeMicros(), -offset);
  }

  static void writeDate(int day, SessionFormat format, ByteSink out) {
    if (day == Dates.DATE_INFINITY) {
      out.putText("infinity");
    } else if (day == Dates.DATE_MINUS_INFINITY) {
      out.putText("-infinity");
    } else {
      long c = Dates.civil(day);
      writeDay(c, format, out);
      bc(c, out);
    }
  }

  private static void bc(long civil, ByteSink out) {
    if (Dates.year(civil) <= 0) {
      out.putText(" BC");
    }
  }

  private static void writeYear(long civil, ByteSink out) {
    int year = Dates.year(civil);
    int shown = year > 0 ? year : 1 - year;
    out.putDigits(shown, Math.max(4, ByteSink.digits(shown)));
  }

  /** The date in the style's form, without BC. */
  private static void writeDay(long c, SessionFormat format, ByteSink out) {
    DateStyle style = format.dateStyle();
    if (style == DateStyle.ISO) {
      writeYear(c, out);
      out.put('-');
      out.putDigits(Dates.month(c), 2);
      out.put('-');
      out.putDigits(Dates.dom(c), 2);
      return;
    }
    int separator = style == DateStyle.GERMAN ? '.' : style == DateStyle.SQL ? '/' : '-';
    boolean dayFirst = style == DateStyle.GERMAN || format.dateOrder() == DateOrder.DMY;
    out.putDigits(dayFirst ? Dates.dom(c) : Dates.month(c), 2);
    out.put(separator);
    out.putDigits(dayFirst ? Dates.month(c) : Dates.dom(c), 2);
    out.put(separator);
    writeYear(c, out);
  }

  /** hh:mm:ss and the fraction without trailing zeros; nanoseconds of the day. */
  static void writeTime(long nanosOfDay, ByteSink out) {
    long seconds = nanosOfDay / 1_000_000_000L;
    out.putDigits(seconds / 3600, 2);
    out.put(':');
    out.putDigits(seconds / 60 % 60, 2);
    out.put(':');
    out.putDigits(seconds % 60, 2);
    writeFraction((int) (nanosOfDay % 1_000_000_000L), out);
  }

  static void writeFraction(int nanos, ByteSink out) {
    if (nanos == 0) {
      return;
    }
    int digits = 9;
    int f = nanos;
    if (f % 1000 == 0) {
      f /= 1000;
      digits = 6;
    }
    while (f % 10 == 0) {
      f /= 10;
      digits--;
    }
    out.put('.');
    out.putDigits(f, digits);
  }

  /** {@code +05:30}, {@code -08}: minutes and seconds only where there are any. */
  public static void writeOffset(int seconds, ByteSink out) {
    int abs = Math.abs(seconds);
    out.put(seconds < 0 ? '-' : '+');
    out.putDigits(abs / 3600, 2);
    if (abs % 3600 != 0) {
      out.put(':');
      out.putDigits(abs / 60 % 60, 2);
      if (abs % 60 != 0) {
        out.put(':');
        out.putDigits(abs % 60, 2);
      }
    }
  }

  /**
   * A finite timestamp.
   *
   * @param localSeconds seconds of the shown clock since 1970
   * @param zone null for timestamps without one
   * @param offset seconds east, shown with the zone
   */
  static void writeTimestamp(
      long localSeconds,
      int nanos,
      @org.jspecify.annotations.Nullable ZoneId zone,
      int offset,
      SessionFormat format,
      ByteSink out) {
    long day = Math.floorDiv(localSeconds, 86_400L);
    long time = Math.floorMod(localSeconds, 86_400L) * 1_000_000_000L + nanos;
    long c = Dates.civil(day);
    switch (format.dateStyle()) {
      case ISO -> {
        writeDay(c, format, out);
        out.put(' ');
        writeTime(time, out);
        if (zone != null) {
          writeOffset(offset, out);
        }
      }
      case SQL, GERMAN -> {
        writeDay(c, format, out);
        out.put(' ');
        writeTime(time, out);
        writeZoneName(zone, localSeconds - offset, offset, out);
      }
      case POSTGRES -> {
        out.putText(DAYS[Dates.dayOfWeek(day)]);
        out.put(' ');
        boolean dayFirst = format.dateOrder() == DateOrder.DMY;
        if (dayFirst) {
          out.putDigits(Dates.dom(c), 2);
          out.put(' ');
        }
        out.putText(MONTHS[Dates.month(c) - 1]);
        out.put(' ');
        if (!dayFirst) {
          out.putDigits(Dates.dom(c), 2);
          out.put(' ');
        }
        writeTime(time, out);
        out.put(' ');
        writeYear(c, out);
        writeZoneName(zone, localSeconds - offset, offset, out);
      }
    }
    bc(c, out);
  }

  private static void writeZoneName(
      @org.jspecify.annotations.Nullable ZoneId zone, long utcSeconds, int offset, ByteSink out) {
    if (zone == null) {
      return;
    }
    String name = abbreviation(zone, utcSeconds);
    if (name.isEmpty()) {
      out.put(' ');
      writeOffset(offset, out);
    } else {
      out.put(' ');
      out.putText(name);
    }
  }

  /** The zone's abbreviation at an instant, such as CEST; empty if it has none. */
  public static String abbreviation(ZoneId zone, long utcSeconds) {
    if (zone instanceof ZoneOffset o) {
      return o.getTotalSeconds() == 0 ? "UTC" : "";
    }
    Instant at = Instant.ofEpochSecond(utcSeconds);
    String name =
        TimeZone.getTimeZone(zone)
            .getDisplayName(zone.getRules().isDaylightSavings(at), TimeZone.SHORT, Locale.ENGLISH);
    for (int i = 0; i < name.length(); i++) {
      if (!Character.isLetter(name.charAt(i))) {
        return "";
      }
    }
    return name;
  }

  static MillraceException outOfRange(String type) {
    return new MillraceException(ErrorCode.DATETIME_FIELD_OVERFLOW, type + " out of range");
  }
}

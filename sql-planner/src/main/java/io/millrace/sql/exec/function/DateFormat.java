package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.DateTimeText;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.Zones;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The templates of to_char, to_date and to_timestamp: a template is cut into fields once, then
 * writes and reads values. Prefix FM leaves out padding, TH and th add an ordinal ending.
 */
final class DateFormat {
  private static final String[] KEYS = {
    "A.D.", "a.d.", "A.M.", "a.m.", "AD", "ad", "AM", "am", "B.C.", "b.c.", "BC", "bc", "CC", "cc",
    "DAY", "Day", "day", "DDD", "ddd", "DD", "dd", "DY", "Dy", "dy", "D", "d", "FF1", "FF2", "FF3",
    "FF4", "FF5", "FF6", "ff1", "ff2", "ff3", "ff4", "ff5", "ff6", "FX", "fx", "HH24", "hh24",
    "HH12", "hh12", "HH", "hh", "IDDD", "iddd", "ID", "id", "IW", "iw", "IYYY", "iyyy", "IYY",
    "iyy", "IY", "iy", "I", "i", "J", "j", "MI", "mi", "MM", "mm", "MONTH", "Month", "month", "MON",
    "Mon", "mon", "MS", "ms", "NS", "ns", "OF", "P.M.", "p.m.", "PM", "pm", "Q", "q", "RM", "rm",
    "SSSSS", "sssss", "SSSS", "ssss", "SS", "ss", "TZH", "tzh", "TZM", "tzm", "TZ", "tz", "US",
    "us", "WW", "ww", "W", "w", "Y,YYY", "y,yyy", "YYYY", "yyyy", "YYY", "yyy", "YY", "yy", "Y", "y"
  };
  private static final String[] MONTHS = {
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December"
  };
  private static final String[] DAYS = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"
  };
  private static final String[] ROMAN = {
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"
  };

  private record Field(
      String key, String literal, boolean fill, boolean upperTh, boolean lowerTh, boolean quoted) {
    boolean isKey() {
      return !key.isEmpty();
    }
  }

  private final List<Field> fields = new ArrayList<>();

  DateFormat(String template) {
    int i = 0;
    int n = template.length();
    while (i < n) {
      boolean fill = true;
      int start = i;
      while (template.startsWith("FM", i)
          || template.startsWith("fm", i)
          || template.startsWith("TM", i)
          || template.startsWith("tm", i)
          || template.startsWith("FX", i)
          || template.startsWith("fx", i)) {
        fill &= template.charAt(i + 1) == 'X' || template.charAt(i + 1) == 'x';
        i += 2;
      }
      String key = key(template, i);
      if (key != null) {
        i += key.length();
        boolean upper = template.startsWith("TH", i);
        boolean lower = template.startsWith("th", i);
        if (upper || lower) {
          i += 2;
        }
        fields.add(new Field(key, "", fill, upper, lower, false));
        continue;
      }
      if (i > start && i >= n) {
        break;
      }
      i = Math.max(i, start);
      char c = template.charAt(i);
      if (c == '"') {
        i++;
        var text = new StringBuilder();
        while (i < n && template.charAt(i) != '"') {
          if (template.charAt(i) == '\\' && i + 1 < n) {
            i++;
          }
          text.append(template.charAt(i++));
        }
        i++;
        fields.add(new Field("", text.toString(), true, false, false, true));
      } else if (c == '\\' && i + 1 < n && template.charAt(i + 1) == '"') {
        fields.add(new Field("", "\"", true, false, false, false));
        i += 2;
      } else {
        fields.add(new Field("", String.valueOf(c), true, false, false, false));
        i++;
      }
    }
  }

  private static @Nullable String key(String t, int at) {
    for (String k : KEYS) {
      if (t.startsWith(k, at)) {
        return k;
      }
    }
    return null;
  }

  /** The parts of a value that is written. */
  static final class Parts {
    int year;
    int month;
    int day;
    long dayNumber;
    long hour;
    int minute;
    int second;
    int nanos;
    boolean interval;
    @Nullable ZoneId zone;
    int offset;
    long utcSeconds;

    /** From local microseconds. */
    static Parts of(long local, int extraNanos) {
      var p = new Parts();
      p.dayNumber = Math.floorDiv(local, Dates.DAY);
      long c = Dates.civil(p.dayNumber);
      p.year = Dates.year(c);
      p.month = Dates.month(c);
      p.day = Dates.dom(c);
      long t = Math.floorMod(local, Dates.DAY);
      p.hour = t / Dates.HOUR;
      p.minute = (int) (t / Dates.MINUTE % 60);
      p.second = (int) (t / Dates.SECOND % 60);
      p.nanos = (int) (t % Dates.SECOND) * 1000 + extraNanos;
      return p;
    }

    static Parts ofInterval(int months, int days, long micros) {
      var p = new Parts();
      p.interval = true;
      p.year = months / 12;
      p.month = months % 12;
      p.day = days;
      p.hour = micros / Dates.HOUR;
      p.minute = (int) (micros / Dates.MINUTE % 60);
      p.second = (int) (micros / Dates.SECOND % 60);
      p.nanos = (int) (micros % Dates.SECOND) * 1000;
      return p;
    }
  }

  String write(Parts p) {
    var out = new StringBuilder();
    for (Field f : fields) {
      if (!f.isKey()) {
        out.append(f.literal());
        continue;
      }
      int from = out.length();
      field(f, p, out);
      if (f.upperTh() || f.lowerTh()) {
        String s = out.substring(from);
        String th = ordinal(s);
        out.append(f.upperTh() ? th.toUpperCase(Locale.ROOT) : th);
      }
    }
    return out.toString();
  }

  static String ordinal(String number) {
    int n = number.length();
    if (n == 0 || !Character.isDigit(number.charAt(n - 1))) {
      return "";
    }
    if (n > 1 && number.charAt(n - 2) == '1') {
      return "th";
    }
    return switch (number.charAt(n - 1)) {
      case '1' -> "st";
      case '2' -> "nd";
      case '3' -> "rd";
      default -> "th";
    };
  }

  private static void number(long v, int width, boolean fill, StringBuilder out) {
    String s = Long.toString(Math.abs(v));
    if (v < 0) {
      out.append('-');
    }
    if (fill) {
      out.append("0".repeat(Math.max(0, width - s.length() - (v < 0 ? 0 : 0))));
    }
    out.append(s);
  }

  private static void name(String s, String key, int width, boolean fill, StringBuilder out) {
    String t =
        key.charAt(0) >= 'a'
            ? s.toLowerCase(Locale.ROOT)
            : key.length() > 1 && key.charAt(1) >= 'a' ? s : s.toUpperCase(Locale.ROOT);
    out.append(t);
    if (fill) {
      out.append(" ".repeat(Math.max(0, width - t.length())));
    }
  }

  private static int shownYear(int year, boolean interval) {
    return interval || year > 0 ? year : 1 - year;
  }

  private void noInterval(Parts p) {
    if (p.interval) {
      throw new MillraceException(
              ErrorCode.INVALID_DATETIME_FORMAT,
              "invalid format specification for an interval value")
          .withHint("Intervals are not tied to specific calendar dates.");
    }
  }

  private void field(Field f, Parts p, StringBuilder out) {
    boolean fill = f.fill();
    boolean pm = Math.floorMod(p.hour, 24L) >= 12;
    long twelve = Math.floorMod(Math.abs(p.hour), 12L);
    String k = f.key();
    switch (k.toUpperCase(Locale.ROOT)) {
      case "A.M.", "P.M." -> ampm(pm ? "P.M." : "A.M.", k, out);
      case "AM", "PM" -> ampm(pm ? "PM" : "AM", k, out);
      case "HH", "HH12" ->
          number(p.hour == 0 || twelve == 0 ? 12 : p.hour < 0 ? -twelve : twelve, 2, fill, out);
      case "HH24" -> number(p.hour, 2, fill, out);
      case "MI" -> number(p.minute, 2, fill, out);
      case "SS" -> number(p.second, 2, fill, out);
      case "MS" -> number(p.nanos / 1_000_000, 3, true, out);
      case "US" -> number(p.nanos / 1000, 6, true, out);
      case "NS" -> number(p.nanos, 9, true, out);
      case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6" -> {
        int digits = k.charAt(2) - '0';
        long scale = io.millrace.common.type.io.NumericText.power(9 - digits);
        number(p.nanos / scale, digits, true, out);
      }
      case "SSSS", "SSSSS" -> number(p.hour * 3600 + p.minute * 60L + p.second, 0, false, out);
      case "TZ" -> {
        noInterval(p);
        ZoneId z = p.zone;
        if (z != null) {
          String a = DateTimeText.abbreviation(z, p.utcSeconds);
          if (a.isEmpty()) {
            offset(p.offset, out);
          } else {
            out.append(k.equals("tz") ? a.toLowerCase(Locale.ROOT) : a);
          }
        }
      }
      case "TZH" -> {
        noInterval(p);
        out.append(p.offset < 0 ? '-' : '+');
        number(Math.abs(p.offset) / 3600, 2, true, out);
      }
      case "TZM" -> {
        noInterval(p);
        number(Math.abs(p.offset) / 60 % 60, 2, true, out);
      }
      case "OF" -> {
        noInterval(p);
        offset(p.offset, out);
      }
      case "A.D.", "B.C." -> {
        noInterval(p);
        ampm(p.year <= 0 ? "B.C." : "A.D.", k, out);
      }
      case "AD", "BC" -> {
        noInterval(p);
        ampm(p.year <= 0 ? "BC" : "AD", k, out);
      }
      case "MONTH" -> {
        noInterval(p);
        name(MONTHS[p.month - 1], k, 9, fill, out);
      }
      case "MON" -> {
        noInterval(p);
        name(MONTHS[p.month - 1].substring(0, 3), k, 0, fill, out);
      }
      case "MM" -> number(p.month, 2, fill, out);
      case "DAY" -> {
        noInterval(p);
        name(DAYS[Dates.dayOfWeek(p.dayNumber)], k, 9, fill, out);
      }
      case "DY" -> {
        noInterval(p);
        name(DAYS[Dates.dayOfWeek(p.dayNumber)].substring(0, 3), k, 0, fill, out);
      }
      case "DDD" ->
          number(
              p.interval ? p.year * 360L + p.month * 30L + p.day : Dates.dayOfYear(p.dayNumber),
              3,
              fill,
              out);
      case "IDDD" -> {
        noInterval(p);
        number((Math.floorMod(Dates.isoWeek(p.dayNumber), 100L) - 1) * 7 + isoDay(p), 3, fill, out);
      }
      case "DD" -> number(p.day, 2, fill, out);
      case "D" -> {
        noInterval(p);
        number(Dates.dayOfWeek(p.dayNumber) + 1, 0, false, out);
      }
      case "ID" -> {
        noInterval(p);
        number(isoDay(p), 0, false, out);
      }
      case "WW" -> number((Dates.dayOfYear(p.dayNumber) - 1) / 7 + 1, 2, fill, out);
      case "IW" -> {
        noInterval(p);
        number(Math.floorMod(Dates.isoWeek(p.dayNumber), 100L), 2, fill, out);
      }
      case "W" -> number((p.day - 1) / 7 + 1, 0, false, out);
      case "Q" -> {
        if (p.month != 0) {
          number((p.month - 1) / 3 + 1, 0, false, out);
        }
      }
      case "CC" -> {
        long y = p.year;
        long c = p.interval ? y / 100 : y > 0 ? (y - 1) / 100 + 1 : y / 100 - 1;
        number(c, 2, fill, out);
      }
      case "Y,YYY" -> {
        int y = shownYear(p.year, p.interval);
        out.append(y / 1000).append(',').append(String.format("%03d", Math.abs(y % 1000)));
      }
      case "YYYY" -> number(shownYear(p.year, p.interval), 4, fill, out);
      case "YYY" -> number(shownYear(p.year, p.interval) % 1000, 3, fill, out);
      case "YY" -> number(shownYear(p.year, p.interval) % 100, 2, fill, out);
      case "Y" -> number(shownYear(p.year, p.interval) % 10, 1, fill, out);
      case "IYYY" -> number(isoYear(p), 4, fill, out);
      case "IYY" -> number(isoYear(p) % 1000, 3, fill, out);
      case "IY" -> number(isoYear(p) % 100, 2, fill, out);
      case "I" -> number(isoYear(p) % 10, 1, fill, out);
      case "J" -> number(p.dayNumber + 2_440_588, 0, false, out);
      case "RM" -> {
        if (p.month != 0) {
          String r = ROMAN[Math.floorMod(p.month - 1, 12)];
          out.append(k.equals("rm") ? r.toLowerCase(Locale.ROOT) : r);
          if (fill) {
            out.append(" ".repeat(4 - Math.min(4, r.length())));
          }
        }
      }
      default -> {}
    }
  }

  private static void ampm(String s, String key, StringBuilder out) {
    out.append(key.charAt(0) >= 'a' ? s.toLowerCase(Locale.ROOT) : s);
  }

  private static void offset(int seconds, StringBuilder out) {
    out.append(seconds < 0 ? '-' : '+');
    int a = Math.abs(seconds);
    out.append(String.format("%02d", a / 3600));
    if (a % 3600 != 0) {
      out.append(':').append(String.format("%02d", a / 60 % 60));
      if (a % 60 != 0) {
        out.append(':').append(String.format("%02d", a % 60));
      }
    }
  }

  private static int isoDay(Parts p) {
    int d = Dates.dayOfWeek(p.dayNumber);
    return d == 0 ? 7 : d;
  }

  private static long isoYear(Parts p) {
    long y = Math.floorDiv(Dates.isoWeek(p.dayNumber), 100L);
    return y > 0 ? y : 1 - y;
  }

  // ---- reading

  /** What a text gave. */
  static final class Read {
    long dayNumber;
    long micros;
    @Nullable Integer offset;
    @Nullable ZoneId zone;
  }

  private static final class Cursor {
    final String s;
    int at;

    Cursor(String s) {
      this.s = s;
    }

    boolean end() {
      return at >= s.length();
    }

    char peek() {
      return at < s.length() ? s.charAt(at) : 0;
    }

    void blanks() {
      while (!end() && Character.isWhitespace(peek())) {
        at++;
      }
    }
  }

  private MillraceException bad(String value, String key) {
    return new MillraceException(
            ErrorCode.INVALID_DATETIME_FORMAT,
            "invalid value \"" + value + "\" for \"" + key + "\"")
        .withDetail("Value must be an integer.");
  }

  private static MillraceException range(String text) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
  }

  private static boolean separator(char c) {
    return c > ' ' && c < 0x7f && !Character.isLetterOrDigit(c);
  }

  /** Reads a text by the template. */
  Read read(String text, ZoneId session) {
    var in = new Cursor(text);
    Integer year = null;
    int yearDigits = 0;
    Integer month = null;
    Integer day = null;
    Integer dayOfYear = null;
    Integer julian = null;
    Integer isoYear = null;
    Integer isoWeek = null;
    Integer isoDay = null;
    Integer week = null;
    Integer weekOfMonth = null;
    Integer century = null;
    boolean bc = false;
    int meridian = -1;
    boolean twelve = false;
    long hour = 0;
    int minute = 0;
    int second = 0;
    long micros = 0;
    Integer secondsOfDay = null;
    Integer zoneHour = null;
    int zoneMinute = 0;
    var result = new Read();
    for (int i = 0; i < fields.size(); i++) {
      Field f = fields.get(i);
      if (!f.isKey()) {
        literal(f, in);
        continue;
      }
      boolean glued = i + 1 < fields.size() && fields.get(i + 1).isKey() && f.fill();
      String k = f.key().toUpperCase(Locale.ROOT);
      if (!k.startsWith("TZ") && !k.equals("OF")) {
        in.blanks();
      }
      switch (k) {
        case "YYYY", "IYYY" -> {
          int from = in.at;
          int v = integer(in, glued ? 4 : 20, f);
          yearDigits = in.at - from;
          if (k.charAt(0) == 'I') {
            isoYear = v;
          } else {
            year = v;
          }
        }
        case "Y,YYY" -> {
          int thousands = integer(in, 6, f);
          if (in.peek() == ',') {
            in.at++;
          }
          year = thousands * 1000 + integer(in, 3, f);
          yearDigits = 4;
        }
        case "YYY", "YY", "Y", "IYY", "IY", "I" -> {
          int from = in.at;
          int width = k.replace("I", "Y").length();
          int v = integer(in, glued ? width : 20, f);
          int digits = in.at - from;
          int full = digits < 4 ? adjust(v, digits) : v;
          yearDigits = 4;
          if (k.charAt(0) == 'I') {
            isoYear = full;
          } else {
            year = full;
          }
        }
        case "CC" -> century = integer(in, glued ? 2 : 20, f);
        case "MM" -> month = integer(in, glued ? 2 : 20, f);
        case "DD" -> day = integer(in, glued ? 2 : 20, f);
        case "DDD" -> dayOfYear = integer(in, glued ? 3 : 20, f);
        case "IDDD" -> {
          int d = integer(in, glued ? 3 : 20, f);
          isoWeek = (d - 1) / 7 + 1;
          isoDay = (d - 1) % 7 + 1;
        }
        case "J" -> julian = integer(in, 20, f);
        case "WW" -> week = integer(in, glued ? 2 : 20, f);
        case "W" -> weekOfMonth = integer(in, 1, f);
        case "IW" -> isoWeek = integer(in, glued ? 2 : 20, f);
        case "ID" -> isoDay = integer(in, 1, f);
        case "D" -> {
          int d = integer(in, 1, f);
          isoDay = d == 1 ? 7 : d - 1;
        }
        case "Q" -> integer(in, 1, f);
        case "MONTH" -> month = names(in, MONTHS, 0, f) + 1;
        case "MON" -> month = names(in, MONTHS, 3, f) + 1;
        case "RM" -> month = roman(in, f) + 1;
        case "DAY" -> names(in, DAYS, 0, f);
        case "DY" -> names(in, DAYS, 3, f);
        case "HH24" -> hour = integer(in, glued ? 2 : 20, f);
        case "HH", "HH12" -> {
          hour = integer(in, glued ? 2 : 20, f);
          twelve = true;
        }
        case "MI" -> minute = integer(in, glued ? 2 : 20, f);
        case "SS" -> second = integer(in, glued ? 2 : 20, f);
        case "SSSS", "SSSSS" -> secondsOfDay = integer(in, glued ? 5 : 20, f);
        case "MS" -> micros += fraction(in, 3, f);
        case "US", "NS" -> micros += fraction(in, 6, f);
        case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6" ->
            micros += fraction(in, k.charAt(2) - '0', f);
        case "AM", "PM", "A.M.", "P.M." -> {
          String[] options = {"a.m.", "p.m.", "am", "pm"};
          int found = option(in, options, f);
          meridian = found % 2;
          twelve = true;
        }
        case "AD", "BC", "A.D.", "B.C." ->
            bc = option(in, new String[] {"a.d.", "b.c.", "ad", "bc"}, f) % 2 == 1;
        case "TZH" -> {
          int sign = in.peek() == '-' ? -1 : 1;
          if (in.peek() == '-' || in.peek() == '+') {
            in.at++;
          }
          zoneHour = sign * integer(in, 2, f);
        }
        case "TZM" -> zoneMinute = integer(in, 2, f);
        case "TZ", "OF" -> {
          int from = in.at;
          while (!in.end() && !Character.isWhitespace(in.peek())) {
            in.at++;
          }
          result.zone = Zones.require(in.s.substring(from, in.at));
        }
        default -> {}
      }
    }
    if (twelve && (hour < 1 || hour > 12) && meridian >= 0) {
      throw new MillraceException(
              ErrorCode.INVALID_DATETIME_FORMAT,
              "hour \"" + hour + "\" is invalid for the 12-hour clock")
          .withHint("Use the 24-hour clock, or give an hour between 1 and 12.");
    }
    if (meridian == 0 && hour == 12) {
      hour = 0;
    } else if (meridian == 1 && hour < 12) {
      hour += 12;
    } else if (twelve && meridian < 0 && hour == 12) {
      hour = 0;
    }
    if (secondsOfDay != null) {
      hour = secondsOfDay / 3600;
      minute = secondsOfDay / 60 % 60;
      second = secondsOfDay % 60;
    }
    if (hour > 23 || minute > 59 || second > 59 || hour < 0 || minute < 0 || second < 0) {
      throw range(text);
    }
    result.micros = hour * Dates.HOUR + minute * Dates.MINUTE + second * Dates.SECOND + micros;
    if (zoneHour != null) {
      int sign = zoneHour < 0 ? -1 : 1;
      result.offset = zoneHour * 3600 + sign * zoneMinute * 60;
    }
    if (julian != null) {
      result.dayNumber = julian - 2_440_588L;
      return result;
    }
    if (century != null && year != null && yearDigits < 3) {
      year = (century - 1) * 100 + year;
    } else if (century != null && year == null) {
      year = (century - 1) * 100 + 1;
    }
    long y = year == null ? (bc ? 1 : 1) : year;
    boolean noYear = year == null && isoYear == null;
    if (bc) {
      y = 1 - y;
    }
    if (isoYear != null && isoWeek != null) {
      long jan4 = Dates.day(isoYear, 1, 4);
      long monday = jan4 - Math.floorMod(jan4 + 3, 7L);
      result.dayNumber = monday + (isoWeek - 1) * 7L + (isoDay == null ? 0 : isoDay - 1);
      return result;
    }
    if (noYear) {
      // No year given: the year 1 BC, as PostgreSQL counts it.
      y = 0;
    }
    if (dayOfYear != null && month == null) {
      if (dayOfYear < 1 || dayOfYear > (Dates.leap(y) ? 366 : 365)) {
        throw range(text);
      }
      result.dayNumber = Dates.day(y, 1, 1) + dayOfYear - 1;
      return result;
    }
    if (week != null && month == null) {
      result.dayNumber = Dates.day(y, 1, 1) + (week - 1) * 7L;
      return result;
    }
    int m = month == null ? 1 : month;
    int d = day == null ? (weekOfMonth == null ? 1 : (weekOfMonth - 1) * 7 + 1) : day;
    if (m < 1 || m > 12 || d < 1 || d > Dates.daysInMonth(y, m)) {
      throw range(text);
    }
    result.dayNumber = Dates.day(y, m, d);
    return result;
  }

  /** Years of less than four digits are near 2020. */
  private static int adjust(int v, int digits) {
    if (v < 70) {
      return v + 2000;
    }
    if (v < 100) {
      return v + 1900;
    }
    if (v < 520) {
      return v + 2000;
    }
    return digits < 4 && v < 1000 ? v + 1000 : v;
  }

  private void literal(Field f, Cursor in) {
    if (f.quoted()) {
      in.at = Math.min(in.s.length(), in.at + f.literal().length());
      return;
    }
    char c = f.literal().charAt(0);
    if (Character.isWhitespace(c) || separator(c)) {
      in.blanks();
      if (!in.end() && separator(in.peek()) && in.peek() != '-' && in.peek() != '+') {
        in.at++;
      } else if (!in.end() && separator(in.peek()) && (c == in.peek() || !nextIsZone(f))) {
        in.at++;
      }
      return;
    }
    if (!in.end()) {
      in.at++;
    }
  }

  private boolean nextIsZone(Field f) {
    int i = fields.indexOf(f);
    return i + 1 < fields.size()
        && fields.get(i + 1).key().toUpperCase(Locale.ROOT).startsWith("TZ");
  }

  private int integer(Cursor in, int width, Field f) {
    in.blanks();
    int from = in.at;
    boolean minus = in.peek() == '-' && width > 4;
    if (minus || (in.peek() == '+' && width > 4)) {
      in.at++;
    }
    int start = in.at;
    long v = 0;
    while (!in.end() && Character.isDigit(in.peek()) && in.at - start < width) {
      v = v * 10 + in.peek() - '0';
      if (v > Integer.MAX_VALUE) {
        throw range(in.s);
      }
      in.at++;
    }
    if (in.at == start) {
      if (in.s.length() <= from) {
        return 0;
      }
      throw bad(in.s.substring(from, Math.min(in.s.length(), from + Math.min(width, 4))), f.key());
    }
    if (f.upperTh() || f.lowerTh()) {
      in.at = Math.min(in.s.length(), in.at + 2);
    }
    return (int) (minus ? -v : v);
  }

  private long fraction(Cursor in, int width, Field f) {
    int from = in.at;
    long v = integer(in, width, f);
    int digits = in.at - from;
    return digits > 6
        ? v
        : v * io.millrace.common.type.io.NumericText.power(Math.max(0, 6 - digits));
  }

  private int names(Cursor in, String[] names, int length, Field f) {
    String rest = in.s.substring(in.at).toLowerCase(Locale.ROOT);
    int best = -1;
    int taken = 0;
    for (int i = 0; i < names.length; i++) {
      String n = (length > 0 ? names[i].substring(0, length) : names[i]).toLowerCase(Locale.ROOT);
      if (rest.startsWith(n) && n.length() > taken) {
        best = i;
        taken = n.length();
      }
    }
    if (best < 0) {
      String shown =
          in.s.substring(in.at, Math.min(in.s.length(), in.at + Math.max(3, f.key().length())));
      throw new MillraceException(
              ErrorCode.INVALID_DATETIME_FORMAT,
              "invalid value \"" + shown + "\" for \"" + f.key() + "\"")
          .withDetail("The given value did not match any of the allowed values for this field.");
    }
    in.at += taken;
    return best;
  }

  private int roman(Cursor in, Field f) {
    return names(in, ROMAN, 0, f);
  }

  private int option(Cursor in, String[] options, Field f) {
    String rest = in.s.substring(in.at).toLowerCase(Locale.ROOT);
    for (int i = 0; i < options.length; i++) {
      if (rest.startsWith(options[i])) {
        in.at += options[i].length();
        return i;
      }
    }
    throw new MillraceException(
            ErrorCode.INVALID_DATETIME_FORMAT,
            "invalid value \""
                + in.s.substring(in.at, Math.min(in.s.length(), in.at + f.key().length()))
                + "\" for \""
                + f.key()
                + "\"")
        .withDetail("The given value did not match any of the allowed values for this field.");
  }
}

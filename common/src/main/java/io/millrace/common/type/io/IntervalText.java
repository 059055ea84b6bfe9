package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.DateTimeTokens.Field;
import io.millrace.common.type.io.SessionFormat.IntervalStyle;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Intervals to and from text. Reading goes from the last field to the first, as PostgreSQL does, so
 * that a unit is known before its number; ISO 8601 durations have their own reader.
 */
public final class IntervalText {
  private static final int NONE = 0;
  private static final int MICROSECOND = 1;
  private static final int MILLISECOND = 2;
  private static final int SECOND = 3;
  private static final int MINUTE = 4;
  private static final int HOUR = 5;
  private static final int DAY = 6;
  private static final int WEEK = 7;
  private static final int MONTH = 8;
  private static final int YEAR = 9;
  private static final int DECADE = 10;
  private static final int CENTURY = 11;
  private static final int MILLENNIUM = 12;
  private static final int AGO = 13;

  // The bits of an interval's field restriction, as in its typmod.
  private static final int R_MONTH = 1 << 1;
  private static final int R_YEAR = 1 << 2;
  private static final int R_DAY = 1 << 3;
  private static final int R_HOUR = 1 << 10;
  private static final int R_MINUTE = 1 << 11;
  private static final int R_SECOND = 1 << 12;
  private static final int FULL_RANGE = 0x7fff;

  private static final Map<String, Integer> UNITS = units();

  private final String text;
  private final int range;
  long months;
  long days;
  long micros;
  private int mask;

  private IntervalText(String text, int typmod) {
    this.text = text;
    range = typmod < 0 ? FULL_RANGE : typmod >> 16 & FULL_RANGE;
  }

  private static Map<String, Integer> units() {
    var u = new HashMap<String, Integer>();
    String[] words = {
      "us usec usecs usecond useconds microsecon microsecond microseconds",
      "ms msec msecs msecond mseconds millisecon millisecond milliseconds",
      "s sec secs second seconds",
      "m min mins minute minutes",
      "h hr hrs hour hours",
      "d day days",
      "w week weeks",
      "mon mons month months",
      "y yr yrs year years",
      "dec decs decad decade decades",
      "c cent century centuries",
      "mil mils millennium millennia",
      "ago"
    };
    for (int i = 0; i < words.length; i++) {
      for (String s : words[i].split(" ")) {
        u.put(s, i + 1);
      }
    }
    return Map.copyOf(u);
  }

  /** An interval's three parts. */
  public record Parts(int months, int days, long micros) {}

  /** Reads an interval in any form; the type modifier cuts fields and rounds seconds. */
  public static Parts parse(String text, SessionFormat format, int typmod) {
    var reader = new IntervalText(text, typmod);
    String t = text.strip();
    if (t.startsWith("P")) {
      reader.iso(t);
    } else {
      reader.fields(format);
    }
    return fit(reader.months, reader.days, reader.micros, typmod, text);
  }

  private static Parts fit(long months, long days, long micros, int typmod, String text) {
    if (months != (int) months || days != (int) days) {
      throw overflow(text);
    }
    return fit((int) months, (int) days, micros, typmod);
  }

  /**
   * The type modifier of an interval type.
   *
   * @param fields such as "day to second"; null for all
   * @param precision digits of the second's fraction; negative if it was not given
   */
  public static int typmod(@Nullable String fields, int precision) {
    int range = fields == null ? FULL_RANGE : range(fields.strip().toLowerCase(Locale.ROOT));
    if (range == FULL_RANGE && precision < 0) {
      return -1;
    }
    return range << 16 | (precision < 0 ? 0xffff : Math.min(6, precision));
  }

  private static int range(String fields) {
    List<String> order = List.of("year", "month", "day", "hour", "minute", "second");
    int[] bits = {R_YEAR, R_MONTH, R_DAY, R_HOUR, R_MINUTE, R_SECOND};
    int to = fields.indexOf(" to ");
    int first = order.indexOf(to < 0 ? fields : fields.substring(0, to).strip());
    int last = to < 0 ? first : order.indexOf(fields.substring(to + 4).strip());
    int range = 0;
    for (int i = Math.max(0, first); i <= last; i++) {
      range |= bits[i];
    }
    return range == 0 ? FULL_RANGE : range;
  }

  /** What a type modifier leaves of an interval. */
  public static Parts fit(int months, int days, long micros, int typmod) {
    if (typmod < 0) {
      return new Parts(months, days, micros);
    }
    int range = typmod >> 16 & FULL_RANGE;
    int precision = typmod & 0xffff;
    int m = months;
    int d = days;
    long u = micros;
    if (range != FULL_RANGE) {
      boolean seconds = (range & R_SECOND) != 0;
      if ((range & (R_DAY | R_HOUR | R_MINUTE | R_SECOND)) == 0) {
        d = 0;
        u = 0;
        if ((range & R_MONTH) == 0) {
          m = m / 12 * 12;
        }
      } else if (!seconds) {
        if ((range & R_MINUTE) != 0) {
          u = u / Dates.MINUTE * Dates.MINUTE;
        } else if ((range & R_HOUR) != 0) {
          u = u / Dates.HOUR * Dates.HOUR;
        } else {
          u = 0;
        }
      }
    }
    return new Parts(m, d, precision < 6 ? Dates.roundFromZero(u, precision) : u);
  }

  private static MillraceException overflow(String text) {
    return new MillraceException(
        ErrorCode.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"");
  }

  private MillraceException bad() {
    return Problems.datetime("interval", text);
  }

  private static long add(long a, long b, String text) {
    long r = a + b;
    if (((a ^ r) & (b ^ r)) < 0) {
      throw overflow(text);
    }
    return r;
  }

  private static long multiply(long a, long b, String text) {
    if (Math.multiplyHigh(a, b) != a * b >> 63) {
      throw overflow(text);
    }
    return a * b;
  }

  private void fields(SessionFormat format) {
    List<Field> fields = DateTimeTokens.split(text);
    if (fields == null || fields.isEmpty()) {
      throw bad();
    }
    boolean allNegative = false;
    if (format.intervalStyle() == IntervalStyle.SQL_STANDARD
        && fields.getFirst().text().startsWith("-")) {
      allNegative = true;
      for (int i = 1; i < fields.size(); i++) {
        char c = fields.get(i).text().charAt(0);
        allNegative &= c != '-' && c != '+';
      }
    }
    boolean ago = false;
    boolean unitOpen = false;
    int unit = NONE;
    for (int i = fields.size() - 1; i >= 0; i--) {
      Field f = fields.get(i);
      String s = f.text();
      switch (f.type()) {
        case TIME -> {
          long t = time(s);
          give(1 << HOUR | 1 << MINUTE | 1 << SECOND);
          micros = add(micros, allNegative ? -t : t, text);
          unit = DAY;
          unitOpen = false;
        }
        case TZ, DATE, NUMBER -> {
          if (f.type() == DateTimeTokens.Type.TZ && s.indexOf(':') > 0) {
            long t = time(s.substring(1));
            give(1 << HOUR | 1 << MINUTE | 1 << SECOND);
            micros = add(micros, s.charAt(0) == '-' ? -t : t, text);
            unit = DAY;
            unitOpen = false;
          } else {
            unit = number(s, unit == NONE ? rightmost() : unit, allNegative);
            unitOpen = false;
          }
        }
        case STRING, SPECIAL -> {
          if (unitOpen) {
            throw bad();
          }
          Integer u = UNITS.get(s);
          if (u == null) {
            DateTimeTokens.Word w = DateTimeTokens.word(s);
            if (w != null && w.kind() == DateTimeTokens.Kind.IGNORE) {
              continue;
            }
            throw bad();
          }
          if (u == AGO) {
            if (i != fields.size() - 1) {
              throw bad();
            }
            ago = true;
            unit = NONE;
          } else {
            unit = u;
            unitOpen = true;
          }
        }
      }
    }
    if (mask == 0) {
      throw bad();
    }
    if (ago) {
      months = -months;
      days = -days;
      micros = -micros;
    }
  }

  /** What a rightmost number without a unit means under the type modifier. */
  private int rightmost() {
    if (range == FULL_RANGE || (range & R_SECOND) != 0) {
      return SECOND;
    }
    if ((range & R_MINUTE) != 0) {
      return MINUTE;
    }
    if ((range & R_HOUR) != 0) {
      return HOUR;
    }
    if ((range & R_DAY) != 0) {
      return DAY;
    }
    if ((range & R_MONTH) != 0) {
      return MONTH;
    }
    return (range & R_YEAR) != 0 ? YEAR : SECOND;
  }

  private void give(int bits) {
    if ((mask & bits) != 0) {
      throw bad();
    }
    mask |= bits;
  }

  private long time(String s) {
    String[] p = s.split(":", -1);
    if (p.length > 3) {
      throw bad();
    }
    long hours = whole(p[0]);
    long minutes;
    long seconds = 0;
    int nanos = 0;
    if (p.length == 2) {
      int dot = p[1].indexOf('.');
      boolean minuteSecond = dot >= 0 || range == (R_MINUTE | R_SECOND);
      if (minuteSecond) {
        minutes = hours;
        hours = 0;
        seconds = whole(dot < 0 ? p[1] : p[1].substring(0, dot));
        nanos = dot < 0 ? 0 : DateTimeParser.fraction(p[1], dot, bad());
      } else {
        minutes = p[1].isEmpty() ? 0 : whole(p[1]);
      }
    } else {
      minutes = whole(p[1]);
      int dot = p[2].indexOf('.');
      seconds = whole(dot < 0 ? p[2] : p[2].substring(0, dot));
      nanos = dot < 0 ? 0 : DateTimeParser.fraction(p[2], dot, bad());
    }
    if (minutes > 59 || seconds > 60) {
      throw overflow(text);
    }
    long total = multiply(hours, Dates.HOUR, text);
    return add(total, minutes * Dates.MINUTE + seconds * Dates.SECOND + (nanos + 500) / 1000, text);
  }

  private long whole(String s) {
    if (s.isEmpty() || s.length() > 19) {
      throw s.isEmpty() ? bad() : overflow(text);
    }
    long v = 0;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < '0' || c > '9') {
        throw bad();
      }
      v = v * 10 + c - '0';
      if (v < 0) {
        throw overflow(text);
      }
    }
    return v;
  }

  /** A number with its unit; returns the unit for the next field to the left. */
  private int number(String s, int unitOfNumber, boolean allNegative) {
    int unit = unitOfNumber;
    boolean negative = s.charAt(0) == '-';
    String digits = negative || s.charAt(0) == '+' ? s.substring(1) : s;
    int dash = digits.indexOf('-');
    int dot = digits.indexOf('.');
    long value;
    double fraction = 0;
    if (dash > 0) {
      long years = whole(digits.substring(0, dash));
      long m = whole(digits.substring(dash + 1));
      if (m >= 12) {
        throw overflow(text);
      }
      unit = MONTH;
      value = add(multiply(years, 12, text), m, text);
    } else if (dot >= 0) {
      value = dot == 0 ? 0 : whole(digits.substring(0, dot));
      String f = digits.substring(dot);
      for (int i = 1; i < f.length(); i++) {
        if (f.charAt(i) < '0' || f.charAt(i) > '9') {
          throw bad();
        }
      }
      fraction = f.length() == 1 ? 0 : Double.parseDouble("0" + f);
    } else {
      value = whole(digits);
    }
    if (negative || allNegative) {
      value = -value;
      fraction = -fraction;
    }
    apply(unit, value, fraction);
    return unit == HOUR ? DAY : unit;
  }

  private void apply(int unit, long value, double fraction) {
    switch (unit) {
      case MICROSECOND -> {
        give(1 << MICROSECOND);
        micros = add(micros, add(value, (long) Math.rint(fraction), text), text);
      }
      case MILLISECOND -> {
        give(1 << MILLISECOND);
        micros =
            add(
                micros,
                add(multiply(value, 1000, text), (long) Math.rint(fraction * 1000), text),
                text);
      }
      case SECOND -> {
        give(fraction == 0 ? 1 << SECOND : 1 << SECOND | 1 << MILLISECOND | 1 << MICROSECOND);
        addMicros(value, fraction, Dates.SECOND);
      }
      case MINUTE -> {
        give(1 << MINUTE);
        addMicros(value, fraction, Dates.MINUTE);
      }
      case HOUR -> {
        give(1 << HOUR);
        addMicros(value, fraction, Dates.HOUR);
      }
      case DAY -> {
        give(1 << DAY);
        days = add(days, value, text);
        addMicros(0, fraction, Dates.DAY);
      }
      case WEEK -> {
        give(1 << WEEK);
        days = add(days, multiply(value, 7, text), text);
        fractionOfDays(fraction, 7);
      }
      case MONTH -> {
        give(1 << MONTH);
        months = add(months, value, text);
        fractionOfDays(fraction, 30);
      }
      case YEAR -> years(unit, value, fraction, 1);
      case DECADE -> years(unit, value, fraction, 10);
      case CENTURY -> years(unit, value, fraction, 100);
      case MILLENNIUM -> years(unit, value, fraction, 1000);
      default -> throw bad();
    }
  }

  private void years(int unit, long value, double fraction, int scale) {
    give(1 << unit);
    long m = multiply(multiply(value, scale, text), 12, text);
    months = add(months, add(m, (long) Math.rint(fraction * scale * 12), text), text);
  }

  private void addMicros(long value, double fraction, long scale) {
    micros = add(micros, multiply(value, scale, text), text);
    if (fraction != 0) {
      micros = add(micros, (long) Math.rint(fraction * scale), text);
    }
  }

  private void fractionOfDays(double fraction, int scale) {
    if (fraction != 0) {
      double d = fraction * scale;
      long whole = (long) d;
      days = add(days, whole, text);
      addMicros(0, d - whole, Dates.DAY);
    }
  }

  /** P1Y2M3DT4H5M6S, P1W, and P0001-02-03T04:05:06. */
  private void iso(String t) {
    int i = 1;
    boolean date = true;
    boolean any = false;
    while (i < t.length()) {
      if (t.charAt(i) == 'T') {
        if (!date) {
          throw bad();
        }
        date = false;
        any = true;
        i++;
        continue;
      }
      int from = i;
      while (i < t.length()
          && "+-.0123456789".indexOf(t.charAt(i)) >= 0
          && !(i > from && t.charAt(i) == '-')) {
        i++;
      }
      if (i == from) {
        throw bad();
      }
      String number = t.substring(from, i);
      char unit = i < t.length() ? t.charAt(i) : 0;
      if (unit == '-' || unit == ':' || unit == 0 || unit == 'T') {
        alternative(t.substring(from), date);
        any = true;
        break;
      }
      i++;
      any = true;
      boolean minus = number.charAt(0) == '-';
      String digits = minus || number.charAt(0) == '+' ? number.substring(1) : number;
      int dot = digits.indexOf('.');
      long value = dot == 0 ? 0 : whole(dot < 0 ? digits : digits.substring(0, dot));
      double fraction =
          dot < 0 || dot == digits.length() - 1 ? 0 : fractionOf(digits.substring(dot));
      if (minus) {
        value = -value;
        fraction = -fraction;
      }
      mask = 0;
      apply(isoUnit(unit, date), value, fraction);
    }
    if (!any) {
      throw bad();
    }
  }

  private double fractionOf(String s) {
    try {
      return Double.parseDouble("0" + s);
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DATETIME_FORMAT,
          "invalid input syntax for type interval: \"" + text + "\"",
          e);
    }
  }

  private int isoUnit(char unit, boolean date) {
    if (date) {
      return switch (unit) {
        case 'Y' -> YEAR;
        case 'M' -> MONTH;
        case 'W' -> WEEK;
        case 'D' -> DAY;
        default -> throw bad();
      };
    }
    return switch (unit) {
      case 'H' -> HOUR;
      case 'M' -> MINUTE;
      case 'S' -> SECOND;
      default -> throw bad();
    };
  }

  private void alternative(String s, boolean dateFirst) {
    int split = s.indexOf('T');
    String datePart = dateFirst ? (split < 0 ? s : s.substring(0, split)) : "";
    String timePart = dateFirst ? (split < 0 ? "" : s.substring(split + 1)) : s;
    if (!datePart.isEmpty()) {
      String[] p = datePart.split("-", -1);
      if (p.length == 1 && datePart.length() == 8) {
        p =
            new String[] {
              datePart.substring(0, 4), datePart.substring(4, 6), datePart.substring(6)
            };
      }
      if (p.length > 3) {
        throw bad();
      }
      months = whole(p[0]) * 12 + (p.length > 1 ? whole(p[1]) : 0);
      days = p.length > 2 ? whole(p[2]) : 0;
    }
    if (!timePart.isEmpty()) {
      micros = add(micros, time(timePart.indexOf(':') < 0 ? timePart + ":00" : timePart), text);
    }
  }

  /** Prints an interval in the session's style. */
  public static void write(int months, int days, long micros, IntervalStyle style, ByteSink out) {
    switch (style) {
      case POSTGRES -> postgres(months, days, micros, out);
      case POSTGRES_VERBOSE -> verbose(months, days, micros, out);
      case SQL_STANDARD -> standard(months, days, micros, out);
      case ISO_8601 -> iso(months, days, micros, out);
    }
  }

  private static void seconds(long secondsAbs, long microsAbs, boolean fill, ByteSink out) {
    if (fill) {
      out.putDigits(secondsAbs, Math.max(2, ByteSink.digits(secondsAbs)));
    } else {
      out.putDecimal(secondsAbs);
    }
    DateTimeText.writeFraction((int) microsAbs * 1000, out);
  }

  private static void clock(long micros, ByteSink out) {
    long hours = Math.abs(micros / Dates.HOUR);
    long minutes = Math.abs(micros / Dates.MINUTE % 60);
    out.putDigits(hours, Math.max(2, ByteSink.digits(hours)));
    out.put(':');
    out.putDigits(minutes, 2);
    out.put(':');
    seconds(Math.abs(micros / Dates.SECOND % 60), Math.abs(micros % Dates.SECOND), true, out);
  }

  private static void postgres(int months, int days, long micros, ByteSink out) {
    int start = out.position();
    boolean before = false;
    long[] values = {months / 12, months % 12, days};
    String[] units = {"year", "mon", "day"};
    for (int i = 0; i < 3; i++) {
      if (values[i] == 0) {
        continue;
      }
      if (out.position() > start) {
        out.put(' ');
      }
      if (before && values[i] > 0) {
        out.put('+');
      }
      out.putDecimal(values[i]);
      out.put(' ');
      out.putText(units[i]);
      if (values[i] != 1) {
        out.put('s');
      }
      before = values[i] < 0;
    }
    if (out.position() == start || micros != 0) {
      if (out.position() > start) {
        out.put(' ');
      }
      if (micros < 0) {
        out.put('-');
      } else if (before) {
        out.put('+');
      }
      clock(micros, out);
    }
  }

  private static void verbose(int months, int days, long micros, ByteSink out) {
    out.put('@');
    boolean zero = true;
    boolean before = false;
    long[] values = {
      months / 12, months % 12, days, micros / Dates.HOUR, micros / Dates.MINUTE % 60
    };
    String[] units = {"year", "mon", "day", "hour", "min"};
    for (int i = 0; i < values.length; i++) {
      long v = values[i];
      if (v == 0) {
        continue;
      }
      if (zero) {
        before = v < 0;
        v = Math.abs(v);
      } else if (before) {
        v = -v;
      }
      out.put(' ');
      out.putDecimal(v);
      out.put(' ');
      out.putText(units[i]);
      if (v != 1) {
        out.put('s');
      }
      zero = false;
    }
    long s = micros / Dates.SECOND % 60;
    long f = micros % Dates.SECOND;
    if (s != 0 || f != 0) {
      out.put(' ');
      if (s < 0 || f < 0) {
        if (zero) {
          before = true;
        } else if (!before) {
          out.put('-');
        }
      } else if (before) {
        out.put('-');
      }
      seconds(Math.abs(s), Math.abs(f), false, out);
      out.putText(Math.abs(s) != 1 || f != 0 ? " secs" : " sec");
      zero = false;
    }
    if (zero) {
      out.putText(" 0");
    }
    if (before) {
      out.putText(" ago");
    }
  }

  private static void standard(int months, int days, long micros, ByteSink out) {
    boolean negative = months < 0 || days < 0 || micros < 0;
    boolean positive = months > 0 || days > 0 || micros > 0;
    boolean yearMonth = months != 0;
    boolean dayTime = days != 0 || micros != 0;
    int m = months;
    int d = days;
    long u = micros;
    if (!negative && !positive) {
      out.put('0');
      return;
    }
    if ((negative && positive) || (yearMonth && dayTime)) {
      out.put(m < 0 ? '-' : '+');
      out.putDecimal(Math.abs(m / 12));
      out.put('-');
      out.putDecimal(Math.abs(m % 12));
      out.put(' ');
      out.put(d < 0 ? '-' : '+');
      out.putDecimal(Math.abs((long) d));
      out.put(' ');
      out.put(u < 0 ? '-' : '+');
      hours(u, out);
      return;
    }
    if (negative) {
      out.put('-');
      m = -m;
      d = -d;
      u = -u;
    }
    if (yearMonth) {
      out.putDecimal(m / 12);
      out.put('-');
      out.putDecimal(m % 12);
    } else {
      if (d != 0) {
        out.putDecimal(d);
        out.put(' ');
      }
      hours(u, out);
    }
  }

  private static void hours(long micros, ByteSink out) {
    out.putDecimal(Math.abs(micros / Dates.HOUR));
    out.put(':');
    out.putDigits(Math.abs(micros / Dates.MINUTE % 60), 2);
    out.put(':');
    seconds(Math.abs(micros / Dates.SECOND % 60), Math.abs(micros % Dates.SECOND), true, out);
  }

  private static void iso(int months, int days, long micros, ByteSink out) {
    if (months == 0 && days == 0 && micros == 0) {
      out.putText("PT0S");
      return;
    }
    out.put('P');
    part(months / 12, 'Y', out);
    part(months % 12, 'M', out);
    part(days, 'D', out);
    if (micros != 0) {
      out.put('T');
      part(micros / Dates.HOUR, 'H', out);
      part(micros / Dates.MINUTE % 60, 'M', out);
      long s = micros / Dates.SECOND % 60;
      long f = micros % Dates.SECOND;
      if (s != 0 || f != 0) {
        if (s < 0 || f < 0) {
          out.put('-');
        }
        seconds(Math.abs(s), Math.abs(f), false, out);
        out.put('S');
      }
    }
  }

  private static void part(long v, char unit, ByteSink out) {
    if (v != 0) {
      out.putDecimal(v);
      out.put(unit);
    }
  }
}

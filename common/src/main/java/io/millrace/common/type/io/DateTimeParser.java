package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.DateTimeTokens.Field;
import io.millrace.common.type.io.DateTimeTokens.Kind;
import io.millrace.common.type.io.DateTimeTokens.Type;
import io.millrace.common.type.io.DateTimeTokens.Word;
import io.millrace.common.type.io.SessionFormat.DateOrder;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's reading of dates and times in any form: fields are taken in order, each telling
 * which parts of the date it gave; a part given twice is an error. The rules (what a bare number
 * may be, two-digit years, day and month order, run-together digits) are PostgreSQL's, decision by
 * decision. One use per value; the fast forms never come here.
 */
final class DateTimeParser {
  private static final int M_YEAR = 1;
  private static final int M_MONTH = 2;
  private static final int M_DAY = 4;
  private static final int M_DOY = 8;
  private static final int M_TZ = 16;
  private static final int M_HOUR = 32;
  private static final int M_MINUTE = 64;
  private static final int M_SECOND = 128;
  private static final int M_AMPM = 256;
  private static final int M_ADBC = 512;
  private static final int M_DOW = 1024;
  private static final int M_DST = 2048;
  private static final int DATE = M_YEAR | M_MONTH | M_DAY;
  private static final int TIME = M_HOUR | M_MINUTE | M_SECOND;

  private final String text;
  private final String type;
  private final DateOrder order;
  private final SessionFormat format;
  private final long now;

  int year;
  int month;
  int day;
  int hour;
  int minute;
  int second;

  /** Nanoseconds of the second. */
  int nanos;

  /** Seconds east if the text has an offset. */
  @Nullable Integer offset;

  @Nullable ZoneId zone;
  boolean infinity;
  boolean minusInfinity;
  boolean epoch;
  private int dayOfYear;
  private boolean julian;
  private boolean twoDigits;
  private boolean textMonth;
  private boolean bc;
  private int meridian = -1;
  private int mask;

  /**
   * @param type for errors
   * @param now microseconds for "now" and "today"; Long.MIN_VALUE if there is no clock
   */
  DateTimeParser(String text, String type, SessionFormat format, long now) {
    this.text = text;
    this.type = type;
    this.order = format.dateOrder();
    this.format = format;
    this.now = now;
  }

  boolean hasDate() {
    return (mask & DATE) == DATE;
  }

  boolean hasTime() {
    return (mask & TIME) == TIME;
  }

  MillraceException bad() {
    return Problems.datetime(type, text);
  }

  private MillraceException overflow() {
    return Problems.field(text);
  }

  private MillraceException monthOverflow() {
    return Problems.field(text).withHint("Perhaps you need a different \"datestyle\" setting.");
  }

  /**
   * Reads the text.
   *
   * @param timeOnly a time needs no date (types time and timetz)
   */
  DateTimeParser parse(boolean timeOnly) {
    List<Field> fields = DateTimeTokens.split(text);
    if (fields == null || fields.isEmpty()) {
      throw bad();
    }
    int pending = 0;
    for (int i = 0; i < fields.size(); i++) {
      Field f = fields.get(i);
      int got = 0;
      switch (f.type()) {
        case DATE -> {
          if (pending == DateTimeTokens.JULIAN) {
            got = julian(f.text());
            pending = 0;
          } else if (pending != 0
              || (mask & (M_MONTH | M_DAY)) == (M_MONTH | M_DAY)
              || (timeOnly && !dateFirst(fields, i))) {
            got = dateLate(f.text(), pending);
            pending = 0;
          } else {
            got = date(f.text());
          }
        }
        case TIME -> {
          if (pending != 0) {
            if (pending != -1) {
              throw bad();
            }
            pending = 0;
          }
          got = time(f.text());
        }
        case TZ -> got = timezone(f.text());
        case NUMBER -> {
          if (pending != 0) {
            got = unit(f.text(), pending);
            pending = 0;
          } else {
            got = number(f.text(), timeOnly);
          }
        }
        case STRING, SPECIAL -> {
          Integer abbreviation =
              f.type() == Type.STRING && !f.text().equals("t")
                  ? Zones.abbreviation(f.text())
                  : null;
          Word w = abbreviation != null ? null : DateTimeTokens.word(f.text());
          if (abbreviation != null) {
            got = M_TZ;
            offset = abbreviation;
          } else if (w == null) {
            ZoneId named = Zones.named(f.text());
            if (named == null) {
              throw bad();
            }
            zone = named;
            got = M_TZ;
          } else if (w.kind() == Kind.UNITS) {
            pending = w.value();
          } else if (w.kind() == Kind.ISOTIME) {
            boolean last = i == fields.size() - 1;
            Type next = last ? Type.STRING : fields.get(i + 1).type();
            boolean follows = next == Type.NUMBER || next == Type.TIME || next == Type.DATE;
            if ((!timeOnly && !hasDate()) || !follows) {
              throw bad();
            }
            pending = -1;
          } else {
            got = word(w);
          }
        }
      }
      if ((got & mask) != 0) {
        throw bad();
      }
      mask |= got;
    }
    if (pending != 0 && pending != -1) {
      throw bad();
    }
    finish(timeOnly);
    return this;
  }

  /** Whether a date field of a time's text is a date: first, and a date or time after it. */
  private static boolean dateFirst(List<Field> fields, int i) {
    return i == 0
        && fields.size() >= 2
        && (fields.getLast().type() == Type.DATE || fields.get(1).type() == Type.TIME);
  }

  private void finish(boolean timeOnly) {
    if (infinity || minusInfinity || epoch) {
      return;
    }
    validate();
    if (meridian >= 0) {
      if (hour > 12) {
        throw overflow();
      }
      if (meridian == 0 && hour == 12) {
        hour = 0;
      } else if (meridian == 1 && hour != 12) {
        hour += 12;
      }
    }
    boolean tooLate = hour > 24 || (hour == 24 && (minute > 0 || second > 0 || nanos > 0));
    if (tooLate) {
      throw overflow();
    }
    if (timeOnly ? !hasTime() : !hasDate()) {
      throw bad();
    }
  }

  private void validate() {
    if ((mask & M_YEAR) != 0) {
      if (julian) {
        // A Julian day is whole and right by itself.
      } else if (bc) {
        if (year <= 0) {
          throw overflow();
        }
        year = -(year - 1);
      } else if (twoDigits) {
        if (year < 70) {
          year += 2000;
        } else if (year < 100) {
          year += 1900;
        }
      } else if (year <= 0) {
        throw overflow();
      }
    }
    if ((mask & M_DOY) != 0) {
      setDay(Dates.day(year, 1, 1) + dayOfYear - 1);
    }
    if ((mask & M_MONTH) != 0 && (month < 1 || month > 12)) {
      throw monthOverflow();
    }
    if ((mask & M_DAY) != 0 && (day < 1 || day > 31)) {
      throw monthOverflow();
    }
    if (hasDate() && day > Dates.daysInMonth(year, month)) {
      throw overflow();
    }
  }

  private void setDay(long dayNumber) {
    long c = Dates.civil(dayNumber);
    year = Dates.year(c);
    month = Dates.month(c);
    day = Dates.dom(c);
  }

  private int word(Word w) {
    switch (w.kind()) {
      case RESERVED -> {
        return reserved(w.value());
      }
      case MONTH -> {
        int got = M_MONTH;
        if ((mask & M_MONTH) != 0
            && !textMonth
            && (mask & M_DAY) == 0
            && month >= 1
            && month <= 31) {
          day = month;
          got = M_DAY;
        }
        textMonth = true;
        month = w.value();
        return got;
      }
      case DOW -> {
        return M_DOW;
      }
      case AMPM -> {
        meridian = w.value();
        return M_AMPM;
      }
      case ADBC -> {
        bc = w.value() == 1;
        return M_ADBC;
      }
      case DST -> {
        offset = (offset == null ? 0 : offset) + w.value();
        return M_DST;
      }
      default -> {
        return 0;
      }
    }
  }

  private int reserved(int value) {
    switch (value) {
      case DateTimeTokens.LATE -> infinity = true;
      case DateTimeTokens.EARLY -> minusInfinity = true;
      case DateTimeTokens.EPOCH -> {
        epoch = true;
        year = 1970;
        month = 1;
        day = 1;
        offset = 0;
      }
      case DateTimeTokens.ALLBALLS -> {
        offset = 0;
        return TIME | M_TZ;
      }
      default -> {
        if (now == Long.MIN_VALUE) {
          throw bad();
        }
        long local = Zones.toLocal(format.zone(), now);
        long today = Math.floorDiv(local, Dates.DAY);
        switch (value) {
          case DateTimeTokens.TODAY -> setDay(today);
          case DateTimeTokens.TOMORROW -> setDay(today + 1);
          case DateTimeTokens.YESTERDAY -> setDay(today - 1);
          default -> {
            setDay(today);
            long t = Math.floorMod(local, Dates.DAY);
            hour = (int) (t / Dates.HOUR);
            minute = (int) (t / Dates.MINUTE % 60);
            second = (int) (t / Dates.SECOND % 60);
            nanos = (int) (t % Dates.SECOND) * 1000;
            offset = Zones.offsetAt(format.zone(), now);
            return DATE | TIME | M_TZ;
          }
        }
        return DATE;
      }
    }
    return DATE | TIME | M_TZ;
  }

  /**
   * A field that looks like a date where the date is known already: zone names, 20200101T101112-08.
   */
  private int dateLate(String s, int pending) {
    if (Character.isDigit(s.charAt(0)) || pending != 0) {
      if (pending != 0 && pending != -1) {
        throw bad();
      }
      int dash = s.indexOf('-');
      if (hasTime() || dash < 0) {
        throw bad();
      }
      timezone(s.substring(dash));
      return numberField(s.substring(0, dash), mask | DATE) | M_TZ;
    }
    ZoneId named = Zones.named(s);
    if (named == null) {
      Integer posix = posix(s);
      if (posix == null) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE, "time zone \"" + s + "\" not recognized");
      }
      offset = posix;
      return M_TZ;
    }
    zone = named;
    return M_TZ;
  }

  /** POSIX zones such as utc+3, where east is negative. */
  private static @Nullable Integer posix(String s) {
    int at = Math.max(s.indexOf('+'), s.indexOf('-'));
    if (at < 3) {
      return null;
    }
    Integer seconds = Zones.offsetSeconds(s.substring(at));
    return seconds == null ? null : -seconds;
  }

  private int julian(String s) {
    setJulian(s);
    return DATE;
  }

  private void setJulian(String s) {
    int dot = s.indexOf('.');
    long value = parseInt(dot < 0 ? s : s.substring(0, dot));
    setDay(value - 2_440_588);
    julian = true;
    if (dot >= 0) {
      double fraction = Double.parseDouble("0" + s.substring(dot));
      long micros = Math.round(fraction * Dates.DAY);
      hour = (int) (micros / Dates.HOUR);
      minute = (int) (micros / Dates.MINUTE % 60);
      second = (int) (micros / Dates.SECOND % 60);
      nanos = (int) (micros % Dates.SECOND) * 1000;
    }
  }

  /** A number after a unit letter. */
  private int unit(String s, int unit) {
    int value = unit == -1 || unit == DateTimeTokens.JULIAN ? 0 : parseInt(s);
    switch (unit) {
      case DateTimeTokens.YEAR -> {
        year = value;
        return M_YEAR;
      }
      case DateTimeTokens.MONTH -> {
        // "m" after an hour is a minute.
        if ((mask & M_MONTH) != 0 && (mask & M_HOUR) != 0) {
          minute = value;
          return M_MINUTE;
        }
        month = value;
        return M_MONTH;
      }
      case DateTimeTokens.DAY -> {
        day = value;
        return M_DAY;
      }
      case DateTimeTokens.HOUR -> {
        hour = value;
        return M_HOUR;
      }
      case DateTimeTokens.MINUTE -> {
        minute = value;
        return M_MINUTE;
      }
      case DateTimeTokens.SECOND -> {
        second = value;
        return M_SECOND;
      }
      case DateTimeTokens.JULIAN -> {
        boolean fraction = s.indexOf('.') >= 0;
        setJulian(s);
        return fraction ? DATE | TIME : DATE;
      }
      default -> {
        return numberField(s, mask | DATE);
      }
    }
  }

  private int parseInt(String s) {
    int i = 0;
    long v = 0;
    if (s.isEmpty()) {
      throw bad();
    }
    for (; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < '0' || c > '9') {
        throw bad();
      }
      v = v * 10 + c - '0';
      if (v > Integer.MAX_VALUE) {
        throw overflow();
      }
    }
    return (int) v;
  }

  /** A date with separators. */
  private int date(String s) {
    int got = 0;
    String[] parts = new String[8];
    int n = 0;
    int i = 0;
    while (i < s.length()) {
      char c = s.charAt(i);
      if (!Character.isLetterOrDigit(c)) {
        i++;
        continue;
      }
      int from = i;
      boolean digits = Character.isDigit(c);
      while (i < s.length()
          && (digits ? Character.isDigit(s.charAt(i)) : Character.isLetter(s.charAt(i)))) {
        i++;
      }
      if (n == parts.length) {
        throw bad();
      }
      parts[n++] = s.substring(from, i);
    }
    int local = mask;
    boolean month = false;
    for (int k = 0; k < n; k++) {
      if (Character.isLetter(parts[k].charAt(0))) {
        Word w = DateTimeTokens.word(parts[k]);
        if (w == null || (w.kind() != Kind.MONTH && w.kind() != Kind.IGNORE)) {
          throw bad();
        }
        if (w.kind() == Kind.MONTH) {
          if ((local & M_MONTH) != 0) {
            throw bad();
          }
          this.month = w.value();
          month = true;
          local |= M_MONTH;
          got |= M_MONTH;
        }
        parts[k] = "";
      }
    }
    for (int k = 0; k < n; k++) {
      if (parts[k].isEmpty()) {
        continue;
      }
      int one = decodeNumber(parts[k], month, local);
      if ((local & one) != 0) {
        throw bad();
      }
      local |= one;
      got |= one;
    }
    if ((local & ~(M_DOY | M_TZ)) != DATE) {
      throw bad();
    }
    textMonth |= month;
    return got;
  }

  /** A bare number. */
  private int number(String s, boolean timeOnly) {
    int dot = s.indexOf('.');
    int length = s.length();
    if (timeOnly && (mask & DATE) == 0 && !hasTime()) {
      // Run-together times come first for the time types: 040506, 0405.
      int whole = dot < 0 ? length : dot;
      if (whole == 4 || whole == 6) {
        return numberField(s, mask | DATE);
      }
    }
    if (dot >= 0 && (mask & DATE) == 0) {
      return date(s);
    }
    if (dot > 2) {
      return numberField(s, mask | DATE);
    }
    if (length >= 6 && ((mask & DATE) == 0 || (mask & TIME) == 0)) {
      return numberField(s, mask);
    }
    return decodeNumber(s, textMonth, mask);
  }

  private int decodeNumber(String s, boolean haveTextMonth, int given) {
    int dot = s.indexOf('.');
    if (dot > 2) {
      return numberField(s, given | DATE);
    }
    int length = dot < 0 ? s.length() : dot;
    int value = parseInt(s.substring(0, length));
    if (dot >= 0) {
      nanos = fraction(s, dot);
    }
    if (length == 3 && (given & DATE) == M_YEAR && value >= 1 && value <= 366) {
      dayOfYear = value;
      return M_DOY | M_MONTH | M_DAY;
    }
    int got;
    switch (given & DATE) {
      case 0 ->
          got =
              length >= 3 || order == DateOrder.YMD
                  ? M_YEAR
                  : order == DateOrder.DMY ? M_DAY : M_MONTH;
      case M_YEAR -> got = M_MONTH;
      case M_MONTH ->
          got = haveTextMonth && (length >= 3 || order == DateOrder.YMD) ? M_YEAR : M_DAY;
      case M_YEAR | M_MONTH -> {
        if (haveTextMonth && length >= 3 && twoDigits) {
          day = year;
          year = value;
          twoDigits = false;
          return M_DAY;
        }
        got = M_DAY;
      }
      case M_DAY -> got = M_MONTH;
      case M_MONTH | M_DAY -> got = M_YEAR;
      case DATE -> {
        return numberField(s, given);
      }
      default -> throw bad();
    }
    switch (got) {
      case M_YEAR -> {
        year = value;
        twoDigits = length <= 2;
      }
      case M_MONTH -> month = value;
      default -> day = value;
    }
    return got;
  }

  /** Digits run together: yymmdd, yyyymmdd, hhmmss, hhmm, each with a fraction of a second. */
  private int numberField(String field, int given) {
    String s = field;
    int dot = s.indexOf('.');
    if (dot >= 0) {
      nanos = fraction(s, dot);
      s = s.substring(0, dot);
    } else if ((given & DATE) != DATE && s.length() >= 6) {
      int n = s.length();
      day = parseInt(s.substring(n - 2));
      month = parseInt(s.substring(n - 4, n - 2));
      year = parseInt(s.substring(0, n - 4));
      twoDigits = n - 4 == 2;
      return DATE;
    }
    if ((given & TIME) != TIME && (s.length() == 6 || s.length() == 4)) {
      hour = parseInt(s.substring(0, 2));
      minute = parseInt(s.substring(2, 4));
      second = s.length() == 6 ? parseInt(s.substring(4)) : 0;
      checkTime();
      return TIME;
    }
    throw bad();
  }

  private void checkTime() {
    if (minute > 59 || second > 60) {
      throw overflow();
    }
  }

  private int fraction(String s, int dot) {
    return fraction(s, dot, bad());
  }

  /** Nanoseconds of the digits after a point. */
  static int fraction(String s, int dot, MillraceException bad) {
    long v = 0;
    int digits = 0;
    for (int i = dot + 1; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < '0' || c > '9') {
        throw bad;
      }
      if (digits < 9) {
        v = v * 10 + c - '0';
        digits++;
      }
    }
    while (digits++ < 9) {
      v *= 10;
    }
    return (int) v;
  }

  private int time(String s) {
    String[] parts = s.split(":", -1);
    if (parts.length > 3) {
      throw bad();
    }
    hour = parseInt(parts[0]);
    if (parts.length == 2) {
      int dot = parts[1].indexOf('.');
      if (dot >= 0) {
        second = parseInt(parts[1].substring(0, dot));
        nanos = fraction(parts[1], dot);
        minute = hour;
        hour = 0;
      } else {
        minute = parts[1].isEmpty() ? 0 : parseInt(parts[1]);
        second = 0;
      }
    } else {
      minute = parseInt(parts[1]);
      int dot = parts[2].indexOf('.');
      second = parseInt(dot < 0 ? parts[2] : parts[2].substring(0, dot));
      if (dot >= 0) {
        nanos = fraction(parts[2], dot);
      }
    }
    checkTime();
    return TIME;
  }

  private int timezone(String s) {
    Integer seconds = Zones.offsetSeconds(s);
    if (seconds == null) {
      throw bad();
    }
    if (Math.abs(seconds) >= 16 * 3600) {
      throw new MillraceException(
          ErrorCode.INVALID_TIME_ZONE, "time zone displacement out of range: \"" + text + "\"");
    }
    offset = seconds;
    return M_TZ;
  }

  /** Microseconds of the day; 24:00:00 and seconds of 60 count on. */
  long timeMicros() {
    return ((hour * 60L + minute) * 60 + second) * Dates.SECOND + (nanos + 500) / 1000;
  }

  long dayNumber() {
    return Dates.day(year, month, day);
  }
}

package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The units of extract, date_part and date_trunc. */
enum TimeUnits {
  MICROSECONDS("microsecond microseconds usec usecs usecond useconds us"),
  MILLISECONDS("millisecond milliseconds msec msecs msecond mseconds ms"),
  SECOND("second seconds sec secs s"),
  MINUTE("minute minutes min mins m"),
  HOUR("hour hours hr hrs h"),
  DAY("day days d"),
  WEEK("week weeks w"),
  MONTH("month months mon mons"),
  QUARTER("quarter qtr"),
  YEAR("year years yr yrs y"),
  DECADE("decade decades dec decs"),
  CENTURY("century centuries cent c"),
  MILLENNIUM("millennium millennia mil mils"),
  EPOCH("epoch"),
  JULIAN("julian jd j"),
  ISOYEAR("isoyear"),
  DOW("dow"),
  ISODOW("isodow"),
  DOY("doy"),
  TIMEZONE("timezone"),
  TIMEZONE_HOUR("timezone_hour timezone_h"),
  TIMEZONE_MINUTE("timezone_minute timezone_m");

  private static final Map<String, TimeUnits> BY_NAME = new HashMap<>();

  static {
    for (TimeUnits u : values()) {
      for (String s : u.names.split(" ")) {
        BY_NAME.put(s, u);
      }
    }
  }

  private final String names;

  TimeUnits(String names) {
    this.names = names;
  }

  static TimeUnits require(String name, String type) {
    TimeUnits u = find(name);
    if (u == null) {
      throw unknown(name, type);
    }
    return u;
  }

  static MillraceException unknown(String name, String type) {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE,
        "unit \"" + name.toLowerCase(Locale.ROOT) + "\" not recognized for type " + type);
  }

  static @Nullable TimeUnits find(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  static MillraceException unsupported(String name, String type) {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "unit \"" + name.toLowerCase(Locale.ROOT) + "\" not supported for type " + type);
  }
}

package io.millrace.common.type.io;

import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The session settings that decide how values read and print.
 *
 * @param zone TimeZone
 * @param dateStyle output style of dates
 * @param dateOrder how ambiguous dates are read
 * @param intervalStyle output style of intervals
 * @param extraFloatDigits extra_float_digits; above 0 = shortest digits that read back
 * @param byteaHex bytea_output = hex
 * @param names names of the reg types' oids
 */
public record SessionFormat(
    ZoneId zone,
    DateStyle dateStyle,
    DateOrder dateOrder,
    IntervalStyle intervalStyle,
    int extraFloatDigits,
    boolean byteaHex,
    OidNames names) {

  /** A format that knows no names beyond those of the built-in types. */
  public SessionFormat(
      ZoneId zone,
      DateStyle dateStyle,
      DateOrder dateOrder,
      IntervalStyle intervalStyle,
      int extraFloatDigits,
      boolean byteaHex) {
    this(zone, dateStyle, dateOrder, intervalStyle, extraFloatDigits, byteaHex, OidNames.NONE);
  }

  /** The same with names for the reg types: for output only. */
  public SessionFormat withNames(OidNames newNames) {
    return new SessionFormat(
        zone, dateStyle, dateOrder, intervalStyle, extraFloatDigits, byteaHex, newNames);
  }

  public enum DateStyle {
    ISO,
    POSTGRES,
    SQL,
    GERMAN
  }

  public enum DateOrder {
    MDY,
    DMY,
    YMD
  }

  public enum IntervalStyle {
    POSTGRES,
    POSTGRES_VERBOSE,
    SQL_STANDARD,
    ISO_8601
  }

  public static final SessionFormat DEFAULT =
      new SessionFormat(
          ZoneOffset.UTC, DateStyle.ISO, DateOrder.MDY, IntervalStyle.POSTGRES, 1, true);
}

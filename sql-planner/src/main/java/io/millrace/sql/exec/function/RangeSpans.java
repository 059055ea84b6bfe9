package io.millrace.sql.exec.function;

import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.Dates;

/** Lengths of time in range queries: fixed and above zero. A day has 24 hours. */
public final class RangeSpans {
  private RangeSpans() {}

  /**
   * The microseconds of an interval.
   *
   * @param what RANGE or ALIGN, for errors
   * @param interval one row
   */
  public static long micros(String what, Vector interval) {
    if (interval.isNull(0)) {
      throw new MillraceException(
          ErrorCode.NULL_VALUE_NOT_ALLOWED, what + " interval must not be null");
    }
    var v = (IntervalVector) interval;
    if (v.months()[0] != 0) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              what + " interval cannot contain months or years, whose length varies")
          .withHint("Use weeks, days or smaller units.");
    }
    long micros;
    try {
      micros = Math.addExact(Math.multiplyExact(v.days()[0], Dates.DAY), v.micros()[0]);
    } catch (ArithmeticException e) {
      throw new MillraceException(
          ErrorCode.INTERVAL_FIELD_OVERFLOW, what + " interval out of range", e);
    }
    if (micros <= 0) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, what + " interval must be greater than zero");
    }
    return micros;
  }
}

package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;

/** The errors that many kernels share, in PostgreSQL's words. */
final class Errors {
  private Errors() {}

  static MillraceException outOfRange(String type) {
    return new MillraceException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range");
  }

  static MillraceException divisionByZero() {
    return new MillraceException(ErrorCode.DIVISION_BY_ZERO, "division by zero");
  }

  static MillraceException invalidParameter(String message) {
    return new MillraceException(ErrorCode.INVALID_PARAMETER_VALUE, message);
  }

  static MillraceException overflow(String message) {
    return new MillraceException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, message);
  }

  static MillraceException datetimeOutOfRange(String type) {
    return new MillraceException(ErrorCode.DATETIME_FIELD_OVERFLOW, type + " out of range");
  }
}

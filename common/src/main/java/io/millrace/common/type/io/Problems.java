package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.charset.StandardCharsets;

/** The errors of type input, in PostgreSQL's words. */
final class Problems {
  private Problems() {}

  static MillraceException syntax(String type, byte[] b, int off, int len) {
    return new MillraceException(
        ErrorCode.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type + ": \"" + text(b, off, len) + "\"");
  }

  static MillraceException syntax(String type, String text) {
    return new MillraceException(
        ErrorCode.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type + ": \"" + text + "\"");
  }

  static MillraceException range(String type, byte[] b, int off, int len) {
    return new MillraceException(
        ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
        "value \"" + text(b, off, len) + "\" is out of range for type " + type);
  }

  static MillraceException datetime(String type, String text) {
    return new MillraceException(
        ErrorCode.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type " + type + ": \"" + text + "\"");
  }

  static MillraceException field(String text) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
  }

  static MillraceException datetimeRange(String type, String text) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, type + " out of range: \"" + text + "\"");
  }

  static MillraceException binary(String message) {
    return new MillraceException(ErrorCode.INVALID_BINARY_REPRESENTATION, message);
  }

  static MillraceException binaryLength() {
    return binary("incorrect binary data format");
  }

  static void requireLength(int len, int wanted) {
    if (len < wanted) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION, "insufficient data left in message");
    }
    if (len > wanted) {
      throw binaryLength();
    }
  }

  static String text(byte[] b, int off, int len) {
    return new String(b, off, len, StandardCharsets.UTF_8);
  }
}

package io.millrace.common.type;

/** PostgreSQL's format_type. */
final class TypeNames {
  private TypeNames() {}

  static String format(SqlType type) {
    if (type.kind() == TypeKind.ARRAY) {
      return format(type.elementType()) + "[]";
    }
    int m = type.typmod();
    return switch (type.kind()) {
      case BOOL -> "boolean";
      case INT2 -> "smallint";
      case INT4 -> "integer";
      case INT8 -> "bigint";
      case FLOAT4 -> "real";
      case FLOAT8 -> "double precision";
      case NUMERIC ->
          m < 4 ? "numeric" : "numeric(" + ((m - 4) >> 16 & 0xffff) + "," + scale(m) + ")";
      case VARCHAR -> m < 4 ? "character varying" : "character varying(" + (m - 4) + ")";
      case BPCHAR -> m < 4 ? "character" : "character(" + (m - 4) + ")";
      case CHAR -> "\"char\"";
      case TIME -> "time" + digits(m) + " without time zone";
      case TIMETZ -> "time" + digits(m) + " with time zone";
      case TIMESTAMP, TIMESTAMP_NS -> "timestamp" + digits(m) + " without time zone";
      case TIMESTAMPTZ -> "timestamp" + digits(m) + " with time zone";
      default -> type.kind().typname();
    };
  }

  /** The scale of a numeric typmod, an 11-bit signed number. */
  static int scale(int typmod) {
    return (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
  }

  private static String digits(int typmod) {
    return typmod < 0 ? "" : "(" + typmod + ")";
  }
}

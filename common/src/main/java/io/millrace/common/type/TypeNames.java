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
      case INTERVAL -> "interval" + fields(m);
      case ENUM -> quoted(type.typname());
      default -> type.kind().typname();
    };
  }

  private static String quoted(String name) {
    return name.matches("[a-z_][a-z_0-9$]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The scale of a numeric typmod, an 11-bit signed number. */
  static int scale(int typmod) {
    return (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
  }

  /** Fields and digits of an interval's typmod: the fields in the upper half, as in PostgreSQL. */
  private static String fields(int typmod) {
    if (typmod < 0) {
      return "";
    }
    String range =
        switch (typmod >> 16) {
          case 0x0004 -> " year";
          case 0x0002 -> " month";
          case 0x0008 -> " day";
          case 0x0400 -> " hour";
          case 0x0800 -> " minute";
          case 0x1000 -> " second";
          case 0x0006 -> " year to month";
          case 0x0408 -> " day to hour";
          case 0x0c08 -> " day to minute";
          case 0x1c08 -> " day to second";
          case 0x0c00 -> " hour to minute";
          case 0x1c00 -> " hour to second";
          case 0x1800 -> " minute to second";
          default -> "";
        };
    int digits = typmod & 0xffff;
    return digits > 6 ? range : range + digits(digits);
  }

  private static String digits(int typmod) {
    return typmod < 0 ? "" : "(" + typmod + ")";
  }
}

package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

/** Lengths and precisions of types, as information_schema's _pg_… functions give them. */
final class TypeFacts {
  private TypeFacts() {}

  static @Nullable Integer charLength(SqlType t) {
    return (t.kind() == TypeKind.VARCHAR || t.kind() == TypeKind.BPCHAR) && t.typmod() >= 4
        ? (Integer) (t.typmod() - 4)
        : null;
  }

  static @Nullable Integer octetLength(SqlType t) {
    return switch (t.kind()) {
      case TEXT, VARCHAR, BPCHAR -> {
        Integer n = charLength(t);
        yield n == null ? (Integer) 1_073_741_824 : (Integer) (n * 4);
      }
      default -> null;
    };
  }

  static @Nullable Integer numericPrecision(SqlType t) {
    return switch (t.kind()) {
      case INT2 -> 16;
      case INT4 -> 32;
      case INT8 -> 64;
      case FLOAT4 -> 24;
      case FLOAT8 -> 53;
      case NUMERIC -> t.typmod() < 4 ? null : (Integer) ((t.typmod() - 4) >> 16 & 0xffff);
      default -> null;
    };
  }

  static @Nullable Integer numericRadix(SqlType t) {
    return switch (t.kind()) {
      case INT2, INT4, INT8, FLOAT4, FLOAT8 -> 2;
      case NUMERIC -> 10;
      default -> null;
    };
  }

  static @Nullable Integer numericScale(SqlType t) {
    return switch (t.kind()) {
      case INT2, INT4, INT8 -> 0;
      case NUMERIC ->
          t.typmod() < 4 ? null : (Integer) ((((t.typmod() - 4) & 0x7ff) ^ 1024) - 1024);
      default -> null;
    };
  }

  static @Nullable Integer datetimePrecision(SqlType t) {
    return switch (t.kind()) {
      case DATE -> 0;
      case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS ->
          t.typmod() < 0 ? (Integer) 6 : (Integer) t.typmod();
      case INTERVAL ->
          t.typmod() < 0 || (t.typmod() & 0xffff) == 0xffff
              ? (Integer) 6
              : (Integer) (t.typmod() & 0xffff);
      default -> null;
    };
  }
}

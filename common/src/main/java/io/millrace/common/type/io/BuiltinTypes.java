package io.millrace.common.type.io;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Type names as regtype input and casts of text spell them. */
public final class BuiltinTypes {
  private BuiltinTypes() {}

  /**
   * The built-in type of a name such as {@code int4}, {@code double precision} or {@code text[]}.
   */
  public static @Nullable SqlType parse(String name) {
    String n = name.strip().toLowerCase(Locale.ROOT);
    if (n.startsWith("pg_catalog.")) {
      n = n.substring("pg_catalog.".length());
    }
    if (n.endsWith("[]")) {
      SqlType element = parse(n.substring(0, n.length() - 2));
      return element == null || element.kind().arrayOid() == 0 ? null : SqlType.arrayOf(element);
    }
    int open = n.indexOf('(');
    int close = n.indexOf(')', Math.max(open, 0));
    if (open > 0 && close > open) {
      n = (n.substring(0, open) + n.substring(close + 1)).strip();
    }
    TypeKind kind =
        switch (n) {
          case "boolean" -> TypeKind.BOOL;
          case "smallint" -> TypeKind.INT2;
          case "integer", "int" -> TypeKind.INT4;
          case "bigint" -> TypeKind.INT8;
          case "real" -> TypeKind.FLOAT4;
          case "double precision", "float" -> TypeKind.FLOAT8;
          case "decimal", "dec" -> TypeKind.NUMERIC;
          case "character varying", "char varying" -> TypeKind.VARCHAR;
          case "character", "char" -> TypeKind.BPCHAR;
          case "\"char\"" -> TypeKind.CHAR;
          case "timestamp without time zone" -> TypeKind.TIMESTAMP;
          case "timestamp with time zone" -> TypeKind.TIMESTAMPTZ;
          case "time without time zone" -> TypeKind.TIME;
          case "time with time zone" -> TypeKind.TIMETZ;
          default -> TypeKind.ofTypname(n);
        };
    if (kind == null && n.startsWith("_")) {
      TypeKind element = TypeKind.ofTypname(n.substring(1));
      return element == null || element.arrayOid() == 0
          ? null
          : SqlType.arrayOf(SqlType.of(element));
    }
    if (kind == TypeKind.INT2VECTOR) {
      return SqlType.INT2VECTOR;
    }
    if (kind == TypeKind.OIDVECTOR) {
      return SqlType.OIDVECTOR;
    }
    return kind == null ? null : SqlType.of(kind);
  }
}

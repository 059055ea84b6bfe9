package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.session.SettingDefinitions;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** SQL text of definitions, as PostgreSQL's pg_get_… functions write it. */
final class Sql {
  private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_$]*");

  private Sql() {}

  /** A name, in double quotes where it needs them. */
  static String quoted(String name) {
    return PLAIN.matcher(name).matches() && !Reserved.is(name)
        ? name
        : "\"" + name.replace("\"", "\"\"") + "\"";
  }

  static String names(List<Rel.Att> columns) {
    return columns.stream().map(a -> quoted(a.name())).collect(Collectors.joining(", "));
  }

  static String index(Rel r, Rel.Index x, boolean qualified) {
    return "CREATE UNIQUE INDEX "
        + quoted(x.name())
        + " ON "
        + (qualified ? quoted(r.schema()) + "." : "")
        + quoted(r.name())
        + " USING btree ("
        + names(x.columns())
        + ")";
  }

  static String constraint(Rel r, TableInfo.Constraint c) {
    List<Rel.Att> columns = r.columns(c);
    return switch (c.kind()) {
      case 'p' -> "PRIMARY KEY (" + names(columns) + ")";
      case 'u' -> "UNIQUE (" + names(columns) + ")";
      case 'f' ->
          "FOREIGN KEY ("
              + names(columns)
              + ") REFERENCES "
              + c.foreignKey()
                  .map(
                      f ->
                          f.table()
                              + (f.columns().isEmpty()
                                  ? ""
                                  : f.columns().stream()
                                      .map(Sql::quoted)
                                      .collect(Collectors.joining(", ", "(", ")"))))
                  .orElse("");
      default -> "CHECK (" + parenthesised(c.checkSql().orElse("true")) + ")";
    };
  }

  private static String parenthesised(String condition) {
    return "(" + condition + ")";
  }

  /** format_type for the types that come with the server; null for other oids. */
  static @Nullable String formatType(BuiltIns builtIns, int oid, @Nullable Integer typmod) {
    SqlType t = SqlType.ofOid(oid);
    if (t == null) {
      BuiltIns.Type other = builtIns.type(oid);
      if (other == null) {
        return null;
      }
      if (other.element() != 0 && other.name().startsWith("_")) {
        return formatType(builtIns, other.element(), typmod) + "[]";
      }
      return quoted(other.name());
    }
    int m = typmod == null ? -1 : typmod;
    if (t.kind() == TypeKind.ARRAY) {
      return formatType(builtIns, t.elementType().oid(), typmod) + "[]";
    }
    if (t.kind() == TypeKind.BPCHAR && typmod != null && m < 0) {
      return "bpchar";
    }
    if (t.kind() == TypeKind.INTERVAL && m >= 0 && (m & 0xffff) <= 6) {
      return "interval(" + (m & 0xffff) + ")";
    }
    if (t.kind() == TypeKind.ANY) {
      return "\"any\"";
    }
    return t.withTypmod(m).sqlName();
  }

  static String version() {
    return "PostgreSQL "
        + SettingDefinitions.SERVER_VERSION
        + " (Millrace "
        + millraceVersion()
        + ") on "
        + System.getProperty("os.arch", "unknown").replace("amd64", "x86_64")
        + "-pc-"
        + System.getProperty("os.name", "unknown").toLowerCase(Locale.ROOT)
        + ", compiled by javac "
        + Runtime.version().feature()
        + ", 64-bit";
  }

  static String millraceVersion() {
    String v = Sql.class.getPackage().getImplementationVersion();
    return v == null ? "0.1.0" : v;
  }
}

package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SequenceCalls;
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
  private static final Pattern CALL = Pattern.compile("[a-z_][a-z0-9_$.]*\\([^()]*\\)");

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

  static String index(Rel r, Rel.Index x, boolean qualified, boolean pretty) {
    String where = x.where();
    return "CREATE "
        + (x.unique() ? "UNIQUE " : "")
        + "INDEX "
        + quoted(x.name())
        + " ON "
        + (qualified ? quoted(r.schema()) + "." : "")
        + quoted(r.name())
        + " USING "
        + x.method()
        + " ("
        + x.keys().stream().map(k -> key(k, true)).collect(Collectors.joining(", "))
        + ")"
        + (x.include().isEmpty() ? "" : " INCLUDE (" + names(x.include()) + ")")
        + (where == null ? "" : " WHERE " + (pretty ? where : parenthesised(where)));
  }

  /** A key of an index: the column or expression, and its order if that is wanted. */
  static String key(Rel.Key k, boolean order) {
    Rel.Att a = k.att();
    String what =
        a != null
            ? quoted(a.name())
            : CALL.matcher(k.expression()).matches()
                ? k.expression()
                : parenthesised(k.expression());
    if (!order) {
      return what;
    }
    return what
        + (k.descending() ? " DESC" : "")
        + (k.nullsFirst() == k.descending() ? "" : k.nullsFirst() ? " NULLS FIRST" : " NULLS LAST");
  }

  /** An expression of the catalog with sequences by their names. */
  static String expression(RegTypes.Lookup c, String sql) {
    return SequenceCalls.shown(
        sql, oid -> c.view().name(oid) == null ? null : RegTypes.className(c, oid));
  }

  static String constraint(RegTypes.Lookup c, Rel r, TableInfo.Constraint x, boolean pretty) {
    return definition(c, r, x, pretty) + (x.notValid() ? " NOT VALID" : "");
  }

  private static String definition(
      RegTypes.Lookup lookup, Rel r, TableInfo.Constraint c, boolean pretty) {
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
                          referenced(lookup, r, f)
                              + action(" ON UPDATE ", f.onUpdate())
                              + action(" ON DELETE ", f.onDelete()))
                  .orElse("");
      default -> {
        String check = c.checkSql().orElse("true");
        yield "CHECK (" + (pretty ? check : parenthesised(check)) + ")";
      }
    };
  }

  private static String action(String event, String action) {
    return action.equals("no action") ? "" : event + action.toUpperCase(Locale.ROOT);
  }

  private static String referenced(RegTypes.Lookup c, Rel r, TableInfo.ForeignKey f) {
    int oid = reference(c.view(), r, f);
    Rel target = oid == 0 ? null : c.view().rel(oid);
    List<String> columns = f.columns();
    if (columns.isEmpty() && target != null) {
      for (Rel.Index x : target.indexes()) {
        columns = x.primary() ? x.columns().stream().map(Rel.Att::name).toList() : columns;
      }
    }
    return (oid == 0 ? f.table() : RegTypes.className(c, oid))
        + (columns.isEmpty()
            ? ""
            : columns.stream().map(Sql::quoted).collect(Collectors.joining(", ", "(", ")")));
  }

  /** Oid of the table that a foreign key refers to; 0 if it is gone. */
  static int reference(View view, Rel r, TableInfo.ForeignKey f) {
    List<String> parts = RegTypes.parts(f.table());
    int n = parts.size();
    return view.find(n > 1 ? parts.get(n - 2) : r.schema(), parts.get(n - 1));
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

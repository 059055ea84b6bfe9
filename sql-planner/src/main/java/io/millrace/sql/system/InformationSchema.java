package io.millrace.sql.system;

import static io.millrace.sql.system.Part.Key.NAME;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.semantics.FunctionRow;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The standard's views, computed directly. */
final class InformationSchema {
  private static final String OWNER = "millrace";
  private static final List<String> PRIVILEGES =
      List.of("INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER");
  private static final List<String> COLUMN_PRIVILEGES =
      List.of("INSERT", "SELECT", "UPDATE", "REFERENCES");

  private InformationSchema() {}

  static void parts(Map<String, List<Part>> to) {
    var p = new Parts(to, "information_schema");
    Map<String, Part.Key> byTable = Map.of("table_name", NAME);
    p.kept("information_schema_catalog_name", (c, out) -> out.row(c.view().alias()));
    p.kept(
        "schemata",
        (c, out) ->
            c.view()
                .namespaces()
                .keySet()
                .forEach(n -> out.row(c.view().alias(), n, OWNER, null, null, null, null)));
    p.kept("tables", (c, out) -> c.view().system().forEach(r -> table(c, r, out)));
    p.relations("tables", byTable, InformationSchema::table);
    p.kept("columns", (c, out) -> c.view().system().forEach(r -> columns(c, r, out)));
    p.relations("columns", byTable, InformationSchema::columns);
    p.relations("sequences", Map.of("sequence_name", NAME), InformationSchema::sequences);
    p.relations("views", byTable, InformationSchema::view);
    p.kept("views", (c, out) -> c.view().system().forEach(r -> view(c, r, out)));
    p.relations("table_constraints", byTable, InformationSchema::constraints);
    p.relations("key_column_usage", byTable, InformationSchema::keyColumns);
    p.relations("constraint_column_usage", byTable, InformationSchema::constraintColumns);
    p.relations("constraint_table_usage", byTable, InformationSchema::constraintTables);
    p.relations("referential_constraints", Map.of(), InformationSchema::references);
    p.relations("check_constraints", Map.of(), InformationSchema::checks);
    p.kept("routines", InformationSchema::routines);
    p.kept(
        "character_sets",
        (c, out) ->
            out.row(null, null, "UTF8", "UCS", "UTF8", c.view().alias(), "pg_catalog", "default"));
    p.kept(
        "collations",
        (c, out) -> {
          for (@Nullable String[] r : c.builtIns().rows("pg_collation")) {
            out.row(c.view().alias(), "pg_catalog", r[1], "NO PAD");
          }
        });
    for (String r : List.of("table_privileges", "role_table_grants")) {
      p.relations(
          r,
          byTable,
          (c, x, out) -> {
            for (String privilege : PRIVILEGES) {
              out.row(
                  OWNER,
                  OWNER,
                  c.view().alias(),
                  x.schema(),
                  x.name(),
                  privilege,
                  "YES",
                  privilege.equals("SELECT") ? "YES" : "NO");
            }
          });
    }
    for (String r : List.of("column_privileges", "role_column_grants")) {
      p.relations(
          r,
          byTable,
          (c, x, out) -> {
            for (Rel.Att a : x.atts()) {
              for (String privilege : COLUMN_PRIVILEGES) {
                out.row(
                    OWNER,
                    OWNER,
                    c.view().alias(),
                    x.schema(),
                    x.name(),
                    a.name(),
                    privilege,
                    "YES");
              }
            }
          });
    }
    p.fresh(
        "enabled_roles",
        (c, out) -> {
          out.row(OWNER);
          if (!c.session().user().equals(OWNER)) {
            out.row(c.session().user());
          }
        });
  }

  private static void sequences(ScanContext c, Rel r, RowSink out) {
    SequenceInfo s = r.sequence();
    if (s == null || s.owner().filter(SequenceInfo.Owner::identity).isPresent()) {
      return;
    }
    SqlType t = SequenceFunctions.type(s);
    out.row(
        c.view().alias(),
        r.schema(),
        r.name(),
        t.sqlName(),
        t.kind() == TypeKind.INT2 ? 16 : t.kind() == TypeKind.INT4 ? 32 : 64,
        2,
        0,
        Long.toString(s.start()),
        Long.toString(s.min()),
        Long.toString(s.max()),
        Long.toString(s.increment()),
        s.cycle() ? "YES" : "NO");
  }

  private static void table(ScanContext c, Rel r, RowSink out) {
    if (r.sequence() != null) {
      return;
    }
    if (r.kind() == 'm') {
      return;
    }
    boolean view = r.kind() == 'v';
    out.row(
        c.view().alias(),
        r.schema(),
        r.name(),
        view ? "VIEW" : r.schema().startsWith("pg_temp_") ? "LOCAL TEMPORARY" : "BASE TABLE",
        null,
        null,
        null,
        null,
        null,
        r.table() != null ? "YES" : "NO",
        "NO",
        null);
  }

  private static void view(ScanContext c, Rel r, RowSink out) {
    if (r.kind() == 'v') {
      out.row(
          c.view().alias(),
          r.schema(),
          r.name(),
          r.view() == null ? null : r.view().query(),
          "NONE",
          "NO",
          "NO",
          "NO",
          "NO",
          "NO");
    }
  }

  private static void columns(ScanContext c, Rel r, RowSink out) {
    if (r.sequence() != null || r.kind() == 'm') {
      return;
    }
    String db = c.view().alias();
    for (Rel.Att a : r.atts()) {
      SqlType t = a.type();
      SequenceInfo own = a.generated().isEmpty() ? null : identitySequence(c, r, a);
      boolean identity = a.generated().equals("a") || a.generated().equals("d");
      boolean computed = a.generated().equals("s");
      boolean text = t.kind() == TypeKind.VARCHAR || t.kind() == TypeKind.TEXT;
      UserType user = a.userType() == 0 ? null : c.view().userType(a.userType());
      UserType domain = user == null || user.isEnum() ? null : user;
      out.row(
          db,
          r.schema(),
          r.name(),
          a.name(),
          a.number(),
          identity || computed ? null : shown(c, a.defaultSql()),
          a.notNull() ? "NO" : "YES",
          t.kind() == TypeKind.ENUM ? "USER-DEFINED" : dataType(c.builtIns(), t),
          TypeFacts.charLength(t),
          TypeFacts.octetLength(t),
          TypeFacts.numericPrecision(t),
          TypeFacts.numericRadix(t),
          TypeFacts.numericScale(t),
          TypeFacts.datetimePrecision(t),
          null,
          null,
          null,
          null,
          null,
          text ? null : t.kind() == TypeKind.NAME ? db : null,
          t.kind() == TypeKind.NAME ? "pg_catalog" : null,
          t.kind() == TypeKind.NAME ? "C" : null,
          domain == null ? null : db,
          domain == null ? null : domain.schema(),
          domain == null ? null : domain.name(),
          db,
          user == null || domain != null ? "pg_catalog" : user.schema(),
          t.typname(),
          null,
          null,
          null,
          null,
          Integer.toString(a.number()),
          "NO",
          identity ? "YES" : "NO",
          identity ? (a.generated().equals("a") ? "ALWAYS" : "BY DEFAULT") : null,
          own == null ? null : Long.toString(own.start()),
          own == null ? null : Long.toString(own.increment()),
          own == null ? null : Long.toString(own.max()),
          own == null ? null : Long.toString(own.min()),
          own != null && own.cycle() ? "YES" : "NO",
          computed ? "ALWAYS" : "NEVER",
          computed ? a.defaultSql() : null,
          r.table() != null ? "YES" : "NO");
    }
  }

  private static @Nullable String shown(ScanContext c, @Nullable String sql) {
    return sql == null
        ? null
        : Sql.expression(new RegTypes.Lookup(c.view(), c.builtIns(), c.session()), sql);
  }

  private static @Nullable SequenceInfo identitySequence(ScanContext c, Rel r, Rel.Att a) {
    TableInfo t = r.table();
    if (t == null) {
      return null;
    }
    return c.catalog().sequences(t.database()).stream()
        .filter(
            s ->
                s.owner()
                    .filter(
                        o ->
                            o.identity()
                                && o.table().equals(t.id())
                                && t.columnById(o.columnId())
                                    .filter(x -> x.attnum() == a.number())
                                    .isPresent())
                    .isPresent())
        .findFirst()
        .orElse(null);
  }

  private static @Nullable String dataType(BuiltIns builtIns, SqlType t) {
    return t.isArray() ? "ARRAY" : Sql.formatType(builtIns, t.oid(), null);
  }

  private static String kind(TableInfo.Constraint c) {
    return switch (c.kind()) {
      case 'p' -> "PRIMARY KEY";
      case 'u' -> "UNIQUE";
      case 'f' -> "FOREIGN KEY";
      default -> "CHECK";
    };
  }

  private static List<TableInfo.Constraint> of(Rel r) {
    TableInfo t = r.table();
    return t == null ? List.of() : t.constraints();
  }

  private static void constraints(ScanContext c, Rel r, RowSink out) {
    String db = c.view().alias();
    for (TableInfo.Constraint x : of(r)) {
      out.row(
          db,
          r.schema(),
          x.name(),
          db,
          r.schema(),
          r.name(),
          kind(x),
          "NO",
          "NO",
          x.kind() == 'f' ? "NO" : "YES",
          x.kind() == 'u' ? "YES" : null);
    }
    for (Rel.Att a : r.atts()) {
      if (a.notNull()) {
        out.row(
            db,
            r.schema(),
            notNull(r, a),
            db,
            r.schema(),
            r.name(),
            "CHECK",
            "NO",
            "NO",
            "YES",
            null);
      }
    }
  }

  /** The name that PostgreSQL gives to NOT NULL here: of the oids. */
  private static String notNull(Rel r, Rel.Att a) {
    return r.namespace() + "_" + r.oid() + "_" + a.number() + "_not_null";
  }

  private static void checks(ScanContext c, Rel r, RowSink out) {
    for (TableInfo.Constraint x : of(r)) {
      if (x.kind() == 'c') {
        out.row(c.view().alias(), r.schema(), x.name(), "(" + x.checkSql().orElse("true") + ")");
      }
    }
    for (Rel.Att a : r.atts()) {
      if (a.notNull()) {
        out.row(c.view().alias(), r.schema(), notNull(r, a), a.name() + " IS NOT NULL");
      }
    }
  }

  private static void keyColumns(ScanContext c, Rel r, RowSink out) {
    String db = c.view().alias();
    for (TableInfo.Constraint x : of(r)) {
      if (x.kind() == 'c') {
        continue;
      }
      int n = 0;
      for (Rel.Att a : r.columns(x)) {
        n++;
        out.row(
            db,
            r.schema(),
            x.name(),
            db,
            r.schema(),
            r.name(),
            a.name(),
            n,
            x.kind() == 'f' ? (Integer) n : null);
      }
    }
  }

  private static void constraintColumns(ScanContext c, Rel r, RowSink out) {
    String db = c.view().alias();
    for (TableInfo.Constraint x : of(r)) {
      if (x.kind() == 'f') {
        continue;
      }
      for (Rel.Att a : r.columns(x)) {
        out.row(db, r.schema(), r.name(), a.name(), db, r.schema(), x.name());
      }
    }
  }

  private static void constraintTables(ScanContext c, Rel r, RowSink out) {
    String db = c.view().alias();
    for (TableInfo.Constraint x : of(r)) {
      out.row(db, r.schema(), r.name(), db, r.schema(), x.name());
    }
  }

  private static void references(ScanContext c, Rel r, RowSink out) {
    String db = c.view().alias();
    for (TableInfo.Constraint x : of(r)) {
      if (x.kind() == 'f') {
        TableInfo.ForeignKey f = x.foreignKey().orElseThrow();
        Rel other = c.view().rel(Sql.reference(c.view(), r, f));
        String schema = other == null ? null : other.schema();
        String key = null;
        if (other != null) {
          for (Rel.Index i : other.indexes()) {
            key = matches(f, i) ? i.name() : key;
          }
        }
        out.row(
            db,
            r.schema(),
            x.name(),
            key == null ? null : db,
            key == null ? null : schema,
            key,
            "NONE",
            f.onUpdate().toUpperCase(Locale.ROOT),
            f.onDelete().toUpperCase(Locale.ROOT));
      }
    }
  }

  private static boolean matches(TableInfo.ForeignKey f, Rel.Index i) {
    return f.columns().isEmpty()
        ? i.primary()
        : i.unique() && i.columns().stream().map(Rel.Att::name).toList().equals(f.columns());
  }

  private static void routines(ScanContext c, RowSink out) {
    String db = c.view().alias();
    for (BuiltIns.Proc p : c.builtIns().procs()) {
      FunctionRow f = p.row();
      if (f == null) {
        continue;
      }
      @Nullable Object[] row = new @Nullable Object[82];
      row[0] = db;
      row[1] = p.schema();
      row[2] = p.name() + "_" + Integer.toUnsignedString(p.oid());
      row[3] = db;
      row[4] = p.schema();
      row[5] = p.name();
      row[6] = f.kind() == 'f' ? "FUNCTION" : null;
      row[13] = dataType(c.builtIns(), f.result());
      row[28] = db;
      row[29] = "pg_catalog";
      row[30] = f.result().typname();
      row[35] = "0";
      row[36] = "EXTERNAL";
      row[38] = p.name();
      row[39] = "INTERNAL";
      row[40] = "GENERAL";
      row[41] = f.volatility() == 'i' ? "YES" : "NO";
      row[42] = "MODIFIES";
      row[43] = f.kind() == 'f' ? (f.strict() ? "YES" : "NO") : null;
      row[45] = "YES";
      row[46] = 0;
      row[49] = "INVOKER";
      row[53] = "NO";
      row[57] = "NO";
      out.row(row);
    }
  }
}

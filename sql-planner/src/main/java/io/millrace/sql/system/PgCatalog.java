package io.millrace.sql.system;

import static io.millrace.sql.system.Part.Key.NAME;
import static io.millrace.sql.system.Part.Key.OID;
import static io.millrace.sql.system.Part.Key.TYPE_NAME;
import static io.millrace.sql.system.Part.Key.TYPE_OID;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.SequenceValues;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.semantics.FunctionRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** pg_catalog's tables: values in the order of PostgreSQL 15's columns. */
final class PgCatalog {
  private static final Map<String, Part.Key> NONE = Map.of();

  private PgCatalog() {}

  static void parts(Map<String, List<Part>> to) {
    var p = new Parts(to, "pg_catalog");
    p.kept("pg_namespace", PgCatalog::namespaces);
    p.relations("pg_sequence", Map.of("seqrelid", OID), PgCatalog::sequences);
    p.figures("pg_sequences", Map.of("sequencename", NAME), PgCatalog::sequenceView);
    p.system("pg_class", PgCatalog::relation);
    p.figures("pg_class", Map.of("oid", OID, "relname", NAME), PgCatalog::relation);
    p.everything("pg_attribute", Map.of("attrelid", OID), PgCatalog::attributes);
    p.resource("pg_type");
    p.everything("pg_type", Map.of("oid", TYPE_OID, "typname", TYPE_NAME), PgCatalog::rowTypes);
    p.kept("pg_type", (c, out) -> c.view().userTypes().forEach(t -> userTypes(c, t, out)));
    p.kept("pg_enum", (c, out) -> c.view().userTypes().forEach(t -> labels(t, out)));
    p.relations("pg_attrdef", Map.of("adrelid", OID), PgCatalog::defaults);
    p.relations("pg_constraint", Map.of("conrelid", OID, "conindid", OID), PgCatalog::constraints);
    p.relations("pg_index", Map.of("indrelid", OID, "indexrelid", OID), PgCatalog::indexes);
    p.relations("pg_description", NONE, PgCatalog::descriptions);
    p.kept(
        "pg_description",
        (c, out) ->
            c.catalog()
                .comments()
                .forEach((k, text) -> out.row(k.oid(), k.catalog(), k.column(), text)));
    p.relations("pg_depend", NONE, PgCatalog::depends);
    p.relations("pg_rewrite", Map.of("ev_class", OID), PgCatalog::rules);
    p.fixed("pg_proc", PgCatalog::functions);
    p.fixed(
        "pg_operator",
        (c, out) -> {
          for (@Nullable String[] r : c.builtIns().rows("pg_operator")) {
            if (c.builtIns().usableOperator(BuiltIns.number(r[0]))) {
              out.textRow(r);
            }
          }
        });
    for (String r :
        List.of(
            "pg_cast",
            "pg_am",
            "pg_amop",
            "pg_language",
            "pg_collation",
            "pg_tablespace",
            "pg_opclass",
            "pg_opfamily")) {
      p.resource(r);
    }
    p.kept("pg_database", PgCatalog::databases);
    PgRoles.provide(p);
    p.everything(
        "pg_tables",
        Map.of("tablename", NAME),
        (c, r, out) -> {
          if (r.kind() == 'r') {
            out.row(
                r.schema(),
                r.name(),
                "millrace",
                null,
                !r.indexes().isEmpty(),
                false,
                false,
                false);
          }
        });
    p.relations(
        "pg_matviews",
        Map.of("matviewname", NAME),
        (c, r, out) -> {
          TableInfo t = r.table();
          if (t != null && t.materialized()) {
            out.row(
                r.schema(),
                r.name(),
                "millrace",
                null,
                !r.indexes().isEmpty(),
                t.populated(),
                t.options().get(TableInfo.MATERIALIZED_QUERY));
          }
        });
    p.relations(
        "pg_views",
        Map.of("viewname", NAME),
        (c, r, out) -> {
          ViewInfo v = r.view();
          if (v != null) {
            out.row(v.schema(), v.name(), "millrace", v.query());
          }
        });
    p.system(
        "pg_views",
        (c, r, out) -> {
          if (r.kind() == 'v') {
            out.row(r.schema(), r.name(), "millrace", null);
          }
        });
    p.relations(
        "pg_indexes",
        Map.of("tablename", NAME, "indexname", NAME),
        (c, r, out) -> {
          for (Rel.Index x : r.indexes()) {
            out.row(r.schema(), r.name(), x.name(), null, Sql.index(r, x, true, false));
          }
        });
  }

  private static void namespaces(ScanContext c, RowSink out) {
    c.view().namespaces().forEach((name, oid) -> out.row(oid, name, Oids.OWNER, null));
  }

  private static void databases(ScanContext c, RowSink out) {
    for (DatabaseInfo d : c.catalog().databases()) {
      boolean own = d.name().equals(c.view().database());
      out.row(
          d.oid(),
          own ? c.view().alias() : d.name(),
          Oids.OWNER,
          6,
          "c",
          false,
          true,
          -1,
          0,
          0,
          1663,
          "C.UTF-8",
          "C.UTF-8",
          null,
          null,
          null);
    }
  }

  private static void relation(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    long rows = t == null ? 0 : c.rows(t);
    long pages = t == null ? 0 : c.bytes(t) / 8192;
    boolean view = r.kind() == 'v';
    boolean sequence = r.kind() == 'S';
    int checks = 0;
    List<String> options = null;
    if (t != null) {
      checks = (int) t.constraints().stream().filter(x -> x.kind() == 'c').count();
      if (!t.options().isEmpty()) {
        options =
            t.options().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
      }
    }
    out.row(
        r.oid(),
        r.name(),
        r.namespace(),
        sequence ? 0 : Oids.rowType(r.oid()),
        0,
        Oids.OWNER,
        view || sequence ? 0 : Oids.HEAP,
        view ? 0 : r.oid(),
        0,
        (int) Math.min(Integer.MAX_VALUE, pages),
        view ? 0f : sequence ? 1f : (float) rows,
        0,
        0,
        !r.indexes().isEmpty(),
        false,
        persistence(r),
        r.kind(),
        r.atts().size(),
        checks,
        view,
        t != null && c.view().hasForeignKey(t),
        false,
        false,
        false,
        true,
        view || sequence ? "n" : "d",
        false,
        0,
        0,
        0,
        null,
        options,
        null);
    for (Rel.Index x : r.indexes()) {
      out.row(
          x.oid(),
          x.name(),
          r.namespace(),
          0,
          0,
          Oids.OWNER,
          Oids.BTREE,
          x.oid(),
          0,
          0,
          (float) rows,
          0,
          0,
          false,
          false,
          persistence(r),
          "i",
          x.width(),
          0,
          false,
          false,
          false,
          false,
          false,
          true,
          "n",
          false,
          0,
          0,
          0,
          null,
          null,
          null);
    }
  }

  private static String persistence(Rel r) {
    TableInfo t = r.table();
    return r.schema().startsWith("pg_temp_") ? "t" : t == null ? "p" : t.persistence().code();
  }

  private static void sequences(ScanContext c, Rel r, RowSink out) {
    SequenceInfo s = r.sequence();
    if (s != null) {
      out.row(
          r.oid(),
          SequenceFunctions.type(s).oid(),
          s.start(),
          s.increment(),
          s.max(),
          s.min(),
          s.cache(),
          s.cycle());
    }
  }

  private static void sequenceView(ScanContext c, Rel r, RowSink out) {
    SequenceInfo s = r.sequence();
    if (s != null) {
      SequenceValues.State state = c.sources().sequenceValues().state(s);
      out.row(
          r.schema(),
          r.name(),
          "millrace",
          SequenceFunctions.type(s).oid(),
          s.start(),
          s.min(),
          s.max(),
          s.increment(),
          s.cycle(),
          s.cache(),
          state.called() ? (Long) state.last() : null);
    }
  }

  private static void attributes(ScanContext c, Rel r, RowSink out) {
    for (Rel.Att a : r.atts()) {
      attribute(c, r.oid(), a, a.number(), out);
    }
    for (Rel.Index x : r.indexes()) {
      for (Rel.Att a : x.columns()) {
        attribute(c, x.oid(), a, a.number(), out);
      }
    }
  }

  private static void attribute(ScanContext c, int relation, Rel.Att a, int number, RowSink out) {
    int oid = a.type().oid();
    BuiltIns.Type t = c.builtIns().type(oid);
    boolean identity = a.generated().equals("a") || a.generated().equals("d");
    out.row(
        relation,
        a.name(),
        a.typeOid(),
        -1,
        t == null ? -1 : t.length(),
        number,
        a.type().kind() == TypeKind.ARRAY ? 1 : 0,
        -1,
        Rel.typmod(a.type()),
        t != null && t.byValue(),
        t == null ? "i" : t.align(),
        t == null ? "x" : t.storage(),
        "",
        a.notNull(),
        a.defaultSql() != null && !identity,
        false,
        identity ? a.generated() : "",
        a.generated().equals("s") ? "s" : "",
        false,
        true,
        0,
        t == null ? 0 : t.collation(),
        null,
        null,
        null,
        null);
  }

  private static void rowTypes(ScanContext c, Rel r, RowSink out) {
    if (r.sequence() != null) {
      return;
    }
    rowType(r, Oids.rowType(r.oid()), r.name(), false, out);
    rowType(r, Oids.rowTypeArray(r.oid()), "_" + r.name(), true, out);
  }

  private static void labels(UserType t, RowSink out) {
    for (UserType.Label l : t.labels()) {
      out.row(l.oid(), t.oid(), l.order(), l.text());
    }
  }

  private static void userTypes(ScanContext c, UserType t, RowSink out) {
    userType(c, t, false, out);
    userType(c, t, true, out);
  }

  /** A type that a user made, or the array over it. */
  private static void userType(ScanContext c, UserType t, boolean array, RowSink out) {
    boolean labels = t.isEnum();
    TypeKind base = t.base().kind();
    int length = labels ? 4 : base.length();
    out.row(
        array ? t.arrayOid() : t.oid(),
        array ? "_" + t.name() : t.name(),
        c.view().namespaces().getOrDefault(t.schema(), 0),
        Oids.OWNER,
        array ? -1 : length,
        !array && length > 0 && length <= 8,
        array ? "b" : String.valueOf(t.kind()),
        array ? "A" : labels ? "E" : String.valueOf(base.category()),
        false,
        true,
        ",",
        0,
        array ? ARRAY_SUBSCRIPT : 0,
        array ? t.oid() : 0,
        array ? 0 : t.arrayOid(),
        array ? ARRAY_IN : labels ? ENUM_IN : DOMAIN_IN,
        array ? ARRAY_IN + 1 : labels ? ENUM_IN + 1 : 0,
        array ? ARRAY_RECEIVE : labels ? ENUM_RECEIVE : DOMAIN_IN + 1,
        array ? ARRAY_RECEIVE + 1 : labels ? ENUM_RECEIVE + 1 : 0,
        0,
        0,
        array ? 3816 : 0,
        array ? "i" : length == 8 ? "d" : "i",
        array || length < 0 ? "x" : "p",
        !array && t.notNull(),
        array || labels ? 0 : t.base().oid(),
        array || labels ? -1 : t.base().typmod(),
        0,
        !array && base.category() == 'S' && !labels ? 100 : 0,
        null,
        array ? null : t.defaultSql().orElse(null),
        null);
  }

  private static final int ARRAY_SUBSCRIPT = 6179;
  private static final int ARRAY_IN = 750;
  private static final int ARRAY_RECEIVE = 2400;
  private static final int ENUM_IN = 3504;
  private static final int ENUM_RECEIVE = 3532;
  private static final int DOMAIN_IN = 2597;

  private static void rowType(Rel r, int oid, String name, boolean array, RowSink out) {
    out.row(
        oid,
        name,
        r.namespace(),
        Oids.OWNER,
        -1,
        false,
        array ? "b" : "c",
        array ? "A" : "C",
        false,
        true,
        ",",
        array ? 0 : r.oid(),
        array ? 6179 : 0,
        array ? Oids.rowType(r.oid()) : 0,
        array ? 0 : Oids.rowTypeArray(r.oid()),
        array ? 750 : 2290,
        array ? 751 : 2291,
        array ? 2400 : 2402,
        array ? 2401 : 2403,
        0,
        0,
        array ? 3816 : 0,
        "d",
        "x",
        false,
        0,
        -1,
        0,
        0,
        null,
        null,
        null);
  }

  private static void defaults(ScanContext c, Rel r, RowSink out) {
    for (Rel.Att a : r.atts()) {
      if (a.defaultSql() != null) {
        if (a.generated().equals("a") || a.generated().equals("d")) {
          continue;
        }
        out.row(Oids.columnDefault(r.oid(), a.number()), r.oid(), a.number(), a.defaultSql());
      }
    }
  }

  private static void constraints(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    for (TableInfo.Constraint x : t.constraints()) {
      boolean foreign = x.kind() == 'f';
      int target = 0;
      String onUpdate = " ";
      String onDelete = " ";
      List<Integer> targetKey = null;
      if (foreign && x.foreignKey().isPresent()) {
        TableInfo.ForeignKey f = x.foreignKey().get();
        target = Sql.reference(c.view(), r, f);
        onUpdate = action(f.onUpdate());
        onDelete = action(f.onDelete());
        targetKey = targetKey(c.view().rel(target), f.columns());
      }
      List<Integer> key = Rel.numbers(r.columns(x));
      out.row(
          x.oid(),
          x.name(),
          r.namespace(),
          x.kind(),
          false,
          false,
          !x.notValid(),
          r.oid(),
          0,
          x.kind() == 'p' || x.kind() == 'u' ? Oids.index(x.oid()) : 0,
          0,
          target,
          onUpdate,
          onDelete,
          foreign ? "s" : " ",
          true,
          0,
          x.kind() != 'c',
          key.isEmpty() ? null : key,
          targetKey,
          null,
          null,
          null,
          null,
          null,
          x.checkSql().orElse(null));
    }
  }

  private static @Nullable List<Integer> targetKey(@Nullable Rel target, List<String> columns) {
    if (target == null) {
      return null;
    }
    if (columns.isEmpty()) {
      for (Rel.Index x : target.indexes()) {
        if (x.primary()) {
          return x.numbers();
        }
      }
      return null;
    }
    var out = new ArrayList<Integer>();
    for (String name : columns) {
      target.atts().stream()
          .filter(a -> a.name().equals(name))
          .findFirst()
          .ifPresent(a -> out.add(a.number()));
    }
    return out;
  }

  private static String action(String words) {
    return switch (words) {
      case "restrict" -> "r";
      case "cascade" -> "c";
      case "set null" -> "n";
      case "set default" -> "d";
      default -> "a";
    };
  }

  private static void indexes(ScanContext c, Rel r, RowSink out) {
    for (Rel.Index x : r.indexes()) {
      int n = x.width();
      var options = new ArrayList<Integer>();
      var expressions = new ArrayList<String>();
      for (Rel.Key k : x.keys()) {
        options.add((k.descending() ? 1 : 0) | (k.nullsFirst() ? 2 : 0));
        if (k.att() == null) {
          expressions.add(k.expression());
        }
      }
      var collations = new ArrayList<Integer>();
      var classes = new ArrayList<Integer>();
      for (Rel.Att a : x.columns()) {
        BuiltIns.Type t = c.builtIns().type(a.type().oid());
        collations.add(t == null ? 0 : t.collation());
        classes.add(operatorClass(c.builtIns(), a.type()));
      }
      out.row(
          x.oid(),
          r.oid(),
          n,
          x.keys().size(),
          x.unique(),
          false,
          x.primary(),
          false,
          true,
          false,
          true,
          false,
          true,
          true,
          false,
          x.numbers(),
          collations,
          classes,
          options,
          expressions.isEmpty() ? null : String.join(", ", expressions),
          x.where());
    }
  }

  /** The default btree operator class of a type; varchar uses text's. */
  private static int operatorClass(BuiltIns builtIns, SqlType t) {
    int oid = t.kind() == TypeKind.VARCHAR ? SqlType.TEXT.oid() : t.oid();
    int in = t.kind() == TypeKind.ARRAY ? 2277 : oid;
    for (@Nullable String[] r : builtIns.rows("pg_opclass")) {
      if (BuiltIns.number(r[6]) == in && "t".equals(r[7])) {
        return BuiltIns.number(r[0]);
      }
    }
    return 0;
  }

  private static void descriptions(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t != null && t.comment().isPresent()) {
      out.row(r.oid(), Oids.PG_CLASS, 0, t.comment().get());
    }
    for (Rel.Att a : r.atts()) {
      if (a.comment() != null) {
        out.row(r.oid(), Oids.PG_CLASS, a.number(), a.comment());
      }
    }
  }

  private static void depends(ScanContext c, Rel r, RowSink out) {
    out.row(Oids.PG_CLASS, r.oid(), 0, Oids.PG_NAMESPACE, r.namespace(), 0, "n");
    if (r.sequence() == null) {
      out.row(Oids.PG_TYPE, Oids.rowType(r.oid()), 0, Oids.PG_CLASS, r.oid(), 0, "i");
    }
    if (r.view() != null) {
      out.row(Oids.PG_REWRITE, Oids.rule(r.oid()), 0, Oids.PG_CLASS, r.oid(), 0, "i");
    }
    TableInfo t = r.table();
    if (t != null) {
      for (TableInfo.Constraint x : t.constraints()) {
        for (Rel.Att a : r.columns(x)) {
          out.row(Oids.PG_CONSTRAINT, x.oid(), 0, Oids.PG_CLASS, r.oid(), a.number(), "a");
        }
      }
    }
    for (Rel.Index x : r.indexes()) {
      TableInfo.Constraint k = x.constraint();
      if (k != null) {
        out.row(Oids.PG_CLASS, x.oid(), 0, Oids.PG_CONSTRAINT, k.oid(), 0, "i");
        continue;
      }
      for (Rel.Key key : x.keys()) {
        Rel.Att a = key.att();
        out.row(Oids.PG_CLASS, x.oid(), 0, Oids.PG_CLASS, r.oid(), a == null ? 0 : a.number(), "a");
      }
    }
    ownership(c, r, out);
    for (Rel.Att a : r.atts()) {
      if (a.defaultSql() != null) {
        out.row(
            Oids.PG_ATTRDEF,
            Oids.columnDefault(r.oid(), a.number()),
            0,
            Oids.PG_CLASS,
            r.oid(),
            a.number(),
            "a");
        for (SequenceInfo q : c.catalog().sequences(c.view().database())) {
          if (SequenceCalls.uses(a.defaultSql(), q.oid())) {
            int id = Oids.columnDefault(r.oid(), a.number());
            out.row(Oids.PG_ATTRDEF, id, 0, Oids.PG_CLASS, q.oid(), 0, "n");
          }
        }
      }
      if (a.userType() != 0) {
        out.row(Oids.PG_CLASS, r.oid(), a.number(), Oids.PG_TYPE, a.userType(), 0, "n");
      }
    }
  }

  /** A sequence goes with the column that owns it. */
  private static void ownership(ScanContext c, Rel r, RowSink out) {
    SequenceInfo s = r.sequence();
    if (s == null || s.owner().isEmpty()) {
      return;
    }
    SequenceInfo.Owner o = s.owner().get();
    TableInfo t = c.catalog().table(o.table()).orElse(null);
    if (t != null) {
      int number = t.columnById(o.columnId()).map(TableInfo.Column::attnum).orElse(0);
      out.row(Oids.PG_CLASS, s.oid(), 0, Oids.PG_CLASS, t.oid(), number, o.identity() ? "i" : "a");
    }
  }

  private static void rules(ScanContext c, Rel r, RowSink out) {
    if (r.view() != null) {
      out.row(Oids.rule(r.oid()), "_RETURN", r.oid(), "1", "O", true, "<>", r.view().query());
    }
  }

  private static void functions(ScanContext c, RowSink out) {
    BuiltIns b = c.builtIns();
    for (BuiltIns.Proc p : b.procs()) {
      FunctionRow f = p.row();
      if (f != null) {
        function(p, f, out);
      }
    }
    for (@Nullable String[] r : b.rows("pg_proc")) {
      BuiltIns.Proc p = b.proc(BuiltIns.number(r[0]));
      if (p != null && p.row() == null) {
        out.textRow(r);
      }
    }
  }

  private static void function(BuiltIns.Proc p, FunctionRow f, RowSink out) {
    boolean table = !f.result().fields().isEmpty();
    var allTypes = new ArrayList<Integer>();
    var modes = new ArrayList<String>();
    List<String> names = f.argNames().isEmpty() ? null : new ArrayList<>(f.argNames());
    if (table || f.variadic()) {
      for (int i = 0; i < f.args().size(); i++) {
        allTypes.add(f.args().get(i).oid());
        modes.add(f.variadic() && i == f.args().size() - 1 ? "v" : "i");
      }
    }
    if (table) {
      names = names == null ? new ArrayList<>(Collections.nCopies(p.args().size(), "")) : names;
      for (SqlType.Field x : f.result().fields()) {
        allTypes.add(x.type().oid());
        modes.add("o");
        names.add(x.name());
      }
    }
    int variadic = 0;
    if (f.variadic()) {
      SqlType last = f.args().getLast();
      variadic =
          switch (last.kind()) {
            case ARRAY -> last.elementType().oid();
            case ANYARRAY -> SqlType.of(TypeKind.ANYELEMENT).oid();
            case ANYCOMPATIBLEARRAY -> SqlType.of(TypeKind.ANYCOMPATIBLE).oid();
            default -> last.oid();
          };
    }
    out.row(
        p.oid(),
        p.name(),
        p.schema().equals("pg_catalog") ? Oids.PG_CATALOG : Oids.INFORMATION_SCHEMA,
        Oids.OWNER,
        12,
        1f,
        f.returnsSet() ? 1000f : 0f,
        variadic,
        0,
        f.kind(),
        false,
        false,
        f.strict(),
        f.returnsSet(),
        f.volatility(),
        "s",
        f.args().size(),
        f.defaults().size(),
        f.result().oid(),
        p.args(),
        allTypes.isEmpty() ? null : allTypes,
        modes.isEmpty() ? null : modes,
        names,
        f.defaults().isEmpty() ? null : String.join(", ", f.defaults()),
        null,
        p.name(),
        null,
        null,
        null,
        null);
  }
}

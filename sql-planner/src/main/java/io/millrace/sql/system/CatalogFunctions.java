package io.millrace.sql.system;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.CommentKey;
import io.millrace.sql.catalog.SystemOids;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.semantics.FunctionRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Functions that describe the objects of the catalog: pg_get_…, …_is_visible, sizes, comments. */
final class CatalogFunctions {
  private CatalogFunctions() {}

  static void register(FunctionRegistry.Builder registry, SystemCatalog catalog) {
    var f = new Fn(registry, catalog);
    definitions(f);
    functions(f);
    visibility(f);
    comments(f);
    sizes(f);
    properties(f);
    typeFacts(f);
    sets(f);
  }

  private static void definitions(Fn f) {
    f.lax(
        "format_type(oid,int4)",
        c -> {
          if (c.isNull(0)) {
            return null;
          }
          int oid = c.integer(0);
          if (oid == 0) {
            return "-";
          }
          String t = RegTypes.format(c.lookup(), oid, c.isNull(1) ? null : (Integer) c.integer(1));
          return t == null ? "???" : t;
        });
    f.strict(
        "pg_get_expr",
        List.of("text,oid", "text,oid,bool"),
        c -> Sql.expression(c.lookup(), c.text(0)));
    f.strict(
        "pg_get_constraintdef",
        List.of("oid", "oid,bool"),
        c -> {
          View.Owned o = c.view().constraint(c.integer(0));
          boolean pretty = c.count() > 1 && c.bool(1);
          return o == null ? null : Sql.constraint(c.lookup(), o.rel(), o.constraint(), pretty);
        });
    f.strict("pg_get_indexdef(oid)", c -> indexDefinition(c, c.integer(0), 0, false));
    f.strict(
        "pg_get_indexdef(oid,int4,bool)",
        c -> indexDefinition(c, c.integer(0), c.integer(1), c.bool(2)));
    f.strict(
        "pg_get_viewdef",
        List.of("oid", "oid,bool", "oid,int4"),
        c -> viewDefinition(c, c.integer(0)));
    f.strict(
        "pg_get_viewdef",
        List.of("text", "text,bool"),
        c -> {
          Integer oid = RegTypes.regclass(c, c.text(0), true);
          return oid == null ? null : viewDefinition(c, oid);
        });
    f.strict(
        "pg_get_userbyid(oid)",
        c -> {
          String name = RegTypes.role(c.lookup(), c.integer(0));
          return name == null
              ? "unknown (OID=" + Integer.toUnsignedString(c.integer(0)) + ")"
              : name;
        });
    for (String none :
        List.of(
            "pg_get_partkeydef(oid)",
            "pg_get_partition_constraintdef(oid)",
            "pg_get_ruledef(oid)",
            "pg_get_ruledef(oid,bool)",
            "pg_get_triggerdef(oid)",
            "pg_get_triggerdef(oid,bool)",
            "pg_get_statisticsobjdef(oid)",
            "pg_get_statisticsobjdef_columns(oid)",
            "pg_get_function_sqlbody(oid)",
            "pg_get_replica_identity_index(regclass)",
            "pg_partition_root(regclass)")) {
      f.strict(none, _ -> null);
    }
    f.strict(
        "oidvectortypes(oidvector)",
        c -> {
          ArrayVector a = c.array(0);
          var out = new ArrayList<String>();
          for (int i = a.start(c.row()); i < a.end(c.row()); i++) {
            out.add(RegTypes.typeName(c.lookup(), ((IntVector) a.elements()).get(i)));
          }
          return String.join(", ", out);
        });
  }

  private static @Nullable String indexDefinition(Fn.Call c, int oid, int column, boolean pretty) {
    Rel.Index x = c.view().index(oid);
    Rel r = c.view().rel(oid);
    if (x == null || r == null) {
      return null;
    }
    if (column == 0) {
      return Sql.index(r, x, !pretty || !RegTypes.visible(c.lookup(), r.oid()), pretty);
    }
    return column > 0 && column <= x.keys().size() ? Sql.key(x.keys().get(column - 1), false) : "";
  }

  private static String viewDefinition(Fn.Call c, int oid) {
    Rel r = c.view().rel(oid);
    ViewInfo v = r == null ? null : r.view();
    if (v == null) {
      return "Not a view";
    }
    String q = v.query().strip();
    return " " + (q.endsWith(";") ? q : q + ";");
  }

  private static void functions(Fn f) {
    proc(f, "pg_get_function_arguments(oid)", (c, r) -> arguments(c, r, true));
    proc(f, "pg_get_function_identity_arguments(oid)", (c, r) -> arguments(c, r, false));
    proc(f, "pg_get_function_result(oid)", CatalogFunctions::result);
    proc(
        f,
        "pg_get_functiondef(oid)",
        (c, r) ->
            "CREATE OR REPLACE FUNCTION pg_catalog."
                + Sql.quoted(r.name())
                + "("
                + arguments(c, r, true)
                + ")\n RETURNS "
                + result(c, r)
                + "\n LANGUAGE internal\n "
                + (r.volatility() == 'i' ? "IMMUTABLE " : r.volatility() == 's' ? "STABLE " : "")
                + "PARALLEL SAFE"
                + (r.strict() ? " STRICT" : "")
                + "\nAS $function$"
                + r.name()
                + "$function$\n");
    f.strict(
        "pg_get_function_arg_default(oid,int4)",
        c -> {
          BuiltIns.Proc p = c.builtIns().proc(c.integer(0));
          FunctionRow r = p == null ? null : p.row();
          if (r == null) {
            return null;
          }
          int at = c.integer(1) - 1 - (r.args().size() - r.defaults().size());
          return at >= 0 && at < r.defaults().size() ? r.defaults().get(at) : null;
        });
  }

  private interface Describe {
    @Nullable String text(Fn.Call c, FunctionRow row);
  }

  private static void proc(Fn f, String signature, Describe describe) {
    f.strict(
        signature,
        c -> {
          BuiltIns.Proc p = c.builtIns().proc(c.integer(0));
          if (p == null) {
            return null;
          }
          FunctionRow r = p.row();
          if (r == null) {
            return signature.startsWith("pg_get_function_arguments")
                    || signature.startsWith("pg_get_function_identity")
                ? p.args().stream()
                    .map(a -> RegTypes.typeName(c.lookup(), a))
                    .collect(Collectors.joining(", "))
                : null;
          }
          return describe.text(c, r);
        });
  }

  private static String arguments(Fn.Call c, FunctionRow r, boolean defaults) {
    var out = new ArrayList<String>();
    int n = r.args().size();
    for (int i = 0; i < n; i++) {
      String name = i < r.argNames().size() ? r.argNames().get(i) : "";
      int d = i - (n - r.defaults().size());
      out.add(
          (r.variadic() && i == n - 1 ? "VARIADIC " : "")
              + (name.isEmpty() ? "" : Sql.quoted(name) + " ")
              + RegTypes.typeName(c.lookup(), r.args().get(i).oid())
              + (defaults && d >= 0 ? " DEFAULT " + r.defaults().get(d) : ""));
    }
    if (defaults) {
      for (SqlType.Field x : r.result().fields()) {
        out.add(
            "OUT " + Sql.quoted(x.name()) + " " + RegTypes.typeName(c.lookup(), x.type().oid()));
      }
    }
    return String.join(", ", out);
  }

  private static String result(Fn.Call c, FunctionRow r) {
    return (r.returnsSet() ? "SETOF " : "") + RegTypes.typeName(c.lookup(), r.result().oid());
  }

  private static void visibility(Fn f) {
    f.strict(
        "pg_table_is_visible(oid)",
        c ->
            c.view().name(c.integer(0)) == null
                ? null
                : RegTypes.visible(c.lookup(), c.integer(0)));
    f.strict(
        "pg_type_is_visible(oid)",
        c -> {
          int oid = c.integer(0);
          if (c.builtIns().type(oid) != null) {
            return true;
          }
          Rel r = c.view().rowType(oid);
          return r == null ? null : RegTypes.visible(c.lookup(), r.oid());
        });
    f.strict(
        "pg_function_is_visible(oid)",
        c -> {
          BuiltIns.Proc p = c.builtIns().proc(c.integer(0));
          return p == null ? null : c.path().contains(p.schema());
        });
    f.strict(
        "pg_operator_is_visible(oid)",
        c -> c.builtIns().operator(c.integer(0)) == null ? null : Boolean.TRUE);
    for (String x :
        List.of(
            "collation",
            "conversion",
            "opclass",
            "opfamily",
            "statistics_obj",
            "ts_config",
            "ts_dict",
            "ts_parser",
            "ts_template")) {
      f.strict("pg_" + x + "_is_visible(oid)", _ -> true);
    }
  }

  private static void comments(Fn f) {
    f.strict("obj_description(oid,name)", c -> comment(c, c.integer(0), c.text(1)));
    f.strict("obj_description(oid)", c -> comment(c, c.integer(0), "pg_class"));
    f.strict(
        "shobj_description(oid,name)",
        c ->
            c.text(1).equals("pg_database")
                ? stored(c, SystemOids.PG_DATABASE, c.integer(0), 0)
                : null);
    f.strict(
        "col_description(oid,int4)",
        c -> {
          Rel r = c.view().rel(c.integer(0));
          Rel.Att a = r == null || r.oid() != c.integer(0) ? null : r.att(c.integer(1));
          return a == null
              ? null
              : a.comment() != null
                  ? a.comment()
                  : stored(c, SystemOids.PG_CLASS, c.integer(0), c.integer(1));
        });
  }

  private static @Nullable String stored(Fn.Call c, int catalog, int oid, int column) {
    return c.context().catalog().comments().get(new CommentKey(catalog, oid, column));
  }

  private static @Nullable String comment(Fn.Call c, int oid, String catalog) {
    int kind =
        switch (catalog) {
          case "pg_class" -> SystemOids.PG_CLASS;
          case "pg_namespace" -> SystemOids.PG_NAMESPACE;
          case "pg_constraint" -> SystemOids.PG_CONSTRAINT;
          case "pg_type" -> SystemOids.PG_TYPE;
          case "pg_database" -> SystemOids.PG_DATABASE;
          default -> 0;
        };
    String stored = stored(c, kind, oid, 0);
    if (stored != null) {
      return stored;
    }
    if (catalog.equals("pg_namespace")) {
      return oid == Oids.PG_CATALOG
          ? "system catalog schema"
          : "public".equals(c.view().namespaceName(oid)) ? "standard public schema" : null;
    }
    Rel r = catalog.equals("pg_class") ? c.view().userRel(oid) : null;
    TableInfo t = r == null || r.oid() != oid ? null : r.table();
    return t == null ? null : t.comment().orElse(null);
  }

  // ---- sizes

  private static void sizes(Fn f) {
    for (String name : List.of("pg_relation_size", "pg_table_size", "pg_total_relation_size")) {
      f.strict(name + "(regclass)", c -> size(c, c.integer(0)));
    }
    f.strict(
        "pg_relation_size(regclass,text)",
        c -> c.text(1).equals("main") ? size(c, c.integer(0)) : (Long) 0L);
    f.strict(
        "pg_indexes_size(regclass)", c -> c.view().rel(c.integer(0)) == null ? null : (Long) 0L);
    f.strict(
        "pg_database_size(oid)",
        c ->
            c.context().catalog().databases().stream()
                .filter(d -> d.oid() == c.integer(0))
                .findFirst()
                .map(d -> databaseSize(c, d.name()))
                .orElse(null));
    f.strict(
        "pg_database_size(name)",
        c ->
            databaseSize(
                c,
                c.context()
                    .catalog()
                    .database(c.text(0))
                    .orElseThrow(
                        () ->
                            new MillraceException(
                                ErrorCode.INVALID_CATALOG_NAME,
                                "database \"" + c.text(0) + "\" does not exist"))
                    .name()));
    f.strict(
        "pg_tablespace_size", List.of("oid", "name"), c -> databaseSize(c, c.view().database()));
    f.strict("pg_tablespace_location(oid)", _ -> "");
    f.strict("pg_size_bytes(text)", c -> Sizes.bytes(c.text(0)));
    f.strict("pg_relation_filenode(regclass)", c -> own(c) == null ? null : (Integer) c.integer(0));
    f.strict(
        "pg_relation_filepath(regclass)",
        c ->
            own(c) == null
                ? null
                : "base/" + c.view().databaseOid() + "/" + Integer.toUnsignedString(c.integer(0)));
    f.strict(
        "pg_stat_get_live_tuples(oid)",
        c -> {
          TableInfo t = own(c);
          return t == null
              ? null
              : (Long)
                  ScanContext.regions(c.catalog().engine(), t).stream()
                      .mapToLong(i -> i.rows())
                      .sum();
        });
  }

  private static @Nullable TableInfo own(Fn.Call c) {
    Rel r = c.view().userRel(c.integer(0));
    return r == null || r.oid() != c.integer(0) ? null : r.table();
  }

  private static @Nullable Long size(Fn.Call c, int oid) {
    Rel r = c.view().rel(oid);
    if (r == null) {
      return null;
    }
    TableInfo t = r.oid() == oid ? r.table() : null;
    return t == null ? (Long) 0L : (Long) ScanContext.bytes(c.catalog().engine(), t);
  }

  private static Long databaseSize(Fn.Call c, String database) {
    long sum = 0;
    for (TableInfo t : c.context().catalog().tables(database)) {
      sum += ScanContext.bytes(c.catalog().engine(), t);
    }
    return sum;
  }

  // ---- properties

  private static void properties(Fn f) {
    f.strict(
        "pg_relation_is_updatable(regclass,bool)",
        c -> own(c) == null ? (Integer) 0 : (Integer) 28);
    f.strict("pg_column_is_updatable(regclass,int2,bool)", c -> own(c) != null);
    f.strict("pg_relation_is_publishable(regclass)", c -> own(c) != null);
    f.strict(
        "pg_index_column_has_property(regclass,int4,text)",
        c -> {
          Rel.Index x = c.view().index(c.integer(0));
          if (x == null || c.integer(1) < 1 || c.integer(1) > x.columns().size()) {
            return null;
          }
          return switch (RegTypes.lower(c.text(2))) {
            case "asc", "nulls_last", "orderable", "returnable", "search_array", "search_nulls" ->
                true;
            case "desc", "nulls_first", "distance_orderable" -> false;
            default -> null;
          };
        });
    f.strict(
        "pg_index_has_property(regclass,text)",
        c ->
            c.view().index(c.integer(0)) == null
                ? null
                : switch (RegTypes.lower(c.text(1))) {
                  case "index_scan", "bitmap_scan", "backward_scan" -> true;
                  case "clusterable" -> false;
                  default -> null;
                });
    f.strict(
        "pg_indexam_has_property(oid,text)",
        c ->
            c.integer(0) != Oids.BTREE
                ? null
                : switch (RegTypes.lower(c.text(1))) {
                  case "can_order", "can_unique", "can_multi_col", "can_include" -> true;
                  case "can_exclude" -> false;
                  default -> null;
                });
    f.strict(
        "name_subscript(name,int4)",
        c -> {
          String name = c.text(0);
          int i = c.integer(1);
          return i < 0 || i >= 64 ? null : i < name.length() ? name.substring(i, i + 1) : "";
        });
    f.strict("pg_encoding_to_char(int4)", c -> Encodings.name(c.integer(0)));
    f.strict("pg_char_to_encoding(name)", c -> Encodings.number(c.text(0)));
    f.strict(
        "pg_encoding_max_length(int4)",
        c ->
            Encodings.name(c.integer(0)).isEmpty()
                ? null
                : c.integer(0) == 6 ? (Integer) 4 : (Integer) 1);
    f.strict("pg_collation_actual_version(oid)", _ -> null);
    f.strict("pg_database_collation_actual_version(oid)", _ -> null);
    f.lax("pg_collation_for(any)", c -> c.type(0).kind().category() == 'S' ? "\"default\"" : null);
    f.strict("pg_column_compression(any)", _ -> null);
    f.strict("age(xid)", _ -> 0);
    f.strict("mxid_age(xid)", _ -> 0);
    f.strict(
        "acldefault(char,oid)",
        c -> {
          String owner = RegTypes.role(c.lookup(), c.integer(1));
          String rights =
              switch (c.text(0)) {
                case "r" -> "arwdDxt";
                case "n" -> "UC";
                case "d" -> "CTc";
                case "f" -> "X";
                case "T" -> "U";
                default -> "";
              };
          return owner == null || rights.isEmpty()
              ? List.of()
              : List.of(owner + "=" + rights + "/" + owner);
        });
  }

  private static void typeFacts(Fn f) {
    fact(f, "_pg_char_max_length", TypeFacts::charLength);
    fact(f, "_pg_char_octet_length", TypeFacts::octetLength);
    fact(f, "_pg_numeric_precision", TypeFacts::numericPrecision);
    fact(f, "_pg_numeric_precision_radix", TypeFacts::numericRadix);
    fact(f, "_pg_numeric_scale", TypeFacts::numericScale);
    fact(f, "_pg_datetime_precision", TypeFacts::datetimePrecision);
    f.strict("information_schema._pg_interval_type(oid,int4)", _ -> null);
  }

  private static void fact(Fn f, String name, Function<SqlType, @Nullable Integer> fact) {
    f.strict(
        "information_schema." + name + "(oid,int4)",
        c -> {
          SqlType t = SqlType.ofOid(c.integer(0));
          return t == null ? null : fact.apply(t.withTypmod(c.integer(1)));
        });
  }

  // ---- sets

  private static void sets(Fn f) {
    f.set(
        "pg_get_keywords()",
        (_, out) -> {
          for (String[] k : Reserved.all()) {
            out.row(k[0], k[1], k[2].equals("t"), k[3], k[4]);
          }
        });
    f.set(
        "pg_options_to_table(_text)",
        (c, out) -> {
          ArrayVector a = c.array(0);
          for (int i = a.start(c.row()); i < a.end(c.row()); i++) {
            String s = ((BytesColumn) a.elements()).string(i);
            int eq = s.indexOf('=');
            out.row(eq < 0 ? s : s.substring(0, eq), eq < 0 ? null : s.substring(eq + 1));
          }
        });
    f.set("pg_partition_ancestors(regclass)", (c, out) -> out.row(c.integer(0)));
    f.set("pg_tablespace_databases(oid)", (c, out) -> out.row(c.view().databaseOid()));
    for (String t : List.of("int2vector", "oidvector", "_int2", "_int4", "_oid")) {
      f.set(
          "information_schema._pg_expandarray(" + t + ")",
          (c, out) -> {
            ArrayVector a = c.array(0);
            Vector e = a.elements();
            int n = 0;
            for (int i = a.start(c.row()); i < a.end(c.row()); i++) {
              n++;
              out.row(e.isNull(i) ? null : (Integer) ((IntVector) e).get(i), n);
            }
          });
    }
    f.set("aclexplode(_text)", (_, _) -> {});
  }
}

package io.millrace.sql.system;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.session.SettingDefinition;
import io.millrace.sql.session.SettingDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Functions about the session and the server, and privilege tests. */
final class SessionFunctions {
  private SessionFunctions() {}

  static void register(FunctionRegistry.Builder registry, SystemCatalog catalog) {
    var f = new Fn(registry, catalog);
    f.lax("version()", _ -> Sql.version());
    f.lax("current_database()", c -> c.session().database());
    for (String user : List.of("current_user()", "session_user()", "getpgusername()")) {
      f.lax(user, c -> c.session().user());
    }
    f.lax("current_schema()", c -> visiblePath(c).isEmpty() ? null : visiblePath(c).getFirst());
    f.strict("current_schemas(bool)", c -> c.bool(0) ? c.path() : visiblePath(c));
    f.lax("pg_backend_pid()", c -> c.session().backendPid());
    f.lax("getdatabaseencoding()", _ -> "UTF8");
    f.lax("pg_client_encoding()", c -> setting(c, "client_encoding", true));
    f.strict("current_setting(text)", c -> setting(c, c.text(0), false));
    f.strict("current_setting(text,bool)", c -> setting(c, c.text(0), c.bool(1)));
    f.lax("set_config(text,text,bool)", SessionFunctions::setConfig);
    f.lax(
        "current_query()",
        c ->
            c.catalog().sources().sessions().stream()
                .filter(s -> s.processId() == c.session().backendPid())
                .findFirst()
                .map(SystemSources.Session::query)
                .orElse(null));
    for (String no :
        List.of(
            "pg_is_in_recovery()",
            "pg_is_wal_replay_paused()",
            "pg_jit_available()",
            "row_security_active(oid)",
            "row_security_active(text)")) {
      f.strict(no, _ -> false);
    }
    f.lax(
        "pg_my_temp_schema()",
        c -> c.view().namespaces().getOrDefault("pg_temp_" + c.session().backendPid(), 0));
    f.strict(
        "pg_is_other_temp_schema(oid)",
        c -> {
          String name = c.view().namespaceName(c.integer(0));
          return name != null
              && name.startsWith("pg_temp_")
              && !name.equals("pg_temp_" + c.session().backendPid());
        });
    f.lax("pg_trigger_depth()", _ -> 0);
    f.lax("pg_notification_queue_usage()", _ -> 0.0);
    f.lax("txid_current()", c -> c.context().nowMicros());
    f.lax("txid_current_if_assigned()", _ -> null);
    f.strict("pg_blocking_pids(int4)", _ -> List.of());
    for (String none :
        List.of(
            "inet_client_addr()",
            "inet_server_addr()",
            "inet_client_port()",
            "inet_server_port()",
            "pg_last_xact_replay_timestamp()",
            "pg_current_logfile()",
            "pg_current_logfile(text)")) {
      f.lax(none, _ -> null);
    }
    f.strict("pg_cancel_backend(int4)", c -> c.catalog().sources().cancel(c.integer(0)));
    f.strict("pg_terminate_backend(int4,int8)", c -> c.catalog().sources().terminate(c.integer(0)));
    privileges(f);
  }

  /** The search path without the temporary schema, which is searched but not named. */
  private static List<String> visiblePath(Fn.Call c) {
    return c.session().searchPath().stream().filter(s -> !s.startsWith("pg_temp_")).toList();
  }

  private static @Nullable String setting(Fn.Call c, String name, boolean missingOk) {
    String key = name.toLowerCase(Locale.ROOT);
    String v = c.session().settings().get(key);
    if (v != null) {
      return v;
    }
    SettingDefinition d = c.catalog().settings().find(name).orElse(null);
    if (d != null) {
      return d.initial();
    }
    if (missingOk) {
      return null;
    }
    throw SettingDefinitions.unknown(name);
  }

  /** The value takes effect from the session's next statement on. */
  private static @Nullable String setConfig(Fn.Call c) {
    if (c.isNull(0)) {
      throw new MillraceException(ErrorCode.NULL_VALUE_NOT_ALLOWED, "SET requires parameter name");
    }
    String name = c.text(0);
    String value = c.isNull(1) ? null : c.text(1);
    boolean local = !c.isNull(2) && c.bool(2);
    SystemSources sources = c.catalog().sources();
    return sources.set(c.session().backendPid(), name, value, local);
  }

  // ---- privileges: every role here may do everything

  private static void privileges(Fn f) {
    privilege(f, "has_table_privilege", SessionFunctions::relation);
    privilege(f, "has_any_column_privilege", SessionFunctions::relation);
    privilege(f, "has_sequence_privilege", SessionFunctions::relation);
    privilege(f, "has_database_privilege", SessionFunctions::database);
    privilege(f, "has_schema_privilege", SessionFunctions::schema);
    privilege(f, "has_function_privilege", SessionFunctions::function);
    privilege(f, "has_type_privilege", SessionFunctions::type);
    for (String x : List.of("language", "tablespace", "server", "foreign_data_wrapper")) {
      privilege(f, "has_" + x + "_privilege", (_, _) -> true);
    }
    for (String user : List.of("", "name,", "oid,")) {
      for (String table : List.of("text", "oid")) {
        for (String column : List.of("text", "int2")) {
          int at = user.isEmpty() ? 0 : 1;
          f.strict(
              "has_column_privilege(" + user + table + "," + column + ",text)", c -> column(c, at));
        }
      }
    }
    f.strict(
        "has_parameter_privilege",
        List.of("text,text", "name,text,text", "oid,text,text"),
        _ -> true);
    for (String roles : List.of("name,name", "name,oid", "oid,name", "oid,oid", "name", "oid")) {
      f.strict("pg_has_role(" + roles + ",text)", _ -> true);
    }
  }

  /** Whether the object at that argument is there: null if not, which makes the answer NULL. */
  @FunctionalInterface
  private interface There {
    @Nullable Boolean test(Fn.Call c, int argument);
  }

  private static void privilege(Fn f, String name, There there) {
    for (String user : List.of("", "name,", "oid,")) {
      for (String object : List.of("text", "oid")) {
        int at = user.isEmpty() ? 0 : 1;
        f.strict(name + "(" + user + object + ",text)", c -> there.test(c, at));
      }
    }
  }

  private static boolean named(Fn.Call c, int i) {
    return c.type(i).kind().isText();
  }

  private static @Nullable Boolean relation(Fn.Call c, int i) {
    if (named(c, i)) {
      return RegTypes.regclass(c, c.text(i), true) != null;
    }
    return c.view().name(c.integer(i)) == null ? null : (Boolean) true;
  }

  private static @Nullable Boolean column(Fn.Call c, int i) {
    Integer oid = named(c, i) ? RegTypes.regclass(c, c.text(i), true) : (Integer) c.integer(i);
    Rel r = oid == null ? null : c.view().rel(oid);
    if (r == null) {
      return null;
    }
    if (!named(c, i + 1)) {
      return r.att(c.integer(i + 1)) == null ? null : (Boolean) true;
    }
    String column = c.text(i + 1);
    if (r.atts().stream().noneMatch(a -> a.name().equals(column))) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN,
          "column \"" + column + "\" of relation \"" + r.name() + "\" does not exist");
    }
    return true;
  }

  private static @Nullable Boolean database(Fn.Call c, int i) {
    if (!named(c, i)) {
      var oids = new ArrayList<Integer>();
      c.context().catalog().databases().forEach(d -> oids.add(d.oid()));
      return oids.contains(c.integer(i)) ? (Boolean) true : null;
    }
    if (c.context().catalog().database(c.text(i)).isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_CATALOG_NAME, "database \"" + c.text(i) + "\" does not exist");
    }
    return true;
  }

  private static @Nullable Boolean schema(Fn.Call c, int i) {
    if (!named(c, i)) {
      return c.view().namespaceName(c.integer(i)) == null ? null : (Boolean) true;
    }
    return RegTypes.regnamespace(c, Sql.quoted(c.text(i)), true) != null;
  }

  private static @Nullable Boolean function(Fn.Call c, int i) {
    if (!named(c, i)) {
      return c.builtIns().proc(c.integer(i)) == null ? null : (Boolean) true;
    }
    return RegTypes.regprocedure(c, c.text(i), true) != null;
  }

  private static @Nullable Boolean type(Fn.Call c, int i) {
    if (!named(c, i)) {
      return RegTypes.format(c.lookup(), c.integer(i), null) == null ? null : (Boolean) true;
    }
    return RegTypes.regtype(c, c.text(i), true) != null;
  }
}

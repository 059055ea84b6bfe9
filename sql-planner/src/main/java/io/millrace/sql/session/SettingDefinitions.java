package io.millrace.sql.session;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.SessionFormat;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All settings with PostgreSQL 15's names, and the rules for their values. Immutable. */
public final class SettingDefinitions {
  /** The version that clients are told. */
  public static final String SERVER_VERSION = "15.18";

  private static final String INT_MAX = "2147483647";

  private final Map<String, SettingDefinition> byName = new LinkedHashMap<>();

  public SettingDefinitions() {
    reported();
    client();
    planner();
    resources();
    fixed();
  }

  private void reported() {
    text(
        "application_name",
        "",
        "Reporting and Logging / What to Log",
        true,
        "Sets the application name to be reported in statistics and logs.");
    enumeration(
        "client_encoding", "UTF8", true, "Sets the client's character set encoding.", "UTF8");
    text(
        "DateStyle",
        "ISO, MDY",
        "Client Connection Defaults / Locale and Formatting",
        true,
        "Sets the display format for date and time values.");
    bool(
        "default_transaction_read_only",
        "off",
        true,
        "Sets the default read-only status of new transactions.");
    internal("in_hot_standby", "off", "bool", true);
    internal("integer_datetimes", "on", "bool", true);
    enumeration(
        "IntervalStyle",
        "postgres",
        true,
        "Sets the display format for interval values.",
        "postgres",
        "postgres_verbose",
        "sql_standard",
        "iso_8601");
    internal("is_superuser", "on", "bool", true);
    internal("server_encoding", "UTF8", "string", true);
    internal("server_version", SERVER_VERSION, "string", true);
    internal("session_authorization", "millrace", "string", true);
    bool(
        "standard_conforming_strings",
        "on",
        true,
        "Causes '...' strings to treat backslashes literally.");
    text(
        "TimeZone",
        "UTC",
        "Client Connection Defaults / Locale and Formatting",
        true,
        "Sets the time zone for displaying and interpreting time stamps.");
  }

  private void client() {
    text(
        "search_path",
        "\"$user\", public",
        "Client Connection Defaults / Statement Behavior",
        false,
        "Sets the schema search order for names that are not schema-qualified.");
    integer(
        "statement_timeout",
        "0",
        "ms",
        0,
        INT_MAX,
        "Sets the maximum allowed duration of any statement.");
    integer(
        "lock_timeout",
        "0",
        "ms",
        0,
        INT_MAX,
        "Sets the maximum allowed duration of any wait for a lock.");
    integer(
        "idle_in_transaction_session_timeout",
        "0",
        "ms",
        0,
        INT_MAX,
        "Sets the maximum allowed idle time between queries, when in a transaction.");
    integer(
        "idle_session_timeout",
        "0",
        "ms",
        0,
        INT_MAX,
        "Sets the maximum allowed idle time between queries, when not in a transaction.");
    integer(
        "extra_float_digits",
        "1",
        "",
        -15,
        "3",
        "Sets the number of digits displayed for floating-point values.");
    enumeration("bytea_output", "hex", false, "Sets the output format for bytea.", "hex", "escape");
    enumeration(
        "client_min_messages",
        "notice",
        false,
        "Sets the message levels that are sent to the client.",
        "debug5",
        "debug4",
        "debug3",
        "debug2",
        "debug1",
        "debug",
        "log",
        "notice",
        "warning",
        "error");
    enumeration(
        "default_transaction_isolation",
        "read committed",
        false,
        "Sets the transaction isolation level of each new transaction.",
        "serializable",
        "repeatable read",
        "read committed",
        "read uncommitted");
    enumeration(
        "transaction_isolation",
        "read committed",
        false,
        "Sets the current transaction's isolation level.",
        "serializable",
        "repeatable read",
        "read committed",
        "read uncommitted");
    bool("transaction_read_only", "off", false, "Sets the current transaction's read-only status.");
    bool(
        "transaction_deferrable",
        "off",
        false,
        "Whether to defer a read-only serializable transaction until it can be executed with no"
            + " possible serialization failures.");
    bool(
        "default_transaction_deferrable",
        "off",
        false,
        "Sets the default deferrable status of new transactions.");
    bool("row_security", "on", false, "Enables row security.");
    bool(
        "check_function_bodies",
        "on",
        false,
        "Checks routine bodies during CREATE FUNCTION and CREATE PROCEDURE.");
    enumeration(
        "xmloption",
        "content",
        false,
        "Sets whether XML data in implicit parsing and serialization operations is to be considered"
            + " as documents or content fragments.",
        "content",
        "document");
    text(
        "default_tablespace",
        "",
        "Client Connection Defaults / Statement Behavior",
        false,
        "Sets the default tablespace to create tables and indexes in.");
    text(
        "temp_tablespaces",
        "",
        "Client Connection Defaults / Statement Behavior",
        false,
        "Sets the tablespace(s) to use for temporary tables and sort files.");
    text(
        "default_table_access_method",
        "heap",
        "Client Connection Defaults / Statement Behavior",
        false,
        "Sets the default table access method for new tables.");
    enumeration(
        "session_replication_role",
        "origin",
        false,
        "Sets the session's behavior for triggers and rewrite rules.",
        "origin",
        "replica",
        "local");
    text(
        "role",
        "none",
        "Client Connection Defaults / Statement Behavior",
        false,
        "Sets the current role.");
    text(
        "lc_messages",
        "C.UTF-8",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Sets the language in which messages are displayed.");
    text(
        "lc_monetary",
        "C.UTF-8",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Sets the locale for formatting monetary amounts.");
    text(
        "lc_numeric",
        "C.UTF-8",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Sets the locale for formatting numbers.");
    text(
        "lc_time",
        "C.UTF-8",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Sets the locale for formatting date and time values.");
    text(
        "timezone_abbreviations",
        "Default",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Selects a file of time zone abbreviations.");
    text(
        "default_text_search_config",
        "pg_catalog.simple",
        "Client Connection Defaults / Locale and Formatting",
        false,
        "Sets default text search configuration.");
    integer(
        "default_timestamp_precision",
        "6",
        "",
        0,
        "9",
        "Digits that TIMESTAMP without a precision keeps.");
    bool("array_nulls", "on", false, "Enable input of NULL elements in arrays.");
    enumeration(
        "backslash_quote",
        "safe_encoding",
        false,
        "Sets whether \"\\'\" is allowed in string literals.",
        "safe_encoding",
        "on",
        "off");
    bool(
        "escape_string_warning",
        "on",
        false,
        "Warn about backslash escapes in ordinary string literals.");
    bool(
        "quote_all_identifiers",
        "off",
        false,
        "When generating SQL fragments, quote all identifiers.");
    bool("synchronize_seqscans", "on", false, "Enables synchronized sequential scans.");
    bool("transform_null_equals", "off", false, "Treats \"expr=NULL\" as \"expr IS NULL\".");
    bool(
        "lo_compat_privileges",
        "off",
        false,
        "Enables backward compatibility mode for privilege checks on large objects.");
    enumeration(
        "password_encryption",
        "scram-sha-256",
        false,
        "Chooses the algorithm for encrypting passwords.",
        "md5",
        "scram-sha-256");
    enumeration(
        "synchronous_commit",
        "on",
        false,
        "Sets the current transaction's synchronization level.",
        "local",
        "remote_write",
        "remote_apply",
        "on",
        "off");
    integer(
        "gin_fuzzy_search_limit",
        "0",
        "",
        0,
        INT_MAX,
        "Sets the maximum allowed result for exact search by GIN.");
    integer("tcp_keepalives_idle", "0", "s", 0, INT_MAX, "Time between issuing TCP keepalives.");
    integer(
        "tcp_keepalives_interval", "0", "s", 0, INT_MAX, "Time between TCP keepalive retransmits.");
    integer(
        "tcp_keepalives_count",
        "0",
        "",
        0,
        INT_MAX,
        "Maximum number of TCP keepalive retransmits.");
    integer("tcp_user_timeout", "0", "ms", 0, INT_MAX, "TCP user timeout.");
    enumeration(
        "log_statement",
        "none",
        false,
        "Sets the type of statements logged.",
        "none",
        "ddl",
        "mod",
        "all");
    integer(
        "log_min_duration_statement",
        "-1",
        "ms",
        -1,
        INT_MAX,
        "Sets the minimum execution time above which all statements will be logged.");
    enumeration(
        "log_min_messages",
        "warning",
        false,
        "Sets the message levels that are logged.",
        "debug5",
        "debug4",
        "debug3",
        "debug2",
        "debug1",
        "info",
        "notice",
        "warning",
        "error",
        "log",
        "fatal",
        "panic");
    enumeration(
        "log_min_error_statement",
        "error",
        false,
        "Causes all statements generating error at or above this level to be logged.",
        "debug5",
        "debug4",
        "debug3",
        "debug2",
        "debug1",
        "info",
        "notice",
        "warning",
        "error",
        "log",
        "fatal",
        "panic");
    enumeration(
        "log_error_verbosity",
        "default",
        false,
        "Sets the verbosity of logged messages.",
        "terse",
        "default",
        "verbose");
    bool("track_activities", "on", false, "Collects information about executing commands.");
    bool("track_counts", "on", false, "Collects statistics on database activity.");
    bool("track_io_timing", "off", false, "Collects timing statistics for database I/O activity.");
    enumeration(
        "track_functions",
        "none",
        false,
        "Collects function-level statistics on database activity.",
        "none",
        "pl",
        "all");
    bool(
        "update_process_title",
        "on",
        false,
        "Updates the process title to show the active SQL command.");
    integer(
        "vacuum_freeze_min_age",
        "50000000",
        "",
        0,
        "1000000000",
        "Minimum age at which VACUUM should freeze a table row.");
    integer(
        "vacuum_freeze_table_age",
        "150000000",
        "",
        0,
        "2000000000",
        "Age at which VACUUM should scan whole table to freeze tuples.");
    integer("vacuum_cost_delay", "0", "ms", 0, "100", "Vacuum cost delay in milliseconds.");
  }

  private void planner() {
    for (String n :
        List.of(
            "enable_async_append",
            "enable_bitmapscan",
            "enable_gathermerge",
            "enable_hashagg",
            "enable_hashjoin",
            "enable_incremental_sort",
            "enable_indexonlyscan",
            "enable_indexscan",
            "enable_material",
            "enable_memoize",
            "enable_mergejoin",
            "enable_nestloop",
            "enable_parallel_append",
            "enable_parallel_hash",
            "enable_partition_pruning",
            "enable_partitionwise_aggregate",
            "enable_partitionwise_join",
            "enable_seqscan",
            "enable_sort",
            "enable_tidscan",
            "geqo",
            "jit")) {
      bool(
          n,
          n.startsWith("enable_partitionwise") || n.equals("jit") ? "off" : "on",
          false,
          "Enables a method of PostgreSQL's planner; has no effect here.");
    }
    enumeration(
        "plan_cache_mode",
        "auto",
        false,
        "Controls the planner's selection of custom or generic plan.",
        "auto",
        "force_generic_plan",
        "force_custom_plan");
    enumeration(
        "constraint_exclusion",
        "partition",
        false,
        "Enables the planner to use constraints to optimize queries.",
        "partition",
        "on",
        "off");
    integer(
        "default_statistics_target", "100", "", 1, "10000", "Sets the default statistics target.");
    integer(
        "from_collapse_limit",
        "8",
        "",
        1,
        INT_MAX,
        "Sets the FROM-list size beyond which subqueries are not collapsed.");
    integer(
        "join_collapse_limit",
        "8",
        "",
        1,
        INT_MAX,
        "Sets the FROM-list size beyond which JOIN constructs are not flattened.");
    integer(
        "geqo_threshold",
        "12",
        "",
        2,
        INT_MAX,
        "Sets the threshold of FROM items beyond which GEQO is used.");
    real(
        "random_page_cost",
        "4",
        "Sets the planner's estimate of the cost of a nonsequentially fetched disk page.");
    real(
        "seq_page_cost",
        "1",
        "Sets the planner's estimate of the cost of a sequentially fetched disk page.");
    real(
        "cpu_tuple_cost",
        "0.01",
        "Sets the planner's estimate of the cost of processing each tuple (row).");
    real(
        "cursor_tuple_fraction",
        "0.1",
        "Sets the planner's estimate of the fraction of a cursor's rows that will be retrieved.");
    integer(
        "effective_cache_size",
        "524288",
        "8kB",
        1,
        INT_MAX,
        "Sets the planner's assumption about the total size of the data caches.");
    integer(
        "max_parallel_workers_per_gather",
        "2",
        "",
        0,
        "1024",
        "Sets the maximum number of parallel processes per executor node.");
    integer(
        "max_parallel_workers",
        "8",
        "",
        0,
        "1024",
        "Sets the maximum number of parallel workers that can be active at one time.");
  }

  private void resources() {
    integer(
        "work_mem",
        "4096",
        "kB",
        64,
        INT_MAX,
        "Sets the maximum memory to be used for query workspaces.");
    integer(
        "maintenance_work_mem",
        "65536",
        "kB",
        1024,
        INT_MAX,
        "Sets the maximum memory to be used for maintenance operations.");
    integer(
        "temp_buffers",
        "1024",
        "8kB",
        100,
        "1073741823",
        "Sets the maximum number of temporary buffers used by each session.");
    integer(
        "temp_file_limit",
        "-1",
        "kB",
        -1,
        INT_MAX,
        "Limits the total size of all temporary files used by each process.");
    integer(
        "effective_io_concurrency",
        "1",
        "",
        0,
        "1000",
        "Number of simultaneous requests that can be handled efficiently by the disk subsystem.");
    real("hash_mem_multiplier", "2", "Multiple of work_mem to use for hash tables.");
  }

  private void fixed() {
    internal("server_version_num", "150018", "integer", false);
    internal("max_identifier_length", "63", "integer", false);
    internal("max_index_keys", "32", "integer", false);
    internal("max_function_args", "100", "integer", false);
    internal("block_size", "8192", "integer", false);
    internal("segment_size", "131072", "integer", false);
    internal("wal_block_size", "8192", "integer", false);
    internal("lc_collate", "C.UTF-8", "string", false);
    internal("lc_ctype", "C.UTF-8", "string", false);
    internal("data_checksums", "on", "bool", false);
    internal("debug_assertions", "off", "bool", false);
    internal("ssl", "off", "bool", false);
    internal("ssl_library", "", "string", false);
    internal("max_connections", "1000", "integer", false);
    internal("superuser_reserved_connections", "3", "integer", false);
    internal("max_prepared_transactions", "0", "integer", false);
    internal("max_locks_per_transaction", "64", "integer", false);
    internal("max_worker_processes", "8", "integer", false);
    internal("max_wal_senders", "0", "integer", false);
    internal("max_replication_slots", "0", "integer", false);
    internal("wal_level", "minimal", "enum", false);
    internal("fsync", "on", "bool", false);
    internal("full_page_writes", "on", "bool", false);
    internal("autovacuum", "on", "bool", false);
    internal("shared_buffers", "16384", "integer", false);
    internal("port", "4003", "integer", false);
    internal("listen_addresses", "localhost", "string", false);
    internal("hot_standby", "off", "bool", false);
    internal("logging_collector", "on", "bool", false);
    internal("log_destination", "stderr", "string", false);
    internal("shared_preload_libraries", "", "string", false);
    internal("event_source", "Millrace", "string", false);
    internal("unix_socket_directories", "", "string", false);
  }

  private void add(SettingDefinition d) {
    byName.put(d.name().toLowerCase(Locale.ROOT), d);
  }

  private void text(
      String name, String initial, String category, boolean reported, String description) {
    add(
        new SettingDefinition(
            name, initial, "string", "", 0, 0, List.of(), "user", reported, category, description));
  }

  private void bool(String name, String initial, boolean reported, String description) {
    add(
        new SettingDefinition(
            name,
            initial,
            "bool",
            "",
            0,
            0,
            List.of(),
            "user",
            reported,
            "Client Connection Defaults / Statement Behavior",
            description));
  }

  private void integer(
      String name, String initial, String unit, double min, String max, String description) {
    add(
        new SettingDefinition(
            name,
            initial,
            "integer",
            unit,
            min,
            Double.parseDouble(max),
            List.of(),
            "user",
            false,
            "Client Connection Defaults / Statement Behavior",
            description));
  }

  private void real(String name, String initial, String description) {
    add(
        new SettingDefinition(
            name,
            initial,
            "real",
            "",
            0,
            Double.MAX_VALUE,
            List.of(),
            "user",
            false,
            "Query Tuning / Planner Cost Constants",
            description));
  }

  private void enumeration(
      String name, String initial, boolean reported, String description, String... allowed) {
    add(
        new SettingDefinition(
            name,
            initial,
            "enum",
            "",
            0,
            0,
            List.of(allowed),
            "user",
            reported,
            "Client Connection Defaults / Statement Behavior",
            description));
  }

  private void internal(String name, String initial, String vartype, boolean reported) {
    add(
        new SettingDefinition(
            name,
            initial,
            vartype,
            "",
            0,
            0,
            List.of(),
            "internal",
            reported,
            "Preset Options",
            "Shows a fact of the server."));
  }

  public Collection<SettingDefinition> all() {
    return byName.values();
  }

  /** By name without case. */
  public Optional<SettingDefinition> find(String name) {
    return Optional.ofNullable(byName.get(name.toLowerCase(Locale.ROOT)));
  }

  /** Initial values by lower-case name. */
  public Map<String, String> initial() {
    var out = new LinkedHashMap<String, String>();
    byName.forEach((k, d) -> out.put(k, d.initial()));
    return out;
  }

  /**
   * The canonical form of a value for a setting.
   *
   * @param values as SET gives them, several for lists
   * @throws MillraceException UNDEFINED_OBJECT for an unknown name, CANT_CHANGE_RUNTIME_PARAM,
   *     INVALID_PARAMETER_VALUE
   */
  public String canonical(String name, List<String> values) {
    Optional<SettingDefinition> found = find(name);
    String joined = String.join(", ", values);
    if (found.isEmpty()) {
      if (name.contains(".")) {
        return joined;
      }
      throw unknown(name);
    }
    SettingDefinition d = found.get();
    if (!d.settable()) {
      throw new MillraceException(
          ErrorCode.CANT_CHANGE_RUNTIME_PARAM, "parameter \"" + d.name() + "\" cannot be changed");
    }
    return switch (d.name()) {
      case "TimeZone" -> zoneName(joined);
      case "DateStyle" -> dateStyle(joined);
      case "search_path" -> searchPath(values);
      case "client_encoding" -> encoding(joined);
      default ->
          switch (d.vartype()) {
            case "bool" -> bool(d, joined) ? "on" : "off";
            case "integer" -> number(d, joined);
            case "real" -> real(d, joined);
            case "enum" -> oneOf(d, joined);
            default -> joined;
          };
    };
  }

  /** The error for a name that no setting has. */
  public static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\"");
  }

  private static MillraceException invalid(String name, String value) {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE,
        "invalid value for parameter \"" + name + "\": \"" + value + "\"");
  }

  private static boolean bool(SettingDefinition d, String value) {
    String v = value.toLowerCase(Locale.ROOT);
    if (!v.isEmpty()) {
      if ("true".startsWith(v) || "yes".startsWith(v) || v.equals("on") || v.equals("1")) {
        return true;
      }
      if ("false".startsWith(v)
          || "no".startsWith(v)
          || v.equals("0")
          || v.equals("off")
          || v.equals("of")) {
        if (d.name().equals("standard_conforming_strings")) {
          throw new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED, "standard_conforming_strings is always on")
              .withHint("Use the escape string syntax, such as E'\\n'.");
        }
        return false;
      }
    }
    throw new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE,
        "parameter \"" + d.name() + "\" requires a Boolean value");
  }

  private static String oneOf(SettingDefinition d, String value) {
    for (String a : d.allowed()) {
      if (a.equalsIgnoreCase(value)) {
        return a;
      }
    }
    if (d.allowed().contains("on") && d.allowed().contains("off")) {
      if (value.equalsIgnoreCase("true")) {
        return "on";
      }
      if (value.equalsIgnoreCase("false")) {
        return "off";
      }
    }
    throw invalid(d.name(), value)
        .withHint("Available values: " + String.join(", ", d.allowed()) + ".");
  }

  private static String real(SettingDefinition d, String value) {
    try {
      double v = Double.parseDouble(value.trim());
      if (v < d.min() || v > d.max()) {
        throw invalid(d.name(), value);
      }
      return value.trim();
    } catch (NumberFormatException e) {
      throw invalid(d.name(), value);
    }
  }

  private static String number(SettingDefinition d, String value) {
    String v = value.trim();
    int digits = 0;
    while (digits < v.length()
        && (Character.isDigit(v.charAt(digits)) || "+-.".indexOf(v.charAt(digits)) >= 0)) {
      digits++;
    }
    String unit = v.substring(digits).trim();
    try {
      double n = Double.parseDouble(v.substring(0, digits)) * factor(d, unit);
      long whole = Math.round(n);
      if (whole < d.min() || whole > d.max()) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE,
            String.format(
                Locale.ROOT,
                "%d%s is outside the valid range for parameter \"%s\" (%d .. %d)",
                whole,
                d.unit().isEmpty() ? "" : " " + d.unit(),
                d.name(),
                (long) d.min(),
                (long) d.max()));
      }
      return Long.toString(whole);
    } catch (NumberFormatException e) {
      throw invalid(d.name(), value);
    }
  }

  private static double factor(SettingDefinition d, String unit) {
    if (unit.isEmpty()) {
      return 1;
    }
    return switch (d.unit()) {
      case "ms" ->
          switch (unit) {
            case "us" -> 0.001;
            case "ms" -> 1;
            case "s" -> 1000;
            case "min" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> throw invalid(d.name(), unit);
          };
      case "s" ->
          switch (unit) {
            case "ms" -> 0.001;
            case "s" -> 1;
            case "min" -> 60;
            case "h" -> 3600;
            case "d" -> 86_400;
            default -> throw invalid(d.name(), unit);
          };
      case "kB", "8kB" -> {
        double kb =
            switch (unit) {
              case "B" -> 1.0 / 1024;
              case "kB" -> 1;
              case "MB" -> 1024;
              case "GB" -> 1 << 20;
              case "TB" -> 1 << 30;
              default -> throw invalid(d.name(), unit);
            };
        yield d.unit().equals("kB") ? kb : kb / 8;
      }
      default -> throw invalid(d.name(), unit);
    };
  }

  private static String encoding(String value) {
    String v = value.replace("-", "").replace("_", "").toUpperCase(Locale.ROOT);
    return switch (v) {
      case "UTF8", "UNICODE", "DEFAULT" -> "UTF8";
      case "SQLASCII" -> "SQL_ASCII";
      default -> throw invalid("client_encoding", value);
    };
  }

  private static String searchPath(List<String> values) {
    var out = new ArrayList<String>();
    for (String v : values) {
      out.add(
          v.matches("[a-z_][a-z0-9_$]*") || v.startsWith("\"") || v.isEmpty()
              ? quoteEmpty(v)
              : '"' + v.replace("\"", "\"\"") + '"');
    }
    return String.join(", ", out);
  }

  private static String quoteEmpty(String v) {
    return v.isEmpty() ? "\"\"" : v;
  }

  /** Names of a search_path in order, {@code $user} replaced. */
  public static List<String> parseSearchPath(String value, String user) {
    var out = new ArrayList<String>();
    var word = new StringBuilder();
    boolean quoted = false;
    boolean any = false;
    for (int i = 0; i <= value.length(); i++) {
      char c = i < value.length() ? value.charAt(i) : ',';
      if (c == '"') {
        quoted = !quoted;
        any = true;
      } else if (c == ',' && (!quoted || i == value.length())) {
        String w = any ? word.toString() : word.toString().trim();
        if (!w.isEmpty()) {
          out.add(w.equals("$user") ? user : w);
        }
        word.setLength(0);
        any = false;
      } else if (quoted) {
        word.append(c);
      } else if (!Character.isWhitespace(c)) {
        word.append(Character.toLowerCase(c));
      }
    }
    return out;
  }

  private static String zoneName(String value) {
    String v = value.trim();
    if (v.equalsIgnoreCase("default") || v.equalsIgnoreCase("local")) {
      return "UTC";
    }
    zone(v);
    return v.equalsIgnoreCase("utc") ? "UTC" : v;
  }

  /** The zone of a TimeZone value. POSIX offsets count west of UTC, plain numbers east. */
  public static ZoneId zone(String value) {
    String v = value.trim();
    try {
      if (v.matches("[-+]?\\d+(\\.\\d+)?")) {
        return ZoneOffset.ofTotalSeconds((int) Math.round(Double.parseDouble(v) * 3600));
      }
      if (v.matches("[-+]\\d{1,2}:\\d{2}(:\\d{2})?")) {
        return ZoneOffset.of(
            v.length() == 5 && v.charAt(2) == ':' ? v.charAt(0) + "0" + v.substring(1) : v);
      }
      if (v.equalsIgnoreCase("utc")
          || v.equalsIgnoreCase("gmt")
          || v.equalsIgnoreCase("zulu")
          || v.equals("Z")) {
        return ZoneOffset.UTC;
      }
      var posix =
          java.util.regex.Pattern.compile("<?[A-Za-z]{3,}>?([-+]?\\d{1,2})(?::(\\d{2}))?")
              .matcher(v);
      if (posix.matches()) {
        int hours = Integer.parseInt(posix.group(1));
        int minutes = posix.group(2) == null ? 0 : Integer.parseInt(posix.group(2));
        int seconds = (Math.abs(hours) * 60 + minutes) * 60;
        return ZoneOffset.ofTotalSeconds(posix.group(1).startsWith("-") ? seconds : -seconds);
      }
      for (String id : ZoneId.getAvailableZoneIds()) {
        if (id.equalsIgnoreCase(v)) {
          return ZoneId.of(id);
        }
      }
      return ZoneId.of(v, ZoneId.SHORT_IDS);
    } catch (DateTimeException | NumberFormatException e) {
      throw invalid("TimeZone", value);
    }
  }

  private static String dateStyle(String value) {
    String style = "ISO";
    String order = "MDY";
    for (String part : value.split("[,\\s]+", -1)) {
      switch (part.toUpperCase(Locale.ROOT)) {
        case "ISO" -> style = "ISO";
        case "POSTGRES" -> style = "Postgres";
        case "SQL" -> style = "SQL";
        case "GERMAN" -> {
          style = "German";
          order = "DMY";
        }
        case "MDY", "US", "NONEURO", "NONEUROPEAN" -> order = "MDY";
        case "DMY", "EURO", "EUROPEAN" -> order = "DMY";
        case "YMD" -> order = "YMD";
        case "", "DEFAULT" -> {}
        default -> throw invalid("DateStyle", value);
      }
    }
    return style + ", " + order;
  }

  /** How values read and print under settings given by lower-case name. */
  public static SessionFormat format(Map<String, String> settings) {
    String style = settings.getOrDefault("datestyle", "ISO, MDY");
    return new SessionFormat(
        zone(settings.getOrDefault("timezone", "UTC")),
        style.startsWith("ISO")
            ? SessionFormat.DateStyle.ISO
            : style.startsWith("Post")
                ? SessionFormat.DateStyle.POSTGRES
                : style.startsWith("SQL")
                    ? SessionFormat.DateStyle.SQL
                    : SessionFormat.DateStyle.GERMAN,
        style.endsWith("DMY")
            ? SessionFormat.DateOrder.DMY
            : style.endsWith("YMD") ? SessionFormat.DateOrder.YMD : SessionFormat.DateOrder.MDY,
        switch (settings.getOrDefault("intervalstyle", "postgres")) {
          case "postgres_verbose" -> SessionFormat.IntervalStyle.POSTGRES_VERBOSE;
          case "sql_standard" -> SessionFormat.IntervalStyle.SQL_STANDARD;
          case "iso_8601" -> SessionFormat.IntervalStyle.ISO_8601;
          default -> SessionFormat.IntervalStyle.POSTGRES;
        },
        Integer.parseInt(settings.getOrDefault("extra_float_digits", "1")),
        settings.getOrDefault("bytea_output", "hex").equals("hex"));
  }
}

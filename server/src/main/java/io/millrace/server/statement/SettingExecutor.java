package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.session.SettingDefinition;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.wire.Notice;
import java.util.List;
import java.util.Locale;

/** SET, RESET, SHOW, DISCARD, USE. */
final class SettingExecutor {
  private final SettingDefinitions definitions;

  SettingExecutor(SettingDefinitions definitions) {
    this.definitions = definitions;
  }

  Outcome set(SessionContext session, Statement.SetVariable s) {
    String name = canonicalName(s.name());
    if (s.local() && !session.transaction().explicit()) {
      session.notice(
          Notice.warning(
              ErrorCode.NO_ACTIVE_SQL_TRANSACTION,
              "SET LOCAL can only be used in transaction blocks"));
      definitions.canonical(name, s.values().isEmpty() ? List.of("default") : s.values());
      return new Outcome.Done("SET");
    }
    if (name.equals("session_authorization")) {
      return new Outcome.Done("SET");
    }
    session.settings().set(name, s.values(), s.local());
    return new Outcome.Done("SET");
  }

  private static String canonicalName(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "names" -> "client_encoding";
      case "time zone" -> "timezone";
      case "schema" -> "search_path";
      default -> name.toLowerCase(Locale.ROOT);
    };
  }

  Outcome reset(SessionContext session, Statement.ResetVariable s) {
    String name = s.name();
    if (name == null) {
      session.settings().resetAll();
    } else {
      session.settings().set(canonicalName(name), List.of(), false);
    }
    return new Outcome.Done("RESET");
  }

  Outcome show(SessionContext session, Statement.ShowVariable s) {
    String name = canonicalName(s.name());
    return new TextRows(columnName(name)).row(shown(session, name)).done("SHOW");
  }

  List<PlanTemplate.ResultColumn> describeShow(Statement.ShowVariable s) {
    return TextRows.columns(columnName(canonicalName(s.name())));
  }

  private String columnName(String name) {
    return definitions.find(name).map(SettingDefinition::name).orElse(name);
  }

  private String shown(SessionContext session, String name) {
    String value = session.settings().get(name).orElseThrow(() -> SettingDefinitions.unknown(name));
    return definitions.find(name).map(d -> withUnit(d, value)).orElse(value);
  }

  /** Values with units as SHOW prints them: 4096 kB is 4MB. */
  static String withUnit(SettingDefinition d, String value) {
    if (d.unit().isEmpty() || value.startsWith("-") || value.equals("0")) {
      return value;
    }
    long n = Long.parseLong(value);
    return switch (d.unit()) {
      case "ms" ->
          n % 86_400_000 == 0
              ? n / 86_400_000 + "d"
              : n % 3_600_000 == 0
                  ? n / 3_600_000 + "h"
                  : n % 60_000 == 0
                      ? n / 60_000 + "min"
                      : n % 1000 == 0 ? n / 1000 + "s" : n + "ms";
      case "s" ->
          n % 86_400 == 0
              ? n / 86_400 + "d"
              : n % 3600 == 0 ? n / 3600 + "h" : n % 60 == 0 ? n / 60 + "min" : n + "s";
      case "kB", "8kB" -> {
        long kb = d.unit().equals("kB") ? n : n * 8;
        yield kb % (1 << 20) == 0
            ? (kb >> 20) + "GB"
            : kb % 1024 == 0 ? (kb >> 10) + "MB" : kb + "kB";
      }
      default -> value;
    };
  }

  Outcome showAll(SessionContext session, Statement.ShowVariables s) {
    var rows = new TextRows("name", "setting", "description");
    definitions.all().stream()
        .sorted((a, b) -> a.name().compareToIgnoreCase(b.name()))
        .filter(d -> Patterns.like(s.like(), d.name()))
        .forEach(
            d ->
                rows.row(
                    d.name(),
                    withUnit(d, session.settings().get(d.name()).orElse(d.initial())),
                    d.description()));
    return rows.done("SHOW");
  }

  Outcome discard(SessionContext session, Statement.Discard s) {
    String what = s.what().toLowerCase(Locale.ROOT);
    if (what.equals("all") || what.startsWith("sequence")) {
      session.sequences().clear();
    }
    if (what.equals("all")) {
      session.prepared().discardAll();
      session.settings().resetAll();
      session.unlisten(null);
    }
    return new Outcome.Done("DISCARD " + s.what().toUpperCase(Locale.ROOT));
  }
}

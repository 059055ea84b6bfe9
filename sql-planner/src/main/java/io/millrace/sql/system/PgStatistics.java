package io.millrace.sql.system;

import static io.millrace.sql.system.Part.Key.NAME;
import static io.millrace.sql.system.Part.Key.OID;

import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.session.SettingDefinition;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** pg_catalog's views of sessions, settings and figures. */
final class PgStatistics {
  private PgStatistics() {}

  static void parts(Map<String, List<Part>> to) {
    var p = new Parts(to, "pg_catalog");
    p.fresh("pg_settings", PgStatistics::settings);
    p.fresh("pg_stat_activity", PgStatistics::activity);
    p.fresh("pg_stat_database", PgStatistics::databases);
    p.fixed("pg_timezone_names", PgStatistics::zones);
    Map<String, Part.Key> paths = Map.of("relid", OID, "relname", NAME);
    for (String r : List.of("pg_stat_user_tables", "pg_stat_all_tables")) {
      p.figures(
          r,
          paths,
          (c, x, out) -> {
            TableInfo t = x.table();
            if (t != null) {
              long rows = c.rows(t);
              out.row(
                  x.oid(),
                  x.schema(),
                  x.name(),
                  0L,
                  0L,
                  0L,
                  0L,
                  0L,
                  0L,
                  0L,
                  0L,
                  rows,
                  0L,
                  0L,
                  0L,
                  null,
                  null,
                  null,
                  null,
                  0L,
                  0L,
                  0L,
                  0L);
            }
          });
    }
    for (String r : List.of("pg_statio_user_tables", "pg_statio_all_tables")) {
      p.figures(
          r,
          paths,
          (c, x, out) -> {
            if (x.table() != null) {
              out.row(x.oid(), x.schema(), x.name(), 0L, 0L, 0L, 0L, null, null, null, null);
            }
          });
    }
    for (String r : List.of("pg_stat_user_indexes", "pg_stat_all_indexes")) {
      p.figures(
          r,
          Map.of("relid", OID, "indexrelid", OID, "relname", NAME, "indexrelname", NAME),
          (c, x, out) -> {
            for (Rel.Index i : x.indexes()) {
              out.row(x.oid(), i.oid(), x.schema(), x.name(), i.name(), 0L, 0L, 0L);
            }
          });
    }
  }

  private static void settings(ScanContext c, RowSink out) {
    for (SettingDefinition s : c.settings().all()) {
      String value =
          c.session().settings().getOrDefault(s.name().toLowerCase(Locale.ROOT), s.initial());
      boolean number = s.vartype().equals("integer") || s.vartype().equals("real");
      out.row(
          s.name(),
          value,
          s.unit().isEmpty() ? null : s.unit(),
          s.category(),
          s.description(),
          null,
          s.context(),
          s.vartype(),
          value.equals(s.initial()) ? "default" : "session",
          number ? plain(s.min(), s.vartype()) : null,
          number ? plain(s.max(), s.vartype()) : null,
          s.allowed().isEmpty() ? null : s.allowed(),
          s.initial(),
          s.initial(),
          null,
          null,
          false);
    }
  }

  private static String plain(double v, String type) {
    return type.equals("integer") ? Long.toString((long) v) : Double.toString(v);
  }

  private static @Nullable Long time(long micros) {
    return micros == 0 ? null : (Long) micros;
  }

  private static void activity(ScanContext c, RowSink out) {
    for (SystemSources.Session s : c.sources().sessions()) {
      out.row(
          c.catalog().database(s.database()).map(d -> d.oid()).orElse(0),
          s.database(),
          s.processId(),
          null,
          Oids.role(s.user()),
          s.user(),
          s.applicationName(),
          s.clientAddress(),
          null,
          s.clientPort(),
          time(s.backendStart()),
          time(s.transactionStart()),
          time(s.queryStart()),
          time(s.stateChange()),
          s.state().equals("active") ? null : "Client",
          s.state().equals("active") ? null : "ClientRead",
          s.state(),
          null,
          null,
          null,
          s.query(),
          "client backend");
    }
  }

  private static void databases(ScanContext c, RowSink out) {
    int sessions =
        (int)
            c.sources().sessions().stream()
                .filter(s -> s.database().equals(c.view().alias()))
                .count();
    out.row(
        c.view().databaseOid(),
        c.view().alias(),
        sessions,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        0L,
        null,
        null,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0L,
        0L,
        0L,
        0L,
        null);
  }

  private static void zones(ScanContext c, RowSink out) {
    for (String id : ZoneId.getAvailableZoneIds().stream().sorted().toList()) {
      if (!id.startsWith("SystemV/")) {
        out.row(id, id, null, false);
      }
    }
  }
}

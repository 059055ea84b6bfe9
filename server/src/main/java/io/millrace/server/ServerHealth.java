package io.millrace.server;

import io.millrace.common.time.Clock;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.wire.http.HealthSource;
import io.millrace.wire.pg.PgServer;
import java.util.Map;

/** The answer to /health: the listeners start last, so who can ask is served. */
record ServerHealth(PgServer pg, Clock clock, long startedMicros) implements HealthSource {
  @Override
  public Health health() {
    return new Health(
        true,
        Map.of(
            "server",
            "millrace",
            "server_version",
            SettingDefinitions.SERVER_VERSION,
            "pg_port",
            Integer.toString(pg.port()),
            "uptime_seconds",
            Long.toString((clock.wallMicros() - startedMicros) / 1_000_000)));
  }
}

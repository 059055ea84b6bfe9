package io.millrace.server.session;

import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.wire.Backend;
import io.millrace.wire.SessionHandler;
import io.millrace.wire.StartupInfo;
import io.millrace.wire.WireSession;

/** Opens sessions for clients. */
public final class Sessions implements SessionHandler {
  private final SessionServices services;

  public Sessions(SessionServices services) {
    this.services = services;
  }

  @Override
  public WireSession openSession(StartupInfo startup, Backend backend) {
    DatabaseInfo database =
        services
            .catalog()
            .snapshot()
            .database(startup.database())
            .orElseThrow(
                () -> SessionState.unknownDatabase(services.catalog(), startup.database()));
    var state = new SessionState(services, startup, backend, database.name());
    state.reportSettings();
    return new ClientSession(services, backend, state);
  }
}

package io.millrace.wire;

import io.millrace.common.error.MillraceException;

/** Makes sessions for clients that have been let in. */
public interface SessionHandler {
  /**
   * Opens the session of a client. Called on an event loop, returns at once. Settings reported here
   * by {@link Backend#parameterStatus} go out before the first ReadyForQuery, which the wire itself
   * sends, as it does the defaults of reported settings that were not told. Nothing else may be
   * sent, and nothing from another thread, before the session's first message has come.
   *
   * @throws MillraceException to refuse the client (unknown database, unknown role): the error is
   *     sent as FATAL and the connection closed
   */
  WireSession openSession(StartupInfo startup, Backend backend);
}

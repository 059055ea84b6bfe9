package io.millrace.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who connects and what they asked for.
 *
 * @param processId the number that BackendKeyData, pg_backend_pid() and CancelRequest share; unique
 *     within the process
 * @param protocol how the client speaks
 * @param user the role asked for, authenticated
 * @param database the database asked for; the user's name if none was given
 * @param settings settings of the start-up message, {@code options=-c …} included, by the names
 *     given; unknown ones are for the session to ignore
 * @param remoteAddress the client's address in text, null if unknown
 * @param remotePort the client's port, -1 if unknown
 */
public record StartupInfo(
    int processId,
    Protocol protocol,
    String user,
    String database,
    Map<String, String> settings,
    @Nullable String remoteAddress,
    int remotePort) {

  public enum Protocol {
    POSTGRES,
    HTTP
  }

  public StartupInfo {
    settings = Map.copyOf(settings);
  }
}

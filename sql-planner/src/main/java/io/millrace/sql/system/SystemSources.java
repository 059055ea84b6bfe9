package io.millrace.sql.system;

import io.millrace.common.id.FlowId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What system relations show that the catalog does not know. Called while scanning: must not wait.
 */
public interface SystemSources {
  List<Session> sessions();

  List<FlowState> flows();

  /** A session for pg_stat_activity; times in microseconds since 1970, 0 = none. */
  record Session(
      int processId,
      String database,
      String user,
      String applicationName,
      @Nullable String clientAddress,
      int clientPort,
      long backendStart,
      long transactionStart,
      long queryStart,
      long stateChange,
      String state,
      String query) {}

  /** A flow's state for flows and flow_statistics; times in microseconds since 1970, 0 = never. */
  record FlowState(
      FlowId id,
      String engine,
      String state,
      long startMicros,
      long lastExecutionMicros,
      long lastExecutionDurationMicros,
      long evaluations,
      long rowsIn,
      long rowsOut,
      long rowsExpired,
      int dirtyRanges,
      long lagMicros,
      String checkpoint,
      long stateBytes,
      Optional<Long> oldestHold,
      long errors,
      Optional<String> lastError) {}

  /** Nothing to show. */
  SystemSources NONE =
      new SystemSources() {
        @Override
        public List<Session> sessions() {
          return List.of();
        }

        @Override
        public List<FlowState> flows() {
          return List.of();
        }
      };
}

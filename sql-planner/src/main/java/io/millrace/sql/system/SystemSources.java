package io.millrace.sql.system;

import io.millrace.common.id.FlowId;
import io.millrace.sql.catalog.SequenceValues;
import io.millrace.sql.session.SequenceMemory;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What system relations show that the catalog does not know. Called while scanning: must not wait.
 */
public interface SystemSources {
  List<Session> sessions();

  List<FlowState> flows();

  /**
   * Sets a setting of a session, from its next statement on.
   *
   * @param value null = the default
   * @param local only until the end of the transaction
   * @return the value as it is shown
   */
  String set(int processId, String name, @Nullable String value, boolean local);

  /** Where sequences stand. */
  default SequenceValues sequenceValues() {
    throw new IllegalStateException("no sequences are connected");
  }

  /** What a session got from sequences; an empty one for a process that is no session. */
  default SequenceMemory sequenceMemory(int processId) {
    return new SequenceMemory();
  }

  /** Cancels what a session is running; false if there is no such session. */
  boolean cancel(int processId);

  /** Ends a session; false if there is none. */
  boolean terminate(int processId);

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

        @Override
        public String set(int processId, String name, @Nullable String value, boolean local) {
          return value == null ? "" : value;
        }

        @Override
        public boolean cancel(int processId) {
          return false;
        }

        @Override
        public boolean terminate(int processId) {
          return false;
        }
      };
}

package io.millrace.server.session;

import io.millrace.sql.session.SequenceMemory;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The open sessions, for pg_stat_activity, KILL and notifications. Thread-safe. */
public final class SessionRegistry {
  private final ConcurrentMap<Integer, SessionState> sessions = new ConcurrentHashMap<>();

  void add(SessionState s) {
    sessions.put(s.processId(), s);
  }

  void remove(SessionState s) {
    sessions.remove(s.processId(), s);
  }

  /** What each session does now. */
  public List<SessionActivity> activity() {
    return sessions.values().stream().map(SessionState::activity).toList();
  }

  /** What a session got from sequences; an empty memory if there is no such session. */
  public SequenceMemory sequences(int processId) {
    return Optional.ofNullable(sessions.get(processId))
        .map(SessionState::sequences)
        .orElseGet(SequenceMemory::new);
  }

  /** Cancels the statement of a session; false if there is no such session. */
  public boolean cancel(int processId) {
    Optional<SessionState> s = Optional.ofNullable(sessions.get(processId));
    s.ifPresent(SessionState::cancelByUser);
    return s.isPresent();
  }

  /** Ends a session; false if there is no such session. */
  public boolean terminate(int processId) {
    Optional<SessionState> s = Optional.ofNullable(sessions.get(processId));
    s.ifPresent(SessionState::terminate);
    return s.isPresent();
  }

  /**
   * Sets a setting of a session before its next statement.
   *
   * @param values as SET gives them; none = the default
   */
  public void set(int processId, String name, List<String> values, boolean local) {
    Optional.ofNullable(sessions.get(processId))
        .ifPresent(s -> s.serial(() -> s.settings().set(name, values, local)));
  }

  /** Sends a notification to every session that listens to the channel. */
  public void notify(int senderPid, String channel, String payload) {
    Collection<SessionState> all = sessions.values();
    for (SessionState s : all) {
      s.deliver(senderPid, channel, payload);
    }
  }
}

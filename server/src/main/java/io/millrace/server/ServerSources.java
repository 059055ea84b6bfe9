package io.millrace.server;

import io.millrace.flow.FlowService;
import io.millrace.flow.FlowStatistics;
import io.millrace.server.session.SessionActivity;
import io.millrace.server.session.SessionRegistry;
import io.millrace.sql.catalog.SequenceValues;
import io.millrace.sql.session.SequenceMemory;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.system.SystemSources;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sessions and flows as system relations show them. */
record ServerSources(
    SessionRegistry registry,
    FlowService flowService,
    SettingDefinitions definitions,
    SequenceValues sequenceValues)
    implements SystemSources {
  @Override
  public String set(int processId, String name, @Nullable String value, boolean local) {
    List<String> values;
    if (value == null) {
      values = List.of();
    } else if (name.equalsIgnoreCase("search_path") && !value.isEmpty()) {
      values = List.of(value.split("\\s*,\\s*"));
    } else {
      values = List.of(value);
    }
    String shown = definitions.canonical(name, values);
    registry.set(processId, name, values, local);
    return value == null ? shown : value;
  }

  @Override
  public SequenceMemory sequenceMemory(int processId) {
    return registry.sequences(processId);
  }

  @Override
  public boolean cancel(int processId) {
    return registry.cancel(processId);
  }

  @Override
  public boolean terminate(int processId) {
    return registry.terminate(processId);
  }

  @Override
  public List<Session> sessions() {
    var out = new ArrayList<Session>();
    for (SessionActivity a : registry.activity()) {
      out.add(
          new Session(
              a.processId(),
              a.database(),
              a.user(),
              a.applicationName(),
              a.clientAddress(),
              a.clientPort(),
              a.backendStart(),
              a.transactionStart(),
              a.queryStart(),
              a.stateChange(),
              a.state(),
              a.query()));
    }
    return out;
  }

  @Override
  public List<FlowState> flows() {
    var out = new ArrayList<FlowState>();
    for (FlowStatistics f : flowService.statistics()) {
      out.add(
          new FlowState(
              f.id(),
              f.engine(),
              f.state(),
              f.startMicros(),
              f.lastExecutionMicros(),
              f.lastExecutionDurationMicros(),
              f.evaluations(),
              f.rowsIn(),
              f.rowsOut(),
              f.rowsExpired(),
              f.dirtyRanges(),
              f.lagMicros(),
              f.checkpoint(),
              f.stateBytes(),
              f.oldestHold(),
              f.errors(),
              f.lastError()));
    }
    return out;
  }
}

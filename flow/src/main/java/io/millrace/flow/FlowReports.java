package io.millrace.flow;

import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.FlowTask;
import io.millrace.flow.batching.TaskStatus;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.sql.catalog.FlowInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What EXPLAIN FLOW, SHOW FLOW STATUS and flow_statistics say. */
final class FlowReports {
  private final Flows.Services services;
  private final RunningFlows running;
  private final FlowTables tables;
  private final RecoveryGate gate;

  FlowReports(Flows.Services services, RunningFlows running, FlowTables tables, RecoveryGate gate) {
    this.services = services;
    this.running = running;
    this.tables = tables;
    this.gate = gate;
  }

  List<String> explain(FlowInfo flow) {
    var out = new ArrayList<String>();
    out.add(
        "Flow "
            + flow.name()
            + " ("
            + FlowKind.of(flow).text()
            + " engine) into "
            + flow.sinkSchema()
            + "."
            + flow.sinkTable());
    Optional<FlowTask> t = running.task(flow.id());
    if (t.isEmpty()) {
      out.add("  State: pending, " + running.problem(flow.id()).orElse("not started"));
      return out;
    }
    FlowPlan p = t.get().definition().plan();
    TaskStatus s = t.get().status();
    out.add("  Window: " + p.describeWindow().orElse("none, evaluated whole: " + p.why()));
    out.add("  Sources: " + String.join(", ", flow.sourceNames()));
    out.add("  State: " + s.state() + s.lastError().map(e -> ", last error " + e).orElse(""));
    out.add("  Checkpoint: " + s.checkpoint());
    out.add("  Dirty ranges: " + s.dirtyRanges());
    out.add("  Oldest hold: " + s.oldestHold().map(h -> Long.toString(h)).orElse("none"));
    out.add("  Lag: " + s.lagMicros() / 1000 + " ms");
    out.add("  Query:");
    services.planner().explain(p.template(), false).forEach(l -> out.add("    " + l));
    return out;
  }

  List<FlowStatistics> statistics() {
    return services.catalog().snapshot().flows().stream()
        .map(f -> running.task(f.id()).map(t -> running(f, t)).orElseGet(() -> waiting(f)))
        .toList();
  }

  private FlowStatistics waiting(FlowInfo f) {
    return new FlowStatistics(
        f.id(),
        f.name(),
        FlowKind.of(f).text(),
        gate.isOpen() ? "pending" : "recovering",
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        "",
        0,
        Optional.empty(),
        0,
        running.problem(f.id()));
  }

  private FlowStatistics running(FlowInfo f, FlowTask t) {
    TaskStatus s = t.status();
    long state =
        tables
            .findLedger(f.id())
            .map(l -> l.regions().stream().mapToLong(r -> services.engine().info(r).rows()).sum())
            .orElse(0L);
    return new FlowStatistics(
        f.id(),
        f.name(),
        FlowKind.of(f).text(),
        s.state(),
        s.startMicros(),
        s.lastExecutionMicros(),
        s.lastDurationMicros(),
        s.evaluations(),
        s.rowsIn(),
        s.rowsOut(),
        s.rowsExpired(),
        s.dirtyRanges(),
        s.lagMicros(),
        s.checkpoint(),
        state,
        s.oldestHold(),
        s.errors(),
        s.lastError());
  }
}

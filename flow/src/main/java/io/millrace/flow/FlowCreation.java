package io.millrace.flow;

import static io.millrace.flow.Waiting.await;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.flow.batching.ClockUse;
import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.SinkPlan;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.Hold;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Birth of a flow: sink and ledger ─► holds on the sources ─► checkpoint (V = the holds, D = everything
 * unexpired or, without backfill, nothing) ─► catalog entry; the reconciler starts what the catalog has.
 * What a failure leaves is removed here, what a crash leaves (a hidden ledger and a checkpoint without flow)
 * at the next start; an automatic sink stays then, and is taken by the next attempt.
 *
 * A pending flow is an entry without sink and sources; it is completed when its sources exist.
 */
/** CREATE FLOW behind its syntax. On threads that may wait. */
final class FlowCreation {
  private static final Logger LOG = LoggerFactory.getLogger(FlowCreation.class);

  private final Flows.Services services;
  private final RunningFlows running;
  private final FlowTables tables;
  private final FlowAnalyst analyst;

  FlowCreation(
      Flows.Services services, RunningFlows running, FlowTables tables, FlowAnalyst analyst) {
    this.services = services;
    this.running = running;
    this.tables = tables;
    this.analyst = analyst;
  }

  // ---- what can be a flow

  /** Throws for a query that cannot be kept as the draft wants it. */
  void validate(FlowInfo draft, FlowPlan plan, CatalogSnapshot catalog) {
    String wild = ClockUse.volatileFunction(plan.template().plan());
    if (wild != null) {
      throw new MillraceException(
              ErrorCode.INVALID_OBJECT_DEFINITION,
              "function " + wild + "() gives another value each time and cannot be used in a flow")
          .withHint("now() is allowed with EVAL INTERVAL and reads the scheduled time.");
    }
    if (plan.sources().isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          "flow \"" + draft.name() + "\" reads no table, so nothing would ever change it");
    }
    boolean clock =
        plan.template().inits().stream().anyMatch(ClockUse::readsClock)
            || ClockUse.readsClock(plan.template().plan());
    if (draft.evalIntervalMicros().isEmpty() && (clock || !local(plan))) {
      throw new MillraceException(
              ErrorCode.INVALID_OBJECT_DEFINITION,
              "flow \""
                  + draft.name()
                  + "\" has to be evaluated as a whole and needs EVAL INTERVAL: "
                  + (plan.why().isEmpty() ? "it reads the clock" : plan.why()))
          .withHint(
              "Add EVAL INTERVAL '1 minute' (or so), or group by a time window of the source's time"
                  + " index such as date_bin(INTERVAL '1 minute', ts).");
    }
    checkKind(draft, plan);
    catalog
        .table(draft.sinkDatabase(), draft.sinkSchema(), draft.sinkTable())
        .ifPresent(t -> checkSink(draft, t, plan, catalog));
  }

  /** Whether a change of a row can be followed without evaluating everything. */
  private static boolean local(FlowPlan plan) {
    return plan.windowLocal() || (plan.driving().isPresent() && !plan.aggregates());
  }

  static void checkKind(FlowInfo draft, FlowPlan plan) {
    if (FlowKind.of(draft) == FlowKind.STREAMING && plan.aggregates()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "the streaming engine of this version takes projections and filters, but the flow"
                  + " aggregates")
          .withHint("Use the other engine: WITH (flow_type = 'batching').");
    }
  }

  private static void checkSink(
      FlowInfo draft, TableInfo sink, FlowPlan plan, CatalogSnapshot catalog) {
    if (plan.sources().contains(sink.id())) {
      throw new MillraceException(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          "table \"" + sink.name() + "\" cannot be source and sink of one flow");
    }
    checkCycle(catalog, sink.id(), plan.sources(), draft);
    if (sink.appendMode()) {
      throw new MillraceException(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          "sink table \"" + sink.name() + "\" is in append mode and cannot take rows back");
    }
  }

  /** No source may be fed, through other flows, by the sink. */
  private static void checkCycle(
      CatalogSnapshot catalog, TableId sink, List<TableId> sources, FlowInfo draft) {
    var seen = new HashSet<TableId>();
    var open = new ArrayList<TableId>(List.of(sink));
    while (!open.isEmpty()) {
      TableId t = open.removeLast();
      if (!seen.add(t)) {
        continue;
      }
      if (sources.contains(t)) {
        throw new MillraceException(
            ErrorCode.INVALID_OBJECT_DEFINITION,
            "flow \"" + draft.name() + "\" would feed its own source through other flows");
      }
      for (FlowInfo f : catalog.flows()) {
        if (f.sources().contains(t)) {
          f.sinkId().ifPresent(open::add);
        }
      }
    }
  }

  /** The options with the engine that the plan is for, where they do not say. */
  static Map<String, String> withKind(Map<String, String> options, FlowPlan plan) {
    var out = new HashMap<>(options);
    out.putIfAbsent(
        "flow_type",
        (plan.aggregates() || plan.driving().isEmpty() ? FlowKind.BATCHING : FlowKind.STREAMING)
            .text());
    return out;
  }

  // ---- birth

  /**
   * Makes the flow of a draft.
   *
   * @param old the flow that it replaces; onto the same sink its id and ledger go on
   */
  void build(FlowInfo draft, FlowPlan plan, Optional<FlowInfo> old) {
    Optional<TableInfo> existing =
        services
            .catalog()
            .snapshot()
            .table(draft.sinkDatabase(), draft.sinkSchema(), draft.sinkTable());
    TableInfo sink = existing.isPresent() ? existing.get() : createSink(draft, plan);
    boolean sameSink = old.flatMap(FlowInfo::sinkId).filter(sink.id()::equals).isPresent();
    FlowInfo info =
        FlowInfos.bound(
            draft,
            sameSink ? old.orElseThrow() : draft,
            sink.id(),
            plan,
            services.catalog().snapshot());
    try {
      SinkPlan.Mapping mapping = SinkPlan.map(plan, sink, running.ledger(info.id(), sink));
      LOG.debug("flow {} writes {} columns", info.name(), mapping.types().size());
      install(info, plan, old);
    } catch (MillraceException e) {
      if (!sameSink) {
        removeState(info.id());
      }
      if (existing.isEmpty()) {
        await(services.tables().drop(List.of(sink.id())));
      }
      throw e;
    }
    old.map(FlowInfo::id).filter(o -> !o.equals(info.id())).ifPresent(this::removeState);
  }

  private TableInfo createSink(FlowInfo f, FlowPlan plan) {
    return await(
        services
            .tables()
            .create(
                SinkPlan.definition(
                    plan, f.sinkDatabase(), f.sinkSchema(), f.sinkTable(), f.name())));
  }

  private void install(FlowInfo info, FlowPlan plan, Optional<FlowInfo> old) {
    synchronized (running.membership()) {
      old.ifPresent(o -> running.halt(o.id()));
      Map<RegionId, Hold> holds = running.hold(info.name(), plan);
      long epoch =
          running.runtime().checkpoints().load(info.id()).map(Checkpoint::epoch).orElse(0L);
      Checkpoint first = running.checkpoint(info, plan, holds, epoch + 1);
      running.keep(info.id(), holds);
      await(
          services
              .writer()
              .commit(List.of(running.runtime().checkpoints().put(info.id(), first)), List.of()));
      store(info, old.map(FlowInfo::id));
    }
  }

  /**
   * Puts a flow into the catalog.
   *
   * @param replaced the flow whose place it takes: another one of its name, or its own earlier
   *     version, which must be there still
   */
  void store(FlowInfo info, Optional<FlowId> replaced) {
    await(
        services
            .catalog()
            .change(
                c -> {
                  var actions = new ArrayList<CatalogChange.Action>();
                  boolean known = replaced.filter(info.id()::equals).isPresent();
                  if (known && c.flow(info.id()).isEmpty()) {
                    throw vanished(info);
                  }
                  c.flow(info.database(), info.schema(), info.name())
                      .filter(o -> !o.id().equals(info.id()))
                      .ifPresent(
                          o -> {
                            if (replaced.filter(o.id()::equals).isEmpty()) {
                              throw duplicate(info.name());
                            }
                            actions.add(new CatalogChange.Action.RemoveFlow(o.id()));
                          });
                  actions.add(new CatalogChange.Action.PutFlow(info));
                  return new CatalogChange(actions);
                }));
  }

  static MillraceException duplicate(String name) {
    return new MillraceException(
        ErrorCode.DUPLICATE_OBJECT, "flow \"" + name + "\" already exists");
  }

  /** Removes what is kept of a flow that is not in the catalog: holds, checkpoint and ledger. */
  void removeState(FlowId id) {
    running.forget(id);
    await(services.writer().commit(List.of(running.runtime().checkpoints().delete(id)), List.of()));
    await(tables.dropLedger(id));
  }

  // ---- pending flows

  /**
   * The flow ready to start: a pending one, whose sources exist now, gets sink and checkpoint.
   *
   * @throws MillraceException UNDEFINED_TABLE while sources are missing
   */
  FlowInfo completed(FlowInfo f) {
    CatalogSnapshot catalog = services.catalog().snapshot();
    boolean complete =
        f.sinkId().isPresent() && f.sources().stream().allMatch(s -> catalog.table(s).isPresent());
    if (complete) {
      return f;
    }
    FlowPlan plan = analyst.plan(f);
    FlowInfo next = FlowInfos.withOptions(f, withKind(f.options(), plan));
    validate(next, plan, catalog);
    build(next, plan, Optional.of(f));
    return services.catalog().snapshot().flow(f.id()).orElseThrow(() -> vanished(f));
  }

  private static MillraceException vanished(FlowInfo f) {
    return new MillraceException(
        ErrorCode.UNDEFINED_OBJECT, "flow \"" + f.name() + "\" was dropped meanwhile");
  }
}

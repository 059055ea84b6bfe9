package io.millrace.flow;

import static io.millrace.flow.Waiting.await;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.Scheduler;
import io.millrace.flow.batching.FlowTask;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Metadata decides what runs. At start, every interval and before FLUSH_FLOW the catalog's flows are compared
 * with the running tasks: what is missing is started, what is not there any more is stopped, what changed or
 * lost its task is started anew, and a flow whose sources are gone waits for them.
 *
 * At start first the holds are made again where the checkpoints are, before anything may be folded away, and
 * what an interrupted CREATE or DROP left without a flow is removed.
 */
/** Keeps the running flows as the catalog has them. */
final class Reconciler {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private final Flows.Services services;
  private final long intervalMicros;
  private final Executor executor;
  private final RunningFlows running;
  private final FlowCreation creation;
  private final FlowTables tables;
  private final Object timing = new Object();
  private Scheduler.@Nullable Cancellable timer;
  private boolean closed;

  Reconciler(
      Flows.Services services,
      long intervalMicros,
      Executor executor,
      RunningFlows running,
      FlowCreation creation,
      FlowTables tables) {
    this.services = services;
    this.intervalMicros = intervalMicros;
    this.executor = executor;
    this.running = running;
    this.creation = creation;
    this.tables = tables;
  }

  /** The first run, at start. */
  void recover() {
    removeOrphans();
    restoreHolds();
    run();
  }

  private void removeOrphans() {
    CatalogSnapshot catalog = services.catalog().snapshot();
    for (FlowId id : running.runtime().checkpoints().flows()) {
      if (catalog.flow(id).isEmpty()) {
        LOG.info("removing the checkpoint of flow {}, which does not exist", id.value());
        await(
            services
                .writer()
                .commit(List.of(running.runtime().checkpoints().delete(id)), List.of()));
      }
    }
    for (FlowId id : tables.ledgers()) {
      if (catalog.flow(id).isEmpty()) {
        LOG.info("removing the ledger of flow {}, which does not exist", id.value());
        await(tables.dropLedger(id));
      }
    }
  }

  private void restoreHolds() {
    List<RegionId> regions = services.engine().regions();
    for (FlowInfo f : services.catalog().snapshot().flows()) {
      Optional<Checkpoint> c = running.runtime().checkpoints().load(f.id());
      if (c.isEmpty()) {
        continue;
      }
      var holds = new HashMap<RegionId, Hold>();
      c.get()
          .versions()
          .forEach(
              (r, v) -> {
                if (regions.contains(r)) {
                  holds.put(
                      r, services.engine().restoreHold(r, "flow " + f.name(), HoldKind.KEYS, v));
                }
              });
      running.keep(f.id(), holds);
    }
  }

  /** Metadata against what runs. */
  void run() {
    synchronized (running.membership()) {
      if (closed()) {
        return;
      }
      CatalogSnapshot catalog = services.catalog().snapshot();
      for (FlowId id : running.running()) {
        if (catalog.flow(id).isEmpty()) {
          running.forget(id);
        }
      }
      for (FlowInfo f : catalog.flows()) {
        if (running.task(f.id()).filter(t -> !current(t, f, catalog)).isPresent()) {
          running.halt(f.id());
        }
        if (running.task(f.id()).isEmpty()) {
          tryStart(f);
        }
      }
    }
  }

  private static boolean current(FlowTask t, FlowInfo f, CatalogSnapshot catalog) {
    return t.definition().flow().version() == f.version()
        && !t.stopped()
        && t.definition().plan().sources().stream().allMatch(s -> catalog.table(s).isPresent());
  }

  private void tryStart(FlowInfo f) {
    try {
      running.start(creation.completed(f));
    } catch (MillraceException e) {
      String message = e.sqlState() + ": " + e.message();
      if (running.problem(f.id(), message)) {
        LOG.warn("flow {} cannot run: {}", f.name(), message);
      }
    }
  }

  boolean closed() {
    synchronized (timing) {
      return closed;
    }
  }

  /** Arms the next run. */
  void schedule() {
    synchronized (timing) {
      if (!closed) {
        timer = services.scheduler().after(intervalMicros, () -> executor.execute(this::regular));
      }
    }
  }

  private void regular() {
    try {
      run();
    } catch (RuntimeException | Error e) {
      LOG.warn("flows could not be reconciled", e);
    }
    schedule();
  }

  void close() {
    synchronized (timing) {
      closed = true;
      Scheduler.Cancellable t = timer;
      if (t != null) {
        t.cancel();
      }
    }
  }
}

package io.millrace.flow.batching;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.DirtyRanges;
import io.millrace.flow.ledger.SinkDiff;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.RowCollector;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.HeldSnapshot;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * One evaluation of a flow:
 *
 *   1 X := snapshot of all tables read, with holds at exactly X
 *   2 D := windows of the keys and events that the change feed gives between V and X, but for those that
 *     end before T − EXPIRE AFTER, T as stored; windows of which TTL may have taken rows leave D
 *   3 at most 20 ranges R of D, the query evaluated over each at X, the ledger's rows of R beside it
 *   4 one commit: sink, ledger, checkpoint (V := X, D := D \ R, T), on condition that the stored checkpoint
 *     is the one this started from
 *
 * While D holds ranges that an evaluation left over, the next ones evaluate those, at their own snapshots,
 * and leave V and its holds where they are: D only shrinks then, so that every range gets its turn and
 * FLUSH_FLOW ends however much is written meanwhile. What changed after V is in the feed later.
 *
 * A crash before 4 leaves holds and checkpoint at V; after it everything is done.
 */
/** Evaluates a flow, one evaluation at a time, on a thread that may wait. */
final class Evaluation {
  static final int MAX_RANGES = 20;
  private static final long TIMEOUT_SECONDS = 600;
  private static final long IDLE_MICROS = 60_000_000L;

  /**
   * How much to take.
   *
   * @param ranges at most so many
   * @param passed ranges that are passed over, for they failed before
   * @param leftOverFirst do not read the feed while ranges are left over
   */
  record Share(int ranges, int passed, boolean leftOverFirst) {
    static final Share ALL = new Share(MAX_RANGES, 0, true);
  }

  /**
   * @param holds at the checkpoint's versions, if those moved
   */
  record Outcome(
      Checkpoint checkpoint,
      Optional<Map<RegionId, Hold>> holds,
      long sinkRows,
      long rowsIn,
      long rowsExpired) {
    boolean more() {
      return !checkpoint.dirty().isEmpty();
    }
  }

  private final FlowRuntime runtime;
  private final FlowTask.Definition definition;
  private final FlowPlan plan;
  private final SessionFormat format;
  private volatile QueryEngine.@Nullable Query query;
  private volatile boolean cancelled;

  Evaluation(FlowRuntime runtime, FlowTask.Definition definition) {
    this.runtime = runtime;
    this.definition = definition;
    this.plan = definition.plan();
    this.format = SettingDefinitions.format(definition.flow().sessionSettings());
  }

  /** Ends the query that runs, and refuses further ones. */
  void cancel() {
    cancelled = true;
    QueryEngine.Query q = query;
    if (q != null) {
      q.cancel(stopped());
    }
  }

  private MillraceException stopped() {
    return new MillraceException(
        ErrorCode.QUERY_CANCELED, "flow \"" + definition.flow().name() + "\" was stopped");
  }

  /** Source regions of the plan, in the catalog's newest state. */
  Set<RegionId> regions(CatalogSnapshot catalog) {
    var out = new HashSet<RegionId>();
    for (TableId id : plan.sources()) {
      out.addAll(source(catalog, id).regions());
    }
    return out;
  }

  private TableInfo source(CatalogSnapshot catalog, TableId id) {
    return catalog
        .table(id)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNDEFINED_TABLE,
                    "a source of flow \""
                        + definition.flow().name()
                        + "\" does not exist any more"));
  }

  Outcome run(Checkpoint from, Share share) {
    CatalogSnapshot catalog = runtime.catalog().snapshot();
    Set<RegionId> regions = regions(catalog);
    if (share.leftOverFirst() && !from.dirty().isEmpty()) {
      try (Snapshot x = runtime.engine().snapshot(regions)) {
        return new Pass(catalog, x, from, share).leftOver();
      }
    }
    HeldSnapshot cut =
        runtime.engine().holdSnapshot(regions, "flow " + definition.flow().name(), HoldKind.KEYS);
    boolean kept = false;
    try (Snapshot x = cut.snapshot()) {
      Outcome out = new Pass(catalog, x, from, share).all(cut.holds());
      kept = out.holds().isPresent();
      return out;
    } finally {
      if (!kept) {
        cut.holds().forEach(Hold::close);
      }
    }
  }

  /** T: the wall clock, or the latest multiple of EVAL INTERVAL; never backwards. */
  private long evaluationTime(Checkpoint from) {
    long now = runtime.clock().wallMicros();
    OptionalLong i = definition.flow().evalIntervalMicros();
    long t = i.isPresent() ? Math.floorDiv(now, i.getAsLong()) * i.getAsLong() : now;
    return Math.max(t, from.evaluationMicros());
  }

  private boolean readsClock() {
    return definition.flow().evalIntervalMicros().isPresent()
        && (plan.template().inits().stream().anyMatch(ClockUse::readsClock)
            || ClockUse.readsClock(plan.template().plan()));
  }

  /** Where windows that end before it are expired, by the stored T. */
  private long bound(Checkpoint from) {
    OptionalLong after = definition.flow().expireAfterMicros();
    return after.isEmpty() || plan.window().isEmpty() || from.evaluationMicros() == 0
        ? Long.MIN_VALUE
        : plan.window().get().start(from.evaluationMicros() - after.getAsLong());
  }

  /**
   * Where windows that start before it are frozen: TTL may have taken rows of theirs. Read after
   * the snapshot, so that what that lacks is below it.
   */
  private long frozen(CatalogSnapshot catalog) {
    Optional<TimeWindow> w = plan.window();
    long out = Long.MIN_VALUE;
    if (w.isEmpty()) {
      return out;
    }
    for (TableId id : plan.sources()) {
      TableInfo t = source(catalog, id);
      boolean nanos = t.storage().timeIndex().type().kind() == TypeKind.TIMESTAMP_NS;
      for (RegionId r : t.regions()) {
        long below = runtime.engine().info(r).expiredBelow();
        if (below != Long.MIN_VALUE) {
          long micros = nanos ? Math.ceilDiv(below, 1000L) : below;
          long start = w.get().start(micros);
          out = Math.max(out, start == micros ? micros : w.get().end(micros));
        }
      }
    }
    return out;
  }

  /** One snapshot's work. */
  private final class Pass {
    private final CatalogSnapshot catalog;
    private final Snapshot x;
    private final Checkpoint from;
    private final Share share;
    private final long now;
    private final long frozen;

    Pass(CatalogSnapshot catalog, Snapshot x, Checkpoint from, Share share) {
      this.catalog = catalog;
      this.x = x;
      this.from = from;
      this.share = share;
      this.now = evaluationTime(from);
      this.frozen = frozen(catalog);
    }

    Outcome leftOver() {
      var dirty = new DirtyRanges(from.dirty());
      int gone = dirty.dropBefore(frozen);
      SinkDiff.Changes changes = difference(dirty.take(share.ranges()));
      var after =
          new Checkpoint(from.epoch(), from.incarnations(), from.versions(), dirty.all(), now);
      commit(changes, after);
      return new Outcome(after, Optional.empty(), changes.sinkRows(), 0, gone);
    }

    Outcome all(List<Hold> holds) {
      var dirty = new DirtyRanges(from.dirty());
      int gone = dirty.dropBefore(frozen);
      var marks =
          new ChangeMarks(
              runtime.engine(), plan, definition.flow().name(), Math.max(frozen, bound(from)));
      for (TableId id : plan.sources()) {
        TableInfo t = source(catalog, id);
        t.regions().forEach(r -> marks.mark(t, r, from, x));
      }
      dirty.addAll(marks.dirty());
      if (readsClock()) {
        dirty.add(TimeRange.ALL);
      }
      if (dirty.isEmpty() && !advanced() && !timeMustAdvance()) {
        return new Outcome(from, Optional.empty(), 0, 0, 0);
      }
      join(dirty);
      int passed = dirty.isEmpty() ? 0 : share.passed() % dirty.size();
      SinkDiff.Changes changes = difference(dirty.take(passed, share.ranges()));
      var after = new Checkpoint(from.epoch(), incarnations(), versions(), dirty.all(), now);
      commit(changes, after);
      var held = new HashMap<RegionId, Hold>();
      holds.forEach(h -> held.put(h.region(), h));
      return new Outcome(
          after, Optional.of(held), changes.sinkRows(), marks.rows(), marks.expired() + gone);
    }

    private boolean advanced() {
      return x.regions().stream()
          .anyMatch(r -> from.versions().getOrDefault(r, -1L) != x.sequence(r));
    }

    /**
     * With EXPIRE AFTER, T goes on while nothing is written, so that late rows are known as such.
     */
    private boolean timeMustAdvance() {
      return definition.flow().expireAfterMicros().isPresent()
          && now - from.evaluationMicros() >= IDLE_MICROS;
    }

    private void join(DirtyRanges dirty) {
      if (plan.window().isEmpty() || dirty.isEmpty() || !share.leftOverFirst()) {
        return;
      }
      long at = dirty.all().getFirst().from();
      dirty.joinWithin(at == Long.MIN_VALUE ? 0 : plan.window().get().joinGap(at));
      if (dirty.size() > MAX_RANGES * 50) {
        dirty.joinWithin(Long.MAX_VALUE / 4);
      }
    }

    private Map<RegionId, Long> incarnations() {
      var out = new HashMap<RegionId, Long>();
      x.regions().forEach(r -> out.put(r, runtime.engine().info(r).incarnation()));
      return out;
    }

    private Map<RegionId, Long> versions() {
      var out = new HashMap<RegionId, Long>();
      x.regions().forEach(r -> out.put(r, x.sequence(r)));
      return out;
    }

    private void commit(SinkDiff.Changes changes, Checkpoint after) {
      if (cancelled) {
        throw stopped();
      }
      var writes = new ArrayList<TableWrite>(changes.writes());
      writes.add(runtime.checkpoints().put(definition.flow().id(), after));
      await(
          runtime
              .writer()
              .commit(
                  writes, List.of(runtime.checkpoints().unchanged(definition.flow().id(), from))));
    }

    private SinkDiff.Changes difference(List<TimeRange> ranges) {
      if (ranges.isEmpty()) {
        return new SinkDiff.Changes(List.of(), 0);
      }
      boolean windowIsTime =
          plan.windowPlace() >= 0
              && definition
                  .mapping()
                  .keys()
                  .getLast()
                  .equals(new SinkPlan.Source.Output(plan.windowPlace()));
      var output = new OutputRows(plan, definition.mapping(), format);
      var diff = new SinkDiff(definition.mapping().shape(), runtime.engine(), windowIsTime);
      int timeId =
          plan.driving().map(s -> source(catalog, s.table()).storage().timeIndexId()).orElse(-1);
      for (TimeRange r : ranges) {
        evaluate(RangePlans.restrict(plan, timeId, r), b -> diff.add(output.convert(b)));
      }
      return diff.changes(ranges, now);
    }

    private void evaluate(PlanTemplate restricted, Consumer<Batch> rows) {
      var sink = RowCollector.forEach(rows);
      QueryEngine.Query q = runtime.queries().open(restricted, context(), sink);
      query = q;
      try {
        if (cancelled) {
          throw stopped();
        }
        q.demand(Long.MAX_VALUE);
        await(sink.result());
      } finally {
        query = null;
        q.close();
      }
    }

    private QueryEngine.QueryContext context() {
      Map<String, String> settings = definition.flow().sessionSettings();
      return new QueryEngine.QueryContext(
          catalog,
          plan.literals(),
          format,
          now,
          now,
          x,
          Map.of(),
          new QueryEngine.SessionInfo(
              definition.flow().database(),
              "millrace",
              SettingDefinitions.parseSearchPath(
                  settings.getOrDefault("search_path", "public"), "millrace"),
              0,
              settings),
          true);
    }
  }

  private <T> T await(CompletableFuture<T> f) {
    try {
      return f.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw toError(e);
    } catch (TimeoutException e) {
      throw new MillraceException(
          ErrorCode.QUERY_CANCELED,
          "the evaluation of flow \""
              + definition.flow().name()
              + "\" took longer than ten minutes",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.ADMIN_SHUTDOWN, "the flow was interrupted", e);
    }
  }

  static MillraceException toError(Throwable e) {
    Throwable f = e;
    while ((f instanceof CompletionException || f instanceof ExecutionException)
        && f.getCause() != null) {
      f = f.getCause();
    }
    return f instanceof MillraceException m
        ? m
        : new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + f, f);
  }
}

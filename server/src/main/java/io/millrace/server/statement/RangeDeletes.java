package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.HeldSnapshot;
import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.RegionOptions.MergeMode;
import io.millrace.storage.Snapshot;
import io.millrace.storage.VirtualColumns;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * DELETE of many rows as one entry: where WHERE is nothing but given tags and bounds of the time index, or is
 * absent.
 *
 *   look whether there are many rows; else their keys are deleted one by one
 *     ─► lock the table: whoever holds keys of it ends first, whoever wants some waits
 *     ─► snapshot S: count what the rectangles cover, and in which times it lies
 *     ─► one range delete per combination of tags and region, of those times and of what S shows
 *
 * Nobody can change a covered row between S and the commit, for changes lock their keys; rows that others
 * insert without locks meanwhile are not S's and stay. Where an inserted row merges with an older one field by
 * field, a hold keeps the two apart until the end. So the count is right and the outcome that of running after
 * S. Under REPEATABLE READ a table that has moved since the transaction's snapshot is left to the other way,
 * which finds out whether the rows have.
 */
/** Deletes ranges of rows. */
final class RangeDeletes {
  /** Up to so many rows are deleted by their keys. */
  private static final long FEW_ROWS = 10_000;

  /** Combinations of tags that make so many ranges. */
  private static final int MAX_RANGES = 64;

  private final DmlSupport dml;

  RangeDeletes(DmlSupport dml) {
    this.dml = dml;
  }

  /** The scan of a DELETE that is nothing but ranges. */
  private record Ranges(
      PhysicalPlan.TableScan scan, List<Integer> tagIds, List<List<Vector>> tags) {}

  /** Deletes the rows as ranges; empty if it is not for this way. */
  CompletableFuture<Optional<Outcome>> tryDelete(
      SessionContext session, DmlPlan.Delete plan, List<Vector> parameters) {
    Ranges ranges = ranges(session, plan, parameters);
    if (ranges == null) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    PlanTemplate count = counting(plan, ranges.scan);
    return Async.then(
        session,
        count(session, count, parameters, null, FEW_ROWS),
        found -> {
          if (!found.more()) {
            return CompletableFuture.completedFuture(Optional.empty());
          }
          return Async.then(
              session,
              dml.lockTable(session, plan.table()),
              v -> locked(session, plan, parameters, ranges, count));
        });
  }

  private CompletableFuture<Optional<Outcome>> locked(
      SessionContext session,
      DmlPlan.Delete plan,
      List<Vector> parameters,
      Ranges ranges,
      PlanTemplate count) {
    TableInfo table = plan.table();
    Snapshot cut = snapshot(session, table);
    if (session.transaction().repeatable() && moved(session, table, cut)) {
      cut.close();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return Async.map(
            session,
            count(session, count, parameters, cut, Long.MAX_VALUE),
            found -> {
              buffer(session, plan, ranges, found, cut);
              return Optional.<Outcome>of(new Outcome.Done("DELETE " + found.rows()));
            })
        .whenComplete((r, e) -> cut.close());
  }

  /** The newest cut; with a hold to the end of the transaction where fields of rows merge. */
  private Snapshot snapshot(SessionContext session, TableInfo table) {
    if (table.regionOptions().mergeMode() != MergeMode.LAST_NON_NULL) {
      return dml.services().engine().snapshot(table.regions());
    }
    HeldSnapshot held =
        dml.services().engine().holdSnapshot(table.regions(), "delete", HoldKind.ROWS);
    held.holds().forEach(h -> session.transaction().atEnd(h::close));
    return held.snapshot();
  }

  private static boolean moved(SessionContext session, TableInfo table, Snapshot now) {
    Snapshot first = session.queryContext(List.of()).snapshot();
    return first == null
        || table.regions().stream()
            .anyMatch(r -> !first.regions().contains(r) || first.sequence(r) != now.sequence(r));
  }

  private void buffer(
      SessionContext session,
      DmlPlan.Delete plan,
      Ranges ranges,
      RowCount.Counted found,
      Snapshot cut) {
    if (found.rows() == 0) {
      return;
    }
    TableInfo table = plan.table();
    long min = plan.everything() ? Long.MIN_VALUE : found.minTime();
    long max = plan.everything() ? Long.MAX_VALUE : found.maxTime();
    for (List<Vector> tags : ranges.tags) {
      for (RegionId region : table.regions(predicates(ranges.tagIds, tags))) {
        var delete = new RangeDelete(ranges.tagIds, tags, min, max, cut.sequence(region));
        var ids = new ArrayList<>(delete.columnIds());
        ids.add(VirtualColumns.RANGE_REGION);
        var columns = new ArrayList<>(delete.row().columns());
        columns.add(new LongVector(SqlType.INT8, new long[] {region.value()}, 1, null));
        dml.buffer(session, table, OpType.DELETE_RANGE, ids, new Batch(columns, 1));
      }
    }
  }

  private static List<ColumnPredicate> predicates(List<Integer> tagIds, List<Vector> tags) {
    var out = new ArrayList<ColumnPredicate>();
    for (int i = 0; i < tags.size(); i++) {
      out.add(new ColumnPredicate.Compare(tagIds.get(i), ColumnPredicate.Op.EQ, tags.get(i)));
    }
    return out;
  }

  private CompletableFuture<RowCount.Counted> count(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot,
      long limit) {
    var sink = new RowCount();
    return dml.run(session, template, parameters, snapshot, sink, limit, sink.result());
  }

  /** A plan that reads just the times of the rows. */
  private static PlanTemplate counting(DmlPlan.Delete plan, PhysicalPlan.TableScan scan) {
    TableInfo table = plan.table();
    int time = table.storage().timeIndexId();
    SqlType type = table.storage().timeIndex().type();
    var times =
        new PhysicalPlan.TableScan(
            scan.table(),
            scan.tableVersion(),
            scan.name(),
            List.of(time),
            List.of(type),
            scan.conjuncts(),
            PhysicalPlan.ScanOrder.ANY,
            null,
            false);
    PlanTemplate source = plan.source();
    return new PlanTemplate(
        times,
        List.of(new PlanTemplate.ResultColumn("time", type, 0, 0)),
        source.parameterTypes(),
        List.of(),
        source.tables());
  }

  private @Nullable Ranges ranges(
      SessionContext session, DmlPlan.Delete plan, List<Vector> parameters) {
    PhysicalPlan p = plan.source().plan();
    while (p instanceof PhysicalPlan.Project project) {
      p = project.input();
    }
    boolean suits =
        p instanceof PhysicalPlan.TableScan s
            && s.table().equals(plan.table().id())
            && s.limit() == null
            && !s.lastRow()
            && plan.returning().isEmpty()
            && plan.source().inits().isEmpty();
    if (!suits || !(p instanceof PhysicalPlan.TableScan scan)) {
      return null;
    }
    TableInfo table = plan.table();
    EvalContext context = dml.evalContext(session);
    Map<Integer, List<Vector>> tags = new LinkedHashMap<>();
    for (ScanConjunct c : scan.conjuncts()) {
      boolean tag = table.storage().tagIds().contains(c.columnId());
      if (tag ? tags.containsKey(c.columnId()) || !equality(c) : !bound(table, c)) {
        return null;
      }
      if (tag) {
        tags.put(c.columnId(), values(c, parameters, context));
      }
    }
    List<List<Vector>> combined = combined(List.copyOf(tags.values()));
    return combined == null || oneRowEach(table, scan, tags.keySet())
        ? null
        : new Ranges(scan, List.copyOf(tags.keySet()), combined);
  }

  /** Whether the whole key is given, so that there cannot be many rows. */
  private static boolean oneRowEach(
      TableInfo table, PhysicalPlan.TableScan scan, Set<Integer> tags) {
    boolean time =
        table.regionOptions().keyMode() == KeyMode.UNIQUE_KEY
            || scan.conjuncts().stream()
                .anyMatch(
                    c ->
                        c.columnId() == table.storage().timeIndexId()
                            && c.kind() == ScanConjunct.Kind.EQ);
    return time && tags.containsAll(table.storage().tagIds());
  }

  private static boolean equality(ScanConjunct c) {
    return switch (c.kind()) {
      case EQ, IN -> true;
      case NE, LT, LE, GT, GE, IS_NULL, IS_NOT_NULL, MATCHES, MATCHES_TERM, LIKE_PREFIX -> false;
    };
  }

  private static boolean bound(TableInfo table, ScanConjunct c) {
    return c.columnId() == table.storage().timeIndexId()
        && switch (c.kind()) {
          case EQ, LT, LE, GT, GE -> true;
          case IN, NE, IS_NULL, IS_NOT_NULL, MATCHES, MATCHES_TERM, LIKE_PREFIX -> false;
        };
  }

  /** The values of an equality, but for NULLs, which equal nothing. */
  private List<Vector> values(ScanConjunct c, List<Vector> parameters, EvalContext context) {
    var out = new ArrayList<Vector>();
    for (var e : c.values()) {
      Vector v = dml.services().evaluator().constant(e, parameters, context);
      for (int i = 0; i < v.length(); i++) {
        if (!v.isNull(i)) {
          VectorBuilder b = VectorBuilder.of(v.type(), 1);
          b.append(v, i);
          out.add(b.build());
        }
      }
    }
    return out;
  }

  /** Every choice of one value per tag; null if they are too many. */
  private static @Nullable List<List<Vector>> combined(List<List<Vector>> tags) {
    List<List<Vector>> out = List.of(List.of());
    for (List<Vector> values : tags) {
      var next = new ArrayList<List<Vector>>();
      for (List<Vector> before : out) {
        for (Vector v : values) {
          var one = new ArrayList<>(before);
          one.add(v);
          next.add(one);
        }
      }
      if (next.size() > MAX_RANGES) {
        return null;
      }
      out = next;
    }
    return out;
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.time.Clock;
import io.millrace.sql.exec.QueryEngine.OperatorProfile;
import io.millrace.sql.exec.QueryEngine.QueryContext;
import io.millrace.sql.exec.SystemTables;
import io.millrace.sql.exec.expr.ExprCompiler;
import io.millrace.sql.exec.memory.QueryMemory;
import io.millrace.sql.exec.spill.TempSpace;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.storage.RegionEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan: what its operators share.
 *
 * @param regions where tables are
 * @param system where system relations are
 */
public record Execution(
    RegionEngine regions,
    SystemTables system,
    Clock clock,
    QueryContext context,
    SnapshotLease snapshot,
    QueryMemory memory,
    TempSpace temp,
    Tasks tasks,
    ExprCompiler exprs,
    Shared shared) {

  /** Materialised rows by plan id, and figures by node; one for all sub-plans of a query. */
  public static final class Shared implements AutoCloseable {
    private final Map<Integer, SharedRows> rows = new HashMap<>();
    private final Map<Integer, BatchBuffer> work = new HashMap<>();
    private final IdentityHashMap<PhysicalPlan, Stats> stats = new IdentityHashMap<>();
    private final List<Stats> order = new ArrayList<>();

    public Shared(PhysicalPlan plan) {
      number(plan, 0);
    }

    private void number(PhysicalPlan plan, int depth) {
      if (!stats.containsKey(plan)) {
        var s = new Stats(name(plan), depth);
        stats.put(plan, s);
        order.add(s);
      }
      for (PhysicalPlan p : plan.inputs()) {
        number(p, depth + 1);
      }
    }

    private static String name(PhysicalPlan plan) {
      return switch (plan) {
        case PhysicalPlan.TableScan s -> "Scan " + s.name();
        case PhysicalPlan.SystemScan s -> "Scan " + s.schema() + "." + s.relation();
        case PhysicalPlan.Join j ->
            (j.leftKeys().isEmpty() ? "NestedLoop " : "HashJoin ") + j.joinType();
        case PhysicalPlan.SetOp o -> o.intersect() ? "Intersect" : "Except";
        default -> plan.getClass().getSimpleName();
      };
    }

    public List<OperatorProfile> profiles() {
      return order.stream().map(Stats::profile).toList();
    }

    Stats stats(PhysicalPlan plan) {
      Stats s = stats.get(plan);
      return s == null ? new Stats(plan.getClass().getSimpleName(), 0) : s;
    }

    void define(int id, SharedRows definition) {
      rows.put(id, definition);
    }

    SharedRows rows(int id) {
      SharedRows r = rows.get(id);
      if (r == null) {
        throw new IllegalStateException("no shared plan " + id);
      }
      return r;
    }

    void setWork(int id, @Nullable BatchBuffer buffer) {
      if (buffer == null) {
        work.remove(id);
      } else {
        work.put(id, buffer);
      }
    }

    /** Closes the shared plans; idempotent. */
    @Override
    public void close() {
      rows.values().forEach(SharedRows::close);
      rows.clear();
    }

    BatchBuffer work(int id) {
      BatchBuffer b = work.get(id);
      if (b == null) {
        throw new IllegalStateException("no work table " + id);
      }
      return b;
    }
  }

  /** The same run with other parameters, for correlated sub-plans. */
  Execution with(ExprCompiler other) {
    return new Execution(
        regions, system, clock, context, snapshot, memory, temp, tasks, other, shared);
  }
}

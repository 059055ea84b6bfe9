package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.memory.Revocable;
import io.millrace.sql.exec.spill.SpillFile;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** GROUP BY by hash, with grouping sets, FILTER, DISTINCT and ORDER BY inside calls. */
final class AggregateOperator extends BaseOperator implements Revocable {
  private static final int MAX_LEVEL = 6;
  private final Operator input;
  private final PhysicalPlan.Aggregate plan;
  private final Eval[][] args;
  private final @Nullable Eval[] filters;
  private final Grouping.Role role;
  private final boolean unfinished;
  private final List<List<SqlType>> states;
  private final List<SqlType> inputTypes;
  private final List<Grouping> groupings = new ArrayList<>();
  private final ArrayDeque<Rest> rest = new ArrayDeque<>();
  private boolean inputDone;
  private boolean finishing;
  private int emitting;
  private int emitted;
  private @Nullable Rest current;
  private SpillFile.@Nullable Reader reader;
  private volatile boolean revoked;

  /** A file of rows of one grouping set. */
  private record Rest(SpillFile file, List<Integer> set, int level) {}

  AggregateOperator(Execution run, PhysicalPlan.Aggregate plan, Operator input) {
    this(run, plan, input, Grouping.Role.WHOLE, false);
  }

  /**
   * @param role WHOLE, or FINAL over an input of partial states
   * @param unfinished gives the keys and the states of the calls instead of results
   */
  AggregateOperator(
      Execution run,
      PhysicalPlan.Aggregate plan,
      Operator input,
      Grouping.Role role,
      boolean unfinished) {
    super(run, input);
    this.unfinished = unfinished;
    this.role = role;
    this.input = input;
    this.plan = plan;
    int n = plan.calls().size();
    args = new Eval[n][];
    filters = new @Nullable Eval[n];
    for (int c = 0; c < n; c++) {
      AggregateCall call = plan.calls().get(c);
      args[c] = Grouping.isGrouping(call) ? new Eval[0] : run.exprs().compileAll(call.args());
      var f = call.filter();
      filters[c] = f == null ? null : run.exprs().compile(f);
    }
    List<List<Integer>> sets = plan.groupingSets();
    if (sets.isEmpty()) {
      var all = new ArrayList<Integer>();
      for (int i = 0; i < plan.keys().size(); i++) {
        all.add(i);
      }
      sets = List.of(all);
    }
    for (List<Integer> s : sets) {
      groupings.add(new Grouping(run, plan, s, 0, role));
    }
    states = groupings.getFirst().stateTypes();
    inputTypes =
        role == Grouping.Role.FINAL ? Grouping.partialTypes(plan, states) : plan.input().types();
    run.memory().register(this);
  }

  static Eval[] arguments(Execution run, AggregateCall call) {
    return Grouping.isGrouping(call) ? new Eval[0] : run.exprs().compileAll(call.args());
  }

  @Override
  public long revocableBytes() {
    return inputDone ? 0 : memory.reserved();
  }

  @Override
  public void revoke() {
    revoked = true;
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      if (!inputDone) {
        Step s = read(slice);
        if (s instanceof Step.Out o) {
          add(o.batch());
        } else if (s == Step.Signal.DONE) {
          inputDone = true;
          finishing = true;
        } else {
          return s;
        }
      } else if (finishing) {
        for (Grouping g : groupings) {
          if (!g.finish(slice)) {
            return Step.Signal.AGAIN;
          }
        }
        finishing = false;
        emitting = 0;
        emitted = 0;
      } else if (emitting < groupings.size()) {
        Grouping g = groupings.get(emitting);
        int n = Math.min(Batch.ROWS, g.groups() - emitted);
        if (n > 0) {
          Batch out = unfinished ? g.emitPartial(emitted, n) : g.emit(emitted, n);
          emitted += n;
          return new Step.Out(out);
        }
        for (SpillFile f : g.takeFiles()) {
          rest.add(new Rest(f, g.set(), g.level() + 1));
        }
        g.close();
        emitting++;
        emitted = 0;
      } else if (!nextRest()) {
        return Step.Signal.DONE;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  private Step read(Slice slice) {
    SpillFile.Reader r = reader;
    if (r == null) {
      return input.step(slice);
    }
    Batch b = r.next();
    return b == null ? Step.Signal.DONE : new Step.Out(b);
  }

  private boolean nextRest() {
    groupings.clear();
    memory.close();
    if (current != null) {
      current.file().close();
      current = null;
    }
    Rest r = rest.poll();
    if (r == null) {
      return false;
    }
    current = r;
    reader = r.file().reader(inputTypes);
    groupings.add(new Grouping(run, plan, r.set(), r.level(), role));
    inputDone = false;
    revoked = false;
    return true;
  }

  private void add(Batch b) {
    Grouping.Inputs in = role == Grouping.Role.FINAL ? states(b) : inputs(b);
    long need = 0;
    for (Grouping g : groupings) {
      need += g.byteSize() + (g.frozen() ? 0 : g.headroom(b.rows()));
    }
    boolean freeze = revoked;
    if (!freeze && need > memory.reserved()) {
      freeze = !memory.tryReserve(need - memory.reserved());
    }
    if (freeze) {
      for (Grouping g : groupings) {
        if (!g.frozen() && g.level() < MAX_LEVEL && g.groups() > 0) {
          g.freeze();
        }
      }
    }
    for (Grouping g : groupings) {
      g.add(in);
    }
    long used = 0;
    for (Grouping g : groupings) {
      used += g.byteSize();
    }
    if (used > memory.reserved()) {
      memory.reserve(used - memory.reserved());
    }
  }

  private Grouping.Inputs states(Batch b) {
    var all = new ArrayList<List<Vector>>(states.size());
    int at = plan.keys().size();
    for (List<SqlType> s : states) {
      all.add(b.columns().subList(at, at + s.size()));
      at += s.size();
    }
    return new Grouping.Inputs(b, all, null, new int[states.size()]);
  }

  private Grouping.Inputs inputs(Batch b) {
    return inputs(b, args, filters);
  }

  /** Arguments of all calls over a batch. */
  static Grouping.Inputs inputs(Batch b, Eval[][] args, @Nullable Eval[] filters) {
    Rows rows = Rows.of(b);
    var all = new ArrayList<List<Vector>>(args.length);
    int @Nullable [][] selected = null;
    int[] counts = new int[args.length];
    for (int c = 0; c < args.length; c++) {
      Eval f = filters[c];
      if (f != null) {
        int[] p = new int[b.rows()];
        counts[c] = f.filter(rows, p);
        if (selected == null) {
          selected = new int[args.length][];
        }
        selected[c] = p;
      }
      var values = new ArrayList<Vector>(args[c].length);
      for (Eval e : args[c]) {
        // Arguments of filtered rows must not fail: they are evaluated over the selection only.
        values.add(
            f == null || selected == null
                ? e.eval(rows)
                : spread(e, rows, selected[c], counts[c], b.rows()));
      }
      all.add(values);
    }
    return new Grouping.Inputs(b, all, selected, counts);
  }

  private static Vector spread(Eval e, Rows rows, int[] selected, int count, int n) {
    if (count == n) {
      return e.eval(rows);
    }
    int[] ids = new int[n];
    java.util.Arrays.fill(ids, -1);
    for (int i = 0; i < count; i++) {
      ids[selected[i]] = i;
    }
    Vector v = e.eval(rows.select(java.util.Arrays.copyOf(selected, count), count));
    return io.millrace.sql.exec.expr.Gather.take(e.type(), new Vector[] {v}, ids, 0, n);
  }

  @Override
  void release() {
    run.memory().unregister(this);
    groupings.forEach(Grouping::close);
    if (current != null) {
      current.file().close();
    }
    rest.forEach(r -> r.file().close());
  }
}

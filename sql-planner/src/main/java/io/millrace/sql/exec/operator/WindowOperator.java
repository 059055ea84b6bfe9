package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.function.AggregateKernel;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.WindowKernel;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.Frame;
import io.millrace.sql.physical.PhysicalPlan.Frame.Bound;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import io.millrace.sql.physical.PhysicalPlan.Frame.Mode;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import io.millrace.sql.physical.PhysicalPlan.WindowCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Window functions over sorted input, one partition at a time. A partition is collected whole, peers
 * and frames are computed as row ranges, and each call gives a column:
 *   window functions see the ranges;
 *   aggregates use one state: a frame that is the whole partition is folded once, a frame that only
 *   grows is folded row by row, a frame that slides takes rows out again where the aggregate can,
 *   and any other frame is folded anew unless it equals the one before.
 * FILTER leaves rows out of the arguments; frames are then translated to places among the rest.
 */
/** Appends window calls to its input's columns. */
final class WindowOperator extends BaseOperator {
  private final PhysicalPlan.Window plan;
  private final Operator input;
  private final List<SqlType> types;
  private final int[] partitionBy;
  private final Eval[] orderKeys;
  private final boolean[] descending;
  private final Eval[][] args;
  private final @Nullable Eval[] filters;
  private final @Nullable AggregateKernel[] aggregates;
  private final @Nullable WindowKernel[] windows;
  private final EvalContext context;
  private final @Nullable Vector[] startOffsets;
  private final @Nullable Vector[] endOffsets;

  private final List<Batch> collected = new ArrayList<>();
  private int collectedRows;
  private @Nullable Batch last;
  private @Nullable Batch arriving;
  private int arrivingFrom;
  private boolean inputDone;
  private @Nullable Batch result;
  private int emitted;

  WindowOperator(Execution run, PhysicalPlan.Window plan, Operator input) {
    super(run, input);
    this.plan = plan;
    this.input = input;
    this.types = plan.input().types();
    this.context = run.exprs().context();
    partitionBy = plan.partitionBy().stream().mapToInt(p -> p).toArray();
    orderKeys = run.exprs().compileAll(plan.orderBy().stream().map(SortKey::expr).toList());
    descending = new boolean[orderKeys.length];
    for (int k = 0; k < descending.length; k++) {
      descending[k] = plan.orderBy().get(k).descending();
    }
    int n = plan.calls().size();
    args = new Eval[n][];
    filters = new @Nullable Eval[n];
    aggregates = new @Nullable AggregateKernel[n];
    windows = new @Nullable WindowKernel[n];
    startOffsets = new @Nullable Vector[n];
    endOffsets = new @Nullable Vector[n];
    for (int c = 0; c < n; c++) {
      WindowCall call = plan.calls().get(c);
      args[c] = run.exprs().compileAll(call.args());
      Expr f = call.filter();
      filters[c] = f == null ? null : run.exprs().compile(f);
      var argTypes = new ArrayList<SqlType>();
      call.args().forEach(a -> argTypes.add(a.type()));
      if (call.aggregate()) {
        AggregateKernel k =
            run.exprs().functions().aggregate(call.function(), argTypes, call.type(), List.of());
        k.ensureGroups(1);
        aggregates[c] = k;
      } else {
        windows[c] = run.exprs().functions().window(call.function(), argTypes, call.type());
      }
      startOffsets[c] = offset(call.frame(), call.frame().startOffset(), "starting");
      endOffsets[c] = offset(call.frame(), call.frame().endOffset(), "ending");
    }
  }

  private @Nullable Vector offset(Frame frame, @Nullable Expr e, String which) {
    if (e == null) {
      return null;
    }
    Vector v = run.exprs().constant(e);
    if (v.isNull(0)) {
      throw new MillraceException(
          ErrorCode.NULL_VALUE_NOT_ALLOWED, "frame " + which + " offset must not be null");
    }
    if (frame.mode() != Mode.RANGE && TableScanOperator.longValue(v, 0) < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_PRECEDING_OR_FOLLOWING_SIZE,
          "frame " + which + " offset must not be negative");
    }
    return v;
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Batch r = result;
      if (r != null) {
        int n = Math.min(Batch.ROWS, r.rows() - emitted);
        Batch out = r.slice(emitted, n);
        emitted += n;
        if (emitted == r.rows()) {
          result = null;
          memory.resize(0);
        }
        return new Step.Out(out);
      }
      Batch a = arriving;
      if (a == null) {
        if (inputDone) {
          if (collectedRows == 0) {
            return Step.Signal.DONE;
          }
          compute();
          continue;
        }
        Step s = input.step(slice);
        if (s instanceof Step.Out o) {
          if (o.batch().rows() > 0) {
            arriving = o.batch();
            arrivingFrom = 0;
          }
        } else if (s == Step.Signal.DONE) {
          inputDone = true;
        } else {
          return s;
        }
      } else {
        take(a);
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  /** Takes rows up to the end of the batch or of the partition. */
  private void take(Batch a) {
    int from = arrivingFrom;
    Batch l = last;
    if (collectedRows > 0 && l != null && !samePartition(l, l.rows() - 1, a, from)) {
      compute();
      return;
    }
    int to = from + 1;
    while (to < a.rows() && samePartition(a, to - 1, a, to)) {
      to++;
    }
    Batch part = RowPages.compact(a.slice(from, to - from));
    memory.reserve(part.byteSize() * 2 + part.rows() * 40L);
    collected.add(part);
    collectedRows += part.rows();
    last = part;
    if (to == a.rows()) {
      arriving = null;
    } else {
      arrivingFrom = to;
    }
  }

  private boolean samePartition(Batch a, int i, Batch b, int j) {
    for (int p : partitionBy) {
      if (!sameValue(a.column(p), i, b.column(p), j)) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameValue(Vector a, int i, Vector b, int j) {
    boolean an = a.isNull(i);
    boolean bn = b.isNull(j);
    return an || bn ? an == bn : RowOrder.order(a, i, b, j) == 0;
  }

  private Vector evaluate(Eval e) {
    var parts = new ArrayList<Vector>();
    for (Batch b : collected) {
      parts.add(e.eval(Rows.of(b)));
    }
    return Gather.concat(e.type(), parts);
  }

  private void compute() {
    int n = collectedRows;
    Batch all = RowPages.concat(types, collected);
    Vector[] order = new Vector[orderKeys.length];
    for (int k = 0; k < order.length; k++) {
      order[k] = evaluate(orderKeys[k]);
    }
    int[] peerStart = new int[n];
    int[] peerEnd = new int[n];
    peers(order, n, peerStart, peerEnd);
    var out = new ArrayList<Vector>(all.columns());
    for (int c = 0; c < plan.calls().size(); c++) {
      out.add(call(c, n, order, peerStart, peerEnd));
    }
    result = new Batch(out, n);
    emitted = 0;
    collected.clear();
    collectedRows = 0;
    last = null;
  }

  private static void peers(Vector[] order, int n, int[] start, int[] end) {
    int from = 0;
    for (int i = 1; i <= n; i++) {
      boolean same = i < n;
      for (int k = 0; k < order.length && same; k++) {
        same = sameValue(order[k], i - 1, order[k], i);
      }
      if (!same) {
        Arrays.fill(start, from, i, from);
        Arrays.fill(end, from, i, i);
        from = i;
      }
    }
  }

  private Vector call(int c, int n, Vector[] order, int[] peerStart, int[] peerEnd) {
    WindowCall call = plan.calls().get(c);
    int[] frameStart = new int[n];
    int[] frameEnd = new int[n];
    frames(c, call.frame(), n, order, peerStart, peerEnd, frameStart, frameEnd);
    var values = new ArrayList<Vector>();
    WindowKernel w = windows[c];
    if (w != null) {
      for (Eval e : args[c]) {
        values.add(evaluate(e));
      }
      return w.apply(
          new WindowKernel.Partition(
              values, n, peerStart, peerEnd, frameStart, frameEnd, call.frame().exclude()),
          context);
    }
    AggregateKernel k = aggregates[c];
    if (k == null) {
      throw new IllegalStateException("no kernel for " + call.function());
    }
    int[] place = null;
    Eval filter = filters[c];
    if (filter == null) {
      for (Eval e : args[c]) {
        values.add(evaluate(e));
      }
    } else {
      place = filtered(c, filter, n, values);
    }
    return new Folding(call, k, values, n, place, frameStart, frameEnd, peerStart, peerEnd).run();
  }

  /** Arguments of the rows that pass; place[i] = number of passing rows before row i. */
  private int[] filtered(int c, Eval filter, int n, List<Vector> values) {
    int[] place = new int[n + 1];
    var parts = new ArrayList<List<Vector>>();
    for (int a = 0; a < args[c].length; a++) {
      parts.add(new ArrayList<>());
    }
    int row = 0;
    int passed = 0;
    for (Batch b : collected) {
      int[] at = new int[b.rows()];
      Rows rows = Rows.of(b);
      int m = filter.filter(rows, at);
      int h = 0;
      for (int i = 0; i < b.rows(); i++) {
        place[row++] = passed;
        if (h < m && at[h] == i) {
          h++;
          passed++;
        }
      }
      for (int a = 0; a < args[c].length; a++) {
        parts.get(a).add(args[c][a].eval(rows.select(at, m)));
      }
    }
    place[n] = passed;
    for (int a = 0; a < args[c].length; a++) {
      values.add(Gather.concat(args[c][a].type(), parts.get(a)));
    }
    return place;
  }

  // ---- frames ----

  private void frames(
      int c,
      Frame f,
      int n,
      Vector[] order,
      int[] peerStart,
      int[] peerEnd,
      int[] start,
      int[] end) {
    switch (f.mode()) {
      case ROWS -> {
        long so = rows(startOffsets[c]);
        long eo = rows(endOffsets[c]);
        for (int i = 0; i < n; i++) {
          start[i] = (int) rowBound(f.start(), i, so, n, false);
          end[i] = (int) rowBound(f.end(), i, eo, n, true);
        }
      }
      case GROUPS -> groups(c, f, n, peerEnd, start, end);
      case RANGE -> {
        for (int i = 0; i < n; i++) {
          start[i] = f.start() == Bound.UNBOUNDED_PRECEDING ? 0 : peerStart[i];
          end[i] = f.end() == Bound.UNBOUNDED_FOLLOWING ? n : peerEnd[i];
        }
        Vector so = startOffsets[c];
        Vector eo = endOffsets[c];
        if (so != null) {
          range(order, n, so, f.start() == Bound.PRECEDING, true, start);
        }
        if (eo != null) {
          range(order, n, eo, f.end() == Bound.PRECEDING, false, end);
        }
      }
    }
  }

  private static long rows(@Nullable Vector v) {
    return v == null ? 0 : TableScanOperator.longValue(v, 0);
  }

  private static long rowBound(Bound b, int i, long offset, int n, boolean end) {
    long at =
        switch (b) {
          case UNBOUNDED_PRECEDING -> 0;
          case UNBOUNDED_FOLLOWING -> n;
          case CURRENT_ROW -> end ? i + 1L : i;
          case PRECEDING -> offset > n ? -1 : i - offset + (end ? 1 : 0);
          case FOLLOWING -> offset > n ? n + 1L : i + offset + (end ? 1 : 0);
        };
    return Math.clamp(at, 0, n);
  }

  private void groups(int c, Frame f, int n, int[] peerEnd, int[] start, int[] end) {
    int[] groupOf = new int[n];
    int[] first = new int[n + 1];
    int g = 0;
    for (int i = 0; i < n; i = peerEnd[i]) {
      first[g] = i;
      Arrays.fill(groupOf, i, peerEnd[i], g);
      g++;
    }
    first[g] = n;
    long so = rows(startOffsets[c]);
    long eo = rows(endOffsets[c]);
    for (int i = 0; i < n; i++) {
      start[i] = first[(int) rowBound(f.start(), groupOf[i], so, g, false)];
      end[i] = first[(int) rowBound(f.end(), groupOf[i], eo, g, true)];
    }
  }

  /**
   * Bounds by value. Keys ascend (or descend) over the rows that are not NULL, so the bound moves
   * one way only; rows with a NULL key keep their peers as frame.
   */
  private void range(
      Vector[] order, int n, Vector offset, boolean preceding, boolean isStart, int[] bound) {
    if (order.length != 1) {
      throw new MillraceException(
          ErrorCode.WINDOWING_ERROR,
          "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column");
    }
    Vector key = order[0];
    int from = 0;
    while (from < n && key.isNull(from)) {
      from++;
    }
    int to = n;
    while (to > from && key.isNull(to - 1)) {
      to--;
    }
    boolean desc = descending[0];
    RangeBounds b = RangeBounds.of(key, offset, context.format().zone());
    int j = from;
    for (int i = from; i < to; i++) {
      b.at(i, preceding != desc);
      while (j < to) {
        int o = desc ? -b.compare(j) : b.compare(j);
        if (isStart ? o >= 0 : o > 0) {
          break;
        }
        j++;
      }
      bound[i] = j;
    }
  }

  // ---- aggregates ----

  /** One aggregate over one partition's frames. */
  private final class Folding {
    private final WindowCall call;
    private final AggregateKernel kernel;
    private final List<Vector> values;
    private final int n;
    private final int @Nullable [] place;
    private final int[] start;
    private final int[] end;
    private final int[] peerStart;
    private final int[] peerEnd;
    private final VectorBuilder out;
    private int from;
    private int to;
    private @Nullable Vector current;

    Folding(
        WindowCall call,
        AggregateKernel kernel,
        List<Vector> values,
        int n,
        int @Nullable [] place,
        int[] start,
        int[] end,
        int[] peerStart,
        int[] peerEnd) {
      this.call = call;
      this.kernel = kernel;
      this.values = values;
      this.n = n;
      this.place = place;
      this.start = start;
      this.end = end;
      this.peerStart = peerStart;
      this.peerEnd = peerEnd;
      this.out = VectorBuilder.of(call.type(), n);
    }

    private void add(int a, int b) {
      int x = place == null ? a : place[a];
      int y = place == null ? b : place[b];
      if (x < y) {
        kernel.accumulateRun(values, x, y, 0, context);
      }
    }

    private void remove(int a, int b) {
      int x = place == null ? a : place[a];
      int y = place == null ? b : place[b];
      if (x < y) {
        kernel.retract(values, x, y, 0, context);
      }
    }

    Vector run() {
      kernel.reset(0);
      Exclude exclude = call.frame().exclude();
      for (int i = 0; i < n; i++) {
        if ((i & 1023) == 0) {
          context.check().run();
        }
        int s = start[i];
        int e = Math.max(end[i], s);
        if (exclude == Exclude.NO_OTHERS) {
          move(s, e);
        } else {
          excluding(i, s, e, exclude);
        }
        Vector v = current;
        if (v == null) {
          v = kernel.finish(0, 1, context);
          current = v;
        }
        out.append(v, 0);
      }
      kernel.reset(0);
      return out.build();
    }

    private void move(int s, int e) {
      if (s == from && e == to) {
        return;
      }
      current = null;
      boolean grows = s == from && e >= to;
      if (grows) {
        add(to, e);
      } else if (kernel.retractable() && s >= from && e >= to && s < to) {
        add(to, e);
        remove(from, s);
      } else {
        kernel.reset(0);
        add(s, e);
      }
      from = s;
      to = e;
    }

    private void excluding(int i, int s, int e, Exclude exclude) {
      current = null;
      kernel.reset(0);
      int a = exclude == Exclude.CURRENT_ROW ? i : peerStart[i];
      int b = exclude == Exclude.CURRENT_ROW ? i + 1 : peerEnd[i];
      add(s, Math.clamp(a, s, e));
      if (exclude == Exclude.TIES && i >= s && i < e) {
        add(i, i + 1);
      }
      add(Math.clamp(b, s, e), e);
    }
  }
}

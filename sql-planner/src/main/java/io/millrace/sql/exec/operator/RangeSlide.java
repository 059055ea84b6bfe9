package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.function.AggregateKernel;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Windows from the states of their segments. The input is sorted by keys and segment; the states of
 * one series are kept from the first that a window still to come needs.
 *
 * A stretch of align points is done at a time, at least as many as a window is long, so that looking
 * ahead by a window's length at most doubles the work. A window of w whole distances is put together
 * by doubling: states of 1, 2, 4, … distances from every point on, of which those are merged that
 * stand in w's binary form, earlier ones first. So a point costs about 2 log2(w) merges, not w, and
 * every step is one call over all points. Segments of the rest come last.
 *
 * Stretches end where rows are further apart than a window: nothing is computed for gaps. A window
 * exists if the longest item has a row in it, for the others' windows are parts of that.
 */
/** Merges partial states to windows. */
final class RangeSlide extends BaseOperator {
  private static final int STRETCH = Batch.ROWS;

  private final Operator input;
  private final RangeGrid grid;
  private final List<AggregateCall> calls = new ArrayList<>();
  private final List<List<SqlType>> stateTypes = new ArrayList<>();
  private final int keys;
  private final int overlap;
  private final int stretch;
  private final EvalContext context;
  private final RangeSeries series;
  private final ArrayDeque<Batch> ready = new ArrayDeque<>();

  private @Nullable Batch arriving;
  private int at;
  private boolean inputDone;

  /** The first align point whose window is not given yet, and the last to give now. */
  private long next;

  private long until = Long.MIN_VALUE;

  // The states at hand: pages, and in order of time their rows, points and segments.
  private final List<Batch> pages = new ArrayList<>();
  private long pageBytes;
  private int[] ids = new int[STRETCH];
  private long[] points = new long[STRETCH];
  private int[] segments = new int[STRETCH];
  private int count;
  private int[] identity = new int[0];

  RangeSlide(Execution run, PhysicalPlan.RangeSelect plan, RangeGrid grid, Operator input) {
    super(run, input);
    this.input = input;
    this.grid = grid;
    this.keys = plan.keys().size();
    this.context = run.exprs().context();
    this.series = new RangeSeries(keys);
    for (PhysicalPlan.RangeItem i : plan.items()) {
      calls.add(i.call());
      stateTypes.add(kernel(run, i.call()).stateTypes());
    }
    overlap = grid.overlap();
    stretch = Math.max(STRETCH, overlap);
  }

  /** States for an aggregate of a range query. */
  static AggregateKernel kernel(Execution run, AggregateCall call) {
    var argTypes = new ArrayList<SqlType>();
    call.args().forEach(a -> argTypes.add(a.type()));
    var direct = new ArrayList<Vector>();
    call.direct().forEach(d -> direct.add(run.exprs().constant(d)));
    return run.exprs().functions().aggregate(call.function(), argTypes, call.type(), direct);
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Batch out = ready.poll();
      if (out != null) {
        return new Step.Out(out);
      }
      if (until >= next) {
        long last = Math.min(until, next + stretch - 1);
        windows(next, (int) (last - next + 1));
        next = last + 1;
        if (next > until) {
          until = Long.MIN_VALUE;
          forget();
        }
      } else if (arriving != null) {
        consume(arriving);
      } else if (inputDone) {
        if (count == 0) {
          return Step.Signal.DONE;
        }
        until = points[count - 1];
      } else {
        Step s = input.step(slice);
        if (s instanceof Step.Out o) {
          arriving = o.batch().rows() == 0 ? null : o.batch();
          series.arrive(o.batch());
          at = 0;
        } else if (s == Step.Signal.DONE) {
          inputDone = true;
        } else {
          return s;
        }
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  // ---- taking states in ----

  /** Takes rows until windows can be given, or to the batch's end. */
  private void consume(Batch b) {
    var starts = (LongVector) b.column(keys);
    while (at < b.rows()) {
      if (!series.continues(b, at)) {
        if (count > 0) {
          until = points[count - 1];
          return;
        }
        series.begin(b, at);
      }
      int end = series.end(at);
      for (; at < end; at++) {
        if (starts.isNull(at) || RangeGrid.infinite(starts.get(at))) {
          continue;
        }
        long point = grid.point(starts.get(at));
        if (count > 0) {
          long complete = Math.min(points[count - 1], point - overlap);
          if (point - overlap >= points[count - 1] || complete - next + 1 >= stretch) {
            if (complete >= next) {
              until = complete;
              return;
            }
          }
        }
        keep(b, at, point, grid.segment(starts.get(at), point));
      }
    }
    arriving = null;
  }

  private void keep(Batch b, int row, long point, int segment) {
    if (count == 0) {
      next = point - overlap + 1;
    }
    if (pages.isEmpty() || pages.getLast() != b) {
      pages.add(b);
      pageBytes += b.byteSize();
      memory.resize(pageBytes);
    }
    if (count == ids.length) {
      ids = java.util.Arrays.copyOf(ids, count * 2);
      points = java.util.Arrays.copyOf(points, count * 2);
      segments = java.util.Arrays.copyOf(segments, count * 2);
    }
    ids[count] = Gather.id(pages.size() - 1, row);
    points[count] = point;
    segments[count++] = segment;
  }

  /** Drops the states that no window to come needs. */
  private void forget() {
    int from = 0;
    while (from < count && points[from] < next) {
      from++;
    }
    int left = count - from;
    System.arraycopy(points, from, points, 0, left);
    System.arraycopy(segments, from, segments, 0, left);
    System.arraycopy(ids, from, ids, 0, left);
    count = left;
    int firstPage = left == 0 ? pages.size() : Gather.page(ids[0]);
    for (int i = 0; i < left; i++) {
      ids[i] = Gather.id(Gather.page(ids[i]) - firstPage, Gather.row(ids[i]));
    }
    for (int p = 0; p < firstPage; p++) {
      pageBytes -= pages.get(p).byteSize();
    }
    pages.subList(0, firstPage).clear();
    memory.resize(pageBytes);
  }

  // ---- giving windows ----

  /** The windows of n align points. */
  private void windows(long from, int n) {
    int[] there = new int[n];
    int m = present(from, n, there);
    if (m == 0) {
      return;
    }
    var kernels = new ArrayList<AggregateKernel>(calls.size());
    long held = 0;
    for (int i = 0; i < calls.size(); i++) {
      AggregateKernel k = item(i, from, n, held);
      kernels.add(k);
      held += k.byteSize();
      memory.resize(pageBytes + held);
    }
    for (int o = 0; o < m; o += Batch.ROWS) {
      int c = Math.min(Batch.ROWS, m - o);
      int first = there[o];
      int span = there[o + c - 1] - first + 1;
      long[] times = new long[c];
      int[] at = new int[c];
      for (int i = 0; i < c; i++) {
        times[i] = grid.time(from + there[o + i]);
        at[i] = there[o + i] - first;
      }
      List<Vector> columns = series.repeated(c);
      columns.add(new LongVector(grid.time(), times, c, null));
      for (AggregateKernel k : kernels) {
        columns.add(k.finish(first, span, context).take(at, c));
      }
      ready.add(new Batch(columns, c));
    }
    memory.resize(pageBytes);
  }

  /** Points whose longest window has a row, as distances from the first. */
  private int present(long from, int n, int[] there) {
    int item = grid.longest();
    int whole = grid.whole(item);
    long rest = grid.rest(item);
    int row = 0;
    int m = 0;
    for (int i = 0; i < n; i++) {
      while (row < count && points[row] < from + i) {
        row++;
      }
      if (row == count) {
        break;
      }
      long ahead = points[row] - (from + i);
      if (ahead < whole || (ahead == whole && grid.cuts()[segments[row]] < rest)) {
        there[m++] = i;
      }
    }
    return m;
  }

  /**
   * One item's windows.
   *
   * @param held bytes of the items before
   */
  private AggregateKernel item(int i, long from, int n, long held) {
    int whole = grid.whole(i);
    long rest = grid.rest(i);
    AggregateKernel out = kernel(run, calls.get(i));
    out.ensureGroups(n);
    if (whole > 0) {
      int length = n + whole - 1;
      AggregateKernel level = placed(i, from, length, Long.MAX_VALUE);
      if (whole == 1 && rest == 0) {
        return level;
      }
      doubled(i, level, length, whole, out, n, held);
    }
    if (rest > 0) {
      int length = n + whole;
      List<Vector> states = placed(i, from, length, rest).partial(0, length);
      merge(out, states, whole, n);
    }
    return out;
  }

  private void doubled(
      int i, AggregateKernel single, int length, int whole, AggregateKernel out, int n, long held) {
    AggregateKernel level = single;
    int levelLength = length;
    int size = 1;
    int offset = 0;
    for (int bits = whole; bits != 0; bits >>= 1) {
      List<Vector> states = level.partial(0, levelLength);
      memory.resize(pageBytes + held + 3 * level.byteSize() + out.byteSize());
      if ((bits & 1) != 0) {
        merge(out, states, offset, n);
        offset += size;
      }
      if (bits > 1) {
        levelLength -= size;
        level = kernel(run, calls.get(i));
        level.ensureGroups(levelLength);
        merge(level, states, 0, levelLength);
        merge(level, states, size, levelLength);
        size <<= 1;
      }
    }
  }

  /** The states of single distances, of segments before the rest only. */
  private AggregateKernel placed(int i, long from, int length, long rest) {
    AggregateKernel k = kernel(run, calls.get(i));
    k.ensureGroups(length);
    int[] rows = new int[count];
    int[] groups = new int[count];
    int n = 0;
    for (int r = 0; r < count; r++) {
      long ahead = points[r] - from;
      if (ahead >= 0 && ahead < length && grid.cuts()[segments[r]] < rest) {
        rows[n] = ids[r];
        groups[n++] = (int) ahead;
      }
    }
    if (n > 0) {
      k.mergePartial(states(i, rows, n), n, groups, context);
    }
    context.check().run();
    return k;
  }

  private List<Vector> states(int i, int[] rows, int n) {
    int column = keys + 1;
    for (int before = 0; before < i; before++) {
      column += stateTypes.get(before).size();
    }
    var out = new ArrayList<Vector>();
    for (SqlType t : stateTypes.get(i)) {
      Vector[] of = new Vector[pages.size()];
      for (int p = 0; p < of.length; p++) {
        of[p] = pages.get(p).column(column);
      }
      out.add(Gather.take(t, of, rows, 0, n));
      column++;
    }
    return out;
  }

  /** States [from, from + n) into groups [0, n). */
  private void merge(AggregateKernel into, List<Vector> states, int from, int n) {
    if (identity.length < n) {
      identity = Gather.identity(n);
    }
    var part = new ArrayList<Vector>(states.size());
    for (Vector s : states) {
      part.add(s.slice(from, n));
    }
    into.mergePartial(part, n, identity, context);
    context.check().run();
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * Fills the gaps between a series' first and last align point. The input is sorted by series and
 * time. Rows pass in stretches: the part of a series that a batch has, or with FILL LINEAR, which
 * looks ahead, the whole series. Rows of gaps are made as they are given, so that a gap costs
 * nothing but its output. PREV takes the last value of one stretch along into the next.
 */
/** Align points without data, and values for those without value. */
final class RangeFill extends BaseOperator {
  /**
   * A column to fill.
   *
   * @param input its type before
   * @param value of a fill by constant
   * @param type its type afterwards
   */
  record Column(SqlType input, Fill fill, @Nullable Expr value, SqlType type) {}

  /** Align points that every series has at least; the greatest and least numbers are open. */
  record Bounds(long first, long last) {}

  private final Operator input;
  private final List<Column> items;
  private final RangeGrid grid;
  private final @Nullable Bounds bounds;
  private final int keys;
  private final List<SqlType> inputTypes = new ArrayList<>();
  private final boolean linear;
  private final RangeSeries series;

  /** Per item the constant of its fill, or the last value so far. */
  private final @Nullable Vector[] values;

  private final @Nullable RangeLine[] lines;
  private final List<Batch> collected = new ArrayList<>();
  private @Nullable Batch arriving;
  private int at;
  private boolean inputDone;

  /** The rows being given, the next one of them, and the next align point. */
  private @Nullable Batch stretch;

  private int row;
  private long point;
  private boolean begun;

  /** Whether points without rows are still to come at the series' end, and rows for them. */
  private boolean tail;

  private @Nullable Batch nothing;

  RangeFill(Execution run, PhysicalPlan.RangeSelect plan, RangeGrid grid, Operator input) {
    this(
        run,
        plan.keys().stream().map(plan.input().types()::get).toList(),
        grid,
        plan.items().stream()
            .map(i -> new Column(i.call().type(), i.fill(), i.value(), i.type()))
            .toList(),
        null,
        input);
  }

  RangeFill(
      Execution run,
      List<SqlType> keyTypes,
      RangeGrid grid,
      List<Column> columns,
      @Nullable Bounds bounds,
      Operator input) {
    super(run, input);
    this.input = input;
    this.items = columns;
    this.grid = grid;
    this.bounds = bounds;
    this.keys = keyTypes.size();
    this.series = new RangeSeries(keys);
    inputTypes.addAll(keyTypes);
    inputTypes.add(grid.time());
    values = new @Nullable Vector[items.size()];
    lines = new @Nullable RangeLine[items.size()];
    boolean any = false;
    for (int i = 0; i < items.size(); i++) {
      inputTypes.add(items.get(i).input());
      Expr constant = items.get(i).value();
      values[i] = constant == null ? null : run.exprs().constant(constant);
      any |= isLine(items.get(i).fill());
    }
    linear = any;
  }

  private static boolean isLine(Fill fill) {
    return fill == Fill.LINEAR || fill == Fill.BETWEEN;
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Batch rows = stretch;
      if (rows != null) {
        if (row < rows.rows() || (tail && point <= last())) {
          return new Step.Out(give(rows));
        }
        stretch = null;
        tail = false;
        memory.resize(0);
      } else if (arriving != null) {
        consume(arriving);
      } else if (inputDone) {
        if (!collected.isEmpty()) {
          begin(RowPages.concat(inputTypes, collected));
          collected.clear();
        } else if (!goOn()) {
          return Step.Signal.DONE;
        }
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

  /** The next part of one series: given at once, or put with the rest of the series. */
  private void consume(Batch b) {
    if (!series.continues(b, at)) {
      if (!collected.isEmpty()) {
        begin(RowPages.concat(inputTypes, collected));
        collected.clear();
        return;
      }
      if (begun && goOn()) {
        return;
      }
      series.begin(b, at);
      begun = false;
      for (int i = 0; i < values.length; i++) {
        values[i] = items.get(i).fill() == Fill.VALUE ? values[i] : null;
      }
    }
    int end = series.end(at);
    Batch part = b.slice(at, end - at);
    at = end;
    if (at == b.rows()) {
      arriving = null;
    }
    if (linear) {
      Batch kept = RowPages.compact(part);
      memory.reserve(kept.byteSize());
      collected.add(kept);
    } else {
      begin(part);
    }
  }

  /**
   * Points behind the last row of the series that has ended; without keys there is one series even
   * without rows.
   */
  private boolean goOn() {
    Bounds b = bounds;
    if (b == null) {
      return false;
    }
    if (!begun && keys == 0 && b.first() <= b.last()) {
      var columns = new ArrayList<Vector>();
      inputTypes.forEach(t -> columns.add(Gather.nulls(t, 1)));
      var none = new Batch(columns, 1);
      series.begin(none, 0);
      point = b.first();
      begun = true;
      begin(none.slice(0, 0));
    }
    if (!begun || point > b.last()) {
      return false;
    }
    if (stretch == null) {
      stretch = nothing;
      row = 0;
    }
    tail = true;
    return true;
  }

  private long last() {
    return bounds == null ? Long.MIN_VALUE : bounds.last();
  }

  private long first(long dataFirst) {
    return bounds == null ? dataFirst : Math.min(dataFirst, bounds.first());
  }

  private void begin(Batch rows) {
    stretch = rows;
    nothing = rows.slice(0, 0);
    row = 0;
    if (!begun) {
      point = first(grid.point(times(rows)[0]));
      begun = true;
    }
    for (int i = 0; i < items.size(); i++) {
      Fill fill = items.get(i).fill();
      if (isLine(fill)) {
        Vector data = rows.column(keys + 1 + i);
        lines[i] = new RangeLine(items.get(i).type(), times(rows), data, fill == Fill.LINEAR);
      }
    }
  }

  private long[] times(Batch rows) {
    return ((LongVector) rows.column(keys)).values();
  }

  /** The next align points, each with its row if there is one. */
  private Batch give(Batch rows) {
    long[] times = times(rows);
    long[] out = new long[Batch.ROWS];
    int[] from = new int[Batch.ROWS];
    int first = row;
    int n = 0;
    while (n < Batch.ROWS && (row < rows.rows() || (tail && point <= last()))) {
      out[n] = grid.time(point);
      boolean data = row < rows.rows() && times[row] == out[n];
      from[n] = data ? Gather.id(0, row++ - first) : -1;
      point++;
      n++;
    }
    Batch page = rows.slice(first, row - first);
    List<Vector> columns = series.repeated(n);
    long[] filled = n == out.length ? out : java.util.Arrays.copyOf(out, n);
    columns.add(new LongVector(grid.time(), filled, n, null));
    for (int i = 0; i < items.size(); i++) {
      columns.add(column(i, page.column(keys + 1 + i), from, filled, n));
    }
    return new Batch(columns, n);
  }

  private Vector column(int i, Vector data, int[] from, long[] times, int n) {
    SqlType type = items.get(i).type();
    return switch (items.get(i).fill()) {
      case NONE, NULL -> Gather.take(type, new Vector[] {data}, from, 0, n);
      case PREV, CARRY -> previous(i, data, from, n);
      case VALUE -> {
        int[] ids = new int[n];
        for (int k = 0; k < n; k++) {
          ids[k] = has(data, from[k]) ? from[k] : Gather.id(1, 0);
        }
        yield Gather.take(type, new Vector[] {data, Objects.requireNonNull(values[i])}, ids, 0, n);
      }
      case LINEAR, BETWEEN -> Objects.requireNonNull(lines[i]).at(times, n);
    };
  }

  private static boolean has(Vector data, int id) {
    return id >= 0 && !data.isNull(id);
  }

  private Vector previous(int i, Vector data, int[] from, int n) {
    Vector last = values[i];
    int[] ids = new int[n];
    int current = last == null ? -1 : Gather.id(1, 0);
    boolean nulls = items.get(i).fill() == Fill.CARRY;
    for (int k = 0; k < n; k++) {
      current = from[k] >= 0 && (nulls || has(data, from[k])) ? from[k] : current;
      ids[k] = current;
    }
    Vector[] pages = last == null ? new Vector[] {data} : new Vector[] {data, last};
    Vector out = Gather.take(items.get(i).type(), pages, ids, 0, n);
    values[i] = current < 0 ? null : out.take(new int[] {n - 1}, 1);
    return out;
  }
}

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
import io.millrace.sql.exec.SystemTables;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operators that keep next to nothing. */
final class SimpleOperators {
  private SimpleOperators() {}

  /** Rows that came as parameters. */
  static final class ParamRows extends BaseOperator {
    private final List<Vector> columns;
    private final int rows;
    private int at;

    ParamRows(Execution run, PhysicalPlan.ParamRows plan) {
      super(run);
      int first = plan.first();
      columns = run.exprs().parameters().subList(first, first + plan.types().size());
      rows = columns.isEmpty() ? 0 : columns.get(0).length();
    }

    @Override
    Step next(Slice slice) {
      int n = Math.min(Batch.ROWS, rows - at);
      if (n <= 0) {
        return Step.Signal.DONE;
      }
      slice.check();
      Batch out = new Batch(columns, rows).slice(at, n);
      at += n;
      return new Step.Out(out);
    }
  }

  /** Constant rows. */
  static final class Values extends BaseOperator {
    private final PhysicalPlan.Values plan;
    private int at;

    Values(Execution run, PhysicalPlan.Values plan) {
      super(run);
      this.plan = plan;
    }

    @Override
    Step next(Slice slice) {
      int n = Math.min(Batch.ROWS, plan.rows().size() - at);
      if (n <= 0) {
        return Step.Signal.DONE;
      }
      var builders = new ArrayList<VectorBuilder>();
      for (SqlType t : plan.types()) {
        builders.add(VectorBuilder.of(t, n));
      }
      for (int r = at; r < at + n; r++) {
        List<Expr> row = plan.rows().get(r);
        for (int c = 0; c < row.size(); c++) {
          Vector v = run.exprs().constant(row.get(c));
          builders.get(c).append(v, 0);
        }
        if ((r & 255) == 0) {
          slice.check();
        }
      }
      at += n;
      return new Step.Out(new Batch(builders.stream().map(VectorBuilder::build).toList(), n));
    }
  }

  /** The rows of one input, once the other has ended. */
  static final class After extends BaseOperator {
    private final Operator first;
    private final Operator then;
    private boolean ended;

    After(Execution run, Operator first, Operator then) {
      super(run, first, then);
      this.first = first;
      this.then = then;
    }

    @Override
    Step next(Slice slice) {
      while (!ended) {
        Step s = first.step(slice);
        if (s == Step.Signal.DONE) {
          ended = true;
        } else if (!(s instanceof Step.Out)) {
          return s;
        }
      }
      return then.step(slice);
    }
  }

  static final class Filter extends BaseOperator {
    private final Operator input;
    private final Eval condition;
    private int[] positions = new int[Batch.ROWS];

    Filter(Execution run, Operator input, Expr condition) {
      super(run, input);
      this.input = input;
      this.condition = run.exprs().compile(condition);
    }

    @Override
    Step next(Slice slice) {
      while (true) {
        slice.check();
        Step s = input.step(slice);
        if (!(s instanceof Step.Out o)) {
          return s;
        }
        Batch b = o.batch();
        if (positions.length < b.rows()) {
          positions = new int[b.rows()];
        }
        int n = condition.filter(Rows.of(b), positions);
        if (n == b.rows() && n > 0) {
          return s;
        }
        if (n > 0) {
          return new Step.Out(b.take(positions, n));
        }
        if (slice.expired()) {
          return Step.Signal.AGAIN;
        }
      }
    }
  }

  static final class Project extends BaseOperator {
    private static final long LARGE = 1 << 20;
    private final Operator input;
    private final Eval[] exprs;

    Project(Execution run, Operator input, List<Expr> exprs) {
      super(run, input);
      this.input = input;
      this.exprs = run.exprs().compileAll(exprs);
    }

    @Override
    Step next(Slice slice) {
      Step s = input.step(slice);
      if (!(s instanceof Step.Out o)) {
        return s;
      }
      slice.check();
      Rows rows = Rows.of(o.batch());
      var out = new ArrayList<Vector>(exprs.length);
      for (Eval e : exprs) {
        out.add(e.eval(rows));
      }
      var b = new Batch(out, o.batch().rows());
      // Large values are charged for as long as they are on their way.
      long bytes = b.byteSize();
      memory.resize(bytes > LARGE ? bytes : 0);
      return new Step.Out(b);
    }
  }

  static final class Limit extends BaseOperator {
    private final Operator input;
    private final List<Integer> ties;
    private long skip;
    private long left;

    /** The last row, once the others have come, if equal ones come too. */
    private @Nullable Batch last;

    /**
     * @param ties columns in which rows behind the last are equal to it that come too; if empty
     *     none do
     */
    Limit(Execution run, Operator input, long limit, long offset, List<Integer> ties) {
      super(run, input);
      this.input = input;
      this.left = limit;
      this.skip = offset;
      this.ties = ties;
    }

    @Override
    Step next(Slice slice) {
      while (left > 0) {
        Step s = input.step(slice);
        if (!(s instanceof Step.Out o)) {
          return s;
        }
        Batch b = o.batch();
        if (skip >= b.rows()) {
          skip -= b.rows();
          if (slice.expired()) {
            return Step.Signal.AGAIN;
          }
          continue;
        }
        int from = (int) skip;
        skip = 0;
        int n = (int) Math.min(left, b.rows() - from);
        left -= n;
        if (left == 0 && ties.isEmpty()) {
          input.close();
        } else if (left == 0) {
          n = equal(b.slice(from + n - 1, 1), b, from + n) - from;
        }
        return new Step.Out(b.slice(from, n));
      }
      return last == null ? Step.Signal.DONE : tied(last, slice);
    }

    /** Rows equal to the last one. */
    private Step tied(Batch given, Slice slice) {
      Step s = input.step(slice);
      if (!(s instanceof Step.Out o)) {
        return s;
      }
      int n = equal(given, o.batch(), 0);
      return n == 0 ? Step.Signal.DONE : new Step.Out(o.batch().slice(0, n));
    }

    /** Where the rows end, from a place on, that are equal to the one given. */
    private int equal(Batch given, Batch b, int from) {
      int at = from;
      while (at < b.rows() && RowOrder.same(given, 0, b, at, ties)) {
        at++;
      }
      last = at == b.rows() ? RowPages.compact(given) : null;
      if (last == null) {
        input.close();
      }
      return at;
    }
  }

  /** The first row of each group of equal keys next to each other. */
  static final class DistinctOn extends BaseOperator {
    private final Operator input;
    private final List<Integer> keys;
    private @Nullable Batch last;
    private int lastRow;

    DistinctOn(Execution run, Operator input, List<Integer> keys) {
      super(run, input);
      this.input = input;
      this.keys = keys;
    }

    @Override
    Step next(Slice slice) {
      while (true) {
        slice.check();
        Step s = input.step(slice);
        if (!(s instanceof Step.Out o)) {
          return s;
        }
        Batch b = o.batch();
        int[] at = new int[b.rows()];
        int n = 0;
        for (int i = 0; i < b.rows(); i++) {
          Batch l = last;
          if (l == null || !RowOrder.same(l, lastRow, b, i, keys)) {
            at[n++] = i;
          }
          last = b;
          lastRow = i;
        }
        if (n > 0) {
          return new Step.Out(n == b.rows() ? b : b.take(at, n));
        }
        if (slice.expired()) {
          return Step.Signal.AGAIN;
        }
      }
    }
  }

  /** Inputs one after the other, each opened when its turn comes. */
  static final class UnionAll extends BaseOperator {
    private final List<Supplier<Operator>> inputs;
    private int at;
    private @Nullable Operator current;

    UnionAll(Execution run, List<Supplier<Operator>> inputs) {
      super(run);
      this.inputs = inputs;
    }

    @Override
    Step next(Slice slice) {
      while (true) {
        Operator o = current;
        if (o == null) {
          if (at == inputs.size()) {
            return Step.Signal.DONE;
          }
          o = inputs.get(at++).get();
          current = o;
        }
        Step s = o.step(slice);
        if (s != Step.Signal.DONE) {
          return s;
        }
        o.close();
        current = null;
      }
    }

    @Override
    void release() {
      if (current != null) {
        current.close();
      }
    }
  }

  /** One row: NULLs for none, an error for several. */
  static final class SingleRow extends BaseOperator {
    private final Operator input;
    private final List<SqlType> types;
    private @Nullable Batch row;
    private boolean done;

    SingleRow(Execution run, Operator input, List<SqlType> types) {
      super(run, input);
      this.input = input;
      this.types = types;
    }

    @Override
    Step next(Slice slice) {
      while (!done) {
        Step s = input.step(slice);
        if (s instanceof Step.Out o) {
          if (o.batch().rows() == 0) {
            continue;
          }
          if (row != null || o.batch().rows() > 1) {
            throw new MillraceException(
                ErrorCode.CARDINALITY_VIOLATION,
                "more than one row returned by a subquery used as an expression");
          }
          row = o.batch();
        } else if (s == Step.Signal.DONE) {
          done = true;
          Batch r = row;
          return new Step.Out(
              r != null ? r : new Batch(types.stream().map(t -> Gather.nulls(t, 1)).toList(), 1));
        } else {
          return s;
        }
      }
      return Step.Signal.DONE;
    }
  }

  /** INTERSECT and EXCEPT: the right rows are counted, the left ones asked. */
  static final class SetOp extends BaseOperator {
    private final Operator left;
    private final Operator right;
    private final boolean intersect;
    private final boolean all;
    private final KeyEncoder encoder;
    private final GroupTable table;
    private long[] counts = new long[64];
    private long[] words = new long[0];
    private boolean built;

    SetOp(Execution run, PhysicalPlan.SetOp plan, Operator left, Operator right) {
      super(run, left, right);
      this.left = left;
      this.right = right;
      intersect = plan.intersect();
      all = plan.all();
      encoder = new KeyEncoder(plan.left().types());
      table = new GroupTable(encoder.width());
    }

    @Override
    Step next(Slice slice) {
      while (true) {
        slice.check();
        Step s = (built ? left : right).step(slice);
        if (s instanceof Step.Out o) {
          Batch b = o.batch();
          int[] groups = groups(b);
          if (!built) {
            for (int i = 0; i < b.rows(); i++) {
              counts[groups[i]]++;
            }
          } else {
            int[] at = new int[b.rows()];
            int n = 0;
            for (int i = 0; i < b.rows(); i++) {
              at[n] = i;
              n += keep(groups[i]) ? 1 : 0;
            }
            if (n > 0) {
              return new Step.Out(n == b.rows() ? b : b.take(at, n));
            }
          }
        } else if (s == Step.Signal.DONE && !built) {
          built = true;
          right.close();
        } else {
          return s;
        }
        if (slice.expired()) {
          return Step.Signal.AGAIN;
        }
      }
    }

    /** A count of -1 is a row that was given already. */
    private boolean keep(int g) {
      long c = counts[g];
      if (all) {
        counts[g] = Math.max(0, c - 1);
        return c > 0 == intersect;
      }
      if (c < 0) {
        return false;
      }
      boolean keep = c > 0 == intersect;
      if (keep) {
        counts[g] = -1;
      }
      return keep;
    }

    private int[] groups(Batch b) {
      int n = b.rows();
      int w = encoder.width();
      long more = n * (w * 8L + 32);
      memory.reserve(more);
      if (words.length < n * w) {
        words = new long[n * w];
      }
      int[] groups = new int[n];
      encoder.encode(b.columns().toArray(new Vector[0]), Gather.identity(n), n, words, true);
      table.lookup(words, n, groups, true);
      if (table.size() > counts.length) {
        counts = Arrays.copyOf(counts, Math.max(table.size(), counts.length * 2));
      }
      memory.resize(table.byteSize() + encoder.byteSize() + counts.length * 8L);
      return groups;
    }
  }

  /** Rows of a system relation. */
  static final class SystemScan extends BaseOperator {
    private final SystemTables.Rows rows;

    SystemScan(Execution run, PhysicalPlan.SystemScan plan) {
      super(run);
      var conditions = new ArrayList<SystemTables.Condition>();
      for (PhysicalPlan.ScanConjunct c : plan.conjuncts()) {
        conditions.add(
            new SystemTables.Condition(
                c.columnId(), c.kind(), ScanConditions.values(run.exprs(), c)));
      }
      rows =
          run.system()
              .open(plan.schema(), plan.relation(), plan.columns(), conditions, run.context());
    }

    @Override
    Step next(Slice slice) {
      slice.check();
      Batch b = rows.next();
      return b == null ? Step.Signal.DONE : new Step.Out(b);
    }

    @Override
    void release() {
      rows.close();
    }
  }

  /** Rows of a plan that has several readers. */
  static final class SharedScan extends BaseOperator {
    private final SharedRows rows;
    private final BatchBuffer.Reader reader;

    SharedScan(Execution run, int id) {
      super(run);
      rows = run.shared().rows(id);
      reader = rows.reader();
    }

    @Override
    Step next(Slice slice) {
      return rows.read(reader, slice);
    }
  }

  /** The previous round's rows. */
  static final class WorkTable extends BaseOperator {
    private final BatchBuffer.Reader reader;

    WorkTable(Execution run, int id) {
      super(run);
      reader = run.shared().work(id).reader();
    }

    @Override
    Step next(Slice slice) {
      Batch b = reader.next();
      return b == null ? Step.Signal.DONE : new Step.Out(b);
    }
  }
}

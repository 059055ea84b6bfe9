package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * ORDER BY with a small LIMIT: rows are collected until there are several times as many as wanted,
 * then sorted and cut. The prefix of the last row kept is a threshold: whole batches of worse rows
 * are passed over by one comparison per row.
 */
/** The first rows by some order. */
final class TopNOperator extends BaseOperator {
  static final int MAX = 65_536;
  private final Operator input;
  private final int width;
  private final int wanted;
  private final int skip;
  private final List<SqlType> types;
  private final List<Sorter.Key> keys = new ArrayList<>();
  private final Eval[] extra;
  private List<Batch> kept = new ArrayList<>();
  private int keptRows;
  private long threshold = Long.MAX_VALUE;
  private boolean bounded;
  private boolean inputDone;
  private int emitted;
  private @Nullable Batch result;

  /**
   * @param wanted rows kept, those skipped included
   */
  TopNOperator(
      Execution run,
      Operator input,
      List<SqlType> inputTypes,
      List<SortKey> sortKeys,
      int wanted,
      int skip) {
    super(run, input);
    this.input = input;
    this.width = inputTypes.size();
    this.wanted = wanted;
    this.skip = skip;
    var all = new ArrayList<>(inputTypes);
    var added = new ArrayList<Expr>();
    for (SortKey k : sortKeys) {
      int at;
      if (k.expr() instanceof Expr.Column c) {
        at = c.index();
      } else {
        at = all.size();
        all.add(k.expr().type());
        added.add(k.expr());
      }
      keys.add(new Sorter.Key(at, k.descending(), k.nullsFirst()));
    }
    types = all;
    extra = run.exprs().compileAll(added);
  }

  @Override
  Step next(Slice slice) {
    while (!inputDone) {
      slice.check();
      Step s = input.step(slice);
      if (s instanceof Step.Out o) {
        add(SortOperator.withKeys(o.batch(), extra));
      } else if (s == Step.Signal.DONE) {
        inputDone = true;
        cut();
        emitted = skip;
      } else {
        return s;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
    Batch r = result;
    if (r == null || emitted >= r.rows()) {
      return Step.Signal.DONE;
    }
    int n = Math.min(Batch.ROWS, r.rows() - emitted);
    Batch out = SortOperator.firstColumns(r.slice(emitted, n), width);
    emitted += n;
    return new Step.Out(out);
  }

  private void add(Batch batch) {
    if (wanted == 0) {
      return;
    }
    Batch b = bounded ? better(batch) : batch;
    if (b.rows() == 0) {
      return;
    }
    b = RowPages.compact(b);
    memory.reserve(b.byteSize());
    kept.add(b);
    keptRows += b.rows();
    if (keptRows > Math.max(4L * wanted, 2L * Batch.ROWS)) {
      cut();
    }
  }

  private Batch better(Batch b) {
    Sorter.Key k = keys.getFirst();
    Vector v = b.column(k.column());
    long[] p = new long[b.rows()];
    SortKeys.prefixes(v, k.descending(), k.nullsFirst(), p);
    int[] at = new int[b.rows()];
    int n = 0;
    for (int i = 0; i < p.length; i++) {
      at[n] = i;
      n += p[i] <= threshold ? 1 : 0;
    }
    return n == b.rows() ? b : b.take(at, n);
  }

  private void cut() {
    var sorter = new Sorter(types, keys, run.memory(), run.temp(), run.exprs().context().check());
    try {
      for (Batch b : kept) {
        sorter.add(b);
      }
      kept = new ArrayList<>();
      keptRows = 0;
      var best = new ArrayList<Batch>();
      if (!sorter.finish(UNBOUNDED)) {
        throw new IllegalStateException("an unbounded slice has expired");
      }
      int rows = 0;
      while (rows < wanted) {
        Batch b = sorter.next();
        if (b == null) {
          break;
        }
        Batch part = b.rows() > wanted - rows ? b.slice(0, wanted - rows) : b;
        best.add(RowPages.compact(part));
        rows += part.rows();
      }
      if (rows == 0) {
        memory.resize(0);
        return;
      }
      Batch all = RowPages.concat(types, best);
      memory.resize(all.byteSize());
      result = all;
      kept.add(all);
      keptRows = rows;
      if (rows == wanted) {
        Sorter.Key k = keys.getFirst();
        Vector last = all.column(k.column()).slice(rows - 1, 1);
        long[] p = new long[1];
        SortKeys.prefixes(last, k.descending(), k.nullsFirst(), p);
        threshold = p[0];
        bounded = true;
      }
    } finally {
      sorter.close();
    }
  }

  private static final Slice UNBOUNDED =
      new Slice() {
        @Override
        public boolean expired() {
          return false;
        }

        @Override
        public void check() {}

        @Override
        public io.millrace.sql.exec.MemoryContext memory() {
          throw new UnsupportedOperationException("sorting reserves by itself");
        }
      };
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Gather;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Inputs that are each in order become one in order. Every source has its batch at hand before a row
 * is given; a stretch of rows of one source that is below all other heads is copied as a slice.
 */
/** Merges sorted inputs. */
final class MergeOperator extends BaseOperator {
  private final List<Operator> inputs;
  private final List<SqlType> types;
  private final List<Sorter.Key> keys;
  private final RowOrder order;
  private final @Nullable Batch[] heads;
  private final Vector[][] headKeys;
  private final int[] rows;
  private final boolean[] ended;

  MergeOperator(Execution run, List<Operator> inputs, List<SqlType> types, List<Sorter.Key> keys) {
    super(run, inputs.toArray(new Operator[0]));
    this.inputs = inputs;
    this.types = types;
    this.keys = keys;
    order = new RowOrder(keys);
    int n = inputs.size();
    heads = new @Nullable Batch[n];
    headKeys = new Vector[n][];
    rows = new int[n];
    ended = new boolean[n];
  }

  @Override
  Step next(Slice slice) {
    for (int i = 0; i < heads.length; i++) {
      while (heads[i] == null && !ended[i]) {
        Step s = inputs.get(i).step(slice);
        if (s instanceof Step.Out o) {
          if (o.batch().rows() > 0) {
            load(i, o.batch());
          }
        } else if (s == Step.Signal.DONE) {
          ended[i] = true;
          inputs.get(i).close();
        } else {
          return s;
        }
      }
    }
    // Rows are taken until a batch is full or a source must be read again.
    Batch[] pages = new Batch[heads.length];
    int[] ids = new int[Batch.ROWS];
    int n = 0;
    while (n < Batch.ROWS) {
      int best = -1;
      for (int i = 0; i < heads.length; i++) {
        if (heads[i] != null
            && (best < 0 || order.compare(headKeys[i], rows[i], headKeys[best], rows[best]) < 0)) {
          best = i;
        }
      }
      if (best < 0) {
        break;
      }
      Batch b = heads[best];
      if (b == null) {
        break;
      }
      pages[best] = b;
      ids[n++] = Gather.id(best, rows[best]);
      if (++rows[best] == b.rows()) {
        heads[best] = null;
        break;
      }
    }
    if (n == 0) {
      return Step.Signal.DONE;
    }
    var out = new ArrayList<Vector>(types.size());
    for (int c = 0; c < types.size(); c++) {
      out.add(gather(c, pages, ids, n));
    }
    return new Step.Out(new Batch(out, n));
  }

  private void load(int i, Batch b) {
    heads[i] = b;
    rows[i] = 0;
    Vector[] k = new Vector[keys.size()];
    for (int j = 0; j < k.length; j++) {
      k[j] = b.column(keys.get(j).column());
    }
    headKeys[i] = k;
  }

  private Vector gather(int c, Batch[] pages, int[] ids, int n) {
    Vector[] v = new Vector[pages.length];
    Vector any = null;
    for (Batch p : pages) {
      if (p != null) {
        any = p.column(c);
      }
    }
    if (any == null) {
      throw new IllegalStateException("no source");
    }
    for (int i = 0; i < v.length; i++) {
      v[i] = pages[i] == null ? any : pages[i].column(c);
    }
    return Gather.take(types.get(c), v, ids, 0, n);
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.text.TextQuery;
import io.millrace.common.text.TextTerm;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.expr.ExprCompiler;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.storage.ColumnPredicate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/*
 * The conjuncts of a scan with their values filled in: bounds of the time index, predicates for the
 * rest. A NULL where a value is compared makes the scan empty, and so do bounds that cross.
 */
/** What a scan looks for, fixed when it is opened. */
final class ScanConditions {
  final List<ColumnPredicate> predicates = new ArrayList<>();
  long minTime = Long.MIN_VALUE;
  long maxTime = Long.MAX_VALUE;
  boolean empty;

  ScanConditions(ExprCompiler exprs, List<ScanConjunct> conjuncts, int timeIndexId) {
    for (ScanConjunct c : conjuncts) {
      add(c, values(exprs, c), timeIndexId);
    }
    empty |= minTime > maxTime;
  }

  /** All values of a conjunct in one vector. */
  static Vector values(ExprCompiler exprs, ScanConjunct c) {
    if (c.values().isEmpty()) {
      return Gather.nulls(SqlType.BOOL, 0);
    }
    if (c.values().size() == 1) {
      return exprs.constant(c.values().getFirst());
    }
    VectorBuilder b = VectorBuilder.of(c.values().getFirst().type(), c.values().size());
    for (Expr e : c.values()) {
      b.append(exprs.constant(e), 0);
    }
    return b.build();
  }

  private void add(ScanConjunct c, Vector v, int timeIndexId) {
    switch (c.kind()) {
      case IS_NULL -> predicates.add(new ColumnPredicate.IsNull(c.columnId()));
      case IS_NOT_NULL -> predicates.add(new ColumnPredicate.IsNotNull(c.columnId()));
      case IN -> {
        Vector set = sortedDistinct(v);
        if (set.length() == 0) {
          empty = true;
        } else {
          if (c.columnId() == timeIndexId && set instanceof LongVector t) {
            minTime = Math.max(minTime, t.get(0));
            maxTime = Math.min(maxTime, t.get(t.length() - 1));
          }
          predicates.add(new ColumnPredicate.In(c.columnId(), set));
        }
      }
      case MATCHES, MATCHES_TERM, LIKE_PREFIX -> {
        if (v.isNull(0)) {
          empty = true;
        } else {
          text(c, (BytesColumn) v);
        }
      }
      case EQ, NE, LT, LE, GT, GE -> {
        if (v.isNull(0)) {
          empty = true;
        } else if (c.columnId() != timeIndexId || !bound(c.kind(), v)) {
          predicates.add(
              new ColumnPredicate.Compare(
                  c.columnId(), ColumnPredicate.Op.valueOf(c.kind().name()), v));
        }
      }
    }
  }

  private void text(ScanConjunct c, BytesColumn v) {
    String text = v.string(0);
    switch (c.kind()) {
      case MATCHES -> predicates.add(new ColumnPredicate.Text(c.columnId(), TextQuery.parse(text)));
      case MATCHES_TERM ->
          predicates.add(new ColumnPredicate.Text(c.columnId(), new TextTerm(text)));
      default -> prefix(c.columnId(), text);
    }
  }

  /** Bounds of the texts that begin as a LIKE pattern does. */
  private void prefix(int columnId, String pattern) {
    int end = 0;
    while (end < pattern.length() && "%_\\".indexOf(pattern.charAt(end)) < 0) {
      end++;
    }
    byte[] low = pattern.substring(0, end).getBytes(StandardCharsets.UTF_8);
    if (low.length == 0) {
      return;
    }
    predicates.add(new ColumnPredicate.Compare(columnId, ColumnPredicate.Op.GE, constant(low)));
    byte[] high = low.clone();
    high[high.length - 1]++; // no byte of UTF-8 is the highest
    predicates.add(new ColumnPredicate.Compare(columnId, ColumnPredicate.Op.LT, constant(high)));
  }

  private static Vector constant(byte[] value) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 1);
    b.append(value);
    return b.build();
  }

  /** Narrows the time range; false if the comparison is not a bound. */
  private boolean bound(ScanConjunct.Kind kind, Vector v) {
    long t;
    if (v instanceof LongVector l) {
      t = l.get(0);
    } else if (v instanceof IntVector i) {
      t = i.get(0);
    } else {
      return false;
    }
    switch (kind) {
      case EQ -> {
        minTime = Math.max(minTime, t);
        maxTime = Math.min(maxTime, t);
      }
      case LE -> maxTime = Math.min(maxTime, t);
      case GE -> minTime = Math.max(minTime, t);
      case LT -> {
        empty |= t == Long.MIN_VALUE;
        maxTime = Math.min(maxTime, t == Long.MIN_VALUE ? t : t - 1);
      }
      case GT -> {
        empty |= t == Long.MAX_VALUE;
        minTime = Math.max(minTime, t == Long.MAX_VALUE ? t : t + 1);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static Vector sortedDistinct(Vector v) {
    Integer[] order = new Integer[v.length()];
    int n = 0;
    for (int i = 0; i < v.length(); i++) {
      if (!v.isNull(i)) {
        order[n++] = i;
      }
    }
    Arrays.sort(order, 0, n, (a, b) -> v.compare(a, v, b));
    int[] at = new int[n];
    int m = 0;
    for (int i = 0; i < n; i++) {
      if (m == 0 || v.compare(at[m - 1], v, order[i]) != 0) {
        at[m++] = order[i];
      }
    }
    return v.take(at, m);
  }
}

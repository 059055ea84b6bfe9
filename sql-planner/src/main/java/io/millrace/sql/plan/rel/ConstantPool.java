package io.millrace.sql.plan.rel;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rex.RexDynamicParam;

/**
 * What the RexDynamicParams of one analysed statement mean. {@code $n}, free literal slots and
 * constants that RexLiteral cannot hold share one index space; equal entries are interned, so that
 * equal constants are equal expressions. Owned by one analysis, read-only afterwards.
 */
public final class ConstantPool {
  /** A meaning of an index. */
  public sealed interface Entry {
    SqlType type();
  }

  /** {@code $number}, counted from 1. */
  public record Parameter(int number, SqlType type) implements Entry {}

  /**
   * A literal of the text that may have another value in the next statement of the same shape.
   *
   * @param slot place among the slots, in order of their making
   * @param offset of the literal's token in the text, in characters from 0
   * @param negated a minus stood before it
   * @param value what it was in this text
   */
  public record Slot(int slot, int offset, boolean negated, SqlType type, Vector value)
      implements Entry {}

  /** A constant of one row. */
  public record Constant(SqlType type, Vector value) implements Entry {}

  private record Key(SqlType type, boolean isNull, long hash) {}

  private final MillTypeFactory types;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Object, RexDynamicParam> interned = new HashMap<>();
  private final Map<Key, List<RexDynamicParam>> constants = new HashMap<>();
  private int slots;

  public ConstantPool(MillTypeFactory types) {
    this.types = types;
  }

  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  public Entry entry(int index) {
    return entries.get(index);
  }

  public Entry entry(RexDynamicParam param) {
    return entries.get(param.getIndex());
  }

  public RexDynamicParam parameter(int number, SqlType type) {
    return interned.computeIfAbsent(new Parameter(number, type), e -> add((Entry) e));
  }

  public RexDynamicParam slot(int offset, boolean negated, SqlType type, Vector value) {
    return add(new Slot(slots++, offset, negated, type, value));
  }

  /** A constant, the same RexDynamicParam for the same type and value. */
  public RexDynamicParam constant(SqlType type, Vector value) {
    boolean isNull = value.isNull(0);
    var bucket =
        constants.computeIfAbsent(
            new Key(type, isNull, isNull ? 0 : value.hash(0)), k -> new ArrayList<>());
    for (RexDynamicParam p : bucket) {
      if (entries.get(p.getIndex()) instanceof Constant c && identical(c.value(), value)) {
        return p;
      }
    }
    RexDynamicParam p = add(new Constant(type, value));
    bucket.add(p);
    return p;
  }

  /** Equal values that also print alike: 1.0 and 1.00 are two constants, as are 0.0 and -0.0. */
  private static boolean identical(Vector a, Vector b) {
    if (!a.same(0, b, 0) || a.isNull(0)) {
      return a.isNull(0) && b.isNull(0);
    }
    if (a instanceof NumericVector x && b instanceof NumericVector y) {
      return x.special(0) != 0 || x.get(0).scale() == y.get(0).scale();
    }
    if (a instanceof DoubleVector x && b instanceof DoubleVector y) {
      return Double.doubleToLongBits(x.values()[0]) == Double.doubleToLongBits(y.values()[0]);
    }
    if (a instanceof FloatVector x && b instanceof FloatVector y) {
      return Float.floatToIntBits(x.values()[0]) == Float.floatToIntBits(y.values()[0]);
    }
    if (a instanceof IntervalVector x && b instanceof IntervalVector y) {
      return x.months()[0] == y.months()[0] && x.days()[0] == y.days()[0];
    }
    return !a.type().isArray() && a.type().fields().isEmpty();
  }

  private RexDynamicParam add(Entry entry) {
    entries.add(entry);
    return new RexDynamicParam(types.of(entry.type()), entries.size() - 1);
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.PhysicalPlan.Frame.Bound;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import io.millrace.sql.physical.PhysicalPlan.Frame.Mode;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import io.millrace.sql.plan.rel.MillAggFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * The aggregates, window functions and set-returning calls of one SELECT. Expressions refer to them
 * by input references beyond any real column until the nodes that compute them are built.
 */
final class Collector {
  static final int AGGREGATES = 1 << 20;

  /** Values filled in over gaps, computed from aggregates and keys. */
  static final int FILLS = AGGREGATES + (1 << 19);

  static final int WINDOWS = 1 << 21;
  static final int SETS = 1 << 22;
  static final int END = 1 << 23;

  /** A sort key of a call. */
  record Key(RexNode rex, boolean descending, boolean nullsFirst) {}

  /**
   * @param range of an item of a range query; null outside of such
   */
  record Aggregate(
      MillAggFunction function,
      SqlType type,
      List<RexNode> args,
      boolean distinct,
      @Nullable RexNode filter,
      List<Key> order,
      @Nullable Range range) {}

  /**
   * The window of an item of a range query, and what stands where it has no value.
   *
   * @param value of FILL by a constant
   * @param type of the item, filled
   */
  record Range(RexNode span, Fill fill, @Nullable RexNode value, SqlType type) {}

  /**
   * A time_bucket_gapfill(…).
   *
   * @param bucket the bucket of a row
   * @param time the row's time, of which WHERE tells the bounds
   * @param origin the beginning of some bucket
   */
  record Gap(
      RexNode bucket,
      RexNode time,
      RexNode width,
      RexNode origin,
      @Nullable RexNode start,
      @Nullable RexNode finish) {}

  /** A locf(…) or interpolate(…). */
  record Filled(RexNode arg, Fill fill, SqlType type) {}

  record Frame(
      Mode mode,
      Bound start,
      @Nullable RexNode startOffset,
      Bound end,
      @Nullable RexNode endOffset,
      Exclude exclude) {}

  record Window(
      MillAggFunction function,
      SqlType type,
      List<RexNode> args,
      @Nullable RexNode filter,
      List<RexNode> partition,
      List<Key> order,
      Frame frame) {}

  /**
   * @param level 0 if no argument is itself a set-returning call
   * @param position in the text
   */
  record SetCall(RexNode call, int level, int position) {}

  final List<Aggregate> aggregates = new ArrayList<>();
  final List<Window> windows = new ArrayList<>();
  final List<SetCall> sets = new ArrayList<>();
  final List<Filled> fills = new ArrayList<>();
  @Nullable Gap gap;
  private final Map<Object, RexNode> known = new HashMap<>();

  /** The ALIGN clause of a range query, in which every aggregate has a RANGE; else null. */
  final @Nullable RangeClause range;

  Collector(@Nullable RangeClause range) {
    this.range = range;
  }

  /** Whether the rows of FROM are those of the result. */
  boolean isEmpty() {
    return aggregates.isEmpty()
        && windows.isEmpty()
        && sets.isEmpty()
        && fills.isEmpty()
        && gap == null
        && range == null;
  }

  RexNode aggregate(Aggregate a, RelDataType type) {
    return known.computeIfAbsent(
        a,
        k -> {
          aggregates.add(a);
          return new RexInputRef(AGGREGATES + aggregates.size() - 1, type);
        });
  }

  RexNode filled(Filled f, RelDataType type) {
    return known.computeIfAbsent(
        f,
        k -> {
          fills.add(f);
          return new RexInputRef(FILLS + fills.size() - 1, type);
        });
  }

  RexNode window(Window w, RelDataType type) {
    return known.computeIfAbsent(
        w,
        k -> {
          windows.add(w);
          return new RexInputRef(WINDOWS + windows.size() - 1, type);
        });
  }

  RexNode set(RexNode call, int position) {
    int level = 0;
    for (int ref : RowRewriter.references(call)) {
      if (ref >= SETS && ref < END) {
        level = Math.max(level, sets.get(ref - SETS).level() + 1);
      }
    }
    sets.add(new SetCall(call, level, position));
    return new RexInputRef(SETS + sets.size() - 1, call.getType());
  }
}

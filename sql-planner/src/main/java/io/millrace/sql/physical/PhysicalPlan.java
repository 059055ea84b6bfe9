package io.millrace.sql.physical;

import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What execution runs: a tree of operators free of Calcite. Expressions refer to the input's
 * columns by place; for joins the left input's columns come first. Immutable and shared by all
 * sessions.
 */
public sealed interface PhysicalPlan {
  /** Types of the output columns. */
  List<SqlType> types();

  List<PhysicalPlan> inputs();

  /**
   * A conjunct that the scan evaluates: column op value, the value fixed when the plan is opened.
   */
  record ScanConjunct(int columnId, Kind kind, List<Expr> values) {
    /** IN has any number of values, the null tests none, the others one. */
    public enum Kind {
      EQ,
      NE,
      LT,
      LE,
      GT,
      GE,
      IN,
      IS_NULL,
      IS_NOT_NULL,
      /** matches(column, value). */
      MATCHES,
      /** matches_term(column, value). */
      MATCHES_TERM,
      /** The column starts as every text that is LIKE the value does: not exact. */
      LIKE_PREFIX
    }
  }

  /** Order of rows within the output of a scan. */
  enum ScanOrder {
    ANY,
    KEY,
    TIME_ASC,
    TIME_DESC
  }

  /**
   * Scan of a stored table, all its regions.
   *
   * @param columnIds output columns; VirtualColumns allowed
   * @param conjuncts applied exactly by the scan
   * @param limit rows wanted at most if the scan's consumer has a constant limit; null none
   * @param lastRow only the last row per series
   */
  record TableScan(
      TableId table,
      int tableVersion,
      String name,
      List<Integer> columnIds,
      List<SqlType> types,
      List<ScanConjunct> conjuncts,
      ScanOrder order,
      @Nullable Expr limit,
      boolean lastRow)
      implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * Scan of a system relation (information_schema, pg_catalog).
   *
   * @param columns places of the relation's columns
   * @param conjuncts over those columns by place (columnId = place in the relation): hints for
   *     access paths, checked again above
   */
  record SystemScan(
      String schema,
      String relation,
      List<Integer> columns,
      List<SqlType> types,
      List<ScanConjunct> conjuncts)
      implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /** Constant rows. */
  record Values(List<SqlType> types, List<List<Expr>> rows) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * Rows that come as parameters: column i is the vector of parameter {@code first + i}; all have
   * the same number of rows, which is not one in general.
   */
  record ParamRows(List<SqlType> types, int first) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  record Filter(PhysicalPlan input, Expr condition) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  record Project(PhysicalPlan input, List<Expr> exprs) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return exprs.stream().map(Expr::type).toList();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** Set-returning calls in a select list: rows in step, shorter ones padded with NULL. */
  record ProjectSet(PhysicalPlan input, List<SetItem> items) implements PhysicalPlan {
    /** A plain expression, or a set-returning call. */
    public record SetItem(Expr expr, boolean returnsSet) {}

    @Override
    public List<SqlType> types() {
      return items.stream().map(i -> i.expr().type()).toList();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * Rows of a set-returning function, once per input row if there is an input (LATERAL).
   *
   * @param input null for no correlation; its columns come first in the output
   * @param outer keep input rows for which the functions give none
   */
  record TableFunction(
      @Nullable PhysicalPlan input,
      List<Expr> calls,
      boolean ordinality,
      boolean outer,
      List<SqlType> types)
      implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return input == null ? List.of() : List.of(input);
    }
  }

  /**
   * Aggregation. Output: the keys in order, then the calls.
   *
   * @param keys places in the input
   * @param groupingSets subsets of {@code keys} by place in {@code keys}; one full set = plain
   *     GROUP BY; keys outside a set are NULL; no keys = one row always
   * @param ordered input has equal keys next to each other
   */
  record Aggregate(
      PhysicalPlan input,
      List<Integer> keys,
      List<List<Integer>> groupingSets,
      List<AggregateCall> calls,
      boolean ordered)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<SqlType>();
      for (int k : keys) {
        out.add(input.types().get(k));
      }
      for (AggregateCall c : calls) {
        out.add(c.type());
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * @param args over the input's columns
   * @param filter null = all rows
   * @param orderBy of the arguments, for ordered aggregates
   * @param direct direct arguments of ordered-set aggregates
   */
  record AggregateCall(
      FunctionId function,
      SqlType type,
      List<Expr> args,
      boolean distinct,
      @Nullable Expr filter,
      List<SortKey> orderBy,
      List<Expr> direct) {}

  record SortKey(Expr expr, boolean descending, boolean nullsFirst) {}

  /**
   * A range query: for every group and every align point of the grid one row of the keys, the align
   * point and the items, each an aggregate over the rows whose time is in [point, point + range).
   * Points at which no item has rows are left out, unless an item is filled: then every point
   * between the group's first and last is there.
   *
   * @param keys places in the input
   * @param time place of the rows' time, a timestamp
   * @param align distance of align points: an interval, fixed at opening
   * @param origin an align point, of the time's type, fixed at opening; null for the calendar of
   *     the session's time zone
   */
  record RangeSelect(
      PhysicalPlan input,
      List<Integer> keys,
      int time,
      List<RangeItem> items,
      Expr align,
      @Nullable Expr origin)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<SqlType>();
      for (int k : keys) {
        out.add(input.types().get(k));
      }
      out.add(input.types().get(time));
      for (RangeItem i : items) {
        out.add(i.type());
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * Rows of groups, one per bucket of time, with the buckets that have none: for each group all
   * between the bounds, and between its own first and last.
   *
   * @param keys places of what makes a group, without the bucket
   * @param time place of the bucket, a timestamp
   * @param width of a bucket: an interval, fixed at opening
   * @param origin the beginning of a bucket, of the time's type, fixed at opening
   */
  record GapFill(
      PhysicalPlan input,
      List<Integer> keys,
      int time,
      List<GapColumn> columns,
      Expr width,
      Expr origin,
      List<GapBound> bounds)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<SqlType>();
      for (int k : keys) {
        out.add(input.types().get(k));
      }
      out.add(input.types().get(time));
      for (GapColumn c : columns) {
        out.add(c.type());
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** A column with what stands in it where there are no rows. */
  record GapColumn(int place, RangeItem.Fill fill, SqlType type) {}

  /**
   * A bound of the buckets to be there; the narrowest count.
   *
   * @param value of the time's type, fixed at opening; NULL is none
   */
  record GapBound(Kind kind, Expr value) {
    /** From where on, up to which time without it, up to which time with it. */
    public enum Kind {
      FROM,
      BEFORE,
      UP_TO
    }
  }

  /**
   * An item of a range query.
   *
   * @param span an interval, fixed at opening
   * @param value for {@link Fill#VALUE}, fixed at opening
   * @param type of the filled values
   */
  record RangeItem(AggregateCall call, Expr span, Fill fill, @Nullable Expr value, SqlType type) {
    /** What stands where the aggregate has no value. */
    public enum Fill {
      /** NULL, and no rows for points without data. */
      NONE,
      NULL,
      /** The group's last value before; NULL before the first. */
      PREV,
      /** On the line through the neighbours; before the first and behind the last two, theirs. */
      LINEAR,
      VALUE,
      /** The group's last row before, be its value NULL. */
      CARRY,
      /** On the line through the neighbours, NULL before the first and behind the last. */
      BETWEEN
    }
  }

  /** How a join treats rows. */
  enum JoinType {
    INNER,
    LEFT,
    RIGHT,
    FULL,
    SEMI,
    ANTI,
    /** NOT IN: a NULL on either side makes the row disappear unless the right side is empty. */
    NULL_AWARE_ANTI,
    /**
     * Left rows plus one boolean: matched, not matched, or NULL where unknown. As for
     * NULL_AWARE_ANTI, a NULL among the keys makes a pair unknown (unless the key is null-safe),
     * while a residual that is NULL counts as false: what a correlated subquery filters by belongs
     * there.
     */
    LEFT_MARK
  }

  /**
   * Hash join, or nested loops where there are no keys. The right input is built.
   *
   * @param nullSafe per key: IS NOT DISTINCT FROM instead of =
   * @param residual further condition over (left columns, right columns)
   */
  record Join(
      JoinType joinType,
      PhysicalPlan left,
      PhysicalPlan right,
      List<Expr> leftKeys,
      List<Expr> rightKeys,
      List<Boolean> nullSafe,
      @Nullable Expr residual)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<>(left.types());
      switch (joinType) {
        case INNER, LEFT, RIGHT, FULL -> out.addAll(right.types());
        case LEFT_MARK -> out.add(SqlType.BOOL);
        case SEMI, ANTI, NULL_AWARE_ANTI -> {}
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(left, right);
    }
  }

  /**
   * For each left row the right plan is run with {@code Param(firstParam + i)} set to the left
   * row's column {@code correlated[i]}: the last resort of decorrelation. INNER, LEFT, SEMI, ANTI
   * or LEFT_MARK.
   */
  record Correlate(
      JoinType joinType,
      PhysicalPlan left,
      PhysicalPlan right,
      int firstParam,
      List<Integer> correlated)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<>(left.types());
      switch (joinType) {
        case INNER, LEFT, RIGHT, FULL -> out.addAll(right.types());
        case LEFT_MARK -> out.add(SqlType.BOOL);
        case SEMI, ANTI, NULL_AWARE_ANTI -> {}
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(left, right);
    }
  }

  /** Exactly one row: NULLs if the input is empty, 21000 if it has more than one. */
  record SingleRow(PhysicalPlan input) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  record Sort(PhysicalPlan input, List<SortKey> keys) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * LIMIT/OFFSET, bigint expressions fixed at opening; over a Sort it runs as top-N.
   *
   * @param ties places of the columns by which the input is sorted, if rows equal in them to the
   *     last one come too; empty if not
   */
  record Limit(PhysicalPlan input, @Nullable Expr limit, @Nullable Expr offset, List<Integer> ties)
      implements PhysicalPlan {
    public Limit(PhysicalPlan input, @Nullable Expr limit, @Nullable Expr offset) {
      this(input, limit, offset, List.of());
    }

    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** First row of each group of equal leading sort keys; the input is sorted. */
  record DistinctOn(PhysicalPlan input, List<Integer> keys) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** UNION ALL, in order of the inputs. */
  record UnionAll(List<PhysicalPlan> inputs, List<SqlType> types) implements PhysicalPlan {}

  /** INTERSECT or EXCEPT [ALL]. */
  record SetOp(PhysicalPlan left, PhysicalPlan right, boolean intersect, boolean all)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return left.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(left, right);
    }
  }

  /** Window functions appended to the input's columns; one partitioning and ordering per node. */
  record Window(
      PhysicalPlan input, List<Integer> partitionBy, List<SortKey> orderBy, List<WindowCall> calls)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      var out = new java.util.ArrayList<>(input.types());
      for (WindowCall c : calls) {
        out.add(c.type());
      }
      return out;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * @param aggregate whether the function is an aggregate used as a window function
   */
  record WindowCall(
      FunctionId function,
      SqlType type,
      List<Expr> args,
      @Nullable Expr filter,
      boolean aggregate,
      Frame frame) {}

  /** A window frame; offsets are null for unbounded and for current row. */
  record Frame(
      Mode mode,
      Bound start,
      @Nullable Expr startOffset,
      Bound end,
      @Nullable Expr endOffset,
      Exclude exclude) {
    public enum Mode {
      ROWS,
      RANGE,
      GROUPS
    }

    public enum Bound {
      UNBOUNDED_PRECEDING,
      PRECEDING,
      CURRENT_ROW,
      FOLLOWING,
      UNBOUNDED_FOLLOWING
    }

    public enum Exclude {
      NO_OTHERS,
      CURRENT_ROW,
      GROUP,
      TIES
    }
  }

  /**
   * WITH RECURSIVE: the seed's rows, then the step over the previous round's rows until none are
   * new.
   *
   * @param id matches {@link WorkTable#id}
   * @param distinct UNION instead of UNION ALL
   */
  record Recurse(int id, PhysicalPlan seed, PhysicalPlan step, boolean distinct)
      implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return seed.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(seed, step);
    }
  }

  /** The previous round's rows inside a {@link Recurse}'s step. */
  record WorkTable(int id, List<SqlType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * A plan that several {@link SharedScan}s read; computed once (CTEs referred to more than once).
   */
  record Shared(int id, PhysicalPlan definition, PhysicalPlan input) implements PhysicalPlan {
    @Override
    public List<SqlType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(definition, input);
    }
  }

  record SharedScan(int id, List<SqlType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }
}

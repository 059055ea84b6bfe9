package io.millrace.sql.plan.analyse;

import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.rel.ConstantPool;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** A statement whose every name and type is known. */
public sealed interface Analysed {
  Facts facts();

  /**
   * What holds for the whole statement.
   *
   * @param parameterTypes of {@code $1}…
   * @param pool what the RexDynamicParams mean; its slots are the free literals, all other literals
   *     of the text are pinned
   * @param pinAll three joins or more: the free literals must be matched as well
   * @param readsSession pinned constants were read by the session's zone and DateStyle
   * @param cacheable false if a constant such as 'now' was read
   * @param tables tables named in it
   * @param views oids of views and computed relations named in it
   * @param steps what is done before the statement itself, in order; {@link
   *     io.millrace.sql.plan.rel.StepRows} stands for the rows
   */
  record Facts(
      List<SqlType> parameterTypes,
      ConstantPool pool,
      boolean pinAll,
      boolean readsSession,
      boolean cacheable,
      Set<TableId> tables,
      Set<Integer> views,
      List<Step> steps) {}

  /**
   * What is done before the statement itself: a data change in WITH, or a query with locks.
   *
   * @param columns of its rows; empty if it gives none
   */
  record Step(Analysed body, List<SqlType> columns) {}

  /**
   * A column of a result.
   *
   * @param tableOid 0 unless it is a column of a table
   * @param attnum its attribute number there
   */
  record Output(String name, SqlType type, int tableOid, int attnum) {}

  /**
   * A query.
   *
   * @param root gives exactly the outputs, in order
   */
  record Query(RelNode root, List<Output> outputs, Facts facts) implements Analysed {}

  /**
   * A query whose rows are locked, always a {@link Step}.
   *
   * @param source the outputs, then the keys of the locked tables; sorted, not yet cut
   */
  record Locking(
      RelNode source,
      List<Output> outputs,
      List<Locked> tables,
      @Nullable RexNode offset,
      @Nullable RexNode limit)
      implements Analysed {
    @Override
    public Facts facts() {
      throw new IllegalStateException("the statement knows");
    }
  }

  /**
   * @param keyAt where its key begins in the source
   */
  record Locked(
      TableInfo table, String name, int keyAt, boolean shared, DmlPlan.OnLocked onLocked) {
    Locked behind(int columns) {
      return new Locked(table, name, keyAt + columns, shared, onLocked);
    }
  }

  /** RETURNING: over the row that the statement's own form says. */
  record Returning(List<RexNode> exprs, List<Output> outputs) {}

  /** The RETURNING of a data change; null if it has none. */
  static @Nullable Returning returning(Analysed change) {
    return switch (change) {
      case Insert i -> i.returning();
      case Update u -> u.returning();
      case Delete d -> d.returning();
      default -> null;
    };
  }

  /**
   * A CHECK constraint over the row of the table.
   *
   * @param domain the domain of a column that asks for it; null = the table
   */
  record Check(String name, RexNode condition, @Nullable String domain) {
    Check(String name, RexNode condition) {
      this(name, condition, null);
    }
  }

  /**
   * INSERT.
   *
   * @param source gives every visible column of the table, defaults filled in, assignment casts
   *     done
   * @param returning over the row of the table
   */
  record Insert(
      TableInfo table,
      RelNode source,
      List<Check> checks,
      @Nullable Conflict conflict,
      boolean replace,
      @Nullable Returning returning,
      Facts facts)
      implements Analysed {
    Insert over(RelNode rows) {
      return new Insert(table, rows, checks, conflict, replace, returning, facts);
    }
  }

  /**
   * ON CONFLICT.
   *
   * @param constraint the unique constraint that decides; null if any may
   * @param columnIds assigned columns, with {@code values} and {@code where} over (existing row,
   *     proposed row)
   */
  record Conflict(
      @Nullable String constraint,
      boolean doNothing,
      List<Integer> columnIds,
      List<RexNode> values,
      @Nullable RexNode where) {}

  /**
   * UPDATE.
   *
   * @param source the key (tags in key order, then the time index), the row of the table before the
   *     change, the new values of {@code columnIds}, then all columns of FROM
   * @param returning over (the row after the change, all columns of FROM)
   */
  record Update(
      TableInfo table,
      RelNode source,
      List<Integer> columnIds,
      List<Check> checks,
      @Nullable Returning returning,
      Facts facts)
      implements Analysed {
    Update over(RelNode rows) {
      return new Update(table, rows, columnIds, checks, returning, facts);
    }
  }

  /**
   * DELETE.
   *
   * @param source the key, the row of the table, then all columns of USING
   * @param everything no WHERE and no USING
   * @param returning over (the row of the table, all columns of USING)
   */
  record Delete(
      TableInfo table,
      RelNode source,
      boolean everything,
      @Nullable Returning returning,
      Facts facts)
      implements Analysed {
    Delete over(RelNode rows) {
      return new Delete(table, rows, everything, returning, facts);
    }
  }

  /**
   * MERGE.
   *
   * @param source as {@link DmlPlan.Merge} says
   */
  record Merge(
      TableInfo table,
      RelNode source,
      List<DmlPlan.MergeAction> actions,
      List<Check> checks,
      Facts facts)
      implements Analysed {}

  /** An expression by itself. */
  record Expression(RexNode rex, SqlType type, Facts facts) implements Analysed {}
}

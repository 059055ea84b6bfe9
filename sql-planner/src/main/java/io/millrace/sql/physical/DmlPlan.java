package io.millrace.sql.physical;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A statement that is more than one read, free of Calcite: a template that reads what is needed,
 * and what is to be done with its rows. "Row of the table" below means the user-visible columns in
 * attribute order.
 */
public sealed interface DmlPlan {
  /** Reads the rows that the statement works on. */
  PlanTemplate source();

  /** What the rows are that it gives; null if it gives none. */
  @Nullable List<PlanTemplate.ResultColumn> columns();

  /** INSERT, UPDATE, DELETE or MERGE. */
  sealed interface Change extends DmlPlan {
    TableInfo table();

    Optional<Returning> returning();

    @Override
    default @Nullable List<PlanTemplate.ResultColumn> columns() {
      Optional<Returning> r = returning();
      return r.isPresent() ? r.get().columns() : null;
    }
  }

  /** A query, as a step among others. */
  record Read(PlanTemplate source) implements DmlPlan {
    @Override
    public List<PlanTemplate.ResultColumn> columns() {
      return source.columns();
    }
  }

  /**
   * A query whose rows are locked (FOR UPDATE and its weaker forms).
   *
   * @param source all rows in their order, without OFFSET and LIMIT: the outputs, then, per locked
   *     table, the key (tags in key order, then the time index)
   * @param tables never empty
   * @param offset of a whole number; null = none
   * @param limit of a whole number, NULL or null = none
   */
  record Locking(
      PlanTemplate source,
      List<PlanTemplate.ResultColumn> columns,
      List<LockedTable> tables,
      @Nullable Expr offset,
      @Nullable Expr limit)
      implements DmlPlan {
    /** The same with other names of its columns. */
    public Locking named(List<PlanTemplate.ResultColumn> names) {
      return new Locking(source, names, tables, offset, limit);
    }
  }

  /**
   * @param name as in the statement
   * @param keyAt where its key begins in the source
   * @param shared others may share the lock
   */
  record LockedTable(TableInfo table, String name, int keyAt, boolean shared, OnLocked onLocked) {}

  /** What is done about a row that another transaction has locked. */
  enum OnLocked {
    WAIT,
    FAIL,
    SKIP
  }

  /**
   * Several steps, run in order on what was there before the first; the last one's outcome is the
   * statement's. Rows of the others are further parameters of all that come after them, column by
   * column from {@code firstParameter} on (see {@link PhysicalPlan.ParamRows}).
   */
  record Steps(List<DmlPlan> steps, int firstParameter) implements DmlPlan {
    public DmlPlan last() {
      return steps.getLast();
    }

    @Override
    public PlanTemplate source() {
      return last().source();
    }

    @Override
    public @Nullable List<PlanTemplate.ResultColumn> columns() {
      return last().columns();
    }
  }

  /**
   * RETURNING: expressions over the row of the table (UPDATE: after the change; then, for UPDATE
   * and DELETE with FROM/USING, the other columns that {@link #source} appends).
   */
  record Returning(List<Expr> exprs, List<PlanTemplate.ResultColumn> columns) {}

  /**
   * A CHECK constraint over the row of the table; false fails, NULL passes.
   *
   * @param name empty for NOT NULL of a domain
   * @param domain the domain of a column that asks for it; null = the table
   */
  record Check(String name, Expr condition, @Nullable String domain) {}

  /**
   * INSERT.
   *
   * @param source gives the row of the table: every user-visible column, converted by assignment
   *     cast, defaults filled in
   * @param checks evaluated over that row
   * @param conflict what to do where the key exists; empty = by the table's kind (overwrite for
   *     tables with a TIME INDEX, 23505 for plain tables with a key)
   * @param replace REPLACE INTO
   */
  record Insert(
      TableInfo table,
      PlanTemplate source,
      List<Check> checks,
      Optional<Conflict> conflict,
      boolean replace,
      Optional<Returning> returning)
      implements Change {}

  /**
   * ON CONFLICT.
   *
   * @param constraint name of the unique constraint that decides; empty = every one of the table's
   * @param doNothing no assignments
   * @param columnIds assigned columns
   * @param values over (existing row, proposed row); types are the columns'
   * @param where over the same; empty = always
   */
  record Conflict(
      String constraint,
      boolean doNothing,
      List<Integer> columnIds,
      List<Expr> values,
      Optional<Expr> where) {}

  /**
   * UPDATE.
   *
   * @param source gives the key (tags in key order, then the time index, hidden ones too), then the
   *     row of the table before the change, then the new values of {@code columnIds}, then, with
   *     FROM, what RETURNING needs of the other tables
   */
  record Update(
      TableInfo table,
      PlanTemplate source,
      List<Integer> columnIds,
      List<Check> checks,
      Optional<Returning> returning)
      implements Change {}

  /**
   * DELETE.
   *
   * @param source gives the key (as for UPDATE), then the row of the table, then, with USING, what
   *     RETURNING needs of the other tables
   * @param everything no WHERE and no USING
   */
  record Delete(
      TableInfo table, PlanTemplate source, boolean everything, Optional<Returning> returning)
      implements Change {}

  /**
   * MERGE.
   *
   * @param source gives the key (as for UPDATE; its time index is NULL where no row of the table
   *     matches), the row of the table, the number of the action or -1, then the values of the
   *     actions, which are there in rows of their own action only
   */
  record Merge(TableInfo table, PlanTemplate source, List<MergeAction> actions, List<Check> checks)
      implements Change {
    @Override
    public Optional<Returning> returning() {
      return Optional.empty();
    }
  }

  /** What MERGE does with a row. */
  sealed interface MergeAction {
    /**
     * UPDATE.
     *
     * @param valuesAt where the values of the columns begin in the source
     */
    record Change(List<Integer> columnIds, int valuesAt) implements MergeAction {}

    /** DELETE. */
    record Remove() implements MergeAction {}

    /**
     * INSERT.
     *
     * @param valuesAt where the new row of the table begins in the source
     */
    record Add(int valuesAt) implements MergeAction {}

    /** DO NOTHING. */
    record Nothing() implements MergeAction {}
  }

  /** Types of the key columns that UPDATE's and DELETE's sources begin with. */
  static List<SqlType> keyTypes(TableInfo table) {
    var out = new java.util.ArrayList<SqlType>();
    for (int id : keyColumnIds(table)) {
      out.add(table.storage().columns().get(table.storage().indexOf(id)).type());
    }
    return out;
  }

  /** Column ids of the key: tags in key order, then the time index. */
  static List<Integer> keyColumnIds(TableInfo table) {
    var out = new java.util.ArrayList<>(table.storage().tagIds());
    out.add(table.storage().timeIndexId());
    return out;
  }
}

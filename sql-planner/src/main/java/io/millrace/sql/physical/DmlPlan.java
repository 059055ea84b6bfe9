package io.millrace.sql.physical;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import java.util.List;
import java.util.Optional;

/**
 * A data-changing statement, free of Calcite: a template that reads what is needed, and what is to
 * be done with its rows. "Row of the table" below means the user-visible columns in attribute
 * order.
 */
public sealed interface DmlPlan {
  TableInfo table();

  /** Reads the rows that the statement works on. */
  PlanTemplate source();

  Optional<Returning> returning();

  /**
   * RETURNING: expressions over the row of the table (UPDATE: after the change; then, for UPDATE
   * and DELETE with FROM/USING, the other columns that {@link #source} appends).
   */
  record Returning(List<Expr> exprs, List<PlanTemplate.ResultColumn> columns) {}

  /** A CHECK constraint over the row of the table; false fails, NULL passes. */
  record Check(String name, Expr condition) {}

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
      implements DmlPlan {}

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
      implements DmlPlan {}

  /**
   * DELETE.
   *
   * @param source gives the key (as for UPDATE), then the row of the table, then, with USING, what
   *     RETURNING needs of the other tables
   * @param everything no WHERE and no USING
   */
  record Delete(
      TableInfo table, PlanTemplate source, boolean everything, Optional<Returning> returning)
      implements DmlPlan {}

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

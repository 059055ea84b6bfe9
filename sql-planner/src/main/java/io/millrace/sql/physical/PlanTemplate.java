package io.millrace.sql.physical;

import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import java.util.List;
import java.util.Map;

/**
 * A plan that can be opened any number of times with different parameters.
 *
 * @param plan the operators
 * @param columns names and types of the result
 * @param parameterTypes Params [0, n): {@code $1}…, then free literal slots
 * @param inits Params from n on: expressions over earlier Params (stable functions, folded
 *     subtrees), evaluated once at opening, in order
 * @param tables tables read with the versions planned against
 */
public record PlanTemplate(
    PhysicalPlan plan,
    List<ResultColumn> columns,
    List<SqlType> parameterTypes,
    List<Expr> inits,
    Map<TableId, Integer> tables) {

  /**
   * @param tableOid 0 unless the column is a plain table column
   * @param attribute its attribute number, else 0
   */
  public record ResultColumn(String name, SqlType type, int tableOid, int attribute) {}
}

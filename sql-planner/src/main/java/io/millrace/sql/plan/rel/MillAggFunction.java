package io.millrace.sql.plan.rel;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.util.Optionality;

/**
 * An aggregate or window function of ours. In an AggregateCall the arguments are the direct ones
 * (ordered-set aggregates) first; the collation is ORDER BY inside the call or WITHIN GROUP.
 */
public final class MillAggFunction extends SqlAggFunction {
  private final FunctionId id;
  private final SqlType result;
  private final int directArgs;
  private final boolean windowOnly;

  /**
   * @param directArgs how many leading arguments are direct ones
   * @param windowOnly a window function proper (row_number), not an aggregate
   */
  public MillAggFunction(FunctionId id, SqlType result, int directArgs, boolean windowOnly) {
    super(
        id.signature(),
        null,
        SqlKind.OTHER_FUNCTION,
        binding -> ((MillTypeFactory) binding.getTypeFactory()).of(result),
        null,
        OperandTypes.VARIADIC,
        SqlFunctionCategory.USER_DEFINED_FUNCTION,
        false,
        windowOnly,
        Optionality.OPTIONAL);
    this.id = id;
    this.result = result;
    this.directArgs = directArgs;
    this.windowOnly = windowOnly;
  }

  public FunctionId id() {
    return id;
  }

  public SqlType result() {
    return result;
  }

  public int directArgs() {
    return directArgs;
  }

  public boolean windowOnly() {
    return windowOnly;
  }
}

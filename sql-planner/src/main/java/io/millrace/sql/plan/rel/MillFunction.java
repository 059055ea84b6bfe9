package io.millrace.sql.plan.rel;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/**
 * A scalar or set-returning function, operator or cast of ours: an identity with volatility and
 * strictness, about which Calcite knows nothing else. Its name is the identity's signature, so
 * equal identities are equal operators. Calls carry their type: they are made with {@code
 * makeCall(type, function, operands)} only.
 */
public final class MillFunction extends SqlFunction {
  private final FunctionId id;
  private final char volatility;
  private final boolean strict;
  private final boolean returnsSet;

  /**
   * @param volatility as in pg_proc: i, s or v
   */
  public MillFunction(
      FunctionId id, SqlType result, char volatility, boolean strict, boolean returnsSet) {
    super(
        id.signature(),
        SqlKind.OTHER_FUNCTION,
        binding -> ((MillTypeFactory) binding.getTypeFactory()).of(result),
        null,
        OperandTypes.VARIADIC,
        SqlFunctionCategory.USER_DEFINED_FUNCTION);
    this.id = id;
    this.volatility = volatility;
    this.strict = strict;
    this.returnsSet = returnsSet;
  }

  public FunctionId id() {
    return id;
  }

  public char volatility() {
    return volatility;
  }

  public boolean strict() {
    return strict;
  }

  public boolean returnsSet() {
    return returnsSet;
  }

  @Override
  public boolean isDeterministic() {
    return volatility != 'v' && !returnsSet;
  }

  @Override
  public boolean isDynamicFunction() {
    return volatility == 's';
  }
}

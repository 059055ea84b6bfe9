package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import org.jspecify.annotations.Nullable;

/**
 * An operator, as in pg_operator.
 *
 * @param left null for prefix operators
 * @param comparison set for btree comparisons: they are {@link Expr.Compare}s of their sides, each
 *     cast to {@code compareAs} first, and need no function
 * @param compareAs null = the sides are of one type already (arrays, records)
 * @param commutator name of the operator with its sides swapped; null if none
 * @param negator name of the operator that says the opposite; null if none
 */
public record OperatorRow(
    int oid,
    String name,
    @Nullable SqlType left,
    SqlType right,
    SqlType result,
    FunctionId function,
    boolean strict,
    char volatility,
    Expr.@Nullable Op comparison,
    @Nullable SqlType compareAs,
    @Nullable String commutator,
    @Nullable String negator) {}

package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import org.jspecify.annotations.Nullable;

/**
 * A row of pg_operator with what matters of its function.
 *
 * @param oid 0 for our own
 * @param left null for a prefix operator
 * @param function the implementation
 * @param volatility i, s or v
 */
public record OperatorDef(
    int oid,
    String name,
    @Nullable SqlType left,
    SqlType right,
    SqlType result,
    FunctionId function,
    char volatility,
    boolean strict) {}

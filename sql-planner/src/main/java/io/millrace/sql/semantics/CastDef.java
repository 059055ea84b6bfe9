package io.millrace.sql.semantics;

import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.FunctionId;

/**
 * A row of pg_cast.
 *
 * @param context i implicit, a in assignments, e only explicit
 * @param method f by a function, b the bytes are the same, i through the text form
 * @param function {@code cast(int4):text}; a modifier (length, precision) is that of the call's
 *     result type, and a cast of a type to itself applies only the modifier
 */
public record CastDef(
    TypeKind source,
    TypeKind target,
    char context,
    char method,
    FunctionId function,
    char volatility,
    boolean strict) {}

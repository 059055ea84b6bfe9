package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import java.util.List;

/**
 * A function, aggregate or window function, as in pg_proc and pg_aggregate.
 *
 * @param kind as prokind: f function, a aggregate, w window
 * @param args argument types, polymorphic ones included; the last of a variadic function is the
 *     array (or {@code "any"})
 * @param result result type, of one row if it returns a set; a record with fields for OUT columns
 * @param volatility i, s or v
 * @param defaults SQL text of the defaults of the last arguments, as many as there are
 * @param argNames names of the arguments for named notation; empty if they have none
 * @param aggregateKind n normal, o ordered set, h hypothetical set; n for other kinds
 * @param directArgs number of direct arguments of ordered-set aggregates
 */
public record FunctionRow(
    int oid,
    String name,
    char kind,
    List<SqlType> args,
    boolean variadic,
    SqlType result,
    boolean returnsSet,
    char volatility,
    boolean strict,
    List<String> defaults,
    List<String> argNames,
    FunctionId id,
    char aggregateKind,
    int directArgs) {}

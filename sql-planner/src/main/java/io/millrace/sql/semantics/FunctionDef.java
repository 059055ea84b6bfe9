package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import java.util.List;

/**
 * A row of pg_proc (and pg_aggregate).
 *
 * @param oid 0 for our own
 * @param kind f function, a aggregate, w window function
 * @param aggregateKind for aggregates: n normal, o ordered-set, h hypothetical-set; else space
 * @param directArgs ordered-set aggregates: how many arguments stand before WITHIN GROUP
 * @param arguments types of the input arguments; the pseudo-types where polymorphic
 * @param argumentNames their names for named notation; empty if they have none
 * @param variadic the last argument, an array type, takes any number of elements
 * @param defaults how many of the last arguments may be left out
 * @param result type of a result (of one row, if it returns a set; RECORD with out columns)
 * @param outColumns columns of a set-returning or record function; empty otherwise
 * @param volatility i, s or v
 */
public record FunctionDef(
    int oid,
    String name,
    char kind,
    char aggregateKind,
    int directArgs,
    List<SqlType> arguments,
    List<String> argumentNames,
    boolean variadic,
    int defaults,
    SqlType result,
    boolean returnsSet,
    List<SqlType.Field> outColumns,
    FunctionId function,
    char volatility,
    boolean strict) {
  public FunctionDef {
    arguments = List.copyOf(arguments);
    argumentNames = List.copyOf(argumentNames);
    outColumns = List.copyOf(outColumns);
  }
}

package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.List;
import java.util.Optional;

/**
 * The rows of pg_cast, pg_operator, pg_proc and pg_aggregate that the server knows, with its own
 * additions. Immutable; names are in lower case and without schema (all live in pg_catalog). Which
 * of several candidates a call means is the analyser's business.
 */
public interface Semantics {
  /** Every operator of a name, prefix operators included; empty if there is none. */
  List<OperatorDef> operators(String name);

  /** Every function, aggregate and window function of a name; empty if there is none. */
  List<FunctionDef> functions(String name);

  /** The row of pg_cast from one scalar kind to another; arrays and I/O casts have no rows. */
  Optional<CastDef> cast(TypeKind source, TypeKind target);

  /** The type that a type name in SQL means ({@code int}, {@code int8}, {@code string}, …). */
  Optional<SqlType> type(String name);

  /** Every function, for catalogues and hints. */
  List<FunctionDef> allFunctions();

  List<OperatorDef> allOperators();

  List<CastDef> allCasts();
}

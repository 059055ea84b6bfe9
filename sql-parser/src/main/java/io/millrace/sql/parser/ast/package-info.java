/**
 * What the parser gives: {@link io.millrace.sql.parser.ast.Statement} without Calcite in sight,
 * and, inside its holders ({@code ParsedQuery}, {@code ParsedExpression}, {@code ParsedList}),
 * trees of Calcite's {@code SqlNode}, which only the planner may look into.
 *
 * <p><b>The trees.</b> A node's position is line 1 and, as column, the character of the statement's
 * text (from 1) that PostgreSQL names in errors about the node: an operator's own place, the first
 * word of a function, name, literal or cast.
 *
 * <ul>
 *   <li>Query: {@code SqlOrderBy(query, order, offset, fetch)} where ORDER BY or a limit is given
 *       (fetch may be {@code WITH_TIES(n)}), {@code SqlWith(items, body)}, {@code UNION}, {@code
 *       UNION_ALL}, … calls, {@link io.millrace.sql.parser.ast.PgSelect}, {@code VALUES(ROW…)},
 *       {@code EXPLICIT_TABLE(name)}. A WITH item's query is a {@link
 *       io.millrace.sql.parser.ast.DmlNode} where it modifies data.
 *   <li>FROM: {@code SqlIdentifier}; {@code AS(item, alias, column…)}; a query; {@code
 *       LATERAL(query)}; {@code COLLECTION_TABLE(call)} for every function incl. unnest, {@code
 *       ROWS_FROM(call…)}, both perhaps in {@code WITH_ORDINALITY} and {@code LATERAL}; {@code
 *       SqlJoin} (a {@link io.millrace.sql.parser.ast.PgJoin} for USING (…) AS alias); {@code
 *       TABLESAMPLE(item, method, arguments, seed)}. A column of an alias is an identifier or
 *       {@code COLUMN_DEFINITION(name, type)}.
 *   <li>Names: {@code SqlIdentifier}, folded unless quoted (position's isQuoted tells); {@code t.*}
 *       is a star identifier; {@code (x).y} is {@code DOT(x, y)}.
 *   <li>Operators: Calcite's for {@code + - * / % || = <> < <= > >=}, AND, OR, NOT, unary minus, IS
 *       …, IS [NOT] DISTINCT FROM, BETWEEN, [I]LIKE and SIMILAR TO (third operand ESCAPE), IN (a
 *       node list or a query), {@code = SOME/ALL} (a query or an array expression), EXISTS; every
 *       other one is a {@link io.millrace.sql.parser.ast.PgOperator}, its quantified form a {@link
 *       io.millrace.sql.parser.ast.PgQuantifiedOperator}.
 *   <li>Functions, aggregates, COALESCE, GREATEST, CURRENT_DATE, …: a call of {@code
 *       SqlUnresolvedFunction} by name, DISTINCT as its quantifier. {@code f(*)} has a star
 *       operand, a trailing {@code SqlNodeList} operand is the ORDER BY inside, {@code
 *       ARGUMENT_ASSIGNMENT(value, name)} a named argument, {@code VARIADIC(x)}. Around it FILTER,
 *       WITHIN_GROUP, RANGE, OVER. SQL's own notations become PostgreSQL's functions:
 *       extract('field', x), position(text, part), btrim/ltrim/rtrim, substring, overlay,
 *       timezone(zone, x), overlaps, normalize.
 *   <li>{@code CAST(x, type)} for CAST, {@code ::} (operator INFIX_CAST) and {@code type 'text'},
 *       so INTERVAL '5 minutes' too; {@code TRY_CAST(x, type)}; the type is a {@link
 *       io.millrace.sql.parser.ast.PgTypeNameSpec}.
 *   <li>{@code ITEM(array, index)}, {@code SLICE(array, low or null, high or null)}, {@code
 *       ARRAY_VALUE_CONSTRUCTOR}, {@code ARRAY_QUERY}, {@code ROW}, {@code COLLATE(x, name)};
 *       {@code SqlCase} keeps the operand of a simple CASE as its value operand; its ELSE is never
 *       null.
 *   <li>Literals: exact numerics (with an exponent: approximate, PostgreSQL types it numeric),
 *       character strings, booleans, NULL, binary strings; {@code SqlDynamicParam} for {@code $n}.
 *   <li>{@code DEFAULT} as a call wherever it was written; the planner says where it may stand.
 * </ul>
 */
@NullMarked
package io.millrace.sql.parser.ast;

import org.jspecify.annotations.NullMarked;

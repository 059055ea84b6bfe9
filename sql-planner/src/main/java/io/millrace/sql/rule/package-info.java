/**
 * Rules from relational tree to better relational tree: sub-queries become joins, conditions go
 * where they cut most, inner joins get an order. All work on trees of one statement, in one pass
 * each, and none asks Calcite's metadata, whose generated code costs hundreds of milliseconds in a
 * young process.
 */
@NullMarked
package io.millrace.sql.rule;

import org.jspecify.annotations.NullMarked;

/**
 * The vocabulary over Calcite: PostgreSQL's types, functions with fixed identities, constants in a
 * pool, and the relational nodes that Calcite lacks. What the analyser writes and the planner
 * reads.
 */
@NullMarked
package io.millrace.sql.plan.rel;

import org.jspecify.annotations.NullMarked;

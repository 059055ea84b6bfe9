/**
 * The analyser: trees of the parser become relational trees by PostgreSQL's rules of names and
 * types, over one table of semantics. Neither SqlValidator nor SqlToRelConverter has a part in it.
 */
@NullMarked
package io.millrace.sql.plan.analyse;

import org.jspecify.annotations.NullMarked;

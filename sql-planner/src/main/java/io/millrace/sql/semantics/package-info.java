/** One table of what types, casts, operators and functions mean: PostgreSQL 15's, and ours. */
@NullMarked
package io.millrace.sql.semantics;

import org.jspecify.annotations.NullMarked;

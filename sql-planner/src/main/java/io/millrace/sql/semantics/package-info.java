/** PostgreSQL's rows about types, casts, operators and functions, and our own beside them. */
@NullMarked
package io.millrace.sql.semantics;

import org.jspecify.annotations.NullMarked;

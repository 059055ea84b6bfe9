/** Memory budgets of the server, of queries and of operators. */
@NullMarked
package io.millrace.sql.exec.memory;

import org.jspecify.annotations.NullMarked;

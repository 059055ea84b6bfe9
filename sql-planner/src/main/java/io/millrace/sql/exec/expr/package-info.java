/** Expressions evaluated over batches. */
@NullMarked
package io.millrace.sql.exec.expr;

import org.jspecify.annotations.NullMarked;

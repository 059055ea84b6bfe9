/**
 * Kernels of scalar functions, operators, casts, aggregates, window and set-returning functions.
 */
@NullMarked
package io.millrace.sql.exec.function;

import org.jspecify.annotations.NullMarked;

/** The operators of physical plans. */
@NullMarked
package io.millrace.sql.exec.operator;

import org.jspecify.annotations.NullMarked;

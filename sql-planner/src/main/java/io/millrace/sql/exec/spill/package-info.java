/** Temporary files of batches, with a quota. */
@NullMarked
package io.millrace.sql.exec.spill;

import org.jspecify.annotations.NullMarked;

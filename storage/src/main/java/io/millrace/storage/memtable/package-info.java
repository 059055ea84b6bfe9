/** Rows in memory. */
@NullMarked
package io.millrace.storage.memtable;

import org.jspecify.annotations.NullMarked;

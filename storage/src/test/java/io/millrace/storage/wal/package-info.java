/** Tests of the log. */
@NullMarked
package io.millrace.storage.wal;

import org.jspecify.annotations.NullMarked;

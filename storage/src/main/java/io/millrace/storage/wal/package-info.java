/** The write-ahead log: one record per commit, forced in groups. */
@NullMarked
package io.millrace.storage.wal;

import org.jspecify.annotations.NullMarked;

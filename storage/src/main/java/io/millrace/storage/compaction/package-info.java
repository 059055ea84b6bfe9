/** Compaction: the picker decides, the compactor runs, the scheduler says when. */
@NullMarked
package io.millrace.storage.compaction;

import org.jspecify.annotations.NullMarked;

/** From admitted writes to published ones: log writer, publisher, snapshot clock, key locks. */
@NullMarked
package io.millrace.storage.commit;

import org.jspecify.annotations.NullMarked;

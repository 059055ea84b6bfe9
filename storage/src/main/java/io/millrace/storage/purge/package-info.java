/** Deletes files when nothing names or reads them. */
@NullMarked
package io.millrace.storage.purge;

import org.jspecify.annotations.NullMarked;

/** Scans, lookups, the change feed and the fold that flush writes. */
@NullMarked
package io.millrace.storage.read;

import org.jspecify.annotations.NullMarked;

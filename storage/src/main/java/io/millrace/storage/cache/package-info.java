/** Decoded pages and file descriptions, weighed by bytes. */
@NullMarked
package io.millrace.storage.cache;

import org.jspecify.annotations.NullMarked;

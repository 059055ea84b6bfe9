/** What the engine counts of itself, and how its background work is held back. */
@NullMarked
package io.millrace.storage.meter;

import org.jspecify.annotations.NullMarked;

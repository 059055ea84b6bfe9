/** A region's state: its versions, tickets, holds and memory. */
@NullMarked
package io.millrace.storage.region;

import org.jspecify.annotations.NullMarked;

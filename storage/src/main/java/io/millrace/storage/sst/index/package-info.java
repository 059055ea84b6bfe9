/** Indexes in the side-cars of SSTs: what is built, how it lies, and what it rules out. */
@NullMarked
package io.millrace.storage.sst.index;

import org.jspecify.annotations.NullMarked;

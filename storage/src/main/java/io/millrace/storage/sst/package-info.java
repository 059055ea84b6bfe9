/** SST files: their description, the seam to the file store, writing and reading. */
@NullMarked
package io.millrace.storage.sst;

import org.jspecify.annotations.NullMarked;

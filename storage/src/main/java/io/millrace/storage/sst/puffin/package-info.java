/** Puffin files: named blobs with a footer, as Apache Iceberg specifies them. */
@NullMarked
package io.millrace.storage.sst.puffin;

import org.jspecify.annotations.NullMarked;

/** Compact binary forms of schemas, vectors and batches, shared by the log and the manifest. */
@NullMarked
package io.millrace.storage.codec;

import org.jspecify.annotations.NullMarked;

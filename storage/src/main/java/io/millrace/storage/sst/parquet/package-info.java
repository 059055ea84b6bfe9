/** SSTs as Parquet: page encoders and decoders of our own. */
@NullMarked
package io.millrace.storage.sst.parquet;

import org.jspecify.annotations.NullMarked;

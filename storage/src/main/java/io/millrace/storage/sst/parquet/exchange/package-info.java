/** Parquet files that are exchanged with other programs: of any schema, by any writer. */
@NullMarked
package io.millrace.storage.sst.parquet.exchange;

import org.jspecify.annotations.NullMarked;

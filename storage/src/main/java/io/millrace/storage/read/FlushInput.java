package io.millrace.storage.read;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a flush folds.
 *
 * @param memtables frozen, newest first, without a gap
 * @param upperSequence published; all rows of the memtables are at or below it
 * @param holds in force when the flush starts
 * @param keepAll keep every version (the recovery gate is shut)
 * @param olderFiles files of the version that stay: tombstones over their time ranges are kept
 * @param ranges range deletes whose rows are left out as far as holds allow
 * @param feedStartKeys as in the version before
 * @param feedStartRows as in the version before
 * @param minTime rows with lower times are dropped
 * @param run number of the run that the files form
 * @param maxFileBytes a new file is begun beyond about this size
 * @param fileIds gives ids for new files
 */
public record FlushInput(
    RegionId region,
    TableSchema schema,
    RegionOptions options,
    List<Memtable> memtables,
    long upperSequence,
    List<HoldPoint> holds,
    boolean keepAll,
    List<SstMeta> olderFiles,
    List<Rectangle> ranges,
    long feedStartKeys,
    long feedStartRows,
    long minTime,
    long run,
    long maxFileBytes,
    Supplier<String> fileIds) {
  public FlushInput {
    memtables = List.copyOf(memtables);
    holds = List.copyOf(holds);
    olderFiles = List.copyOf(olderFiles);
    ranges = List.copyOf(ranges);
  }
}

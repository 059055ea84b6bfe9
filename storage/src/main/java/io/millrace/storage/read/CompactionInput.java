package io.millrace.storage.read;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.SstMeta;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a compaction merges.
 *
 * @param inputs files that will be replaced; everything in them is published
 * @param others the region's other files: tombstones over older rows of theirs are kept
 * @param memtables what the region has in memory: as others
 * @param holds in force when the job starts
 * @param ranges range deletes whose rows are left out as far as holds allow
 * @param minTime rows with lower times are dropped
 * @param strictWindow every output has times of one window of this length only; 0 = one output run
 * @param fresh no key of the inputs is in another source with lower sequences
 * @param runs numbers the runs that the files form: one, or one per window
 * @param feedStartKeys as in the version before
 * @param feedStartRows as in the version before
 * @param maxFileBytes a new file is begun beyond about this size
 * @param fileIds gives ids for new files
 * @param stop asked again and again; true ends the job without a result
 */
public record CompactionInput(
    RegionId region,
    TableSchema schema,
    RegionOptions options,
    List<SstMeta> inputs,
    List<SstMeta> others,
    List<Memtable> memtables,
    List<HoldPoint> holds,
    List<RangeMark> ranges,
    long minTime,
    long strictWindow,
    boolean fresh,
    LongSupplier runs,
    long feedStartKeys,
    long feedStartRows,
    long maxFileBytes,
    Supplier<String> fileIds,
    BooleanSupplier stop) {
  public CompactionInput {
    inputs = List.copyOf(inputs);
    others = List.copyOf(others);
    memtables = List.copyOf(memtables);
    holds = List.copyOf(holds);
    ranges = List.copyOf(ranges);
  }
}

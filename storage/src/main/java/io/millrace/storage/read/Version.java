package io.millrace.storage.read;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.SstMeta;
import java.util.List;

/**
 * What a region consists of at a moment. Immutable, but for the active memtable, which grows; a
 * reader bounds it by its sequence.
 *
 * @param memtables newest first, the active one in front
 * @param files in any order
 * @param flushedSequence largest sequence that is in files
 * @param incarnation grows at every open as leader
 * @param feedStartKeys change feeds without old rows are complete from this sequence on
 * @param feedStartRows change feeds with old rows are complete from this sequence on
 * @param events kept region events, by sequence
 */
public record Version(
    RegionId region,
    TableSchema schema,
    RegionOptions options,
    List<Memtable> memtables,
    List<SstMeta> files,
    long flushedSequence,
    long incarnation,
    long feedStartKeys,
    long feedStartRows,
    List<RegionEvent> events) {
  public Version {
    memtables = List.copyOf(memtables);
    files = List.copyOf(files);
    events = List.copyOf(events);
  }
}

package io.millrace.storage.read;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
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
 * @param ranges range deletes that may still have rows to take
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
    List<RegionEvent> events,
    List<RangeMark> ranges) {
  public Version {
    ranges = List.copyOf(ranges);
    memtables = List.copyOf(memtables);
    files = List.copyOf(files);
    events = List.copyOf(events);
  }

  /** An empty region. */
  public static Version empty(RegionId region, TableSchema schema, RegionOptions options) {
    return new Version(
        region, schema, options, List.of(), List.of(), 0, 0, 0, 0, List.of(), List.of());
  }

  /** A version that begins as this one. */
  public Builder with() {
    return new Builder(this);
  }

  /** Puts a version together from another and what is different. One thread. */
  public static final class Builder {
    private final RegionId region;
    private TableSchema schema;
    private RegionOptions options;
    private List<Memtable> memtables;
    private List<SstMeta> files;
    private long flushedSequence;
    private long incarnation;
    private long feedStartKeys;
    private long feedStartRows;
    private List<RegionEvent> events;
    private List<RangeMark> ranges;

    private Builder(Version v) {
      region = v.region;
      schema = v.schema;
      options = v.options;
      memtables = v.memtables;
      files = v.files;
      flushedSequence = v.flushedSequence;
      incarnation = v.incarnation;
      feedStartKeys = v.feedStartKeys;
      feedStartRows = v.feedStartRows;
      events = v.events;
      ranges = v.ranges;
    }

    public Builder form(TableSchema newSchema, RegionOptions newOptions) {
      schema = newSchema;
      options = newOptions;
      return this;
    }

    public Builder memtables(List<Memtable> all) {
      memtables = all;
      return this;
    }

    public Builder files(List<SstMeta> all) {
      files = all;
      return this;
    }

    /** The flushed sequence never falls. */
    public Builder flushedTo(long sequence) {
      flushedSequence = Math.max(flushedSequence, sequence);
      return this;
    }

    public Builder incarnation(long n) {
      incarnation = n;
      return this;
    }

    /** The feed's starts never fall. */
    public Builder feedStarts(long keys, long rows) {
      feedStartKeys = Math.max(feedStartKeys, keys);
      feedStartRows = Math.max(feedStartRows, rows);
      return this;
    }

    public Builder events(List<RegionEvent> all) {
      events = all;
      return this;
    }

    /** One event more, unless it is there. */
    public Builder event(RegionEvent event) {
      if (!events.contains(event)) {
        var all = new ArrayList<>(events);
        all.add(event);
        events = all;
      }
      return this;
    }

    public Builder ranges(List<RangeMark> all) {
      ranges = all;
      return this;
    }

    public Version build() {
      return new Version(
          region,
          schema,
          options,
          memtables,
          files,
          flushedSequence,
          incarnation,
          feedStartKeys,
          feedStartRows,
          events,
          ranges);
    }
  }
}

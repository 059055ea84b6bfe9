package io.millrace.storage.manifest;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What all actions of a region come to.
 *
 * @param flushedSequence largest sequence that is in files, or was taken at the last opening
 * @param flushedPosition log entries up to here are in the files
 */
public record ManifestState(
    RegionId region,
    TableSchema schema,
    RegionOptions options,
    List<SstMeta> files,
    long flushedSequence,
    long flushedPosition,
    long incarnation,
    long takenSequence,
    long feedStartKeys,
    long feedStartRows,
    List<RegionEvent> events,
    boolean removed) {
  public ManifestState {
    files = List.copyOf(files);
    events = List.copyOf(events);
  }

  static ManifestState created(RegionId region, ManifestAction.Create c) {
    return new ManifestState(
        region, c.schema(), c.options(), List.of(), 0, c.position(), 0, 0, 0, 0, List.of(), false);
  }

  ManifestState apply(ManifestAction action) {
    return switch (action) {
      case ManifestAction.Create c -> created(region, c);
      case ManifestAction.Change c -> with(c.schema(), c.options());
      case ManifestAction.Edit e -> edited(e);
      case ManifestAction.Truncate t -> truncated(t.sequence());
      case ManifestAction.Event e -> withEvents(plus(e.event()), feedStartKeys, feedStartRows);
      case ManifestAction.ForgetEvents f -> forgotten(f.sequence());
      case ManifestAction.Incarnation i ->
          new ManifestState(
              region,
              schema,
              options,
              files,
              flushedSequence,
              flushedPosition,
              i.number(),
              Math.max(takenSequence, i.sequence()),
              feedStartKeys,
              feedStartRows,
              events,
              removed);
      case ManifestAction.Remove _ ->
          new ManifestState(
              region,
              schema,
              options,
              files,
              flushedSequence,
              flushedPosition,
              incarnation,
              takenSequence,
              feedStartKeys,
              feedStartRows,
              events,
              true);
    };
  }

  private ManifestState with(TableSchema newSchema, RegionOptions newOptions) {
    return new ManifestState(
        region,
        newSchema,
        newOptions,
        files,
        flushedSequence,
        flushedPosition,
        incarnation,
        takenSequence,
        feedStartKeys,
        feedStartRows,
        events,
        removed);
  }

  private ManifestState edited(ManifestAction.Edit e) {
    var gone = new HashSet<>(e.removed());
    var next = new ArrayList<SstMeta>();
    for (SstMeta f : files) {
      if (!gone.contains(f.fileId())) {
        next.add(f);
      }
    }
    next.addAll(e.added());
    return new ManifestState(
        region,
        schema,
        options,
        next,
        Math.max(flushedSequence, e.flushedSequence()),
        Math.max(flushedPosition, e.flushedPosition()),
        incarnation,
        takenSequence,
        Math.max(feedStartKeys, e.feedStartKeys()),
        Math.max(feedStartRows, e.feedStartRows()),
        events,
        removed);
  }

  private ManifestState truncated(long sequence) {
    var next = new ArrayList<SstMeta>();
    for (SstMeta f : files) {
      if (f.minSequence() > sequence) {
        next.add(f);
      }
    }
    return new ManifestState(
        region,
        schema,
        options,
        next,
        Math.max(flushedSequence, sequence),
        flushedPosition,
        incarnation,
        takenSequence,
        feedStartKeys,
        feedStartRows,
        plus(new RegionEvent.ResetAll(sequence)),
        removed);
  }

  private List<RegionEvent> plus(RegionEvent event) {
    if (events.contains(event)) {
      return events;
    }
    var next = new ArrayList<>(events);
    next.add(event);
    return next;
  }

  private ManifestState forgotten(long sequence) {
    long start = 0;
    var next = new ArrayList<RegionEvent>();
    for (RegionEvent e : events) {
      if (e.sequence() > sequence) {
        next.add(e);
      } else {
        start = Math.max(start, e.sequence());
      }
    }
    return withEvents(next, Math.max(feedStartKeys, start), Math.max(feedStartRows, start));
  }

  private ManifestState withEvents(List<RegionEvent> next, long keys, long rows) {
    return new ManifestState(
        region,
        schema,
        options,
        files,
        flushedSequence,
        flushedPosition,
        incarnation,
        takenSequence,
        keys,
        rows,
        next,
        removed);
  }
}

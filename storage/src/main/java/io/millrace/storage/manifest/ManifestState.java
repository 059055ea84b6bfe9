package io.millrace.storage.manifest;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What all actions of a region come to.
 *
 * @param flushedSequence largest sequence that is in files
 * @param flushedPosition log entries up to here are in the files
 * @param expiredBelow rows with lower times are dropped when files are written; Long.MIN_VALUE none
 * @param settledPosition log entries up to here that are no rows are in the manifest
 * @param ranges range deletes that may still have rows to take, by sequence
 * @param window length of compaction windows in the time index's unit; 0 = not known yet
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
    boolean removed,
    long expiredBelow,
    long settledPosition,
    long window,
    List<RangeMark> ranges) {
  public ManifestState {
    ranges = List.copyOf(ranges);
    files = List.copyOf(files);
    events = List.copyOf(events);
  }

  static ManifestState created(RegionId region, ManifestAction.Create c) {
    return new ManifestState(
        region,
        c.schema(),
        c.options(),
        List.of(),
        0,
        c.position(),
        0,
        0,
        0,
        0,
        List.of(),
        false,
        Long.MIN_VALUE,
        0,
        0,
        List.of());
  }

  /** As it will be after the actions. */
  public ManifestState after(List<ManifestAction> actions) {
    ManifestState next = this;
    for (ManifestAction a : actions) {
      next = next.apply(a);
    }
    return next;
  }

  ManifestState apply(ManifestAction action) {
    var next = new Change(this);
    switch (action) {
      case ManifestAction.Create c -> {
        return created(region, c);
      }
      case ManifestAction.Change c -> {
        next.schema = c.schema();
        next.options = c.options();
      }
      case ManifestAction.Edit e -> next.edit(e);
      case ManifestAction.Truncate t -> {
        next.keep(f -> f.minSequence() > t.sequence());
        next.flushedSequence = Math.max(flushedSequence, t.sequence());
        next.ranges.removeIf(m -> m.sequence() <= t.sequence());
        next.add(new RegionEvent.ResetAll(t.sequence()));
      }
      case ManifestAction.Event e -> next.add(e.event());
      case ManifestAction.ForgetEvents f -> next.forget(f.sequence());
      case ManifestAction.Expire e -> {
        next.keep(f -> f.maxTime() >= e.below());
        next.expiredBelow = Math.max(expiredBelow, e.below());
      }
      case ManifestAction.Settled p ->
          next.settledPosition = Math.max(settledPosition, p.position());
      case ManifestAction.Window w -> next.window = w.ticks();
      case ManifestAction.Incarnation i -> {
        next.incarnation = i.number();
        next.takenSequence = Math.max(takenSequence, i.sequence());
      }
      case ManifestAction.DeleteRange d -> next.ranges.add(new RangeMark(d.rectangle(), Set.of()));
      case ManifestAction.CleanedRange c ->
          next.ranges.replaceAll(m -> m.sequence() == c.sequence() ? m.cleaned(c.files()) : m);
      case ManifestAction.ForgetRange f -> next.ranges.removeIf(m -> m.sequence() == f.sequence());
      case ManifestAction.Remove _ -> next.removed = true;
    }
    return next.build();
  }

  /** A state on its way to the next one. */
  private static final class Change {
    private final RegionId region;
    private TableSchema schema;
    private RegionOptions options;
    private final List<SstMeta> files;
    private long flushedSequence;
    private long flushedPosition;
    private long incarnation;
    private long takenSequence;
    private long feedStartKeys;
    private long feedStartRows;
    private final List<RegionEvent> events;
    private boolean removed;
    private long expiredBelow;
    private long settledPosition;
    private long window;
    private final List<RangeMark> ranges;

    Change(ManifestState s) {
      region = s.region;
      schema = s.schema;
      options = s.options;
      files = new ArrayList<>(s.files);
      flushedSequence = s.flushedSequence;
      flushedPosition = s.flushedPosition;
      incarnation = s.incarnation;
      takenSequence = s.takenSequence;
      feedStartKeys = s.feedStartKeys;
      feedStartRows = s.feedStartRows;
      events = new ArrayList<>(s.events);
      removed = s.removed;
      expiredBelow = s.expiredBelow;
      settledPosition = s.settledPosition;
      window = s.window;
      ranges = new ArrayList<>(s.ranges);
    }

    void keep(Predicate<SstMeta> which) {
      files.removeIf(which.negate());
    }

    void add(RegionEvent event) {
      if (!events.contains(event)) {
        events.add(event);
      }
    }

    void edit(ManifestAction.Edit e) {
      var gone = new HashSet<>(e.removed());
      keep(f -> !gone.contains(f.fileId()));
      files.addAll(e.added());
      flushedSequence = Math.max(flushedSequence, e.flushedSequence());
      flushedPosition = Math.max(flushedPosition, e.flushedPosition());
      feedStartKeys = Math.max(feedStartKeys, e.feedStartKeys());
      feedStartRows = Math.max(feedStartRows, e.feedStartRows());
    }

    void forget(long sequence) {
      for (RegionEvent e : events) {
        if (e.sequence() <= sequence) {
          feedStartKeys = Math.max(feedStartKeys, e.sequence());
          feedStartRows = Math.max(feedStartRows, e.sequence());
        }
      }
      events.removeIf(e -> e.sequence() <= sequence);
    }

    ManifestState build() {
      ranges.replaceAll(m -> m.among(files));
      return new ManifestState(
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
          removed,
          expiredBelow,
          settledPosition,
          window,
          ranges);
    }
  }
}

package io.millrace.storage.region;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRole;
import io.millrace.storage.RegionStatistics;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Truncation;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.manifest.ManifestState;
import io.millrace.storage.manifest.RegionManifest;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.Version;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.wal.PayloadCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * A region in memory.
 *
 * Rows are appended by its worker, one slot (memtable) at a time; what changes the set of slots or
 * the version does so under the region's lock: freezing and flush outcomes by the worker, events
 * (truncate, alter) by the publisher while the gate is shut and nothing is in flight. Readers take
 * (version, committed, version) and never lock.
 *
 * Sequences are given by the log writer alone (nextSequence), committed is set by the publisher
 * alone.
 */
public final class Region {
  /** What may be done with a region. */
  public enum State {
    OPEN,
    /** Open without what only the log has; read only. */
    FILES_ONLY,
    CLOSED,
    DROPPED,
    DAMAGED
  }

  private final RegionId id;
  private final RegionManifest manifest;
  private final VersionControl versions;
  private final Tickets<Object> tickets = new Tickets<>();
  private final HoldSet holds;
  private final TaskChain chain;
  private final ConcurrentLinkedQueue<PendingAction> pending = new ConcurrentLinkedQueue<>();

  private final Object lock = new Object();
  private final Deque<Slot> frozen = new ArrayDeque<>();
  private volatile Slot active;
  private volatile State state = State.OPEN;
  private volatile String damage = "";
  private volatile long committed;
  private long nextSequence;
  private long lastRowId;
  private long truncatedSequence;
  private volatile long expiredBelow;
  private volatile int debt;
  private volatile int disturbances;
  private volatile long written;
  private List<Slot> hidden = List.of();
  private @Nullable RegionOptions stored;
  private volatile CompletableFuture<Void> debtPaid = new CompletableFuture<>();

  /** A region as its manifest says, with nothing in memory. */
  public Region(
      RegionManifest manifest, Executor background, BiConsumer<List<String>, Runnable> purge) {
    ManifestState m = manifest.state();
    this.id = m.region();
    this.manifest = manifest;
    this.holds = new HoldSet(id);
    this.chain = new TaskChain(background);
    this.active = new Slot(new Memtable(m.schema(), m.options(), maxTime(m.files())));
    long known = Math.max(m.flushedSequence(), m.takenSequence());
    for (SstMeta f : m.files()) {
      known = Math.max(known, f.maxSequence());
    }
    this.committed = known;
    this.nextSequence = committed + 1;
    this.expiredBelow = m.expiredBelow();
    this.versions =
        new VersionControl(
            Version.empty(id, m.schema(), m.options())
                .with()
                .memtables(List.of(active.memtable()))
                .files(m.files())
                .flushedTo(m.flushedSequence())
                .incarnation(m.incarnation())
                .feedStarts(m.feedStartKeys(), m.feedStartRows())
                .events(m.events())
                .ranges(m.ranges())
                .build(),
            purge);
    for (SstMeta f : m.files()) {
      lastRowId = Math.max(lastRowId, f.maxTime());
    }
  }

  public RegionId id() {
    return id;
  }

  public RegionManifest manifest() {
    return manifest;
  }

  public VersionControl versions() {
    return versions;
  }

  public Tickets<Object> tickets() {
    return tickets;
  }

  public HoldSet holds() {
    return holds;
  }

  /** What must not run at the same time: flushes and manifest commits. */
  public TaskChain chain() {
    return chain;
  }

  /** What is in the log, published, and not yet in the manifest: of a commit all or nothing. */
  public List<PendingAction> pending() {
    long visible = committed;
    return pending.stream().filter(p -> p.sequence() <= visible).toList();
  }

  /** The manifest has them. */
  public void settled(List<PendingAction> actions) {
    pending.removeAll(actions);
  }

  public TableSchema schema() {
    return versions.current().schema();
  }

  public RegionOptions options() {
    return versions.current().options();
  }

  public State state() {
    return state;
  }

  public void setState(State next) {
    synchronized (lock) {
      disturbances++;
    }
    state = next;
  }

  /** Shuts the region until its loss is accepted. */
  public void setDamaged(String where) {
    damage = where;
    state = State.DAMAGED;
  }

  /** Throws unless the region can be read. */
  public void requireReadable() {
    if (state != State.FILES_ONLY) {
      requireOpen();
    }
  }

  /** Throws unless the region can be used. */
  public void requireOpen() {
    switch (state) {
      case OPEN -> {}
      case CLOSED ->
          throw new MillraceException(ErrorCode.REGION_NOT_READY, "region " + id + " is closed");
      case FILES_ONLY ->
          throw new MillraceException(
              ErrorCode.REGION_NOT_READY,
              "region " + id + " was opened without its log and can only be read");
      case DROPPED -> throw notFound(id);
      case DAMAGED ->
          throw new MillraceException(
                  ErrorCode.DATA_CORRUPTED,
                  "region " + id + " cannot be opened: the log is damaged in " + damage)
              .withHint("Accept the loss with: millrace repair-wal");
    }
  }

  public static MillraceException notFound(RegionId id) {
    return new MillraceException(ErrorCode.REGION_NOT_FOUND, "region " + id + " does not exist");
  }

  public long committed() {
    return committed;
  }

  /** By the publisher. */
  public void setCommitted(long sequence) {
    committed = sequence;
  }

  /** Takes the next sequences, none below the floor, and returns the first; by the log writer. */
  public long takeSequences(int count, long floor) {
    long first = Math.max(nextSequence, floor);
    nextSequence = first + count;
    return first;
  }

  /** Takes row ids, strictly increasing, and returns the first; by the worker. */
  public long takeRowIds(int count, long nowNanos) {
    long first = Math.max(lastRowId + 1, nowNanos);
    lastRowId = first + count - 1;
    return first;
  }

  /** Appends rows; by the worker, in log order, or by the replay. */
  public void append(
      RegionWrite write, long firstSequence, long bytes, long position, long nowNanos) {
    Slot slot = active;
    slot.memtable().append(write, firstSequence);
    synchronized (lock) {
      written += bytes;
      slot.added(
          bytes, position, !options().skipWal(), firstSequence + write.rows().rows() - 1, nowNanos);
    }
  }

  /** Takes a logged part at start; true if it was above what the files have. */
  public void replayed(long lastSequence) {
    nextSequence = Math.max(nextSequence, lastSequence + 1);
    committed = Math.max(committed, lastSequence);
    lastRowId = Math.max(lastRowId, active.memtable().maxTime());
  }

  /** Leaves a gap in the sequences, so that none is used twice after a loss. */
  public void skipSequences(long count) {
    nextSequence += count;
    committed = nextSequence - 1;
  }

  /** Adds an event to the version; the manifest follows. */
  public void event(RegionEvent event) {
    synchronized (lock) {
      versions.update(v -> v.with().event(event).build());
    }
  }

  /** Begins a new memtable unless the active one is empty. */
  public void freeze() {
    synchronized (lock) {
      if (active.memtable().rows() > 0) {
        rotate(schema(), options());
      }
    }
  }

  /** Opens the region without what is in memory, for reading; nothing is in flight. */
  public void hideMemory() {
    synchronized (lock) {
      var all = new ArrayList<Slot>(frozen);
      all.add(active);
      hidden = List.copyOf(all);
      frozen.clear();
      Slot next = new Slot(new Memtable(schema(), options(), active.memtable().highest()));
      versions.update(v -> v.with().memtables(List.of(next.memtable())).build());
      active = next;
    }
  }

  /** Brings back what was hidden. */
  public void showMemory() {
    synchronized (lock) {
      if (hidden.isEmpty()) {
        return;
      }
      frozen.addAll(hidden.subList(0, hidden.size() - 1));
      Slot last = hidden.getLast();
      hidden = List.of();
      versions.update(v -> v.with().memtables(memtables(last)).build());
      active = last;
    }
  }

  /** Other options until the region is closed; rows are keyed and merged as before. */
  public void override(RegionOptions options) {
    synchronized (lock) {
      stored = options();
      rotate(schema(), options);
    }
  }

  /** Back to the stored options. */
  public void endOverride() {
    synchronized (lock) {
      RegionOptions before = stored;
      if (before != null) {
        stored = null;
        rotate(schema(), before);
      }
    }
  }

  private static long maxTime(List<SstMeta> files) {
    long t = Long.MIN_VALUE;
    for (SstMeta f : files) {
      t = Math.max(t, f.maxTime());
    }
    return t;
  }

  private void rotate(TableSchema schema, RegionOptions options) {
    Slot old = active;
    if (old.memtable().rows() > 0) {
      old.memtable().freeze();
      frozen.addLast(old);
    }
    Slot next = new Slot(old.memtable().successor(schema, options));
    versions.update(v -> v.with().form(schema, options).memtables(memtables(next)).build());
    active = next;
  }

  private List<Memtable> memtables(Slot first) {
    var out = new ArrayList<Memtable>(frozen.size() + 1);
    out.add(first.memtable());
    frozen.descendingIterator().forEachRemaining(s -> out.add(s.memtable()));
    return out;
  }

  /** The frozen slots, oldest first. */
  public List<Slot> frozenSlots() {
    synchronized (lock) {
      return List.copyOf(frozen);
    }
  }

  public Slot activeSlot() {
    return active;
  }

  /** Bytes of the write buffer taken by rows in memory. */
  public long reserved() {
    synchronized (lock) {
      long n = active.reserved();
      for (Slot s : frozen) {
        n += s.reserved();
      }
      return n;
    }
  }

  /** When the oldest row in memory came; Long.MAX_VALUE if there is none. */
  public long since() {
    synchronized (lock) {
      return frozen.isEmpty() ? active.since() : frozen.getFirst().since();
    }
  }

  /** The log is needed from this position on; Long.MAX_VALUE if not at all. */
  public long pinnedPosition() {
    synchronized (lock) {
      long least = active.firstPosition();
      for (Slot s : frozen) {
        least = Math.min(least, s.firstPosition());
      }
      for (Slot s : hidden) {
        least = Math.min(least, s.firstPosition());
      }
      for (PendingAction p : pending) {
        least = Math.min(least, p.position());
      }
      return least;
    }
  }

  /**
   * What the next manifest commit must contain before anything else; null if a truncate has
   * overtaken everything up to the sequence.
   */
  public @Nullable List<PendingAction> pendingUnlessTruncated(long sequence) {
    synchronized (lock) {
      return truncatedSequence >= sequence ? null : pending();
    }
  }

  /**
   * Puts what a flush wrote in the place of the slots, by the worker.
   *
   * @return whether the slots were still there
   */
  public boolean flushed(List<Slot> slots, FlushOutput output, long upper) {
    synchronized (lock) {
      if (truncatedSequence >= upper || !frozen.containsAll(slots)) {
        return false;
      }
      frozen.removeAll(slots);
      versions.update(
          v -> {
            var files = new ArrayList<>(v.files());
            files.addAll(unexpired(output));
            return v.with()
                .memtables(memtables(active))
                .files(files)
                .flushedTo(upper)
                .feedStarts(output.feedStartKeys(), output.feedStartRows())
                .build();
          });
      return true;
    }
  }

  /** Rows with lower times are dropped when files are written; Long.MIN_VALUE if none are. */
  public long expiredBelow() {
    return expiredBelow;
  }

  /** Lets files go whose times are all below the bound. */
  public void expire(long sequence, long position, long below) {
    var event = new RegionEvent.Expired(sequence, below);
    synchronized (lock) {
      pending.add(
          new PendingAction(
              position,
              sequence,
              List.of(new ManifestAction.Event(event), new ManifestAction.Expire(below))));
      expiredBelow = Math.max(expiredBelow, below);
      versions.update(
          v ->
              v.with()
                  .files(v.files().stream().filter(f -> f.maxTime() >= below).toList())
                  .event(event)
                  .build());
    }
  }

  /**
   * Puts what a compaction wrote in the place of its inputs, by the worker.
   *
   * @param upper largest sequence of the inputs
   */
  public void compacted(List<SstMeta> inputs, FlushOutput output, long upper) {
    synchronized (lock) {
      if (truncatedSequence >= upper) {
        return;
      }
      var gone = new HashSet<String>();
      for (SstMeta f : inputs) {
        gone.add(f.fileId());
      }
      versions.update(
          v -> {
            var files = new ArrayList<>(v.files());
            files.removeIf(f -> gone.contains(f.fileId()));
            files.addAll(unexpired(output));
            return v.with()
                .files(files)
                .feedStarts(output.feedStartKeys(), output.feedStartRows())
                .build();
          });
    }
  }

  /** Gives a file, if it is still there, other indexes; by the worker. */
  public void indexed(String fileId, @Nullable SideCarMeta index) {
    synchronized (lock) {
      versions.update(
          v ->
              v.with()
                  .files(
                      v.files().stream()
                          .map(f -> f.fileId().equals(fileId) ? f.withIndex(index) : f)
                          .toList())
                  .build());
    }
  }

  /** The files that no expiry takes which the manifest will hear of after them. */
  private List<SstMeta> unexpired(FlushOutput output) {
    long bound = Long.MIN_VALUE;
    for (PendingAction p : pending) {
      for (ManifestAction a : p.actions()) {
        bound = a instanceof ManifestAction.Expire e ? Math.max(bound, e.below()) : bound;
      }
    }
    long below = bound;
    return output.files().stream().filter(f -> f.maxTime() >= below).toList();
  }

  /**
   * Rows come that were written ahead: what is appended from now on may have their keys. By the
   * worker, before it appends rows of the same commit.
   */
  public void expectStaged(List<SstMeta> files) {
    synchronized (lock) {
      after(files, List.of());
    }
  }

  /** Takes files of rows that were written ahead. Nothing is in flight. */
  public void addStaged(List<SstMeta> files, long position) {
    synchronized (lock) {
      pending.add(
          new PendingAction(
              position,
              files.getLast().maxSequence(),
              List.of(new ManifestAction.Edit(files, List.of(), 0, 0, 0, 0))));
      for (SstMeta f : files) {
        lastRowId = Math.max(lastRowId, f.maxTime());
      }
      after(files, files);
    }
  }

  /**
   * Lets files come and go, and takes the sequences up to the last one. Nothing is in flight, and
   * no flush or manifest commit is under way.
   */
  public void edit(PayloadCodec.Edited edit, long sequence, long last, long position) {
    synchronized (lock) {
      var events = new ArrayList<RegionEvent>();
      if (edit.event()) {
        events.add(new RegionEvent.ResetRange(sequence, edit.minTime(), edit.maxTime()));
      }
      if (!edit.added().isEmpty()) {
        long min = Long.MAX_VALUE;
        for (SstMeta f : edit.added()) {
          min = Math.min(min, f.minTime());
          lastRowId = Math.max(lastRowId, f.maxTime());
        }
        events.add(new RegionEvent.FilesAdded(sequence, min, maxTime(edit.added())));
      }
      var actions = new ArrayList<ManifestAction>();
      events.forEach(e -> actions.add(new ManifestAction.Event(e)));
      if (!edit.added().isEmpty() || !edit.removed().isEmpty()) {
        actions.add(new ManifestAction.Edit(edit.added(), edit.removed(), 0, 0, 0, 0));
        disturbances++;
      }
      pending.add(new PendingAction(position, last, actions));
      if (!edit.added().isEmpty()) {
        after(edit.added(), edit.added());
      }
      versions.update(
          v -> {
            Version.Builder next =
                v.with()
                    .files(
                        v.files().stream()
                            .filter(f -> !edit.removed().contains(f.fileId()))
                            .toList());
            events.forEach(next::event);
            return next.build();
          });
    }
  }

  /** Range deletes take effect; the rows go when files are written. */
  public void deleteRanges(List<Rectangle> ranges, long position) {
    synchronized (lock) {
      for (Rectangle r : ranges) {
        pending.add(
            new PendingAction(
                position,
                r.sequence(),
                List.of(new ManifestAction.Event(r.event()), new ManifestAction.DeleteRange(r))));
      }
      versions.update(
          v -> {
            var all = new ArrayList<>(v.ranges());
            Version.Builder next = v.with();
            for (Rectangle r : ranges) {
              all.add(new RangeMark(r, Set.of()));
              next.event(r.event());
            }
            return next.ranges(all).build();
          });
    }
  }

  /** Changes when a compaction that was planned before has become futile. */
  public int disturbances() {
    return disturbances;
  }

  /** Begins a memtable that knows of the files' times; the version gets those that are new. */
  private void after(List<SstMeta> files, List<SstMeta> added) {
    long highest = Math.max(active.memtable().highest(), maxTime(files));
    if (active.memtable().rows() > 0) {
      active.memtable().freeze();
      frozen.addLast(active);
    }
    Slot next = new Slot(new Memtable(schema(), options(), highest));
    versions.update(
        v -> {
          var all = new ArrayList<>(v.files());
          all.addAll(added);
          return v.with().memtables(memtables(next)).files(all).build();
        });
    active = next;
  }

  /** How many sorted runs overlap where most do; writes slow down when there are many. */
  public int debt() {
    return debt;
  }

  public void setDebt(int runs) {
    boolean less = runs < debt;
    debt = runs;
    if (less) {
      CompletableFuture<Void> paid = debtPaid;
      debtPaid = new CompletableFuture<>();
      paid.complete(null);
    }
  }

  /** Completes when the debt has become less. */
  public CompletableFuture<Void> debtPaid() {
    return debtPaid;
  }

  /** Takes rows away at the sequence; returns the reserved bytes that are free again. */
  public long truncate(Truncation what, long sequence, long position) {
    synchronized (lock) {
      disturbances++;
      return switch (what) {
        case Truncation.All _ -> truncateAll(sequence, position);
        case Truncation.Unflushed _ -> truncateUnflushed(sequence, position);
        case Truncation.Files f -> truncateFiles(f, sequence, position);
      };
    }
  }

  /** Drops all memtables; returns the bytes that were reserved for them. */
  private long dropMemtables() {
    long free = active.reserved();
    for (Slot s : frozen) {
      free += s.reserved();
    }
    frozen.clear();
    return free;
  }

  private long truncateAll(long sequence, long position) {
    pending.add(
        new PendingAction(
            position,
            sequence,
            List.of(
                new ManifestAction.Truncate(sequence),
                new ManifestAction.Edit(List.of(), List.of(), sequence, position, 0, 0))));
    long free = dropMemtables();
    truncatedSequence = sequence;
    Slot next = new Slot(new Memtable(schema(), options(), Long.MIN_VALUE));
    reset(next, v -> List.of(), sequence, new RegionEvent.ResetAll(sequence));
    versions.update(
        v ->
            v.with()
                .ranges(v.ranges().stream().filter(m -> m.sequence() > sequence).toList())
                .build());
    return free;
  }

  /** No flush is under way: this happens in the region's chain. */
  private long truncateUnflushed(long sequence, long position) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (Memtable m : versions.current().memtables()) {
      if (m.rows() > 0) {
        min = Math.min(min, m.minTime());
        max = Math.max(max, m.maxTime());
      }
    }
    RegionEvent event = min > max ? null : new RegionEvent.ResetRange(sequence, min, max);
    pend(
        position,
        sequence,
        event,
        new ManifestAction.Edit(List.of(), List.of(), sequence, position, 0, 0));
    long free = dropMemtables();
    Slot next = new Slot(new Memtable(schema(), options(), maxTime(versions.current().files())));
    reset(next, Version::files, sequence, event);
    return free;
  }

  private long truncateFiles(Truncation.Files which, long sequence, long position) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    var gone = new ArrayList<String>();
    for (SstMeta f : versions.current().files()) {
      if (which.covers(f.minTime(), f.maxTime())) {
        gone.add(f.fileId());
        min = Math.min(min, f.minTime());
        max = Math.max(max, f.maxTime());
      }
    }
    RegionEvent event = min > max ? null : new RegionEvent.ResetRange(sequence, min, max);
    pend(position, sequence, event, new ManifestAction.Edit(List.of(), gone, 0, 0, 0, 0));
    Slot same = active;
    reset(same, v -> v.files().stream().filter(f -> !gone.contains(f.fileId())).toList(), 0, event);
    return 0;
  }

  private void pend(
      long position, long sequence, @Nullable RegionEvent event, ManifestAction edit) {
    pending.add(
        new PendingAction(
            position,
            sequence,
            event == null ? List.of(edit) : List.of(new ManifestAction.Event(event), edit)));
  }

  private void reset(
      Slot first,
      Function<Version, List<SstMeta>> files,
      long flushed,
      @Nullable RegionEvent event) {
    versions.update(
        v -> {
          Version.Builder next =
              v.with().memtables(memtables(first)).files(files.apply(v)).flushedTo(flushed);
          return (event == null ? next : next.event(event)).build();
        });
    active = first;
  }

  /** Changes schema and options; rows that follow go to a memtable of the new form. */
  public void alter(TableSchema schema, RegionOptions options, long sequence, long position) {
    synchronized (lock) {
      disturbances++;
      stored = null;
      pending.add(
          new PendingAction(
              position, sequence, List.of(new ManifestAction.Change(schema, options))));
      rotate(schema, options);
    }
  }

  /** Makes the version's facts equal to the manifest's: incarnation, events, feed starts. */
  public void adopt(ManifestState m) {
    synchronized (lock) {
      versions.update(
          v ->
              v.with()
                  .incarnation(m.incarnation())
                  .feedStarts(m.feedStartKeys(), m.feedStartRows())
                  .events(merged(v.events(), m))
                  .ranges(ranges(v.ranges(), m))
                  .build());
    }
  }

  /** The manifest's range deletes, and those of the version that it has not heard of. */
  private List<RangeMark> ranges(List<RangeMark> mine, ManifestState m) {
    var coming = new HashSet<Long>();
    for (PendingAction p : pending) {
      for (ManifestAction a : p.actions()) {
        if (a instanceof ManifestAction.DeleteRange d) {
          coming.add(d.rectangle().sequence());
        }
      }
    }
    var out = new ArrayList<>(m.ranges());
    for (RangeMark r : mine) {
      if (coming.contains(r.sequence())) {
        out.add(r);
      }
    }
    return out;
  }

  /** Events of the version that the manifest has not forgotten, and all of the manifest's. */
  private List<RegionEvent> merged(List<RegionEvent> mine, ManifestState m) {
    Set<RegionEvent> kept = new HashSet<>(m.events());
    for (PendingAction p : pending) {
      for (ManifestAction a : p.actions()) {
        switch (a) {
          case ManifestAction.Truncate t -> kept.add(new RegionEvent.ResetAll(t.sequence()));
          case ManifestAction.Event e -> kept.add(e.event());
          case ManifestAction.Create _,
              ManifestAction.Change _,
              ManifestAction.Edit _,
              ManifestAction.ForgetEvents _,
              ManifestAction.Incarnation _,
              ManifestAction.Expire _,
              ManifestAction.Window _,
              ManifestAction.Settled _,
              ManifestAction.DeleteRange _,
              ManifestAction.CleanedRange _,
              ManifestAction.ForgetRange _,
              ManifestAction.Remove _ -> {}
        }
      }
    }
    var out = new ArrayList<RegionEvent>();
    for (RegionEvent e : mine) {
      if (kept.remove(e)) {
        out.add(e);
      }
    }
    out.addAll(kept);
    out.sort((a, b) -> Long.compare(a.sequence(), b.sequence()));
    return out;
  }

  /** What may be done with it. */
  public RegionRole role() {
    return state == State.FILES_ONLY ? RegionRole.FOLLOWER : RegionRole.LEADER;
  }

  /** Figures of this moment. */
  public RegionStatistics statistics() {
    RegionInfo i = info();
    long rows = 0;
    long logged = 0;
    long series = 0;
    Version v = versions.current();
    for (Memtable m : v.memtables()) {
      rows += m.rows();
      series = Math.max(series, m.series().size());
    }
    synchronized (lock) {
      logged += active.loggedBytes();
      for (Slot s : frozen) {
        logged += s.loggedBytes();
      }
    }
    long indexes = 0;
    for (SstMeta f : v.files()) {
      SideCarMeta index = f.index();
      indexes += index == null ? 0 : index.bytes();
    }
    ManifestState m = manifest.state();
    return new RegionStatistics(
        id,
        role(),
        i.rows(),
        v.memtables().size(),
        rows,
        i.memtableBytes(),
        series,
        i.files(),
        i.fileBytes(),
        indexes,
        manifest.bytes(),
        manifest.version(),
        logged,
        written,
        i.minTime(),
        i.maxTime(),
        m.flushedPosition(),
        i.flushedSequence(),
        committed,
        i.incarnation());
  }

  public RegionInfo info() {
    Version v = versions.current();
    long rows = 0;
    long memory = 0;
    long bytes = 0;
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (Memtable m : v.memtables()) {
      rows += m.rows();
      memory += m.byteSize();
      min = Math.min(min, m.minTime());
      max = Math.max(max, m.maxTime());
    }
    for (SstMeta f : v.files()) {
      rows += f.rows();
      bytes += f.bytes();
      min = Math.min(min, f.minTime());
      max = Math.max(max, f.maxTime());
    }
    return new RegionInfo(
        id,
        v.schema(),
        v.options(),
        v.incarnation(),
        committed,
        v.flushedSequence(),
        rows,
        memory,
        bytes,
        v.files().size(),
        min,
        max,
        expiredBelow);
  }

  @Override
  public String toString() {
    return "region " + id;
  }

  /** For messages: the damage, if any. */
  public @Nullable String damage() {
    return state == State.DAMAGED ? damage : null;
  }
}

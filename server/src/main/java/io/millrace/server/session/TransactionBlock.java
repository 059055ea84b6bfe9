package io.millrace.server.session;

import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter.StagedWrite;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The running transaction: explicit (BEGIN) or implicit (one simple query message, or the extended
 * messages up to Sync). Writes are buffered here, read back by the session's own statements as
 * overlays, and committed once at the end. Owned by the session's serial tasks.
 */
public final class TransactionBlock {
  private final KeyLocks.Owner owner;
  private final long startMicros;
  private boolean explicit;
  private boolean failed;
  private boolean readOnly;
  private String isolation;
  private final List<StagedWrite> staged = new ArrayList<>();
  private final List<TableWrite> writes = new ArrayList<>();
  private final Map<RegionId, List<RegionWrite>> routed = new HashMap<>();
  private final List<Savepoint> savepoints = new ArrayList<>();
  private final WriteMemory memory;
  private final List<Runnable> atEnd = new ArrayList<>();
  private long bufferedBytes;
  private @Nullable Snapshot firstSnapshot;
  private @Nullable Map<RegionId, Overlay> frozen;

  /** What was written when it was set: so many pieces staged, and so many writes after them. */
  record Savepoint(
      String name, int staged, int writes, SessionSettings.Saved settings, KeyLocks.Mark locks) {
    Savepoint with(int stagedNow, int writesNow) {
      return new Savepoint(name, stagedNow, writesNow, settings, locks);
    }
  }

  TransactionBlock(
      KeyLocks.Owner owner,
      long startMicros,
      String isolation,
      boolean readOnly,
      WriteMemory memory) {
    this.memory = memory;
    this.owner = owner;
    this.startMicros = startMicros;
    this.isolation = isolation;
    this.readOnly = readOnly;
  }

  public KeyLocks.Owner owner() {
    return owner;
  }

  public long startMicros() {
    return startMicros;
  }

  public boolean explicit() {
    return explicit;
  }

  void makeExplicit() {
    explicit = true;
  }

  public boolean failed() {
    return failed;
  }

  void fail() {
    failed = true;
  }

  void unfail() {
    failed = false;
  }

  public boolean readOnly() {
    return readOnly;
  }

  void setReadOnly(boolean value) {
    readOnly = value;
  }

  String isolation() {
    return isolation;
  }

  void setIsolation(String value) {
    isolation = value;
  }

  /** Whether every statement sees the first one's snapshot. */
  public boolean repeatable() {
    return explicit && (isolation.equals("repeatable read") || isolation.equals("serializable"));
  }

  public @Nullable Snapshot firstSnapshot() {
    return firstSnapshot;
  }

  public void keepSnapshot(Snapshot snapshot) {
    firstSnapshot = snapshot;
  }

  void closeSnapshot() {
    Snapshot s = firstSnapshot;
    firstSnapshot = null;
    if (s != null) {
      s.close();
    }
  }

  /** Adds a statement's writes with their routing. */
  public void buffer(TableWrite write, List<RegionWrite> parts) {
    long bytes = write.rows().byteSize();
    memory.reserve(bytes);
    bufferedBytes += bytes;
    writes.add(write);
    for (RegionWrite p : parts) {
      routed.computeIfAbsent(p.region(), r -> new ArrayList<>()).add(p);
    }
  }

  /** Gives back what the writes were charged, once they are committed or given up. */
  void releaseMemory() {
    memory.release(bufferedBytes);
    bufferedBytes = 0;
  }

  /** The savepoint from which a failed transaction can go on; null if there is none. */
  @Nullable Savepoint lastSavepoint() {
    return savepoints.isEmpty() ? null : savepoints.getLast();
  }

  /** Forgets all writes; gives what was staged, to be discarded. */
  List<StagedWrite> giveUp() {
    List<StagedWrite> discarded = List.copyOf(staged);
    staged.clear();
    writes.clear();
    routed.clear();
    releaseMemory();
    return discarded;
  }

  /** Registers what is let go of when the transaction has ended, whatever came of it. */
  public void atEnd(Runnable task) {
    atEnd.add(task);
  }

  void ended() {
    atEnd.forEach(Runnable::run);
    atEnd.clear();
  }

  public List<TableWrite> writes() {
    return writes;
  }

  /** What is written ahead of the commit; older than the writes. */
  public List<StagedWrite> staged() {
    return staged;
  }

  /**
   * The writes in pieces that savepoints do not cut: what must be staged before anything newer is.
   */
  public List<List<TableWrite>> pieces() {
    var ends = new TreeSet<Integer>();
    for (Savepoint s : savepoints) {
      ends.add(s.writes);
    }
    ends.add(writes.size());
    var out = new ArrayList<List<TableWrite>>();
    int from = 0;
    for (int end : ends) {
      if (end > from) {
        out.add(List.copyOf(writes.subList(from, end)));
        from = end;
      }
    }
    return out;
  }

  /** The pieces have been staged, each as given, and need no memory any more. */
  public void spilled(List<List<TableWrite>> pieces, List<List<StagedWrite>> results) {
    int end = 0;
    for (int i = 0; i < pieces.size(); i++) {
      staged.addAll(results.get(i));
      end += pieces.get(i).size();
      int at = end;
      savepoints.replaceAll(p -> p.writes == at ? p.with(staged.size(), 0) : p);
    }
    writes.clear();
    routed.clear();
    releaseMemory();
  }

  /** Adds rows that were written ahead; nothing is buffered. */
  public void stage(List<StagedWrite> more) {
    if (!writes.isEmpty()) {
      throw new IllegalStateException("staged rows after buffered ones");
    }
    staged.addAll(more);
  }

  public long bufferedBytes() {
    return bufferedBytes;
  }

  /**
   * Lets statements read the transaction's own rows as they are now, whatever is written meanwhile,
   * until {@link #thaw}.
   */
  public void freeze() {
    frozen = overlays();
  }

  /** Lets statements read what is written again. */
  public void thaw() {
    frozen = null;
  }

  /** The transaction's own rows, for reading. */
  public Map<RegionId, Overlay> readOverlays() {
    Map<RegionId, Overlay> f = frozen;
    return f == null ? overlays() : f;
  }

  /** The transaction's own rows. */
  public Map<RegionId, Overlay> overlays() {
    if (routed.isEmpty() && staged.isEmpty()) {
      return Map.of();
    }
    var ahead = new HashMap<RegionId, List<StagedRows>>();
    for (StagedWrite s : staged) {
      ahead.computeIfAbsent(s.rows().region(), r -> new ArrayList<>()).add(s.rows());
    }
    var out = new HashMap<RegionId, Overlay>();
    ahead.forEach((r, s) -> out.put(r, new Overlay(routed.getOrDefault(r, List.of()), s)));
    routed.forEach((r, w) -> out.putIfAbsent(r, new Overlay(w)));
    return out;
  }

  /**
   * Lets go of the writes to a table that is dropped or emptied now, at once and for good; what was
   * staged is given back to be discarded.
   */
  public List<StagedWrite> forget(TableId table) {
    Predicate<StagedWrite> ahead = w -> w.table().id().equals(table);
    for (int i = 0; i < savepoints.size(); i++) {
      Savepoint s = savepoints.get(i);
      int gone = (int) writes.subList(0, s.writes()).stream().filter(w -> of(w, table)).count();
      int lost = (int) staged.subList(0, s.staged()).stream().filter(ahead).count();
      savepoints.set(i, s.with(s.staged() - lost, s.writes() - gone));
    }
    List<StagedWrite> discarded = staged.stream().filter(ahead).toList();
    staged.removeAll(discarded);
    for (TableWrite w : writes) {
      if (of(w, table)) {
        long bytes = w.rows().byteSize();
        bufferedBytes -= bytes;
        memory.release(bytes);
      }
    }
    writes.removeIf(w -> of(w, table));
    routed.keySet().removeIf(region -> region.table().equals(table));
    return discarded;
  }

  private static boolean of(TableWrite write, TableId table) {
    return write.table().id().equals(table);
  }

  void savepoint(String name, SessionSettings.Saved settings, KeyLocks.Mark locks) {
    savepoints.add(new Savepoint(name, staged.size(), writes.size(), settings, locks));
  }

  private int find(String name) {
    for (int i = savepoints.size() - 1; i >= 0; i--) {
      if (savepoints.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  boolean release(String name) {
    int i = find(name);
    if (i < 0) {
      return false;
    }
    savepoints.subList(i, savepoints.size()).clear();
    return true;
  }

  /**
   * Goes back to a savepoint, which stays; null if there is none of that name.
   *
   * @param discard takes what was staged since
   */
  @Nullable Savepoint rollbackTo(
      String name,
      Function<TableWrite, List<RegionWrite>> router,
      Consumer<List<StagedWrite>> discard) {
    int i = find(name);
    if (i < 0) {
      return null;
    }
    Savepoint s = savepoints.get(i);
    savepoints.subList(i + 1, savepoints.size()).clear();
    List<StagedWrite> later = staged.subList(s.staged, staged.size());
    if (!later.isEmpty()) {
      discard.accept(List.copyOf(later));
      later.clear();
      keep(0, router);
    } else {
      keep(s.writes, router);
    }
    return s;
  }

  /** Keeps the first writes only. */
  private void keep(int count, Function<TableWrite, List<RegionWrite>> router) {
    if (count >= writes.size()) {
      return;
    }
    var kept = new ArrayList<>(writes.subList(0, count));
    writes.clear();
    routed.clear();
    releaseMemory();
    for (TableWrite w : kept) {
      buffer(w, router.apply(w));
    }
  }
}

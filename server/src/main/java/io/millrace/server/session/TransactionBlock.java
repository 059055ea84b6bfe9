package io.millrace.server.session;

import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final List<TableWrite> writes = new ArrayList<>();
  private final Map<RegionId, List<RegionWrite>> routed = new HashMap<>();
  private final List<Savepoint> savepoints = new ArrayList<>();
  private final WriteMemory memory;
  private long bufferedBytes;
  private @Nullable Snapshot firstSnapshot;

  record Savepoint(String name, int writes, SessionSettings.Saved settings) {}

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

  public List<TableWrite> writes() {
    return writes;
  }

  public long bufferedBytes() {
    return bufferedBytes;
  }

  /** The transaction's own rows, for reading. */
  public Map<RegionId, Overlay> overlays() {
    if (routed.isEmpty()) {
      return Map.of();
    }
    var out = new HashMap<RegionId, Overlay>();
    routed.forEach((r, w) -> out.put(r, new Overlay(w)));
    return out;
  }

  /** Lets go of the writes to a table that is dropped or emptied now, at once and for good. */
  public void forget(TableId table) {
    for (int i = 0; i < savepoints.size(); i++) {
      Savepoint s = savepoints.get(i);
      int gone = (int) writes.subList(0, s.writes()).stream().filter(w -> of(w, table)).count();
      savepoints.set(i, new Savepoint(s.name(), s.writes() - gone, s.settings()));
    }
    for (TableWrite w : writes) {
      if (of(w, table)) {
        long bytes = w.rows().byteSize();
        bufferedBytes -= bytes;
        memory.release(bytes);
      }
    }
    writes.removeIf(w -> of(w, table));
    routed.keySet().removeIf(region -> region.table().equals(table));
  }

  private static boolean of(TableWrite write, TableId table) {
    return write.table().id().equals(table);
  }

  void savepoint(String name, SessionSettings.Saved settings) {
    savepoints.add(new Savepoint(name, writes.size(), settings));
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

  /** Goes back to a savepoint, which stays; null if there is none of that name. */
  @Nullable Savepoint rollbackTo(
      String name, java.util.function.Function<TableWrite, List<RegionWrite>> router) {
    int i = find(name);
    if (i < 0) {
      return null;
    }
    Savepoint s = savepoints.get(i);
    savepoints.subList(i + 1, savepoints.size()).clear();
    undoTo(s.writes(), router);
    return s;
  }

  /** Number of writes so far: what a failing statement goes back to. */
  public int mark() {
    return writes.size();
  }

  void undoTo(int mark, java.util.function.Function<TableWrite, List<RegionWrite>> router) {
    if (mark >= writes.size()) {
      return;
    }
    var kept = new ArrayList<>(writes.subList(0, mark));
    writes.clear();
    routed.clear();
    releaseMemory();
    for (TableWrite w : kept) {
      buffer(w, router.apply(w));
    }
  }
}

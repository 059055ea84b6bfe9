package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The change feed. Sources that have nothing above the lower bound are left out; of the others the
 * rows above it are merged, so each changed key comes once with its newest version. That version is
 * the answer where the newest row wins as a whole; else, and for the old row, keys are looked up,
 * but for those that their memtable marked as new when they came.
 */
final class Changes implements ChangeFeed {
  private static final int KEYS = 4096;

  private final Version version;
  private final ReadSchema schema;
  private final long after;
  private final long upTo;
  private final List<Integer> columnIds;
  private final boolean withOld;
  private final OpenFiles.Lease lease;
  private final LookupCounters lookups;
  private final List<RegionEvent> events;
  private final ScanCounters counters = new ScanCounters();
  private @Nullable Merger merger;

  Changes(
      Version version,
      ReadSchema schema,
      long after,
      long upTo,
      List<Integer> columnIds,
      boolean withOld,
      OpenFiles.Lease lease,
      LookupCounters lookups) {
    this.lookups = lookups;
    this.version = version;
    this.schema = schema;
    this.after = after;
    this.upTo = upTo;
    this.columnIds = List.copyOf(columnIds);
    this.withOld = withOld;
    this.lease = lease;
    this.events =
        version.events().stream()
            .filter(e -> e.sequence() > after && e.sequence() <= upTo)
            .toList();
  }

  @Override
  public List<RegionEvent> events() {
    return events;
  }

  private Merger merger() {
    Merger m = merger;
    if (m == null) {
      List<Source> sources =
          Sources.of(
              version, schema, upTo, after, Long.MIN_VALUE, Long.MAX_VALUE, null, lease, counters);
      var cursors = new ArrayList<ChunkCursor>();
      for (Source s : sources) {
        SstMeta file = s.fileMeta();
        boolean arrived = file != null && file.visibleSince() > after;
        var filter =
            new KeyFilter(
                new long[] {Long.MIN_VALUE},
                new long[] {Long.MAX_VALUE},
                List.of(),
                arrived ? -1 : after,
                Math.min(upTo, s.upTo));
        cursors.add(s.open(filter, counters));
      }
      m = new Merger(schema, cursors, schema.merges ? new Fold.Newest() : new Fold.All());
      merger = m;
    }
    return m;
  }

  private Lookup lookup(long at) {
    return new Lookup(version, schema, at, null, lease, lookups);
  }

  @Override
  public @Nullable ChangeBatch next() {
    for (; ; ) {
      var changed = new Assembly(schema);
      if (!merger().fill(changed, KEYS)) {
        return null;
      }
      if (changed.rows() == 0) {
        continue;
      }
      ChangeBatch b = answer(changed);
      if (b != null) {
        return b;
      }
    }
  }

  private @Nullable ChangeBatch answer(Assembly changed) {
    int n = changed.rows();
    var keyColumns = new ArrayList<Vector>();
    for (int id : schema.tagIds) {
      keyColumns.add(changed.column(id));
    }
    keyColumns.add(changed.column(schema.timeId));
    var keys = new Batch(keyColumns, n);
    byte[] ops = changed.ops();
    boolean whole = !schema.merges || schema.lastRow;
    for (int i = 0; i < n && whole; i++) {
      whole = ops[i] != OpType.CLEAR.code();
    }
    Batch now;
    long[] present;
    if (whole) {
      var columns = new ArrayList<Vector>();
      for (int id : columnIds) {
        columns.add(changed.column(id));
      }
      now = new Batch(columns, n);
      present = new long[Bits.words(n)];
      for (int i = 0; i < n; i++) {
        if (ops[i] != OpType.DELETE.code()) {
          Bits.set(present, i);
        }
      }
    } else {
      KeyRows r = lookup(upTo).rows(keys, columnIds, null);
      now = r.rows();
      present = r.found();
    }
    if (!withOld) {
      return new ChangeBatch(keys, now, present, null, null);
    }
    KeyRows old = lookup(after).rows(keys, columnIds, changed.knownNew());
    return withoutNothing(new ChangeBatch(keys, now, present, old.rows(), old.found()), n);
  }

  /** Leaves out keys that were and are absent. */
  private static @Nullable ChangeBatch withoutNothing(ChangeBatch b, int n) {
    long[] was = Objects.requireNonNull(b.oldPresent());
    Batch old = Objects.requireNonNull(b.old());
    int[] at = new int[n];
    int k = 0;
    for (int i = 0; i < n; i++) {
      if (Bits.get(b.present(), i) || Bits.get(was, i)) {
        at[k++] = i;
      }
    }
    if (k == 0) {
      return null;
    }
    if (k == n) {
      return b;
    }
    return new ChangeBatch(
        b.keys().take(at, k),
        b.now().take(at, k),
        Bits.take(b.present(), at, k),
        old.take(at, k),
        Bits.take(was, at, k));
  }

  @Override
  public void close() {
    lease.close();
  }
}

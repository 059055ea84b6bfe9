package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Overlay;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of given keys. A key that is later than everything its series has had is new, which the
 * active memtable's series know without looking at a row. What is left is sorted, distinct keys of
 * one series together; every source whose times cover some of them adds the rows it has, newest
 * source first, and the versions of each key are folded as a scan would.
 */
final class Lookup {
  private final Version version;
  private final ReadSchema schema;
  private final long readSequence;
  private final @Nullable Overlay overlay;
  private final OpenFiles.Lease lease;
  private final LookupCounters counters;

  Lookup(
      Version version,
      ReadSchema schema,
      long readSequence,
      @Nullable Overlay overlay,
      OpenFiles.Lease lease,
      LookupCounters counters) {
    this.version = version;
    this.schema = schema;
    this.readSequence = readSequence;
    this.overlay = overlay;
    this.lease = lease;
    this.counters = counters;
  }

  /**
   * @param keys tags, then the time
   * @param knownNew bits of keys that have no row, or null
   */
  KeyRows rows(Batch keys, List<Integer> columnIds, long @Nullable [] knownNew) {
    int n = keys.rows();
    int width = schema.tagIds.size();
    List<Vector> tags = keys.columns().subList(0, width);
    long[] times = ReadSchema.times(keys.column(width));
    Own own = Own.of(version, overlay);
    int[] doubtful = doubtful(tags, times, n, knownNew, own);
    counters.newByTime.add(n - doubtful.length);
    int[] rowOf = new int[n];
    Arrays.fill(rowOf, -1);
    var found = new Assembly(schema);
    if (doubtful.length > 0) {
      find(tags, times, doubtful, own, rowOf, found);
    }
    return answer(rowOf, found, columnIds);
  }

  /** The rows that a transaction has written, as a memtable; null if it has none. */
  private record Own(@Nullable Memtable memtable, boolean staged) {
    static Own of(Version version, @Nullable Overlay overlay) {
      return overlay == null
          ? new Own(null, false)
          : new Own(Sources.memtable(version, overlay), !overlay.staged().isEmpty());
    }
  }

  /** Positions of the keys that may have a row. */
  private int[] doubtful(
      List<Vector> tags, long[] times, int n, long @Nullable [] knownNew, Own own) {
    Memtable active = version.memtables().isEmpty() ? null : version.memtables().getFirst();
    boolean known = active != null && active.schema().tagIds().equals(schema.tagIds);
    SeriesTable series = known && active != null ? active.series() : null;
    Memtable mine = own.memtable;
    int[] numbers = series == null ? new int[0] : series.findAll(tags, n);
    int[] ownNumbers = mine == null ? new int[0] : mine.series().findAll(tags, n);
    int[] out = new int[n];
    int k = 0;
    for (int i = 0; i < n; i++) {
      if (knownNew != null && Bits.get(knownNew, i)) {
        continue;
      }
      boolean may =
          series == null
              || own.staged
              || series.mayBeOlder(times[i])
              || series.mayHold(numbers[i], times[i])
              || (mine != null && mine.series().mayHold(ownNumbers[i], times[i]));
      out[k] = i;
      k += may ? 1 : 0;
    }
    return Arrays.copyOf(out, k);
  }

  private void find(
      List<Vector> tags, long[] times, int[] doubtful, Own own, int[] rowOf, Assembly found) {
    int m = doubtful.length;
    List<Vector> someTags = tags;
    long[] someTimes = times;
    if (m < rowOf.length) {
      someTags = new ArrayList<>();
      for (Vector v : tags) {
        someTags.add(v.take(doubtful, m));
      }
      someTimes = new long[m];
      for (int i = 0; i < m; i++) {
        someTimes[i] = times[doubtful[i]];
      }
    }
    KeyList.Sorted sorted = KeyList.sort(schema, someTags, someTimes, m);
    KeyList list = sorted.keys();
    List<Source> sources =
        Sources.of(
            version,
            schema,
            readSequence,
            -1,
            list.minTime(),
            list.maxTime(),
            overlay,
            own.memtable,
            lease,
            counters.scan);
    int[] rows = fold(schema, sources, new KeyHits(list, schema), counters, found);
    for (int i = 0; i < m; i++) {
      rowOf[doubtful[i]] = rows[sorted.placeOf()[i]];
    }
  }

  /**
   * The visible rows of the keys: for each its row among those added, or -1.
   *
   * @param hits empty
   */
  static int[] fold(
      ReadSchema schema,
      List<Source> sources,
      KeyHits hits,
      LookupCounters counters,
      Assembly found) {
    var newestFirst = new ArrayList<>(sources);
    newestFirst.sort((a, b) -> Long.compare(b.maxSequence, a.maxSequence));
    for (Source s : newestFirst) {
      s.lookup(hits.list, hits, counters.scan);
    }
    int byBloom = hits.newByBloom();
    counters.newByBloom.add(byBloom);
    counters.lookedUp.add(hits.list.rows - byBloom);
    Fold fold = schema.merges ? new Fold.Visible(schema.lastRow) : new Fold.Newest();
    return hits.fold(fold, found);
  }

  private KeyRows answer(int[] rowOf, Assembly found, List<Integer> columnIds) {
    int n = rowOf.length;
    long[] bits = new long[Bits.words(Math.max(1, n))];
    int[] positions = new int[n];
    boolean straight = found.rows() == n;
    for (int i = 0; i < n; i++) {
      if (rowOf[i] >= 0) {
        Bits.set(bits, i);
        positions[i] = rowOf[i];
      }
      straight &= rowOf[i] == i;
    }
    var columns = new ArrayList<Vector>();
    for (int id : columnIds) {
      if (found.rows() == 0) {
        columns.add(ReadSchema.nulls(schema.type(id), n));
      } else {
        Vector v = found.column(id);
        columns.add(straight ? v : v.take(positions, n));
      }
    }
    return new KeyRows(new Batch(columns, n), bits);
  }
}

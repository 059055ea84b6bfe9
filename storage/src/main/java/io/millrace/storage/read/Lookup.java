package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Overlay;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of given keys: the keys are sorted, every source that can have them gives its versions, by
 * binary search in sorted parts and in the pages that the page index leaves, and the versions are
 * merged like a scan's.
 */
final class Lookup {
  private Lookup() {}

  static KeyRows rows(
      Version version,
      ReadSchema schema,
      long readSequence,
      Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay,
      OpenFiles.Lease lease) {
    int width = schema.tagIds.size();
    List<Vector> tags = keys.columns().subList(0, width);
    long[] times = ReadSchema.times(keys.column(width));
    KeyList.Sorted sorted = KeyList.sort(tags, times, keys.rows());
    var counters = new ScanCounters();
    KeyList list = sorted.keys();
    List<Source> sources =
        list.rows == 0
            ? List.of()
            : Sources.of(
                version,
                schema,
                readSequence,
                -1,
                list.minTime(),
                list.maxTime(),
                overlay,
                lease,
                counters);
    var cursors = new ArrayList<ChunkCursor>();
    for (Source s : sources) {
      var filter =
          new KeyFilter(
              new long[] {Long.MIN_VALUE}, new long[] {Long.MAX_VALUE}, List.of(), -1, s.upTo);
      cursors.add(s.lookup(list, filter, counters));
    }
    Fold fold = schema.merges ? new Fold.Visible(schema.lastRow) : new Fold.Newest();
    var merger = new Merger(schema, cursors, fold);
    var found = new Assembly(schema);
    while (!merger.done()) {
      merger.fill(found, Integer.MAX_VALUE);
    }
    return answer(schema, sorted, found, keys.rows(), columnIds);
  }

  private static KeyRows answer(
      ReadSchema schema, KeyList.Sorted sorted, Assembly found, int n, List<Integer> columnIds) {
    int[] rowOf = places(schema, sorted.keys(), found);
    long[] bits = new long[Bits.words(Math.max(1, n))];
    int[] positions = new int[n];
    for (int i = 0; i < n; i++) {
      int r = rowOf[sorted.placeOf()[i]];
      if (r >= 0) {
        Bits.set(bits, i);
        positions[i] = r;
      }
    }
    var columns = new ArrayList<Vector>();
    for (int id : columnIds) {
      columns.add(
          found.rows() == 0
              ? ReadSchema.nulls(schema.type(id), n)
              : found.column(id).take(positions, n));
    }
    return new KeyRows(new Batch(columns, n), bits);
  }

  /** Per key of the list its row among the found ones, which are in the same order; -1 none. */
  private static int[] places(ReadSchema schema, KeyList keys, Assembly found) {
    int[] out = new int[keys.rows];
    if (found.rows() == 0) {
      java.util.Arrays.fill(out, -1);
      return out;
    }
    var tags = new ArrayList<Vector>();
    for (int id : schema.tagIds) {
      tags.add(found.column(id));
    }
    long[] times = ReadSchema.times(found.column(schema.timeId));
    int at = 0;
    for (int k = 0; k < keys.rows; k++) {
      out[k] = -1;
      if (at < found.rows() && times[at] == keys.times[k]) {
        boolean same = true;
        for (int t = 0; t < tags.size() && same; t++) {
          same = KeyList.Keys.compare(tags.get(t), at, keys.tags.get(t), k) == 0;
        }
        if (same) {
          out[k] = at++;
        }
      }
    }
    return out;
  }
}

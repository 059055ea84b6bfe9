package io.millrace.storage.read;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows found for the keys of a list, from all sources; then, key by key, the versions newest first.
 * Keys that a newer source has settled need not be looked for in older ones. One thread.
 */
final class KeyHits {
  final KeyList list;

  /** The keys are the last ones of their series. */
  boolean lastRows;

  /** Takes rows of the source that is being asked; null = none. */
  @Nullable Mask mask;

  private final ReadSchema schema;
  private final int keys;
  private final boolean newestWins;
  private final Map<SeriesTable, int[]> numbers = new IdentityHashMap<>();
  private int[] key = new int[64];
  private Chunk[] chunk = new Chunk[64];
  private int[] row = new int[64];
  private int size;

  /** Keys with a version above this need no older ones. */
  private final long[] settled;

  private final long[] denied;

  KeyHits(KeyList list, ReadSchema schema) {
    this.list = list;
    this.schema = schema;
    this.keys = list.rows;
    this.newestWins = schema.lastRow || !schema.merges;
    this.settled = new long[newestWins ? keys : 0];
    this.denied = new long[Bits.words(Math.max(1, keys))];
    Arrays.fill(settled, Long.MIN_VALUE);
  }

  /** Whether versions of a key up to that sequence can matter. */
  boolean wants(int k, long maxSequence) {
    return !newestWins || settled[k] <= maxSequence;
  }

  /** The numbers of the list's series in a table, -1 where it has none. */
  int[] numbers(SeriesTable table, TableSchema stored) {
    return numbers.computeIfAbsent(table, t -> find(t, stored));
  }

  private int[] find(SeriesTable table, TableSchema stored) {
    int n = list.seriesCount();
    if (stored.tagIds().equals(schema.tagIds)) {
      return table.findAll(list.tags, n);
    }
    var tags = new ArrayList<Vector>();
    for (int id : stored.tagIds()) {
      tags.add(list.tags.get(schema.tagIndex(id)));
    }
    int[] out = table.findAll(tags, n);
    for (int t = 0; t < schema.tagIds.size(); t++) {
      int id = schema.tagIds.get(t);
      if (!stored.tagIds().contains(id)) {
        Vector absent = schema.absent(id, 1);
        for (int s = 0; s < n; s++) {
          out[s] = KeyList.Keys.compare(list.tags.get(t), s, absent, 0) == 0 ? out[s] : -1;
        }
      }
    }
    return out;
  }

  void add(int k, Chunk c, int at, Source source) {
    if (c.maxSequence > source.upTo && c.sequence()[at] > source.upTo) {
      return;
    }
    if (mask != null && mask.takes(c, at)) {
      return;
    }
    if (size == key.length) {
      key = Arrays.copyOf(key, size * 2);
      chunk = Arrays.copyOf(chunk, size * 2);
      row = Arrays.copyOf(row, size * 2);
    }
    key[size] = k;
    chunk[size] = c;
    row[size] = at;
    size++;
    if (newestWins && Fold.op(c, at) != OpType.CLEAR.code()) {
      settled[k] = Math.max(settled[k], source.minSequence);
    }
  }

  /** A file's Bloom filter knows that a key is not there. */
  void deny(int k) {
    Bits.set(denied, k);
  }

  /** How many keys have no row, as Bloom filters knew. */
  int newByBloom() {
    long[] d = denied.clone();
    for (int i = 0; i < size; i++) {
      Bits.clear(d, key[i]);
    }
    return Bits.count(d, keys);
  }

  /**
   * Folds the versions of each key; gives per key the row of the result, -1 where there is none.
   */
  int[] fold(Fold fold, Assembly out) {
    int[] starts = new int[keys + 1];
    for (int i = 0; i < size; i++) {
      starts[key[i] + 1]++;
    }
    for (int k = 0; k < keys; k++) {
      starts[k + 1] += starts[k];
    }
    int[] order = new int[size];
    int[] at = starts.clone();
    for (int i = 0; i < size; i++) {
      order[at[key[i]]++] = i;
    }
    int[] rowOf = new int[keys];
    Chunk[] versions = new Chunk[8];
    int[] rows = new int[8];
    for (int k = 0; k < keys; k++) {
      int n = starts[k + 1] - starts[k];
      if (n > versions.length) {
        versions = new Chunk[n * 2];
        rows = new int[n * 2];
      }
      if (n > 1) {
        newestFirst(order, starts[k], starts[k + 1]);
      }
      for (int i = 0; i < n; i++) {
        versions[i] = chunk[order[starts[k] + i]];
        rows[i] = row[order[starts[k] + i]];
      }
      int before = out.rows();
      if (n > 0) {
        fold.group(versions, rows, n, out);
      }
      rowOf[k] = out.rows() > before ? before : -1;
    }
    return rowOf;
  }

  private long sequence(int hit) {
    return chunk[hit].sequence()[row[hit]];
  }

  private void newestFirst(int[] order, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int hit = order[i];
      long s = sequence(hit);
      int j = i - 1;
      while (j >= from && sequence(order[j]) < s) {
        order[j + 1] = order[j];
        j--;
      }
      order[j + 1] = hit;
    }
  }
}

package io.millrace.storage.memtable;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The series (distinct tag values) of a memtable, numbered in order of arrival; rows carry the
 * number. Tags are kept once per series, as codes of one dictionary per tag. Thread rules as in
 * {@link TagDictionary}.
 */
public final class SeriesTable {
  private final List<TagDictionary> dictionaries = new ArrayList<>();
  private final int width;

  /** Codes of series s: codes[s * width + tag], in blocks. */
  private volatile int[][] codes = new int[0][];

  private volatile AtomicIntegerArray table = new AtomicIntegerArray(64);
  private volatile int size;
  private volatile Ranks ranks = new Ranks(0, new int[0]);

  /** Last dictionary seen per tag and its codes mapped to ours; by the appending thread. */
  private final DictVector.@Nullable Dictionary[] lastDictionary;

  private final int[][] lastMap;
  private final int[] scratch;

  /**
   * Latest time per series; written by the appending thread. A reader sees at least the times of
   * the rows that were published to it; what it sees beyond them is only later.
   */
  private volatile long[] lastTimes = new long[64];

  /** Position of each series in key order, for the first {@code size} series. */
  private record Ranks(int size, int[] rank) {}

  private static final int SHIFT = 10;
  private static final int MASK = (1 << SHIFT) - 1;

  /** Times above this are later than all older data that the table does not know of. */
  private final long floor;

  private long highest;

  /**
   * @param floor the latest time of older data in files; Long.MAX_VALUE if it is not known
   */
  SeriesTable(TableSchema schema, long floor) {
    this(
        schema.tagIds().stream().map(id -> Objects.requireNonNull(schema.byId(id)).type()).toList(),
        floor);
  }

  /** A table of its own, which numbers the series of some keys. */
  public SeriesTable(List<SqlType> tagTypes) {
    this(tagTypes, Long.MAX_VALUE);
  }

  private SeriesTable(List<SqlType> tagTypes, long floor) {
    this.floor = floor;
    this.highest = floor;
    for (SqlType type : tagTypes) {
      dictionaries.add(TagDictionary.of(type));
    }
    width = dictionaries.size();
    lastDictionary = new DictVector.Dictionary[width];
    lastMap = new int[width][];
    scratch = new int[width];
  }

  public int size() {
    return size;
  }

  long bytes() {
    long n = 8L * lastTimes.length + 4L * table.length() + 4L * codes.length * (width << SHIFT);
    for (TagDictionary d : dictionaries) {
      n += d.bytes();
    }
    return n;
  }

  /** The series of rows [0, rows), added if new. */
  public void resolve(Vector[] tags, int rows, int[] out) {
    int[][] c = new int[width][];
    for (int t = 0; t < width; t++) {
      c[t] = codesOf(t, tags[t], rows);
    }
    int last = -1;
    for (int i = 0; i < rows; i++) {
      boolean same = last >= 0;
      for (int t = 0; t < width && same; t++) {
        same = c[t][i] == c[t][i - 1];
      }
      if (!same) {
        for (int t = 0; t < width; t++) {
          scratch[t] = c[t][i];
        }
        last = find(scratch);
        if (last < 0) {
          last = add(scratch);
        }
      }
      out[i] = last;
    }
  }

  private int[] codesOf(int tag, Vector v, int rows) {
    TagDictionary d = dictionaries.get(tag);
    int[] out = new int[rows];
    if (v instanceof DictVector dv && dv.dictionary().size() <= 4 * rows + 1024) {
      int[] map = lastMap[tag];
      int n = dv.dictionary().size();
      if (lastDictionary[tag] != dv.dictionary()) {
        map = new int[n];
        Arrays.fill(map, -1);
        lastDictionary[tag] = dv.dictionary();
      } else if (map.length < n) {
        int old = map.length;
        map = Arrays.copyOf(map, n);
        Arrays.fill(map, old, n, -1);
      }
      lastMap[tag] = map;
      int[] src = dv.codes();
      for (int i = 0; i < rows; i++) {
        if (dv.isNull(i)) {
          out[i] = -1;
          continue;
        }
        int m = map[src[i]];
        if (m < 0) {
          m = d.code(v, i);
          map[src[i]] = m;
        }
        out[i] = m;
      }
      return out;
    }
    for (int i = 0; i < rows; i++) {
      out[i] = d.code(v, i);
    }
    return out;
  }

  private static long hash(int[] key) {
    long h = 0x9E3779B97F4A7C15L;
    for (int k : key) {
      h = (h ^ k) * 0xBF58476D1CE4E5B9L;
      h ^= h >>> 32;
    }
    return h;
  }

  /** Notes a row's time: whether it is later than all before in its series. */
  boolean later(int series, long time) {
    long[] last = lastTimes;
    if (time > last[series]) {
      last[series] = time;
      highest = Math.max(highest, time);
      return true;
    }
    return false;
  }

  /**
   * Whether a key can be among the rows that this table has numbered; any thread.
   *
   * @param series as {@link #findAll} gives it
   */
  public boolean mayHold(int series, long time) {
    return series >= 0 && time <= lastTimes[series];
  }

  /** Whether a key of that time can be in files that this table knows nothing of. */
  public boolean mayBeOlder(long time) {
    return time <= floor;
  }

  /** The latest time known of. */
  long highest() {
    return highest;
  }

  int code(int series, int tag) {
    return codes[series >> SHIFT][(series & MASK) * width + tag];
  }

  /** The series of each row's tags, -1 where there is none. Any thread. */
  public int[] findAll(List<Vector> tags, int rows) {
    int[][] c = new int[width][];
    for (int t = 0; t < width; t++) {
      c[t] = found(dictionaries.get(t), tags.get(t), rows);
    }
    int[] out = new int[rows];
    int[] key = new int[width];
    for (int i = 0; i < rows; i++) {
      boolean same = i > 0;
      boolean known = true;
      for (int t = 0; t < width; t++) {
        int code = c[t][i];
        same &= code == key[t];
        known &= code != -2;
        key[t] = code;
      }
      out[i] = same ? out[i - 1] : known ? find(key) : -1;
    }
    return out;
  }

  /** The codes of a tag's values, -1 for NULL, -2 for those that are not there. */
  private static int[] found(TagDictionary d, Vector v, int rows) {
    int[] out = new int[rows];
    if (v instanceof DictVector dv && dv.dictionary().size() <= 4 * rows + 1024) {
      int[] map = new int[dv.dictionary().size()];
      Arrays.fill(map, -3);
      int[] src = dv.codes();
      for (int i = 0; i < rows; i++) {
        if (dv.isNull(i)) {
          out[i] = -1;
          continue;
        }
        int m = map[src[i]];
        if (m == -3) {
          m = d.find(v, i);
          map[src[i]] = m;
        }
        out[i] = m;
      }
      return out;
    }
    for (int i = 0; i < rows; i++) {
      out[i] = v.isNull(i) ? -1 : d.find(v, i);
    }
    return out;
  }

  private int find(int[] key) {
    AtomicIntegerArray t = table;
    int mask = t.length() - 1;
    int s = (int) hash(key) & mask;
    for (; ; ) {
      int e = t.getAcquire(s) - 1;
      if (e < 0) {
        return -1;
      }
      boolean same = true;
      for (int k = 0; k < width && same; k++) {
        same = code(e, k) == key[k];
      }
      if (same) {
        return e;
      }
      s = s + 1 & mask;
    }
  }

  /** The series of a key's tags; -1 if there is none. Any thread. */
  public int find(List<Vector> tags, int row) {
    int[] key = new int[width];
    for (int t = 0; t < width; t++) {
      Vector v = tags.get(t);
      key[t] = v.isNull(row) ? -1 : dictionaries.get(t).find(v, row);
      if (key[t] == -2) {
        return -1;
      }
    }
    return find(key);
  }

  private int add(int[] key) {
    int n = size;
    int b = n >> SHIFT;
    if (b == codes.length) {
      int[][] next = Arrays.copyOf(codes, b + 1);
      next[b] = new int[width << SHIFT];
      codes = next;
    }
    System.arraycopy(key, 0, codes[b], (n & MASK) * width, width);
    long[] last = n < lastTimes.length ? lastTimes : Arrays.copyOf(lastTimes, n * 2);
    last[n] = Long.MIN_VALUE;
    lastTimes = last;
    if (n * 2 >= table.length()) {
      var next = new AtomicIntegerArray(table.length() * 4);
      int[] k = new int[width];
      for (int i = 0; i < n; i++) {
        for (int t = 0; t < width; t++) {
          k[t] = code(i, t);
        }
        insert(next, hash(k), i);
      }
      table = next;
    }
    insert(table, hash(key), n);
    size = n + 1;
    return n;
  }

  private static void insert(AtomicIntegerArray t, long hash, int series) {
    int mask = t.length() - 1;
    int s = (int) hash & mask;
    while (t.getPlain(s) != 0) {
      s = s + 1 & mask;
    }
    t.setRelease(s, series + 1);
  }

  /** The tag's values of the given series. */
  public Vector tag(int tag, int[] series, int count) {
    int[] c = new int[count];
    for (int i = 0; i < count; i++) {
      c[i] = code(series[i], tag);
    }
    return dictionaries.get(tag).vector(c, count);
  }

  /** The tag's values of series [from, from + count). */
  public Vector tag(int tag, int from, int count) {
    int[] c = new int[count];
    for (int i = 0; i < count; i++) {
      c[i] = code(from + i, tag);
    }
    return dictionaries.get(tag).vector(c, count);
  }

  int compare(int a, int b) {
    for (int t = 0; t < width; t++) {
      int x = code(a, t);
      int y = code(b, t);
      if (x != y) {
        int c = x < 0 ? 1 : y < 0 ? -1 : dictionaries.get(t).compare(x, y);
        if (c != 0) {
          return c;
        }
      }
    }
    return 0;
  }

  /** Positions in key order of at least the first {@code n} series. */
  public int[] ranks(int n) {
    Ranks r = ranks;
    if (r.size >= n) {
      return r.rank;
    }
    int all = size;
    int[] order = new int[all];
    for (int i = 0; i < all; i++) {
      order[i] = i;
    }
    IntSort.sort(order, 0, all, this::compare);
    int[] rank = new int[all];
    for (int i = 0; i < all; i++) {
      rank[order[i]] = i;
    }
    ranks = new Ranks(all, rank);
    return rank;
  }
}

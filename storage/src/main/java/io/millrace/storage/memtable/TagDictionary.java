package io.millrace.storage.memtable;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The distinct values of a tag, by code in order of arrival; NULL has code -1. One thread adds,
 * others read and look up what was published to them.
 *
 * <p>The hash tables are open addressing; a slot is written with release after its entry and read
 * with acquire, a larger table is published by a volatile write. A reader that misses an entry that
 * is being added misses nothing that it may see.
 */
abstract sealed class TagDictionary {
  final SqlType type;
  private volatile AtomicIntegerArray table = new AtomicIntegerArray(64);
  private volatile int size;

  TagDictionary(SqlType type) {
    this.type = type;
  }

  static TagDictionary of(SqlType type) {
    return switch (type.layout()) {
      case BYTES -> new Bytes(type);
      case INT, LONG -> new Whole(type);
      case BOOL, FLOAT, DOUBLE, NUMERIC, INTERVAL, ARRAY, RECORD -> new Any(type);
    };
  }

  final int entries() {
    return size;
  }

  /** The code of a value, added if new; by the appending thread. */
  final int code(Vector v, int row) {
    if (v.isNull(row)) {
      return -1;
    }
    int c = find(v, row);
    if (c >= 0) {
      return c;
    }
    int n = size;
    add(v, row, n);
    if (n * 2 >= table.length()) {
      var next = new AtomicIntegerArray(table.length() * 4);
      for (int i = 0; i < n; i++) {
        insert(next, hashOf(i), i);
      }
      table = next;
    }
    insert(table, v.hash(row), n);
    size = n + 1;
    return n;
  }

  /** The code of a value that is not NULL; -2 if it is not there. Any thread. */
  final int find(Vector v, int row) {
    AtomicIntegerArray t = table;
    int mask = t.length() - 1;
    int s = (int) v.hash(row) & mask;
    for (; ; ) {
      int e = t.getAcquire(s);
      if (e == 0) {
        return -2;
      }
      if (equal(e - 1, v, row)) {
        return e - 1;
      }
      s = s + 1 & mask;
    }
  }

  private static void insert(AtomicIntegerArray t, long hash, int code) {
    int mask = t.length() - 1;
    int s = (int) hash & mask;
    while (t.getPlain(s) != 0) {
      s = s + 1 & mask;
    }
    t.setRelease(s, code + 1);
  }

  abstract void add(Vector v, int row, int code);

  abstract boolean equal(int code, Vector v, int row);

  abstract long hashOf(int code);

  abstract int compare(int a, int b);

  /** The values of the codes. */
  abstract Vector vector(int[] codes, int count);

  abstract long bytes();

  static long @Nullable [] nulls(int[] codes, int count) {
    long[] out = null;
    for (int i = 0; i < count; i++) {
      if (codes[i] < 0) {
        if (out == null) {
          out = Bits.allSet(count);
        }
        Bits.clear(out, i);
      }
    }
    return out;
  }

  /** Byte strings. */
  static final class Bytes extends TagDictionary implements DictVector.Dictionary {
    private static final int SHIFT = 10;
    private static final int MASK = (1 << SHIFT) - 1;

    private record Chunk(byte[][] data, int[] starts, int[] ends) {}

    private volatile Chunk[] chunks = new Chunk[0];
    private byte[] tail = new byte[0];
    private int tailUsed;
    private long held;

    Bytes(SqlType type) {
      super(type);
    }

    @Override
    void add(Vector v, int row, int code) {
      var b = (BytesColumn) v;
      int n = b.size(row);
      if (tailUsed + n > tail.length) {
        tail = new byte[Math.max(n, Math.min(65_536, Math.max(256, tail.length * 2)))];
        tailUsed = 0;
        held += tail.length;
      }
      System.arraycopy(b.data(row), b.start(row), tail, tailUsed, n);
      int c = code >> SHIFT;
      if (c == chunks.length) {
        Chunk[] next = Arrays.copyOf(chunks, c + 1);
        int cap = 1 << SHIFT;
        next[c] = new Chunk(new byte[cap][], new int[cap], new int[cap]);
        held += cap * 12L;
        chunks = next;
      }
      Chunk k = chunks[c];
      k.data[code & MASK] = tail;
      k.starts[code & MASK] = tailUsed;
      k.ends[code & MASK] = tailUsed + n;
      tailUsed += n;
    }

    @Override
    boolean equal(int code, Vector v, int row) {
      var b = (BytesColumn) v;
      Chunk k = chunks[code >> SHIFT];
      int from = k.starts[code & MASK];
      int n = k.ends[code & MASK] - from;
      int other = b.start(row);
      if (n != b.end(row) - other) {
        return false;
      }
      byte[] mine = k.data[code & MASK];
      byte[] theirs = b.data(row);
      return same(mine, from, theirs, other, n);
    }

    /** Tags are short: up to 16 bytes are two overlapping words, which is cheaper than a call. */
    private static boolean same(byte[] a, int i, byte[] b, int j, int n) {
      if (n > 16) {
        return Arrays.equals(a, i, i + n, b, j, j + n);
      }
      if (n >= 8) {
        return Words.getLong(a, i) == Words.getLong(b, j)
            && Words.getLong(a, i + n - 8) == Words.getLong(b, j + n - 8);
      }
      int k = 0;
      while (k < n && a[i + k] == b[j + k]) {
        k++;
      }
      return k == n;
    }

    @Override
    long hashOf(int code) {
      return BytesColumn.hashBytes(data(code), start(code), end(code));
    }

    @Override
    int compare(int a, int b) {
      return Arrays.compareUnsigned(data(a), start(a), end(a), data(b), start(b), end(b));
    }

    @Override
    Vector vector(int[] codes, int count) {
      long[] v = nulls(codes, count);
      int[] c = codes;
      if (v != null) {
        c = Arrays.copyOf(codes, count);
        for (int i = 0; i < count; i++) {
          c[i] = Math.max(0, c[i]);
        }
      }
      return new DictVector(type, c, this, count, v);
    }

    @Override
    long bytes() {
      return held + 8L * entries();
    }

    @Override
    public int size() {
      return entries();
    }

    @Override
    public byte[] data(int code) {
      return chunks[code >> SHIFT].data[code & MASK];
    }

    @Override
    public int start(int code) {
      return chunks[code >> SHIFT].starts[code & MASK];
    }

    @Override
    public int end(int code) {
      return chunks[code >> SHIFT].ends[code & MASK];
    }

    @Override
    public boolean sorted() {
      return false;
    }

    @Override
    public long byteSize() {
      return bytes();
    }
  }

  /** Integers of 4 or 8 bytes. */
  static final class Whole extends TagDictionary {
    private volatile long[] values = new long[16];

    Whole(SqlType type) {
      super(type);
    }

    private static long value(Vector v, int row) {
      return v instanceof IntVector i ? i.get(row) : ((LongVector) v).get(row);
    }

    @Override
    void add(Vector v, int row, int code) {
      if (code == values.length) {
        values = Arrays.copyOf(values, code * 2);
      }
      values[code] = value(v, row);
    }

    @Override
    boolean equal(int code, Vector v, int row) {
      return values[code] == value(v, row);
    }

    @Override
    long hashOf(int code) {
      return vector(new int[] {code}, 1).hash(0);
    }

    @Override
    int compare(int a, int b) {
      return Long.compare(values[a], values[b]);
    }

    @Override
    Vector vector(int[] codes, int count) {
      long[] vals = values;
      long[] v = nulls(codes, count);
      if (type.layout() == Layout.INT) {
        int[] out = new int[count];
        for (int i = 0; i < count; i++) {
          out[i] = codes[i] < 0 ? 0 : (int) vals[codes[i]];
        }
        return new IntVector(type, out, count, v);
      }
      long[] out = new long[count];
      for (int i = 0; i < count; i++) {
        out[i] = codes[i] < 0 ? 0 : vals[codes[i]];
      }
      return new LongVector(type, out, count, v);
    }

    @Override
    long bytes() {
      return values.length * 8L + 8L * entries();
    }
  }

  /** Any other layout; rare as tags. */
  static final class Any extends TagDictionary {
    private final Map<Integer, Vector> values = new ConcurrentHashMap<>();
    private long held;

    Any(SqlType type) {
      super(type);
    }

    private Vector get(int code) {
      Vector v = values.get(code);
      if (v == null) {
        throw new IllegalStateException("tag code " + code);
      }
      return v;
    }

    @Override
    void add(Vector v, int row, int code) {
      VectorBuilder b = VectorBuilder.of(type, 1);
      b.append(v, row);
      Vector one = b.build();
      values.put(code, one);
      held += one.byteSize() + 64;
    }

    @Override
    boolean equal(int code, Vector v, int row) {
      return get(code).compare(0, v, row) == 0;
    }

    @Override
    long hashOf(int code) {
      return get(code).hash(0);
    }

    @Override
    int compare(int a, int b) {
      return get(a).compare(0, get(b), 0);
    }

    @Override
    Vector vector(int[] codes, int count) {
      VectorBuilder b = VectorBuilder.of(type, count);
      for (int i = 0; i < count; i++) {
        if (codes[i] < 0) {
          b.appendNull();
        } else {
          b.append(get(codes[i]), 0);
        }
      }
      return b.build();
    }

    @Override
    long bytes() {
      return held;
    }
  }
}

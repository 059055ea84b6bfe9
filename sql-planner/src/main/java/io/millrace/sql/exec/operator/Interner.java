package io.millrace.sql.exec.operator;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/*
 * Distinct values of one column as small numbers from 0. Strings lie in 64 KiB blocks and the
 * interner itself is the dictionary of what comes out; a dictionary column looks up each of its
 * entries once. Blank-padded strings are equal without their trailing spaces.
 */
/** Numbers for the distinct values of a column whose values are not plain words. */
abstract class Interner {
  private static final int MAX_DICTIONARIES = 32;
  final boolean padded;
  private int[] table = new int[64];
  private int[] hashes = new int[64];
  int size;
  private final IdentityHashMap<DictVector.Dictionary, int[]> known = new IdentityHashMap<>();

  Interner(SqlType type) {
    padded = type.kind() == TypeKind.BPCHAR;
  }

  static Interner of(SqlType type) {
    return switch (type.layout()) {
      case BYTES -> new Strings(type);
      default -> new Others(type);
    };
  }

  public final int size() {
    return size;
  }

  /** Number of a value that is not NULL; -2 if it is new and must not be added. */
  final int intern(Vector v, int row, boolean add) {
    if (v instanceof DictVector d) {
      int code = d.codes()[row];
      int[] map = map(d.dictionary(), code);
      int id = map[code] - 1;
      if (id < 0) {
        id = find(v, row, add);
        if (id >= 0) {
          map[code] = id + 1;
        }
      }
      return id;
    }
    return find(v, row, add);
  }

  /** As {@link #intern} for rows positions[0, count) of a column without NULLs. */
  final void intern(
      DictVector v, int[] positions, int count, boolean add, long[] words, int at, int step) {
    int[] codes = v.codes();
    DictVector.Dictionary d = v.dictionary();
    int w = at;
    for (int i = 0; i < count; i++, w += step) {
      int code = codes[positions[i]];
      int[] map = d == lastDictionary && code < lastMap.length ? lastMap : map(d, code);
      int id = map[code] - 1;
      if (id < 0) {
        id = intern(v, positions[i], add);
      }
      words[w] = id < 0 ? KeyEncoder.UNKNOWN : id;
    }
  }

  private DictVector.@Nullable Dictionary lastDictionary;
  private int[] lastMap = new int[0];

  private int[] map(DictVector.Dictionary d, int code) {
    if (d == lastDictionary && code < lastMap.length) {
      return lastMap;
    }
    int[] map = known.get(d);
    if (map == null || map.length <= code) {
      if (map == null && known.size() >= MAX_DICTIONARIES) {
        known.clear();
      }
      map = map == null ? new int[d.size()] : Arrays.copyOf(map, Math.max(d.size(), code + 1));
      known.put(d, map);
    }
    lastDictionary = d;
    lastMap = map;
    return map;
  }

  private int find(Vector v, int row, boolean add) {
    long h64 = hash(v, row);
    int h = (int) (h64 ^ h64 >>> 32);
    int mask = table.length - 1;
    int at = h & mask;
    while (table[at] != 0) {
      int id = table[at] - 1;
      if (hashes[id] == h && equal(id, v, row)) {
        return id;
      }
      at = at + 1 & mask;
    }
    if (!add) {
      return -2;
    }
    int id = size++;
    if (id == hashes.length) {
      hashes = Arrays.copyOf(hashes, id * 2);
    }
    hashes[id] = h;
    append(v, row);
    table[at] = id + 1;
    if (size * 2 > table.length) {
      grow();
    }
    return id;
  }

  private void grow() {
    int[] t = new int[table.length * 2];
    int mask = t.length - 1;
    for (int id = 0; id < size; id++) {
      int at = hashes[id] & mask;
      while (t[at] != 0) {
        at = at + 1 & mask;
      }
      t[at] = id + 1;
    }
    table = t;
  }

  abstract long hash(Vector v, int row);

  abstract boolean equal(int id, Vector v, int row);

  abstract void append(Vector v, int row);

  /** The values of codes[0, count); negative codes are NULL. */
  abstract Vector values(SqlType type, int[] codes, int count, long @Nullable [] valid);

  long byteSize() {
    long n = table.length * 4L + hashes.length * 4L;
    for (int[] m : known.values()) {
      n += m.length * 4L;
    }
    return n;
  }

  /** Strings, and the dictionary of them. */
  private static final class Strings extends Interner implements DictVector.Dictionary {
    private static final int BLOCK = 1 << 16;
    private byte[][] blocks = new byte[16][];
    private int blockCount;
    private int room;
    private int[] blockOf = new int[64];
    private int[] startOf = new int[64];
    private int[] endOf = new int[64];
    private long bytes;

    Strings(SqlType type) {
      super(type);
    }

    private int endOf(BytesColumn b, int row) {
      int e = b.end(row);
      if (padded) {
        int s = b.start(row);
        byte[] d = b.data(row);
        while (e > s && d[e - 1] == ' ') {
          e--;
        }
      }
      return e;
    }

    @Override
    long hash(Vector v, int row) {
      var b = (BytesColumn) v;
      return BytesColumn.hashBytes(b.data(row), b.start(row), endOf(b, row));
    }

    @Override
    boolean equal(int id, Vector v, int row) {
      var b = (BytesColumn) v;
      byte[] mine = blocks[blockOf[id]];
      int to = endOf[id];
      if (padded) {
        while (to > startOf[id] && mine[to - 1] == ' ') {
          to--;
        }
      }
      return Arrays.equals(mine, startOf[id], to, b.data(row), b.start(row), endOf(b, row));
    }

    @Override
    void append(Vector v, int row) {
      var b = (BytesColumn) v;
      int n = b.size(row);
      if (n > room || blockCount == 0) {
        if (blockCount == blocks.length) {
          blocks = Arrays.copyOf(blocks, blockCount * 2);
        }
        int length = Math.max(n, blockCount == 0 ? 1024 : BLOCK);
        blocks[blockCount++] = new byte[length];
        bytes += length;
        room = length;
      }
      byte[] block = blocks[blockCount - 1];
      int at = block.length - room;
      System.arraycopy(b.data(row), b.start(row), block, at, n);
      room -= n;
      int id = size - 1;
      if (id == blockOf.length) {
        blockOf = Arrays.copyOf(blockOf, id * 2);
        startOf = Arrays.copyOf(startOf, id * 2);
        endOf = Arrays.copyOf(endOf, id * 2);
      }
      blockOf[id] = blockCount - 1;
      startOf[id] = at;
      endOf[id] = at + n;
    }

    @Override
    Vector values(SqlType type, int[] codes, int count, long @Nullable [] valid) {
      return new DictVector(type, codes, this, count, valid);
    }

    @Override
    public byte[] data(int code) {
      return blocks[blockOf[code]];
    }

    @Override
    public int start(int code) {
      return startOf[code];
    }

    @Override
    public int end(int code) {
      return endOf[code];
    }

    @Override
    public boolean sorted() {
      return false;
    }

    @Override
    public long byteSize() {
      return super.byteSize() + bytes + blockOf.length * 12L;
    }
  }

  /** Everything else: one-row vectors. */
  private static final class Others extends Interner {
    private Vector[] values = new Vector[16];
    private final SqlType type;
    private long bytes;

    Others(SqlType type) {
      super(type);
      this.type = type;
    }

    @Override
    long hash(Vector v, int row) {
      return v.hash(row);
    }

    @Override
    boolean equal(int id, Vector v, int row) {
      return values[id].compare(0, v, row) == 0;
    }

    @Override
    void append(Vector v, int row) {
      int id = size - 1;
      if (id == values.length) {
        values = Arrays.copyOf(values, id * 2);
      }
      Vector one = v.take(new int[] {row}, 1);
      values[id] = one;
      bytes += one.byteSize() + 16;
    }

    @Override
    Vector values(SqlType outType, int[] codes, int count, long @Nullable [] valid) {
      VectorBuilder b = VectorBuilder.of(outType.layout() == type.layout() ? outType : type, count);
      for (int i = 0; i < count; i++) {
        if (codes[i] < 0) {
          b.appendNull();
        } else {
          b.append(values[codes[i]], 0);
        }
      }
      return b.build();
    }

    @Override
    long byteSize() {
      return super.byteSize() + bytes;
    }
  }
}

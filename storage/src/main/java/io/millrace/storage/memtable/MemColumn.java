package io.millrace.storage.memtable;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Append-only values of one column of a part, as blocks of 8,192. The first block starts small and
 * doubles, so that a region of a few rows is cheap.
 *
 * <p>Threads: one appends. Readers touch only rows that were published to them by a volatile write
 * after the append ({@link MemPart#rows}); blocks are replaced by larger copies, never rewritten.
 */
abstract sealed class MemColumn {
  static final int SHIFT = 13;
  static final int BLOCK = 1 << SHIFT;
  static final int MASK = BLOCK - 1;

  final SqlType type;
  int rows;
  long bytes;
  private long @Nullable [] @Nullable [] validity;

  MemColumn(SqlType type) {
    this.type = type;
  }

  static MemColumn of(SqlType type) {
    return switch (type.layout()) {
      case LONG -> new Longs(type);
      case DOUBLE -> new Doubles(type);
      case INT -> new Ints(type);
      case FLOAT -> new Floats(type);
      case BOOL -> new Bools(type);
      case BYTES, NUMERIC, INTERVAL, ARRAY, RECORD -> new Segments(type);
    };
  }

  /** Appends rows of a vector of the same layout. */
  final void append(Vector v, int from, int count) {
    int done = 0;
    while (done < count) {
      int at = rows & MASK;
      int n = Math.min(count - done, BLOCK - at);
      copy(v, from + done, rows >> SHIFT, at, n);
      if (v.mayHaveNulls()) {
        for (int i = 0; i < n; i++) {
          if (v.isNull(from + done + i)) {
            markNull(rows + i);
          }
        }
      }
      rows += n;
      done += n;
    }
  }

  final void appendNulls(int count) {
    int done = 0;
    while (done < count) {
      int at = rows & MASK;
      int n = Math.min(count - done, BLOCK - at);
      copy(null, 0, rows >> SHIFT, at, n);
      for (int i = 0; i < n; i++) {
        markNull(rows + i);
      }
      rows += n;
      done += n;
    }
  }

  private void markNull(int row) {
    long @Nullable [] @Nullable [] v = validity;
    int b = row >> SHIFT;
    if (v == null || v.length <= b) {
      v = v == null ? new long[b + 1][] : Arrays.copyOf(v, b + 1);
    }
    long[] words = v[b];
    if (words == null) {
      words = Bits.allSet(BLOCK);
      bytes += BLOCK / 8;
      v[b] = words;
    }
    validity = v;
    Bits.clear(words, row & MASK);
  }

  final boolean isNull(int row) {
    long @Nullable [] @Nullable [] v = validity;
    int b = row >> SHIFT;
    if (v == null || v.length <= b) {
      return false;
    }
    long[] words = v[b];
    return words != null && !Bits.get(words, row & MASK);
  }

  final long @Nullable [] takeValidity(int[] positions, int from, int count) {
    if (validity == null) {
      return null;
    }
    long[] out = null;
    for (int i = 0; i < count; i++) {
      if (isNull(positions[from + i])) {
        if (out == null) {
          out = Bits.allSet(count);
        }
        Bits.clear(out, i);
      }
    }
    return out;
  }

  /** Copies n values into block b from place at on, growing it; a null vector leaves defaults. */
  abstract void copy(@Nullable Vector v, int from, int b, int at, int n);

  /** The rows at positions[from, from + count). */
  abstract Vector take(int[] positions, int from, int count);

  static int capacity(int have, int need) {
    return Math.min(BLOCK, Math.max(Math.max(32, have * 2), Integer.highestOneBit(need * 2 - 1)));
  }

  /** 8-byte values. */
  static final class Longs extends MemColumn {
    private long[][] blocks = new long[0][];

    Longs(SqlType type) {
      super(type);
    }

    long[] writable(int b, int need) {
      if (b == blocks.length) {
        blocks = Arrays.copyOf(blocks, b + 1);
        blocks[b] = new long[b > 0 ? BLOCK : capacity(0, need)];
        bytes += blocks[b].length * 8L;
      } else if (blocks[b].length < need) {
        int c = capacity(blocks[b].length, need);
        bytes += (c - blocks[b].length) * 8L;
        long[][] next = blocks.clone();
        next[b] = Arrays.copyOf(blocks[b], c);
        blocks = next;
      }
      return blocks[b];
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      long[] to = writable(b, at + n);
      if (v != null) {
        System.arraycopy(((LongVector) v).values(), from, to, at, n);
      }
    }

    void append(long[] values, int from, int count) {
      int done = 0;
      while (done < count) {
        int at = rows & MASK;
        int n = Math.min(count - done, BLOCK - at);
        System.arraycopy(values, from + done, writable(rows >> SHIFT, at + n), at, n);
        rows += n;
        done += n;
      }
    }

    /** Appends n values counting up. */
    void appendCounting(long first, int count) {
      int done = 0;
      while (done < count) {
        int at = rows & MASK;
        int n = Math.min(count - done, BLOCK - at);
        long[] to = writable(rows >> SHIFT, at + n);
        for (int i = 0; i < n; i++) {
          to[at + i] = first + done + i;
        }
        rows += n;
        done += n;
      }
    }

    long get(int row) {
      return blocks[row >> SHIFT][row & MASK];
    }

    /** Finds the rows of [from, to) with values in [lo, hi]; gives their number. */
    int within(int from, int to, long lo, long hi, int[] out) {
      long[][] bl = blocks;
      int n = 0;
      for (int row = from; row < to; ) {
        long[] b = bl[row >> SHIFT];
        int start = row & MASK;
        int base = row - start;
        int end = Math.min(BLOCK, to - base);
        for (int i = start; i < end; i++) {
          out[n] = base + i;
          n += b[i] >= lo && b[i] <= hi ? 1 : 0;
        }
        row = base + end;
      }
      return n;
    }

    void gather(int[] positions, int from, int count, long[] out) {
      long[][] bl = blocks;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        out[i] = bl[p >> SHIFT][p & MASK];
      }
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      long[] out = new long[count];
      gather(positions, from, count, out);
      return new LongVector(type, out, count, takeValidity(positions, from, count));
    }
  }

  /** Double values. */
  static final class Doubles extends MemColumn {
    private double[][] blocks = new double[0][];

    Doubles(SqlType type) {
      super(type);
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      if (b == blocks.length) {
        blocks = Arrays.copyOf(blocks, b + 1);
        blocks[b] = new double[b > 0 ? BLOCK : capacity(0, at + n)];
        bytes += blocks[b].length * 8L;
      } else if (blocks[b].length < at + n) {
        int c = capacity(blocks[b].length, at + n);
        bytes += (c - blocks[b].length) * 8L;
        double[][] next = blocks.clone();
        next[b] = Arrays.copyOf(blocks[b], c);
        blocks = next;
      }
      if (v != null) {
        System.arraycopy(((DoubleVector) v).values(), from, blocks[b], at, n);
      }
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      double[] out = new double[count];
      double[][] bl = blocks;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        out[i] = bl[p >> SHIFT][p & MASK];
      }
      return new DoubleVector(type, out, count, takeValidity(positions, from, count));
    }
  }

  /** 4-byte integers. */
  static final class Ints extends MemColumn {
    private int[][] blocks = new int[0][];

    Ints(SqlType type) {
      super(type);
    }

    private int[] writable(int b, int need) {
      if (b == blocks.length) {
        blocks = Arrays.copyOf(blocks, b + 1);
        blocks[b] = new int[b > 0 ? BLOCK : capacity(0, need)];
        bytes += blocks[b].length * 4L;
      } else if (blocks[b].length < need) {
        int c = capacity(blocks[b].length, need);
        bytes += (c - blocks[b].length) * 4L;
        int[][] next = blocks.clone();
        next[b] = Arrays.copyOf(blocks[b], c);
        blocks = next;
      }
      return blocks[b];
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      int[] to = writable(b, at + n);
      if (v != null) {
        System.arraycopy(((IntVector) v).values(), from, to, at, n);
      }
    }

    void append(int[] values, int from, int count) {
      int done = 0;
      while (done < count) {
        int at = rows & MASK;
        int n = Math.min(count - done, BLOCK - at);
        System.arraycopy(values, from + done, writable(rows >> SHIFT, at + n), at, n);
        rows += n;
        done += n;
      }
    }

    int get(int row) {
      return blocks[row >> SHIFT][row & MASK];
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      int[] out = new int[count];
      int[][] bl = blocks;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        out[i] = bl[p >> SHIFT][p & MASK];
      }
      return new IntVector(type, out, count, takeValidity(positions, from, count));
    }
  }

  /** Float values. */
  static final class Floats extends MemColumn {
    private float[][] blocks = new float[0][];

    Floats(SqlType type) {
      super(type);
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      if (b == blocks.length) {
        blocks = Arrays.copyOf(blocks, b + 1);
        blocks[b] = new float[b > 0 ? BLOCK : capacity(0, at + n)];
        bytes += blocks[b].length * 4L;
      } else if (blocks[b].length < at + n) {
        int c = capacity(blocks[b].length, at + n);
        bytes += (c - blocks[b].length) * 4L;
        float[][] next = blocks.clone();
        next[b] = Arrays.copyOf(blocks[b], c);
        blocks = next;
      }
      if (v != null) {
        System.arraycopy(((FloatVector) v).values(), from, blocks[b], at, n);
      }
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      float[] out = new float[count];
      float[][] bl = blocks;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        out[i] = bl[p >> SHIFT][p & MASK];
      }
      return new FloatVector(type, out, count, takeValidity(positions, from, count));
    }
  }

  /** Boolean values. */
  static final class Bools extends MemColumn {
    private boolean[][] blocks = new boolean[0][];

    Bools(SqlType type) {
      super(type);
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      if (b == blocks.length) {
        blocks = Arrays.copyOf(blocks, b + 1);
        blocks[b] = new boolean[b > 0 ? BLOCK : capacity(0, at + n)];
        bytes += blocks[b].length;
      } else if (blocks[b].length < at + n) {
        int c = capacity(blocks[b].length, at + n);
        bytes += c - blocks[b].length;
        boolean[][] next = blocks.clone();
        next[b] = Arrays.copyOf(blocks[b], c);
        blocks = next;
      }
      if (v != null) {
        System.arraycopy(((BoolVector) v).values(), from, blocks[b], at, n);
      }
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      boolean[] out = new boolean[count];
      boolean[][] bl = blocks;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        out[i] = bl[p >> SHIFT][p & MASK];
      }
      return new BoolVector(type, out, count, takeValidity(positions, from, count));
    }
  }

  /**
   * Values of other layouts, as immutable vectors. Eight neighbours of one size class are joined
   * into one of the next, so that single-row appends cost a few copies each and leave few vectors.
   */
  static final class Segments extends MemColumn {
    private record Segment(int first, Vector values, int level) {}

    private Segment[] segments = new Segment[0];

    Segments(SqlType type) {
      super(type);
    }

    @Override
    void copy(@Nullable Vector v, int from, int b, int at, int n) {
      VectorBuilder builder = VectorBuilder.of(type, n);
      if (v == null) {
        for (int i = 0; i < n; i++) {
          builder.appendNull();
        }
      } else {
        builder.append(v, from, n);
      }
      int first = (b << SHIFT) + at;
      int level = n >= 512 ? 3 : n >= 64 ? 2 : n >= 8 ? 1 : 0;
      List<Segment> next = new ArrayList<>(List.of(segments));
      var added = new Segment(first, builder.build(), level);
      next.add(added);
      bytes += added.values.byteSize();
      while (join(next)) {}
      segments = next.toArray(new Segment[0]);
    }

    private boolean join(List<Segment> list) {
      int n = list.size();
      if (n < 8) {
        return false;
      }
      int level = list.get(n - 1).level;
      if (level >= 3) {
        return false;
      }
      for (int i = n - 8; i < n; i++) {
        if (list.get(i).level != level) {
          return false;
        }
      }
      int total = 0;
      for (int i = n - 8; i < n; i++) {
        total += list.get(i).values.length();
      }
      VectorBuilder builder = VectorBuilder.of(type, total);
      for (int i = n - 8; i < n; i++) {
        Vector v = list.get(i).values;
        bytes -= v.byteSize();
        builder.append(v, 0, v.length());
      }
      var joined = new Segment(list.get(n - 8).first, builder.build(), level + 1);
      bytes += joined.values.byteSize();
      list.subList(n - 8, n).clear();
      list.add(joined);
      return true;
    }

    @Override
    Vector take(int[] positions, int from, int count) {
      Segment[] s = segments;
      VectorBuilder builder = VectorBuilder.of(type, count);
      int at = 0;
      for (int i = 0; i < count; i++) {
        int p = positions[from + i];
        Segment g = s[at];
        if (p < g.first || p >= g.first + g.values.length()) {
          at = find(s, p);
          g = s[at];
        }
        builder.append(g.values, p - g.first);
      }
      return builder.build();
    }

    private static int find(Segment[] s, int row) {
      int lo = 0;
      int hi = s.length - 1;
      while (lo < hi) {
        int mid = lo + hi + 1 >>> 1;
        if (s[mid].first <= row) {
          lo = mid;
        } else {
          hi = mid - 1;
        }
      }
      return lo;
    }
  }
}

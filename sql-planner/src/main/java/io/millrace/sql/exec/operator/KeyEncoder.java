package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Keys as tuples of words, one per column: numbers and times as they are, everything else by its
 * number from an interner. NULL is a word that no value has; where every word may be a value (64-bit
 * columns) a further word of the tuple says which columns are NULL. Equal keys are equal tuples, so
 * grouping, joining and counting all work on plain words.
 */
/** Turns key columns into tuples of words, and back. */
final class KeyEncoder {
  /** A word for values that are not known and may not be added. */
  static final long UNKNOWN = Long.MIN_VALUE + 1;

  private static final long NULL32 = 1L << 40;
  private final SqlType[] types;
  private final @Nullable Interner[] interners;
  private final int nullWord;
  private final int width;

  KeyEncoder(List<SqlType> types) {
    this.types = types.toArray(new SqlType[0]);
    interners = new @Nullable Interner[this.types.length];
    boolean wide = false;
    for (int i = 0; i < this.types.length; i++) {
      switch (this.types[i].layout()) {
        case LONG, DOUBLE -> wide = true;
        case BOOL, INT, FLOAT -> {}
        default -> interners[i] = Interner.of(this.types[i]);
      }
    }
    nullWord = wide ? this.types.length : -1;
    width = Math.max(1, this.types.length + (wide ? 1 : 0));
  }

  /** Words per tuple. */
  int width() {
    return width;
  }

  long byteSize() {
    long n = 0;
    for (Interner i : interners) {
      n += i == null ? 0 : i.byteSize();
    }
    return n;
  }

  /**
   * Encodes rows positions[0, count) of the key columns into words, tuple after tuple.
   *
   * @param add whether new values may be added; otherwise they become {@link #UNKNOWN}
   */
  void encode(Vector[] keys, int[] positions, int count, long[] words, boolean add) {
    int w = width;
    if (nullWord >= 0) {
      for (int i = 0; i < count; i++) {
        words[i * w + nullWord] = 0;
      }
    }
    if (types.length == 0) {
      for (int i = 0; i < count; i++) {
        words[i] = 0;
      }
    }
    for (int k = 0; k < types.length; k++) {
      encodeColumn(k, keys[k], positions, count, words, add);
    }
  }

  private void encodeColumn(
      int k, Vector key, int[] positions, int count, long[] words, boolean add) {
    int w = width;
    boolean nulls = key.mayHaveNulls();
    switch (key) {
      case LongVector v -> {
        long[] a = v.values();
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          if (nulls && v.isNull(p)) {
            words[i * w + k] = 0;
            words[i * w + nullWord] |= 1L << (k & 63);
          } else {
            words[i * w + k] = a[p];
          }
        }
      }
      case DoubleVector v -> {
        double[] a = v.values();
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          if (nulls && v.isNull(p)) {
            words[i * w + k] = 0;
            words[i * w + nullWord] |= 1L << (k & 63);
          } else {
            words[i * w + k] = a[p] == 0 ? 0 : Double.doubleToLongBits(a[p]);
          }
        }
      }
      case IntVector v -> {
        int[] a = v.values();
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          words[i * w + k] = nulls && v.isNull(p) ? NULL32 : a[p];
        }
      }
      case BoolVector v -> {
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          words[i * w + k] = nulls && v.isNull(p) ? NULL32 : v.get(p) ? 1 : 0;
        }
      }
      case FloatVector v -> {
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          float f = v.get(p);
          words[i * w + k] = nulls && v.isNull(p) ? NULL32 : f == 0 ? 0 : Float.floatToIntBits(f);
        }
      }
      default -> {
        Interner interner = interner(k);
        if (!nulls && key instanceof DictVector d) {
          interner.intern(d, positions, count, add, words, k, w);
          return;
        }
        for (int i = 0; i < count; i++) {
          int p = positions[i];
          long word;
          if (nulls && key.isNull(p)) {
            word = -1;
          } else {
            int id = interner.intern(key, p, add);
            word = id < 0 ? UNKNOWN : id;
          }
          words[i * w + k] = word;
        }
      }
    }
  }

  private Interner interner(int k) {
    Interner i = interners[k];
    if (i == null) {
      throw new IllegalStateException("key " + k + " of type " + types[k]);
    }
    return i;
  }

  /** Whether a tuple holds a value that was not known. */
  boolean unknown(long[] words, int at) {
    for (int k = 0; k < types.length; k++) {
      if (interners[k] != null && words[at + k] == UNKNOWN) {
        return true;
      }
    }
    return false;
  }

  /** The key columns of groups [from, from + count) of a table. */
  List<Vector> decode(GroupTable table, int from, int count) {
    var out = new ArrayList<Vector>(types.length);
    for (int k = 0; k < types.length; k++) {
      out.add(decode(k, table, from, count));
    }
    return out;
  }

  private Vector decode(int k, GroupTable table, int from, int count) {
    SqlType type = types[k];
    long[] valid = null;
    switch (type.layout()) {
      case LONG, DOUBLE -> {
        for (int i = 0; i < count; i++) {
          if ((table.word(from + i, nullWord) >>> (k & 63) & 1) != 0) {
            valid = valid == null ? Bits.allSet(count) : valid;
            Bits.clear(valid, i);
          }
        }
        if (type.layout() == io.millrace.common.type.Layout.LONG) {
          long[] v = new long[count];
          for (int i = 0; i < count; i++) {
            v[i] = table.word(from + i, k);
          }
          return new LongVector(type, v, count, valid);
        }
        double[] v = new double[count];
        for (int i = 0; i < count; i++) {
          v[i] = Double.longBitsToDouble(table.word(from + i, k));
        }
        return new DoubleVector(type, v, count, valid);
      }
      default -> {
        int[] v = new int[count];
        boolean interned = interners[k] != null;
        for (int i = 0; i < count; i++) {
          long word = table.word(from + i, k);
          v[i] = (int) word;
          if (interned ? word < 0 : word == NULL32) {
            valid = valid == null ? Bits.allSet(count) : valid;
            Bits.clear(valid, i);
          }
        }
        return switch (type.layout()) {
          case INT -> new IntVector(type, v, count, valid);
          case BOOL -> {
            boolean[] b = new boolean[count];
            for (int i = 0; i < count; i++) {
              b[i] = v[i] == 1;
            }
            yield new BoolVector(type, b, count, valid);
          }
          case FLOAT -> {
            float[] f = new float[count];
            for (int i = 0; i < count; i++) {
              f[i] = Float.intBitsToFloat(v[i]);
            }
            yield new FloatVector(type, f, count, valid);
          }
          default -> interner(k).values(type, v, count, valid);
        };
      }
    }
  }

  /**
   * Hash of a row's key by its values, the same for equal keys whatever encoder: for partitions on
   * disk.
   */
  static long valueHash(Vector[] keys, int row, long seed) {
    long h = seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L;
    for (Vector k : keys) {
      long v;
      if (k.isNull(row)) {
        v = 7;
      } else if (k.type().kind() == io.millrace.common.type.TypeKind.BPCHAR) {
        var b = (io.millrace.common.batch.BytesColumn) k;
        int e = b.end(row);
        while (e > b.start(row) && b.data(row)[e - 1] == ' ') {
          e--;
        }
        v = io.millrace.common.batch.BytesColumn.hashBytes(b.data(row), b.start(row), e);
      } else {
        v = k.hash(row);
      }
      h = (h ^ v) * 0xBF58476D1CE4E5B9L;
      h ^= h >>> 29;
    }
    h *= 0x94D049BB133111EBL;
    return h ^ h >>> 32;
  }

  /** Null test on a key tuple's source rows. */
  static boolean anyNull(Vector[] keys, int row) {
    for (Vector k : keys) {
      if (k.isNull(row)) {
        return true;
      }
    }
    return false;
  }
}

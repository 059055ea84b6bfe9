package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Joins runs of rows of several vectors of one layout into one vector. Primitive layouts are copied
 * run by run; dictionary vectors stay dictionary vectors: as they are when all share one
 * dictionary, else over a new dictionary of the entries used, unless the dictionaries are much
 * larger than the result.
 */
public final class VectorConcat {
  private VectorConcat() {}

  /**
   * Rows [from[i], from[i] + count[i]) of sources[i] for i in [0, runs); a null source stands for
   * NULLs.
   */
  public static Vector concat(
      SqlType type, @Nullable Vector[] sources, int[] from, int[] count, int runs) {
    int total = 0;
    for (int i = 0; i < runs; i++) {
      total += count[i];
    }
    if (runs == 1) {
      Vector only = sources[0];
      if (only != null) {
        Vector v = only.slice(from[0], count[0]);
        return v.type().equals(type) ? v : v.withType(type);
      }
    }
    long[] validity = validity(sources, from, count, runs, total);
    return switch (type.layout()) {
      case LONG -> {
        long[] out = new long[total];
        int at = 0;
        for (int i = 0; i < runs; i++) {
          if (sources[i] instanceof LongVector v) {
            System.arraycopy(v.values(), from[i], out, at, count[i]);
          }
          at += count[i];
        }
        yield new LongVector(type, out, total, validity);
      }
      case DOUBLE -> {
        double[] out = new double[total];
        int at = 0;
        for (int i = 0; i < runs; i++) {
          if (sources[i] instanceof DoubleVector v) {
            System.arraycopy(v.values(), from[i], out, at, count[i]);
          }
          at += count[i];
        }
        yield new DoubleVector(type, out, total, validity);
      }
      case INT -> {
        int[] out = new int[total];
        int at = 0;
        for (int i = 0; i < runs; i++) {
          if (sources[i] instanceof IntVector v) {
            System.arraycopy(v.values(), from[i], out, at, count[i]);
          }
          at += count[i];
        }
        yield new IntVector(type, out, total, validity);
      }
      case FLOAT -> {
        float[] out = new float[total];
        int at = 0;
        for (int i = 0; i < runs; i++) {
          if (sources[i] instanceof FloatVector v) {
            System.arraycopy(v.values(), from[i], out, at, count[i]);
          }
          at += count[i];
        }
        yield new FloatVector(type, out, total, validity);
      }
      case BOOL -> {
        boolean[] out = new boolean[total];
        int at = 0;
        for (int i = 0; i < runs; i++) {
          if (sources[i] instanceof BoolVector v) {
            System.arraycopy(v.values(), from[i], out, at, count[i]);
          }
          at += count[i];
        }
        yield new BoolVector(type, out, total, validity);
      }
      case BYTES -> bytes(type, sources, from, count, runs, total, validity);
      case NUMERIC, INTERVAL, ARRAY, RECORD -> {
        VectorBuilder b = VectorBuilder.of(type, total);
        for (int i = 0; i < runs; i++) {
          Vector v = sources[i];
          if (v == null) {
            for (int k = 0; k < count[i]; k++) {
              b.appendNull();
            }
          } else {
            b.append(v, from[i], count[i]);
          }
        }
        yield b.build();
      }
    };
  }

  private static long @Nullable [] validity(
      @Nullable Vector[] sources, int[] from, int[] count, int runs, int total) {
    boolean some = false;
    for (int i = 0; i < runs && !some; i++) {
      Vector v = sources[i];
      some = v == null || v.mayHaveNulls();
    }
    if (!some) {
      return null;
    }
    long[] out = Bits.allSet(total);
    boolean anyNull = false;
    int at = 0;
    for (int i = 0; i < runs; i++) {
      Vector v = sources[i];
      if (v == null || v.mayHaveNulls()) {
        for (int k = 0; k < count[i]; k++) {
          if (v == null || v.isNull(from[i] + k)) {
            Bits.clear(out, at + k);
            anyNull = true;
          }
        }
      }
      at += count[i];
    }
    return anyNull ? out : null;
  }

  private static Vector bytes(
      SqlType type,
      @Nullable Vector[] sources,
      int[] from,
      int[] count,
      int runs,
      int total,
      long @Nullable [] validity) {
    var dictionaries = new IdentityHashMap<DictVector.Dictionary, int[]>();
    long entries = 0;
    boolean allDict = true;
    DictVector.Dictionary last = null;
    for (int i = 0; i < runs && allDict; i++) {
      Vector v = sources[i];
      if (v instanceof DictVector d) {
        if (d.dictionary() != last && !dictionaries.containsKey(d.dictionary())) {
          int size = d.dictionary().size();
          dictionaries.put(d.dictionary(), new int[0]);
          entries += size;
        }
        last = d.dictionary();
      } else if (v != null) {
        allDict = false;
      }
    }
    if (allDict && last != null && dictionaries.size() == 1) {
      int[] codes = new int[total];
      int at = 0;
      for (int i = 0; i < runs; i++) {
        if (sources[i] instanceof DictVector d) {
          System.arraycopy(d.codes(), from[i], codes, at, count[i]);
        }
        at += count[i];
      }
      return new DictVector(type, codes, last, total, validity);
    }
    if (allDict && last != null && entries <= 1024 + 4L * total) {
      return merged(type, sources, from, count, runs, total, validity, dictionaries);
    }
    return plain(type, sources, from, count, runs, total, validity);
  }

  private static Vector merged(
      SqlType type,
      @Nullable Vector[] sources,
      int[] from,
      int[] count,
      int runs,
      int total,
      long @Nullable [] validity,
      IdentityHashMap<DictVector.Dictionary, int[]> maps) {
    var entries = new EntryTable();
    for (var e : maps.entrySet()) {
      int[] map = new int[e.getKey().size()];
      Arrays.fill(map, -1);
      e.setValue(map);
    }
    int[] codes = new int[total];
    int at = 0;
    for (int i = 0; i < runs; i++) {
      if (sources[i] instanceof DictVector d) {
        DictVector.Dictionary dictionary = d.dictionary();
        int[] map = Objects.requireNonNull(maps.get(dictionary));
        int[] src = d.codes();
        boolean nulls = d.mayHaveNulls();
        for (int k = 0; k < count[i]; k++) {
          int row = from[i] + k;
          if (nulls && d.isNull(row)) {
            continue;
          }
          int c = src[row];
          int m = map[c];
          if (m < 0) {
            m = entries.add(dictionary.data(c), dictionary.start(c), dictionary.end(c));
            map[c] = m;
          }
          codes[at + k] = m;
        }
      }
      at += count[i];
    }
    return new DictVector(type, codes, entries.dictionary(), total, validity);
  }

  private static Vector plain(
      SqlType type,
      @Nullable Vector[] sources,
      int[] from,
      int[] count,
      int runs,
      int total,
      long @Nullable [] validity) {
    int[] offsets = new int[total + 1];
    int at = 0;
    int size = 0;
    for (int i = 0; i < runs; i++) {
      var v = (BytesColumn) sources[i];
      for (int k = 0; k < count[i]; k++) {
        if (v != null && !v.isNull(from[i] + k)) {
          size = Math.addExact(size, v.size(from[i] + k));
        }
        offsets[++at] = size;
      }
    }
    byte[] data = new byte[size];
    at = 0;
    for (int i = 0; i < runs; i++) {
      var v = (BytesColumn) sources[i];
      if (v instanceof BytesVector b && !b.mayHaveNulls()) {
        int s = b.start(from[i]);
        System.arraycopy(b.data(), s, data, offsets[at], b.start(from[i] + count[i]) - s);
        at += count[i];
        continue;
      }
      for (int k = 0; k < count[i]; k++, at++) {
        if (v != null && offsets[at + 1] > offsets[at]) {
          int row = from[i] + k;
          System.arraycopy(
              v.data(row), v.start(row), data, offsets[at], offsets[at + 1] - offsets[at]);
        }
      }
    }
    return new BytesVector(type, offsets, data, total, validity);
  }

  /** Distinct byte strings, by hash. */
  private static final class EntryTable {
    private int[] slots = new int[256];
    private int[] offsets = new int[129];
    private byte[] bytes = new byte[2048];
    private int size;

    int add(byte[] data, int from, int to) {
      int mask = slots.length - 1;
      int s = (int) BytesColumn.hashBytes(data, from, to) & mask;
      while (slots[s] != 0) {
        int e = slots[s] - 1;
        if (Arrays.equals(bytes, offsets[e], offsets[e + 1], data, from, to)) {
          return e;
        }
        s = s + 1 & mask;
      }
      int n = to - from;
      if (size + 2 > offsets.length) {
        offsets = Arrays.copyOf(offsets, offsets.length * 2);
      }
      int end = offsets[size];
      if (end + n > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end + n, bytes.length * 2));
      }
      System.arraycopy(data, from, bytes, end, n);
      offsets[size + 1] = end + n;
      slots[s] = ++size;
      if (size * 2 > slots.length) {
        rehash();
      }
      return size - 1;
    }

    private void rehash() {
      int[] next = new int[slots.length * 2];
      int mask = next.length - 1;
      for (int e = 0; e < size; e++) {
        int s = (int) BytesColumn.hashBytes(bytes, offsets[e], offsets[e + 1]) & mask;
        while (next[s] != 0) {
          s = s + 1 & mask;
        }
        next[s] = e + 1;
      }
      slots = next;
    }

    DictVector.Dictionary dictionary() {
      return new DictVector.FixedDictionary(
          Arrays.copyOf(offsets, size + 1), Arrays.copyOf(bytes, offsets[size]), size, false);
    }
  }
}

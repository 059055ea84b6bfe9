package io.millrace.storage.sst.parquet;

import com.github.luben.zstd.Zstd;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the pages of one column of one row group: a sorted dictionary if values repeat enough,
 * else per page the better of the encodings that suit the type; definition levels for columns that
 * may be NULL; ZSTD.
 */
final class ChunkEncoder {
  private static final int ZSTD_LEVEL = 1;
  private static final int MAX_NUMBERS = 4096;
  private static final int MAX_DICTIONARY_BYTES = 512 << 10;

  /** A page as it goes to the file. */
  record Page(byte[] compressed, int rawSize, int rows, Encoding encoding, PageStats stats) {}

  /** A dictionary as it goes to the file. */
  record Dictionary(byte[] compressed, int rawSize, int entries) {}

  /** A column of a row group. */
  record Result(@Nullable Dictionary dictionary, List<Page> pages) {}

  private final SqlType type;
  private final boolean optional;
  private final boolean preferDelta;
  private @Nullable Encoding chosen;

  /**
   * @param optional the column may hold NULLs
   * @param preferDelta the values grow evenly: always DELTA_BINARY_PACKED
   */
  ChunkEncoder(SqlType type, boolean optional, boolean preferDelta) {
    this.type = type;
    this.optional = optional;
    this.preferDelta = preferDelta;
  }

  Result encode(List<Vector> pages) {
    var dense = new ArrayList<Vector>();
    for (Vector v : pages) {
      dense.add(Physical.toPhysical(withoutNulls(v)));
    }
    Coded coded = dictionary(dense);
    chosen = null;
    var out = new ArrayList<Page>();
    for (int i = 0; i < pages.size(); i++) {
      Vector v = dense.get(i);
      Vector page = pages.get(i);
      int nulls = page.length() - v.length();
      var body = new Buffer(v.length() * 8 + 1024);
      if (optional) {
        levels(page, nulls, body);
      }
      PageStats stats = PageStats.of(type, v, nulls);
      if (coded != null) {
        int width = Math.max(1, Encoders.width(coded.size - 1));
        body.put(width);
        int[] codes = coded.codes.get(i);
        Encoders.hybrid(codes, codes.length, width, body);
        out.add(page(body, page.length(), Encoding.RLE_DICTIONARY, stats));
      } else {
        out.add(values(v, body, page.length(), stats));
      }
    }
    return new Result(coded == null ? null : coded.dictionary, out);
  }

  private static Vector withoutNulls(Vector v) {
    if (!v.mayHaveNulls()) {
      return v;
    }
    int[] at = new int[v.length()];
    int n = 0;
    for (int i = 0; i < v.length(); i++) {
      if (!v.isNull(i)) {
        at[n++] = i;
      }
    }
    Vector t = v.take(at, n);
    return t;
  }

  private static void levels(Vector v, int nulls, Buffer out) {
    int n = v.length();
    int start = out.size;
    out.putInt(0);
    if (nulls == 0 || nulls == n) {
      out.putVar((long) n << 1);
      out.put(nulls == 0 ? 1 : 0);
    } else {
      int[] l = new int[n];
      for (int i = 0; i < n; i++) {
        l[i] = v.isNull(i) ? 0 : 1;
      }
      Encoders.hybrid(l, n, 1, out);
    }
    io.millrace.common.batch.Words.putInt(out.data, start, out.size - start - 4);
  }

  private Page values(Vector v, Buffer body, int rows, PageStats stats) {
    int n = v.length();
    int head = body.size;
    switch (v) {
      case BoolVector b -> Encoders.plainBooleans(b.values(), n, body);
      case IntVector b -> {
        long[] wide = new long[n];
        for (int i = 0; i < n; i++) {
          wide[i] = b.values()[i];
        }
        Encoders.delta(wide, n, true, body);
        if (!preferDelta && body.size - head > n * 4L * 9 / 10) {
          body.size = head;
          Encoders.plainInts(b.values(), n, body);
          return page(body, rows, Encoding.PLAIN, stats);
        }
        return page(body, rows, Encoding.DELTA_BINARY_PACKED, stats);
      }
      case LongVector b -> {
        Encoders.delta(b.values(), n, false, body);
        if (!preferDelta && body.size - head > n * 8L * 9 / 10) {
          body.size = head;
          Encoders.plainLongs(b.values(), n, body);
          return page(body, rows, Encoding.PLAIN, stats);
        }
        return page(body, rows, Encoding.DELTA_BINARY_PACKED, stats);
      }
      case DoubleVector b -> {
        long[] bits = new long[n];
        for (int i = 0; i < n; i++) {
          bits[i] = Double.doubleToRawLongBits(b.values()[i]);
        }
        return numbers(
            body,
            rows,
            stats,
            o -> Encoders.plainLongs(bits, n, o),
            o -> Encoders.splitLongs(bits, n, o));
      }
      case FloatVector b -> {
        int[] bits = new int[n];
        for (int i = 0; i < n; i++) {
          bits[i] = Float.floatToRawIntBits(b.values()[i]);
        }
        return numbers(
            body,
            rows,
            stats,
            o -> Encoders.plainInts(bits, n, o),
            o -> Encoders.splitInts(bits, n, o));
      }
      case BytesColumn b -> {
        boolean fixed = Physical.fixed(type);
        for (int i = 0; i < n; i++) {
          int size = b.size(i);
          if (!fixed) {
            body.putInt(size);
          }
          body.put(b.data(i), b.start(i), size);
        }
      }
      default -> throw new IllegalStateException("layout of " + v.type());
    }
    return page(body, rows, Encoding.PLAIN, stats);
  }

  /** A page of floating point: the encoding is chosen by the column's first page. */
  private Page numbers(
      Buffer body, int rows, PageStats stats, Consumer<Buffer> plain, Consumer<Buffer> split) {
    int head = body.size;
    Encoding known = chosen;
    if (known != null) {
      (known == Encoding.PLAIN ? plain : split).accept(body);
      return page(body, rows, known, stats);
    }
    plain.accept(body);
    Page asPlain = page(body, rows, Encoding.PLAIN, stats);
    body.size = head;
    split.accept(body);
    Page asSplit = page(body, rows, Encoding.BYTE_STREAM_SPLIT, stats);
    Page best = asSplit.compressed.length < asPlain.compressed.length ? asSplit : asPlain;
    chosen = best.encoding;
    return best;
  }

  private static Page page(Buffer body, int rows, Encoding encoding, PageStats stats) {
    return new Page(compress(body), body.size, rows, encoding, stats);
  }

  private static byte[] compress(Buffer b) {
    byte[] out = new byte[(int) Zstd.compressBound(b.size)];
    long n = Zstd.compressByteArray(out, 0, out.length, b.data, 0, b.size, ZSTD_LEVEL);
    if (Zstd.isError(n)) {
      throw new IllegalStateException("zstd: " + Zstd.getErrorName(n));
    }
    return Arrays.copyOf(out, (int) n);
  }

  /** A dictionary and the pages' codes. */
  private record Coded(Dictionary dictionary, int size, List<int[]> codes) {}

  private @Nullable Coded dictionary(List<Vector> pages) {
    int total = 0;
    for (Vector v : pages) {
      total += v.length();
    }
    if (total == 0) {
      return null;
    }
    Vector first = pages.getFirst();
    if (first instanceof BytesColumn) {
      return bytesDictionary(pages, total);
    }
    if (first instanceof DoubleVector || first instanceof FloatVector) {
      return numberDictionary(pages, total);
    }
    return null;
  }

  private static @Nullable Coded numberDictionary(List<Vector> pages, int total) {
    int max = Math.min(MAX_NUMBERS, Math.max(16, total / 8));
    var table = new NumberTable(max);
    var codes = new ArrayList<int[]>();
    boolean doubles = pages.getFirst() instanceof DoubleVector;
    for (Vector v : pages) {
      int n = v.length();
      int[] c = new int[n];
      for (int i = 0; i < n; i++) {
        long bits =
            doubles
                ? Double.doubleToRawLongBits(((DoubleVector) v).get(i))
                : Float.floatToRawIntBits(((FloatVector) v).get(i));
        int code = table.code(bits);
        if (code < 0) {
          return null;
        }
        c[i] = code;
      }
      codes.add(c);
    }
    var body = new Buffer(table.size * 8);
    for (int i = 0; i < table.size; i++) {
      if (doubles) {
        body.putLong(table.values[i]);
      } else {
        body.putInt((int) table.values[i]);
      }
    }
    return new Coded(new Dictionary(compress(body), body.size, table.size), table.size, codes);
  }

  /** Distinct bit patterns, at most a number of them. */
  private static final class NumberTable {
    private final long[] values;
    private final int[] slots;
    private final int max;
    private int size;

    NumberTable(int max) {
      this.max = max;
      values = new long[max];
      slots = new int[Integer.highestOneBit(max * 4)];
    }

    int code(long bits) {
      int mask = slots.length - 1;
      long h = bits * 0x9E3779B97F4A7C15L;
      int s = (int) (h >>> 40) & mask;
      while (slots[s] != 0) {
        int e = slots[s] - 1;
        if (values[e] == bits) {
          return e;
        }
        s = s + 1 & mask;
      }
      if (size == max) {
        return -1;
      }
      values[size] = bits;
      slots[s] = ++size;
      return size - 1;
    }
  }

  /** A byte range as a map key. */
  private record Key(byte[] data, int from, int to) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Key k && Arrays.equals(data, from, to, k.data, k.from, k.to);
    }

    @Override
    public int hashCode() {
      return (int) BytesColumn.hashBytes(data, from, to);
    }
  }

  private @Nullable Coded bytesDictionary(List<Vector> pages, int total) {
    int max = Math.max(16, total / 4);
    var codeOf = new HashMap<Key, Integer>();
    var entries = new ArrayList<Key>();
    long bytes = 0;
    var codes = new ArrayList<int[]>();
    var maps = new IdentityHashMap<DictVector.Dictionary, int[]>();
    for (Vector v : pages) {
      var b = (BytesColumn) v;
      int n = v.length();
      int[] c = new int[n];
      int[] map = null;
      int[] own = null;
      if (v instanceof DictVector d && d.dictionary().size() <= 4 * n + 1024) {
        map =
            maps.computeIfAbsent(
                d.dictionary(),
                k -> {
                  int[] m = new int[k.size()];
                  Arrays.fill(m, -1);
                  return m;
                });
        own = d.codes();
      }
      for (int i = 0; i < n; i++) {
        if (map != null && own != null && map[own[i]] >= 0) {
          c[i] = map[own[i]];
          continue;
        }
        var key = new Key(b.data(i), b.start(i), b.end(i));
        Integer code = codeOf.get(key);
        if (code == null) {
          bytes += b.size(i) + 4L;
          if (entries.size() >= max || bytes > MAX_DICTIONARY_BYTES) {
            return null;
          }
          code = entries.size();
          entries.add(key);
          codeOf.put(key, code);
        }
        c[i] = code;
        if (map != null && own != null) {
          map[own[i]] = code;
        }
      }
      codes.add(c);
    }
    return sorted(entries, codes, bytes);
  }

  private Coded sorted(List<Key> entries, List<int[]> codes, long bytes) {
    Integer[] order = new Integer[entries.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
    }
    Arrays.sort(
        order,
        (x, y) -> {
          Key a = entries.get(x);
          Key b = entries.get(y);
          return Arrays.compareUnsigned(a.data, a.from, a.to, b.data, b.from, b.to);
        });
    int[] place = new int[order.length];
    var body = new Buffer((int) bytes);
    boolean fixed = Physical.fixed(type);
    for (int i = 0; i < order.length; i++) {
      place[order[i]] = i;
      Key k = entries.get(order[i]);
      if (!fixed) {
        body.putInt(k.to - k.from);
      }
      body.put(k.data, k.from, k.to - k.from);
    }
    for (int[] c : codes) {
      for (int i = 0; i < c.length; i++) {
        c[i] = place[c[i]];
      }
    }
    return new Coded(new Dictionary(compress(body), body.size, order.length), order.length, codes);
  }
}

package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Row i is dictionary entry codes[i]. The dictionary may grow behind the vector's back (append
 * only) and may hold entries that no row uses; codes mean something only with their dictionary
 * object. Entries are distinct. Codes of NULL rows are unspecified but valid indexes (0) or -1.
 */
public final class DictVector extends BytesColumn {
  private final int[] codes;
  private final Dictionary dictionary;

  public DictVector(
      SqlType type, int[] codes, Dictionary dictionary, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.codes = codes;
    this.dictionary = dictionary;
  }

  /** The entries of a dictionary; implementations are append-only. */
  public interface Dictionary {
    int size();

    byte[] data(int code);

    int start(int code);

    int end(int code);

    /** Whether codes order as their bytes do. */
    boolean sorted();

    long byteSize();
  }

  /** An immutable dictionary over offsets and bytes. */
  public record FixedDictionary(int[] offsets, byte[] bytes, int size, boolean sorted)
      implements Dictionary {
    @Override
    public byte[] data(int code) {
      return bytes;
    }

    @Override
    public int start(int code) {
      return offsets[code];
    }

    @Override
    public int end(int code) {
      return offsets[code + 1];
    }

    @Override
    public long byteSize() {
      return 48 + offsets.length * 4L + bytes.length;
    }
  }

  public int[] codes() {
    return codes;
  }

  public Dictionary dictionary() {
    return dictionary;
  }

  @Override
  public byte[] data(int row) {
    return dictionary.data(codes[row]);
  }

  @Override
  public int start(int row) {
    return dictionary.start(codes[row]);
  }

  @Override
  public int end(int row) {
    return dictionary.end(codes[row]);
  }

  @Override
  public BytesVector plain() {
    int n = length();
    int[] o = new int[n + 1];
    int total = 0;
    for (int i = 0; i < n; i++) {
      total = Math.addExact(total, isNull(i) ? 0 : size(i));
      o[i + 1] = total;
    }
    byte[] d = new byte[total];
    for (int i = 0; i < n; i++) {
      if (o[i + 1] > o[i]) {
        System.arraycopy(data(i), start(i), d, o[i], o[i + 1] - o[i]);
      }
    }
    return new BytesVector(type(), o, d, n, validity());
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 64 + codes.length * 4L + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public DictVector take(int[] positions, int count) {
    int[] out = new int[count];
    for (int i = 0; i < count; i++) {
      out[i] = codes[positions[i]];
    }
    return new DictVector(type(), out, dictionary, count, takeValidity(positions, count));
  }

  @Override
  public DictVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new DictVector(
            type(),
            Arrays.copyOfRange(codes, from, from + count),
            dictionary,
            count,
            sliceValidity(from, count));
  }

  @Override
  public DictVector withType(SqlType newType) {
    return new DictVector(newType, codes, dictionary, length(), validity());
  }
}

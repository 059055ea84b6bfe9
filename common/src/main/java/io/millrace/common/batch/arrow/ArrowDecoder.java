package io.millrace.common.batch.arrow;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.batch.arrow.ArrowField.Form;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.Utf8;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Map;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/** Takes the vectors of one record batch, one after another, out of its body. */
final class ArrowDecoder {
  private static final int MAX_ROWS = 1 << 24;
  private static final long DAY_MILLIS = 86_400_000L;

  private final RecordBatch batch;
  private final byte[] data;
  private final int body;
  private final int end;
  private final Map<Long, Vector> dictionaries;
  private int nextNode;
  private int nextBuffer;

  ArrowDecoder(RecordBatch batch, byte[] data, int body, int end, Map<Long, Vector> dictionaries) {
    this.batch = batch;
    this.data = data;
    this.body = body;
    this.end = end;
    this.dictionaries = dictionaries;
  }

  /** Moves to the next buffer and returns where it begins; it has at least so many bytes. */
  private int buffer(long bytes) {
    Buffer b = batch.buffers(nextBuffer++);
    long from = body + b.offset();
    if (b.offset() < 0 || b.length() < bytes || from + b.length() > end) {
      throw ArrowReader.malformed("a buffer is too short");
    }
    return (int) from;
  }

  private long @Nullable [] validity(FieldNode node) {
    int n = Math.toIntExact(node.length());
    boolean none = node.nullCount() == 0 || batch.buffers(nextBuffer).length() == 0;
    int from = buffer(none ? 0 : (n + 7) / 8);
    return none ? null : bits(from, n);
  }

  private long[] bits(int from, int n) {
    long[] out = new long[Bits.words(n)];
    for (int i = 0; i < (n + 7) / 8; i++) {
      out[i >> 3] |= (data[from + i] & 0xffL) << ((i & 7) * 8);
    }
    if ((n & 63) != 0) {
      out[out.length - 1] &= -1L >>> (64 - (n & 63));
    }
    return out;
  }

  /** The next column of the batch. */
  Vector column(ArrowField f) {
    if (batch.nodes(nextNode).length() != batch.length()) {
      throw ArrowReader.malformed("columns of different lengths");
    }
    return vector(f);
  }

  private Vector vector(ArrowField f) {
    FieldNode node = batch.nodes(nextNode++);
    if (node.length() < 0 || node.length() > MAX_ROWS) {
      throw ArrowReader.malformed("a column of " + node.length() + " values");
    }
    int n = (int) node.length();
    if (f.form() == Form.NULL) {
      VectorBuilder b = VectorBuilder.of(f.type(), n);
      for (int i = 0; i < n; i++) {
        b.appendNull();
      }
      return b.build();
    }
    long[] valid = validity(node);
    Form index = f.index();
    return index == null ? plain(f, n, valid) : coded(f, index, n, valid);
  }

  private Vector coded(ArrowField f, Form index, int n, long @Nullable [] valid) {
    Vector values = dictionaries.get(f.dictionary());
    if (values == null) {
      throw ArrowReader.malformed("a dictionary is missing");
    }
    int[] codes = new int[n];
    long[] wide = integers(index, n);
    for (int i = 0; i < n; i++) {
      boolean there = valid == null || Bits.get(valid, i);
      if (there && (wide[i] < 0 || wide[i] >= values.length())) {
        throw ArrowReader.malformed("code " + wide[i] + " is not in the dictionary");
      }
      codes[i] = there ? (int) wide[i] : 0;
    }
    if (values instanceof BytesVector v && v.validity() == null && v.length() > 0) {
      var d = new DictVector.FixedDictionary(v.offsets(), v.data(), v.length(), false);
      return new DictVector(f.type(), codes, d, n, valid);
    }
    VectorBuilder b = VectorBuilder.of(f.type(), n);
    for (int i = 0; i < n; i++) {
      if (valid == null || Bits.get(valid, i)) {
        b.append(values, codes[i]);
      } else {
        b.appendNull();
      }
    }
    return b.build();
  }

  private Vector plain(ArrowField f, int n, long @Nullable [] valid) {
    SqlType type = f.type();
    return switch (f.form()) {
      case NULL -> throw new IllegalStateException("has no buffers");
      case BOOL -> {
        long[] bits = bits(buffer((n + 7) / 8), n);
        boolean[] v = new boolean[n];
        for (int i = 0; i < n; i++) {
          v[i] = Bits.get(bits, i);
        }
        yield new BoolVector(type, v, n, valid);
      }
      case DATE_DAYS -> days(type, integers(Form.INT32, n), n, valid);
      case INT8, UINT8, INT16, UINT16, INT32 -> ints(type, integers(f.form(), n), n, valid);
      case UINT32, INT64, UINT64 -> longs(f, integers(f.form(), n), n, valid);
      case HALF, FLOAT -> floats(f, n, valid);
      case DOUBLE -> {
        int from = buffer(8L * n);
        double[] v = new double[n];
        for (int i = 0; i < n; i++) {
          v[i] = Double.longBitsToDouble(Words.getLong(data, from + 8 * i));
        }
        yield new DoubleVector(type, v, n, valid);
      }
      case BYTES, LARGE_BYTES -> bytes(type, offsets(f.form() == Form.LARGE_BYTES, n), n, valid);
      case FIXED_BYTES -> {
        int[] offsets = new int[n + 1];
        for (int i = 0; i <= n; i++) {
          offsets[i] = Math.multiplyExact(i, f.parameter());
        }
        yield bytes(type, offsets, n, valid);
      }
      case DATE_MILLIS -> {
        long[] v = integers(Form.INT64, n);
        for (int i = 0; i < n; i++) {
          v[i] = Math.floorDiv(v[i], DAY_MILLIS);
        }
        yield days(type, v, n, valid);
      }
      case TIME32 -> times(f, integers(Form.INT32, n), n, valid);
      case TIME64, TIMESTAMP -> times(f, integers(Form.INT64, n), n, valid);
      case DURATION -> {
        LongVector micros = times(f, integers(Form.INT64, n), n, valid);
        yield new IntervalVector(type, new int[n], new int[n], micros.values(), n, valid);
      }
      case INTERVAL_MONTHS, INTERVAL_DAY_TIME, INTERVAL_MONTH_DAY_NANO -> intervals(f, n, valid);
      case DECIMAL -> decimals(f, n, valid);
      case LIST, LARGE_LIST, FIXED_LIST -> lists(f, n, valid);
    };
  }

  private long[] integers(Form form, int n) {
    int width =
        switch (form) {
          case INT8, UINT8 -> 1;
          case INT16, UINT16 -> 2;
          case INT32, UINT32 -> 4;
          default -> 8;
        };
    int from = buffer((long) width * n);
    long[] v = new long[n];
    for (int i = 0; i < n; i++) {
      int at = from + width * i;
      v[i] =
          switch (form) {
            case INT8 -> data[at];
            case UINT8 -> data[at] & 0xff;
            case INT16 -> (short) (data[at] & 0xff | data[at + 1] << 8);
            case UINT16 -> data[at] & 0xff | (data[at + 1] & 0xff) << 8;
            case INT32 -> Words.getInt(data, at);
            case UINT32 -> Words.getInt(data, at) & 0xffff_ffffL;
            default -> Words.getLong(data, at);
          };
    }
    return v;
  }

  private static IntVector ints(SqlType type, long[] wide, int n, long @Nullable [] valid) {
    int[] v = new int[n];
    for (int i = 0; i < n; i++) {
      v[i] = (int) wide[i];
    }
    return new IntVector(type, v, n, valid);
  }

  private static LongVector longs(ArrowField f, long[] v, int n, long @Nullable [] valid) {
    if (f.form() == Form.UINT64) {
      for (int i = 0; i < n; i++) {
        if (v[i] < 0 && (valid == null || Bits.get(valid, i))) {
          throw new MillraceException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
        }
      }
    }
    return new LongVector(f.type(), v, n, valid);
  }

  private FloatVector floats(ArrowField f, int n, long @Nullable [] valid) {
    boolean half = f.form() == Form.HALF;
    int from = buffer((half ? 2L : 4L) * n);
    float[] v = new float[n];
    for (int i = 0; i < n; i++) {
      v[i] =
          half
              ? Float.float16ToFloat(
                  (short) (data[from + 2 * i] & 0xff | data[from + 2 * i + 1] << 8))
              : Float.intBitsToFloat(Words.getInt(data, from + 4 * i));
    }
    return new FloatVector(f.type(), v, n, valid);
  }

  private int[] offsets(boolean large, int n) {
    int[] out = new int[n + 1];
    boolean empty = n == 0 && batch.buffers(nextBuffer).length() == 0;
    int from = buffer(empty ? 0 : (large ? 8L : 4L) * (n + 1));
    for (int i = 0; i <= n && !empty; i++) {
      out[i] =
          large
              ? Math.toIntExact(Words.getLong(data, from + 8 * i))
              : Words.getInt(data, from + 4 * i);
      if (out[i] < 0 || i > 0 && out[i] < out[i - 1]) {
        throw ArrowReader.malformed("offsets do not grow");
      }
    }
    return out;
  }

  private BytesVector bytes(SqlType type, int[] offsets, int n, long @Nullable [] valid) {
    int first = offsets[0];
    int from = buffer(offsets[n]);
    byte[] copy = Arrays.copyOfRange(data, from + first, from + offsets[n]);
    for (int i = 0; i <= n; i++) {
      offsets[i] -= first;
    }
    if (type.equals(SqlType.TEXT)) {
      for (int i = 0; i < n; i++) {
        Utf8.check(copy, offsets[i], offsets[i + 1] - offsets[i]);
      }
    }
    return new BytesVector(type, offsets, copy, n, valid);
  }

  private static LongVector times(ArrowField f, long[] v, int n, long @Nullable [] valid) {
    for (int i = 0; i < n; i++) {
      v[i] = valid == null || Bits.get(valid, i) ? inRange(f, v[i]) : 0;
    }
    return new LongVector(f.type(), v, n, valid);
  }

  private static long inRange(ArrowField f, long value) {
    long v;
    try {
      v = f.time(value);
    } catch (ArithmeticException e) {
      throw outOfRange(f.type());
    }
    boolean fine =
        switch (f.type().kind()) {
          case TIME -> v >= 0 && v <= Dates.DAY;
          case TIMESTAMP, TIMESTAMPTZ -> v >= Dates.MIN_MICROS && v < Dates.END_MICROS;
          default -> true;
        };
    if (!fine) {
      throw outOfRange(f.type());
    }
    return v;
  }

  private static MillraceException outOfRange(SqlType type) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, type.sqlName() + " out of range");
  }

  private static Vector days(SqlType type, long[] v, int n, long @Nullable [] valid) {
    for (int i = 0; i < n; i++) {
      boolean there = valid == null || Bits.get(valid, i);
      if (there && (v[i] < Dates.MIN_DAY || v[i] >= Dates.END_DAY)) {
        throw outOfRange(type);
      }
    }
    return ints(type, v, n, valid);
  }

  private IntervalVector intervals(ArrowField f, int n, long @Nullable [] valid) {
    int[] months = new int[n];
    int[] days = new int[n];
    long[] micros = new long[n];
    int width =
        switch (f.form()) {
          case INTERVAL_MONTHS -> 4;
          case INTERVAL_DAY_TIME -> 8;
          default -> 16;
        };
    int from = buffer((long) width * n);
    for (int i = 0; i < n; i++) {
      int at = from + width * i;
      switch (width) {
        case 4 -> months[i] = Words.getInt(data, at);
        case 8 -> {
          days[i] = Words.getInt(data, at);
          micros[i] = Words.getInt(data, at + 4) * 1000L;
        }
        default -> {
          months[i] = Words.getInt(data, at);
          days[i] = Words.getInt(data, at + 4);
          micros[i] = Math.floorDiv(Words.getLong(data, at + 8), 1000L);
        }
      }
    }
    return new IntervalVector(f.type(), months, days, micros, n, valid);
  }

  private Vector decimals(ArrowField f, int n, long @Nullable [] valid) {
    int width = (f.parameter() >>> 16) / 8;
    int scale = (short) f.parameter();
    int from = buffer((long) width * n);
    var b = (VectorBuilder.Numerics) VectorBuilder.of(f.type(), n);
    byte[] big = new byte[width];
    for (int i = 0; i < n; i++) {
      if (valid != null && !Bits.get(valid, i)) {
        b.appendNull();
        continue;
      }
      for (int k = 0; k < width; k++) {
        big[k] = data[from + width * i + width - 1 - k];
      }
      var v = new BigDecimal(new BigInteger(big), scale);
      b.append(scale < 0 ? v.setScale(0) : v);
    }
    return b.build();
  }

  private Vector lists(ArrowField f, int n, long @Nullable [] valid) {
    int[] offsets;
    if (f.form() == Form.FIXED_LIST) {
      offsets = new int[n + 1];
      for (int i = 0; i <= n; i++) {
        offsets[i] = Math.multiplyExact(i, f.parameter());
      }
    } else {
      offsets = offsets(f.form() == Form.LARGE_LIST, n);
    }
    Vector elements = vector(f.children().getFirst());
    if (offsets[n] > elements.length()) {
      throw ArrowReader.malformed("a list is longer than its elements");
    }
    return new ArrayVector(f.type(), offsets, elements, null, n, valid);
  }
}

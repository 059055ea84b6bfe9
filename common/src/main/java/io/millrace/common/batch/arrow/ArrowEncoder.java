package io.millrace.common.batch.arrow;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Puts the vectors of one record batch, one after another, into its body. */
final class ArrowEncoder {
  private final SessionFormat format;
  private final List<long[]> nodes = new ArrayList<>();
  private final List<long[]> buffers = new ArrayList<>();
  private byte[] body = new byte[4096];
  private int size;

  ArrowEncoder(SessionFormat format) {
    this.format = format;
  }

  /** Length and number of NULLs of each vector. */
  List<long[]> nodes() {
    return nodes;
  }

  /** Offset and length of each buffer. */
  List<long[]> buffers() {
    return buffers;
  }

  byte[] body() {
    return body;
  }

  int size() {
    return size;
  }

  /** Begins a buffer of so many bytes and returns where; the body stays a multiple of 8. */
  private int buffer(int bytes) {
    int at = size;
    int end = Math.addExact(at, Math.addExact(bytes, 7) & ~7);
    if (end > body.length) {
      body = Arrays.copyOf(body, Math.max(end, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * end)));
    }
    buffers.add(new long[] {at, bytes});
    size = end;
    return at;
  }

  /** The next column. */
  void column(String name, ArrowType type, Vector v) {
    int n = v.length();
    validity(v, n);
    switch (type.form()) {
      case BOOL -> {
        var b = (BoolVector) v;
        int at = buffer((n + 7) / 8);
        for (int i = 0; i < n; i++) {
          body[at + (i >> 3)] |= (byte) (!v.isNull(i) && b.get(i) ? 1 << (i & 7) : 0);
        }
      }
      case INT16 -> {
        var x = (IntVector) v;
        int at = buffer(2 * n);
        for (int i = 0; i < n; i++) {
          int value = v.isNull(i) ? 0 : x.get(i);
          body[at + 2 * i] = (byte) value;
          body[at + 2 * i + 1] = (byte) (value >> 8);
        }
      }
      case INT32, UINT32 -> ints((IntVector) v, n);
      case DATE -> {
        var x = (IntVector) v;
        for (int i = 0; i < n; i++) {
          if (!v.isNull(i)
              && (x.get(i) == Dates.DATE_INFINITY || x.get(i) == Dates.DATE_MINUS_INFINITY)) {
            throw infinite(name, "date");
          }
        }
        ints(x, n);
      }
      case INT64, TIME -> longs((LongVector) v, n);
      case TIMESTAMP -> {
        var x = (LongVector) v;
        for (int i = 0; i < n; i++) {
          if (!v.isNull(i) && (x.get(i) == Dates.INFINITY || x.get(i) == Dates.MINUS_INFINITY)) {
            throw infinite(name, "timestamp");
          }
        }
        longs(x, n);
      }
      case FLOAT -> {
        var x = (FloatVector) v;
        int at = buffer(4 * n);
        for (int i = 0; i < n; i++) {
          Words.putInt(body, at + 4 * i, v.isNull(i) ? 0 : Float.floatToRawIntBits(x.get(i)));
        }
      }
      case DOUBLE -> {
        var x = (DoubleVector) v;
        int at = buffer(8 * n);
        for (int i = 0; i < n; i++) {
          Words.putLong(body, at + 8 * i, v.isNull(i) ? 0 : Double.doubleToRawLongBits(x.get(i)));
        }
      }
      case TEXT -> texts(type, v, n);
      case BYTES -> bytes((BytesColumn) v, n);
      case UUID -> {
        var x = (BytesColumn) v;
        int at = buffer(16 * n);
        for (int i = 0; i < n; i++) {
          if (!v.isNull(i)) {
            System.arraycopy(x.data(i), x.start(i), body, at + 16 * i, 16);
          }
        }
      }
      case INTERVAL -> intervals(name, (IntervalVector) v, n);
      case DECIMAL -> decimals(name, type, (NumericVector) v, n);
      case LIST -> list(name, type, (ArrayVector) v, n);
    }
  }

  private void validity(Vector v, int n) {
    int nulls = 0;
    for (int i = 0; i < n; i++) {
      nulls += v.isNull(i) ? 1 : 0;
    }
    nodes.add(new long[] {n, nulls});
    int at = buffer(nulls == 0 ? 0 : (n + 7) / 8);
    for (int i = 0; i < n && nulls > 0; i++) {
      body[at + (i >> 3)] |= (byte) (v.isNull(i) ? 0 : 1 << (i & 7));
    }
  }

  private void ints(IntVector v, int n) {
    int at = buffer(4 * n);
    for (int i = 0; i < n; i++) {
      Words.putInt(body, at + 4 * i, v.isNull(i) ? 0 : v.get(i));
    }
  }

  private void longs(LongVector v, int n) {
    int at = buffer(8 * n);
    for (int i = 0; i < n; i++) {
      Words.putLong(body, at + 8 * i, v.isNull(i) ? 0 : v.get(i));
    }
  }

  private void bytes(BytesColumn v, int n) {
    int offsets = buffer(4 * (n + 1));
    int end = 0;
    for (int i = 0; i < n; i++) {
      end = Math.addExact(end, v.isNull(i) ? 0 : v.size(i));
      Words.putInt(body, offsets + 4 * (i + 1), end);
    }
    int at = buffer(end);
    for (int i = 0; i < n; i++) {
      if (!v.isNull(i)) {
        System.arraycopy(v.data(i), v.start(i), body, at, v.size(i));
        at += v.size(i);
      }
    }
  }

  private void texts(ArrowType type, Vector v, int n) {
    TypeCodec codec = TypeCodecs.full(type.type());
    var out = new ByteSink(1024);
    int offsets = buffer(4 * (n + 1));
    for (int i = 0; i < n; i++) {
      if (!v.isNull(i)) {
        codec.writeText(v, i, out, format);
      }
      Words.putInt(body, offsets + 4 * (i + 1), out.position());
    }
    int at = buffer(out.position());
    System.arraycopy(out.array(), 0, body, at, out.position());
  }

  private void intervals(String name, IntervalVector v, int n) {
    int at = buffer(16 * n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        continue;
      }
      Words.putInt(body, at + 16 * i, v.months()[i]);
      Words.putInt(body, at + 16 * i + 4, v.days()[i]);
      long micros = v.micros()[i];
      if (Math.abs(micros) > Long.MAX_VALUE / 1000) {
        throw refused(name, ErrorCode.INTERVAL_FIELD_OVERFLOW, "an interval that long");
      }
      Words.putLong(body, at + 16 * i + 8, micros * 1000);
    }
  }

  private void decimals(String name, ArrowType type, NumericVector v, int n) {
    int width = type.width();
    int at = buffer(width * n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        continue;
      }
      if (v.special(i) != NumericVector.FINITE) {
        throw refused(name, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "NaN or infinity as a decimal");
      }
      BigInteger x = v.get(i).setScale(type.scale(), RoundingMode.UNNECESSARY).unscaledValue();
      byte[] big = x.toByteArray();
      int to = at + width * i;
      Arrays.fill(body, to, to + width, (byte) (x.signum() < 0 ? -1 : 0));
      for (int k = 0; k < big.length; k++) {
        body[to + k] = big[big.length - 1 - k];
      }
    }
  }

  private void list(String name, ArrowType type, ArrayVector v, int n) {
    ArrowType element = type.element();
    if (element == null) {
      throw new IllegalStateException("a list without elements");
    }
    int[] places = new int[v.elements().length()];
    int offsets = buffer(4 * (n + 1));
    int count = 0;
    for (int i = 0; i < n; i++) {
      if (!v.isNull(i)) {
        if (v.shape(i) != null) {
          throw refused(name, ErrorCode.FEATURE_NOT_SUPPORTED, "arrays of several dimensions");
        }
        for (int k = v.start(i); k < v.end(i); k++) {
          places[count++] = k;
        }
      }
      Words.putInt(body, offsets + 4 * (i + 1), count);
    }
    column(name, element, v.elements().take(places, count));
  }

  private static MillraceException infinite(String name, String type) {
    return refused(name, ErrorCode.DATETIME_FIELD_OVERFLOW, "an infinite " + type);
  }

  private static MillraceException refused(String column, ErrorCode code, String what) {
    return new MillraceException(code, "Arrow cannot hold " + what + ": column \"" + column + "\"");
  }
}

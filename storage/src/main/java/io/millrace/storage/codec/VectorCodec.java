package io.millrace.storage.codec;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Vectors as bytes: type, validity words, then the values' arrays copied whole (little-endian), so
 * that a batch costs one memory copy. Dictionary vectors keep their codes, with only the entries
 * that are used.
 */
public final class VectorCodec {
  private static final int PLAIN = 0;
  private static final int DICTIONARY = 1;

  private VectorCodec() {}

  /** Number of rows, number of columns, the columns. */
  public static void write(ByteWriter w, Batch b) {
    w.var(b.rows()).var(b.width());
    for (Vector v : b.columns()) {
      write(w, v, b.rows());
    }
  }

  public static Batch readBatch(ByteReader r) {
    int rows = (int) r.var();
    int width = r.count();
    var columns = new ArrayList<Vector>(width);
    for (int i = 0; i < width; i++) {
      columns.add(read(r, rows));
    }
    return new Batch(columns, rows);
  }

  private static void writeType(ByteWriter w, SqlType t) {
    SqlType byOid = SqlType.ofOid(t.oid());
    if (byOid != null && byOid.withTypmod(t.typmod()).equals(t)) {
      w.u1(0).var(t.oid()).var(t.typmod() + 1L);
    } else {
      w.u1(1);
      SchemaCodec.write(w, t);
    }
  }

  private static SqlType readType(ByteReader r) {
    if (r.u1() == 1) {
      return SchemaCodec.readType(r);
    }
    int oid = (int) r.var();
    int typmod = (int) (r.var() - 1);
    SqlType t = SqlType.ofOid(oid);
    if (t == null) {
      throw new MillraceException(ErrorCode.DATA_CORRUPTED, "unknown type oid " + oid);
    }
    return t.withTypmod(typmod);
  }

  public static void write(ByteWriter w, Vector v, int n) {
    writeType(w, v.type());
    long[] validity = v.validity();
    w.u1(validity == null ? 0 : 1);
    if (validity != null) {
      longs(w, validity, Bits.words(n));
    }
    switch (v) {
      case BoolVector b -> {
        int at = w.skip(n);
        for (int i = 0; i < n; i++) {
          w.array()[at + i] = (byte) (b.values()[i] ? 1 : 0);
        }
      }
      case IntVector i -> ints(w, i.values(), n);
      case LongVector l -> longs(w, l.values(), n);
      case FloatVector f -> {
        int at = w.skip(Math.multiplyExact(n, 4));
        view(w, at, n * 4).asFloatBuffer().put(f.values(), 0, n);
      }
      case DoubleVector d -> {
        int at = w.skip(Math.multiplyExact(n, 8));
        view(w, at, n * 8).asDoubleBuffer().put(d.values(), 0, n);
      }
      case DictVector d when d.dictionary().size() <= n * 4L -> writeDictionary(w, d, n);
      case BytesColumn b -> writeBytes(w, b, n);
      case NumericVector x -> writeNumeric(w, x, n);
      case IntervalVector x -> {
        ints(w, x.months(), n);
        ints(w, x.days(), n);
        longs(w, x.micros(), n);
      }
      case ArrayVector a -> writeArray(w, a, n);
      case RecordVector x -> {
        w.var(x.children().size());
        for (Vector c : x.children()) {
          write(w, c, n);
        }
      }
    }
  }

  public static Vector read(ByteReader r, int n) {
    SqlType t = readType(r);
    long[] validity = r.u1() == 0 ? null : longs(r, Bits.words(n));
    return switch (t.layout()) {
      case BOOL -> {
        int at = r.skip(n);
        boolean[] out = new boolean[n];
        for (int i = 0; i < n; i++) {
          out[i] = r.array()[at + i] != 0;
        }
        yield new BoolVector(t, out, n, validity);
      }
      case INT -> new IntVector(t, ints(r, n), n, validity);
      case LONG -> new LongVector(t, longs(r, n), n, validity);
      case FLOAT -> {
        int at = r.skip(Math.multiplyExact(n, 4));
        float[] out = new float[n];
        view(r, at, n * 4).asFloatBuffer().get(out);
        yield new FloatVector(t, out, n, validity);
      }
      case DOUBLE -> {
        int at = r.skip(Math.multiplyExact(n, 8));
        double[] out = new double[n];
        view(r, at, n * 8).asDoubleBuffer().get(out);
        yield new DoubleVector(t, out, n, validity);
      }
      case BYTES -> readBytes(r, t, n, validity);
      case NUMERIC -> readNumeric(r, t, n, validity);
      case INTERVAL -> new IntervalVector(t, ints(r, n), ints(r, n), longs(r, n), n, validity);
      case ARRAY -> readArray(r, t, n, validity);
      case RECORD -> {
        int width = r.count();
        var children = new ArrayList<Vector>(width);
        for (int i = 0; i < width; i++) {
          children.add(read(r, n));
        }
        yield new RecordVector(t, children, n, validity);
      }
    };
  }

  private static void writeBytes(ByteWriter w, BytesColumn b, int n) {
    w.u1(PLAIN);
    int lengths = w.skip(Math.multiplyExact(n, 4));
    int total = 0;
    for (int i = 0; i < n; i++) {
      int size = b.isNull(i) ? 0 : b.size(i);
      w.i4At(lengths + i * 4, size);
      total = Math.addExact(total, size);
    }
    if (b instanceof BytesVector v && v.offsets()[n] - v.offsets()[0] == total) {
      w.bytes(v.data(), v.offsets()[0], total);
      return;
    }
    for (int i = 0; i < n; i++) {
      if (!b.isNull(i)) {
        w.bytes(b.data(i), b.start(i), b.size(i));
      }
    }
  }

  private static void writeDictionary(ByteWriter w, DictVector d, int n) {
    w.u1(DICTIONARY);
    DictVector.Dictionary entries = d.dictionary();
    int[] renamed = new int[entries.size()];
    Arrays.fill(renamed, -1);
    int[] codes = new int[n];
    int[] used = new int[Math.min(n, renamed.length)];
    int count = 0;
    for (int i = 0; i < n; i++) {
      if (d.isNull(i)) {
        continue;
      }
      int code = d.codes()[i];
      if (renamed[code] < 0) {
        used[count] = code;
        renamed[code] = count++;
      }
      codes[i] = renamed[code];
    }
    w.var(count);
    for (int i = 0; i < count; i++) {
      int size = entries.end(used[i]) - entries.start(used[i]);
      w.var(size).bytes(entries.data(used[i]), entries.start(used[i]), size);
    }
    int width = count <= 256 ? 1 : count <= 65536 ? 2 : 4;
    w.u1(width);
    if (width == 4) {
      ints(w, codes, n);
      return;
    }
    int at = w.skip(Math.multiplyExact(n, width));
    byte[] out = w.array();
    for (int i = 0; i < n; i++) {
      if (width == 1) {
        out[at + i] = (byte) codes[i];
      } else {
        out[at + 2 * i] = (byte) codes[i];
        out[at + 2 * i + 1] = (byte) (codes[i] >> 8);
      }
    }
  }

  private static Vector readBytes(ByteReader r, SqlType t, int n, long @Nullable [] validity) {
    if (r.u1() == PLAIN) {
      int[] lengths = ints(r, n);
      int[] offsets = new int[n + 1];
      for (int i = 0; i < n; i++) {
        offsets[i + 1] = Math.addExact(offsets[i], lengths[i]);
      }
      return new BytesVector(t, offsets, r.bytes(offsets[n]), n, validity);
    }
    int count = r.count();
    var entries = (VectorBuilder.Bytes) VectorBuilder.of(t, count);
    for (int i = 0; i < count; i++) {
      int size = r.count();
      entries.append(r.array(), r.skip(size), size);
    }
    int width = r.u1();
    int[] codes;
    if (width == 4) {
      codes = ints(r, n);
    } else {
      codes = new int[n];
      int at = r.skip(Math.multiplyExact(n, width));
      byte[] in = r.array();
      for (int i = 0; i < n; i++) {
        codes[i] =
            width == 1
                ? in[at + i] & 0xff
                : (in[at + 2 * i] & 0xff) | (in[at + 2 * i + 1] & 0xff) << 8;
      }
    }
    if (count == 0) {
      return new BytesVector(t, new int[n + 1], new byte[0], n, validity);
    }
    var values = (BytesVector) entries.build();
    return new DictVector(
        t,
        codes,
        new DictVector.FixedDictionary(values.offsets(), values.data(), count, false),
        n,
        validity);
  }

  /** Per row one byte: 0 the long form, 1 a BigDecimal, else 1 + the special mark. */
  private static void writeNumeric(ByteWriter w, NumericVector x, int n) {
    w.u1(x.isPlain() ? 1 : 0);
    longs(w, x.unscaled(), n);
    if (x.isPlain()) {
      w.var(x.uniformScale());
      return;
    }
    for (int i = 0; i < n; i++) {
      BigDecimal big = x.big(i);
      if (x.isNull(i)) {
        w.u1(0).u1(0);
      } else if (x.special(i) != NumericVector.FINITE) {
        w.u1(1 + x.special(i));
      } else if (big == null) {
        w.u1(0).u1(x.scale(i));
      } else {
        byte[] unscaled = big.unscaledValue().toByteArray();
        w.u1(1).var(big.scale()).var(unscaled.length).bytes(unscaled, 0, unscaled.length);
      }
    }
  }

  private static Vector readNumeric(ByteReader r, SqlType t, int n, long @Nullable [] validity) {
    boolean plain = r.u1() == 1;
    long[] unscaled = longs(r, n);
    if (plain) {
      return new NumericVector(t, unscaled, (int) r.var(), null, null, null, n, validity);
    }
    var out = (VectorBuilder.Numerics) VectorBuilder.of(t, n);
    for (int i = 0; i < n; i++) {
      int form = r.u1();
      switch (form) {
        case 0 -> out.append(unscaled[i], r.u1());
        case 1 -> {
          int scale = (int) r.var();
          out.append(new BigDecimal(new BigInteger(r.bytes(r.count())), scale));
        }
        default -> out.appendSpecial((byte) (form - 1));
      }
      if (validity != null && !Bits.get(validity, i)) {
        out.setNull(i);
      }
    }
    return out.build();
  }

  private static void writeArray(ByteWriter w, ArrayVector a, int n) {
    int first = a.offsets()[0];
    int[] offsets = new int[n + 1];
    for (int i = 0; i <= n; i++) {
      offsets[i] = a.offsets()[i] - first;
    }
    ints(w, offsets, n + 1);
    Vector elements = a.elements().slice(first, offsets[n]);
    write(w, elements, offsets[n]);
    for (int i = 0; i < n; i++) {
      int[] shape = a.shape(i);
      w.var(shape == null ? 0 : shape.length);
      if (shape != null) {
        ints(w, shape, shape.length);
      }
    }
  }

  private static Vector readArray(ByteReader r, SqlType t, int n, long @Nullable [] validity) {
    int[] offsets = ints(r, n + 1);
    Vector elements = read(r, offsets[n]);
    int[] @Nullable [] shapes = null;
    for (int i = 0; i < n; i++) {
      int length = r.count();
      if (length > 0) {
        shapes = Objects.requireNonNullElseGet(shapes, () -> new int[n][]);
        shapes[i] = ints(r, length);
      }
    }
    return new ArrayVector(t, offsets, elements, shapes, n, validity);
  }

  private static ByteBuffer view(ByteWriter w, int at, int count) {
    return ByteBuffer.wrap(w.array(), at, count).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer view(ByteReader r, int at, int count) {
    return ByteBuffer.wrap(r.array(), at, count).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void ints(ByteWriter w, int[] values, int n) {
    int at = w.skip(Math.multiplyExact(n, 4));
    view(w, at, n * 4).asIntBuffer().put(values, 0, n);
  }

  private static void longs(ByteWriter w, long[] values, int n) {
    int at = w.skip(Math.multiplyExact(n, 8));
    view(w, at, n * 8).asLongBuffer().put(values, 0, n);
  }

  private static int[] ints(ByteReader r, int n) {
    int at = r.skip(Math.multiplyExact(n, 4));
    int[] out = new int[n];
    view(r, at, n * 4).asIntBuffer().get(out);
    return out;
  }

  private static long[] longs(ByteReader r, int n) {
    int at = r.skip(Math.multiplyExact(n, 8));
    long[] out = new long[n];
    view(r, at, n * 8).asLongBuffer().get(out);
    return out;
  }
}

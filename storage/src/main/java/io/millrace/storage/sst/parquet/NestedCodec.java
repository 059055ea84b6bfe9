package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Arrays and records as bytes, big-endian. A value: one byte 0 for NULL or 1, then by layout: bool
 * 1 byte, int and float 4, long and double 8, bytes and numeric text length (4) and bytes, interval
 * 16; an array the number of dimensions with length and lower bound of each (0 dimensions with a
 * count of elements for the usual shape), then its elements; a record its fields.
 */
final class NestedCodec {
  private NestedCodec() {}

  /** The value of a row that is not NULL. */
  static byte[] encode(Vector v, int row) {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    try {
      writeValue(v, row, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Vector v, int row, DataOutputStream out) throws IOException {
    if (v.isNull(row)) {
      out.writeByte(0);
    } else {
      out.writeByte(1);
      writeValue(v, row, out);
    }
  }

  private static void writeValue(Vector v, int row, DataOutputStream out) throws IOException {
    switch (v) {
      case BoolVector x -> out.writeBoolean(x.get(row));
      case IntVector x -> out.writeInt(x.get(row));
      case LongVector x -> out.writeLong(x.get(row));
      case FloatVector x -> out.writeInt(Float.floatToRawIntBits(x.get(row)));
      case DoubleVector x -> out.writeLong(Double.doubleToRawLongBits(x.get(row)));
      case BytesColumn x -> {
        out.writeInt(x.size(row));
        out.write(x.data(row), x.start(row), x.size(row));
      }
      case NumericVector x -> {
        byte[] text = Numerics.text(x, row).getBytes(StandardCharsets.ISO_8859_1);
        out.writeInt(text.length);
        out.write(text);
      }
      case IntervalVector x -> {
        out.writeInt(x.months()[row]);
        out.writeInt(x.days()[row]);
        out.writeLong(x.micros()[row]);
      }
      case ArrayVector x -> {
        int[] shape = x.shape(row);
        if (shape == null) {
          out.writeInt(0);
          out.writeInt(x.end(row) - x.start(row));
        } else {
          out.writeInt(shape.length / 2);
          for (int s : shape) {
            out.writeInt(s);
          }
          out.writeInt(x.end(row) - x.start(row));
        }
        for (int e = x.start(row); e < x.end(row); e++) {
          write(x.elements(), e, out);
        }
      }
      case RecordVector x -> {
        for (Vector c : x.children()) {
          write(c, row, out);
        }
      }
    }
  }

  /** Appends the value that the buffer starts with. */
  static void decode(ByteBuffer in, VectorBuilder out) {
    switch (out) {
      case VectorBuilder.Bools b -> b.append(in.get() != 0);
      case VectorBuilder.Ints b -> b.append(in.getInt());
      case VectorBuilder.Longs b -> b.append(in.getLong());
      case VectorBuilder.Floats b -> b.append(Float.intBitsToFloat(in.getInt()));
      case VectorBuilder.Doubles b -> b.append(Double.longBitsToDouble(in.getLong()));
      case VectorBuilder.Bytes b -> b.append(bytes(in));
      case VectorBuilder.Numerics b ->
          Numerics.append(new String(bytes(in), StandardCharsets.ISO_8859_1), b);
      case VectorBuilder.Intervals b -> b.append(in.getInt(), in.getInt(), in.getLong());
      case VectorBuilder.ArrayRows b -> {
        int dimensions = in.getInt();
        int[] shape = dimensions == 0 ? null : new int[dimensions * 2];
        for (int i = 0; shape != null && i < shape.length; i++) {
          shape[i] = in.getInt();
        }
        int n = in.getInt();
        for (int i = 0; i < n; i++) {
          decodeNullable(in, b.elements());
        }
        b.endRow(shape);
      }
      case VectorBuilder.Records b -> throw new IllegalStateException("record without a type");
    }
  }

  /** Appends a record's fields. */
  static void decodeRecord(ByteBuffer in, VectorBuilder.Records out, int fields) {
    for (int f = 0; f < fields; f++) {
      decodeNullable(in, out.child(f));
    }
    out.endRow();
  }

  private static void decodeNullable(ByteBuffer in, VectorBuilder out) {
    if (in.get() == 0) {
      out.appendNull();
    } else {
      decode(in, out);
    }
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] b = new byte[in.getInt()];
    in.get(b);
    return b;
  }

  /** Numerics as text. */
  static final class Numerics {
    private Numerics() {}

    static String text(NumericVector v, int row) {
      return switch (v.special(row)) {
        case NumericVector.NAN -> "NaN";
        case NumericVector.POSITIVE_INFINITY -> "Infinity";
        case NumericVector.NEGATIVE_INFINITY -> "-Infinity";
        default ->
            v.big(row) == null && v.scale(row) == 0
                ? Long.toString(v.unscaled()[row])
                : v.get(row).toPlainString();
      };
    }

    static void append(String text, VectorBuilder.Numerics out) {
      switch (text) {
        case "NaN" -> out.appendSpecial(NumericVector.NAN);
        case "Infinity" -> out.appendSpecial(NumericVector.POSITIVE_INFINITY);
        case "-Infinity" -> out.appendSpecial(NumericVector.NEGATIVE_INFINITY);
        default -> {
          if (!appendSmall(text, out)) {
            out.append(new BigDecimal(text));
          }
        }
      }
    }

    private static boolean appendSmall(String text, VectorBuilder.Numerics out) {
      int n = text.length();
      if (n > 18) {
        return false;
      }
      long u = 0;
      int scale = -1;
      int i = text.charAt(0) == '-' ? 1 : 0;
      for (; i < n; i++) {
        char c = text.charAt(i);
        if (c == '.') {
          scale = 0;
        } else {
          u = u * 10 + (c - '0');
          scale = scale < 0 ? scale : scale + 1;
        }
      }
      out.append(text.charAt(0) == '-' ? -u : u, Math.max(0, scale));
      return true;
    }
  }
}

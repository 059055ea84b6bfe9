package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DateType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.JsonType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.NanoSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.UUIDType;

/** How a type lies in a Parquet file, see {@link SstFormat}, and the conversions of vectors. */
final class Physical {
  private Physical() {}

  static Type type(SqlType t) {
    return switch (t.layout()) {
      case BOOL -> Type.BOOLEAN;
      case INT -> Type.INT32;
      case LONG -> Type.INT64;
      case FLOAT -> Type.FLOAT;
      case DOUBLE -> Type.DOUBLE;
      case BYTES -> t.kind() == TypeKind.UUID ? Type.FIXED_LEN_BYTE_ARRAY : Type.BYTE_ARRAY;
      case INTERVAL -> Type.FIXED_LEN_BYTE_ARRAY;
      case NUMERIC, ARRAY, RECORD -> Type.BYTE_ARRAY;
    };
  }

  /** Whether values are 16 bytes without a length. */
  static boolean fixed(SqlType t) {
    return t.kind() == TypeKind.UUID || t.layout() == Layout.INTERVAL;
  }

  /** Whether the order of the physical values is the type's, so that minima and maxima prune. */
  static boolean ordered(SqlType t) {
    return switch (t.layout()) {
      case BOOL, LONG, FLOAT, DOUBLE -> true;
      case INT -> !t.kind().isOid();
      case BYTES -> t.kind() != TypeKind.JSON && t.kind() != TypeKind.JSONB;
      case NUMERIC, INTERVAL, ARRAY, RECORD -> false;
    };
  }

  static void describe(SqlType t, SchemaElement e) {
    e.setType(type(t));
    if (fixed(t)) {
      e.setType_length(16);
    }
    switch (t.kind()) {
      case INT2 -> {
        e.setLogicalType(LogicalType.INTEGER(new IntType((byte) 16, true)));
        e.setConverted_type(ConvertedType.INT_16);
      }
      case OID,
          XID,
          REGCLASS,
          REGTYPE,
          REGPROC,
          REGPROCEDURE,
          REGOPER,
          REGOPERATOR,
          REGNAMESPACE,
          REGROLE -> {
        e.setLogicalType(LogicalType.INTEGER(new IntType((byte) 32, false)));
        e.setConverted_type(ConvertedType.UINT_32);
      }
      case DATE -> {
        e.setLogicalType(LogicalType.DATE(new DateType()));
        e.setConverted_type(ConvertedType.DATE);
      }
      case TIME ->
          e.setLogicalType(
              LogicalType.TIME(new TimeType(false, TimeUnit.MICROS(new MicroSeconds()))));
      case TIMESTAMP -> e.setLogicalType(timestamp(false, false));
      case TIMESTAMP_NS -> e.setLogicalType(timestamp(false, true));
      case TIMESTAMPTZ -> e.setLogicalType(timestamp(true, false));
      case TEXT, VARCHAR, BPCHAR, NAME, CHAR, NUMERIC, UNKNOWN -> {
        e.setLogicalType(LogicalType.STRING(new StringType()));
        e.setConverted_type(ConvertedType.UTF8);
      }
      case JSON, JSONB -> {
        e.setLogicalType(LogicalType.JSON(new JsonType()));
        e.setConverted_type(ConvertedType.JSON);
      }
      case UUID -> e.setLogicalType(LogicalType.UUID(new UUIDType()));
      default -> {}
    }
  }

  private static LogicalType timestamp(boolean utc, boolean nanos) {
    return LogicalType.TIMESTAMP(
        new TimestampType(
            utc, nanos ? TimeUnit.NANOS(new NanoSeconds()) : TimeUnit.MICROS(new MicroSeconds())));
  }

  /** The physical values; a vector without NULLs of a layout that Parquet knows. */
  static Vector toPhysical(Vector v) {
    return switch (v.type().layout()) {
      case BOOL, INT, LONG, FLOAT, DOUBLE, BYTES -> v;
      case NUMERIC -> {
        var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, v.length());
        var n = (NumericVector) v;
        for (int i = 0; i < v.length(); i++) {
          b.append(NestedCodec.Numerics.text(n, i).getBytes(StandardCharsets.ISO_8859_1));
        }
        yield b.build();
      }
      case INTERVAL -> {
        var x = (IntervalVector) v;
        int n = v.length();
        byte[] d = new byte[n * 16];
        int[] o = new int[n + 1];
        for (int i = 0; i < n; i++) {
          Words.putInt(d, i * 16, x.months()[i]);
          Words.putInt(d, i * 16 + 4, x.days()[i]);
          Words.putLong(d, i * 16 + 8, x.micros()[i]);
          o[i + 1] = (i + 1) * 16;
        }
        yield new BytesVector(SqlType.BYTEA, o, d, n, null);
      }
      case ARRAY, RECORD -> {
        var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, v.length());
        for (int i = 0; i < v.length(); i++) {
          b.append(NestedCodec.encode(v, i));
        }
        yield b.build();
      }
    };
  }

  /** Values of a layout that Parquet does not know, from their bytes, NULLs kept. */
  static Vector fromBytes(SqlType type, BytesColumn v) {
    VectorBuilder b = VectorBuilder.of(type, v.length());
    for (int i = 0; i < v.length(); i++) {
      if (v.isNull(i)) {
        b.appendNull();
        continue;
      }
      byte[] d = v.data(i);
      int s = v.start(i);
      switch (b) {
        case VectorBuilder.Numerics n ->
            NestedCodec.Numerics.append(
                new String(d, s, v.size(i), StandardCharsets.ISO_8859_1), n);
        case VectorBuilder.Intervals x ->
            x.append(Words.getInt(d, s), Words.getInt(d, s + 4), Words.getLong(d, s + 8));
        case VectorBuilder.Records r ->
            NestedCodec.decodeRecord(
                ByteBuffer.wrap(Arrays.copyOfRange(d, s, v.end(i))), r, type.fields().size());
        default -> NestedCodec.decode(ByteBuffer.wrap(Arrays.copyOfRange(d, s, v.end(i))), b);
      }
    }
    return b.build();
  }
}

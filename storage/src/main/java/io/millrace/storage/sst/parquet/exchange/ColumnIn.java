package io.millrace.storage.sst.parquet.exchange;

import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.EnumLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.Float16LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntervalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.JsonLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/** What a primitive column of a file is here, and how its values are taken. */
record ColumnIn(SqlType type, Take take) {
  private static final long MICROS_OF_DAY = 86_400_000_000L;

  /** The day of the epoch as INT96 counts days. */
  private static final int JULIAN_EPOCH = 2_440_588;

  /** Appends the value that the reader stands at. */
  interface Take {
    void take(ColumnReader from, VectorBuilder to);
  }

  private interface LongOf {
    long of(long v);
  }

  private interface Bytes {
    void append(Binary v, VectorBuilder to);
  }

  static ColumnIn of(PrimitiveType t) {
    LogicalTypeAnnotation means = t.getLogicalTypeAnnotation();
    return switch (t.getPrimitiveTypeName()) {
      case BOOLEAN ->
          new ColumnIn(SqlType.BOOL, (r, b) -> ((VectorBuilder.Bools) b).append(r.getBoolean()));
      case FLOAT ->
          new ColumnIn(SqlType.FLOAT4, (r, b) -> ((VectorBuilder.Floats) b).append(r.getFloat()));
      case DOUBLE ->
          new ColumnIn(SqlType.FLOAT8, (r, b) -> ((VectorBuilder.Doubles) b).append(r.getDouble()));
      case INT32 -> ofInt(means);
      case INT64 -> ofLong(means);
      case INT96 -> bytes(SqlType.TIMESTAMP_NS, ColumnIn::int96);
      case BINARY, FIXED_LEN_BYTE_ARRAY -> ofBytes(means);
    };
  }

  // ---- numbers

  private static ColumnIn ofInt(@Nullable LogicalTypeAnnotation means) {
    return switch (means) {
      case DecimalLogicalTypeAnnotation d ->
          new ColumnIn(
              SqlType.NUMERIC,
              (r, b) -> ((VectorBuilder.Numerics) b).append(r.getInteger(), d.getScale()));
      case TimeLogicalTypeAnnotation _ ->
          new ColumnIn(
              SqlType.TIME, (r, b) -> ((VectorBuilder.Longs) b).append(r.getInteger() * 1000L));
      case IntLogicalTypeAnnotation i when !i.isSigned() && i.getBitWidth() == 32 ->
          new ColumnIn(
              SqlType.INT8,
              (r, b) -> ((VectorBuilder.Longs) b).append(r.getInteger() & 0xffffffffL));
      case IntLogicalTypeAnnotation i ->
          ints(
              i.getBitWidth() == 8 || i.getBitWidth() == 16 && i.isSigned()
                  ? SqlType.INT2
                  : SqlType.INT4);
      case LogicalTypeAnnotation.DateLogicalTypeAnnotation _ -> ints(SqlType.DATE);
      case null, default -> ints(SqlType.INT4);
    };
  }

  private static ColumnIn ints(SqlType type) {
    return new ColumnIn(type, (r, b) -> ((VectorBuilder.Ints) b).append(r.getInteger()));
  }

  private static ColumnIn ofLong(@Nullable LogicalTypeAnnotation means) {
    return switch (means) {
      case DecimalLogicalTypeAnnotation d ->
          new ColumnIn(
              SqlType.NUMERIC,
              (r, b) -> ((VectorBuilder.Numerics) b).append(r.getLong(), d.getScale()));
      case IntLogicalTypeAnnotation i when !i.isSigned() ->
          new ColumnIn(
              SqlType.NUMERIC,
              (r, b) ->
                  ((VectorBuilder.Numerics) b)
                      .append(new BigDecimal(Long.toUnsignedString(r.getLong()))));
      case TimeLogicalTypeAnnotation t ->
          longs(
              SqlType.TIME,
              t.getUnit() == LogicalTypeAnnotation.TimeUnit.NANOS ? v -> v / 1000 : v -> v);
      case TimestampLogicalTypeAnnotation t -> ofInstant(t);
      case null, default -> longs(SqlType.INT8, v -> v);
    };
  }

  private static ColumnIn ofInstant(TimestampLogicalTypeAnnotation t) {
    SqlType micros = t.isAdjustedToUTC() ? SqlType.TIMESTAMPTZ : SqlType.TIMESTAMP;
    return switch (t.getUnit()) {
      case MILLIS -> longs(micros, ColumnIn::fromMillis);
      case MICROS -> longs(micros, v -> v);
      case NANOS ->
          t.isAdjustedToUTC()
              ? longs(micros, v -> Math.floorDiv(v, 1000L))
              : longs(SqlType.TIMESTAMP_NS, v -> v);
    };
  }

  private static long fromMillis(long v) {
    try {
      return Math.multiplyExact(v, 1000L);
    } catch (ArithmeticException e) {
      throw new MillraceException(
          ErrorCode.DATETIME_FIELD_OVERFLOW, "timestamp out of range: " + v + " ms", e);
    }
  }

  private static ColumnIn longs(SqlType type, LongOf f) {
    return new ColumnIn(type, (r, b) -> ((VectorBuilder.Longs) b).append(f.of(r.getLong())));
  }

  // ---- bytes

  private static ColumnIn ofBytes(@Nullable LogicalTypeAnnotation means) {
    return switch (means) {
      case StringLogicalTypeAnnotation _, EnumLogicalTypeAnnotation _ -> raw(SqlType.TEXT);
      case JsonLogicalTypeAnnotation _ -> raw(SqlType.JSON);
      case UUIDLogicalTypeAnnotation _ -> raw(SqlType.UUID);
      case DecimalLogicalTypeAnnotation d ->
          bytes(
              SqlType.NUMERIC,
              (v, b) ->
                  ((VectorBuilder.Numerics) b)
                      .append(new BigDecimal(new BigInteger(v.getBytesUnsafe()), d.getScale())));
      case IntervalLogicalTypeAnnotation _ -> bytes(SqlType.INTERVAL, ColumnIn::interval);
      case Float16LogicalTypeAnnotation _ ->
          bytes(
              SqlType.FLOAT4,
              (v, b) ->
                  ((VectorBuilder.Floats) b).append(Float.float16ToFloat(little(v).getShort(0))));
      case null, default -> raw(SqlType.BYTEA);
    };
  }

  private static ColumnIn bytes(SqlType type, Bytes f) {
    return new ColumnIn(type, (r, b) -> f.append(r.getBinary(), b));
  }

  private static ColumnIn raw(SqlType type) {
    return bytes(type, (v, b) -> ((VectorBuilder.Bytes) b).append(v.getBytesUnsafe()));
  }

  private static ByteBuffer little(Binary v) {
    return ByteBuffer.wrap(v.getBytesUnsafe()).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void interval(Binary v, VectorBuilder to) {
    ByteBuffer b = little(v);
    ((VectorBuilder.Intervals) to)
        .append(b.getInt(0), b.getInt(4), Integer.toUnsignedLong(b.getInt(8)) * 1000);
  }

  private static void int96(Binary v, VectorBuilder to) {
    ByteBuffer b = little(v);
    long day = b.getInt(8) - (long) JULIAN_EPOCH;
    ((VectorBuilder.Longs) to)
        .append(Math.addExact(Math.multiplyExact(day, MICROS_OF_DAY * 1000), b.getLong(0)));
  }
}

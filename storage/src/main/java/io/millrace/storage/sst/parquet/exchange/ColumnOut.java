package io.millrace.storage.sst.parquet.exchange;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;

/** A column of a file being written: its field and how its values go. */
record ColumnOut(PrimitiveType field, Put put) {
  /** Hands one value on. */
  interface Put {
    void put(Vector v, int row, RecordConsumer to);
  }

  void write(Vector v, int row, RecordConsumer to) {
    put.put(v, row, to);
  }

  static ColumnOut of(String name, SqlType t) {
    return switch (t.kind()) {
      case BOOL ->
          column(
              name,
              PrimitiveTypeName.BOOLEAN,
              null,
              (v, i, to) -> to.addBoolean(((BoolVector) v).get(i)));
      case INT2 -> ints(name, LogicalTypeAnnotation.intType(16, true));
      case INT4 -> ints(name, null);
      case DATE -> ints(name, LogicalTypeAnnotation.dateType());
      case INT8 -> longs(name, null);
      case TIME -> longs(name, LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS));
      case TIMESTAMP -> longs(name, LogicalTypeAnnotation.timestampType(false, TimeUnit.MICROS));
      case TIMESTAMPTZ -> longs(name, LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS));
      case TIMESTAMP_NS -> longs(name, LogicalTypeAnnotation.timestampType(false, TimeUnit.NANOS));
      case FLOAT4 ->
          column(
              name,
              PrimitiveTypeName.FLOAT,
              null,
              (v, i, to) -> to.addFloat(((FloatVector) v).get(i)));
      case FLOAT8 ->
          column(
              name,
              PrimitiveTypeName.DOUBLE,
              null,
              (v, i, to) -> to.addDouble(((DoubleVector) v).get(i)));
      case TEXT, VARCHAR, BPCHAR, NAME -> bytes(name, LogicalTypeAnnotation.stringType());
      case BYTEA -> bytes(name, null);
      case UUID ->
          new ColumnOut(
              Types.optional(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)
                  .length(16)
                  .as(LogicalTypeAnnotation.uuidType())
                  .named(name),
              ColumnOut::raw);
      case NUMERIC -> t.typmod() < 0 || scale(t) < 0 ? text(name, t, false) : decimal(name, t);
      case JSON, JSONB -> text(name, t, true);
      default -> text(name, t, false);
    };
  }

  private static ColumnOut column(
      String name, PrimitiveTypeName type, @Nullable LogicalTypeAnnotation means, Put put) {
    var field = Types.optional(type);
    return new ColumnOut((means == null ? field : field.as(means)).named(name), put);
  }

  private static ColumnOut ints(String name, @Nullable LogicalTypeAnnotation means) {
    return column(
        name, PrimitiveTypeName.INT32, means, (v, i, to) -> to.addInteger(((IntVector) v).get(i)));
  }

  private static ColumnOut longs(String name, @Nullable LogicalTypeAnnotation means) {
    return column(
        name, PrimitiveTypeName.INT64, means, (v, i, to) -> to.addLong(((LongVector) v).get(i)));
  }

  private static ColumnOut bytes(String name, @Nullable LogicalTypeAnnotation means) {
    return column(name, PrimitiveTypeName.BINARY, means, ColumnOut::raw);
  }

  private static void raw(Vector v, int i, RecordConsumer to) {
    var b = (BytesColumn) v;
    to.addBinary(Binary.fromReusedByteArray(b.data(i), b.start(i), b.size(i)));
  }

  private static ColumnOut text(String name, SqlType t, boolean json) {
    TypeCodec codec = TypeCodecs.full(t, () -> 0);
    var sink = new ByteSink(64);
    return column(
        name,
        PrimitiveTypeName.BINARY,
        json ? LogicalTypeAnnotation.jsonType() : LogicalTypeAnnotation.stringType(),
        (v, i, to) -> {
          sink.clear();
          codec.writeText(v, i, sink, SessionFormat.DEFAULT);
          to.addBinary(Binary.fromReusedByteArray(sink.array(), 0, sink.position()));
        });
  }

  private static int precision(SqlType t) {
    return (t.typmod() - 4) >> 16 & 0xffff;
  }

  private static int scale(SqlType t) {
    return ((t.typmod() - 4 & 0x7ff) ^ 1024) - 1024;
  }

  private static ColumnOut decimal(String name, SqlType t) {
    int scale = scale(t);
    int precision = Math.max(precision(t), scale);
    return column(
        name,
        PrimitiveTypeName.BINARY,
        LogicalTypeAnnotation.decimalType(scale, precision),
        (v, i, to) -> to.addBinary(unscaled((NumericVector) v, i, scale, name)));
  }

  private static Binary unscaled(NumericVector v, int i, int scale, String name) {
    if (v.special(i) != NumericVector.FINITE) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "column \"" + name + "\": NaN and Infinity are no decimals of Parquet");
    }
    BigDecimal x = v.get(i).setScale(scale, RoundingMode.HALF_UP);
    return Binary.fromConstantByteArray(x.unscaledValue().toByteArray());
  }
}

package io.millrace.common.type.io;

import io.millrace.common.type.SqlType;
import java.util.function.LongSupplier;

/** Codecs by type. */
public final class TypeCodecs {
  private TypeCodecs() {}

  /** A new codec for the type, for one thread at a time. */
  public static TypeCodec of(SqlType type) {
    return make(type, false, () -> DateTimeText.NO_CLOCK);
  }

  /**
   * A new codec that knows the time.
   *
   * @param now microseconds since 1970 for inputs such as 'now' and 'today'
   */
  public static TypeCodec of(SqlType type, LongSupplier now) {
    return make(type, false, now);
  }

  /**
   * A codec whose text loses nothing: TIMESTAMP(9) with all its digits, where the plain one shows
   * microseconds. For casts to text and COPY.
   */
  public static TypeCodec full(SqlType type, LongSupplier now) {
    return make(type, true, now);
  }

  /** {@link #full} without a clock. */
  public static TypeCodec full(SqlType type) {
    return make(type, true, () -> DateTimeText.NO_CLOCK);
  }

  private static TypeCodec make(SqlType type, boolean full, LongSupplier now) {
    return switch (type.kind()) {
      case BOOL -> new BoolCodec();
      case INT2, INT4 -> new IntCodec(type);
      case INT8 -> new LongCodec();
      case FLOAT4 -> new FloatCodec();
      case FLOAT8 -> new DoubleCodec();
      case NUMERIC -> new NumericCodec(type);
      case ENUM -> new EnumCodec(type);
      case TEXT,
          VARCHAR,
          BPCHAR,
          NAME,
          CHAR,
          UNKNOWN,
          VOID,
          ANY,
          ANYELEMENT,
          ANYNONARRAY,
          ANYCOMPATIBLE ->
          new TextCodec(type);
      case BYTEA -> new ByteaCodec();
      case UUID -> new UuidCodec();
      case JSON, JSONB -> new JsonCodec(type);
      case OID,
          XID,
          REGCLASS,
          REGTYPE,
          REGPROC,
          REGPROCEDURE,
          REGOPER,
          REGOPERATOR,
          REGNAMESPACE,
          REGROLE ->
          new OidCodec(type);
      case DATE -> new DateCodec(now);
      case TIME, TIMETZ -> new TimeCodec(type, now);
      case TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ -> new TimestampCodec(type, full, now);
      case INTERVAL -> new IntervalCodec(type);
      case ARRAY, INT2VECTOR, OIDVECTOR, ANYARRAY, ANYCOMPATIBLEARRAY ->
          new ArrayCodec(
              type, make(type.element() == null ? SqlType.TEXT : type.elementType(), full, now));
      case RECORD ->
          new RecordCodec(
              type, type.fields().stream().map(f -> make(f.type(), full, now)).toList());
    };
  }
}

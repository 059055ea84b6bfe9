package io.millrace.common.type.io;

import io.millrace.common.type.SqlType;

/** Codecs by type. */
public final class TypeCodecs {
  private TypeCodecs() {}

  /** A new codec for the type, for one thread at a time. */
  public static TypeCodec of(SqlType type) {
    return switch (type.kind()) {
      case BOOL -> new BoolCodec();
      case INT2, INT4 -> new IntCodec(type);
      case INT8 -> new LongCodec();
      case FLOAT4 -> new FloatCodec();
      case FLOAT8 -> new DoubleCodec();
      case NUMERIC -> new NumericCodec(type);
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
      case OID, XID, REGCLASS, REGTYPE, REGPROC, REGPROCEDURE, REGOPER, REGNAMESPACE, REGROLE ->
          new OidCodec(type);
      case JSON, JSONB -> new JsonCodec(type);
      case ARRAY, INT2VECTOR, OIDVECTOR, ANYARRAY, ANYCOMPATIBLEARRAY -> new ArrayCodec(type);
      case RECORD -> new RecordCodec(type);
      default ->
          throw new io.millrace.common.error.MillraceException(
              io.millrace.common.error.ErrorCode.FEATURE_NOT_SUPPORTED,
              "type " + type + " has no text form yet");
    };
  }
}

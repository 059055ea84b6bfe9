package io.millrace.storage.sst.parquet;

import io.millrace.common.type.SqlType;

/**
 * The SST format: a Parquet file that any reader opens.
 *
 * <ul>
 *   <li>Columns in schema order by name, with the column id as Parquet field id; then {@code
 *       __sequence} (INT64), {@code __op_type} (INT32) and, if some row has it, {@code __cleared}.
 *   <li>Row groups of 102,400 rows, pages of 20,480; pages of all columns cover the same rows. Data
 *       pages V1, ZSTD, each with its CRC32.
 *   <li>bool BOOLEAN · int2, int4, date, oid kinds INT32 · int8, time, timestamps INT64 with their
 *       logical types (TIMESTAMP(9): nanoseconds) · float4, float8 FLOAT, DOUBLE · text kinds
 *       BYTE_ARRAY as STRING, json as JSON, bytea bare, uuid FIXED(16) · numeric BYTE_ARRAY as
 *       STRING in decimal notation, so that every scale, NaN and the infinities come through ·
 *       interval FIXED(16): months, days (4 bytes each), microseconds (8), little-endian · arrays
 *       and records BYTE_ARRAY as {@link NestedCodec} writes them.
 *   <li>Sorted by tags (NULLs last), time, sequence descending.
 *   <li>Key-value metadata: {@code millrace.format} = 1, {@code millrace.schema} (column ids, types
 *       and roles), {@code millrace.crc} = CRC32C of the schema text. The manifest has the CRC32C
 *       of the whole footer.
 * </ul>
 */
final class SstFormat {
  static final int VERSION = 1;
  static final int GROUP_ROWS = 102_400;
  static final int PAGE_ROWS = 20_480;
  static final int BLOCK_ROWS = 10_240;
  static final byte[] MAGIC = {'P', 'A', 'R', '1'};
  static final String KEY_FORMAT = "millrace.format";
  static final String KEY_SCHEMA = "millrace.schema";
  static final String KEY_CRC = "millrace.crc";
  static final String KEY_FLAGS = "millrace.flags";
  static final String SEQUENCE = "__sequence";
  static final String OP_TYPE = "__op_type";
  static final String CLEARED = "__cleared";

  /** Ids of the columns that are not the user's. */
  static final int SEQUENCE_ID = -1;

  static final int OP_TYPE_ID = -2;
  static final int CLEARED_ID = -3;

  static final SqlType SEQUENCE_TYPE = SqlType.INT8;
  static final SqlType OP_TYPE_TYPE = SqlType.INT4;
  static final SqlType CLEARED_TYPE = SqlType.BYTEA;

  private SstFormat() {}
}

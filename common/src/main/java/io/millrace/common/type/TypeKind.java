package io.millrace.common.type;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scalar types, with the facts of PostgreSQL 15's pg_type: oid, oid of the array type,
 * category, whether preferred in its category, length and our memory layout. Timestamps are
 * microseconds since 1970-01-01, but for {@link #TIMESTAMP_NS}, the form of TIMESTAMP(9), which
 * travels as timestamp.
 */
public enum TypeKind {
  BOOL(16, 1000, "bool", 'B', true, 1, Layout.BOOL),
  INT2(21, 1005, "int2", 'N', false, 2, Layout.INT),
  INT4(23, 1007, "int4", 'N', false, 4, Layout.INT),
  INT8(20, 1016, "int8", 'N', false, 8, Layout.LONG),
  FLOAT4(700, 1021, "float4", 'N', false, 4, Layout.FLOAT),
  FLOAT8(701, 1022, "float8", 'N', true, 8, Layout.DOUBLE),
  NUMERIC(1700, 1231, "numeric", 'N', false, -1, Layout.NUMERIC),
  TEXT(25, 1009, "text", 'S', true, -1, Layout.BYTES),
  VARCHAR(1043, 1015, "varchar", 'S', false, -1, Layout.BYTES),
  BPCHAR(1042, 1014, "bpchar", 'S', false, -1, Layout.BYTES),
  NAME(19, 1003, "name", 'S', false, 64, Layout.BYTES),
  /** The one-byte type written {@code "char"}. */
  CHAR(18, 1002, "char", 'Z', false, 1, Layout.BYTES),
  BYTEA(17, 1001, "bytea", 'U', false, -1, Layout.BYTES),
  DATE(1082, 1182, "date", 'D', false, 4, Layout.INT),
  TIME(1083, 1183, "time", 'D', false, 8, Layout.LONG),
  /** Microseconds of the day in the low 40 bits, zone seconds west of UTC + 2^17 above them. */
  TIMETZ(1266, 1270, "timetz", 'D', false, 12, Layout.LONG),
  TIMESTAMP(1114, 1115, "timestamp", 'D', false, 8, Layout.LONG),
  /** TIMESTAMP(9): nanoseconds since 1970-01-01; on the wire a timestamp with typmod 9. */
  TIMESTAMP_NS(1114, 1115, "timestamp", 'D', false, 8, Layout.LONG),
  TIMESTAMPTZ(1184, 1185, "timestamptz", 'D', true, 8, Layout.LONG),
  INTERVAL(1186, 1187, "interval", 'T', true, 16, Layout.INTERVAL),
  UUID(2950, 2951, "uuid", 'U', false, 16, Layout.BYTES),
  JSON(114, 199, "json", 'U', false, -1, Layout.BYTES),
  JSONB(3802, 3807, "jsonb", 'U', false, -1, Layout.BYTES),
  OID(26, 1028, "oid", 'N', true, 4, Layout.INT),
  XID(28, 1011, "xid", 'U', false, 4, Layout.INT),
  REGCLASS(2205, 2210, "regclass", 'N', false, 4, Layout.INT),
  REGTYPE(2206, 2211, "regtype", 'N', false, 4, Layout.INT),
  REGPROC(24, 1008, "regproc", 'N', false, 4, Layout.INT),
  REGPROCEDURE(2202, 2207, "regprocedure", 'N', false, 4, Layout.INT),
  REGOPER(2203, 2208, "regoper", 'N', false, 4, Layout.INT),
  REGOPERATOR(2204, 2209, "regoperator", 'N', false, 4, Layout.INT),
  REGNAMESPACE(4089, 4090, "regnamespace", 'N', false, 4, Layout.INT),
  REGROLE(4096, 4097, "regrole", 'N', false, 4, Layout.INT),
  /** An enumeration; without labels the pseudo-type anyenum. */
  ENUM(3500, 0, "anyenum", 'E', false, 4, Layout.LONG),
  INT2VECTOR(22, 1006, "int2vector", 'A', false, -1, Layout.ARRAY),
  OIDVECTOR(30, 1013, "oidvector", 'A', false, -1, Layout.ARRAY),
  ARRAY(0, 0, "anyarray", 'A', false, -1, Layout.ARRAY),
  RECORD(2249, 2287, "record", 'P', false, -1, Layout.RECORD),
  UNKNOWN(705, 0, "unknown", 'X', false, -2, Layout.BYTES),
  VOID(2278, 0, "void", 'P', false, 4, Layout.BYTES),
  /** Pseudo-types of function signatures. */
  ANY(2276, 0, "any", 'P', false, 4, Layout.BYTES),
  ANYELEMENT(2283, 0, "anyelement", 'P', false, 4, Layout.BYTES),
  ANYARRAY(2277, 0, "anyarray", 'P', false, -1, Layout.ARRAY),
  ANYNONARRAY(2776, 0, "anynonarray", 'P', false, 4, Layout.BYTES),
  ANYCOMPATIBLE(5077, 0, "anycompatible", 'P', false, 4, Layout.BYTES),
  ANYCOMPATIBLEARRAY(5078, 0, "anycompatiblearray", 'P', false, -1, Layout.ARRAY);

  private static final Map<Integer, TypeKind> BY_OID = new HashMap<>();
  private static final Map<String, TypeKind> BY_NAME = new HashMap<>();

  static {
    for (TypeKind k : values()) {
      if (k != TIMESTAMP_NS && k.oid != 0) {
        BY_OID.putIfAbsent(k.oid, k);
        BY_NAME.putIfAbsent(k.typname, k);
      }
    }
  }

  private final int oid;
  private final int arrayOid;
  private final String typname;
  private final char category;
  private final boolean preferred;
  private final int length;
  private final Layout layout;

  TypeKind(
      int oid,
      int arrayOid,
      String typname,
      char category,
      boolean preferred,
      int length,
      Layout layout) {
    this.oid = oid;
    this.arrayOid = arrayOid;
    this.typname = typname;
    this.category = category;
    this.preferred = preferred;
    this.length = length;
    this.layout = layout;
  }

  public int oid() {
    return oid;
  }

  /** Oid of the array type over this one; 0 if there is none. */
  public int arrayOid() {
    return arrayOid;
  }

  /** pg_type.typname. */
  public String typname() {
    return typname;
  }

  /** pg_type.typcategory. */
  public char category() {
    return category;
  }

  public boolean preferred() {
    return preferred;
  }

  /** pg_type.typlen: bytes, -1 variable, -2 C string. */
  public int length() {
    return length;
  }

  public Layout layout() {
    return layout;
  }

  /** The kinds whose bytes are UTF-8 text and compare by bytes. */
  public boolean isText() {
    return category == 'S' || this == CHAR || this == UNKNOWN;
  }

  public boolean isTimestamp() {
    return this == TIMESTAMP || this == TIMESTAMP_NS || this == TIMESTAMPTZ;
  }

  /** The oid kinds: oid, xid and the reg… types, all carried as int bits of an unsigned oid. */
  public boolean isOid() {
    return switch (this) {
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
          true;
      default -> false;
    };
  }

  /** The scalar kind of an oid; null for array and unknown oids. */
  public static @Nullable TypeKind ofOid(int oid) {
    return BY_OID.get(oid);
  }

  /** The kind of a pg_type.typname such as {@code int4}; null if there is none. */
  public static @Nullable TypeKind ofTypname(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }
}

package io.millrace.common.type;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A type with its modifier. {@code typmod} is PostgreSQL's: -1 none; varchar/bpchar length + 4;
 * numeric ((precision << 16) | (scale & 0x7ff)) + 4; timestamps, time: the fractional digits.
 * Arrays carry their element type; records their fields; enumerations their labels.
 *
 * @param labels of an enumeration; null for anyenum and all other types
 */
public record SqlType(
    TypeKind kind,
    int typmod,
    @Nullable SqlType element,
    List<Field> fields,
    @Nullable EnumLabels labels) {

  /** A field of a record type. */
  public record Field(String name, SqlType type) {}

  public static final SqlType BOOL = of(TypeKind.BOOL);
  public static final SqlType INT2 = of(TypeKind.INT2);
  public static final SqlType INT4 = of(TypeKind.INT4);
  public static final SqlType INT8 = of(TypeKind.INT8);
  public static final SqlType FLOAT4 = of(TypeKind.FLOAT4);
  public static final SqlType FLOAT8 = of(TypeKind.FLOAT8);
  public static final SqlType NUMERIC = of(TypeKind.NUMERIC);
  public static final SqlType TEXT = of(TypeKind.TEXT);
  public static final SqlType VARCHAR = of(TypeKind.VARCHAR);
  public static final SqlType BPCHAR = of(TypeKind.BPCHAR);
  public static final SqlType NAME = of(TypeKind.NAME);
  public static final SqlType CHAR = of(TypeKind.CHAR);
  public static final SqlType BYTEA = of(TypeKind.BYTEA);
  public static final SqlType DATE = of(TypeKind.DATE);
  public static final SqlType TIME = of(TypeKind.TIME);
  public static final SqlType TIMETZ = of(TypeKind.TIMETZ);
  public static final SqlType TIMESTAMP = of(TypeKind.TIMESTAMP);
  public static final SqlType TIMESTAMP_NS = new SqlType(TypeKind.TIMESTAMP_NS, 9, null, List.of());
  public static final SqlType TIMESTAMPTZ = of(TypeKind.TIMESTAMPTZ);
  public static final SqlType INTERVAL = of(TypeKind.INTERVAL);
  public static final SqlType UUID = of(TypeKind.UUID);
  public static final SqlType JSON = of(TypeKind.JSON);
  public static final SqlType JSONB = of(TypeKind.JSONB);
  public static final SqlType OID = of(TypeKind.OID);
  public static final SqlType XID = of(TypeKind.XID);
  public static final SqlType REGCLASS = of(TypeKind.REGCLASS);
  public static final SqlType REGTYPE = of(TypeKind.REGTYPE);
  public static final SqlType REGPROC = of(TypeKind.REGPROC);
  public static final SqlType UNKNOWN = of(TypeKind.UNKNOWN);
  public static final SqlType VOID = of(TypeKind.VOID);
  public static final SqlType INT2VECTOR = new SqlType(TypeKind.INT2VECTOR, -1, INT2, List.of());
  public static final SqlType OIDVECTOR = new SqlType(TypeKind.OIDVECTOR, -1, OID, List.of());

  public SqlType {
    Objects.requireNonNull(kind);
    fields = List.copyOf(fields);
  }

  public SqlType(TypeKind kind, int typmod, @Nullable SqlType element, List<Field> fields) {
    this(kind, typmod, element, fields, null);
  }

  public static SqlType enumeration(EnumLabels labels) {
    return new SqlType(TypeKind.ENUM, -1, null, List.of(), labels);
  }

  public static SqlType of(TypeKind kind) {
    return new SqlType(kind, -1, null, List.of());
  }

  public static SqlType of(TypeKind kind, int typmod) {
    return new SqlType(kind, typmod, null, List.of());
  }

  public static SqlType varchar(int length) {
    return of(TypeKind.VARCHAR, length + 4);
  }

  public static SqlType numeric(int precision, int scale) {
    return of(TypeKind.NUMERIC, ((precision << 16) | (scale & 0x7ff)) + 4);
  }

  public static SqlType arrayOf(SqlType element) {
    return new SqlType(TypeKind.ARRAY, -1, element, List.of());
  }

  public static SqlType record(List<Field> fields) {
    return new SqlType(TypeKind.RECORD, -1, null, fields);
  }

  public Layout layout() {
    return kind.layout();
  }

  /** The oid that clients see. */
  public int oid() {
    if (kind == TypeKind.ARRAY) {
      EnumLabels e = elementType().labels;
      return e == null ? elementType().kind.arrayOid() : e.arrayOid();
    }
    return labels == null ? kind.oid() : labels.oid();
  }

  /** The type as storage has it: of an enumeration the numbers of its labels. */
  public SqlType stored() {
    return kind == TypeKind.ENUM ? INT8 : this;
  }

  public boolean isArray() {
    return kind.layout() == Layout.ARRAY;
  }

  /** The element type of an array type. */
  public SqlType elementType() {
    return Objects.requireNonNull(element, () -> kind + " has no element type");
  }

  public SqlType withTypmod(int newTypmod) {
    return newTypmod == typmod ? this : new SqlType(kind, newTypmod, element, fields, labels);
  }

  /** Equal but for the modifier. */
  public boolean sameKind(SqlType other) {
    return kind == other.kind
        && (kind != TypeKind.ENUM || oid() == other.oid())
        && (element == null || (other.element != null && element.sameKind(other.element)));
  }

  /** pg_type.typname: {@code int4}, {@code _int4} for its array. */
  public String typname() {
    return kind == TypeKind.ARRAY
        ? "_" + elementType().typname()
        : labels == null ? kind.typname() : labels.name();
  }

  /** pg_type.typlen. */
  public int typlen() {
    return kind.length();
  }

  /** format_type's spelling: {@code timestamp(3) without time zone}, {@code integer[]}. */
  public String sqlName() {
    return TypeNames.format(this);
  }

  @Override
  public String toString() {
    return sqlName();
  }

  /** The type of an oid as it appears in pg_type, arrays included; null if unknown. */
  public static @Nullable SqlType ofOid(int oid) {
    TypeKind scalar = TypeKind.ofOid(oid);
    if (scalar == TypeKind.INT2VECTOR) {
      return INT2VECTOR;
    }
    if (scalar == TypeKind.OIDVECTOR) {
      return OIDVECTOR;
    }
    if (scalar != null) {
      return of(scalar);
    }
    for (TypeKind k : TypeKind.values()) {
      if (oid != 0 && k.arrayOid() == oid) {
        return arrayOf(k == TypeKind.INT2VECTOR ? INT2VECTOR : of(k));
      }
    }
    return null;
  }
}

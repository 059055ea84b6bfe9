package io.millrace.sql.plan.rel;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFamily;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.AbstractSqlType;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * One of our types as Calcite sees it. Types that Calcite may reason about have its name for them;
 * all others are OTHER and opaque. The digest is the type with its oid and modifier, so two types
 * are equal only if they are the same to PostgreSQL.
 */
public final class MillType extends AbstractSqlType {
  private static final long serialVersionUID = 1L;
  private final transient SqlType sqlType;
  private final transient @Nullable MillType component;

  MillType(SqlType sqlType, boolean nullable) {
    super(name(sqlType), nullable, null);
    this.sqlType = sqlType;
    this.component =
        sqlType.isArray() && sqlType.element() != null
            ? new MillType(sqlType.elementType(), true)
            : null;
    computeDigest();
  }

  public SqlType sqlType() {
    return sqlType;
  }

  MillType withNullable(boolean nullable) {
    return nullable == isNullable ? this : new MillType(sqlType, nullable);
  }

  private static SqlTypeName name(SqlType type) {
    return switch (type.kind()) {
      case BOOL -> SqlTypeName.BOOLEAN;
      case INT2 -> SqlTypeName.SMALLINT;
      case INT4 -> SqlTypeName.INTEGER;
      case INT8 -> SqlTypeName.BIGINT;
      case FLOAT4 -> SqlTypeName.REAL;
      case FLOAT8 -> SqlTypeName.DOUBLE;
      case DATE -> SqlTypeName.DATE;
      case TIMESTAMP, TIMESTAMP_NS -> SqlTypeName.TIMESTAMP;
      case TIMESTAMPTZ -> SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
      case TEXT, VARCHAR, BPCHAR, NAME, UNKNOWN -> SqlTypeName.VARCHAR;
      default -> SqlTypeName.OTHER;
    };
  }

  @Override
  protected void generateTypeString(StringBuilder sb, boolean withDetail) {
    sb.append(sqlType.typname());
    if (sqlType.kind() == TypeKind.TIMESTAMP_NS) {
      sb.append("_ns");
    }
    if (sqlType.labels() != null) {
      sb.append(sqlType.labels());
    }
    if (sqlType.typmod() >= 0) {
      sb.append('(').append(sqlType.typmod()).append(')');
    }
    if (sqlType.isArray() && sqlType.element() != null && sqlType.elementType().typmod() >= 0) {
      sb.append('[').append(sqlType.elementType().typmod()).append(']');
    }
    if (sqlType.isArray() && sqlType.element() != null && sqlType.elementType().labels() != null) {
      sb.append(sqlType.elementType().labels());
    }
    for (SqlType.Field f : sqlType.fields()) {
      sb.append(' ').append(f.name()).append(' ');
      new MillType(f.type(), true).generateTypeString(sb, withDetail);
    }
  }

  @Override
  public RelDataTypeFamily getFamily() {
    return typeName == SqlTypeName.OTHER
        ? this
        : Objects.requireNonNull((RelDataTypeFamily) typeName.getFamily());
  }

  @Override
  public @Nullable RelDataType getComponentType() {
    return component;
  }

  @Override
  public int getPrecision() {
    return switch (sqlType.kind()) {
      case INT2 -> 5;
      case INT4, DATE -> 10;
      case INT8 -> 19;
      case FLOAT4 -> 7;
      case FLOAT8 -> 15;
      case BOOL -> 1;
      case TIMESTAMP, TIMESTAMPTZ -> sqlType.typmod() < 0 ? 6 : sqlType.typmod();
      case TIMESTAMP_NS -> 9;
      default -> PRECISION_NOT_SPECIFIED;
    };
  }

  @Override
  public int getScale() {
    return switch (sqlType.kind()) {
      case INT2, INT4, INT8 -> 0;
      default -> SCALE_NOT_SPECIFIED;
    };
  }

  @Override
  public @Nullable Charset getCharset() {
    return typeName == SqlTypeName.VARCHAR ? StandardCharsets.UTF_8 : null;
  }

  @Override
  public @Nullable SqlCollation getCollation() {
    return typeName == SqlTypeName.VARCHAR ? SqlCollation.IMPLICIT : null;
  }
}

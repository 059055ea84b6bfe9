package io.millrace.sql.plan.rel;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The type factory: {@link SqlType} to {@link RelDataType} and back. Whatever Calcite itself asks
 * for by name (BOOLEAN for a condition, BIGINT for a count) is one of ours as well.
 */
public final class MillTypeFactory extends SqlTypeFactoryImpl {
  public MillTypeFactory() {
    super(new MillTypeSystem());
  }

  /** Our type for Calcite. */
  public RelDataType of(SqlType type, boolean nullable) {
    return canonize(new MillType(type, nullable));
  }

  /** Our type for Calcite, with NULL. */
  public RelDataType of(SqlType type) {
    return of(type, true);
  }

  /** A row of columns. */
  public RelDataType row(List<SqlType> types, List<String> names) {
    return createStructType(types.stream().map(this::of).toList(), names);
  }

  /** What Calcite's type is to us. */
  public static SqlType sqlType(RelDataType type) {
    if (type instanceof MillType m) {
      return m.sqlType();
    }
    return switch (type.getSqlTypeName()) {
      case BOOLEAN -> SqlType.BOOL;
      case TINYINT, SMALLINT -> SqlType.INT2;
      case INTEGER -> SqlType.INT4;
      case BIGINT -> SqlType.INT8;
      case REAL -> SqlType.FLOAT4;
      case FLOAT, DOUBLE -> SqlType.FLOAT8;
      case DECIMAL -> SqlType.NUMERIC;
      case DATE -> SqlType.DATE;
      case TIMESTAMP -> SqlType.TIMESTAMP;
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> SqlType.TIMESTAMPTZ;
      case CHAR, VARCHAR -> SqlType.TEXT;
      case NULL -> SqlType.UNKNOWN;
      case ROW ->
          SqlType.record(
              type.getFieldList().stream()
                  .map(f -> new SqlType.Field(f.getName(), sqlType(f.getType())))
                  .toList());
      default -> throw new IllegalStateException("no type of ours: " + type);
    };
  }

  private static @Nullable SqlType named(SqlTypeName name) {
    return switch (name) {
      case BOOLEAN -> SqlType.BOOL;
      case SMALLINT, TINYINT -> SqlType.INT2;
      case INTEGER -> SqlType.INT4;
      case BIGINT -> SqlType.INT8;
      case REAL -> SqlType.FLOAT4;
      case FLOAT, DOUBLE -> SqlType.FLOAT8;
      case DECIMAL -> SqlType.NUMERIC;
      case DATE -> SqlType.DATE;
      case TIMESTAMP -> SqlType.TIMESTAMP;
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> SqlType.TIMESTAMPTZ;
      case VARCHAR, CHAR -> SqlType.TEXT;
      default -> null;
    };
  }

  @Override
  public RelDataType createSqlType(SqlTypeName typeName) {
    SqlType ours = named(typeName);
    return ours == null ? super.createSqlType(typeName) : of(ours, false);
  }

  @Override
  public RelDataType createSqlType(SqlTypeName typeName, int precision) {
    SqlType ours = named(typeName);
    if (ours == null) {
      return super.createSqlType(typeName, precision);
    }
    return of(ours.kind() == TypeKind.TIMESTAMP ? ours.withTypmod(precision) : ours, false);
  }

  @Override
  public RelDataType createSqlType(SqlTypeName typeName, int precision, int scale) {
    SqlType ours = named(typeName);
    return ours == null ? super.createSqlType(typeName, precision, scale) : of(ours, false);
  }

  @Override
  public RelDataType createArrayType(RelDataType elementType, long maxCardinality) {
    return of(SqlType.arrayOf(sqlType(elementType)), false);
  }

  @Override
  public RelDataType createTypeWithNullability(RelDataType type, boolean nullable) {
    return type instanceof MillType m
        ? canonize(m.withNullable(nullable))
        : super.createTypeWithNullability(type, nullable);
  }

  @Override
  public RelDataType createTypeWithCharsetAndCollation(
      RelDataType type, Charset charset, SqlCollation collation) {
    return type;
  }

  @Override
  public Charset getDefaultCharset() {
    return StandardCharsets.UTF_8;
  }

  @Override
  public @Nullable RelDataType leastRestrictive(
      List<RelDataType> types, SqlTypeMappingRule mappingRule) {
    if (!(types.get(0) instanceof MillType first)) {
      return super.leastRestrictive(types, mappingRule);
    }
    boolean nullable = false;
    for (RelDataType t : types) {
      if (!(t instanceof MillType m) || !m.sqlType().equals(first.sqlType())) {
        return null;
      }
      nullable |= t.isNullable();
    }
    return createTypeWithNullability(first, nullable);
  }
}

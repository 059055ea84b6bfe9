package io.millrace.sql.plan.rel;

import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;

/** Limits of our types. */
public final class MillTypeSystem extends RelDataTypeSystemImpl {
  @Override
  public int getMaxPrecision(SqlTypeName typeName) {
    return switch (typeName) {
      case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIME -> 9;
      case DECIMAL -> 1000;
      case VARCHAR, CHAR, VARBINARY, BINARY -> 10_485_760;
      default -> super.getMaxPrecision(typeName);
    };
  }

  @Override
  public int getMaxScale(SqlTypeName typeName) {
    return typeName == SqlTypeName.DECIMAL ? 1000 : super.getMaxScale(typeName);
  }

  @Override
  public boolean shouldConvertRaggedUnionTypesToVarying() {
    return true;
  }
}

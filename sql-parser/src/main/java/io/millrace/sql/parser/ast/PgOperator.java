package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.jspecify.annotations.Nullable;

/**
 * An operator by its symbol, with one operand (prefix) or two, perhaps as OPERATOR(schema.symbol).
 */
public final class PgOperator extends SqlSpecialOperator {
  private final @Nullable String schema;

  public PgOperator(@Nullable String schema, String symbol) {
    super(symbol, SqlKind.OTHER, 50, true, null, null, null);
    this.schema = schema;
  }

  public String symbol() {
    return getName();
  }

  public @Nullable String schema() {
    return schema;
  }

  @Override
  public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
    int last = call.operandCount() - 1;
    if (last > 0) {
      call.operand(0).unparse(writer, leftPrec, 0);
    }
    writer.print(schema == null ? getName() : "OPERATOR(" + schema + "." + getName() + ")");
    writer.setNeedWhitespace(true);
    call.operand(last).unparse(writer, 0, rightPrec);
  }
}

package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;

/**
 * {@code x op ANY (…)} or {@code x op ALL (…)} of an operator that is no comparison: by symbol, or
 * "like", "ilike", "not like", "not ilike". Its second operand is a query or an array expression.
 */
public final class PgQuantifiedOperator extends SqlSpecialOperator {
  private final String symbol;
  private final boolean all;

  public PgQuantifiedOperator(String symbol, boolean all) {
    super(symbol + (all ? " ALL" : " ANY"), SqlKind.OTHER, 50, true, null, null, null);
    this.symbol = symbol;
    this.all = all;
  }

  public String symbol() {
    return symbol;
  }

  public boolean isAll() {
    return all;
  }

  @Override
  public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
    call.operand(0).unparse(writer, leftPrec, 0);
    writer.print(getName());
    SqlWriter.Frame frame = writer.startList("(", ")");
    call.operand(1).unparse(writer, 0, 0);
    writer.endList(frame);
  }
}

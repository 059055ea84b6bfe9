package io.millrace.sql.parser.ast;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;

/** An INSERT, UPDATE or DELETE as the query of a WITH item. */
public final class DmlNode extends SqlCall {
  private static final SqlOperator OPERATOR = new SqlSpecialOperator("DML", SqlKind.OTHER);

  private final Statement statement;

  public DmlNode(SqlParserPos pos, Statement statement) {
    super(pos);
    this.statement = statement;
  }

  public Statement statement() {
    return statement;
  }

  @Override
  public SqlOperator getOperator() {
    return OPERATOR;
  }

  @Override
  public List<SqlNode> getOperandList() {
    return List.of();
  }

  @Override
  public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
    writer.print(statement.getClass().getSimpleName());
  }
}

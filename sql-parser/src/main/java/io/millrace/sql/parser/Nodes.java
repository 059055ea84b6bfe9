package io.millrace.sql.parser;

import java.util.Arrays;
import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls that keep exactly the position given: Calcite's createCall widens it over the
 * operands.
 */
final class Nodes {
  private Nodes() {}

  static SqlBasicCall call(SqlOperator operator, SqlParserPos pos, @Nullable SqlNode... operands) {
    return new SqlBasicCall(operator, Arrays.asList(operands), pos, null);
  }

  static SqlBasicCall call(
      SqlOperator operator, SqlParserPos pos, List<? extends @Nullable SqlNode> operands) {
    return new SqlBasicCall(operator, operands, pos, null);
  }

  static SqlBasicCall call(
      SqlOperator operator,
      @Nullable SqlLiteral quantifier,
      SqlParserPos pos,
      List<? extends @Nullable SqlNode> operands) {
    return new SqlBasicCall(operator, operands, pos, quantifier);
  }
}

package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlParserPos;

/** JOIN … USING (columns) AS alias: the alias names the merged columns. */
public final class PgJoin extends SqlJoin {
  private final SqlIdentifier usingAlias;

  public PgJoin(
      SqlParserPos pos,
      SqlNode left,
      JoinType type,
      SqlNode right,
      SqlNodeList using,
      SqlIdentifier usingAlias) {
    super(
        pos,
        left,
        SqlLiteral.createBoolean(false, pos),
        type.symbol(pos),
        right,
        JoinConditionType.USING.symbol(pos),
        using);
    this.usingAlias = usingAlias;
  }

  public SqlIdentifier usingAlias() {
    return usingAlias;
  }
}

package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlNode;

/** An expression, or a FROM clause: its text, and its tree for the planner alone. */
public record ParsedExpression(SqlNode node, String text) {
  @Override
  public String toString() {
    return text;
  }
}

package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlNode;

/**
 * An expression, or a FROM clause: its text, and its tree for the planner alone.
 *
 * @param position in the statement's text, in characters from 1; 0 if that is not known
 */
public record ParsedExpression(SqlNode node, String text, int position) {
  @Override
  public String toString() {
    return text;
  }
}

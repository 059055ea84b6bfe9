package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlNode;

/**
 * A query: its text, and its tree for the planner alone. Positions in the tree count from the start
 * of the whole statement's text.
 */
public record ParsedQuery(SqlNode node, String text) {
  @Override
  public String toString() {
    return text;
  }
}

package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlNodeList;

/**
 * A list of select items (RETURNING) or of WITH items: its text, and its tree for the planner
 * alone.
 */
public record ParsedList(SqlNodeList node, String text) {
  @Override
  public String toString() {
    return text;
  }
}

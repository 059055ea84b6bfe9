package io.millrace.sql.parser.ast;

/**
 * A simple name, folded unless quoted.
 *
 * @param position in the statement's text, in characters from 1
 */
public record Name(String text, int position) {
  @Override
  public String toString() {
    return text;
  }
}

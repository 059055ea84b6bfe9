package io.millrace.sql.parser.ast;

import java.util.List;

/**
 * A name of one to three parts, folded unless quoted.
 *
 * @param position in the statement's text, in characters from 1
 */
public record QualifiedName(List<String> parts, int position) {
  public QualifiedName {
    parts = List.copyOf(parts);
  }

  /** The last part. */
  public String name() {
    return parts.get(parts.size() - 1);
  }

  @Override
  public String toString() {
    return String.join(".", parts);
  }
}

package io.millrace.sql.parser.ast;

import java.util.List;

/** What stands between the parentheses of CREATE TABLE. */
public sealed interface TableElement
    permits ColumnDefinition, TableConstraint, TableElement.LikeTable {

  /** LIKE t [INCLUDING …]: the options folded, such as "including defaults". */
  record LikeTable(QualifiedName table, List<String> options) implements TableElement {
    public LikeTable {
      options = List.copyOf(options);
    }
  }
}

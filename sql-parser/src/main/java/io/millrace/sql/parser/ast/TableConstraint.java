package io.millrace.sql.parser.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A constraint of a table; {@code constraintName} is null where none was given. */
public sealed interface TableConstraint extends TableElement {
  @Nullable String constraintName();

  record PrimaryKey(
      @Nullable String constraintName, List<Name> columns, @Nullable String usingIndex)
      implements TableConstraint {
    public PrimaryKey {
      columns = List.copyOf(columns);
    }
  }

  record TimeIndex(@Nullable String constraintName, Name column) implements TableConstraint {}

  record Unique(
      @Nullable String constraintName,
      List<Name> columns,
      boolean nullsNotDistinct,
      @Nullable String usingIndex)
      implements TableConstraint {
    public Unique {
      columns = List.copyOf(columns);
    }
  }

  record Check(@Nullable String constraintName, ParsedExpression condition)
      implements TableConstraint {}

  record ForeignKey(
      @Nullable String constraintName,
      List<Name> columns,
      QualifiedName table,
      List<Name> referenced,
      String onDelete,
      String onUpdate)
      implements TableConstraint {
    public ForeignKey {
      columns = List.copyOf(columns);
      referenced = List.copyOf(referenced);
    }
  }
}

package io.millrace.sql.parser.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One action of ALTER TABLE. */
public sealed interface AlterAction {
  /** FIRST, AFTER a column, or neither ({@code after} null and {@code first} false). */
  record AddColumn(
      ColumnDefinition column, boolean ifNotExists, boolean first, @Nullable Name after)
      implements AlterAction {}

  record DropColumn(Name column, boolean ifExists, boolean cascade) implements AlterAction {}

  record RenameColumn(Name column, Name newName) implements AlterAction {}

  record RenameTable(QualifiedName newName) implements AlterAction {}

  /**
   * @param modify said as MODIFY COLUMN, which casts as an explicit cast does
   */
  record AlterType(
      Name column,
      TypeName type,
      @Nullable ParsedExpression using,
      @Nullable Name collation,
      boolean modify)
      implements AlterAction {}

  record SetDefault(Name column, ParsedExpression value) implements AlterAction {}

  record DropDefault(Name column) implements AlterAction {}

  record SetNotNull(Name column) implements AlterAction {}

  record DropNotNull(Name column) implements AlterAction {}

  /** ADD GENERATED, SET GENERATED, RESTART or DROP IDENTITY: the words, folded. */
  record AlterIdentity(Name column, String words, List<Option> options) implements AlterAction {
    public AlterIdentity {
      options = List.copyOf(options);
    }
  }

  record AddConstraint(TableConstraint constraint, boolean notValid) implements AlterAction {}

  record DropConstraint(String name, boolean ifExists, boolean cascade) implements AlterAction {}

  record ValidateConstraint(String name) implements AlterAction {}

  record RenameConstraint(String name, String newName) implements AlterAction {}

  record OwnerTo(String role) implements AlterAction {}

  record SetSchema(Name schema) implements AlterAction {}

  record SetIndex(Name column, ColumnDefinition.ColumnIndex index) implements AlterAction {}

  record UnsetIndex(Name column, ColumnDefinition.IndexKind kind) implements AlterAction {}

  record SetOptions(List<Option> options) implements AlterAction {
    public SetOptions {
      options = List.copyOf(options);
    }
  }

  record UnsetOptions(List<String> keys) implements AlterAction {
    public UnsetOptions {
      keys = List.copyOf(keys);
    }
  }

  /** REPARTITION or SPLIT and MERGE PARTITION: from these rules to those. */
  record Repartition(List<ParsedExpression> from, List<ParsedExpression> into)
      implements AlterAction {
    public Repartition {
      from = List.copyOf(from);
      into = List.copyOf(into);
    }
  }

  /** What has a meaning only in PostgreSQL's storage (SET STATISTICS, CLUSTER ON, …): its text. */
  record NoEffect(String text) implements AlterAction {}
}

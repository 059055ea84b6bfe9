package io.millrace.sql.parser.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of CREATE TABLE or ADD COLUMN with everything that may stand behind its type.
 *
 * @param nullable null where neither NULL nor NOT NULL was given
 * @param constraintName of the last CONSTRAINT name given, null without
 */
public record ColumnDefinition(
    Name name,
    TypeName type,
    @Nullable Boolean nullable,
    @Nullable ParsedExpression defaultValue,
    boolean primaryKey,
    boolean timeIndex,
    boolean unique,
    @Nullable String comment,
    @Nullable Name collation,
    List<ColumnIndex> indexes,
    List<TableConstraint.Check> checks,
    @Nullable Generated generated,
    TableConstraint.@Nullable ForeignKey references,
    List<Option> extensions,
    @Nullable String constraintName)
    implements TableElement {

  public ColumnDefinition {
    indexes = List.copyOf(indexes);
    checks = List.copyOf(checks);
    extensions = List.copyOf(extensions);
  }

  /** An index of the seeds' kind on one column. */
  public record ColumnIndex(IndexKind kind, List<Option> options) {
    public ColumnIndex {
      options = List.copyOf(options);
    }
  }

  public enum IndexKind {
    SKIPPING,
    INVERTED,
    FULLTEXT
  }

  /** GENERATED …: an identity (with sequence options) or a stored expression. */
  public record Generated(
      boolean always, @Nullable ParsedExpression expression, List<Option> sequenceOptions) {
    public Generated {
      sequenceOptions = List.copyOf(sequenceOptions);
    }

    public boolean isIdentity() {
      return expression == null;
    }
  }
}

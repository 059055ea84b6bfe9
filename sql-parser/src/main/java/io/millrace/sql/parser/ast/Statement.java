package io.millrace.sql.parser.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement: what it is and every part of it, names unresolved. Free of Calcite; queries and
 * expressions stand in holders that only the planner opens.
 */
public sealed interface Statement {
  /** A SELECT, VALUES, TABLE or a set operation over them, perhaps with WITH. */
  record Query(ParsedQuery query) implements Statement {}

  /**
   * INSERT or REPLACE INTO.
   *
   * @param with WITH items in front, null without
   * @param columns empty where none were named
   * @param overriding USER or SYSTEM of OVERRIDING … VALUE, null without
   * @param source null for DEFAULT VALUES
   * @param returning null without RETURNING
   */
  record Insert(
      @Nullable ParsedList with,
      QualifiedName table,
      @Nullable Name alias,
      List<Name> columns,
      @Nullable String overriding,
      @Nullable ParsedQuery source,
      boolean replace,
      @Nullable OnConflict onConflict,
      @Nullable ParsedList returning)
      implements Statement {
    public Insert {
      columns = List.copyOf(columns);
    }
  }

  /**
   * ON CONFLICT: with no assignments it is DO NOTHING.
   *
   * @param columns of the target; empty for none or a constraint
   */
  record OnConflict(
      List<Name> columns,
      @Nullable ParsedExpression targetWhere,
      @Nullable String constraint,
      boolean doNothing,
      List<Assignment> assignments,
      @Nullable ParsedExpression where) {
    public OnConflict {
      columns = List.copyOf(columns);
      assignments = List.copyOf(assignments);
    }
  }

  /** column = value, or (column, …) = a row or a query that gives one. */
  record Assignment(List<Name> columns, boolean row, ParsedExpression value) {
    public Assignment {
      columns = List.copyOf(columns);
    }
  }

  /**
   * @param from the tree of a FROM clause, null without
   */
  record Update(
      @Nullable ParsedList with,
      QualifiedName table,
      @Nullable Name alias,
      List<Assignment> assignments,
      @Nullable ParsedExpression from,
      @Nullable ParsedExpression where,
      @Nullable ParsedList returning)
      implements Statement {
    public Update {
      assignments = List.copyOf(assignments);
    }
  }

  /**
   * @param using the tree of a FROM clause, null without
   */
  record Delete(
      @Nullable ParsedList with,
      QualifiedName table,
      @Nullable Name alias,
      @Nullable ParsedExpression using,
      @Nullable ParsedExpression where,
      @Nullable ParsedList returning)
      implements Statement {}

  /**
   * MERGE.
   *
   * @param using the tree of a FROM item
   */
  record Merge(
      @Nullable ParsedList with,
      QualifiedName table,
      @Nullable Name alias,
      ParsedExpression using,
      ParsedExpression on,
      List<MergeWhen> clauses)
      implements Statement {
    public Merge {
      clauses = List.copyOf(clauses);
    }
  }

  /** WHEN [NOT] MATCHED [AND condition] THEN action. */
  record MergeWhen(
      boolean matched, @Nullable ParsedExpression condition, MergeAction action, int position) {}

  /** What MERGE does with a row. */
  sealed interface MergeAction {
    /** UPDATE SET. */
    record Change(List<Assignment> assignments) implements MergeAction {
      public Change {
        assignments = List.copyOf(assignments);
      }
    }

    /** DELETE. */
    record Remove() implements MergeAction {}

    /**
     * INSERT.
     *
     * @param values the tree of VALUES with one row; null = DEFAULT VALUES
     */
    record Add(List<Name> columns, @Nullable String overriding, @Nullable ParsedExpression values)
        implements MergeAction {
      public Add {
        columns = List.copyOf(columns);
      }
    }

    /** DO NOTHING. */
    record Nothing() implements MergeAction {}
  }

  /** COPY DATABASE d TO or FROM 'folder': every table of its public schema has a file there. */
  record CopyDatabase(Name database, boolean from, String folder, List<Option> options)
      implements Statement {
    public CopyDatabase {
      options = List.copyOf(options);
    }
  }

  /**
   * COPY.
   *
   * @param table null where a query is copied
   * @param file null for STDIN and STDOUT
   * @param options of either form, keys folded (delimiter, null, header, quote, escape,
   *     force_quote, …); a list is comma-separated, "*" is all columns
   */
  record Copy(
      @Nullable QualifiedName table,
      List<Name> columns,
      @Nullable ParsedQuery query,
      boolean from,
      @Nullable String file,
      List<Option> options,
      @Nullable ParsedExpression where)
      implements Statement {
    public Copy {
      columns = List.copyOf(columns);
      options = List.copyOf(options);
    }
  }

  /**
   * CREATE TABLE.
   *
   * @param partitions null without PARTITION ON
   * @param onCommit preserve rows, delete rows or drop; null without
   */
  record CreateTable(
      QualifiedName name,
      boolean ifNotExists,
      boolean temporary,
      boolean unlogged,
      boolean external,
      List<TableElement> elements,
      @Nullable PartitionRules partitions,
      @Nullable String engine,
      @Nullable String comment,
      List<Option> options,
      List<QualifiedName> inherits,
      @Nullable String onCommit)
      implements Statement {
    public CreateTable {
      elements = List.copyOf(elements);
      options = List.copyOf(options);
      inherits = List.copyOf(inherits);
    }
  }

  /** PARTITION ON COLUMNS (columns) (rules). */
  record PartitionRules(List<Name> columns, List<ParsedExpression> rules) {
    public PartitionRules {
      columns = List.copyOf(columns);
      rules = List.copyOf(rules);
    }
  }

  /** CREATE TABLE … AS, and SELECT … INTO. */
  record CreateTableAs(
      QualifiedName name,
      boolean ifNotExists,
      boolean temporary,
      List<Name> columns,
      @Nullable PartitionRules partitions,
      List<Option> options,
      ParsedQuery query,
      boolean withData,
      @Nullable String onCommit)
      implements Statement {
    public CreateTableAs {
      columns = List.copyOf(columns);
      options = List.copyOf(options);
    }
  }

  /** DROP TABLE. */
  record DropTable(List<QualifiedName> names, boolean ifExists, boolean cascade)
      implements Statement {
    public DropTable {
      names = List.copyOf(names);
    }
  }

  /** ALTER TABLE. */
  record AlterTable(QualifiedName name, boolean ifExists, List<AlterAction> actions)
      implements Statement {
    public AlterTable {
      actions = List.copyOf(actions);
    }
  }

  /**
   * TRUNCATE.
   *
   * @param fileRanges pairs of bounds of FILE RANGE, empty for the whole table
   */
  record Truncate(
      List<QualifiedName> names,
      boolean restartIdentity,
      boolean cascade,
      List<FileRange> fileRanges)
      implements Statement {
    public Truncate {
      names = List.copyOf(names);
      fileRanges = List.copyOf(fileRanges);
    }
  }

  /** From and to, as texts of literals. */
  record FileRange(ParsedExpression from, ParsedExpression to) {}

  /** CREATE FLOW. */
  record CreateFlow(
      QualifiedName name,
      boolean orReplace,
      boolean ifNotExists,
      QualifiedName sink,
      @Nullable Duration expireAfter,
      @Nullable Duration evalInterval,
      @Nullable String comment,
      List<Option> options,
      ParsedQuery query)
      implements Statement {
    public CreateFlow {
      options = List.copyOf(options);
    }
  }

  /**
   * A span of time as given: text that an interval's input function or the short form (1h) takes,
   * or whole seconds.
   *
   * @param position in the statement's text, in characters from 1
   */
  record Duration(String text, boolean seconds, int position) {}

  /** DROP FLOW. */
  record DropFlow(List<QualifiedName> names, boolean ifExists) implements Statement {
    public DropFlow {
      names = List.copyOf(names);
    }
  }

  /** ALTER FLOW: one of options, comment and new name. */
  record AlterFlow(
      QualifiedName name,
      List<Option> options,
      @Nullable String comment,
      @Nullable QualifiedName newName)
      implements Statement {
    public AlterFlow {
      options = List.copyOf(options);
    }
  }

  /** EXPLAIN FLOW. */
  record ExplainFlow(QualifiedName name) implements Statement {}

  /** CREATE VIEW. */
  record CreateView(
      QualifiedName name,
      boolean orReplace,
      boolean ifNotExists,
      boolean temporary,
      List<Name> columns,
      List<Option> options,
      ParsedQuery query,
      @Nullable String checkOption)
      implements Statement {
    public CreateView {
      columns = List.copyOf(columns);
      options = List.copyOf(options);
    }
  }

  /** DROP VIEW, DROP MATERIALIZED VIEW. */
  record DropView(
      List<QualifiedName> names, boolean ifExists, boolean cascade, boolean materialized)
      implements Statement {
    public DropView {
      names = List.copyOf(names);
    }
  }

  /** CREATE MATERIALIZED VIEW. */
  record CreateMaterializedView(
      QualifiedName name,
      boolean ifNotExists,
      List<Name> columns,
      List<Option> options,
      ParsedQuery query,
      boolean withData)
      implements Statement {
    public CreateMaterializedView {
      columns = List.copyOf(columns);
      options = List.copyOf(options);
    }
  }

  /** REFRESH MATERIALIZED VIEW. */
  record RefreshMaterializedView(QualifiedName name, boolean concurrently, boolean withData)
      implements Statement {}

  /** CREATE SCHEMA. */
  record CreateSchema(
      @Nullable QualifiedName name, boolean ifNotExists, @Nullable String authorization)
      implements Statement {}

  /** DROP SCHEMA. */
  record DropSchema(List<QualifiedName> names, boolean ifExists, boolean cascade)
      implements Statement {
    public DropSchema {
      names = List.copyOf(names);
    }
  }

  /** CREATE DATABASE. */
  record CreateDatabase(Name name, boolean ifNotExists, List<Option> options) implements Statement {
    public CreateDatabase {
      options = List.copyOf(options);
    }
  }

  /** DROP DATABASE. */
  record DropDatabase(Name name, boolean ifExists, boolean force) implements Statement {}

  /**
   * ALTER SCHEMA, ALTER DATABASE, ALTER VIEW, ALTER INDEX, ALTER SEQUENCE, ALTER TYPE …: one of the
   * forms.
   *
   * @param action the words of the action, folded: "rename", "owner", "set schema", "set", "reset",
   *     "add value", …
   * @param argument the new name, owner, schema or value
   * @param options of SET and of sequences
   */
  record AlterObject(
      ObjectKind kind,
      QualifiedName name,
      boolean ifExists,
      String action,
      @Nullable String argument,
      List<Option> options)
      implements Statement {
    public AlterObject {
      options = List.copyOf(options);
    }
  }

  /** CREATE INDEX. */
  record CreateIndex(
      @Nullable Name name,
      boolean ifNotExists,
      boolean unique,
      boolean concurrently,
      QualifiedName table,
      @Nullable String method,
      List<IndexElement> elements,
      List<Name> include,
      List<Option> options,
      @Nullable ParsedExpression where)
      implements Statement {
    public CreateIndex {
      elements = List.copyOf(elements);
      include = List.copyOf(include);
      options = List.copyOf(options);
    }
  }

  /** One key of an index. */
  record IndexElement(
      ParsedExpression expression,
      @Nullable Name column,
      boolean descending,
      @Nullable Boolean nullsFirst) {}

  /** DROP INDEX. */
  record DropIndex(
      List<QualifiedName> names,
      boolean ifExists,
      boolean concurrently,
      boolean cascade,
      @Nullable QualifiedName table)
      implements Statement {
    public DropIndex {
      names = List.copyOf(names);
    }
  }

  /** REINDEX: TABLE, INDEX, SCHEMA, DATABASE or SYSTEM. */
  record Reindex(String what, @Nullable QualifiedName name) implements Statement {}

  /** CREATE SEQUENCE. */
  record CreateSequence(
      QualifiedName name, boolean ifNotExists, boolean temporary, List<Option> options)
      implements Statement {
    public CreateSequence {
      options = List.copyOf(options);
    }
  }

  /** CREATE TYPE … AS ENUM. */
  record CreateEnum(QualifiedName name, List<String> labels) implements Statement {
    public CreateEnum {
      labels = List.copyOf(labels);
    }
  }

  /** CREATE DOMAIN. */
  record CreateDomain(
      QualifiedName name,
      TypeName type,
      @Nullable ParsedExpression defaultValue,
      boolean notNull,
      List<TableConstraint.Check> checks)
      implements Statement {
    public CreateDomain {
      checks = List.copyOf(checks);
    }
  }

  /** CREATE EXTENSION. */
  record CreateExtension(Name name, boolean ifNotExists, List<Option> options)
      implements Statement {
    public CreateExtension {
      options = List.copyOf(options);
    }
  }

  /** CREATE ROLE, CREATE USER, CREATE GROUP, and their ALTER. */
  record CreateRole(
      Name name, boolean alter, boolean user, boolean ifNotExists, List<Option> options)
      implements Statement {
    public CreateRole {
      options = List.copyOf(options);
    }
  }

  /** DROP of what has no record of its own. */
  record DropObject(ObjectKind kind, List<QualifiedName> names, boolean ifExists, boolean cascade)
      implements Statement {
    public DropObject {
      names = List.copyOf(names);
    }
  }

  /**
   * COMMENT ON.
   *
   * @param column or constraint or the like on the object, null without
   * @param comment null to remove it
   */
  record CommentOn(
      ObjectKind kind, QualifiedName name, @Nullable Name column, @Nullable String comment)
      implements Statement {}

  /**
   * GRANT and REVOKE: of privileges on objects, or of roles.
   *
   * @param privileges folded, "all", "select", …, or role names
   * @param objectKind null for roles
   * @param allInSchema ON ALL … IN SCHEMA: the names are schemas
   */
  record Grant(
      boolean revoke,
      List<String> privileges,
      @Nullable ObjectKind objectKind,
      boolean allInSchema,
      List<QualifiedName> objects,
      List<String> grantees,
      boolean grantOption,
      boolean cascade)
      implements Statement {
    public Grant {
      privileges = List.copyOf(privileges);
      objects = List.copyOf(objects);
      grantees = List.copyOf(grantees);
    }
  }

  /**
   * ALTER DEFAULT PRIVILEGES, REASSIGN OWNED, SECURITY LABEL and others of PostgreSQL's
   * administration that change nothing here.
   */
  record NoEffect(String tag) implements Statement {}

  /**
   * SET name = values. LOCAL ends with the transaction. SET TIME ZONE, NAMES, ROLE, SCHEMA, SESSION
   * AUTHORIZATION arrive under their variables' names.
   *
   * @param values the values' texts; empty for TO DEFAULT
   */
  record SetVariable(String name, List<String> values, boolean local) implements Statement {
    public SetVariable {
      values = List.copyOf(values);
    }
  }

  /**
   * RESET.
   *
   * @param name null for RESET ALL
   */
  record ResetVariable(@Nullable String name) implements Statement {}

  /** SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION. */
  record SetTransaction(TransactionModes modes, boolean session, @Nullable String snapshot)
      implements Statement {}

  /** SHOW name. */
  record ShowVariable(String name) implements Statement {}

  /** SHOW ALL, SHOW VARIABLES [LIKE]. */
  record ShowVariables(@Nullable String like) implements Statement {}

  /** SHOW [FULL] TABLES. */
  record ShowTables(
      boolean full,
      @Nullable QualifiedName from,
      @Nullable String like,
      @Nullable ParsedExpression where)
      implements Statement {}

  /** SHOW DATABASES, SHOW SCHEMAS. */
  record ShowDatabases(boolean full, @Nullable String like, @Nullable ParsedExpression where)
      implements Statement {}

  /** SHOW [FULL] COLUMNS. */
  record ShowColumns(
      boolean full, QualifiedName table, @Nullable String like, @Nullable ParsedExpression where)
      implements Statement {}

  /** SHOW INDEX. */
  record ShowIndex(QualifiedName table, @Nullable ParsedExpression where) implements Statement {}

  /** SHOW REGION. */
  record ShowRegion(QualifiedName table, @Nullable ParsedExpression where) implements Statement {}

  /** SHOW CREATE TABLE, VIEW, FLOW or DATABASE. */
  record ShowCreate(ObjectKind kind, QualifiedName name) implements Statement {}

  /** SHOW FLOWS. */
  record ShowFlows(
      @Nullable QualifiedName from, @Nullable String like, @Nullable ParsedExpression where)
      implements Statement {}

  /** SHOW FLOW STATUS. */
  record ShowFlowStatus(@Nullable String like) implements Statement {}

  /** SHOW VIEWS. */
  record ShowViews(
      @Nullable QualifiedName from, @Nullable String like, @Nullable ParsedExpression where)
      implements Statement {}

  /** SHOW [FULL] PROCESSLIST. */
  record ShowProcessList(boolean full) implements Statement {}

  /**
   * SHOW of MySQL's lists that have no rows of their own here: "engines", "charset", "collation",
   * "warnings", "status", …
   */
  record ShowOther(String what, @Nullable String like) implements Statement {}

  /** DESC, DESCRIBE. */
  record Describe(QualifiedName table) implements Statement {}

  /**
   * EXPLAIN.
   *
   * @param options those given in parentheses and the words ANALYZE and VERBOSE, by folded name,
   *     value null where none stood
   */
  record Explain(
      boolean analyze, boolean verbose, String format, List<Option> options, Statement statement)
      implements Statement {
    public Explain {
      options = List.copyOf(options);
    }
  }

  /** BEGIN, START TRANSACTION. */
  record Begin(TransactionModes modes) implements Statement {}

  /** What may stand behind BEGIN; null where not given. */
  record TransactionModes(
      @Nullable String isolation, @Nullable Boolean readOnly, @Nullable Boolean deferrable) {}

  /** COMMIT, END. */
  record Commit(boolean chain) implements Statement {}

  /** ROLLBACK, ABORT. */
  record Rollback(boolean chain) implements Statement {}

  /** SAVEPOINT. */
  record Savepoint(Name name) implements Statement {}

  /** RELEASE SAVEPOINT. */
  record ReleaseSavepoint(Name name) implements Statement {}

  /** ROLLBACK TO SAVEPOINT. */
  record RollbackToSavepoint(Name name) implements Statement {}

  /** PREPARE. */
  record Prepare(Name name, List<TypeName> types, Statement statement, String text)
      implements Statement {
    public Prepare {
      types = List.copyOf(types);
    }
  }

  /** EXECUTE. */
  record Execute(Name name, List<ParsedExpression> arguments) implements Statement {
    public Execute {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * DEALLOCATE.
   *
   * @param name null for ALL
   */
  record Deallocate(@Nullable Name name) implements Statement {}

  /**
   * DECLARE … CURSOR.
   *
   * @param scroll null where neither SCROLL nor NO SCROLL was given
   */
  record DeclareCursor(
      Name name,
      boolean binary,
      boolean insensitive,
      @Nullable Boolean scroll,
      boolean hold,
      ParsedQuery query)
      implements Statement {}

  /**
   * FETCH and MOVE.
   *
   * @param count of FORWARD, BACKWARD, ABSOLUTE and RELATIVE; Long.MAX_VALUE for ALL
   */
  record Fetch(boolean move, FetchDirection direction, long count, Name cursor)
      implements Statement {}

  /**
   * CLOSE.
   *
   * @param name null for ALL
   */
  record CloseCursor(@Nullable Name name) implements Statement {}

  /** ADMIN function(arguments). */
  record Admin(String function, List<ParsedExpression> arguments) implements Statement {
    public Admin {
      arguments = List.copyOf(arguments);
    }
  }

  /** DISCARD: all, plans, sequences or temp. */
  record Discard(String what) implements Statement {}

  /** USE. */
  record Use(Name database) implements Statement {}

  /** LISTEN. */
  record Listen(Name channel) implements Statement {}

  /** NOTIFY. */
  record Notify(Name channel, @Nullable String payload) implements Statement {}

  /**
   * UNLISTEN.
   *
   * @param channel null for *
   */
  record Unlisten(@Nullable Name channel) implements Statement {}

  /** LOCK TABLE; the mode as PostgreSQL names it, folded. */
  record LockTable(List<QualifiedName> tables, String mode, boolean nowait) implements Statement {
    public LockTable {
      tables = List.copyOf(tables);
    }
  }

  /** KILL. */
  record Kill(boolean query, String id) implements Statement {}

  /** VACUUM. */
  record Vacuum(List<QualifiedName> tables, List<Option> options) implements Statement {
    public Vacuum {
      tables = List.copyOf(tables);
      options = List.copyOf(options);
    }
  }

  /** ANALYZE. */
  record Analyze(List<QualifiedName> tables, List<Option> options) implements Statement {
    public Analyze {
      tables = List.copyOf(tables);
      options = List.copyOf(options);
    }
  }

  /** CHECKPOINT. */
  record Checkpoint() implements Statement {}

  /** CLUSTER. */
  record Cluster(@Nullable QualifiedName table) implements Statement {}

  /** DO: the body's text and language. */
  record Do(String body, String language) implements Statement {}

  /** CALL. */
  record Call(QualifiedName procedure, List<ParsedExpression> arguments) implements Statement {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** SET CONSTRAINTS. */
  record SetConstraints(boolean deferred) implements Statement {}

  /** Kinds of objects that statements name. */
  enum ObjectKind {
    TABLE,
    VIEW,
    MATERIALIZED_VIEW,
    FLOW,
    SCHEMA,
    DATABASE,
    INDEX,
    SEQUENCE,
    TYPE,
    DOMAIN,
    EXTENSION,
    ROLE,
    COLUMN,
    CONSTRAINT,
    FUNCTION,
    PROCEDURE,
    AGGREGATE,
    TRIGGER,
    RULE,
    POLICY,
    LANGUAGE,
    COLLATION,
    CAST,
    OPERATOR,
    STATISTICS,
    TABLESPACE,
    FOREIGN_TABLE,
    FOREIGN_SERVER,
    LARGE_OBJECT,
    PUBLICATION,
    SUBSCRIPTION
  }

  /** Where a cursor goes. */
  enum FetchDirection {
    FORWARD,
    BACKWARD,
    ABSOLUTE,
    RELATIVE
  }
}

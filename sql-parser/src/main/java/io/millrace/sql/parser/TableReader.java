package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition.ColumnIndex;
import io.millrace.sql.parser.ast.ColumnDefinition.Generated;
import io.millrace.sql.parser.ast.ColumnDefinition.IndexKind;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.FileRange;
import io.millrace.sql.parser.ast.Statement.PartitionRules;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.sql.parser.ast.TableElement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads CREATE, ALTER, TRUNCATE and RENAME TABLE. */
final class TableReader {
  private final Readers readers;
  private final Tokens tokens;
  private final OptionReader options;
  private String table = "";

  TableReader(Readers readers, OptionReader options) {
    this.readers = readers;
    this.tokens = readers.tokens;
    this.options = options;
  }

  // ---- CREATE TABLE ----

  Statement create(boolean temporary, boolean unlogged, boolean external) throws ParseException {
    tokens.expect("table");
    boolean ifNotExists = tokens.ifNotExists();
    QualifiedName name = tokens.qualifiedName();
    table = name.name();
    List<TableElement> elements = new ArrayList<>();
    List<Name> columns = List.of();
    boolean described = external || tokens.at(Keyword.LIKE) || tokens.at(SqlLexer.LEFT_PAREN);
    if (tokens.accept(Keyword.LIKE)) {
      elements.add(new TableElement.LikeTable(tokens.qualifiedName(), List.of("including all")));
    } else if (tokens.at(SqlLexer.LEFT_PAREN)) {
      SqlToken behind = tokens.peek(2);
      if (tokens.peek(1).isName()
          && (behind.is(SqlLexer.COMMA) || behind.is(SqlLexer.RIGHT_PAREN))) {
        columns = tokens.parenthesizedNames();
      } else {
        elements = elements();
      }
    } else if (tokens.at("of") || tokens.at("partition", "of")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "CREATE TABLE ... " + (tokens.at("of") ? "OF" : "PARTITION OF") + " is not supported",
          tokens.peek());
    }
    Tail tail = new Tail();
    while (!tokens.peek().isEnd() && !tokens.at(Keyword.AS)) {
      tail(tail);
    }
    if (tokens.accept(Keyword.AS)) {
      if (!readers.atQuery()) {
        throw tokens.error();
      }
      ParsedQuery query = readers.parsedQuery();
      return new Statement.CreateTableAs(
          name,
          ifNotExists,
          temporary,
          columns,
          tail.partitions,
          tail.options,
          query,
          withData(),
          tail.onCommit);
    }
    if (!described || !columns.isEmpty()) {
      throw tokens.error();
    }
    return new Statement.CreateTable(
        name,
        ifNotExists,
        temporary,
        unlogged,
        external,
        elements,
        tail.partitions,
        tail.engine,
        tail.comment,
        tail.options,
        tail.inherits,
        tail.onCommit);
  }

  /** WITH [NO] DATA; true without it. */
  boolean withData() {
    if (tokens.accept("with", "no", "data")) {
      return false;
    }
    tokens.accept("with", "data");
    return true;
  }

  /** What stands behind the elements, in any order. */
  private static final class Tail {
    @Nullable PartitionRules partitions;
    @Nullable String engine;
    @Nullable String comment;
    List<Option> options = new ArrayList<>();
    List<QualifiedName> inherits = List.of();
    @Nullable String onCommit;
  }

  private void tail(Tail tail) throws ParseException {
    SqlToken t = tokens.peek();
    if (tokens.at("partition") && tokens.peek(1).is(Keyword.ON)) {
      tokens.next();
      tokens.expect(Keyword.ON);
      tokens.expect("columns");
      List<Name> columns = tokens.parenthesizedNames();
      tail.partitions = new PartitionRules(columns, expressionList());
    } else if (tokens.at("partition", "by")) {
      throw tokens
          .error(ErrorCode.FEATURE_NOT_SUPPORTED, "PARTITION BY is not supported", t)
          .withHint("Use PARTITION ON COLUMNS (column, ...) (condition, ...).");
    } else if (tokens.accept("engine")) {
      tokens.acceptOperator("=");
      tail.engine = tokens.peek().isString() ? tokens.string() : tokens.label().text();
    } else if (tokens.accept("comment")) {
      tokens.acceptOperator("=");
      tail.comment = tokens.string();
    } else if (t.is(Keyword.WITH)) {
      tokens.next();
      tail.options.addAll(options.parenthesized());
    } else if (tokens.accept("without", "oids")) {
      return;
    } else if (tokens.accept("inherits")) {
      tokens.expect(SqlLexer.LEFT_PAREN);
      tail.inherits = tokens.qualifiedNames();
      tokens.expect(SqlLexer.RIGHT_PAREN);
    } else if (t.is(Keyword.ON)) {
      tokens.next();
      tokens.expect("commit");
      if (tokens.accept("drop")) {
        tail.onCommit = "drop";
      } else {
        tail.onCommit = tokens.oneOf("preserve", "delete") + " rows";
        tokens.expect("rows");
      }
    } else if (tokens.accept("tablespace")) {
      tokens.name();
    } else if (tokens.accept(Keyword.USING)) {
      tokens.name();
    } else {
      throw tokens.error();
    }
  }

  private List<ParsedExpression> expressionList() throws ParseException {
    List<ParsedExpression> list = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      do {
        list.add(readers.parsedExpression());
      } while (tokens.accept(SqlLexer.COMMA) && !tokens.at(SqlLexer.RIGHT_PAREN));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return list;
  }

  private List<TableElement> elements() throws ParseException {
    List<TableElement> elements = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    while (!tokens.accept(SqlLexer.RIGHT_PAREN)) {
      elements.add(element());
      if (!tokens.accept(SqlLexer.COMMA)) {
        tokens.expect(SqlLexer.RIGHT_PAREN);
        break;
      }
    }
    return elements;
  }

  private TableElement element() throws ParseException {
    if (tokens.accept(Keyword.LIKE)) {
      QualifiedName table = tokens.qualifiedName();
      List<String> like = new ArrayList<>();
      while (tokens.at("including") || tokens.at("excluding")) {
        like.add(tokens.next().word() + " " + tokens.label().text());
      }
      return new TableElement.LikeTable(table, like);
    }
    TableConstraint constraint = optionalConstraint();
    if (constraint == null) {
      return column();
    }
    tokens.accept("not", "valid");
    return constraint;
  }

  /** A table's constraint if one is next. */
  private @Nullable TableConstraint optionalConstraint() throws ParseException {
    String name = null;
    boolean named = tokens.accept(Keyword.CONSTRAINT);
    if (named) {
      name = tokens.name().text();
    }
    TableConstraint constraint;
    SqlToken t = tokens.peek();
    if (tokens.accept("primary", "key")) {
      String index = usingIndex();
      constraint =
          new TableConstraint.PrimaryKey(name, index == null ? keyColumns() : List.of(), index);
    } else if (tokens.accept(Keyword.UNIQUE)) {
      boolean notDistinct = nullsNotDistinct();
      String index = usingIndex();
      constraint =
          new TableConstraint.Unique(
              name, index == null ? keyColumns() : List.of(), notDistinct, index);
    } else if (tokens.at(Keyword.CHECK)) {
      tokens.next();
      constraint = new TableConstraint.Check(name, readers.parsedInParens());
    } else if (tokens.accept("foreign", "key")) {
      List<Name> columns = tokens.parenthesizedNames();
      tokens.expect(Keyword.REFERENCES);
      constraint = references(name, columns);
    } else if (tokens.at("time", "index") && tokens.peek(2).is(SqlLexer.LEFT_PAREN)) {
      tokens.skipTo(t.index + 3);
      constraint = new TableConstraint.TimeIndex(name, tokens.name());
      tokens.expect(SqlLexer.RIGHT_PAREN);
    } else if (tokens.at("exclude")
        && (tokens.peek(1).is(Keyword.USING) || tokens.peek(1).is(SqlLexer.LEFT_PAREN))) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED, "exclusion constraints are not supported", t);
    } else if (named) {
      throw tokens.error();
    } else {
      return null;
    }
    attributes();
    return constraint;
  }

  private @Nullable String usingIndex() {
    return tokens.peek().is(Keyword.USING)
            && tokens.peek(1).isWord("index")
            && !tokens.peek(2).isWord("tablespace")
            && tokens.accept("using", "index")
        ? tokens.name().text()
        : null;
  }

  private boolean nullsNotDistinct() {
    if (tokens.accept("nulls", "not", "distinct")) {
      return true;
    }
    tokens.accept("nulls", "distinct");
    return false;
  }

  /** ( columns ), each perhaps with a sort order that a key does not need. */
  private List<Name> keyColumns() {
    List<Name> columns = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      do {
        columns.add(tokens.name());
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    if (tokens.accept("include")) {
      tokens.parenthesizedNames();
    }
    return columns;
  }

  /** Attributes behind a constraint that change nothing here. NOT VALID is the caller's. */
  private void attributes() {
    while (true) {
      if (tokens.accept(Keyword.DEFERRABLE)
          || tokens.accept("not", "deferrable")
          || tokens.accept("initially", "deferred")
          || tokens.accept("initially", "immediate")
          || tokens.accept("no", "inherit")) {
        continue;
      }
      if (tokens.accept("using", "index", "tablespace")) {
        tokens.name();
      } else if (tokens.at(Keyword.WITH) && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
        options.optionalWith();
      } else {
        return;
      }
    }
  }

  private TableConstraint.ForeignKey references(@Nullable String name, List<Name> columns) {
    QualifiedName table = tokens.qualifiedName();
    List<Name> referenced = tokens.optionalNames();
    if (tokens.accept("match")) {
      tokens.oneOf("full", "partial", "simple");
    }
    String onDelete = "no action";
    String onUpdate = "no action";
    while (tokens.peek().is(Keyword.ON)
        && (tokens.peek(1).isWord("delete") || tokens.peek(1).isWord("update"))) {
      tokens.next();
      boolean delete = tokens.next().is(Keyword.DELETE);
      String action;
      if (tokens.accept("no")) {
        tokens.expect("action");
        action = "no action";
      } else if (tokens.accept("set")) {
        action = "set " + (tokens.accept(Keyword.NULL) ? "null" : tokens.oneOf("default"));
        tokens.optionalNames();
      } else {
        action = tokens.oneOf("restrict", "cascade");
      }
      onDelete = delete ? action : onDelete;
      onUpdate = delete ? onUpdate : action;
    }
    return new TableConstraint.ForeignKey(name, columns, table, referenced, onDelete, onUpdate);
  }

  // ---- columns ----

  /** Collects what stands behind a column's type. */
  private static final class Column {
    @Nullable Boolean nullable;
    @Nullable ParsedExpression defaultValue;
    boolean primaryKey;
    boolean timeIndex;
    boolean unique;
    @Nullable String comment;
    @Nullable Name collation;
    final List<ColumnIndex> indexes = new ArrayList<>();
    final List<TableConstraint.Check> checks = new ArrayList<>();
    @Nullable Generated generated;
    TableConstraint.@Nullable ForeignKey references;
    final List<Option> extensions = new ArrayList<>();
    @Nullable String constraintName;
  }

  ColumnDefinition column() throws ParseException {
    Name name = tokens.name();
    TypeName type = readers.types.type();
    Column c = new Column();
    if (tokens.at(Keyword.WITH) && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
      c.extensions.addAll(options.optionalWith());
    }
    boolean more = true;
    while (more) {
      more = columnPart(c, name);
    }
    return new ColumnDefinition(
        name,
        type,
        c.nullable,
        c.defaultValue,
        c.primaryKey,
        c.timeIndex,
        c.unique,
        c.comment,
        c.collation,
        c.indexes,
        c.checks,
        c.generated,
        c.references,
        c.extensions,
        c.constraintName);
  }

  private boolean columnPart(Column c, Name name) throws ParseException {
    SqlToken t = tokens.peek();
    String constraint = null;
    if (tokens.accept(Keyword.CONSTRAINT)) {
      constraint = tokens.name().text();
      c.constraintName = constraint;
      t = tokens.peek();
    }
    if (tokens.at(Keyword.NOT)
        && !tokens.peek(1).is(Keyword.NULL)
        && !tokens.peek(1).is(Keyword.DEFERRABLE)
        && !tokens.peek(1).isWord("valid")) {
      throw tokens.error(tokens.peek(1));
    }
    if (tokens.accept("not", "null")) {
      if (Boolean.TRUE.equals(c.nullable)) {
        throw conflict(name, t);
      }
      c.nullable = false;
    } else if (tokens.accept(Keyword.NULL)) {
      if (Boolean.FALSE.equals(c.nullable)) {
        throw conflict(name, t);
      }
      c.nullable = true;
    } else if (tokens.accept(Keyword.DEFAULT)) {
      if (c.defaultValue != null) {
        throw tokens.error(
            ErrorCode.SYNTAX_ERROR,
            "multiple default values specified for column \""
                + name.text()
                + "\" of table \""
                + table
                + "\"",
            t);
      }
      c.defaultValue = readers.parsedExpression();
    } else if (tokens.accept("primary", "key")) {
      c.primaryKey = true;
    } else if (tokens.accept("time", "index")) {
      c.timeIndex = true;
    } else if (tokens.accept(Keyword.UNIQUE)) {
      nullsNotDistinct();
      c.unique = true;
    } else if (tokens.accept("comment")) {
      tokens.acceptOperator("=");
      c.comment = tokens.string();
    } else if (tokens.accept(Keyword.COLLATE)) {
      org.apache.calcite.sql.SqlIdentifier id = readers.queries.qualifiedLabel();
      c.collation = new Name(String.join(".", id.names), t.beginColumn);
    } else if (indexKind(t) != null) {
      c.indexes.add(columnIndex());
    } else if (tokens.accept(Keyword.CHECK)) {
      c.checks.add(new TableConstraint.Check(constraint, readers.parsedInParens()));
    } else if (tokens.accept(Keyword.REFERENCES)) {
      c.references = references(constraint, List.of(name));
    } else if (tokens.accept("generated")) {
      c.generated = generated();
    } else if (tokens.accept(Keyword.AS) && tokens.at(SqlLexer.LEFT_PAREN)) {
      c.generated = new Generated(true, readers.parsedInParens(), List.of());
      if (!tokens.accept("stored")) {
        tokens.accept("virtual");
      }
    } else if (tokens.accept("storage") || tokens.accept("compression")) {
      tokens.label();
    } else {
      int before = t.index;
      attributes();
      return tokens.peek().index > before;
    }
    return true;
  }

  private io.millrace.common.error.MillraceException conflict(Name name, SqlToken t) {
    return tokens.error(
        ErrorCode.SYNTAX_ERROR,
        "conflicting NULL/NOT NULL declarations for column \""
            + name.text()
            + "\" of table \""
            + table
            + "\"",
        t);
  }

  private static @Nullable IndexKind indexKind(SqlToken t) {
    return switch (t.is(SqlLexer.WORD) ? t.word() : "") {
      case "skipping" -> IndexKind.SKIPPING;
      case "inverted" -> IndexKind.INVERTED;
      case "fulltext" -> IndexKind.FULLTEXT;
      default -> null;
    };
  }

  private ColumnIndex columnIndex() {
    IndexKind kind = indexKind(tokens.next());
    if (!tokens.accept("index") && kind != IndexKind.FULLTEXT) {
      throw tokens.error();
    }
    return new ColumnIndex(kind, options.optionalWith());
  }

  private Generated generated() throws ParseException {
    boolean always = true;
    if (tokens.accept("by")) {
      tokens.expect("default");
      always = false;
    } else {
      tokens.expect("always");
    }
    tokens.expect(Keyword.AS);
    if (tokens.accept("identity")) {
      List<Option> sequence = List.of();
      if (tokens.accept(SqlLexer.LEFT_PAREN)) {
        sequence = sequenceOptions();
        tokens.expect(SqlLexer.RIGHT_PAREN);
      }
      return new Generated(always, null, sequence);
    }
    ParsedExpression e = readers.parsedInParens();
    if (!tokens.accept("stored")) {
      tokens.accept("virtual");
    }
    return new Generated(always, e, List.of());
  }

  /** Options of a sequence, as words. */
  List<Option> sequenceOptions() {
    List<Option> list = new ArrayList<>();
    while (true) {
      SqlToken t = tokens.peek();
      int at = t.beginColumn;
      if (tokens.accept("increment")) {
        tokens.accept("by");
        list.add(new Option("increment", options.value(), at));
      } else if (tokens.accept("minvalue")) {
        list.add(new Option("minvalue", options.value(), at));
      } else if (tokens.accept("maxvalue")) {
        list.add(new Option("maxvalue", options.value(), at));
      } else if (tokens.accept("no")) {
        String what = tokens.oneOf("minvalue", "maxvalue", "cycle");
        list.add(new Option("no " + what, null, at));
      } else if (tokens.accept("start")) {
        tokens.accept(Keyword.WITH);
        list.add(new Option("start", options.value(), at));
      } else if (tokens.accept("restart")) {
        boolean with = tokens.accept(Keyword.WITH);
        boolean value = with || tokens.peek().isNumber() || tokens.peek().isOperator("-");
        list.add(new Option("restart", value ? options.value() : null, at));
      } else if (tokens.accept("cache")) {
        list.add(new Option("cache", options.value(), at));
      } else if (tokens.accept("cycle")) {
        list.add(new Option("cycle", null, at));
      } else if (tokens.accept("owned", "by")) {
        list.add(new Option("owned by", tokens.qualifiedName().toString(), at));
      } else if (tokens.accept("sequence", "name")) {
        list.add(new Option("sequence name", tokens.qualifiedName().toString(), at));
      } else if (tokens.accept(Keyword.AS)) {
        list.add(new Option("as", readers.types.type().sql(), at));
      } else {
        return list;
      }
    }
  }

  // ---- ALTER TABLE ----

  Statement alter() throws ParseException {
    tokens.expect("table");
    boolean ifExists = tokens.ifExists();
    tokens.accept(Keyword.ONLY);
    QualifiedName name = tokens.qualifiedName();
    table = name.name();
    tokens.acceptOperator("*");
    List<AlterAction> actions = new ArrayList<>();
    do {
      actions.add(action());
    } while (tokens.accept(SqlLexer.COMMA));
    return new Statement.AlterTable(name, ifExists, actions);
  }

  private AlterAction action() throws ParseException {
    SqlToken t = tokens.peek();
    switch (t.is(SqlLexer.WORD) ? t.word() : "") {
      case "add":
        tokens.next();
        return add();
      case "drop":
        tokens.next();
        return drop();
      case "rename":
        tokens.next();
        return renameAction();
      case "alter":
        tokens.next();
        if (tokens.at(Keyword.CONSTRAINT)) {
          return noEffect(t);
        }
        tokens.accept(Keyword.COLUMN);
        return alterColumn(tokens.name());
      case "modify", "change":
        tokens.next();
        tokens.accept(Keyword.COLUMN);
        return modify(tokens.name());
      case "owner":
        tokens.next();
        tokens.expect(Keyword.TO);
        return new AlterAction.OwnerTo(tokens.label().text());
      case "validate":
        tokens.next();
        tokens.expect(Keyword.CONSTRAINT);
        return new AlterAction.ValidateConstraint(tokens.name().text());
      case "set":
        tokens.next();
        return set(t);
      case "unset", "reset":
        tokens.next();
        return unset();
      case "repartition":
        tokens.next();
        return repartition();
      case "split":
        tokens.next();
        tokens.expect("partition");
        return repartition();
      case "merge":
        tokens.next();
        tokens.expect("partition");
        return new AlterAction.Repartition(expressionList(), List.of());
      case "cluster", "enable", "disable", "replica", "inherit", "no", "force", "attach", "detach":
        return noEffect(t);
      default:
        throw tokens.error();
    }
  }

  private AlterAction repartition() throws ParseException {
    List<ParsedExpression> from = expressionList();
    tokens.expect(Keyword.INTO);
    return new AlterAction.Repartition(from, expressionList());
  }

  /** Reads to the end of this action. */
  private AlterAction noEffect(SqlToken first) {
    while (!tokens.peek().isEnd() && !tokens.at(SqlLexer.COMMA)) {
      SqlToken t = tokens.next();
      if (t.is(SqlLexer.LEFT_PAREN)) {
        tokens.skipTo(tokens.match(t.index));
      }
    }
    return new AlterAction.NoEffect(tokens.textFrom(first));
  }

  private AlterAction add() throws ParseException {
    TableConstraint constraint = tokens.at(Keyword.COLUMN) ? null : optionalConstraint();
    if (constraint != null) {
      boolean notValid = tokens.accept("not", "valid");
      return new AlterAction.AddConstraint(constraint, notValid);
    }
    tokens.accept(Keyword.COLUMN);
    boolean ifNotExists = tokens.ifNotExists();
    ColumnDefinition column = column();
    boolean first = tokens.accept("first");
    Name after = !first && tokens.accept("after") ? tokens.name() : null;
    return new AlterAction.AddColumn(column, ifNotExists, first, after);
  }

  private AlterAction drop() {
    if (tokens.accept(Keyword.CONSTRAINT)) {
      boolean ifExists = tokens.ifExists();
      String name = tokens.name().text();
      return new AlterAction.DropConstraint(name, ifExists, tokens.cascade());
    }
    if (tokens.accept("primary", "key")) {
      return new AlterAction.DropConstraint("primary key", false, false);
    }
    tokens.accept(Keyword.COLUMN);
    boolean ifExists = tokens.ifExists();
    Name column = tokens.name();
    return new AlterAction.DropColumn(column, ifExists, tokens.cascade());
  }

  private AlterAction renameAction() {
    if (tokens.accept(Keyword.TO)) {
      return new AlterAction.RenameTable(tokens.qualifiedName());
    }
    if (tokens.accept(Keyword.CONSTRAINT)) {
      String old = tokens.name().text();
      tokens.expect(Keyword.TO);
      return new AlterAction.RenameConstraint(old, tokens.name().text());
    }
    boolean column = tokens.accept(Keyword.COLUMN);
    QualifiedName name = tokens.qualifiedName();
    if (!column && !tokens.at(Keyword.TO)) {
      return new AlterAction.RenameTable(name);
    }
    tokens.expect(Keyword.TO);
    return new AlterAction.RenameColumn(new Name(name.name(), name.position()), tokens.name());
  }

  private AlterAction alterColumn(Name column) throws ParseException {
    SqlToken t = tokens.peek();
    if (tokens.accept("type") || tokens.accept("set", "data", "type")) {
      return alterType(column, false);
    }
    if (tokens.accept("set", "default")) {
      return new AlterAction.SetDefault(column, readers.parsedExpression());
    }
    if (tokens.accept("drop", "default")) {
      return new AlterAction.DropDefault(column);
    }
    if (tokens.accept("set", "not", "null")) {
      return new AlterAction.SetNotNull(column);
    }
    if (tokens.accept("drop", "not", "null")) {
      return new AlterAction.DropNotNull(column);
    }
    if (tokens.at("set") && indexKind(tokens.peek(1)) != null) {
      tokens.next();
      return new AlterAction.SetIndex(column, columnIndex());
    }
    if (tokens.at("unset") || (tokens.at("drop") && indexKind(tokens.peek(1)) != null)) {
      tokens.next();
      IndexKind kind = indexKind(tokens.next());
      if (kind == null) {
        throw tokens.error(tokens.last());
      }
      tokens.accept("index");
      return new AlterAction.UnsetIndex(column, kind);
    }
    if (tokens.accept("add", "generated")) {
      Generated g = generated();
      return new AlterAction.AlterIdentity(
          column, "add generated " + (g.always() ? "always" : "by default"), g.sequenceOptions());
    }
    if (tokens.accept("set", "generated")) {
      String kind = tokens.accept("always") ? "always" : "by default";
      if (kind.equals("by default")) {
        tokens.expect("by", "default");
      }
      return new AlterAction.AlterIdentity(column, "set generated " + kind, sequenceOptions());
    }
    if (tokens.accept("drop", "identity")) {
      tokens.ifExists();
      return new AlterAction.AlterIdentity(column, "drop identity", List.of());
    }
    if (tokens.at("restart")) {
      return new AlterAction.AlterIdentity(column, "restart", sequenceOptions());
    }
    if (tokens.at("set", "statistics")
        || tokens.at("set", "storage")
        || tokens.at("set", "compression")
        || ((tokens.at("set") || tokens.at("reset")) && tokens.peek(1).is(SqlLexer.LEFT_PAREN))) {
      return noEffect(t);
    }
    throw tokens.error(tokens.peek(tokens.peek().isEnd() ? 0 : 1));
  }

  private AlterAction alterType(Name column, boolean modify) throws ParseException {
    TypeName type = readers.types.type();
    Name collation = null;
    if (tokens.at(Keyword.COLLATE)) {
      int at = tokens.next().beginColumn;
      collation = new Name(String.join(".", readers.queries.qualifiedLabel().names), at);
    }
    ParsedExpression using = tokens.accept(Keyword.USING) ? readers.parsedExpression() : null;
    return new AlterAction.AlterType(column, type, using, collation, modify);
  }

  private AlterAction modify(Name column) throws ParseException {
    SqlToken t = tokens.peek();
    if (t.isWord("set") || t.isWord("unset") || t.isWord("drop")) {
      return alterColumn(column);
    }
    return alterType(column, true);
  }

  private AlterAction set(SqlToken first) {
    if (tokens.accept("schema")) {
      return new AlterAction.SetSchema(tokens.name());
    }
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      return new AlterAction.SetOptions(options.parenthesized());
    }
    if (tokens.at("logged")
        || tokens.at("unlogged")
        || tokens.at("without")
        || tokens.at("access")
        || (tokens.at("tablespace") && tokens.peek(1).isName())) {
      return noEffect(first);
    }
    List<Option> list = new ArrayList<>();
    do {
      SqlToken key = tokens.peek();
      String name = options.key();
      tokens.expectOperator("=");
      list.add(new Option(name, options.value(), key.beginColumn));
    } while (moreOptions());
    return new AlterAction.SetOptions(list);
  }

  /** Reads a comma if another key = value follows it, and not another action. */
  private boolean moreOptions() {
    int n = 1;
    while (tokens.peek(n).isLabel() && tokens.peek(n + 1).is(SqlLexer.DOT)) {
      n += 2;
    }
    return tokens.peek(n + 1).isOperator("=") && tokens.accept(SqlLexer.COMMA);
  }

  private AlterAction unset() {
    List<String> keys = new ArrayList<>();
    boolean parens = tokens.accept(SqlLexer.LEFT_PAREN);
    do {
      keys.add(options.key());
    } while (tokens.accept(SqlLexer.COMMA));
    if (parens) {
      tokens.expect(SqlLexer.RIGHT_PAREN);
    }
    return new AlterAction.UnsetOptions(keys);
  }

  // ---- the rest ----

  Statement truncate() throws ParseException {
    tokens.next();
    tokens.accept(Keyword.TABLE);
    List<QualifiedName> names = new ArrayList<>();
    do {
      tokens.accept(Keyword.ONLY);
      names.add(tokens.qualifiedName());
      tokens.acceptOperator("*");
    } while (tokens.accept(SqlLexer.COMMA));
    List<FileRange> ranges = new ArrayList<>();
    if (tokens.accept("file", "range")) {
      do {
        tokens.expect(SqlLexer.LEFT_PAREN);
        ParsedExpression from = readers.parsedExpression();
        tokens.expect(SqlLexer.COMMA);
        ranges.add(new FileRange(from, readers.parsedExpression()));
        tokens.expect(SqlLexer.RIGHT_PAREN);
      } while (tokens.accept(SqlLexer.COMMA));
    }
    boolean restart = tokens.accept("restart", "identity");
    if (!restart) {
      tokens.accept("continue", "identity");
    }
    return new Statement.Truncate(names, restart, tokens.cascade(), ranges);
  }

  Statement rename() {
    tokens.next();
    tokens.expect(Keyword.TABLE);
    QualifiedName name = tokens.qualifiedName();
    tokens.expect(Keyword.TO);
    return new Statement.AlterTable(
        name, false, List.of(new AlterAction.RenameTable(tokens.qualifiedName())));
  }
}

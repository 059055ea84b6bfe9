package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.IndexElement;
import io.millrace.sql.parser.ast.Statement.ObjectKind;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlIdentifier;
import org.jspecify.annotations.Nullable;

/**
 * Reads definitions of everything but tables and flows: views, schemas, indexes, roles, comments,
 * grants.
 */
final class ObjectReader {
  private final Readers readers;
  private final Tokens tokens;
  private final OptionReader options;
  private final TableReader tables;

  ObjectReader(Readers readers, OptionReader options, TableReader tables) {
    this.readers = readers;
    this.tokens = readers.tokens;
    this.options = options;
    this.tables = tables;
  }

  // ---- CREATE ----

  Statement create(SqlToken first) throws ParseException {
    SqlToken kind = tokens.peek();
    switch (kind.is(SqlLexer.WORD) ? kind.word() : "") {
      case "schema":
        return createSchema();
      case "database":
        return createDatabase();
      case "unique", "index":
        return createIndex();
      case "materialized":
        return createMaterializedView();
      case "type":
        return createType();
      case "domain":
        return createDomain();
      case "extension":
        tokens.next();
        boolean ifNotExists = tokens.ifNotExists();
        Name name = tokens.label();
        tokens.accept(Keyword.WITH);
        return new Statement.CreateExtension(name, ifNotExists, words());
      case "role", "user", "group":
        return role(false);
      default:
        return createOther(first);
    }
  }

  /** A kind of object that Millrace does not have: an error that names it. */
  Statement createOther(SqlToken first) {
    SqlToken kind = tokens.peek();
    throw switch (kind.is(SqlLexer.WORD) ? kind.word() : "") {
      case "function",
          "procedure",
          "trigger",
          "constraint",
          "event",
          "aggregate",
          "operator",
          "cast",
          "collation",
          "conversion",
          "rule",
          "policy",
          "server",
          "publication",
          "subscription",
          "statistics",
          "language",
          "trusted",
          "procedural",
          "text",
          "transform",
          "tablespace",
          "access" ->
          tokens.error(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "CREATE " + kind.word().toUpperCase(Locale.ROOT) + " is not supported",
              first);
      default -> tokens.error();
    };
  }

  Statement createView(boolean replace, boolean temporary, boolean recursive)
      throws ParseException {
    tokens.expect("view");
    boolean ifNotExists = tokens.ifNotExists();
    QualifiedName name = tokens.qualifiedName();
    List<Name> columns = tokens.optionalNames();
    List<Option> with = options.optionalWith();
    tokens.expect(Keyword.AS);
    ParsedQuery query = query();
    if (recursive) {
      query = recursive(name, columns, query);
    }
    String check = null;
    if (tokens.accept(Keyword.WITH)) {
      check = tokens.accept("local") ? "local" : "cascaded";
      tokens.accept("cascaded");
      tokens.expect("check", "option");
    }
    return new Statement.CreateView(
        name, replace, ifNotExists, temporary, columns, with, query, check);
  }

  /** CREATE RECURSIVE VIEW is a view over WITH RECURSIVE of its own name. */
  private ParsedQuery recursive(QualifiedName name, List<Name> columns, ParsedQuery query) {
    if (columns.isEmpty()) {
      throw tokens.error();
    }
    String view = quoted(name.name());
    String list = columns.stream().map(c -> quoted(c.text())).collect(Collectors.joining(", "));
    return new StatementParser()
        .parseQuery(
            "WITH RECURSIVE "
                + view
                + " ("
                + list
                + ") AS ("
                + query.text()
                + ") SELECT "
                + list
                + " FROM "
                + view);
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private ParsedQuery query() throws ParseException {
    if (!readers.atQuery()) {
      throw tokens.error();
    }
    return readers.parsedQuery();
  }

  private Statement createMaterializedView() throws ParseException {
    tokens.expect("materialized", "view");
    boolean ifNotExists = tokens.ifNotExists();
    QualifiedName name = tokens.qualifiedName();
    List<Name> columns = tokens.optionalNames();
    List<Option> with = options.optionalWith();
    tokens.expect(Keyword.AS);
    ParsedQuery query = query();
    return new Statement.CreateMaterializedView(
        name, ifNotExists, columns, with, query, tables.withData());
  }

  Statement refresh() {
    tokens.next();
    tokens.expect("materialized", "view");
    boolean concurrently = tokens.accept(Keyword.CONCURRENTLY);
    QualifiedName name = tokens.qualifiedName();
    return new Statement.RefreshMaterializedView(name, concurrently, tables.withData());
  }

  private Statement createSchema() {
    tokens.next();
    boolean ifNotExists = tokens.ifNotExists();
    QualifiedName name = tokens.peek().isName() ? tokens.qualifiedName() : null;
    String role = null;
    if (tokens.accept(Keyword.AUTHORIZATION)) {
      role = tokens.label().text();
    } else if (name == null) {
      throw tokens.error();
    }
    return new Statement.CreateSchema(name, ifNotExists, role);
  }

  private Statement createDatabase() {
    tokens.next();
    boolean ifNotExists = tokens.ifNotExists();
    Name name = tokens.name();
    List<Option> list = new ArrayList<>();
    if (tokens.at(Keyword.WITH) && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
      list.addAll(options.optionalWith());
    } else {
      tokens.accept(Keyword.WITH);
      while (tokens.peek().isLabel()) {
        SqlToken key = tokens.peek();
        StringBuilder word = new StringBuilder(tokens.label().text());
        if (key.isWord("connection")) {
          tokens.expect("limit");
          word.append(" limit");
        }
        tokens.acceptOperator("=");
        list.add(
            new Option(
                word.toString(),
                tokens.accept(Keyword.DEFAULT) ? null : options.value(),
                key.beginColumn));
      }
    }
    return new Statement.CreateDatabase(name, ifNotExists, list);
  }

  private Statement createIndex() throws ParseException {
    boolean unique = tokens.accept(Keyword.UNIQUE);
    tokens.expect("index");
    boolean concurrently = tokens.accept(Keyword.CONCURRENTLY);
    boolean ifNotExists = tokens.ifNotExists();
    Name name = tokens.at(Keyword.ON) ? null : tokens.name();
    tokens.expect(Keyword.ON);
    tokens.accept(Keyword.ONLY);
    QualifiedName table = tokens.qualifiedName();
    String method = tokens.accept(Keyword.USING) ? tokens.name().text() : null;
    List<IndexElement> elements = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    do {
      elements.add(indexElement());
    } while (tokens.accept(SqlLexer.COMMA));
    tokens.expect(SqlLexer.RIGHT_PAREN);
    List<Name> include = tokens.accept("include") ? tokens.parenthesizedNames() : List.of();
    if (!tokens.accept("nulls", "not", "distinct")) {
      tokens.accept("nulls", "distinct");
    }
    List<Option> with = options.optionalWith();
    if (tokens.accept("tablespace")) {
      tokens.name();
    }
    ParsedExpression where = tokens.accept(Keyword.WHERE) ? readers.parsedExpression() : null;
    return new Statement.CreateIndex(
        name, ifNotExists, unique, concurrently, table, method, elements, include, with, where);
  }

  private IndexElement indexElement() throws ParseException {
    ParsedExpression e = readers.parsedExpression();
    Name column =
        e.node() instanceof SqlIdentifier id && id.isSimple()
            ? new Name(id.getSimple(), id.getParserPosition().getColumnNum())
            : null;
    if (tokens.peek().isName() && !tokens.at("nulls")) {
      tokens.qualifiedName(); // an operator class
      if (tokens.at(SqlLexer.LEFT_PAREN)) {
        options.parenthesized();
      }
    }
    boolean descending = tokens.accept(Keyword.DESC);
    if (!descending) {
      tokens.accept(Keyword.ASC);
    }
    Boolean nullsFirst =
        tokens.accept("nulls", "first")
            ? Boolean.TRUE
            : tokens.accept("nulls", "last") ? Boolean.FALSE : null;
    return new IndexElement(e, column, descending, nullsFirst);
  }

  Statement createSequence(boolean temporary) {
    tokens.expect("sequence");
    boolean ifNotExists = tokens.ifNotExists();
    QualifiedName name = tokens.qualifiedName();
    return new Statement.CreateSequence(name, ifNotExists, temporary, tables.sequenceOptions());
  }

  private Statement createType() {
    SqlToken first = tokens.next();
    QualifiedName name = tokens.qualifiedName();
    if (!tokens.at(Keyword.AS) || !tokens.peek(1).isWord("enum")) {
      throw tokens
          .error(ErrorCode.FEATURE_NOT_SUPPORTED, "only enumerated types can be created", first)
          .withHint("Use CREATE TYPE name AS ENUM ('label', ...).");
    }
    tokens.skipTo(tokens.peek().index + 2);
    List<String> labels = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      do {
        labels.add(tokens.string());
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return new Statement.CreateEnum(name, labels);
  }

  private Statement createDomain() throws ParseException {
    tokens.next();
    QualifiedName name = tokens.qualifiedName();
    tokens.accept(Keyword.AS);
    TypeName type = readers.types.type();
    ParsedExpression value = null;
    boolean notNull = false;
    List<TableConstraint.Check> checks = new ArrayList<>();
    while (!tokens.peek().isEnd()) {
      String constraint = tokens.accept(Keyword.CONSTRAINT) ? tokens.name().text() : null;
      if (tokens.accept(Keyword.DEFAULT)) {
        value = readers.parsedExpression();
      } else if (tokens.accept("not", "null")) {
        notNull = true;
      } else if (tokens.accept(Keyword.CHECK)) {
        checks.add(new TableConstraint.Check(constraint, readers.parsedInParens()));
      } else if (tokens.accept(Keyword.COLLATE)) {
        readers.queries.qualifiedLabel();
      } else {
        tokens.expect(Keyword.NULL);
      }
    }
    return new Statement.CreateDomain(name, type, value, notNull, checks);
  }

  private Statement role(boolean alter) {
    boolean user = !tokens.next().isWord("role");
    boolean ifNotExists = tokens.ifNotExists();
    Name name = tokens.label();
    tokens.accept(Keyword.WITH);
    return new Statement.CreateRole(name, alter, user, ifNotExists, words());
  }

  /** Words, each perhaps with a value behind it, to the end of the statement. */
  private List<Option> words() {
    List<Option> list = new ArrayList<>();
    while (!tokens.peek().isEnd()) {
      SqlToken t = tokens.peek();
      StringBuilder key = new StringBuilder(tokens.label().text());
      if (t.isWord("connection")) {
        tokens.expect("limit");
        key.append(" limit");
      } else if (t.isWord("valid")) {
        tokens.expect("until");
        key.append(" until");
      } else if (t.is(Keyword.IN)) {
        key.append(' ').append(tokens.oneOf("role", "group"));
      } else if (t.isWord("encrypted") || t.isWord("unencrypted")) {
        tokens.expect("password");
        key = new StringBuilder("password");
      }
      String value = null;
      SqlToken v = tokens.peek();
      tokens.acceptOperator("=");
      if (tokens.peek().isString() || tokens.peek().isNumber() || v.isOperator("-")) {
        value = options.value();
      } else if (key.toString().equals("password") && tokens.accept(Keyword.NULL)) {
        value = null;
      } else if (takesNames(key.toString())) {
        List<String> names = new ArrayList<>();
        do {
          names.add(tokens.label().text());
        } while (tokens.accept(SqlLexer.COMMA));
        value = String.join(",", names);
      }
      list.add(new Option(key.toString(), value, t.beginColumn));
    }
    return list;
  }

  private static boolean takesNames(String key) {
    return switch (key) {
      case "in role", "in group", "role", "user", "admin", "schema", "version" -> true;
      default -> false;
    };
  }

  // ---- DROP ----

  Statement drop() {
    SqlToken first = tokens.peek();
    ObjectKind kind = kind();
    boolean concurrently = kind == ObjectKind.INDEX && tokens.accept(Keyword.CONCURRENTLY);
    boolean ifExists = tokens.ifExists();
    if (kind == ObjectKind.DATABASE) {
      Name name = tokens.name();
      tokens.accept(Keyword.WITH);
      boolean force = false;
      if (tokens.accept(SqlLexer.LEFT_PAREN)) {
        tokens.expect("force");
        tokens.expect(SqlLexer.RIGHT_PAREN);
        force = true;
      }
      return new Statement.DropDatabase(name, ifExists, force);
    }
    List<QualifiedName> names = new ArrayList<>();
    do {
      names.add(kind == ObjectKind.ROLE ? roleName() : tokens.qualifiedName());
      if (tokens.at(SqlLexer.LEFT_PAREN)) {
        tokens.skipTo(tokens.match(tokens.peek().index) + 1); // a function's arguments
      }
    } while (tokens.accept(SqlLexer.COMMA));
    QualifiedName on = tokens.accept(Keyword.ON) ? tokens.qualifiedName() : null;
    boolean cascade = tokens.cascade();
    return switch (kind) {
      case TABLE, FOREIGN_TABLE -> new Statement.DropTable(names, ifExists, cascade);
      case VIEW -> new Statement.DropView(names, ifExists, cascade, false);
      case MATERIALIZED_VIEW -> new Statement.DropView(names, ifExists, cascade, true);
      case SCHEMA -> new Statement.DropSchema(names, ifExists, cascade);
      case INDEX -> new Statement.DropIndex(names, ifExists, concurrently, cascade, on);
      case COLUMN, CONSTRAINT, LARGE_OBJECT -> throw tokens.error(first);
      default -> new Statement.DropObject(kind, names, ifExists, cascade);
    };
  }

  private QualifiedName roleName() {
    Name name = tokens.label();
    return new QualifiedName(List.of(name.text()), name.position());
  }

  /** The kind of an object by its word or words. */
  private ObjectKind kind() {
    SqlToken t = tokens.peek();
    ObjectKind kind = kind(t.is(SqlLexer.WORD) ? t.word() : "");
    if (kind == null) {
      throw tokens.error();
    }
    tokens.next();
    return switch (t.word()) {
      case "materialized" -> {
        tokens.expect("view");
        yield kind;
      }
      case "foreign" -> {
        tokens.expect("table");
        yield kind;
      }
      case "large" -> {
        tokens.expect("object");
        yield kind;
      }
      default -> kind;
    };
  }

  private static @Nullable ObjectKind kind(String word) {
    return switch (word) {
      case "table" -> ObjectKind.TABLE;
      case "view" -> ObjectKind.VIEW;
      case "materialized" -> ObjectKind.MATERIALIZED_VIEW;
      case "flow" -> ObjectKind.FLOW;
      case "schema" -> ObjectKind.SCHEMA;
      case "database" -> ObjectKind.DATABASE;
      case "index" -> ObjectKind.INDEX;
      case "sequence" -> ObjectKind.SEQUENCE;
      case "type" -> ObjectKind.TYPE;
      case "domain" -> ObjectKind.DOMAIN;
      case "extension" -> ObjectKind.EXTENSION;
      case "role", "user", "group" -> ObjectKind.ROLE;
      case "column" -> ObjectKind.COLUMN;
      case "constraint" -> ObjectKind.CONSTRAINT;
      case "function", "routine" -> ObjectKind.FUNCTION;
      case "procedure" -> ObjectKind.PROCEDURE;
      case "aggregate" -> ObjectKind.AGGREGATE;
      case "trigger" -> ObjectKind.TRIGGER;
      case "rule" -> ObjectKind.RULE;
      case "policy" -> ObjectKind.POLICY;
      case "language" -> ObjectKind.LANGUAGE;
      case "collation" -> ObjectKind.COLLATION;
      case "cast" -> ObjectKind.CAST;
      case "operator" -> ObjectKind.OPERATOR;
      case "statistics" -> ObjectKind.STATISTICS;
      case "tablespace" -> ObjectKind.TABLESPACE;
      case "foreign" -> ObjectKind.FOREIGN_TABLE;
      case "server" -> ObjectKind.FOREIGN_SERVER;
      case "large" -> ObjectKind.LARGE_OBJECT;
      case "publication" -> ObjectKind.PUBLICATION;
      case "subscription" -> ObjectKind.SUBSCRIPTION;
      default -> null;
    };
  }

  // ---- ALTER ----

  Statement alter() {
    SqlToken first = tokens.peek();
    if (tokens.accept("default", "privileges")) {
      while (!tokens.peek().isEnd()) {
        tokens.next();
      }
      return new Statement.NoEffect("ALTER DEFAULT PRIVILEGES");
    }
    if (tokens.at("system")) {
      throw tokens.error(ErrorCode.FEATURE_NOT_SUPPORTED, "ALTER SYSTEM is not supported", first);
    }
    if ((first.isWord("role") || first.is(Keyword.USER) || first.is(Keyword.GROUP))
        && !renamesRole()) {
      return role(true);
    }
    ObjectKind kind = kind();
    boolean ifExists = tokens.ifExists();
    QualifiedName name = kind == ObjectKind.ROLE ? roleName() : tokens.qualifiedName();
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      tokens.skipTo(tokens.match(tokens.peek().index) + 1);
    }
    String action;
    String argument = null;
    List<Option> list = List.of();
    if (tokens.accept("rename")) {
      if (tokens.accept("value")) {
        String old = tokens.string();
        tokens.expect(Keyword.TO);
        return new Statement.AlterObject(
            kind, name, ifExists, "rename value " + old, tokens.string(), list);
      }
      action = "rename";
      if (tokens.accept(Keyword.COLUMN) || !tokens.at(Keyword.TO)) {
        action = "rename column " + tokens.name().text();
      }
      tokens.expect(Keyword.TO);
      argument = tokens.label().text();
    } else if (tokens.accept("owner")) {
      tokens.expect(Keyword.TO);
      action = "owner";
      argument = tokens.label().text();
    } else if (tokens.accept("set", "schema")) {
      action = "set schema";
      argument = tokens.name().text();
    } else if (tokens.accept("add", "value")) {
      boolean exists = tokens.ifNotExists();
      action = exists ? "add value if not exists" : "add value";
      argument = tokens.string();
      if (tokens.accept("before") || tokens.accept("after")) {
        list =
            List.of(new Option(tokens.last().word(), tokens.string(), tokens.last().beginColumn));
      }
    } else if (kind == ObjectKind.SEQUENCE) {
      action = "options";
      list = tables.sequenceOptions();
    } else if (tokens.accept("set")) {
      action = "set";
      list = settings();
    } else if (tokens.accept("reset") || tokens.accept("unset")) {
      action = "reset";
      if (tokens.at(SqlLexer.LEFT_PAREN)) {
        list = options.parenthesized();
      } else {
        argument = tokens.accept(Keyword.ALL) ? "all" : options.key();
      }
    } else if (tokens.accept("update")) {
      action = "update";
      if (tokens.accept(Keyword.TO)) {
        argument = options.value();
      }
    } else {
      SqlToken t = tokens.peek();
      switch (t.is(SqlLexer.WORD) ? t.word() : "") {
        case "add",
            "drop",
            "alter",
            "validate",
            "enable",
            "disable",
            "refresh",
            "attach",
            "options",
            "depends" ->
            throw tokens.error(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "ALTER "
                    + kind.name().replace('_', ' ')
                    + " ... "
                    + t.word().toUpperCase(Locale.ROOT)
                    + " is not supported",
                t);
        default -> throw tokens.error();
      }
    }
    return new Statement.AlterObject(kind, name, ifExists, action, argument, list);
  }

  private boolean renamesRole() {
    return tokens.peek(2).isWord("rename")
        || tokens.peek(2).isWord("set")
        || tokens.peek(2).isWord("reset");
  }

  private List<Option> settings() {
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      return options.parenthesized();
    }
    List<Option> list = new ArrayList<>();
    do {
      SqlToken key = tokens.peek();
      String name = options.key();
      if (!tokens.acceptOperator("=")) {
        tokens.expect(Keyword.TO);
      }
      list.add(
          new Option(
              name, tokens.accept(Keyword.DEFAULT) ? null : options.value(), key.beginColumn));
    } while (tokens.accept(SqlLexer.COMMA));
    return list;
  }

  // ---- COMMENT, GRANT, REINDEX ----

  Statement comment() {
    tokens.next();
    tokens.expect(Keyword.ON);
    ObjectKind kind = kind();
    QualifiedName name;
    Name part = null;
    switch (kind) {
      case COLUMN -> {
        QualifiedName full = tokens.qualifiedName();
        if (full.parts().size() < 2) {
          throw tokens.error(
              ErrorCode.SYNTAX_ERROR, "column name must be qualified", tokens.last());
        }
        name = new QualifiedName(full.parts().subList(0, full.parts().size() - 1), full.position());
        part = new Name(full.name(), full.position());
      }
      case CONSTRAINT, TRIGGER, RULE, POLICY -> {
        part = tokens.name();
        tokens.expect(Keyword.ON);
        tokens.accept("domain");
        name = tokens.qualifiedName();
      }
      case ROLE -> name = roleName();
      default -> {
        name = tokens.qualifiedName();
        if (tokens.at(SqlLexer.LEFT_PAREN)) {
          tokens.skipTo(tokens.match(tokens.peek().index) + 1);
        }
      }
    }
    tokens.expect("is");
    String comment = tokens.accept(Keyword.NULL) ? null : tokens.string();
    return new Statement.CommentOn(kind, name, part, comment);
  }

  Statement grant() {
    boolean revoke = tokens.next().isWord("revoke");
    boolean option = false;
    if (revoke) {
      option = tokens.accept("grant", "option", "for") || tokens.accept("admin", "option", "for");
    }
    List<String> privileges = new ArrayList<>();
    do {
      String privilege = tokens.label().text();
      if (privilege.equals("all")) {
        tokens.accept("privileges");
      } else if (privilege.equals("alter") && tokens.accept("system")) {
        privilege = "alter system";
      }
      if (tokens.at(SqlLexer.LEFT_PAREN)) {
        tokens.parenthesizedNames();
      }
      privileges.add(privilege);
    } while (tokens.accept(SqlLexer.COMMA));
    ObjectKind kind = null;
    boolean all = false;
    List<QualifiedName> objects = List.of();
    if (tokens.accept(Keyword.ON)) {
      if (tokens.at(Keyword.ALL)) {
        tokens.next();
        all = true;
        String plural = tokens.oneOf("tables", "sequences", "functions", "procedures", "routines");
        kind = kind(plural.substring(0, plural.length() - 1));
        tokens.expect(Keyword.IN);
        tokens.expect("schema");
      } else {
        kind =
            kind(tokens.peek().is(SqlLexer.WORD) ? tokens.peek().word() : "") != null
                    && (tokens.peek(1).isLabel() || tokens.peek(1).isWord("object"))
                    && !tokens.peek(1).is(Keyword.TO)
                    && !tokens.peek(1).is(Keyword.FROM)
                ? kind()
                : ObjectKind.TABLE;
      }
      objects = new ArrayList<>();
      do {
        objects.add(tokens.qualifiedName());
        if (tokens.at(SqlLexer.LEFT_PAREN)) {
          tokens.skipTo(tokens.match(tokens.peek().index) + 1);
        }
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(revoke ? Keyword.FROM : Keyword.TO);
    List<String> grantees = new ArrayList<>();
    do {
      tokens.accept(Keyword.GROUP);
      grantees.add(tokens.label().text());
    } while (tokens.accept(SqlLexer.COMMA));
    if (!revoke) {
      option |=
          tokens.accept("with", "grant", "option") || tokens.accept("with", "admin", "option");
    }
    if (tokens.accept("granted", "by")) {
      tokens.label();
    }
    return new Statement.Grant(
        revoke, privileges, kind, all, objects, grantees, option, tokens.cascade());
  }

  Statement reindex() {
    tokens.next();
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      tokens.skipTo(tokens.match(tokens.peek().index) + 1);
    }
    String what = tokens.oneOf("table", "index", "schema", "database", "system");
    tokens.accept(Keyword.CONCURRENTLY);
    return new Statement.Reindex(what, tokens.peek().isEnd() ? null : tokens.qualifiedName());
  }
}

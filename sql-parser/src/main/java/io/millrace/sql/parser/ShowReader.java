package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.ObjectKind;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads SHOW of settings and of objects, and DESCRIBE. */
final class ShowReader {
  private final Readers readers;
  private final Tokens tokens;

  ShowReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  Statement show() throws ParseException {
    tokens.next();
    SqlToken t = tokens.peek();
    boolean full = t.is(Keyword.FULL);
    if (full) {
      tokens.next();
      t = tokens.peek();
    }
    if (!t.isLabel()) {
      throw tokens.error();
    }
    switch (t.is(SqlLexer.WORD) ? t.word() : "") {
      case "all":
        tokens.next();
        return new Statement.ShowVariables(null);
      case "tables":
        tokens.next();
        QualifiedName from = from();
        String like = like();
        return new Statement.ShowTables(full, from, like, where(like));
      case "databases", "schemas":
        tokens.next();
        String databases = like();
        return new Statement.ShowDatabases(full, databases, where(databases));
      case "columns", "fields":
        tokens.next();
        QualifiedName columnsOf = tableIn();
        String columns = like();
        return new Statement.ShowColumns(full, columnsOf, columns, where(columns));
      case "index", "indexes", "keys":
        tokens.next();
        return new Statement.ShowIndex(tableIn(), where(null));
      case "region", "regions":
        tokens.next();
        return new Statement.ShowRegion(tableIn(), where(null));
      case "create":
        tokens.next();
        return create();
      case "flows":
        tokens.next();
        QualifiedName flowsFrom = from();
        String flows = like();
        return new Statement.ShowFlows(flowsFrom, flows, where(flows));
      case "flow":
        if (tokens.accept("flow", "status")) {
          return new Statement.ShowFlowStatus(like());
        }
        break;
      case "views":
        tokens.next();
        QualifiedName viewsFrom = from();
        String views = like();
        return new Statement.ShowViews(viewsFrom, views, where(views));
      case "processlist":
        tokens.next();
        return new Statement.ShowProcessList(full);
      case "variables":
        tokens.next();
        return new Statement.ShowVariables(like());
      case "global", "session":
        if (tokens.peek(1).isWord("variables") || tokens.peek(1).isWord("status")) {
          tokens.next();
          String what = tokens.next().word();
          String pattern = like();
          return what.equals("variables")
              ? new Statement.ShowVariables(pattern)
              : new Statement.ShowOther(what, pattern);
        }
        if (tokens.accept("session", "authorization")) {
          return new Statement.ShowVariable("session_authorization");
        }
        break;
      case "engines",
      "charset",
      "collation",
      "collations",
      "warnings",
      "errors",
      "status",
      "plugins":
        String other = tokens.next().word();
        return new Statement.ShowOther(other, like());
      case "character":
        if (tokens.accept("character", "set")) {
          return new Statement.ShowOther("charset", like());
        }
        break;
      case "table":
        if (tokens.accept("table", "status")) {
          from();
          return new Statement.ShowOther("table status", like());
        }
        break;
      case "time":
        if (tokens.accept("time", "zone")) {
          return new Statement.ShowVariable("timezone");
        }
        break;
      case "transaction":
        if (tokens.accept("transaction", "isolation", "level")) {
          return new Statement.ShowVariable("transaction_isolation");
        }
        break;
      default:
        break;
    }
    if (full || (t.keyword != null && t.keyword.category() == Keyword.Category.RESERVED)) {
      throw tokens.error();
    }
    StringBuilder name = new StringBuilder(tokens.label().text());
    while (tokens.accept(SqlLexer.DOT)) {
      name.append('.').append(tokens.label().text());
    }
    return new Statement.ShowVariable(name.toString());
  }

  private Statement create() {
    SqlToken kind = tokens.peek();
    ObjectKind what =
        switch (tokens.oneOf("table", "view", "flow", "database", "schema")) {
          case "table" -> ObjectKind.TABLE;
          case "view" -> ObjectKind.VIEW;
          case "flow" -> ObjectKind.FLOW;
          default -> kind.isWord("schema") ? ObjectKind.SCHEMA : ObjectKind.DATABASE;
        };
    tokens.ifNotExists();
    return new Statement.ShowCreate(what, tokens.qualifiedName());
  }

  private boolean acceptFrom() {
    return tokens.accept(Keyword.FROM) || tokens.accept(Keyword.IN);
  }

  private @Nullable QualifiedName from() {
    return acceptFrom() ? tokens.qualifiedName() : null;
  }

  /** FROM table [FROM schema]. */
  private QualifiedName tableIn() {
    if (!acceptFrom()) {
      throw tokens.error();
    }
    QualifiedName table = tokens.qualifiedName();
    if (!acceptFrom()) {
      return table;
    }
    List<String> parts = new ArrayList<>(tokens.qualifiedName().parts());
    parts.addAll(table.parts());
    return new QualifiedName(parts, table.position());
  }

  private @Nullable String like() {
    return tokens.accept(Keyword.LIKE) || tokens.accept(Keyword.ILIKE) ? tokens.string() : null;
  }

  private @Nullable ParsedExpression where(@Nullable String like) throws ParseException {
    return like == null && tokens.accept(Keyword.WHERE) ? readers.parsedExpression() : null;
  }

  Statement describe() {
    tokens.next();
    tokens.accept(Keyword.TABLE);
    return new Statement.Describe(tokens.qualifiedName());
  }
}

package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.DmlNode;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads COPY with options in parentheses, and in the two older forms. */
final class CopyReader {
  private final Readers readers;
  private final Tokens tokens;
  private final List<Option> options = new ArrayList<>();

  CopyReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  Statement copy() throws ParseException {
    tokens.next();
    if (tokens.at("database") && tokens.peek(1).isName()) {
      return database();
    }
    SqlToken binary = tokens.peek();
    if (tokens.accept(Keyword.BINARY)) {
      options.add(new Option("format", "binary", binary.beginColumn));
    }
    QualifiedName table = null;
    ParsedQuery query = null;
    List<Name> columns = List.of();
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      tokens.next();
      SqlToken first = tokens.peek();
      if (first.is(Keyword.WITH) ? readers.dml.atWith() : readers.dml.at(first)) {
        DmlNode node = new DmlNode(first.pos(), withRows(readers.dml.statement()));
        query = new ParsedQuery(node, tokens.textFrom(first));
      } else if (readers.atQuery()) {
        query = readers.parsedQuery();
      } else {
        throw tokens.error();
      }
      tokens.expect(SqlLexer.RIGHT_PAREN);
    } else {
      tokens.accept(Keyword.TABLE);
      table = tokens.qualifiedName();
      columns = tokens.optionalNames();
    }
    boolean from = false;
    if (query == null && tokens.accept(Keyword.FROM)) {
      from = true;
    } else {
      tokens.expect(Keyword.TO);
    }
    String file = null;
    SqlToken target = tokens.peek();
    if (target.isString()) {
      file = tokens.string();
    } else if (tokens.at("program")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED, "COPY to or from a program is not supported", target);
    } else {
      tokens.oneOf("stdin", "stdout");
    }
    SqlToken using = tokens.peek();
    if (tokens.accept(Keyword.USING) || tokens.at("delimiters")) {
      tokens.expect("delimiters");
      options.add(new Option("delimiter", tokens.string(), using.beginColumn));
    }
    tokens.accept(Keyword.WITH);
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      parenthesized();
    } else {
      words();
    }
    ParsedExpression where =
        from && tokens.accept(Keyword.WHERE) ? readers.parsedExpression() : null;
    limit(from);
    return new Statement.Copy(table, columns, query, from, file, options, where);
  }

  private Statement database() {
    tokens.next();
    Name database = tokens.name();
    boolean from = tokens.accept(Keyword.FROM);
    if (!from) {
      tokens.expect(Keyword.TO);
    }
    String folder = tokens.string();
    if (tokens.accept(Keyword.WITH) || tokens.at(SqlLexer.LEFT_PAREN)) {
      parenthesized();
    }
    limit(from);
    return new Statement.CopyDatabase(database, from, folder, options);
  }

  /** LIMIT of rows that come in, kept as an option. */
  private void limit(boolean from) {
    SqlToken t = tokens.peek();
    if (from && tokens.accept(Keyword.LIMIT)) {
      if (!tokens.at(SqlLexer.INTEGER)) {
        throw tokens.error();
      }
      options.add(new Option("limit", tokens.next().text(), t.beginColumn));
    }
  }

  private void parenthesized() {
    tokens.next();
    while (!tokens.accept(SqlLexer.RIGHT_PAREN)) {
      SqlToken key = tokens.peek();
      StringBuilder name =
          new StringBuilder(key.isString() ? tokens.string() : tokens.label().text());
      while (tokens.accept(SqlLexer.DOT)) {
        name.append('.').append(tokens.label().text());
      }
      tokens.acceptOperator("=");
      options.add(new Option(name.toString(), value(), key.beginColumn));
      if (!tokens.accept(SqlLexer.COMMA)) {
        tokens.expect(SqlLexer.RIGHT_PAREN);
        return;
      }
    }
  }

  private @Nullable String value() {
    SqlToken t = tokens.peek();
    if (t.is(SqlLexer.COMMA) || t.is(SqlLexer.RIGHT_PAREN)) {
      return null;
    }
    if (t.is(SqlLexer.LEFT_PAREN)) {
      return tokens.parenthesizedNames().stream().map(Name::text).collect(Collectors.joining(","));
    }
    if (t.isString()) {
      return tokens.string();
    }
    if (tokens.acceptOperator("*")) {
      return "*";
    }
    if (tokens.acceptOperator("-")) {
      return "-" + tokens.next().text();
    }
    return t.isLabel() ? tokens.label().text() : tokens.next().text();
  }

  /** The form before 9.0: words one behind the other. */
  private void words() {
    while (true) {
      SqlToken t = tokens.peek();
      if (t.isEnd() || t.is(Keyword.WHERE) || t.is(Keyword.LIMIT)) {
        return;
      }
      int at = t.beginColumn;
      if (tokens.accept(Keyword.BINARY)) {
        options.add(new Option("format", "binary", at));
      } else if (tokens.accept("csv")) {
        options.add(new Option("format", "csv", at));
      } else if (tokens.accept(Keyword.FREEZE)) {
        options.add(new Option("freeze", null, at));
      } else if (tokens.accept("header")) {
        options.add(new Option("header", null, at));
      } else if (tokens.accept("delimiter")) {
        options.add(new Option("delimiter", stringAfterAs(), at));
      } else if (tokens.accept(Keyword.NULL)) {
        options.add(new Option("null", stringAfterAs(), at));
      } else if (tokens.accept("quote")) {
        options.add(new Option("quote", stringAfterAs(), at));
      } else if (tokens.accept("escape")) {
        options.add(new Option("escape", stringAfterAs(), at));
      } else if (tokens.accept("encoding")) {
        options.add(new Option("encoding", tokens.string(), at));
      } else if (tokens.accept("force", "quote")) {
        options.add(new Option("force_quote", tokens.acceptOperator("*") ? "*" : list(), at));
      } else if (tokens.accept("force", "not", "null")) {
        options.add(new Option("force_not_null", list(), at));
      } else if (tokens.accept("force", "null")) {
        options.add(new Option("force_null", list(), at));
      } else {
        throw tokens.error();
      }
    }
  }

  private String stringAfterAs() {
    tokens.accept(Keyword.AS);
    return tokens.string();
  }

  private String list() {
    return tokens.names().stream().map(Name::text).collect(Collectors.joining(","));
  }

  /** A change of rows has none to copy but what RETURNING gives. */
  private static Statement withRows(Statement s) {
    boolean none =
        switch (s) {
          case Statement.Insert i -> i.returning() == null;
          case Statement.Update u -> u.returning() == null;
          case Statement.Delete d -> d.returning() == null;
          default -> false;
        };
    if (none) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "COPY query must have a RETURNING clause");
    }
    return s;
  }
}

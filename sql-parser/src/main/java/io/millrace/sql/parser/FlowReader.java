package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.impl.ParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads CREATE, ALTER and DROP FLOW. */
final class FlowReader {
  private final Readers readers;
  private final Tokens tokens;
  private final OptionReader options;

  FlowReader(Readers readers, OptionReader options) {
    this.readers = readers;
    this.tokens = readers.tokens;
    this.options = options;
  }

  Statement create(boolean replace) throws ParseException {
    tokens.expect("flow");
    SqlToken exists = tokens.peek();
    boolean ifNotExists = tokens.ifNotExists();
    if (replace && ifNotExists) {
      throw tokens.error(
          ErrorCode.SYNTAX_ERROR,
          "CREATE OR REPLACE FLOW cannot be used with IF NOT EXISTS",
          exists);
    }
    QualifiedName name = tokens.qualifiedName();
    tokens.expect("sink");
    tokens.expect(Keyword.TO);
    QualifiedName sink = tokens.qualifiedName();
    Statement.Duration expire = null;
    Statement.Duration eval = null;
    String comment = null;
    List<Option> with = List.of();
    while (!tokens.at(Keyword.AS)) {
      SqlToken t = tokens.peek();
      if (expire == null && tokens.accept("expire", "after")) {
        expire = duration();
      } else if (eval == null && t.isWord("eval") && tokens.peek(1).is(Keyword.INTERVAL)) {
        tokens.skipTo(t.index + 2);
        eval = duration();
      } else if (comment == null && tokens.accept("comment")) {
        tokens.acceptOperator("=");
        comment = tokens.string();
      } else if (with.isEmpty() && t.is(Keyword.WITH) && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
        with = options.optionalWith();
      } else {
        throw tokens.error();
      }
    }
    tokens.next();
    if (!readers.atQuery()) {
      throw tokens.error();
    }
    ParsedQuery query = readers.parsedQuery();
    return new Statement.CreateFlow(
        name, replace, ifNotExists, sink, expire, eval, comment, with, query);
  }

  /** '1 hour'::INTERVAL, INTERVAL '1 hour', INTERVAL '1' HOUR, '1h', or whole seconds. */
  private Statement.Duration duration() {
    SqlToken t = tokens.peek();
    if (t.isInteger()) {
      tokens.next();
      return new Statement.Duration(t.text(), true, t.beginColumn);
    }
    tokens.accept("interval");
    String text = tokens.string();
    String unit = unit();
    if (unit != null) {
      text = text + " " + unit;
    }
    if (tokens.accept(SqlLexer.CAST)) {
      SqlToken type = tokens.peek();
      if (!readers.types.type().baseName().equals("interval")) {
        throw tokens.error(type);
      }
    }
    return new Statement.Duration(text, false, t.beginColumn);
  }

  private @Nullable String unit() {
    return TypeReader.isField(tokens.peek()) ? tokens.next().word() : null;
  }

  Statement drop() {
    tokens.expect("flow");
    boolean ifExists = tokens.ifExists();
    List<QualifiedName> names = tokens.qualifiedNames();
    tokens.cascade();
    return new Statement.DropFlow(names, ifExists);
  }

  Statement alter() {
    tokens.expect("flow");
    QualifiedName name = tokens.qualifiedName();
    if (tokens.accept("rename")) {
      tokens.expect(Keyword.TO);
      return new Statement.AlterFlow(name, List.of(), null, tokens.qualifiedName());
    }
    tokens.expect("set");
    if (tokens.accept("comment")) {
      tokens.acceptOperator("=");
      return new Statement.AlterFlow(name, List.of(), tokens.string(), null);
    }
    return new Statement.AlterFlow(name, options.parenthesized(), null, null);
  }
}

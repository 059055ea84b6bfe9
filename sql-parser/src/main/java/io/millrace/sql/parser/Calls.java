package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.PgSyntax.FillMode;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Reads calls: their arguments, and what an aggregate or window function has behind them. */
final class Calls {
  private final Tokens tokens;
  private final Readers readers;

  Calls(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  /** A call of a function of ours or PostgreSQL's by name, with two lists of arguments in a row. */
  static SqlNode function(
      String name, SqlParserPos pos, List<SqlNode> first, List<SqlNode> second) {
    List<SqlNode> arguments = new ArrayList<>(first.size() + second.size());
    arguments.addAll(first);
    arguments.addAll(second);
    return call(new SqlIdentifier(name, pos), null, arguments);
  }

  private static SqlNode call(
      SqlIdentifier name, @Nullable SqlLiteral quantifier, List<SqlNode> arguments) {
    return Nodes.call(
        new SqlUnresolvedFunction(
            name, null, null, null, null, SqlFunctionCategory.USER_DEFINED_FUNCTION),
        quantifier,
        name.getParserPosition(),
        arguments);
  }

  /** ( … ) behind a function's name. */
  SqlNode call(SqlIdentifier name) throws ParseException {
    tokens.expect(SqlLexer.LEFT_PAREN);
    List<SqlNode> arguments = new ArrayList<>();
    SqlLiteral quantifier = null;
    if (tokens.peek().isOperator("*") && tokens.peek(1).is(SqlLexer.RIGHT_PAREN)) {
      arguments.add(SqlIdentifier.star(tokens.next().pos()));
    } else if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      if (tokens.at(Keyword.DISTINCT)) {
        quantifier = SqlSelectKeyword.DISTINCT.symbol(tokens.next().pos());
      } else {
        tokens.accept(Keyword.ALL);
      }
      do {
        arguments.add(argument());
      } while (tokens.accept(SqlLexer.COMMA));
      if (tokens.at(Keyword.ORDER)) {
        arguments.add(readers.queries.orderBy());
      }
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return call(name, quantifier, arguments);
  }

  /** An expression, named or VARIADIC or not. */
  SqlNode argument() throws ParseException {
    SqlToken t = tokens.peek();
    if (t.is(Keyword.VARIADIC)) {
      tokens.next();
      return Nodes.call(PgSyntax.VARIADIC, t.pos(), readers.expression());
    }
    if (t.isLabel() && tokens.peek(1).is(SqlLexer.NAMED_ARGUMENT)) {
      tokens.skipTo(t.index + 2);
      SqlNode value = readers.expression();
      return Nodes.call(
          SqlStdOperatorTable.ARGUMENT_ASSIGNMENT,
          t.pos(),
          value,
          new SqlIdentifier(t.word(), t.pos()));
    }
    return readers.expression();
  }

  /** WITHIN GROUP, FILTER, IGNORE or RESPECT NULLS, RANGE … FILL …, OVER, in this order. */
  SqlNode around(SqlNode call, SqlParserPos pos) throws ParseException {
    SqlNode node = call;
    if (tokens.at("within", "group")) {
      tokens.skipTo(tokens.peek().index + 2);
      tokens.expect(SqlLexer.LEFT_PAREN);
      SqlNodeList order = readers.queries.orderBy();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      node = Nodes.call(SqlStdOperatorTable.WITHIN_GROUP, pos, node, order);
    }
    if (tokens.at("filter") && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
      tokens.skipTo(tokens.peek().index + 2);
      tokens.expect(Keyword.WHERE);
      SqlNode condition = readers.expression();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      node = Nodes.call(SqlStdOperatorTable.FILTER, pos, node, condition);
    }
    if (tokens.accept("ignore", "nulls")) {
      node = Nodes.call(SqlStdOperatorTable.IGNORE_NULLS, pos, node);
    } else if (tokens.accept("respect", "nulls")) {
      node = Nodes.call(SqlStdOperatorTable.RESPECT_NULLS, pos, node);
    }
    if (tokens.at(Keyword.RANGE)
        && startsSpan(tokens.peek(1))
        && !isFrameBound(tokens.peek(1).index)) {
      SqlParserPos at = tokens.next().pos();
      SqlNode span = readers.expressions.span();
      node = Nodes.call(PgSyntax.RANGE, at, node, span, optionalFill());
    }
    if (tokens.at(Keyword.OVER)) {
      SqlParserPos at = tokens.next().pos();
      SqlNode window =
          tokens.at(SqlLexer.LEFT_PAREN)
              ? readers.queries.windowSpecification()
              : readers.queries.simpleName();
      node = Nodes.call(SqlStdOperatorTable.OVER, at, node, window);
    }
    return node;
  }

  /** Whether an interval starts here: a text, INTERVAL '…', or any expression in parentheses. */
  boolean startsSpan(SqlToken t) {
    if (t.is(SqlLexer.LEFT_PAREN)) {
      return true;
    }
    return t.isString()
        || t.is(SqlLexer.PARAMETER)
        || (t.is(Keyword.INTERVAL) && tokens.token(t.index + 1).isString());
  }

  /**
   * Whether the interval is a bound of a window's frame: then the call before RANGE was the last
   * sort key of the window.
   */
  private boolean isFrameBound(int from) {
    SqlToken t = tokens.token(from);
    int end = t.is(SqlLexer.LEFT_PAREN) ? tokens.match(from) + 1 : from + 1;
    if (t.is(Keyword.INTERVAL)) {
      end++;
      while (tokens.token(end).keyword != null
          && !isBound(tokens.token(end))
          && tokens.token(end).is(SqlLexer.WORD)) {
        end++;
      }
    }
    return isBound(tokens.token(end));
  }

  private static boolean isBound(SqlToken t) {
    return t.isWord("preceding") || t.isWord("following");
  }

  /** FILL mode or constant; null without it. */
  @Nullable SqlNode optionalFill() throws ParseException {
    if (!tokens.accept("fill")) {
      return null;
    }
    SqlToken t = tokens.peek();
    FillMode mode =
        t.is(Keyword.NULL)
            ? FillMode.NULL
            : t.isWord("prev") ? FillMode.PREV : t.isWord("linear") ? FillMode.LINEAR : null;
    if (mode == null) {
      return readers.expressions.fillConstant();
    }
    tokens.next();
    return SqlLiteral.createSymbol(mode, t.pos());
  }
}

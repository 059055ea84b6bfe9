package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.impl.ParseException;
import org.apache.calcite.sql.SqlNode;

/** The readers of one statement, each of which needs others. */
final class Readers {
  final Tokens tokens;
  final TypeReader types;
  final ExpressionReader expressions;
  final Calls calls;
  final QueryParts queries;
  final DmlReader dml;

  Readers(Tokens tokens) {
    this.tokens = tokens;
    this.types = new TypeReader(tokens);
    this.calls = new Calls(this);
    this.expressions = new ExpressionReader(this);
    this.dml = new DmlReader(this);
    this.queries = new QueryParts(this);
    tokens.parser.reader = queries;
  }

  SqlNode expression() throws ParseException {
    return expressions.expression();
  }

  /** A query by the generated parser. */
  SqlNode query() throws ParseException {
    return tokens.parser.OrderedQueryOrExpr();
  }

  ParsedQuery parsedQuery() throws ParseException {
    SqlToken first = tokens.peek();
    SqlNode node = query();
    return new ParsedQuery(node, tokens.textFrom(first));
  }

  ParsedExpression parsedExpression() throws ParseException {
    SqlToken first = tokens.peek();
    SqlNode node = expression();
    return new ParsedExpression(node, tokens.textFrom(first), first.beginColumn);
  }

  /** ( expression ), the text without the parentheses. */
  ParsedExpression parsedInParens() throws ParseException {
    tokens.expect(SqlLexer.LEFT_PAREN);
    ParsedExpression e = parsedExpression();
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return e;
  }

  /** Whether a query starts at the next token, also in parentheses. */
  boolean atQuery() {
    SqlToken t = tokens.peek();
    return t.is(SqlLexer.LEFT_PAREN) ? expressions.isQuery(t.index) : expressions.startsQuery(t);
  }
}

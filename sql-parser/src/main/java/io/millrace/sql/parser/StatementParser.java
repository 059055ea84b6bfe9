package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.impl.ParseException;
import io.millrace.sql.parser.impl.Token;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.runtime.CalciteContextException;

/**
 * Parses what a client sends. Without state: one instance serves all threads.
 *
 * <p>A message is cut into tokens once; semicolons outside parentheses part its statements. Errors
 * are PostgreSQL's: 42601 "syntax error at or near …" with the position in the message, in
 * characters from 1; 54001 where a statement nests too deeply for the stack.
 */
public final class StatementParser {
  /** Parses a message of any number of statements; empty ones leave nothing. */
  public List<ParsedStatement> parse(String sql) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    SqlLexer lexer = new SqlLexer();
    lexer.scan(bytes);
    List<ParsedStatement> statements = new ArrayList<>(1);
    int from = 0;
    int depth = 0;
    for (int i = 0; i <= lexer.count(); i++) {
      byte kind = lexer.kind(i);
      if (kind == SqlLexer.LEFT_PAREN) {
        depth++;
      } else if (kind == SqlLexer.RIGHT_PAREN) {
        depth--;
      } else if (kind == SqlLexer.END || (kind == SqlLexer.SEMICOLON && depth <= 0)) {
        if (i > from) {
          statements.add(statement(bytes, lexer, from, i));
        }
        from = i + 1;
        depth = 0;
      }
    }
    return statements;
  }

  /** Parses the text of a query that was stored: of a view or a flow. */
  public ParsedQuery parseQuery(String sql) {
    if (parse(sql) instanceof List<ParsedStatement> list
        && list.size() == 1
        && list.get(0).statement() instanceof Statement.Query query) {
      return query.query();
    }
    throw new MillraceException(ErrorCode.SYNTAX_ERROR, "not a query: " + sql);
  }

  /** Parses the text of an expression that was stored: a default, a check, a partition rule. */
  public ParsedExpression parseExpression(String sql) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    SqlLexer lexer = new SqlLexer();
    lexer.scan(bytes);
    if (lexer.count() == 0) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, "syntax error at end of input").at(1);
    }
    Tokens tokens = new Tokens(bytes, lexer, 0, lexer.count());
    return read(
        tokens,
        0,
        readers -> {
          ParsedExpression e = readers.parsedExpression();
          tokens.end();
          return e;
        });
  }

  private interface Reading<T> {
    T read(Readers readers) throws ParseException;
  }

  private static ParsedStatement statement(byte[] sql, SqlLexer lexer, int from, int to) {
    Tokens tokens = new Tokens(sql, lexer, from, to);
    int offset = lexer.position(lexer.start(from)) - 1;
    Statement statement =
        read(
            tokens,
            offset,
            readers -> {
              Statement s = new StatementReader(readers).statement();
              tokens.end();
              return s;
            });
    int start = lexer.start(from);
    String text = new String(sql, start, lexer.end(to - 1) - start, StandardCharsets.UTF_8);
    return new ParsedStatement(statement, text, offset);
  }

  private static <T> T read(Tokens tokens, int offset, Reading<T> reading) {
    try {
      return reading.read(new Readers(tokens));
    } catch (MillraceException e) {
      throw e.position() > 0 && offset > 0 ? e.at(e.position() + offset) : e;
    } catch (ParseException e) {
      Token at = e.currentToken == null ? tokens.peek() : e.currentToken.next;
      throw shifted(tokens.error((SqlToken) at), offset);
    } catch (CalciteContextException e) {
      throw shifted(
          new MillraceException(ErrorCode.SYNTAX_ERROR, e.getMessage(), e)
              .at(Math.max(1, e.getPosColumn())),
          offset);
    } catch (StackOverflowError e) {
      throw new MillraceException(ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
          .withHint("The statement nests too deeply.");
    }
  }

  private static MillraceException shifted(MillraceException e, int offset) {
    return e.at(e.position() + offset);
  }
}

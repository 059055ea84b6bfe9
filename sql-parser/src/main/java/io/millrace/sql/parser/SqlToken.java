package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.impl.Token;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** A token of one statement, as the generated parser takes it: line 1, column = character. */
final class SqlToken extends Token {
  private static final long serialVersionUID = 1L;

  final transient SqlLexer lexer;

  /** Its number in the lexer, and among the statement's tokens. */
  final int lexed;

  final int index;

  /** Kind as {@link SqlLexer} names it. */
  final byte kindInText;

  final @Nullable Keyword keyword;
  private @Nullable String word;

  SqlToken(
      SqlLexer lexer, int lexed, int index, byte kindInText, int kind, int column, int length) {
    this.lexer = lexer;
    this.lexed = lexed;
    this.index = index;
    this.kindInText = kindInText;
    this.kind = kind;
    this.keyword = lexed < 0 ? null : lexer.keyword(lexed);
    beginLine = 1;
    endLine = 1;
    beginColumn = column;
    endColumn = Math.max(column, column + length - 1);
    image = "";
  }

  /** The folded word or the unquoted name; empty for other tokens. */
  String word() {
    if (word == null) {
      word =
          kindInText == SqlLexer.WORD || kindInText == SqlLexer.QUOTED_IDENTIFIER
              ? lexer.identifier(lexed)
              : "";
      if (word.isEmpty() && isQuoted()) {
        throw new MillraceException(
                ErrorCode.SYNTAX_ERROR,
                "zero-length delimited identifier at or near \"" + text() + "\"")
            .at(beginColumn);
      }
    }
    return word;
  }

  boolean is(Keyword k) {
    return keyword == k;
  }

  boolean is(byte kind) {
    return kindInText == kind;
  }

  /** Whether it is this word without quotes. */
  boolean isWord(String text) {
    return kindInText == SqlLexer.WORD && word().equals(text);
  }

  boolean isOperator(String symbol) {
    return kindInText == SqlLexer.OPERATOR && text().equals(symbol);
  }

  boolean isString() {
    return kindInText >= SqlLexer.STRING && kindInText <= SqlLexer.DOLLAR_STRING;
  }

  boolean isNumber() {
    return kindInText >= SqlLexer.INTEGER && kindInText <= SqlLexer.NUMERIC;
  }

  boolean isInteger() {
    return kindInText == SqlLexer.INTEGER || kindInText == SqlLexer.BIGINT;
  }

  boolean isEnd() {
    return kindInText == SqlLexer.END;
  }

  /** Whether it can name a column or table. */
  boolean isName() {
    return kindInText == SqlLexer.QUOTED_IDENTIFIER
        || (kindInText == SqlLexer.WORD && (keyword == null || keyword.canNameColumn()));
  }

  /** Whether it can name anything behind AS or a dot. */
  boolean isLabel() {
    return kindInText == SqlLexer.QUOTED_IDENTIFIER || kindInText == SqlLexer.WORD;
  }

  boolean isQuoted() {
    return kindInText == SqlLexer.QUOTED_IDENTIFIER;
  }

  /** The token as it stands in the text. */
  String text() {
    return lexer.text(lexed);
  }

  SqlParserPos pos() {
    SqlParserPos pos = new SqlParserPos(1, beginColumn, 1, endColumn);
    return isQuoted() ? pos.withQuoting(true) : pos;
  }

  @Override
  public String toString() {
    return isEnd() ? "<end>" : text();
  }
}

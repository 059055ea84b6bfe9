package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.Option;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads lists of options: WITH (key = value, …), and the words and values of other statements. */
final class OptionReader {
  private final Tokens tokens;

  OptionReader(Readers readers) {
    this.tokens = readers.tokens;
  }

  /** WITH ( … ) if it is next, else none. */
  List<Option> optionalWith() {
    if (tokens.at(Keyword.WITH) && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
      tokens.next();
      return parenthesized();
    }
    return List.of();
  }

  /** ( key [= value], … ); nothing between the parentheses is allowed. */
  List<Option> parenthesized() {
    tokens.expect(SqlLexer.LEFT_PAREN);
    List<Option> options = new ArrayList<>();
    while (!tokens.accept(SqlLexer.RIGHT_PAREN)) {
      options.add(option());
      if (!tokens.accept(SqlLexer.COMMA)) {
        tokens.expect(SqlLexer.RIGHT_PAREN);
        break;
      }
    }
    return options;
  }

  private Option option() {
    SqlToken first = tokens.peek();
    String key = key();
    String value = null;
    if (tokens.acceptOperator("=")) {
      value = value();
    } else if (!tokens.at(SqlLexer.COMMA) && !tokens.at(SqlLexer.RIGHT_PAREN)) {
      value = value();
    }
    return new Option(key, value, first.beginColumn);
  }

  /** A key: words and quoted parts with dots between them, or a string. */
  String key() {
    if (tokens.peek().isString()) {
      return tokens.string();
    }
    StringBuilder key = new StringBuilder(tokens.label().text());
    while (tokens.accept(SqlLexer.DOT)) {
      key.append('.').append(tokens.label().text());
    }
    return key.toString();
  }

  /** A value as text: string, number with sign, word, NULL. */
  @Nullable String value() {
    SqlToken t = tokens.peek();
    if (t.isString()) {
      return tokens.string();
    }
    if (t.isQuoted() && t.text().equals("\"\"")) {
      tokens.next();
      return "";
    }
    if (t.isOperator("-") || t.isOperator("+")) {
      tokens.next();
      SqlToken number = tokens.next();
      if (!number.isNumber()) {
        throw tokens.error(number);
      }
      return (t.isOperator("-") ? "-" : "") + number.text();
    }
    if (t.isNumber()) {
      return tokens.next().text();
    }
    if (t.is(Keyword.NULL)) {
      tokens.next();
      return null;
    }
    StringBuilder word = new StringBuilder(tokens.label().text());
    while (tokens.accept(SqlLexer.DOT)) {
      word.append('.').append(tokens.label().text());
    }
    return word.toString();
  }
}

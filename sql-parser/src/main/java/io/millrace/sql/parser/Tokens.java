package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.impl.MillraceParserImpl;
import io.millrace.sql.parser.impl.MillraceParserImplConstants;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one statement and the place that has been reached among them. The generated parser
 * and the code by hand share both: the parser's current token is the place, and the tokens are
 * linked in advance, so that its token manager is never asked.
 *
 * <p>A comma before a closing bracket or a clause's first word is left out here: this is where
 * trailing commas are accepted.
 */
final class Tokens {
  private static final Map<Keyword, Integer> KINDS = kinds();

  final MillraceParserImpl parser;
  private final byte[] sql;
  private final SqlLexer lexer;
  private final SqlToken[] all;
  private final int[] match;

  /** The tokens from {@code from} (incl.) to {@code to} (excl.) of the lexer. */
  Tokens(byte[] sql, SqlLexer lexer, int from, int to) {
    this.sql = sql;
    this.lexer = lexer;
    int start = lexer.start(from);
    List<SqlToken> list = new ArrayList<>(to - from + 1);
    int at = start;
    int column = 1;
    boolean ascii = lexer.isAscii();
    for (int i = from; i < to; i++) {
      if (lexer.kind(i) == SqlLexer.COMMA && i + 1 <= to && endsList(i + 1, to)) {
        continue;
      }
      column += characters(at, lexer.start(i), ascii);
      at = lexer.start(i);
      int length = characters(at, lexer.end(i), ascii);
      list.add(new SqlToken(lexer, i, list.size(), lexer.kind(i), kind(i), column, length));
    }
    int end = lexer.end(to - 1);
    column += characters(at, end, ascii);
    list.add(new SqlToken(lexer, -1, list.size(), SqlLexer.END, 0, column, 0));
    all = list.toArray(SqlToken[]::new);
    match = new int[all.length];
    int[] open = new int[all.length];
    int depth = 0;
    for (int i = 0; i < all.length; i++) {
      if (i > 0) {
        all[i - 1].next = all[i];
      }
      byte k = all[i].kindInText;
      match[i] = all.length - 1;
      if (k == SqlLexer.LEFT_PAREN) {
        open[depth++] = i;
      } else if (k == SqlLexer.RIGHT_PAREN && depth > 0) {
        match[open[--depth]] = i;
      }
    }
    SqlToken last = all[all.length - 1];
    parser = new MillraceParserImpl(() -> last);
    parser.token = new SqlToken(lexer, -1, -1, SqlLexer.END, 0, 1, 0);
    parser.token.next = all[0];
  }

  private int characters(int from, int to, boolean ascii) {
    if (ascii) {
      return to - from;
    }
    int n = 0;
    for (int i = from; i < to; i++) {
      if ((sql[i] & 0xC0) != 0x80) {
        n++;
      }
    }
    return n;
  }

  private boolean endsList(int next, int to) {
    if (next == to) {
      return true;
    }
    byte kind = lexer.kind(next);
    if (kind == SqlLexer.RIGHT_PAREN || kind == SqlLexer.RIGHT_BRACKET) {
      return true;
    }
    Keyword k = lexer.keyword(next);
    return k != null
        && switch (k) {
          case FROM,
              WHERE,
              GROUP,
              HAVING,
              ORDER,
              LIMIT,
              OFFSET,
              UNION,
              INTERSECT,
              EXCEPT,
              FETCH,
              FOR,
              WINDOW,
              RETURNING,
              INTO ->
              true;
          default -> false;
        };
  }

  private int kind(int i) {
    switch (lexer.kind(i)) {
      case SqlLexer.WORD:
        Keyword k = lexer.keyword(i);
        return k == null || k.canNameColumn()
            ? MillraceParserImplConstants.IDENTIFIER
            : KINDS.get(k);
      case SqlLexer.QUOTED_IDENTIFIER:
        return MillraceParserImplConstants.IDENTIFIER;
      case SqlLexer.COMMA:
        return MillraceParserImplConstants.COMMA;
      case SqlLexer.LEFT_PAREN:
        return MillraceParserImplConstants.LPAREN;
      case SqlLexer.RIGHT_PAREN:
        return MillraceParserImplConstants.RPAREN;
      default:
        return MillraceParserImplConstants.OTHER;
    }
  }

  /** Kinds of the words that the grammar names; every other reserved word is RESERVED to it. */
  private static Map<Keyword, Integer> kinds() {
    Map<String, Integer> named = new java.util.HashMap<>();
    for (int i = 0; i < MillraceParserImplConstants.tokenImage.length; i++) {
      String image = MillraceParserImplConstants.tokenImage[i];
      named.put(image.replaceAll("[\"<>]", ""), i);
    }
    Map<Keyword, Integer> kinds = new EnumMap<>(Keyword.class);
    for (Keyword k : Keyword.values()) {
      kinds.put(k, named.getOrDefault(k.name(), MillraceParserImplConstants.RESERVED));
    }
    return kinds;
  }

  // ---- the place ----

  SqlToken peek() {
    return (SqlToken) parser.token.next;
  }

  /** The {@code n}-th token from the next one, which is 0. */
  SqlToken peek(int n) {
    return all[Math.min(peek().index + n, all.length - 1)];
  }

  SqlToken token(int index) {
    return all[Math.min(index, all.length - 1)];
  }

  SqlToken next() {
    if (peek().isEnd()) {
      throw error();
    }
    return (SqlToken) parser.getNextToken();
  }

  /** The token read last. */
  SqlToken last() {
    return (SqlToken) parser.token;
  }

  /** Reads up to the token of this index; there must be one. */
  void skipTo(int index) {
    while (peek().index < index) {
      next();
    }
  }

  /** Index of the parenthesis that closes the one at {@code index}; the end without one. */
  int match(int index) {
    return match[index];
  }

  // ---- words ----

  boolean at(Keyword k) {
    return peek().keyword == k;
  }

  boolean at(byte kind) {
    return peek().kindInText == kind;
  }

  boolean at(String word) {
    return peek().isWord(word);
  }

  /** Whether these words are next. */
  boolean at(String first, String second) {
    return peek().isWord(first) && peek(1).isWord(second);
  }

  boolean accept(Keyword k) {
    if (peek().keyword == k) {
      next();
      return true;
    }
    return false;
  }

  boolean accept(byte kind) {
    if (peek().kindInText == kind && kind != SqlLexer.END) {
      next();
      return true;
    }
    return false;
  }

  /** Reads the words if all of them are next. */
  boolean accept(String... words) {
    for (int i = 0; i < words.length; i++) {
      if (!peek(i).isWord(words[i])) {
        return false;
      }
    }
    skipTo(peek().index + words.length);
    return true;
  }

  boolean acceptOperator(String symbol) {
    if (peek().isOperator(symbol)) {
      next();
      return true;
    }
    return false;
  }

  SqlToken expect(Keyword k) {
    if (peek().keyword != k) {
      throw error();
    }
    return next();
  }

  SqlToken expect(byte kind) {
    if (peek().kindInText != kind) {
      throw error();
    }
    return next();
  }

  void expect(String... words) {
    for (String word : words) {
      if (!at(word)) {
        throw error();
      }
      next();
    }
  }

  void expectOperator(String symbol) {
    if (!acceptOperator(symbol)) {
      throw error();
    }
  }

  /** Which of the words is next, reading it. */
  String oneOf(String... words) {
    for (String word : words) {
      if (accept(word)) {
        return word;
      }
    }
    throw error();
  }

  // ---- names and values ----

  /** A column's or table's name. */
  Name name() {
    SqlToken t = peek();
    if (!t.isName()) {
      throw error();
    }
    next();
    return new Name(t.word(), t.beginColumn);
  }

  /** A name where any word is one: behind AS or a dot. */
  Name label() {
    SqlToken t = peek();
    if (!t.isLabel()) {
      throw error();
    }
    next();
    return new Name(t.word(), t.beginColumn);
  }

  QualifiedName qualifiedName() {
    Name first = name();
    if (!at(SqlLexer.DOT)) {
      return new QualifiedName(List.of(first.text()), first.position());
    }
    List<String> parts = new ArrayList<>(List.of(first.text()));
    while (accept(SqlLexer.DOT)) {
      parts.add(label().text());
    }
    return new QualifiedName(parts, first.position());
  }

  List<QualifiedName> qualifiedNames() {
    List<QualifiedName> names = new ArrayList<>();
    do {
      names.add(qualifiedName());
    } while (accept(SqlLexer.COMMA));
    return names;
  }

  List<Name> names() {
    List<Name> names = new ArrayList<>();
    do {
      names.add(name());
    } while (accept(SqlLexer.COMMA));
    return names;
  }

  List<Name> parenthesizedNames() {
    expect(SqlLexer.LEFT_PAREN);
    List<Name> names = names();
    expect(SqlLexer.RIGHT_PAREN);
    return names;
  }

  /** ( names ) if a parenthesis is next, else none. */
  List<Name> optionalNames() {
    return at(SqlLexer.LEFT_PAREN) ? parenthesizedNames() : List.of();
  }

  /** A string literal's value, with UESCAPE. */
  String string() {
    SqlToken t = peek();
    if (!t.isString()) {
      throw error();
    }
    next();
    if (t.kindInText == SqlLexer.UNICODE_STRING && accept("uescape")) {
      String escape = string();
      if (escape.length() != 1
          || "+'\" \t\n".contains(escape)
          || Character.digit(escape.charAt(0), 16) >= 0) {
        throw syntaxError("invalid Unicode escape character", last());
      }
      return lexer.string(t.lexed, escape.charAt(0));
    }
    return lexer.string(t.lexed);
  }

  boolean ifExists() {
    return accept("if", "exists");
  }

  boolean ifNotExists() {
    return accept("if", "not", "exists");
  }

  boolean orReplace() {
    return accept("or", "replace");
  }

  /** CASCADE, RESTRICT or nothing. */
  boolean cascade() {
    if (accept("restrict")) {
      return false;
    }
    return accept("cascade");
  }

  // ---- texts and errors ----

  /** The text from a token up to the one that was read last. */
  String textFrom(SqlToken first) {
    return text(first, last());
  }

  String text(SqlToken first, SqlToken last) {
    if (first.lexed < 0 || last.lexed < first.lexed) {
      return "";
    }
    int from = lexer.start(first.lexed);
    return new String(sql, from, lexer.end(last.lexed) - from, StandardCharsets.UTF_8);
  }

  /** The statement must end here. */
  void end() {
    if (!peek().isEnd()) {
      throw error();
    }
  }

  /** "syntax error at or near" the next token. */
  MillraceException error() {
    return error(peek());
  }

  MillraceException error(SqlToken t) {
    return syntaxError("syntax error", t);
  }

  MillraceException syntaxError(String what, SqlToken t) {
    return new MillraceException(
            ErrorCode.SYNTAX_ERROR,
            t.isEnd() ? what + " at end of input" : what + " at or near \"" + t.text() + "\"")
        .at(t.beginColumn);
  }

  MillraceException error(ErrorCode code, String message, SqlToken t) {
    return new MillraceException(code, message).at(t.beginColumn);
  }

  /** The next name if one is next. */
  @Nullable Name optionalName() {
    return peek().isName() ? name() : null;
  }
}

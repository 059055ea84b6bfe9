package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's lexical rules over UTF-8 bytes: one pass, no objects per token.
 *
 * <p>The tokens of the last {@link #scan} stand in arrays that the next scan reuses; comments (they
 * nest) and blanks leave none, adjacent string literals with a line break between them are one
 * token. A literal's kind is its class for plan shapes: {@link #INTEGER} fits int4, {@link #BIGINT}
 * int8, {@link #NUMERIC} neither, {@link #STRING} and its kin are strings. Words are folded only
 * where asked; {@link #hash} is that of the folded word, of the operator's bytes, 0 for the rest.
 *
 * <p>Not for several threads at once. Cost: about 1 ns a byte.
 */
public final class SqlLexer {
  /** End of the text: always the last token. */
  public static final byte END = 0;

  /** A word without quotes: a keyword or an identifier. */
  public static final byte WORD = 1;

  /** "…", `…` or U&"…". */
  public static final byte QUOTED_IDENTIFIER = 2;

  /** Digits that fit int4. */
  public static final byte INTEGER = 3;

  /** Digits that fit int8, not int4. */
  public static final byte BIGINT = 4;

  /** Any other number. */
  public static final byte NUMERIC = 5;

  /** '…'. */
  public static final byte STRING = 6;

  /** E'…'. */
  public static final byte ESCAPE_STRING = 7;

  /** U&'…'. */
  public static final byte UNICODE_STRING = 8;

  /** $$…$$ or $tag$…$tag$. */
  public static final byte DOLLAR_STRING = 9;

  /** B'…' or X'…'. */
  public static final byte BIT_STRING = 10;

  /** $1. */
  public static final byte PARAMETER = 11;

  public static final byte OPERATOR = 12;
  public static final byte COMMA = 13;
  public static final byte LEFT_PAREN = 14;
  public static final byte RIGHT_PAREN = 15;
  public static final byte LEFT_BRACKET = 16;
  public static final byte RIGHT_BRACKET = 17;
  public static final byte DOT = 18;
  public static final byte SEMICOLON = 19;
  public static final byte COLON = 20;

  /** "::". */
  public static final byte CAST = 21;

  /** ":=" or "=&gt;". */
  public static final byte NAMED_ARGUMENT = 22;

  /** "..". */
  public static final byte DOUBLE_DOT = 23;

  static final int FNV_OFFSET = 0x811c9dc5;
  static final int FNV_PRIME = 0x01000193;

  private static final byte[] CLASS = classes();
  private static final byte BLANK = 1;
  private static final byte LETTER = 2;
  private static final byte DIGIT = 3;
  private static final byte OP = 4;

  private byte[] sql = new byte[0];
  private int limit;
  private int count;
  private boolean ascii;
  private byte[] kinds = new byte[64];
  private int[] starts = new int[64];
  private int[] ends = new int[64];
  private int[] hashes = new int[64];
  private @Nullable Keyword[] keywords = new Keyword[64];

  /** Reads the whole text into tokens. Throws 42601 with the position for what is no token. */
  public void scan(byte[] text) {
    scan(text, 0, text.length);
  }

  public void scan(byte[] text, int from, int to) {
    sql = text;
    limit = to;
    count = 0;
    ascii = true;
    int at = from;
    while (true) {
      at = skipBlanks(at);
      if (at >= limit) {
        add(END, limit, limit, 0, null);
        return;
      }
      at = token(at);
    }
  }

  /** Number of tokens without the END. */
  public int count() {
    return count - 1;
  }

  public byte kind(int token) {
    return kinds[token];
  }

  public int start(int token) {
    return starts[token];
  }

  public int end(int token) {
    return ends[token];
  }

  public int hash(int token) {
    return hashes[token];
  }

  /** The keyword that an unquoted word is, null for any other token. */
  public @Nullable Keyword keyword(int token) {
    return keywords[token];
  }

  /** Whether all bytes seen are ASCII, so that bytes and characters count alike. */
  public boolean isAscii() {
    return ascii;
  }

  /** The token's bytes as they stand in the text. */
  public String text(int token) {
    return new String(sql, starts[token], ends[token] - starts[token], StandardCharsets.UTF_8);
  }

  /** Whether two words are the same after folding, or two other tokens the same bytes. */
  public boolean sameText(int token, SqlLexer other, int otherToken) {
    int length = ends[token] - starts[token];
    if (kinds[token] != other.kinds[otherToken]
        || hashes[token] != other.hashes[otherToken]
        || length != other.ends[otherToken] - other.starts[otherToken]) {
      return false;
    }
    int a = starts[token];
    int b = other.starts[otherToken];
    if (kinds[token] != WORD) {
      return Arrays.equals(sql, a, a + length, other.sql, b, b + length);
    }
    for (int i = 0; i < length; i++) {
      if (Keyword.fold(sql[a + i]) != Keyword.fold(other.sql[b + i])) {
        return false;
      }
    }
    return true;
  }

  /** Position in characters, from 1, of a byte offset: what an error message carries. */
  public int position(int offset) {
    if (ascii) {
      return offset + 1;
    }
    int characters = 0;
    for (int i = 0; i < offset; i++) {
      if ((sql[i] & 0xC0) != 0x80) {
        characters++;
      }
    }
    return characters + 1;
  }

  /** The name that a word or quoted identifier stands for, cut to 63 bytes as PostgreSQL does. */
  public String identifier(int token) {
    int from = starts[token];
    int to = ends[token];
    if (kinds[token] == WORD) {
      if (keywords[token] != null) {
        return keywords[token].word();
      }
      to = cut(sql, from, to);
      byte[] folded = Arrays.copyOfRange(sql, from, to);
      for (int i = 0; i < folded.length; i++) {
        folded[i] = (byte) Keyword.fold(folded[i]);
      }
      return new String(folded, StandardCharsets.UTF_8);
    }
    if (sql[from] == 'U' || sql[from] == 'u') {
      return unicode(token, (byte) '"', '\\');
    }
    byte[] plain = unquote(from, to, sql[from]);
    return new String(plain, 0, cut(plain, 0, plain.length), StandardCharsets.UTF_8);
  }

  private static int cut(byte[] name, int from, int to) {
    if (to - from <= 63) {
      return to;
    }
    int end = from + 63;
    while ((name[end] & 0xC0) == 0x80) {
      end--;
    }
    return end;
  }

  /** The value of a string literal of any form. */
  public String string(int token) {
    return string(token, '\\');
  }

  /** As {@link #string(int)}, with the escape character of UESCAPE for U&'…'. */
  public String string(int token, char escape) {
    int from = starts[token];
    int to = ends[token];
    switch (kinds[token]) {
      case STRING:
        int quote = sql[from] == '\'' ? from : from + 1; // N'…'
        return new String(unquote(quote, to, (byte) '\''), StandardCharsets.UTF_8);
      case BIT_STRING:
        return new String(unquote(from + 1, to, (byte) '\''), StandardCharsets.UTF_8);
      case ESCAPE_STRING:
        return escaped(token);
      case UNICODE_STRING:
        return unicode(token, (byte) '\'', escape);
      case DOLLAR_STRING:
        int open = from + 1;
        while (sql[open] != '$') {
          open++;
        }
        int tag = open + 1 - from;
        return new String(sql, from + tag, to - from - 2 * tag, StandardCharsets.UTF_8);
      default:
        throw new IllegalArgumentException("not a string: " + text(token));
    }
  }

  /** The number of a parameter, from 1. */
  public int parameter(int token) {
    long n = 0;
    for (int i = starts[token] + 1; i < ends[token]; i++) {
      n = n * 10 + (sql[i] - '0');
      if (n > Integer.MAX_VALUE) {
        throw error("parameter number too large", token);
      }
    }
    return (int) n;
  }

  // ---- one token ----

  private int token(int at) {
    int b = sql[at];
    if (b < 0) {
      return word(at);
    }
    switch (CLASS[b]) {
      case LETTER:
        return letter(at);
      case DIGIT:
        return number(at);
      case OP:
        return b == '`' ? quoted(QUOTED_IDENTIFIER, at, at) : operator(at);
      default:
        break;
    }
    switch (b) {
      case '\'':
        return quoted(STRING, at, at);
      case '"':
        return quoted(QUOTED_IDENTIFIER, at, at);
      case ',':
        return add(COMMA, at, at + 1, 0, null);
      case '(':
        return add(LEFT_PAREN, at, at + 1, 0, null);
      case ')':
        return add(RIGHT_PAREN, at, at + 1, 0, null);
      case '[':
        return add(LEFT_BRACKET, at, at + 1, 0, null);
      case ']':
        return add(RIGHT_BRACKET, at, at + 1, 0, null);
      case ';':
        return add(SEMICOLON, at, at + 1, 0, null);
      case '.':
        if (isDigit(at + 1)) {
          return number(at);
        }
        return is(at + 1, '.')
            ? add(DOUBLE_DOT, at, at + 2, 0, null)
            : add(DOT, at, at + 1, 0, null);
      case ':':
        if (is(at + 1, ':')) {
          return add(CAST, at, at + 2, 0, null);
        }
        return is(at + 1, '=')
            ? add(NAMED_ARGUMENT, at, at + 2, 0, null)
            : add(COLON, at, at + 1, 0, null);
      case '$':
        return dollar(at);
      default:
        throw syntaxError(at, Math.min(limit, at + 1));
    }
  }

  private int letter(int at) {
    switch (sql[at]) {
      case 'e', 'E':
        return is(at + 1, '\'') ? quoted(ESCAPE_STRING, at, at + 1) : word(at);
      case 'n', 'N':
        return is(at + 1, '\'') ? quoted(STRING, at, at + 1) : word(at);
      case 'b', 'B', 'x', 'X':
        return is(at + 1, '\'') ? quoted(BIT_STRING, at, at + 1) : word(at);
      case 'u', 'U':
        if (is(at + 1, '&')) {
          if (is(at + 2, '\'')) {
            return quoted(UNICODE_STRING, at, at + 2);
          }
          if (is(at + 2, '"')) {
            return quoted(QUOTED_IDENTIFIER, at, at + 2);
          }
        }
        return word(at);
      default:
        return word(at);
    }
  }

  private int word(int start) {
    int hash = FNV_OFFSET;
    int at = start;
    for (; at < limit; at++) {
      int b = sql[at];
      if (b < 0) {
        ascii = false;
      } else if (CLASS[b] != LETTER && CLASS[b] != DIGIT && b != '$') {
        break;
      }
      hash = (hash ^ Keyword.fold(b)) * FNV_PRIME;
    }
    return add(WORD, start, at, hash, Keyword.find(sql, start, at, hash));
  }

  private int number(int start) {
    int at = start;
    if (sql[at] == '0' && at + 1 < limit) {
      int radix =
          switch (sql[at + 1]) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
          };
      if (radix != 10) {
        at += 2;
        while (at < limit && (Character.digit(sql[at], radix) >= 0 || isDigitGap(at, radix))) {
          at++;
        }
        if (at > start + 2) {
          return endOfNumber(start, at, false);
        }
        throw new MillraceException(
                ErrorCode.SYNTAX_ERROR,
                "invalid "
                    + (radix == 16 ? "hexadecimal" : radix == 8 ? "octal" : "binary")
                    + " integer at or near \""
                    + slice(start, at)
                    + "\"")
            .at(position(start));
      }
    }
    at = digits(at);
    boolean fraction = false;
    if (is(at, '.') && !is(at + 1, '.')) {
      fraction = true;
      at = digits(at + 1);
    }
    if (is(at, 'e') || is(at, 'E')) {
      int exponent = is(at + 1, '+') || is(at + 1, '-') ? at + 2 : at + 1;
      if (isDigit(exponent)) {
        fraction = true;
        at = digits(exponent);
      }
    }
    return endOfNumber(start, at, fraction);
  }

  private int endOfNumber(int start, int at, boolean fraction) {
    if (at < limit && (sql[at] < 0 || CLASS[sql[at]] == LETTER || CLASS[sql[at]] == DIGIT)) {
      int end = at;
      while (end < limit
          && (sql[end] < 0 || CLASS[sql[end]] == LETTER || CLASS[sql[end]] == DIGIT)) {
        ascii &= sql[end] >= 0;
        end++;
      }
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR,
              "trailing junk after numeric literal at or near \"" + slice(start, end) + "\"")
          .at(position(start));
    }
    return add(fraction ? NUMERIC : integerKind(start, at), start, at, 0, null);
  }

  private byte integerKind(int start, int end) {
    int radix = 10;
    int at = start;
    if (end - start > 2 && sql[start] == '0' && !isDigit(start + 1) && sql[start + 1] != '_') {
      radix =
          sql[start + 1] == 'x' || sql[start + 1] == 'X'
              ? 16
              : (sql[start + 1] | 32) == 'o' ? 8 : 2;
      at = start + 2;
    }
    long value = 0;
    for (; at < end; at++) {
      if (sql[at] == '_') {
        continue;
      }
      int digit = Character.digit(sql[at], radix);
      if (value > (Long.MAX_VALUE - digit) / radix) {
        return NUMERIC;
      }
      value = value * radix + digit;
    }
    return value <= Integer.MAX_VALUE ? INTEGER : BIGINT;
  }

  private int digits(int at) {
    while (isDigit(at) || isDigitGap(at, 10)) {
      at++;
    }
    return at;
  }

  private boolean isDigitGap(int at, int radix) {
    return is(at, '_') && at + 1 < limit && Character.digit(sql[at + 1], radix) >= 0;
  }

  /** A quoted token whose opening quote is at {@code open}; a doubled quote stands for one. */
  private int quoted(byte kind, int start, int open) {
    byte quote = sql[open];
    boolean string = quote == '\'';
    int at = open + 1;
    while (true) {
      while (at < limit && sql[at] != quote) {
        if (sql[at] == '\\' && kind == ESCAPE_STRING) {
          at++;
        }
        if (at < limit) {
          ascii &= sql[at] >= 0;
        }
        at++;
      }
      if (at >= limit) {
        throw new MillraceException(
                ErrorCode.SYNTAX_ERROR,
                "unterminated "
                    + (kind == QUOTED_IDENTIFIER
                        ? "quoted identifier"
                        : kind == BIT_STRING ? "bit string literal" : "quoted string")
                    + " at or near \""
                    + slice(start, limit)
                    + "\"")
            .at(position(start));
      }
      at++;
      if (is(at, quote)) {
        at++;
        continue;
      }
      int next = string ? continuation(at) : -1;
      if (next < 0) {
        break;
      }
      at = next + 1;
    }
    return add(kind, start, at, 0, null);
  }

  /** Index of the quote that continues a string after a line break, -1 without one. */
  private int continuation(int at) {
    boolean newline = false;
    for (; at < limit; at++) {
      byte b = sql[at];
      if (b == '\n' || b == '\r') {
        newline = true;
      } else if (b == '-' && is(at + 1, '-')) {
        while (at < limit && sql[at] != '\n' && sql[at] != '\r') {
          at++;
        }
        at--;
      } else if (b != ' ' && b != '\t' && b != '\f' && b != 0x0b) {
        return newline && b == '\'' ? at : -1;
      }
    }
    return -1;
  }

  private int dollar(int start) {
    int at = start + 1;
    if (isDigit(at)) {
      while (isDigit(at)) {
        at++;
      }
      if (at < limit && (sql[at] < 0 || CLASS[sql[at]] == LETTER)) {
        int end = at;
        while (end < limit && (sql[end] < 0 || CLASS[sql[end]] == LETTER || isDigit(end))) {
          ascii &= sql[end] >= 0;
          end++;
        }
        throw new MillraceException(
                ErrorCode.SYNTAX_ERROR,
                "trailing junk after parameter at or near \"" + slice(start, end) + "\"")
            .at(position(start));
      }
      return add(PARAMETER, start, at, 0, null);
    }
    while (at < limit && (sql[at] < 0 || CLASS[sql[at]] == LETTER || CLASS[sql[at]] == DIGIT)) {
      ascii &= sql[at] >= 0;
      at++;
    }
    if (!is(at, '$')) {
      throw syntaxError(start, start + 1);
    }
    int tag = at + 1 - start;
    for (int i = at + 1; i + tag <= limit; i++) {
      ascii &= sql[i] >= 0;
      if (sql[i] == '$' && Arrays.equals(sql, i, i + tag, sql, start, start + tag)) {
        return add(DOLLAR_STRING, start, i + tag, 0, null);
      }
    }
    throw new MillraceException(
            ErrorCode.SYNTAX_ERROR,
            "unterminated dollar-quoted string at or near \"" + slice(start, limit) + "\"")
        .at(position(start));
  }

  /**
   * The longest run of operator characters, cut before a comment; a trailing + or - belongs to it
   * only if it has a character that no standard operator has. A "?" behind a standard operator is a
   * parameter of JDBC's kind.
   */
  private int operator(int start) {
    int at = start;
    boolean special = false;
    while (at < limit && sql[at] >= 0 && CLASS[sql[at]] == OP && sql[at] != '`') {
      if (at > start
          && ((sql[at] == '-' && is(at + 1, '-')) || (sql[at] == '/' && is(at + 1, '*')))) {
        break;
      }
      special |= "~!@#%^&|?".indexOf(sql[at]) >= 0;
      at++;
    }
    int end = at;
    if (!special) {
      while (end > start + 1 && (sql[end - 1] == '+' || sql[end - 1] == '-')) {
        end--;
      }
    }
    if (end == start + 2 && sql[start] == '=' && sql[start + 1] == '>') {
      return add(NAMED_ARGUMENT, start, end, 0, null);
    }
    if (end > start + 1 && sql[end - 1] == '?' && isStandard(start, end - 1)) {
      end--;
    }
    int hash = FNV_OFFSET;
    for (int i = start; i < end; i++) {
      hash = (hash ^ sql[i]) * FNV_PRIME;
    }
    return add(OPERATOR, start, end, hash, null);
  }

  private boolean isStandard(int start, int end) {
    if (end == start + 1) {
      return "=<>+-*/%".indexOf(sql[start]) >= 0;
    }
    return end == start + 2
        && switch (sql[start]) {
          case '<' -> sql[start + 1] == '=' || sql[start + 1] == '>';
          case '>', '!' -> sql[start + 1] == '=';
          case '|' -> sql[start + 1] == '|';
          default -> false;
        };
  }

  private int skipBlanks(int at) {
    while (at < limit) {
      byte b = sql[at];
      if (b >= 0 && CLASS[b] == BLANK) {
        at++;
      } else if (b == '-' && is(at + 1, '-')) {
        while (at < limit && sql[at] != '\n' && sql[at] != '\r') {
          ascii &= sql[at] >= 0;
          at++;
        }
      } else if (b == '/' && is(at + 1, '*')) {
        at = skipComment(at);
      } else {
        break;
      }
    }
    return at;
  }

  private int skipComment(int start) {
    int depth = 1;
    int at = start + 2;
    while (depth > 0) {
      if (at >= limit) {
        throw new MillraceException(
                ErrorCode.SYNTAX_ERROR,
                "unterminated /* comment at or near \"" + slice(start, limit) + "\"")
            .at(position(start));
      }
      ascii &= sql[at] >= 0;
      if (sql[at] == '*' && is(at + 1, '/')) {
        depth--;
        at += 2;
      } else if (sql[at] == '/' && is(at + 1, '*')) {
        depth++;
        at += 2;
      } else {
        at++;
      }
    }
    return at;
  }

  private int add(byte kind, int start, int end, int hash, @Nullable Keyword keyword) {
    if (count == kinds.length) {
      int size = count * 2;
      kinds = Arrays.copyOf(kinds, size);
      starts = Arrays.copyOf(starts, size);
      ends = Arrays.copyOf(ends, size);
      hashes = Arrays.copyOf(hashes, size);
      keywords = Arrays.copyOf(keywords, size);
    }
    kinds[count] = kind;
    starts[count] = start;
    ends[count] = end;
    hashes[count] = hash;
    keywords[count] = keyword;
    count++;
    return end;
  }

  // ---- values ----

  /** Contents between quotes, doubled quotes made one and continuations joined. */
  private byte[] unquote(int open, int end, byte quote) {
    byte[] out = new byte[end - open];
    int n = 0;
    int at = open + 1;
    while (true) {
      while (sql[at] != quote) {
        out[n++] = sql[at++];
      }
      at++;
      if (at >= end) {
        return Arrays.copyOf(out, n);
      }
      if (sql[at] == quote) {
        out[n++] = quote;
        at++;
      } else {
        at = continuation(at) + 1;
      }
    }
  }

  private String escaped(int token) {
    int end = ends[token];
    var out = new ByteArrayOutputStream(end - starts[token]);
    int at = starts[token] + 2;
    char high = 0;
    while (true) {
      byte b = sql[at++];
      if (b == '\'') {
        if (at >= end) {
          break;
        }
        if (sql[at] == '\'') {
          out.write('\'');
          at++;
        } else {
          at = continuation(at) + 1;
        }
        continue;
      }
      if (b != '\\') {
        out.write(b);
        continue;
      }
      b = sql[at++];
      switch (b) {
        case 'b' -> out.write('\b');
        case 'f' -> out.write('\f');
        case 'n' -> out.write('\n');
        case 'r' -> out.write('\r');
        case 't' -> out.write('\t');
        case 'x' -> {
          int digits = 0;
          int value = 0;
          while (digits < 2 && Character.digit(sql[at], 16) >= 0) {
            value = value * 16 + Character.digit(sql[at++], 16);
            digits++;
          }
          out.write(digits == 0 ? 'x' : value);
        }
        case '0', '1', '2', '3', '4', '5', '6', '7' -> {
          int value = b - '0';
          for (int i = 0; i < 2 && sql[at] >= '0' && sql[at] <= '7'; i++) {
            value = value * 8 + sql[at++] - '0';
          }
          out.write(value);
        }
        case 'u', 'U' -> {
          int length = b == 'u' ? 4 : 8;
          int code = hex(sql, at, length);
          if (code < 0) {
            throw error("invalid Unicode escape", token)
                .withHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.");
          }
          at += length;
          high = codePoint(code, high, out, token);
        }
        default -> out.write(b);
      }
    }
    if (high != 0) {
      throw error("invalid Unicode surrogate pair", token);
    }
    return decode(out.toByteArray());
  }

  private String unicode(int token, byte quote, char escape) {
    byte[] raw = unquote(starts[token] + 2, ends[token], quote);
    var out = new ByteArrayOutputStream(raw.length);
    char high = 0;
    for (int at = 0; at < raw.length; ) {
      byte b = raw[at++];
      if (b != escape) {
        if (high != 0) {
          throw error("invalid Unicode surrogate pair", token);
        }
        out.write(b);
      } else if (at < raw.length && raw[at] == escape) {
        out.write(escape);
        at++;
      } else {
        boolean six = at < raw.length && raw[at] == '+';
        int length = six ? 6 : 4;
        at += six ? 1 : 0;
        int code = hex(raw, at, length);
        if (code < 0) {
          throw error("invalid Unicode escape", token)
              .withHint("Unicode escapes must be \\XXXX or \\+XXXXXX.");
        }
        at += length;
        high = codePoint(code, high, out, token);
      }
    }
    if (high != 0) {
      throw error("invalid Unicode surrogate pair", token);
    }
    return decode(out.toByteArray());
  }

  /** The value of that many hexadecimal digits, -1 if there are fewer. */
  private static int hex(byte[] text, int at, int length) {
    int code = 0;
    for (int i = 0; i < length; i++) {
      int digit = at + i < text.length ? Character.digit(text[at + i], 16) : -1;
      if (digit < 0) {
        return -1;
      }
      code = code << 4 | digit;
    }
    return code & Integer.MAX_VALUE;
  }

  private char codePoint(int code, char high, ByteArrayOutputStream out, int token) {
    if (code == 0 || code < 0 || code > 0x10FFFF) {
      throw error("invalid Unicode escape value", token);
    }
    boolean isHigh = code >= 0xD800 && code < 0xDC00;
    boolean isLow = code >= 0xDC00 && code < 0xE000;
    if (isLow != (high != 0)) {
      throw error("invalid Unicode surrogate pair", token);
    }
    if (isHigh) {
      return (char) code;
    }
    int full = isLow ? Character.toCodePoint(high, (char) code) : code;
    out.writeBytes(Character.toString(full).getBytes(StandardCharsets.UTF_8));
    return 0;
  }

  /** The first bytes that are no character, as errors show them. */
  private static String wrong(byte[] bytes) {
    int from = 0;
    while (from < bytes.length && bytes[from] != 0) {
      int length = Integer.numberOfLeadingZeros(~(bytes[from] << 24));
      int size = length == 0 ? 1 : length;
      var one = ByteBuffer.wrap(bytes, from, Math.min(size, bytes.length - from));
      try {
        StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).decode(one);
      } catch (CharacterCodingException e) {
        var out = new StringBuilder();
        for (int i = from; i < Math.min(from + Math.max(1, size), bytes.length); i++) {
          out.append(i == from ? "" : " ").append(String.format("0x%02x", bytes[i]));
        }
        return out.toString();
      }
      from += size;
    }
    return "0x00";
  }

  private String decode(byte[] bytes) {
    try {
      for (byte b : bytes) {
        if (b == 0) {
          throw new CharacterCodingException();
        }
      }
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MillraceException(
          ErrorCode.CHARACTER_NOT_IN_REPERTOIRE,
          "invalid byte sequence for encoding \"UTF8\": " + wrong(bytes),
          e);
    }
  }

  // ---- helpers ----

  private MillraceException error(String what, int token) {
    return new MillraceException(
            ErrorCode.SYNTAX_ERROR, what + " at or near \"" + text(token) + "\"")
        .at(position(starts[token]));
  }

  private MillraceException syntaxError(int start, int end) {
    return new MillraceException(
            ErrorCode.SYNTAX_ERROR, "syntax error at or near \"" + slice(start, end) + "\"")
        .at(position(start));
  }

  private String slice(int start, int end) {
    return new String(sql, start, end - start, StandardCharsets.UTF_8);
  }

  private boolean is(int at, int b) {
    return at < limit && sql[at] == b;
  }

  private boolean isDigit(int at) {
    return at < limit && sql[at] >= '0' && sql[at] <= '9';
  }

  private static byte[] classes() {
    byte[] classes = new byte[128];
    for (char c = 'a'; c <= 'z'; c++) {
      classes[c] = LETTER;
      classes[c - 32] = LETTER;
    }
    classes['_'] = LETTER;
    for (char c = '0'; c <= '9'; c++) {
      classes[c] = DIGIT;
    }
    for (char c : "~!@#^&|`?+-*/%<>=".toCharArray()) {
      classes[c] = OP;
    }
    for (char c : " \t\n\r\f\u000b".toCharArray()) {
      classes[c] = BLANK;
    }
    return classes;
  }
}

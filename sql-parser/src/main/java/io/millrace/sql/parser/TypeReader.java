package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.PgTypeNameSpec;
import io.millrace.sql.parser.ast.TypeName;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * Reads type names: SQL's own spellings of several words, names with schema and modifiers, arrays.
 * Looks ahead over tokens without reading them, so that "type 'literal'" can be told from a column.
 */
final class TypeReader {
  private final Tokens tokens;
  private int at;

  TypeReader(Tokens tokens) {
    this.tokens = tokens;
  }

  /** Reads a type. */
  TypeName type() {
    at = tokens.peek().index;
    TypeName type = scan(true);
    if (type == null) {
      throw tokens.error(tokens.token(at));
    }
    tokens.skipTo(at);
    return type;
  }

  SqlDataTypeSpec typeSpec() {
    SqlParserPos pos = tokens.peek().pos();
    return spec(type(), pos);
  }

  static SqlDataTypeSpec spec(TypeName type, SqlParserPos pos) {
    return new SqlDataTypeSpec(new PgTypeNameSpec(type, pos), pos);
  }

  /**
   * The type that starts at the next token if a string literal follows it, which is then the next
   * token; null, and nothing read, for anything else.
   */
  @Nullable TypeName typeBeforeString() {
    at = tokens.peek().index;
    TypeName type = scan(false);
    if (type == null || !tokens.token(at).isString()) {
      return null;
    }
    tokens.skipTo(at);
    return type;
  }

  private SqlToken token() {
    return tokens.token(at);
  }

  private boolean take(String word) {
    if (token().isWord(word)) {
      at++;
      return true;
    }
    return false;
  }

  private boolean take(byte kind) {
    if (token().is(kind) && !token().isEnd()) {
      at++;
      return true;
    }
    return false;
  }

  private @Nullable TypeName scan(boolean arrays) {
    SqlToken first = token();
    boolean setOf = arrays && take("setof");
    SqlToken start = token();
    List<String> name = new ArrayList<>(2);
    List<String> modifiers = new ArrayList<>(2);
    String fields = null;
    if (start.kindInText == SqlLexer.WORD && !tokens.token(at + 1).is(SqlLexer.DOT)) {
      String own = builtIn(start.word(), modifiers);
      if (own != null) {
        name.add(own);
        if (own.equals("interval")) {
          fields = intervalFields(modifiers);
        }
      }
    }
    if (name.isEmpty()) {
      if (!isTypeName(start)) {
        return null;
      }
      at++;
      name.add(start.word());
      while (token().is(SqlLexer.DOT) && tokens.token(at + 1).isLabel()) {
        name.add(tokens.token(at + 1).word());
        at += 2;
      }
      if (!modifiers(modifiers)) {
        return null;
      }
      if (name.size() == 1 && name.get(0).equals("tinyint") && take("unsigned")) {
        name.set(0, "uint8");
      }
    }
    int dimensions = arrays ? arrayDimensions() : 0;
    return new TypeName(name, modifiers, dimensions, setOf, fields, first.beginColumn);
  }

  private static boolean isTypeName(SqlToken t) {
    return t.isQuoted()
        || (t.kindInText == SqlLexer.WORD
            && (t.keyword == null
                || t.keyword.category() == Keyword.Category.UNRESERVED
                || t.keyword.category() == Keyword.Category.TYPE_OR_FUNCTION));
  }

  /** PostgreSQL's name of a type that its grammar spells itself, reading it; null for another. */
  private @Nullable String builtIn(String word, List<String> modifiers) {
    switch (word) {
      case "int", "integer":
        at++;
        return take("unsigned") ? "uint32" : "int4";
      case "smallint":
        at++;
        return take("unsigned") ? "uint16" : "int2";
      case "bigint":
        at++;
        return take("unsigned") ? "uint64" : "int8";
      case "real":
        at++;
        return "float4";
      case "float":
        at++;
        List<String> bits = new ArrayList<>(1);
        if (!modifiers(bits)) {
          return null;
        }
        return !bits.isEmpty()
                && bits.get(0).matches("[0-9]{1,4}")
                && Integer.parseInt(bits.get(0)) <= 24
            ? "float4"
            : "float8";
      case "double":
        at++;
        take("precision");
        return "float8";
      case "dec", "decimal", "numeric":
        at++;
        return modifiers(modifiers) ? "numeric" : null;
      case "boolean":
        at++;
        return "bool";
      case "bit":
        at++;
        boolean varying = take("varying");
        return modifiers(modifiers) ? (varying ? "varbit" : "bit") : null;
      case "national":
        if (!tokens.token(at + 1).isWord("character") && !tokens.token(at + 1).isWord("char")) {
          return null;
        }
        at += 2;
        return character(modifiers);
      case "character", "char", "nchar":
        at++;
        return character(modifiers);
      case "varchar":
        at++;
        return modifiers(modifiers) ? "varchar" : null;
      case "timestamp", "time":
        at++;
        if (!modifiers(modifiers)) {
          return null;
        }
        if (token().isWord("with") && tokens.token(at + 1).isWord("time")) {
          at += 3;
          return word + "tz";
        }
        if (token().isWord("without") && tokens.token(at + 1).isWord("time")) {
          at += 3;
        }
        return word;
      case "interval":
        at++;
        return "interval";
      default:
        return null;
    }
  }

  private @Nullable String character(List<String> modifiers) {
    boolean varying = take("varying");
    return modifiers(modifiers) ? (varying ? "varchar" : "bpchar") : null;
  }

  /** (m, …) if a parenthesis is next; false if it holds what no modifier can be. */
  private boolean modifiers(List<String> out) {
    if (!take(SqlLexer.LEFT_PAREN)) {
      return true;
    }
    do {
      SqlToken t = token();
      boolean negative = t.isOperator("-");
      if (negative) {
        at++;
        t = token();
      }
      if (t.isNumber()) {
        out.add((negative ? "-" : "") + t.text());
      } else if (t.isString()) {
        out.add(t.lexer.string(t.lexed));
      } else if (t.isLabel()) {
        out.add(t.word());
      } else {
        return false;
      }
      at++;
    } while (take(SqlLexer.COMMA));
    return take(SqlLexer.RIGHT_PAREN);
  }

  private @Nullable String intervalFields(List<String> modifiers) {
    if (token().is(SqlLexer.LEFT_PAREN)) {
      modifiers(modifiers);
      return null;
    }
    String from = field();
    if (from == null) {
      return null;
    }
    String fields = from;
    if (token().isWord("to") && isField(tokens.token(at + 1))) {
      at++;
      String to = field();
      fields = from + " to " + to;
    }
    if (fields.endsWith("second")) {
      modifiers(modifiers);
    }
    return fields;
  }

  private @Nullable String field() {
    if (!isField(token())) {
      return null;
    }
    return tokens.token(at++).word();
  }

  static boolean isField(SqlToken t) {
    return t.kindInText == SqlLexer.WORD
        && switch (t.word()) {
          case "year", "month", "day", "hour", "minute", "second" -> true;
          default -> false;
        };
  }

  /** The fields behind an interval literal: INTERVAL '1' DAY. */
  @Nullable String literalFields(List<String> modifiers) {
    at = tokens.peek().index;
    String fields = intervalFields(modifiers);
    tokens.skipTo(at);
    return fields;
  }

  private int arrayDimensions() {
    int dimensions = 0;
    while (true) {
      if (token().is(SqlLexer.LEFT_BRACKET)) {
        if (tokens.token(at + 1).is(SqlLexer.RIGHT_BRACKET)) {
          at += 2;
        } else if (tokens.token(at + 1).isInteger()
            && tokens.token(at + 2).is(SqlLexer.RIGHT_BRACKET)) {
          at += 3;
        } else {
          return dimensions;
        }
        dimensions++;
      } else if (dimensions == 0 && token().isWord("array")) {
        at++;
        if (token().is(SqlLexer.LEFT_BRACKET) && tokens.token(at + 1).isInteger()) {
          at += 3;
        }
        return 1;
      } else {
        return dimensions;
      }
    }
  }
}

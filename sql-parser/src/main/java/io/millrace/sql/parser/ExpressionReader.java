package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.PgOperator;
import io.millrace.sql.parser.ast.PgQuantifiedOperator;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.parser.impl.ParseException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's expressions by precedence climbing: an operand, then operators as long as they bind
 * at least as tightly as asked. Levels, from loose to tight, are those of PostgreSQL's grammar.
 * Whether a parenthesis opens a query is decided by looking behind it (and behind the parentheses
 * that match), never by trying.
 */
final class ExpressionReader {
  private static final int OR = 1;
  private static final int AND = 2;
  private static final int NOT = 3;
  private static final int IS = 4;
  private static final int COMPARISON = 5;
  private static final int MATCH = 6; // BETWEEN IN LIKE ILIKE SIMILAR
  private static final int OTHER = 7; // every other operator
  private static final int SUM = 8;
  private static final int PRODUCT = 9;
  private static final int POWER = 10;
  private static final int AT_ZONE = 11;
  private static final int COLLATE = 12;
  private static final int UNARY = 13;

  private final Tokens tokens;
  private final TypeReader types;
  private final Readers readers;
  private int positionalParameters;

  ExpressionReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
    this.types = readers.types;
  }

  SqlNode expression() throws ParseException {
    return parse(0);
  }

  /** A span behind RANGE or ALIGN: a literal, parameter or cast, no operators. */
  SqlNode span() throws ParseException {
    return primary();
  }

  /** A call that stands for a table: without operators, casts and OVER. */
  SqlNode call() throws ParseException {
    SqlToken t = tokens.peek();
    if (t.keyword != null && t.keyword.category() == Keyword.Category.RESERVED
        || t.is(Keyword.CURRENT_SCHEMA) && !tokens.peek(1).is(SqlLexer.LEFT_PAREN)
        || t.is(Keyword.COLLATION) && tokens.peek(1).is(Keyword.FOR)) {
      return primary();
    }
    if (t.keyword != null && t.keyword.category() == Keyword.Category.COLUMN_NAME) {
      SqlNode special = special(t);
      if (special != null) {
        return special;
      }
    }
    return readers.calls.call(readers.queries.qualifiedLabel());
  }

  /** A constant behind FILL: an operand with its sign. */
  SqlNode fillConstant() throws ParseException {
    return parse(UNARY);
  }

  private SqlNode parse(int min) throws ParseException {
    return infix(operand(), min);
  }

  // ---- operators before an operand ----

  private SqlNode operand() throws ParseException {
    SqlToken t = tokens.peek();
    switch (t.kindInText) {
      case SqlLexer.OPERATOR:
        return prefix(t);
      case SqlLexer.WORD:
        if (t.keyword == Keyword.NOT) {
          tokens.next();
          return Nodes.call(SqlStdOperatorTable.NOT, t.pos(), parse(NOT));
        }
        if (t.keyword == Keyword.OPERATOR && isQualifiedOperator(t)) {
          PgOperator op = qualifiedOperator();
          return Nodes.call(op, t.pos(), parse(SUM));
        }
        return primary();
      default:
        return primary();
    }
  }

  private SqlNode prefix(SqlToken t) throws ParseException {
    String symbol = t.text();
    if (symbol.equals("?")) {
      return primary();
    }
    tokens.next();
    switch (symbol) {
      case "-":
        SqlNode value = parse(UNARY);
        return value instanceof SqlNumericLiteral number
            ? negate(number, t.pos())
            : Nodes.call(SqlStdOperatorTable.UNARY_MINUS, t.pos(), value);
      case "+":
        return Nodes.call(SqlStdOperatorTable.UNARY_PLUS, t.pos(), parse(UNARY));
      case "*", "/", "%", "^", "<", ">", "=", "<=", ">=", "<>", "!=":
        throw tokens.error(t);
      default:
        return Nodes.call(new PgOperator(null, symbol), t.pos(), parse(SUM));
    }
  }

  /** A minus sign before a number is part of it, as in PostgreSQL: -2147483648 fits int4. */
  private static SqlNode negate(SqlNumericLiteral number, SqlParserPos pos) {
    BigDecimal value = number.bigDecimalValue().negate();
    return number.getPrec() == null
        ? SqlLiteral.createApproxNumeric(value.toString(), pos)
        : SqlLiteral.createExactNumeric(value.toPlainString(), pos);
  }

  /** Whether OPERATOR ( [schema .] symbol ) stands here, and not a call or a name. */
  private boolean isQualifiedOperator(SqlToken t) {
    if (!tokens.token(t.index + 1).is(SqlLexer.LEFT_PAREN)) {
      return false;
    }
    int at = t.index + 2;
    while (tokens.token(at).isName() && tokens.token(at + 1).is(SqlLexer.DOT)) {
      at += 2;
    }
    return tokens.token(at).is(SqlLexer.OPERATOR) && tokens.token(at + 1).is(SqlLexer.RIGHT_PAREN);
  }

  private PgOperator qualifiedOperator() {
    tokens.next();
    tokens.expect(SqlLexer.LEFT_PAREN);
    List<String> schema = new ArrayList<>();
    while (!tokens.at(SqlLexer.OPERATOR)) {
      schema.add(tokens.name().text());
      tokens.expect(SqlLexer.DOT);
    }
    String symbol = tokens.next().text();
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return new PgOperator(schema.isEmpty() ? null : String.join(".", schema), symbol);
  }

  // ---- operators behind an operand ----

  private SqlNode infix(SqlNode first, int min) throws ParseException {
    SqlNode left = first;
    int max = Integer.MAX_VALUE; // comparisons do not associate
    while (true) {
      SqlToken t = tokens.peek();
      int level = level(t);
      if (level < min || level > max || level == 0) {
        if (level == COMPARISON && level >= min) {
          throw tokens.error(t);
        }
        return left;
      }
      max = level == COMPARISON ? IS : level < COMPARISON ? Integer.MAX_VALUE : max;
      left = t.is(SqlLexer.OPERATOR) ? symbol(left, t, level) : word(left, t);
    }
  }

  private int level(SqlToken t) {
    if (t.kindInText == SqlLexer.OPERATOR) {
      return levelOf(t.text());
    }
    if (t.keyword == null) {
      return 0;
    }
    return switch (t.keyword) {
      case OR -> OR;
      case AND -> AND;
      case IS, ISNULL, NOTNULL -> IS;
      case BETWEEN, IN, LIKE, ILIKE, SIMILAR -> MATCH;
      case NOT ->
          switch (tokens.peek(1).keyword) {
            case BETWEEN, IN, LIKE, ILIKE, SIMILAR -> MATCH;
            case null, default -> 0;
          };
      case OVERLAPS -> OTHER;
      case OPERATOR -> isQualifiedOperator(t) ? OTHER : 0;
      case AT -> tokens.peek(1).isWord("time") && tokens.peek(2).isWord("zone") ? AT_ZONE : 0;
      case COLLATE -> COLLATE;
      default -> 0;
    };
  }

  private static int levelOf(String symbol) {
    return switch (symbol) {
      case "=", "<", ">", "<=", ">=", "<>", "!=" -> COMPARISON;
      case "+", "-" -> SUM;
      case "*", "/", "%" -> PRODUCT;
      case "^" -> POWER;
      default -> OTHER;
    };
  }

  private SqlNode symbol(SqlNode left, SqlToken t, int level) throws ParseException {
    tokens.next();
    String symbol = t.text();
    SqlToken quantifier = tokens.peek();
    if (quantifier.kindInText == SqlLexer.WORD && tokens.peek(1).is(SqlLexer.LEFT_PAREN)) {
      if (quantifier.is(Keyword.ANY) || quantifier.is(Keyword.SOME) || quantifier.is(Keyword.ALL)) {
        return quantified(left, symbol, t);
      }
    }
    SqlNode right = parse(level + 1);
    SqlOperator op = standard(symbol);
    return Nodes.call(op == null ? new PgOperator(null, symbol) : op, t.pos(), left, right);
  }

  private static @Nullable SqlBinaryOperator standard(String symbol) {
    return switch (symbol) {
      case "=" -> SqlStdOperatorTable.EQUALS;
      case "<>", "!=" -> SqlStdOperatorTable.NOT_EQUALS;
      case "<" -> SqlStdOperatorTable.LESS_THAN;
      case "<=" -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case ">" -> SqlStdOperatorTable.GREATER_THAN;
      case ">=" -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      case "+" -> SqlStdOperatorTable.PLUS;
      case "-" -> SqlStdOperatorTable.MINUS;
      case "*" -> SqlStdOperatorTable.MULTIPLY;
      case "/" -> SqlStdOperatorTable.DIVIDE;
      case "%" -> SqlStdOperatorTable.PERCENT_REMAINDER;
      case "||" -> SqlStdOperatorTable.CONCAT;
      default -> null;
    };
  }

  /** ANY, SOME or ALL ( query or array ). */
  private SqlNode quantified(SqlNode left, String symbol, SqlToken at) throws ParseException {
    boolean all = tokens.next().is(Keyword.ALL);
    SqlNode right = queryOrExpressionInParens();
    SqlBinaryOperator standard = standard(symbol);
    SqlKind kind = standard == null ? SqlKind.OTHER : standard.kind;
    SqlOperator op =
        switch (kind) {
          case EQUALS,
              NOT_EQUALS,
              LESS_THAN,
              LESS_THAN_OR_EQUAL,
              GREATER_THAN,
              GREATER_THAN_OR_EQUAL ->
              all ? SqlStdOperatorTable.all(kind) : SqlStdOperatorTable.some(kind);
          default -> new PgQuantifiedOperator(symbol, all);
        };
    return Nodes.call(op, at.pos(), left, right);
  }

  private SqlNode queryOrExpressionInParens() throws ParseException {
    SqlToken open = tokens.peek();
    tokens.expect(SqlLexer.LEFT_PAREN);
    SqlNode node = isQuery(open.index) ? readers.query() : expression();
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return node;
  }

  private SqlNode word(SqlNode left, SqlToken t) throws ParseException {
    SqlParserPos pos = t.pos();
    switch (t.keyword) {
      case OR:
        tokens.next();
        return Nodes.call(SqlStdOperatorTable.OR, pos, left, parse(OR + 1));
      case AND:
        tokens.next();
        return Nodes.call(SqlStdOperatorTable.AND, pos, left, parse(AND + 1));
      case ISNULL:
        tokens.next();
        return Nodes.call(SqlStdOperatorTable.IS_NULL, pos, left);
      case NOTNULL:
        tokens.next();
        return Nodes.call(SqlStdOperatorTable.IS_NOT_NULL, pos, left);
      case IS:
        return is(left, t);
      case OVERLAPS:
        tokens.next();
        return Calls.function("overlaps", pos, rowParts(left, t), rowParts(parse(OTHER + 1), t));
      case OPERATOR:
        PgOperator op = qualifiedOperator();
        if (tokens.peek(1).is(SqlLexer.LEFT_PAREN)
            && (tokens.at(Keyword.ANY) || tokens.at(Keyword.SOME) || tokens.at(Keyword.ALL))) {
          return quantified(left, op.symbol(), t);
        }
        return Nodes.call(op, pos, left, parse(OTHER + 1));
      case AT:
        tokens.expect("at", "time", "zone");
        return Calls.function("timezone", pos, List.of(parse(AT_ZONE + 1), left), List.of());
      case COLLATE:
        tokens.next();
        return Nodes.call(PgSyntax.COLLATE, pos, left, readers.queries.qualifiedLabel());
      default:
        boolean negated = tokens.accept(Keyword.NOT);
        return match(left, negated, tokens.next());
    }
  }

  private List<SqlNode> rowParts(SqlNode row, SqlToken at) {
    if (row.getKind() == SqlKind.ROW
        && ((org.apache.calcite.sql.SqlCall) row).operandCount() == 2) {
      return ((org.apache.calcite.sql.SqlCall) row).getOperandList();
    }
    throw tokens.error(
        ErrorCode.SYNTAX_ERROR,
        "wrong number of parameters on left side of OVERLAPS expression",
        at);
  }

  private SqlNode match(SqlNode left, boolean not, SqlToken t) throws ParseException {
    SqlParserPos pos = t.pos();
    switch (t.keyword) {
      case IN:
        return in(left, not, pos);
      case BETWEEN:
        boolean symmetric = tokens.accept(Keyword.SYMMETRIC);
        if (!symmetric) {
          tokens.accept(Keyword.ASYMMETRIC);
        }
        SqlNode low = parse(OTHER);
        tokens.expect(Keyword.AND);
        SqlNode high = parse(OTHER);
        SqlOperator between =
            symmetric
                ? (not
                    ? SqlStdOperatorTable.SYMMETRIC_NOT_BETWEEN
                    : SqlStdOperatorTable.SYMMETRIC_BETWEEN)
                : (not ? SqlStdOperatorTable.NOT_BETWEEN : SqlStdOperatorTable.BETWEEN);
        return Nodes.call(between, pos, left, low, high);
      case SIMILAR:
        tokens.expect(Keyword.TO);
        return like(
            left, not ? SqlStdOperatorTable.NOT_SIMILAR_TO : SqlStdOperatorTable.SIMILAR_TO, pos);
      default:
        boolean caseless = t.is(Keyword.ILIKE);
        if (tokens.peek(1).is(SqlLexer.LEFT_PAREN)
            && (tokens.at(Keyword.ANY) || tokens.at(Keyword.SOME) || tokens.at(Keyword.ALL))) {
          return quantified(left, (not ? "not " : "") + (caseless ? "ilike" : "like"), t);
        }
        SqlOperator op =
            caseless
                ? (not ? SqlLibraryOperators.NOT_ILIKE : SqlLibraryOperators.ILIKE)
                : (not ? SqlStdOperatorTable.NOT_LIKE : SqlStdOperatorTable.LIKE);
        return like(left, op, pos);
    }
  }

  private SqlNode like(SqlNode left, SqlOperator op, SqlParserPos pos) throws ParseException {
    SqlNode pattern = parse(OTHER);
    return tokens.accept("escape")
        ? Nodes.call(op, pos, left, pattern, parse(OTHER))
        : Nodes.call(op, pos, left, pattern);
  }

  private SqlNode in(SqlNode left, boolean not, SqlParserPos pos) throws ParseException {
    SqlToken open = tokens.peek();
    tokens.expect(SqlLexer.LEFT_PAREN);
    SqlNode right;
    if (isQuery(open.index)) {
      right = readers.query();
    } else {
      right = new SqlNodeList(expressions(), open.pos());
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return Nodes.call(not ? SqlStdOperatorTable.NOT_IN : SqlStdOperatorTable.IN, pos, left, right);
  }

  private SqlNode is(SqlNode left, SqlToken t) throws ParseException {
    tokens.next();
    SqlParserPos pos = t.pos();
    boolean not = tokens.accept(Keyword.NOT);
    SqlToken what = tokens.next();
    SqlOperator op =
        switch (what.keyword) {
          case NULL -> not ? SqlStdOperatorTable.IS_NOT_NULL : SqlStdOperatorTable.IS_NULL;
          case TRUE -> not ? SqlStdOperatorTable.IS_NOT_TRUE : SqlStdOperatorTable.IS_TRUE;
          case FALSE -> not ? SqlStdOperatorTable.IS_NOT_FALSE : SqlStdOperatorTable.IS_FALSE;
          case UNKNOWN -> not ? SqlStdOperatorTable.IS_NOT_UNKNOWN : SqlStdOperatorTable.IS_UNKNOWN;
          case null, default -> null;
        };
    if (op != null) {
      return Nodes.call(op, pos, left);
    }
    if (what.is(Keyword.DISTINCT)) {
      tokens.expect(Keyword.FROM);
      return Nodes.call(
          not ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM : SqlStdOperatorTable.IS_DISTINCT_FROM,
          pos,
          left,
          parse(COMPARISON));
    }
    List<SqlNode> arguments = new ArrayList<>(List.of(left));
    if (what.kindInText == SqlLexer.WORD && what.word().matches("nfc|nfd|nfkc|nfkd")) {
      arguments.add(SqlLiteral.createCharString(what.word(), what.pos()));
      what = tokens.next();
    }
    if (!what.is(Keyword.NORMALIZED)) {
      throw tokens.error(what);
    }
    SqlNode call = Calls.function("is_normalized", pos, arguments, List.of());
    return not ? Nodes.call(SqlStdOperatorTable.NOT, pos, call) : call;
  }

  // ---- operands ----

  List<SqlNode> expressions() throws ParseException {
    List<SqlNode> list = new ArrayList<>();
    do {
      list.add(expression());
    } while (tokens.accept(SqlLexer.COMMA));
    return list;
  }

  /** Whether the parenthesis at this index holds a query and nothing else. */
  boolean isQuery(int open) {
    SqlToken t = tokens.token(open + 1);
    if (t.is(SqlLexer.LEFT_PAREN)) {
      if (!isQuery(open + 1)) {
        return false;
      }
      int close = tokens.match(open + 1);
      SqlToken behind = tokens.token(close + 1);
      if (behind.index == tokens.match(open)) {
        return true;
      }
      return switch (behind.keyword) {
        case UNION, INTERSECT, EXCEPT, ORDER, LIMIT, OFFSET, FETCH, FOR -> true;
        case null, default -> false;
      };
    }
    return startsQuery(t);
  }

  /** Whether a query, not in parentheses, starts at this token. */
  boolean startsQuery(SqlToken t) {
    return switch (t.keyword) {
      case SELECT, TABLE -> true;
      case WITH -> !tokens.token(t.index + 1).is(SqlLexer.LEFT_PAREN);
      case VALUES -> tokens.token(t.index + 1).is(SqlLexer.LEFT_PAREN);
      case null, default -> false;
    };
  }

  private SqlNode primary() throws ParseException {
    SqlToken t = tokens.peek();
    switch (t.kindInText) {
      case SqlLexer.INTEGER, SqlLexer.BIGINT, SqlLexer.NUMERIC:
        tokens.next();
        return postfix(number(t), false);
      case SqlLexer.STRING, SqlLexer.ESCAPE_STRING, SqlLexer.UNICODE_STRING, SqlLexer.DOLLAR_STRING:
        return postfix(string(), false);
      case SqlLexer.BIT_STRING:
        tokens.next();
        String digits = t.lexer.string(t.lexed);
        boolean hex = t.text().charAt(0) == 'x' || t.text().charAt(0) == 'X';
        return postfix(bits(digits, hex, t), false);
      case SqlLexer.PARAMETER:
        tokens.next();
        return postfix(new SqlDynamicParam(t.lexer.parameter(t.lexed) - 1, t.pos()), true);
      case SqlLexer.LEFT_PAREN:
        return postfix(parenthesized(t), true);
      case SqlLexer.QUOTED_IDENTIFIER, SqlLexer.WORD:
        return named(t);
      case SqlLexer.OPERATOR:
        if (t.isOperator("?")) {
          tokens.next();
          return postfix(new SqlDynamicParam(positionalParameters++, t.pos()), false);
        }
        throw tokens.error(t);
      default:
        throw tokens.error(t);
    }
  }

  private SqlNode bits(String digits, boolean hex, SqlToken t) {
    StringBuilder binary = new StringBuilder(digits.length() * (hex ? 4 : 1));
    for (int i = 0; i < digits.length(); i++) {
      int digit = Character.digit(digits.charAt(i), hex ? 16 : 2);
      if (digit < 0) {
        throw tokens.error(
            ErrorCode.INVALID_TEXT_REPRESENTATION,
            "\""
                + digits.charAt(i)
                + "\" is not a valid "
                + (hex ? "hexadecimal" : "binary")
                + " digit",
            t);
      }
      String part = Integer.toBinaryString(digit);
      binary.append("0".repeat(hex ? 4 - part.length() : 0)).append(part);
    }
    TypeName type =
        new TypeName(
            List.of("bit"),
            List.of(Integer.toString(binary.length())),
            0,
            false,
            null,
            t.beginColumn);
    return Nodes.call(
        SqlStdOperatorTable.CAST,
        t.pos(),
        SqlLiteral.createCharString(binary.toString(), t.pos()),
        TypeReader.spec(type, t.pos()));
  }

  static SqlLiteral number(SqlToken t) {
    String text = t.text().replace("_", "");
    if (t.kindInText != SqlLexer.NUMERIC || text.indexOf('e') < 0 && text.indexOf('E') < 0) {
      if (text.length() > 2 && text.charAt(0) == '0' && Character.isLetter(text.charAt(1))) {
        int radix =
            switch (text.charAt(1)) {
              case 'x', 'X' -> 16;
              case 'o', 'O' -> 8;
              default -> 2;
            };
        text = new BigInteger(text.substring(2), radix).toString();
      }
      if (text.endsWith(".")) {
        return SqlLiteral.createApproxNumeric(text.substring(0, text.length() - 1), t.pos());
      }
      return SqlLiteral.createExactNumeric(text, t.pos());
    }
    if (text.length() > 2 && (text.startsWith("0x") || text.startsWith("0X"))) {
      return SqlLiteral.createExactNumeric(
          new BigInteger(text.substring(2), 16).toString(), t.pos());
    }
    return SqlLiteral.createApproxNumeric(text, t.pos());
  }

  private SqlLiteral string() {
    SqlToken t = tokens.peek();
    return SqlLiteral.createCharString(tokens.string(), t.pos());
  }

  private SqlNode parenthesized(SqlToken open) throws ParseException {
    tokens.next();
    SqlNode node;
    if (isQuery(open.index)) {
      node = readers.query();
    } else {
      List<SqlNode> list = expressions();
      node = list.size() == 1 ? list.get(0) : Nodes.call(SqlStdOperatorTable.ROW, open.pos(), list);
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return node;
  }

  /**
   * Subscripts, casts and, where {@code fields} or behind a subscript, selections behind an
   * operand.
   */
  private SqlNode postfix(SqlNode first, boolean fields) throws ParseException {
    SqlNode node = first;
    boolean selectable = fields;
    while (true) {
      SqlToken t = tokens.peek();
      switch (t.kindInText) {
        case SqlLexer.CAST:
          tokens.next();
          node = Nodes.call(SqlLibraryOperators.INFIX_CAST, t.pos(), node, types.typeSpec());
          selectable = false;
          break;
        case SqlLexer.LEFT_BRACKET:
          node = subscript(node, t);
          selectable = true;
          break;
        case SqlLexer.DOT:
          if (!selectable) {
            throw tokens.error(t);
          }
          tokens.next();
          SqlNode field;
          if (tokens.acceptOperator("*")) {
            field = SqlIdentifier.star(tokens.last().pos());
          } else {
            SqlToken name = tokens.peek();
            tokens.label();
            field = new SqlIdentifier(name.word(), name.pos());
          }
          node = Nodes.call(SqlStdOperatorTable.DOT, t.pos(), node, field);
          break;
        default:
          return node;
      }
    }
  }

  private SqlNode subscript(SqlNode array, SqlToken open) throws ParseException {
    tokens.next();
    SqlNode low = null;
    if (!tokens.at(SqlLexer.COLON)) {
      low = expression();
      if (tokens.accept(SqlLexer.RIGHT_BRACKET)) {
        return Nodes.call(SqlStdOperatorTable.ITEM, open.pos(), array, low);
      }
    }
    tokens.expect(SqlLexer.COLON);
    SqlNode high = tokens.at(SqlLexer.RIGHT_BRACKET) ? null : expression();
    tokens.expect(SqlLexer.RIGHT_BRACKET);
    return Nodes.call(PgSyntax.SLICE, open.pos(), array, low, high);
  }

  // ---- words ----

  private SqlNode named(SqlToken t) throws ParseException {
    Keyword k = t.keyword;
    if (k != null && k.category() == Keyword.Category.RESERVED) {
      return reserved(t);
    }
    SqlToken second = tokens.peek(1);
    boolean call = second.is(SqlLexer.LEFT_PAREN);
    if (mayBeType(t, second)) {
      TypeName type = types.typeBeforeString();
      if (type != null) {
        return typed(type, t);
      }
    }
    if (k == Keyword.INTERVAL && second.isNumber() && TypeReader.isField(tokens.peek(2))) {
      tokens.skipTo(t.index + 3);
      TypeName interval =
          new TypeName(List.of("interval"), List.of(), 0, false, null, t.beginColumn);
      SqlNode span =
          SqlLiteral.createCharString(second.text() + " " + tokens.last().word(), second.pos());
      return postfix(
          Nodes.call(SqlStdOperatorTable.CAST, t.pos(), span, TypeReader.spec(interval, t.pos())),
          false);
    }
    if (k != null && k.category() == Keyword.Category.COLUMN_NAME && call) {
      SqlNode special = special(t);
      if (special != null) {
        return postfix(special, true);
      }
    }
    if (k == Keyword.CURRENT_SCHEMA && !call) {
      tokens.next();
      return postfix(Calls.function(k.word(), t.pos(), List.of(), List.of()), false);
    }
    if (k != null && k.category() == Keyword.Category.TYPE_OR_FUNCTION) {
      if (k == Keyword.COLLATION
          && second.is(Keyword.FOR)
          && tokens.peek(2).is(SqlLexer.LEFT_PAREN)) {
        tokens.skipTo(t.index + 3);
        SqlNode argument = expression();
        tokens.expect(SqlLexer.RIGHT_PAREN);
        return postfix(
            Calls.function("pg_collation_for", t.pos(), List.of(argument), List.of()), false);
      }
      if (!call && !second.is(SqlLexer.DOT)) {
        throw tokens.error(second);
      }
    }
    return nameOrCall(t);
  }

  private boolean mayBeType(SqlToken t, SqlToken second) {
    if (second.isString()) {
      return true;
    }
    if (second.is(SqlLexer.LEFT_PAREN)) {
      int close = tokens.match(second.index);
      SqlToken behind = tokens.token(close + 1);
      return behind.isString()
          || ((t.is(Keyword.TIMESTAMP) || t.is(Keyword.TIME))
              && (behind.isWord("with") || behind.isWord("without")));
    }
    if (second.is(SqlLexer.DOT)) {
      int at = second.index;
      while (tokens.token(at).is(SqlLexer.DOT) && tokens.token(at + 1).isLabel()) {
        at += 2;
      }
      return tokens.token(at).isString();
    }
    return second.is(SqlLexer.WORD)
        && switch (t.word()) {
          case "double",
              "character",
              "char",
              "national",
              "nchar",
              "timestamp",
              "time",
              "bit",
              "interval",
              "bigint",
              "int",
              "integer",
              "smallint" ->
              true;
          default -> false;
        };
  }

  private SqlNode typed(TypeName type, SqlToken t) throws ParseException {
    SqlLiteral text = string();
    TypeName full = type;
    if (type.name().equals(List.of("interval"))
        && type.fields() == null
        && TypeReader.isField(tokens.peek())) {
      List<String> modifiers = new ArrayList<>(type.modifiers());
      String fields = types.literalFields(modifiers);
      full = new TypeName(type.name(), modifiers, 0, false, fields, type.position());
    }
    return postfix(
        Nodes.call(SqlStdOperatorTable.CAST, t.pos(), text, TypeReader.spec(full, t.pos())), false);
  }

  private SqlNode reserved(SqlToken t) throws ParseException {
    SqlParserPos pos = t.pos();
    switch (t.keyword) {
      case NULL:
        tokens.next();
        return postfix(SqlLiteral.createNull(pos), false);
      case TRUE, FALSE:
        tokens.next();
        return postfix(SqlLiteral.createBoolean(t.is(Keyword.TRUE), pos), false);
      case DEFAULT:
        tokens.next();
        return Nodes.call(SqlStdOperatorTable.DEFAULT, pos);
      case CASE:
        return postfix(caseExpression(t), true);
      case CAST:
        tokens.next();
        tokens.expect(SqlLexer.LEFT_PAREN);
        SqlNode value = expression();
        tokens.expect(Keyword.AS);
        SqlNode cast = Nodes.call(SqlStdOperatorTable.CAST, pos, value, types.typeSpec());
        tokens.expect(SqlLexer.RIGHT_PAREN);
        return postfix(cast, true);
      case ARRAY:
        return postfix(array(t), true);
      case CURRENT_DATE, CURRENT_CATALOG, CURRENT_ROLE, CURRENT_USER, SESSION_USER, USER:
        tokens.next();
        return postfix(Calls.function(t.word(), pos, List.of(), List.of()), false);
      case CURRENT_TIME, CURRENT_TIMESTAMP, LOCALTIME, LOCALTIMESTAMP:
        tokens.next();
        List<SqlNode> precision = List.of();
        if (tokens.at(SqlLexer.LEFT_PAREN)) {
          tokens.next();
          SqlToken digits = tokens.peek();
          if (digits.is(SqlLexer.INTEGER)) {
            tokens.next();
            precision = List.of(number(digits));
          } else if (!digits.is(SqlLexer.RIGHT_PAREN)) {
            throw tokens.error(digits);
          }
          tokens.expect(SqlLexer.RIGHT_PAREN);
        }
        return postfix(Calls.function(t.word(), pos, precision, List.of()), false);
      default:
        throw tokens.error(t);
    }
  }

  private SqlNode caseExpression(SqlToken t) throws ParseException {
    tokens.next();
    SqlNode value = tokens.at(Keyword.WHEN) ? null : expression();
    List<SqlNode> whens = new ArrayList<>();
    List<SqlNode> thens = new ArrayList<>();
    do {
      tokens.expect(Keyword.WHEN);
      whens.add(expression());
      tokens.expect(Keyword.THEN);
      thens.add(expression());
    } while (tokens.at(Keyword.WHEN));
    SqlNode otherwise =
        tokens.accept(Keyword.ELSE) ? expression() : SqlLiteral.createNull(tokens.peek().pos());
    tokens.expect(Keyword.END);
    SqlParserPos pos = t.pos();
    return new SqlCase(
        pos, value, new SqlNodeList(whens, pos), new SqlNodeList(thens, pos), otherwise);
  }

  private SqlNode array(SqlToken t) throws ParseException {
    tokens.next();
    SqlToken open = tokens.peek();
    if (open.is(SqlLexer.LEFT_PAREN) && isQuery(open.index)) {
      tokens.next();
      SqlNode query = readers.query();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return Nodes.call(SqlStdOperatorTable.ARRAY_QUERY, t.pos(), query);
    }
    return arrayList(t);
  }

  private SqlNode arrayList(SqlToken at) throws ParseException {
    tokens.expect(SqlLexer.LEFT_BRACKET);
    List<SqlNode> elements = new ArrayList<>();
    if (!tokens.at(SqlLexer.RIGHT_BRACKET)) {
      do {
        SqlToken t = tokens.peek();
        elements.add(t.is(SqlLexer.LEFT_BRACKET) ? arrayList(t) : expression());
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(SqlLexer.RIGHT_BRACKET);
    return Nodes.call(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, at.pos(), elements);
  }

  /** Functions with a notation of their own; null, nothing read, where the call is a plain one. */
  private @Nullable SqlNode special(SqlToken t) throws ParseException {
    SqlParserPos pos = t.pos();
    switch (t.keyword) {
      case EXISTS:
        tokens.next();
        if (!isQuery(tokens.peek().index)) {
          throw tokens.error(tokens.peek(1));
        }
        return Nodes.call(SqlStdOperatorTable.EXISTS, pos, queryOrExpressionInParens());
      case ROW:
        tokens.next();
        tokens.next();
        List<SqlNode> fields = tokens.at(SqlLexer.RIGHT_PAREN) ? List.of() : expressions();
        tokens.expect(SqlLexer.RIGHT_PAREN);
        return Nodes.call(SqlStdOperatorTable.ROW, pos, fields);
      case EXTRACT:
        return extract(t);
      case POSITION:
        return position(t);
      case SUBSTRING:
        return substring(t);
      case OVERLAY:
        return overlay(t);
      case TRIM:
        return trim(t);
      case NORMALIZE:
        return normalize(t);
      case TREAT:
        tokens.skipTo(t.index + 2);
        SqlNode value = expression();
        tokens.expect(Keyword.AS);
        SqlNode cast = Nodes.call(SqlStdOperatorTable.CAST, pos, value, types.typeSpec());
        tokens.expect(SqlLexer.RIGHT_PAREN);
        return cast;
      default:
        return null;
    }
  }

  private @Nullable SqlNode extract(SqlToken t) throws ParseException {
    SqlToken field = tokens.peek(2);
    if (!tokens.peek(3).is(Keyword.FROM) || (!field.isLabel() && !field.isString())) {
      return null;
    }
    tokens.skipTo(field.index);
    String name = field.isString() ? tokens.string() : tokens.label().text();
    tokens.next();
    SqlNode source = expression();
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return Calls.function(
        "extract",
        t.pos(),
        List.of(SqlLiteral.createCharString(name, field.pos()), source),
        List.of());
  }

  private SqlNode position(SqlToken t) throws ParseException {
    tokens.skipTo(t.index + 2);
    SqlNode part = parse(OTHER);
    if (tokens.accept(Keyword.IN)) {
      SqlNode text = parse(OTHER);
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return Calls.function("position", t.pos(), List.of(text, part), List.of());
    }
    List<SqlNode> arguments = moreArguments(part);
    return Calls.function("position", t.pos(), arguments, List.of());
  }

  /** The rest of a plain argument list whose first argument has been read. */
  private List<SqlNode> moreArguments(SqlNode first) throws ParseException {
    List<SqlNode> arguments = new ArrayList<>(List.of(first));
    while (tokens.accept(SqlLexer.COMMA)) {
      arguments.add(expression());
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return arguments;
  }

  private @Nullable SqlNode substring(SqlToken t) throws ParseException {
    if (tokens.peek(2).is(SqlLexer.RIGHT_PAREN)) {
      return null;
    }
    tokens.skipTo(t.index + 2);
    SqlNode text = parse(OTHER);
    SqlNode from = null;
    SqlNode length = null;
    if (tokens.accept(Keyword.SIMILAR)) {
      SqlNode pattern = expression();
      tokens.expect("escape");
      SqlNode escape = expression();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return Calls.function("substring", t.pos(), List.of(text, pattern, escape), List.of());
    }
    while (true) {
      if (from == null && tokens.accept(Keyword.FROM)) {
        from = expression();
      } else if (length == null && tokens.accept(Keyword.FOR)) {
        length = expression();
      } else {
        break;
      }
    }
    if (from == null && length == null) {
      return Calls.function("substring", t.pos(), moreArguments(text), List.of());
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    List<SqlNode> arguments = new ArrayList<>(List.of(text));
    arguments.add(from == null ? SqlLiteral.createExactNumeric("1", t.pos()) : from);
    if (length != null) {
      arguments.add(length);
    }
    return Calls.function("substring", t.pos(), arguments, List.of());
  }

  private SqlNode overlay(SqlToken t) throws ParseException {
    tokens.skipTo(t.index + 2);
    SqlNode text = expression();
    if (!tokens.accept(Keyword.PLACING)) {
      return Calls.function("overlay", t.pos(), moreArguments(text), List.of());
    }
    List<SqlNode> arguments = new ArrayList<>(List.of(text, expression()));
    tokens.expect(Keyword.FROM);
    arguments.add(expression());
    if (tokens.accept(Keyword.FOR)) {
      arguments.add(expression());
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return Calls.function("overlay", t.pos(), arguments, List.of());
  }

  private SqlNode trim(SqlToken t) throws ParseException {
    tokens.skipTo(t.index + 2);
    String name = "btrim";
    if (tokens.accept(Keyword.LEADING)) {
      name = "ltrim";
    } else if (tokens.accept(Keyword.TRAILING)) {
      name = "rtrim";
    } else {
      tokens.accept(Keyword.BOTH);
    }
    if (tokens.accept(Keyword.FROM)) {
      return Calls.function(name, t.pos(), moreArguments(expression()), List.of());
    }
    SqlNode first = expression();
    if (!tokens.accept(Keyword.FROM)) {
      return Calls.function(name, t.pos(), moreArguments(first), List.of());
    }
    List<SqlNode> arguments = new ArrayList<>(moreArguments(expression()));
    arguments.add(first);
    return Calls.function(name, t.pos(), arguments, List.of());
  }

  private SqlNode normalize(SqlToken t) throws ParseException {
    tokens.skipTo(t.index + 2);
    List<SqlNode> arguments = new ArrayList<>(List.of(expression()));
    if (tokens.accept(SqlLexer.COMMA)) {
      SqlToken form = tokens.peek();
      arguments.add(
          form.isString()
              ? string()
              : SqlLiteral.createCharString(tokens.label().text(), form.pos()));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return Calls.function("normalize", t.pos(), arguments, List.of());
  }

  // ---- names and calls ----

  private SqlNode nameOrCall(SqlToken first) throws ParseException {
    tokens.next();
    List<String> names = new ArrayList<>(2);
    List<SqlParserPos> positions = new ArrayList<>(2);
    names.add(first.word());
    positions.add(first.pos());
    while (tokens.at(SqlLexer.DOT)) {
      tokens.next();
      SqlToken t = tokens.peek();
      if (t.isOperator("*")) {
        tokens.next();
        names.add("");
        positions.add(t.pos());
        SqlIdentifier star = SqlIdentifier.star(names, first.pos(), positions);
        return tokens.at(SqlLexer.CAST) ? postfix(star, false) : star;
      }
      tokens.label();
      names.add(t.word());
      positions.add(t.pos());
    }
    SqlIdentifier name = new SqlIdentifier(names, null, first.pos(), positions);
    if (!tokens.at(SqlLexer.LEFT_PAREN)) {
      return postfix(name, false);
    }
    if (first.isWord("try_cast") && name.isSimple()) {
      tokens.next();
      SqlNode value = expression();
      tokens.expect(Keyword.AS);
      SqlNode cast = Nodes.call(PgSyntax.TRY_CAST, first.pos(), value, types.typeSpec());
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return postfix(cast, true);
    }
    return postfix(readers.calls.around(readers.calls.call(name), first.pos()), true);
  }
}

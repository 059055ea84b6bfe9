package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.DmlNode;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.PgSyntax.LockStrength;
import io.millrace.sql.parser.ast.PgSyntax.LockWait;
import io.millrace.sql.parser.ast.PgWindow;
import io.millrace.sql.parser.ast.PgWindow.FrameMode;
import io.millrace.sql.parser.impl.ParseException;
import io.millrace.sql.parser.impl.QueryReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlInternalOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** The parts of a query that the grammar leaves to code by hand. */
final class QueryParts implements QueryReader {
  private final Readers readers;
  private final Tokens tokens;

  QueryParts(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  @Override
  public boolean at(String word) {
    return tokens.at(word);
  }

  @Override
  public boolean atSelectItem() {
    SqlToken t = tokens.peek();
    if (t.isEnd() || t.is(SqlLexer.RIGHT_PAREN) || t.is(SqlLexer.SEMICOLON)) {
      return false;
    }
    return switch (t.keyword) {
      case FROM,
          WHERE,
          GROUP,
          HAVING,
          WINDOW,
          UNION,
          INTERSECT,
          EXCEPT,
          ORDER,
          LIMIT,
          OFFSET,
          FETCH,
          FOR,
          INTO ->
          false;
      case null, default -> true;
    };
  }

  @Override
  public SqlParserPos position() {
    return tokens.peek().pos();
  }

  @Override
  public SqlNode expression() throws ParseException {
    return readers.expressions.expression();
  }

  // ---- names ----

  @Override
  public SqlIdentifier simpleName() {
    SqlToken t = tokens.peek();
    tokens.name();
    return new SqlIdentifier(t.word(), t.pos());
  }

  private SqlIdentifier label() {
    SqlToken t = tokens.peek();
    tokens.label();
    return new SqlIdentifier(t.word(), t.pos());
  }

  @Override
  public SqlIdentifier qualifiedName() {
    SqlToken first = tokens.peek();
    tokens.name();
    return restOfName(first);
  }

  /** As {@link #qualifiedName}, any word as the first part. */
  SqlIdentifier qualifiedLabel() {
    SqlToken first = tokens.peek();
    tokens.label();
    return restOfName(first);
  }

  private SqlIdentifier restOfName(SqlToken first) {
    List<String> names = new ArrayList<>(2);
    List<SqlParserPos> positions = new ArrayList<>(2);
    names.add(first.word());
    positions.add(first.pos());
    while (tokens.at(SqlLexer.DOT)) {
      tokens.next();
      SqlToken t = tokens.peek();
      tokens.label();
      names.add(t.word());
      positions.add(t.pos());
    }
    return new SqlIdentifier(names, null, first.pos(), positions);
  }

  @Override
  public SqlNodeList parenthesizedNames() {
    SqlToken open = tokens.expect(SqlLexer.LEFT_PAREN);
    List<SqlNode> names = new ArrayList<>();
    do {
      names.add(simpleName());
    } while (tokens.accept(SqlLexer.COMMA));
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return new SqlNodeList(names, open.pos());
  }

  @Override
  public SqlNodeList parenthesizedExpressions() throws ParseException {
    SqlToken open = tokens.expect(SqlLexer.LEFT_PAREN);
    List<SqlNode> list = readers.expressions.expressions();
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return new SqlNodeList(list, open.pos());
  }

  @Override
  public SqlIdentifier intoTarget() {
    if (!tokens.accept("temporary") && !tokens.accept("temp")) {
      tokens.accept("unlogged");
    }
    tokens.accept(Keyword.TABLE);
    return qualifiedName();
  }

  // ---- select list ----

  @Override
  public SqlNode selectItem() throws ParseException {
    SqlToken first = tokens.peek();
    if (first.isOperator("*")) {
      tokens.next();
      return SqlIdentifier.star(first.pos());
    }
    SqlNode e = expression();
    SqlToken t = tokens.peek();
    SqlIdentifier alias;
    if (tokens.accept(Keyword.AS)) {
      SqlToken name = tokens.peek();
      alias =
          name.isString()
              ? new SqlIdentifier(tokens.string(), name.pos().withQuoting(true))
              : label();
    } else if (t.isQuoted()
        || (t.is(SqlLexer.WORD)
            && (t.keyword == null || t.keyword.isBareLabel())
            && !startsAlign(t))) {
      alias = label();
    } else {
      return e;
    }
    return Nodes.call(SqlStdOperatorTable.AS, alias.getParserPosition(), e, alias);
  }

  SqlNodeList selectItems() throws ParseException {
    SqlParserPos pos = tokens.peek().pos();
    List<SqlNode> items = new ArrayList<>();
    do {
      items.add(selectItem());
    } while (tokens.accept(SqlLexer.COMMA));
    return new SqlNodeList(items, pos);
  }

  // ---- WITH ----

  @Override
  public SqlNode commonTable(boolean recursive) throws ParseException {
    SqlIdentifier name = simpleName();
    SqlNodeList columns = tokens.at(SqlLexer.LEFT_PAREN) ? parenthesizedNames() : null;
    tokens.expect(Keyword.AS);
    if (!tokens.accept("materialized")) {
      tokens.accept("not", "materialized");
    }
    SqlToken open = tokens.expect(SqlLexer.LEFT_PAREN);
    SqlNode query;
    SqlToken t = tokens.peek();
    if (readers.dml.at(t)) {
      query = new DmlNode(t.pos(), readers.dml.statement());
    } else if (readers.atQuery()) {
      query = readers.query();
    } else {
      throw tokens.error(tokens.token(open.index + 1));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    SqlToken behind = tokens.peek();
    if (behind.isWord("search") || behind.isWord("cycle")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          behind.word().toUpperCase(Locale.ROOT) + " is not supported in WITH RECURSIVE",
          behind);
    }
    return new SqlWithItem(
        name.getParserPosition(),
        name,
        columns,
        query,
        SqlLiteral.createBoolean(recursive, name.getParserPosition()));
  }

  @Override
  public SqlNode values() throws ParseException {
    SqlParserPos pos = tokens.next().pos();
    List<SqlNode> rows = new ArrayList<>();
    do {
      SqlToken open = tokens.expect(SqlLexer.LEFT_PAREN);
      List<SqlNode> row = readers.expressions.expressions();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      rows.add(Nodes.call(SqlStdOperatorTable.ROW, open.pos(), row));
    } while (tokens.accept(SqlLexer.COMMA));
    return Nodes.call(SqlStdOperatorTable.VALUES, pos, rows);
  }

  // ---- FROM ----

  @Override
  public SqlNode tableReference() throws ParseException {
    SqlToken t = tokens.peek();
    boolean lateral = tokens.accept(Keyword.LATERAL);
    SqlNode item;
    boolean function = false;
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      SqlToken open = tokens.next();
      if (readers.expressions.isQuery(open.index)) {
        item = readers.query();
      } else {
        item = tokens.parser.JoinedTable();
        if (!(item instanceof SqlJoin)) {
          throw tokens.error();
        }
      }
      tokens.expect(SqlLexer.RIGHT_PAREN);
    } else if (tokens.at("rows") && tokens.peek(1).is(Keyword.FROM)) {
      item = rowsFrom();
      function = true;
    } else if (startsCall()) {
      SqlParserPos pos = tokens.peek().pos();
      item = Nodes.call(SqlStdOperatorTable.COLLECTION_TABLE, pos, expressionCall());
      function = true;
    } else if (lateral) {
      tokens.name();
      throw tokens.error();
    } else {
      boolean only = tokens.accept(Keyword.ONLY);
      boolean parens = only && tokens.accept(SqlLexer.LEFT_PAREN);
      item = qualifiedName();
      if (parens) {
        tokens.expect(SqlLexer.RIGHT_PAREN);
      }
      tokens.acceptOperator("*");
    }
    if (function && tokens.peek().is(Keyword.WITH) && tokens.peek(1).isWord("ordinality")) {
      SqlParserPos pos = tokens.next().pos();
      tokens.next();
      item = Nodes.call(PgSyntax.WITH_ORDINALITY, pos, item);
    }
    if (lateral) {
      item = Nodes.call(SqlStdOperatorTable.LATERAL, t.pos(), item);
    }
    item = aliased(item, function);
    return tokens.at(Keyword.TABLESAMPLE) ? sample(item) : item;
  }

  /** A name and an opening parenthesis, or a word that is a call without one. */
  private boolean startsCall() {
    SqlToken t = tokens.peek();
    if (t.is(SqlLexer.WORD) && t.keyword != null) {
      switch (t.keyword) {
        case CURRENT_DATE,
        CURRENT_CATALOG,
        CURRENT_ROLE,
        CURRENT_USER,
        SESSION_USER,
        USER,
        CURRENT_TIME,
        CURRENT_TIMESTAMP,
        LOCALTIME,
        LOCALTIMESTAMP,
        CAST:
          return true;
        case CURRENT_SCHEMA:
          return true;
        case COLLATION:
          return tokens.peek(1).is(Keyword.FOR);
        default:
          break;
      }
      if (t.keyword.category() == Keyword.Category.RESERVED) {
        return false;
      }
    }
    if (!t.isLabel()) {
      return false;
    }
    int n = 1;
    while (tokens.peek(n).is(SqlLexer.DOT) && tokens.peek(n + 1).isLabel()) {
      n += 2;
    }
    return tokens.peek(n).is(SqlLexer.LEFT_PAREN);
  }

  /** A call as a table: no operators, casts or OVER behind it. */
  private SqlNode expressionCall() throws ParseException {
    return readers.expressions.call();
  }

  private SqlNode rowsFrom() throws ParseException {
    SqlParserPos pos = tokens.peek().pos();
    tokens.skipTo(tokens.peek().index + 2);
    tokens.expect(SqlLexer.LEFT_PAREN);
    List<SqlNode> calls = new ArrayList<>();
    do {
      SqlNode call = expressionCall();
      if (tokens.at(Keyword.AS)) {
        SqlParserPos as = tokens.next().pos();
        List<SqlNode> parts = new ArrayList<>(List.of(call));
        aliasColumns(parts, true);
        call = Nodes.call(SqlStdOperatorTable.AS, as, parts);
      }
      calls.add(call);
    } while (tokens.accept(SqlLexer.COMMA));
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return Nodes.call(PgSyntax.ROWS_FROM, pos, calls);
  }

  private SqlNode aliased(SqlNode item, boolean function) throws ParseException {
    SqlToken t = tokens.peek();
    SqlParserPos pos;
    List<SqlNode> parts = new ArrayList<>();
    parts.add(item);
    if (tokens.accept(Keyword.AS)) {
      pos = t.pos();
      SqlToken name = tokens.peek();
      if (function && name.is(SqlLexer.LEFT_PAREN)) {
        // AS (a int, b text): the columns' types only, the function's name stays the alias.
        parts.add(new SqlIdentifier("", name.pos()));
      } else {
        parts.add(simpleName());
      }
    } else if (t.isName() && !startsAlign(t)) {
      pos = t.pos();
      parts.add(simpleName());
    } else {
      return item;
    }
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      aliasColumns(parts, function);
    }
    return Nodes.call(SqlStdOperatorTable.AS, pos, parts);
  }

  private void aliasColumns(List<SqlNode> parts, boolean typed) throws ParseException {
    tokens.expect(SqlLexer.LEFT_PAREN);
    do {
      SqlIdentifier column = simpleName();
      if (typed && !tokens.at(SqlLexer.COMMA) && !tokens.at(SqlLexer.RIGHT_PAREN)) {
        SqlNode type = readers.types.typeSpec();
        if (tokens.accept(Keyword.COLLATE)) {
          qualifiedLabel();
        }
        parts.add(Nodes.call(PgSyntax.COLUMN_DEFINITION, column.getParserPosition(), column, type));
      } else {
        parts.add(column);
      }
    } while (tokens.accept(SqlLexer.COMMA));
    tokens.expect(SqlLexer.RIGHT_PAREN);
  }

  private SqlNode sample(SqlNode item) throws ParseException {
    SqlParserPos pos = tokens.next().pos();
    SqlIdentifier method = qualifiedName();
    SqlToken open = tokens.expect(SqlLexer.LEFT_PAREN);
    SqlNodeList arguments = new SqlNodeList(readers.expressions.expressions(), open.pos());
    tokens.accept("percent");
    tokens.expect(SqlLexer.RIGHT_PAREN);
    SqlNode seed = null;
    if (tokens.accept("repeatable")) {
      tokens.expect(SqlLexer.LEFT_PAREN);
      seed = expression();
      tokens.expect(SqlLexer.RIGHT_PAREN);
    }
    return Nodes.call(PgSyntax.TABLESAMPLE, pos, item, method, arguments, seed);
  }

  // ---- GROUP BY, windows, range queries ----

  @Override
  public SqlNodeList groupBy() throws ParseException {
    tokens.expect("by");
    SqlParserPos pos = tokens.peek().pos();
    boolean distinct = tokens.accept(Keyword.DISTINCT);
    if (!distinct) {
      tokens.accept(Keyword.ALL);
    }
    List<SqlNode> elements = groupingElements();
    if (distinct) {
      return SqlNodeList.of(Nodes.call(SqlInternalOperators.GROUP_BY_DISTINCT, pos, elements));
    }
    return new SqlNodeList(elements, pos);
  }

  private List<SqlNode> groupingElements() throws ParseException {
    List<SqlNode> elements = new ArrayList<>();
    do {
      elements.add(groupingElement());
    } while (tokens.accept(SqlLexer.COMMA));
    return elements;
  }

  private SqlNode groupingElement() throws ParseException {
    SqlToken t = tokens.peek();
    boolean parens = tokens.peek(1).is(SqlLexer.LEFT_PAREN);
    if (t.is(SqlLexer.LEFT_PAREN) && tokens.peek(1).is(SqlLexer.RIGHT_PAREN)) {
      tokens.skipTo(t.index + 2);
      return new SqlNodeList(t.pos());
    }
    if (tokens.at("grouping", "sets")) {
      tokens.skipTo(t.index + 2);
      tokens.expect(SqlLexer.LEFT_PAREN);
      List<SqlNode> sets = groupingElements();
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return Nodes.call(SqlStdOperatorTable.GROUPING_SETS, t.pos(), sets);
    }
    if (parens && (t.is(Keyword.ROLLUP) || t.is(Keyword.CUBE))) {
      tokens.next();
      SqlNodeList list = parenthesizedExpressions();
      return Nodes.call(
          t.is(Keyword.ROLLUP) ? SqlStdOperatorTable.ROLLUP : SqlStdOperatorTable.CUBE,
          t.pos(),
          list.getList());
    }
    return expression();
  }

  @Override
  public SqlNodeList windows() throws ParseException {
    List<SqlNode> windows = new ArrayList<>();
    SqlParserPos pos = tokens.peek().pos();
    do {
      SqlIdentifier name = simpleName();
      tokens.expect(Keyword.AS);
      SqlWindow window = windowSpecification();
      window.setDeclName(name);
      windows.add(window);
    } while (tokens.accept(SqlLexer.COMMA));
    return new SqlNodeList(windows, pos);
  }

  SqlWindow windowSpecification() throws ParseException {
    SqlParserPos pos = tokens.peek().pos();
    tokens.expect(SqlLexer.LEFT_PAREN);
    SqlIdentifier base = null;
    SqlToken t = tokens.peek();
    if (t.isName()
        && !tokens.at("partition", "by")
        && !((tokens.at("rows") || tokens.at("range") || tokens.at("groups")) && startsFrame())) {
      base = simpleName();
    }
    SqlNodeList partition = SqlNodeList.EMPTY;
    if (tokens.accept("partition", "by")) {
      partition = new SqlNodeList(readers.expressions.expressions(), tokens.last().pos());
    }
    SqlNodeList order = tokens.at(Keyword.ORDER) ? orderBy() : SqlNodeList.EMPTY;
    FrameMode mode =
        tokens.accept("rows")
            ? FrameMode.ROWS
            : tokens.accept("range")
                ? FrameMode.RANGE
                : tokens.accept("groups") ? FrameMode.GROUPS : FrameMode.NONE;
    SqlNode low = null;
    SqlNode high = null;
    SqlLiteral exclude = SqlWindow.createExcludeNoOthers(pos);
    if (mode != FrameMode.NONE) {
      if (tokens.accept("between")) {
        low = bound();
        tokens.expect(Keyword.AND);
        high = bound();
      } else {
        low = bound();
      }
      exclude = exclusion(exclude);
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return new PgWindow(pos, base, partition, order, mode, low, high, exclude);
  }

  /** Whether a frame's bound stands behind the next word, so that the word is its mode. */
  private boolean startsFrame() {
    SqlToken t = tokens.peek(1);
    return !(t.is(SqlLexer.RIGHT_PAREN)
        || t.is(Keyword.ORDER)
        || (t.isWord("partition") && tokens.peek(2).isWord("by"))
        || t.isWord("rows")
        || t.isWord("range")
        || t.isWord("groups"));
  }

  private SqlNode bound() throws ParseException {
    SqlParserPos pos = tokens.peek().pos();
    if (tokens.accept("current", "row")) {
      return SqlWindow.createCurrentRow(pos);
    }
    if (tokens.at("unbounded", "preceding") || tokens.at("unbounded", "following")) {
      tokens.next();
      return tokens.oneOf("preceding", "following").equals("preceding")
          ? SqlWindow.createUnboundedPreceding(pos)
          : SqlWindow.createUnboundedFollowing(pos);
    }
    SqlNode offset = expression();
    return tokens.oneOf("preceding", "following").equals("preceding")
        ? SqlWindow.createPreceding(offset, pos)
        : SqlWindow.createFollowing(offset, pos);
  }

  private SqlLiteral exclusion(SqlLiteral none) {
    if (!tokens.accept("exclude")) {
      return none;
    }
    SqlParserPos pos = tokens.peek().pos();
    if (tokens.accept("current", "row")) {
      return SqlWindow.createExcludeCurrentRow(pos);
    }
    if (tokens.accept(Keyword.GROUP)) {
      return SqlWindow.createExcludeGroup(pos);
    }
    if (tokens.accept("ties")) {
      return SqlWindow.createExcludeTies(pos);
    }
    tokens.expect("no", "others");
    return none;
  }

  /** Whether this word begins an ALIGN clause and is no alias, be it one with names of columns. */
  private boolean startsAlign(SqlToken t) {
    SqlToken next = tokens.token(t.index + 1);
    if (!t.isWord("align") || !readers.calls.startsSpan(next)) {
      return false;
    }
    SqlToken behind = tokens.token(t.index + 3);
    return !(next.is(SqlLexer.LEFT_PAREN)
        && tokens.token(t.index + 2).isName()
        && (behind.is(SqlLexer.COMMA) || behind.is(SqlLexer.RIGHT_PAREN)));
  }

  @Override
  public SqlNode align() throws ParseException {
    SqlParserPos pos = tokens.next().pos();
    SqlNode span = readers.expressions.span();
    SqlNode to = null;
    if (tokens.accept(Keyword.TO)) {
      to =
          tokens.at("now") && !tokens.peek(1).is(SqlLexer.LEFT_PAREN) || tokens.at("calendar")
              ? simpleName()
              : readers.expressions.span();
    }
    SqlNodeList by = null;
    if (tokens.at("by")) {
      tokens.next();
      SqlToken open = tokens.peek();
      if (tokens.peek(1).is(SqlLexer.RIGHT_PAREN)) {
        tokens.expect(SqlLexer.LEFT_PAREN);
        tokens.next();
        by = new SqlNodeList(open.pos());
      } else {
        by = parenthesizedExpressions();
      }
    }
    SqlNode fill = readers.calls.optionalFill();
    SqlNode having = tokens.accept(Keyword.HAVING) ? readers.expression() : null;
    return Nodes.call(PgSyntax.ALIGN, pos, span, to, by, fill, having);
  }

  // ---- ORDER BY, limits, locking ----

  SqlNodeList orderBy() throws ParseException {
    SqlParserPos pos = tokens.expect(Keyword.ORDER).pos();
    tokens.expect("by");
    List<SqlNode> items = new ArrayList<>();
    do {
      items.add(orderItem());
    } while (tokens.accept(SqlLexer.COMMA));
    return new SqlNodeList(items, pos);
  }

  private SqlNode orderItem() throws ParseException {
    SqlNode e = expression();
    SqlParserPos pos = e.getParserPosition();
    if (tokens.accept(Keyword.DESC)) {
      e = Nodes.call(SqlStdOperatorTable.DESC, pos, e);
    } else if (tokens.accept(Keyword.USING)) {
      SqlToken op = tokens.next();
      if (op.isOperator(">") || op.isOperator("~>~")) {
        e = Nodes.call(SqlStdOperatorTable.DESC, pos, e);
      } else if (!op.isOperator("<") && !op.isOperator("~<~")) {
        throw tokens.error(
            ErrorCode.WRONG_OBJECT_TYPE,
            "operator " + op.text() + " is not a valid ordering operator",
            op);
      }
    } else {
      tokens.accept(Keyword.ASC);
    }
    if (tokens.accept("nulls", "first")) {
      return Nodes.call(SqlStdOperatorTable.NULLS_FIRST, pos, e);
    }
    if (tokens.accept("nulls", "last")) {
      return Nodes.call(SqlStdOperatorTable.NULLS_LAST, pos, e);
    }
    return e;
  }

  @Override
  public SqlNode orderAndLimit(SqlNode query) throws ParseException {
    SqlNodeList order = tokens.at(Keyword.ORDER) ? orderBy() : null;
    SqlNode offset = null;
    SqlNode fetch = null;
    boolean limited = false;
    List<SqlNode> locks = new ArrayList<>();
    while (true) {
      SqlToken t = tokens.peek();
      if (t.is(Keyword.LIMIT) && !limited) {
        tokens.next();
        limited = true;
        if (!tokens.accept(Keyword.ALL)) {
          fetch = expression();
          if (offset == null && tokens.accept(SqlLexer.COMMA)) {
            offset = fetch;
            fetch = expression();
          }
        }
      } else if (t.is(Keyword.FETCH) && !limited) {
        limited = true;
        fetch = fetch();
      } else if (t.is(Keyword.OFFSET) && offset == null) {
        tokens.next();
        offset = expression();
        if (!tokens.accept("row")) {
          tokens.accept("rows");
        }
      } else if (t.is(Keyword.FOR)) {
        locks.add(locking());
      } else {
        break;
      }
    }
    if (!locks.isEmpty()) {
      lock(query, new SqlNodeList(locks, locks.get(0).getParserPosition()));
    }
    if (order == null && offset == null && fetch == null) {
      return query;
    }
    return new SqlOrderBy(
        query.getParserPosition(), query, order == null ? SqlNodeList.EMPTY : order, offset, fetch);
  }

  private SqlNode fetch() throws ParseException {
    SqlParserPos pos = tokens.next().pos();
    tokens.oneOf("first", "next");
    SqlNode count =
        tokens.at("row") || tokens.at("rows")
            ? SqlLiteral.createExactNumeric("1", pos)
            : readers.expressions.span();
    tokens.oneOf("row", "rows");
    if (tokens.accept(Keyword.ONLY)) {
      return count;
    }
    tokens.expect(Keyword.WITH);
    tokens.expect("ties");
    return Nodes.call(PgSyntax.WITH_TIES, pos, count);
  }

  private SqlNode locking() {
    SqlParserPos pos = tokens.next().pos();
    if (tokens.accept("read")) {
      tokens.expect(Keyword.ONLY);
      return Nodes.call(PgSyntax.LOCKING, pos);
    }
    LockStrength strength;
    if (tokens.accept("update")) {
      strength = LockStrength.UPDATE;
    } else if (tokens.accept("no", "key", "update")) {
      strength = LockStrength.NO_KEY_UPDATE;
    } else if (tokens.accept("key", "share")) {
      strength = LockStrength.KEY_SHARE;
    } else {
      tokens.expect("share");
      strength = LockStrength.SHARE;
    }
    List<SqlNode> of = new ArrayList<>();
    if (tokens.accept("of")) {
      do {
        of.add(qualifiedName());
      } while (tokens.accept(SqlLexer.COMMA));
    }
    LockWait wait =
        tokens.accept("nowait")
            ? LockWait.NOWAIT
            : tokens.accept("skip", "locked") ? LockWait.SKIP_LOCKED : LockWait.WAIT;
    return Nodes.call(
        PgSyntax.LOCKING,
        pos,
        SqlLiteral.createSymbol(strength, pos),
        new SqlNodeList(of, pos),
        SqlLiteral.createSymbol(wait, pos));
  }

  private void lock(SqlNode query, SqlNodeList locks) {
    List<SqlNode> real = new ArrayList<>();
    for (SqlNode lock : locks) {
      if (((org.apache.calcite.sql.SqlCall) lock).operandCount() > 0) {
        real.add(lock);
      }
    }
    if (real.isEmpty()) {
      return;
    }
    SqlNode inner = query;
    while (inner instanceof SqlWith || inner instanceof SqlOrderBy) {
      inner = inner instanceof SqlWith with ? with.body : ((SqlOrderBy) inner).query;
    }
    if (inner instanceof PgSelect select) {
      if (select.locking() != null) {
        real.addAll(0, select.locking().getList());
      }
      select.setLocking(new SqlNodeList(real, locks.getParserPosition()));
    } else {
      throw new io.millrace.common.error.MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "FOR UPDATE is not allowed with "
                  + (inner.getKind() == SqlKind.VALUES ? "VALUES" : "UNION/INTERSECT/EXCEPT"))
          .at(locks.getParserPosition().getColumnNum());
    }
  }

  @Nullable SqlNodeList returning() throws ParseException {
    return tokens.accept(Keyword.RETURNING) ? selectItems() : null;
  }
}

package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedList;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.Assignment;
import io.millrace.sql.parser.ast.Statement.MergeAction;
import io.millrace.sql.parser.ast.Statement.MergeWhen;
import io.millrace.sql.parser.ast.Statement.OnConflict;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;

/** Reads INSERT, REPLACE, UPDATE, DELETE and MERGE. */
final class DmlReader {
  private final Readers readers;
  private final Tokens tokens;

  DmlReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  /** Whether a statement that modifies data starts at this token. */
  boolean at(SqlToken t) {
    return switch (t.keyword) {
      case INSERT, UPDATE, DELETE -> true;
      case REPLACE, MERGE -> tokens.token(t.index + 1).is(Keyword.INTO);
      case null, default -> false;
    };
  }

  /** Whether the WITH at the next token belongs to such a statement. */
  boolean atWith() {
    int i = tokens.peek().index + 1;
    if (tokens.token(i).is(Keyword.RECURSIVE)) {
      i++;
    }
    while (true) {
      i++; // the name
      if (tokens.token(i).is(SqlLexer.LEFT_PAREN)) {
        i = tokens.match(i) + 1;
      }
      i++; // AS
      while (tokens.token(i).is(SqlLexer.WORD)) {
        i++; // NOT MATERIALIZED
      }
      if (!tokens.token(i).is(SqlLexer.LEFT_PAREN)) {
        return false;
      }
      i = tokens.match(i) + 1;
      if (!tokens.token(i).is(SqlLexer.COMMA)) {
        return at(tokens.token(i));
      }
      i++;
    }
  }

  Statement statement() throws ParseException {
    ParsedList with = null;
    SqlToken first = tokens.peek();
    if (first.is(Keyword.WITH)) {
      SqlNodeList items = tokens.parser.WithList();
      with = new ParsedList(items, tokens.textFrom(first));
    }
    if (tokens.accept("insert")) {
      return insert(with, false);
    }
    if (tokens.accept("replace")) {
      return insert(with, true);
    }
    if (tokens.accept("update")) {
      return update(with);
    }
    if (tokens.accept("merge")) {
      return merge(with);
    }
    tokens.expect("delete");
    return delete(with);
  }

  private Statement insert(@Nullable ParsedList with, boolean replace) throws ParseException {
    tokens.expect(Keyword.INTO);
    tokens.accept(Keyword.TABLE);
    QualifiedName table = tokens.qualifiedName();
    Name alias = tokens.accept(Keyword.AS) ? tokens.name() : null;
    List<Name> columns = List.of();
    if (tokens.at(SqlLexer.LEFT_PAREN) && !readers.atQuery()) {
      columns = columns();
    }
    String overriding = overriding();
    ParsedQuery source = null;
    if (tokens.at(Keyword.DEFAULT)) {
      tokens.next();
      tokens.expect("values");
    } else {
      if (!readers.atQuery() && !tokens.at("values")) {
        throw tokens.error();
      }
      source = readers.parsedQuery();
    }
    OnConflict onConflict = null;
    if (tokens.peek().is(Keyword.ON) && tokens.peek(1).isWord("conflict")) {
      tokens.skipTo(tokens.peek().index + 2);
      onConflict = onConflict();
    }
    return new Statement.Insert(
        with, table, alias, columns, overriding, source, replace, onConflict, returning());
  }

  private List<Name> columns() {
    tokens.expect(SqlLexer.LEFT_PAREN);
    List<Name> columns = new ArrayList<>();
    if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      do {
        columns.add(tokens.name());
        wholeColumn();
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return columns;
  }

  /** Elements of arrays and fields of records cannot be assigned: columns are stored whole. */
  private void wholeColumn() {
    if (tokens.at(SqlLexer.LEFT_BRACKET) || tokens.at(SqlLexer.DOT)) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "assigning to a part of a column is not supported",
          tokens.last());
    }
  }

  private OnConflict onConflict() throws ParseException {
    List<Name> columns = new ArrayList<>();
    ParsedExpression targetWhere = null;
    String constraint = null;
    if (tokens.at(SqlLexer.LEFT_PAREN)) {
      tokens.next();
      do {
        SqlToken key = tokens.peek();
        SqlNode e = readers.expression();
        while (e instanceof SqlCall call && call.getOperator() == PgSyntax.COLLATE) {
          e = call.operand(0);
        }
        if (!(e instanceof SqlIdentifier id) || !id.isSimple()) {
          throw tokens.error(
              ErrorCode.INVALID_COLUMN_REFERENCE,
              "there is no unique or exclusion constraint matching the ON CONFLICT specification",
              key);
        }
        columns.add(new Name(id.getSimple(), key.beginColumn));
        if (tokens.peek().isName()) {
          tokens.qualifiedName(); // an operator class
        }
      } while (tokens.accept(SqlLexer.COMMA));
      tokens.expect(SqlLexer.RIGHT_PAREN);
      if (tokens.accept(Keyword.WHERE)) {
        targetWhere = readers.parsedExpression();
      }
    } else if (tokens.accept(Keyword.ON)) {
      tokens.expect(Keyword.CONSTRAINT);
      constraint = tokens.name().text();
    }
    tokens.expect(Keyword.DO);
    if (tokens.accept("nothing")) {
      return new OnConflict(columns, targetWhere, constraint, true, List.of(), null);
    }
    SqlToken update = tokens.peek();
    tokens.expect("update");
    if (columns.isEmpty() && constraint == null) {
      throw tokens.error(
          ErrorCode.SYNTAX_ERROR,
          "ON CONFLICT DO UPDATE requires inference specification or constraint name",
          update);
    }
    tokens.expect("set");
    List<Assignment> assignments = assignments();
    ParsedExpression where = tokens.accept(Keyword.WHERE) ? readers.parsedExpression() : null;
    return new OnConflict(columns, targetWhere, constraint, false, assignments, where);
  }

  private List<Assignment> assignments() throws ParseException {
    List<Assignment> list = new ArrayList<>();
    do {
      boolean row = tokens.at(SqlLexer.LEFT_PAREN);
      List<Name> columns = row ? tokens.parenthesizedNames() : List.of(column());
      tokens.expectOperator("=");
      list.add(new Assignment(columns, row, readers.parsedExpression()));
    } while (tokens.accept(SqlLexer.COMMA));
    return list;
  }

  /** A column to set, perhaps behind its table's name as some clients write it. */
  private Name column() {
    Name name = tokens.name();
    while (tokens.accept(SqlLexer.DOT)) {
      name = tokens.label();
    }
    wholeColumn();
    return name;
  }

  private Statement update(@Nullable ParsedList with) throws ParseException {
    QualifiedName table = target();
    Name alias = null;
    if (tokens.accept(Keyword.AS)) {
      alias = tokens.name();
    } else if (tokens.peek().isName() && !tokens.at("set")) {
      alias = tokens.name();
    }
    tokens.expect("set");
    List<Assignment> assignments = assignments();
    ParsedExpression from = tokens.accept(Keyword.FROM) ? from() : null;
    return new Statement.Update(with, table, alias, assignments, from, where(), returning());
  }

  private Statement delete(@Nullable ParsedList with) throws ParseException {
    tokens.expect(Keyword.FROM);
    QualifiedName table = target();
    Name alias = null;
    if (tokens.accept(Keyword.AS) || tokens.peek().isName()) {
      alias = tokens.name();
    }
    ParsedExpression using = tokens.accept(Keyword.USING) ? from() : null;
    return new Statement.Delete(with, table, alias, using, where(), returning());
  }

  // ---- MERGE ----

  private Statement merge(@Nullable ParsedList with) throws ParseException {
    tokens.expect(Keyword.INTO);
    QualifiedName table = target();
    Name alias = null;
    if (tokens.accept(Keyword.AS) || tokens.peek().isName()) {
      alias = tokens.name();
    }
    tokens.expect(Keyword.USING);
    SqlToken first = tokens.peek();
    SqlNode node = tokens.parser.JoinedTable();
    var using = new ParsedExpression(node, tokens.textFrom(first), first.beginColumn);
    tokens.expect(Keyword.ON);
    ParsedExpression on = readers.parsedExpression();
    List<MergeWhen> clauses = new ArrayList<>();
    do {
      clauses.add(mergeWhen());
    } while (tokens.at(Keyword.WHEN));
    return new Statement.Merge(with, table, alias, using, on, clauses);
  }

  private MergeWhen mergeWhen() throws ParseException {
    SqlToken when = tokens.expect(Keyword.WHEN);
    boolean matched = !tokens.accept(Keyword.NOT);
    tokens.expect("matched");
    ParsedExpression condition = tokens.accept(Keyword.AND) ? readers.parsedExpression() : null;
    tokens.expect(Keyword.THEN);
    if (tokens.accept(Keyword.DO)) {
      tokens.expect("nothing");
      return new MergeWhen(matched, condition, new MergeAction.Nothing(), when.beginColumn);
    }
    return new MergeWhen(matched, condition, mergeAction(matched), when.beginColumn);
  }

  private MergeAction mergeAction(boolean matched) throws ParseException {
    if (!matched) {
      tokens.expect("insert");
      return mergeInsert();
    }
    if (tokens.accept("delete")) {
      return new MergeAction.Remove();
    }
    tokens.expect("update");
    tokens.expect("set");
    return new MergeAction.Change(assignments());
  }

  private MergeAction mergeInsert() throws ParseException {
    List<Name> columns = tokens.at(SqlLexer.LEFT_PAREN) ? columns() : List.of();
    String overriding = overriding();
    if (tokens.accept(Keyword.DEFAULT)) {
      tokens.expect("values");
      return new MergeAction.Add(columns, overriding, null);
    }
    SqlToken first = tokens.peek();
    if (!tokens.at("values")) {
      throw tokens.error();
    }
    SqlCall values = (SqlCall) readers.queries.values();
    if (values.operandCount() != 1) {
      throw tokens.error(tokens.token(tokens.match(first.index + 1) + 1));
    }
    return new MergeAction.Add(
        columns,
        overriding,
        new ParsedExpression(values, tokens.textFrom(first), first.beginColumn));
  }

  private @Nullable String overriding() {
    if (!tokens.accept("overriding")) {
      return null;
    }
    String overriding = tokens.accept(Keyword.USER) ? "user" : tokens.oneOf("system");
    tokens.expect("value");
    return overriding;
  }

  private QualifiedName target() {
    boolean only = tokens.accept(Keyword.ONLY);
    boolean parens = only && tokens.accept(SqlLexer.LEFT_PAREN);
    QualifiedName table = tokens.qualifiedName();
    if (parens) {
      tokens.expect(SqlLexer.RIGHT_PAREN);
    }
    tokens.acceptOperator("*");
    return table;
  }

  private ParsedExpression from() throws ParseException {
    SqlToken first = tokens.peek();
    SqlNode node = tokens.parser.FromClause();
    return new ParsedExpression(node, tokens.textFrom(first), first.beginColumn);
  }

  private @Nullable ParsedExpression where() throws ParseException {
    if (!tokens.accept(Keyword.WHERE)) {
      return null;
    }
    SqlToken current = tokens.peek();
    if (current.isWord("current") && tokens.peek(1).isWord("of")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED, "WHERE CURRENT OF is not supported", current);
    }
    return readers.parsedExpression();
  }

  private @Nullable ParsedList returning() throws ParseException {
    SqlToken first = tokens.peek(1);
    SqlNodeList items = readers.queries.returning();
    return items == null ? null : new ParsedList(items, tokens.textFrom(first));
  }
}

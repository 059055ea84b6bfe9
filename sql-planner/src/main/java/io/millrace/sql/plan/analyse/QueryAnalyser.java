package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.parser.ast.DmlNode;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.plan.analyse.Scope.Link;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.Recurse;
import io.millrace.sql.plan.rel.Shared;
import io.millrace.sql.plan.rel.SharedScan;
import io.millrace.sql.plan.rel.SortWithTies;
import io.millrace.sql.plan.rel.WorkTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalIntersect;
import org.apache.calcite.rel.logical.LogicalMinus;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Queries of every form: SELECT, VALUES, TABLE, set operations, WITH, with order and limits. */
final class QueryAnalyser {
  final Session session;
  private final Rexes rexes;

  QueryAnalyser(Session session) {
    this.session = session;
    this.rexes = session.rexes;
  }

  static boolean isQuery(SqlNode node) {
    return switch (node.getKind()) {
      case SELECT, ORDER_BY, WITH, UNION, INTERSECT, EXCEPT, VALUES, EXPLICIT_TABLE -> true;
      default -> false;
    };
  }

  /**
   * Analyses a query.
   *
   * @param outer the level around; null at the top and for views
   * @param resolve untyped columns become text; otherwise they stay open
   */
  Output query(SqlNode node, @Nullable Link outer, Ctes ctes, boolean resolve) {
    return switch (node) {
      case SqlOrderBy o -> ordered(o, outer, ctes, resolve);
      case SqlWith w -> with(w, outer, ctes, c -> query(w.body, outer, c, resolve));
      case SqlSelect s -> select((PgSelect) s, SqlNodeList.EMPTY, null, null, outer, ctes, resolve);
      case SqlCall c when c.getKind() == SqlKind.VALUES -> values(c, outer, ctes, resolve);
      case SqlCall c when c.getKind() == SqlKind.EXPLICIT_TABLE ->
          query(selectAll(c), outer, ctes, resolve);
      case SqlCall c -> setOperation(c, outer, ctes);
      default ->
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(node),
              "syntax error at \"" + node + "\"");
    };
  }

  private static SqlNode selectAll(SqlCall table) {
    SqlParserPos pos = table.getParserPosition();
    return new PgSelect(
        pos,
        null,
        null,
        SqlNodeList.of(SqlIdentifier.star(pos)),
        null,
        table.operand(0),
        null,
        null,
        null,
        null,
        null);
  }

  private Output select(
      PgSelect s,
      SqlNodeList order,
      @Nullable SqlNode offset,
      @Nullable SqlNode fetch,
      @Nullable Link outer,
      Ctes ctes,
      boolean resolve) {
    SqlIdentifier into = s.into();
    if (into != null) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          ExpressionAnalyser.position(into),
          "SELECT ... INTO is not allowed here");
    }
    SqlNodeList locking = s.locking();
    if (locking == null) {
      return new SelectAnalyser(this, s, outer, ctes, null).analyse(order, offset, fetch, resolve);
    }
    var locks = new RowLocks(locking);
    int position = ExpressionAnalyser.position(locking);
    if (session.viewDepth > 0) {
      throw Problems.unsupported(position, locks.name() + " is not supported in views");
    }
    return Steps.alone(
        outer,
        position,
        locks.name(),
        () ->
            new SelectAnalyser(this, s, outer, ctes, locks)
                .analyseLocked(order, offset, fetch, position));
  }

  // ---- ORDER BY and limits over anything ----

  private Output ordered(SqlOrderBy o, @Nullable Link outer, Ctes ctes, boolean resolve) {
    return switch (o.query) {
      case SqlWith w ->
          with(
              w,
              outer,
              ctes,
              c ->
                  query(
                      new SqlOrderBy(o.getParserPosition(), w.body, o.orderList, o.offset, o.fetch),
                      outer,
                      c,
                      resolve));
      case PgSelect s -> select(s, o.orderList, o.offset, o.fetch, outer, ctes, resolve);
      case SqlCall t when t.getKind() == SqlKind.EXPLICIT_TABLE ->
          select((PgSelect) selectAll(t), o.orderList, o.offset, o.fetch, outer, ctes, resolve);
      default -> {
        Output q = query(o.query, outer, ctes, true);
        var keys = new ArrayList<RelFieldCollation>();
        for (SqlNode item : o.orderList) {
          int at = outputColumn(Sorting.expression(item), q);
          keys.add(Sorting.collation(at, Sorting.descending(item), Sorting.nullsFirst(item)));
        }
        yield new Output(
            limit(q.rel(), keys, o.offset, o.fetch, constants(outer, ctes, Clause.LIMIT)),
            q.columns());
      }
    };
  }

  /** A name or ordinal of an output column: all that ORDER BY over a set operation may use. */
  private static int outputColumn(SqlNode e, Output q) {
    int position = ExpressionAnalyser.position(e);
    if (e instanceof SqlNumericLiteral n && n.isInteger()) {
      int ordinal = n.intValue(false);
      if (ordinal < 1 || ordinal > q.columns().size()) {
        throw Problems.error(
            ErrorCode.INVALID_COLUMN_REFERENCE,
            position,
            "ORDER BY position " + ordinal + " is not in select list");
      }
      return ordinal - 1;
    }
    if (e instanceof SqlIdentifier id && id.isSimple()) {
      for (int i = 0; i < q.columns().size(); i++) {
        if (q.columns().get(i).name().equals(id.getSimple())) {
          return i;
        }
      }
      throw Problems.error(
          ErrorCode.UNDEFINED_COLUMN, position, "column \"" + id.getSimple() + "\" does not exist");
    }
    throw Problems.unsupported(
            ExpressionAnalyser.start(e), "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
        .withDetail("Only result column names can be used, not expressions or functions.")
        .withHint(
            "Add the expression/function to every SELECT, or move the UNION into a FROM clause.");
  }

  /** Sorts and cuts; the node as given if there is nothing to do. */
  RelNode limit(
      RelNode rel,
      List<RelFieldCollation> keys,
      @Nullable SqlNode offset,
      @Nullable SqlNode fetch,
      ExpressionAnalyser with) {
    if (fetch instanceof SqlCall c && c.getOperator() == PgSyntax.WITH_TIES) {
      return withTies(rel, keys, offset, c.operand(0), with);
    }
    RexNode skip = offset(offset, with);
    RexNode take = fetch(fetch, with);
    if (keys.isEmpty() && skip == null && take == null) {
      return rel;
    }
    return LogicalSort.create(rel, RelCollations.of(keys), skip, take);
  }

  private RelNode withTies(
      RelNode rel,
      List<RelFieldCollation> keys,
      @Nullable SqlNode offset,
      SqlNode fetch,
      ExpressionAnalyser with) {
    if (keys.isEmpty()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, "WITH TIES cannot be specified without ORDER BY clause");
    }
    RexNode skip = offset(offset, with);
    RexNode take = fetch(fetch, with);
    if (take == null) {
      throw new MillraceException(
          ErrorCode.INVALID_ROW_COUNT_IN_LIMIT,
          "row count cannot be null in FETCH FIRST ... WITH TIES clause");
    }
    return SortWithTies.create(rel, RelCollations.of(keys), skip, take);
  }

  /** How many rows OFFSET skips, a bigint; null for none. */
  @Nullable RexNode offset(@Nullable SqlNode offset, ExpressionAnalyser with) {
    return offset == null ? null : count(offset, with.in(Clause.OFFSET));
  }

  /** How many rows LIMIT or FETCH leaves, a bigint; null for all. */
  @Nullable RexNode fetch(@Nullable SqlNode fetch, ExpressionAnalyser with) {
    if (fetch instanceof SqlCall c && c.getOperator() == PgSyntax.WITH_TIES) {
      throw Problems.unsupported(
          ExpressionAnalyser.position(c), "WITH TIES is not supported for rows that are locked");
    }
    return fetch == null ? null : count(fetch, with.in(Clause.LIMIT));
  }

  private @Nullable RexNode count(SqlNode node, ExpressionAnalyser with) {
    Ex e = with.analyse(node);
    if (e.isNull()) {
      return null;
    }
    Ex.Value v = rexes.tryCoerce(e, SqlType.INT8, Context.ASSIGNMENT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          ExpressionAnalyser.position(node),
          "argument of "
              + with.clause.name()
              + " must be type bigint, not type "
              + Problems.name(e.type()));
    }
    if (!RowRewriter.references(v.rex()).isEmpty()) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          ExpressionAnalyser.start(node),
          "argument of " + with.clause.name() + " must not contain variables");
    }
    return v.rex();
  }

  /** An analyser of expressions without columns of their own level. */
  ExpressionAnalyser constants(@Nullable Link outer, Ctes ctes, Clause clause) {
    RelDataType row = LogicalValues.createOneRow(session.cluster).getRowType();
    var scope = new Scope(List.of(), List.of(), row, outer, rexes.builder());
    return new ExpressionAnalyser(session, this, scope, ctes, clause, null, Windows.NONE);
  }

  // ---- VALUES ----

  private Output values(SqlCall c, @Nullable Link outer, Ctes ctes, boolean resolve) {
    ExpressionAnalyser with = constants(outer, ctes, Clause.VALUES);
    var rows = new ArrayList<List<Ex>>();
    int width = -1;
    for (SqlNode n : c.getOperandList()) {
      var row = new ArrayList<Ex>();
      for (SqlNode e : ((SqlCall) n).getOperandList()) {
        row.add(with.analyse(e));
      }
      if (width >= 0 && row.size() != width) {
        throw Problems.error(
            ErrorCode.SYNTAX_ERROR,
            ((SqlCall) n).operandCount() == 0
                ? ExpressionAnalyser.position(n)
                : ExpressionAnalyser.start(((SqlCall) n).operand(0)),
            "VALUES lists must all be the same length");
      }
      width = row.size();
      rows.add(row);
    }
    var columns = new ArrayList<Output.Column>();
    var types = new ArrayList<SqlType>();
    for (int i = 0; i < width; i++) {
      int at = i;
      List<Ex> column = rows.stream().map(r -> r.get(at)).toList();
      SqlType type = session.typing.common(column, "VALUES");
      types.add(type);
      Ex only = rows.size() == 1 && !resolve && column.get(0).isUnknown() ? column.get(0) : null;
      columns.add(new Output.Column("column" + (i + 1), type, only, 0, 0));
    }
    var out = new ArrayList<List<RexNode>>();
    for (int r = 0; r < rows.size(); r++) {
      out.add(new ArrayList<>());
    }
    for (int i = 0; i < width; i++) {
      for (int r = 0; r < rows.size(); r++) {
        out.get(r)
            .add(
                columns.get(i).open() != null
                    ? rexes.nullOf(SqlType.TEXT)
                    : with.common(rows.get(r).get(i), types.get(i), "VALUES", 0));
      }
    }
    return new Output(rows(out, types, columnNames(columns), with.scope), columns);
  }

  private static List<String> columnNames(List<Output.Column> columns) {
    return columns.stream().map(Output.Column::name).toList();
  }

  /** Rows of expressions without columns; with sub-queries each row is a projection of one row. */
  RelNode rows(List<List<RexNode>> rows, List<SqlType> types, List<String> names, Scope scope) {
    boolean plain = true;
    for (List<RexNode> r : rows) {
      for (RexNode e : r) {
        plain &= !Rels.hasSubQuery(e);
      }
    }
    List<String> distinct = OutputNames.distinct(names);
    if (plain) {
      return new ConstantRows(session.cluster, session.types.row(types, distinct), rows);
    }
    var inputs = new ArrayList<RelNode>();
    for (List<RexNode> r : rows) {
      inputs.add(
          Rels.project(LogicalValues.createOneRow(session.cluster), r, distinct, scope.given()));
    }
    return inputs.size() == 1 ? inputs.get(0) : LogicalUnion.create(inputs, true);
  }

  // ---- open columns ----

  /** Open columns become text. */
  Output resolved(Output q) {
    if (q.columns().stream().allMatch(c -> c.open() == null)) {
      return q;
    }
    var exprs = new ArrayList<Ex>();
    var columns = new ArrayList<Output.Column>();
    for (int i = 0; i < q.columns().size(); i++) {
      Ex.Value v = rexes.value(q.operand(i, 0));
      exprs.add(v);
      columns.add(q.columns().get(i).typed(v.type()));
    }
    return new Output(projected(q, exprs), columns);
  }

  /** The query's rows with its columns replaced; itself if nothing changes. */
  RelNode projected(Output q, List<Ex> exprs) {
    var out = new ArrayList<RexNode>();
    boolean same = exprs.size() == q.rel().getRowType().getFieldCount();
    for (int i = 0; i < exprs.size(); i++) {
      RexNode r = rexes.rex(exprs.get(i));
      same &= r instanceof RexInputRef ref && ref.getIndex() == i;
      out.add(r);
    }
    if (same) {
      return q.rel();
    }
    return LogicalProject.create(
        q.rel(),
        ImmutableList.of(),
        out,
        OutputNames.distinct(columnNames(q.columns())),
        com.google.common.collect.ImmutableSet.of());
  }

  // ---- set operations ----

  private Output setOperation(SqlCall c, @Nullable Link outer, Ctes ctes) {
    String what = c.getKind().name();
    Output left = query(c.operand(0), outer, ctes, false);
    Output right = query(c.operand(1), outer, ctes, false);
    if (left.columns().size() != right.columns().size()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          firstColumn(c.operand(1)),
          "each " + what + " query must have the same number of columns");
    }
    var l = new ArrayList<Ex>();
    var r = new ArrayList<Ex>();
    var columns = new ArrayList<Output.Column>();
    for (int i = 0; i < left.columns().size(); i++) {
      Ex a = left.operand(i, column(c.operand(0), i));
      Ex b = right.operand(i, column(c.operand(1), i));
      SqlType type = session.typing.common(List.of(a, b), what);
      l.add(coerced(a, type, what));
      r.add(coerced(b, type, what));
      columns.add(new Output.Column(left.columns().get(i).name(), type, null, 0, 0));
    }
    List<RelNode> inputs = List.of(projected(left, l), projected(right, r));
    boolean all = c.getOperator().getName().endsWith("ALL");
    RelNode rel =
        switch (c.getKind()) {
          case UNION -> LogicalUnion.create(inputs, all);
          case INTERSECT -> LogicalIntersect.create(inputs, all);
          default -> LogicalMinus.create(inputs, all);
        };
    return new Output(rel, columns);
  }

  private Ex coerced(Ex e, SqlType type, String what) {
    Ex.Value v = rexes.tryCoerce(e, type, Context.IMPLICIT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.CANNOT_COERCE,
          e.position(),
          what
              + " could not convert type "
              + Problems.name(e.type())
              + " to "
              + Problems.name(type));
    }
    return v;
  }

  private static int firstColumn(SqlNode q) {
    return column(q, 0);
  }

  /** Where a column of a plain select stands, for errors. */
  private static int column(SqlNode q, int i) {
    if (q instanceof SqlSelect s && i < s.getSelectList().size()) {
      SqlNode n = s.getSelectList().get(i);
      return ExpressionAnalyser.position(n.getKind() == SqlKind.AS ? ((SqlCall) n).operand(0) : n);
    }
    return ExpressionAnalyser.position(q);
  }

  // ---- WITH ----

  /** Analyses the items, then the body with them in reach. */
  Output with(SqlWith w, @Nullable Link outer, Ctes ctes, Function<Ctes, Output> body) {
    return items(w.withList, w.body, outer, ctes, body);
  }

  private record Definition(int id, RelNode rel) {}

  Output items(
      SqlNodeList list,
      @Nullable SqlNode bodyNode,
      @Nullable Link outer,
      Ctes ctes,
      Function<Ctes, Output> body) {
    var shared = new ArrayList<Definition>();
    Set<String> seen = new HashSet<>();
    Ctes now = ctes;
    for (int i = 0; i < list.size(); i++) {
      var item = (SqlWithItem) list.get(i);
      String name = item.name.getSimple();
      if (!seen.add(name)) {
        throw Problems.error(
            ErrorCode.DUPLICATE_ALIAS,
            ExpressionAnalyser.position(item.name),
            "WITH query name \"" + name + "\" specified more than once");
      }
      if (item.query instanceof DmlNode change) {
        now = now.with(name, changing(item, change, outer, now));
        continue;
      }
      int uses = bodyNode == null ? 2 : references(bodyNode, name);
      for (int j = i + 1; j < list.size(); j++) {
        uses += references(((SqlWithItem) list.get(j)).query, name);
      }
      Ctes reach = now;
      boolean before = outer != null && outer.used;
      if (outer != null) {
        outer.used = false;
      }
      Output q = item(item, outer, reach);
      boolean correlated = outer != null && outer.used;
      if (outer != null) {
        outer.used |= before;
      }
      if (uses > 1 && correlated) {
        now = now.with(name, new Ctes.Item(q, () -> item(item, outer, reach).rel()));
      } else if (uses > 1) {
        int id = session.nextId++;
        shared.add(new Definition(id, q.rel()));
        session.steps.define(id, q.rel());
        RelDataType row = q.rel().getRowType();
        now = now.with(name, new Ctes.Item(q, () -> new SharedScan(session.cluster, id, row)));
      } else {
        now = now.with(name, new Ctes.Item(q, q::rel));
      }
    }
    Output out = body.apply(now);
    RelNode rel = out.rel();
    for (int i = shared.size() - 1; i >= 0; i--) {
      rel = new Shared(shared.get(i).id(), shared.get(i).rel(), rel);
    }
    return new Output(rel, out.columns());
  }

  /** A data change in WITH: done once, before the query. */
  private Ctes.Item changing(SqlWithItem item, DmlNode change, @Nullable Link outer, Ctes ctes) {
    int position = ExpressionAnalyser.position(item.name);
    if (outer != null || session.viewDepth > 0) {
      throw Problems.unsupported(
          position, "WITH clause containing a data-modifying statement must be at the top level");
    }
    String name = item.name.getSimple();
    Analysed body = new DmlAnalyser(session).step(change.statement(), ctes, position);
    Analysed.Returning returning = Analysed.returning(body);
    if (returning == null) {
      session.steps.add(body);
      return new Ctes.Item(
          new Output(LogicalValues.createOneRow(session.cluster), List.of()),
          () -> {
            throw Problems.unsupported(
                position, "WITH query \"" + name + "\" does not have a RETURNING clause");
          });
    }
    var columns = new ArrayList<Output.Column>();
    for (Analysed.Output o : returning.outputs()) {
      columns.add(new Output.Column(o.name(), o.type(), null, o.tableOid(), o.attnum()));
    }
    Output rows = session.steps.add(body, renamed(columns, item));
    return new Ctes.Item(rows, rows::rel);
  }

  private Output item(SqlWithItem item, @Nullable Link outer, Ctes ctes) {
    String name = item.name.getSimple();
    boolean recursive = item.recursive.booleanValue() && references(item.query, name) > 0;
    Output q = recursive ? recursive(item, outer, ctes) : query(item.query, outer, ctes, true);
    return new Output(q.rel(), renamed(q.columns(), item));
  }

  private static List<Output.Column> renamed(List<Output.Column> columns, SqlWithItem item) {
    SqlNodeList names = item.columnList;
    String table = item.name.getSimple();
    if (names == null || names.isEmpty()) {
      return columns;
    }
    if (names.size() > columns.size()) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          ExpressionAnalyser.position(item.name),
          "WITH query \""
              + table
              + "\" has "
              + columns.size()
              + " columns available but "
              + names.size()
              + " columns specified");
    }
    var out = new ArrayList<Output.Column>();
    for (int i = 0; i < columns.size(); i++) {
      out.add(
          i < names.size()
              ? columns.get(i).named(((SqlIdentifier) names.get(i)).getSimple())
              : columns.get(i));
    }
    return out;
  }

  /** seed UNION [ALL] step. */
  private Output recursive(SqlWithItem item, @Nullable Link outer, Ctes ctes) {
    String name = item.name.getSimple();
    int position = ExpressionAnalyser.position(item.name);
    Recursion.check(item, position, session.resolver::isAggregate);
    var union = (SqlCall) item.query;
    Output seed = query(union.operand(0), outer, ctes, true);
    List<Output.Column> columns = renamed(seed.columns(), item);
    int id = session.nextId++;
    RelDataType row =
        session.types.row(
            columns.stream().map(Output.Column::type).toList(),
            OutputNames.distinct(columnNames(columns)));
    var work =
        new Ctes.Item(
            new Output(new WorkTable(session.cluster, id, row), columns),
            () -> new WorkTable(session.cluster, id, row));
    Output step = query(union.operand(1), outer, ctes.with(name, work), false);
    if (step.columns().size() != columns.size()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          column(union.operand(1), 0),
          "each UNION query must have the same number of columns");
    }
    var exprs = new ArrayList<Ex>();
    for (int i = 0; i < columns.size(); i++) {
      Ex e = step.operand(i, 0);
      SqlType seedType = columns.get(i).type();
      SqlType overall =
          session.typing.common(
              List.of(new Ex.Num(seedType, java.math.BigDecimal.ZERO, false, position), e),
              "UNION");
      if (!overall.sameKind(seedType)) {
        throw Problems.error(
                ErrorCode.DATATYPE_MISMATCH,
                column(union.operand(0), i),
                "recursive query \""
                    + name
                    + "\" column "
                    + (i + 1)
                    + " has type "
                    + Problems.name(seedType)
                    + " in non-recursive term but type "
                    + Problems.name(overall)
                    + " overall")
            .withHint("Cast the output of the non-recursive term to the correct type.");
      }
      exprs.add(coerced(e, seedType, "UNION"));
    }
    boolean distinct = !union.getOperator().getName().endsWith("ALL");
    RelNode rel = new Recurse(id, seed.rel(), projected(step, exprs), distinct);
    return new Output(rel, columns);
  }

  /** How often a simple name stands in a tree: at least as often as it is referred to. */
  private static int references(SqlNode node, String name) {
    int[] count = new int[1];
    node.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public @Nullable Void visit(SqlIdentifier id) {
            if (id.names.size() == 1 && id.names.get(0).equals(name)) {
              count[0]++;
            }
            return null;
          }
        });
    return count[0];
  }
}

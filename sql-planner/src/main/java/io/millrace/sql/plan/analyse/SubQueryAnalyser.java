package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.plan.analyse.Scope.Link;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.MillAggFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.semantics.OperatorRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/** Queries inside expressions, as RexSubQuery; each has a correlation variable of its own. */
final class SubQueryAnalyser {
  private final ExpressionAnalyser expressions;
  private final Session session;
  private final Rexes rexes;

  SubQueryAnalyser(ExpressionAnalyser expressions) {
    this.expressions = expressions;
    this.session = expressions.session;
    this.rexes = session.rexes;
  }

  private Output query(SqlNode node, boolean resolve) {
    Clause clause = expressions.clause;
    String refused = clause.noQueries();
    if (refused != null) {
      throw Problems.unsupported(parenthesis(node), "cannot use subquery in " + refused);
    }
    Scope scope = expressions.scope;
    var link = new Link(scope, session.cluster.createCorrel(), scope.row());
    Output out = expressions.queries.query(node, link, expressions.ctes, resolve);
    if (link.used) {
      scope.given().add(link.id);
    }
    return out;
  }

  /** Where the parenthesis before a query stands. */
  private int parenthesis(SqlNode node) {
    int at = ExpressionAnalyser.position(node) - 1;
    String text = session.text;
    for (int i = at - 1; i >= 0 && i < text.length(); i--) {
      if (text.charAt(i) == '(') {
        return i + 1;
      }
      if (!Character.isWhitespace(text.charAt(i))) {
        break;
      }
    }
    return at + 1;
  }

  Ex scalar(SqlNode node) {
    int position = parenthesis(node);
    Output q = query(node, true);
    if (q.columns().size() != 1) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, position, "subquery must return only one column");
    }
    return new Ex.Value(RexSubQuery.scalar(q.rel()), q.columns().get(0).type(), position);
  }

  Ex exists(SqlCall c) {
    Output q = query(c.operand(0), true);
    return expressions.boolValue(RexSubQuery.exists(q.rel()), ExpressionAnalyser.position(c));
  }

  /** x IN (query), (x, y) IN (query). */
  Ex in(SqlCall c, boolean not) {
    int position = ExpressionAnalyser.position(c);
    Ex left = expressions.analyse(c.operand(0));
    Output q = query(c.operand(1), true);
    List<Ex> fields = fields(left);
    checkWidth(fields.size(), q, position);
    var operands = new ArrayList<RexNode>();
    RelNode rel = typed(fields, q, "=", operands, position);
    if (operands.isEmpty()) {
      return quantifiedArray("=", false, left, q, position, not);
    }
    RexNode in = RexSubQuery.in(rel, ImmutableList.copyOf(operands));
    return expressions.boolValue(not ? rexes.not(in) : in, position);
  }

  private static List<Ex> fields(Ex left) {
    return left instanceof Ex.Row r ? r.fields() : List.of(left);
  }

  private static void checkWidth(int width, Output q, int position) {
    if (q.columns().size() != width) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          position,
          "subquery has too " + (q.columns().size() > width ? "many" : "few") + " columns");
    }
  }

  /**
   * Brings the left side and the query's columns to common types; leaves {@code operands} empty if
   * the operator is no plain comparison for them.
   */
  private RelNode typed(
      List<Ex> fields, Output q, String symbol, List<RexNode> operands, int position) {
    var columns = new ArrayList<Ex>();
    for (int i = 0; i < fields.size(); i++) {
      Ex right = q.operand(i, position);
      OperatorRow def =
          session.resolver.operator(symbol, fields.get(i).type(), right.type(), position);
      if (def.comparison() == null) {
        operands.clear();
        return q.rel();
      }
      SqlType wide = expressions.compared(def, fields.get(i), right, position).get(0);
      Ex.Value l = expressions.side(fields.get(i), right, wide, position);
      Ex.Value r = expressions.side(right, fields.get(i), wide, position);
      if (!l.type().sameKind(r.type())) {
        l = rexes.coerce(l, wide.withTypmod(-1), Context.EXPLICIT, position);
        r = rexes.coerce(r, wide.withTypmod(-1), Context.EXPLICIT, position);
      }
      operands.add(l.rex());
      columns.add(r);
    }
    return expressions.queries.projected(q, columns);
  }

  /** x op ANY|ALL (query or array). */
  Ex quantified(String symbol, boolean all, SqlCall c) {
    int position = ExpressionAnalyser.position(c);
    SqlNode right = c.operand(1);
    boolean negated = symbol.startsWith("not ");
    String op =
        switch (negated ? symbol.substring(4) : symbol) {
          case "like" -> "~~";
          case "ilike" -> "~~*";
          case "!=" -> "<>";
          default -> negated ? symbol.substring(4) : symbol;
        };
    Ex left = expressions.analyse(c.operand(0));
    if (!QueryAnalyser.isQuery(right)) {
      Ex array = expressions.analyse(right);
      return overArray(op, all, negated, left, array, position);
    }
    SqlOperator comparison = ExpressionAnalyser.comparison(op);
    Output q = query(right, true);
    List<Ex> fields = fields(left);
    checkWidth(fields.size(), q, position);
    if (comparison == null
        || negated
        || (fields.size() > 1 && !op.equals("=") && !op.equals("<>"))) {
      return quantifiedArray(op, all, left, q, position, negated);
    }
    var operands = new ArrayList<RexNode>();
    RelNode rel = typed(fields, q, op, operands, position);
    ImmutableList<RexNode> list = ImmutableList.copyOf(operands);
    if (comparison.getKind() == SqlKind.EQUALS && !all) {
      return expressions.boolValue(RexSubQuery.in(rel, list), position);
    }
    if (comparison.getKind() == SqlKind.NOT_EQUALS && all) {
      return expressions.boolValue(rexes.not(RexSubQuery.in(rel, list)), position);
    }
    if (all) {
      SqlQuantifyOperator some = SqlStdOperatorTable.some(comparison.getKind().negateNullSafe());
      return expressions.boolValue(rexes.not(RexSubQuery.some(rel, list, some)), position);
    }
    return expressions.boolValue(
        RexSubQuery.some(rel, list, SqlStdOperatorTable.some(comparison.getKind())), position);
  }

  private Ex quantifiedArray(
      String op, boolean all, Ex left, Output q, int position, boolean negated) {
    return overArray(op, all, negated, left, arrayOf(resolved(q), position), position);
  }

  private Output resolved(Output q) {
    return expressions.queries.resolved(q);
  }

  private Ex overArray(String op, boolean all, boolean negated, Ex left, Ex array, int position) {
    Ex.Value list;
    if (array.isUnknown()) {
      SqlType element =
          left.isUnknown() || Rexes.isBytes(left.type())
              ? SqlType.TEXT
              : left.type().withTypmod(-1);
      list = rexes.coerce(array, SqlType.arrayOf(element), Context.IMPLICIT, position);
    } else {
      list = rexes.value(array);
    }
    if (!list.type().isArray()) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE, position, "op ANY/ALL (array) requires array on right side");
    }
    SqlType element = list.type().elementType();
    OperatorRow def = session.resolver.operator(op, left.type(), element, position);
    if (def.result().kind() != TypeKind.BOOL) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          position,
          "op ANY/ALL (array) requires operator to yield boolean");
    }
    SqlOperator comparison = def.comparison() == null ? null : ExpressionAnalyser.comparison(op);
    SqlType l = Objects.requireNonNull(def.left());
    SqlType r = def.right();
    SqlType as = def.compareAs();
    if (Polymorphism.applies(List.of(l, r), def.result())) {
      l = element;
      r = element;
    } else if (comparison != null && as != null) {
      l = as;
      r = as;
      if (Rexes.isBytes(as) && Rexes.isBytes(element)) {
        r = element;
        l = left instanceof Ex.Value v && Rexes.isBytes(v.type()) ? v.type() : element;
      }
    }
    RexNode value = rexes.coerce(left, l, Context.EXPLICIT, position).rex();
    RexNode arrayRex = rexes.coerce(list, SqlType.arrayOf(r), Context.EXPLICIT, position).rex();
    SqlOperator inner =
        comparison != null
            ? comparison
            : new io.millrace.sql.plan.rel.MillFunction(
                def.function(), def.result(), def.volatility(), def.strict(), false);
    return expressions.boolValue(
        rexes.call(SqlType.BOOL, MillOperators.quantified(inner, all, negated), value, arrayRex),
        position);
  }

  /** ARRAY(query): array_agg in the query's order, empty instead of NULL. */
  Ex array(SqlCall c) {
    int position = ExpressionAnalyser.position(c);
    Output q = query(c.operand(0), true);
    if (q.columns().size() != 1) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, position, "subquery must return only one column");
    }
    return arrayOf(q, position);
  }

  private Ex arrayOf(Output q, int position) {
    SqlType element = q.columns().get(0).type();
    var def =
        session
            .resolver
            .function("array_agg", Resolver.Arguments.of(List.of(element)), position)
            .def();
    SqlType type = element.isArray() ? element : SqlType.arrayOf(element.withTypmod(-1));
    RelNode rel = q.rel();
    int arg = 0;
    RelCollation order = RelCollations.EMPTY;
    if (rel instanceof LogicalSort s) {
      order = s.getCollation();
    } else if (rel instanceof LogicalProject p
        && p.getInput() instanceof LogicalSort s
        && p.getProjects().get(0) instanceof RexInputRef ref) {
      rel = s;
      arg = ref.getIndex();
      order = s.getCollation();
    }
    var call =
        AggregateCall.create(
            new MillAggFunction(def.id(), type, 0, false),
            false,
            false,
            false,
            ImmutableList.of(),
            List.of(arg),
            -1,
            null,
            order,
            rexes.relType(type),
            "array");
    RelNode aggregate =
        LogicalAggregate.create(
            rel,
            ImmutableList.of(),
            ImmutableBitSet.of(),
            ImmutableList.of(ImmutableBitSet.of()),
            List.of(call));
    RexNode scalar = RexSubQuery.scalar(aggregate);
    RexNode empty = rexes.call(type, MillOperators.ARRAY_OF, List.of());
    return new Ex.Value(rexes.call(type, MillOperators.COALESCE, scalar, empty), type, position);
  }

  /** ROW(a, b) op (SELECT x, y): by one scalar query a column. */
  Ex rowCompare(String symbol, SqlOperator op, SqlNode leftNode, SqlNode rightNode, int position) {
    Ex left = expressions.analyse(leftNode);
    List<Ex> columns = columns(rightNode, fields(left).size());
    return expressions.compare(symbol, op, left, new Ex.Row(columns, position), position);
  }

  /** The columns of a query that gives one row, as scalar queries. */
  List<Ex> columns(SqlNode query, int width) {
    int position = ExpressionAnalyser.position(query);
    var columns = new ArrayList<Ex>();
    for (int i = 0; i < width; i++) {
      Output q = query(query, true);
      checkWidth(width, q, position);
      RelNode one =
          LogicalProject.create(
              q.rel(),
              ImmutableList.of(),
              List.of(session.input(q.rel(), i)),
              List.of("c"),
              com.google.common.collect.ImmutableSet.of());
      columns.add(new Ex.Value(RexSubQuery.scalar(one), q.columns().get(i).type(), position));
    }
    return columns;
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.jspecify.annotations.Nullable;

/*
 * Where a recursive WITH item may refer to itself: once, in the right term of its UNION, in a FROM
 * clause, not on the side of an outer join that may be missing, and not below an aggregate. One walk
 * over the tree of each term, which carries what makes a reference wrong at the place.
 */
final class Recursion {
  private static final String OUTER_JOIN = "an outer join";
  private static final String SUBQUERY = "a subquery";

  private final String name;
  private final Predicate<String> isAggregate;
  private int references;

  private Recursion(String name, Predicate<String> isAggregate) {
    this.name = name;
    this.isAggregate = isAggregate;
  }

  /**
   * Checks an item that refers to itself.
   *
   * @param position of the item's name
   */
  static void check(SqlWithItem item, int position, Predicate<String> isAggregate) {
    var walk = new Recursion(item.name.getSimple(), isAggregate);
    SqlNode query = item.query;
    if (query instanceof SqlOrderBy sorted && sorted.query.getKind() == SqlKind.UNION) {
      walk.terms((SqlCall) sorted.query);
      throw decorated(sorted);
    }
    if (query.getKind() != SqlKind.UNION) {
      throw wrong(
          position,
          "recursive query \""
              + walk.name
              + "\" does not have the form non-recursive-term UNION [ALL] recursive-term");
    }
    walk.terms((SqlCall) query);
  }

  private static MillraceException decorated(SqlOrderBy sorted) {
    SqlNode first = sorted.offset != null ? sorted.offset : sorted.fetch;
    String what = sorted.offset != null ? "OFFSET" : "LIMIT";
    SqlNodeList order = sorted.orderList;
    if (order != null && !order.isEmpty()) {
      first = order.get(0);
      what = "ORDER BY";
    }
    int at = first == null ? 0 : ExpressionAnalyser.position(first);
    return Problems.unsupported(at, what + " in a recursive query is not implemented");
  }

  private static MillraceException wrong(int position, String message) {
    return Problems.error(ErrorCode.INVALID_RECURSION, position, message);
  }

  private void terms(SqlCall union) {
    query(union.operand(0), "its non-recursive term");
    query(union.operand(1), null);
  }

  private void query(@Nullable SqlNode node, @Nullable String wrong) {
    if (node instanceof SqlSelect s) {
      select(s, wrong);
    } else if (node instanceof SqlOrderBy o) {
      query(o.query, wrong);
      expressions(o.orderList);
    } else if (node instanceof SqlWith w) {
      boolean hidden = false;
      for (SqlNode n : w.withList) {
        var inner = (SqlWithItem) n;
        query(inner.query, wrong);
        hidden |= inner.name.getSimple().equals(name);
      }
      if (!hidden) {
        query(w.body, wrong);
      }
    } else if (node instanceof SqlCall c) {
      switch (c.getKind()) {
        case UNION, INTERSECT -> operands(c, wrong);
        case EXCEPT -> {
          query(c.operand(0), wrong);
          query(c.operand(1), "EXCEPT");
        }
        default -> all(c.getOperandList());
      }
    }
  }

  private void operands(SqlCall c, @Nullable String wrong) {
    for (SqlNode n : c.getOperandList()) {
      query(n, wrong);
    }
  }

  private void select(SqlSelect s, @Nullable String wrong) {
    int before = references;
    from(s.getFrom(), wrong);
    if (references > before) {
      aggregates(s.getSelectList());
      aggregates(s.getHaving());
    }
    expressions(s.getSelectList());
    expressions(s.getWhere());
    expressions(s.getGroup());
    expressions(s.getHaving());
  }

  private void from(@Nullable SqlNode node, @Nullable String wrong) {
    if (node instanceof SqlIdentifier id) {
      if (id.isSimple() && id.getSimple().equals(name)) {
        reference(ExpressionAnalyser.position(id), wrong);
      }
    } else if (node instanceof SqlJoin j) {
      JoinType type = j.getJoinType();
      boolean left = type == JoinType.RIGHT || type == JoinType.FULL;
      boolean right = type == JoinType.LEFT || type == JoinType.FULL;
      from(j.getLeft(), left && wrong == null ? OUTER_JOIN : wrong);
      from(j.getRight(), right && wrong == null ? OUTER_JOIN : wrong);
      expressions(j.getCondition());
    } else if (node instanceof SqlCall c) {
      if (QueryAnalyser.isQuery(c)) {
        query(c, wrong);
      } else if (c.getKind() == SqlKind.AS || c.getKind() == SqlKind.LATERAL) {
        from(c.operand(0), wrong);
      } else {
        expressions(c);
      }
    }
  }

  private void reference(int position, @Nullable String wrong) {
    String start = "recursive reference to query \"" + name + "\" must not appear ";
    if (wrong != null) {
      throw wrong(position, start + "within " + wrong);
    }
    references++;
    if (references > 1) {
      throw wrong(position, start + "more than once");
    }
  }

  /** Looks for queries inside expressions. */
  private void expressions(@Nullable SqlNode node) {
    if (node instanceof SqlCall c) {
      if (QueryAnalyser.isQuery(c)) {
        query(c, SUBQUERY);
      } else {
        all(c.getOperandList());
      }
    } else if (node instanceof SqlNodeList list) {
      all(list.getList());
    }
  }

  private void all(List<? extends @Nullable SqlNode> nodes) {
    for (SqlNode n : nodes) {
      expressions(n);
    }
  }

  private void aggregates(@Nullable SqlNode node) {
    if (node instanceof SqlNodeList list) {
      list.forEach(this::aggregates);
    } else if (node instanceof SqlCall c && !QueryAnalyser.isQuery(c)) {
      if (c.getKind() == SqlKind.OVER) {
        return;
      }
      if (c.getOperator() instanceof SqlUnresolvedFunction
          && isAggregate.test(CallAnalyser.nameOf(c))) {
        throw wrong(
            ExpressionAnalyser.position(c),
            "aggregate functions are not allowed in a recursive query's recursive term");
      }
      c.getOperandList().forEach(this::aggregates);
    }
  }
}

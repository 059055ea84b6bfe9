package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Scope.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Domains: values are of the base type; where one is taken, in a cast or a column, it is held
 * against NOT NULL and the CHECKs.
 */
final class Domains {
  private final Session session;
  private final QueryAnalyser queries;

  Domains(Session session, QueryAnalyser queries) {
    this.session = session;
    this.queries = queries;
  }

  /** A value cast to a domain, which fails where the domain does not take it. */
  Ex.Value cast(Ex value, UserType domain, int position) {
    Rexes rexes = session.rexes;
    Ex.Value v = rexes.value(value);
    RexNode out = v.rex();
    for (Analysed.Check c : checks(domain, v.rex(), v.type(), null).reversed()) {
      out =
          rexes.call(
              v.type(),
              SqlStdOperatorTable.CASE,
              rexes.test(SqlStdOperatorTable.IS_FALSE, c.condition()),
              rexes.function(
                  new FunctionId("domain_refuses(anyelement,text,text)"),
                  v.type(),
                  'v',
                  false,
                  List.of(v.rex(), rexes.text(domain.name()), rexes.text(c.name()))),
              out);
    }
    return new Ex.Value(out, v.type(), position);
  }

  /**
   * What a domain asks of a value. The check of NOT NULL has no name.
   *
   * @param row of the value's references; null if it has none of its own
   */
  List<Analysed.Check> checks(
      UserType domain, RexNode value, SqlType type, @Nullable RelDataType row) {
    var out = new ArrayList<Analysed.Check>();
    if (domain.notNull()) {
      out.add(
          new Analysed.Check(
              "", session.rexes.test(SqlStdOperatorTable.IS_NOT_NULL, value), domain.name()));
    }
    session.viewDepth++;
    try {
      for (UserType.Check c : domain.checks()) {
        out.add(new Analysed.Check(c.name(), condition(c.sql(), value, type, row), domain.name()));
      }
    } finally {
      session.viewDepth--;
    }
    return out;
  }

  private RexNode condition(String sql, RexNode value, SqlType type, @Nullable RelDataType row) {
    List<Field> fields = List.of(new Field("value", type, value, 0, 0));
    RelDataType over = row == null ? session.types.row(List.of(type), List.of("value")) : row;
    var scope = new Scope(List.of(), fields, over, null, session.rexes.builder());
    var with =
        new ExpressionAnalyser(
            session, queries, scope, Ctes.NONE, Clause.CHECK, null, Windows.NONE);
    ParsedQuery q = session.context.parser().apply("SELECT (" + sql + ")");
    SqlNode item = ((PgSelect) q.node()).getSelectList().get(0);
    SqlNode node = item.getKind() == SqlKind.AS ? ((SqlCall) item).operand(0) : item;
    return with.bool(with.analyse(node), "CHECK", 0);
  }
}

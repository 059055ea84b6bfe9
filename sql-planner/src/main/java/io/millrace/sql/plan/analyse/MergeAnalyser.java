package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.MergeAction;
import io.millrace.sql.parser.ast.Statement.MergeWhen;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.rel.MillScan;
import io.millrace.sql.plan.rel.MillTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/*
 * MERGE as one query:
 *
 *   source LEFT JOIN target ON condition            (an inner join where no clause is NOT MATCHED)
 *     ─► the number of the first clause that takes the row, -1 for none
 *     ─► key, row of the target, that number, then the values of every clause
 *
 * Values are computed only for rows of their own clause, so that a division by zero in one clause is no
 * error of a row that another one takes.
 */
/** MERGE: the rows it works on and what becomes of them. */
final class MergeAnalyser {
  private static final int NO_ACTION = -1;

  private final Session session;
  private final Rexes rexes;
  private final DmlAnalyser dml;
  private final QueryAnalyser queries;

  MergeAnalyser(Session session, DmlAnalyser dml) {
    this.session = session;
    this.rexes = session.rexes;
    this.dml = dml;
    this.queries = new QueryAnalyser(session);
  }

  Analysed.Merge merge(Statement.Merge s, Ctes reach) {
    TableInfo table = target(s.table());
    requireReachable(s.clauses());
    var actions = new ArrayList<DmlPlan.MergeAction>();
    RelNode source =
        dml.source(s.with(), reach, ctes -> new Joined(table, s, ctes).project(actions));
    return new Analysed.Merge(
        table, source, List.copyOf(actions), dml.checks(table), session.facts());
  }

  private TableInfo target(QualifiedName name) {
    Names.Target t = new Names(session.context).relation(name.parts(), name.position());
    if (t instanceof Names.Target.View v) {
      throw Problems.error(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              name.position(),
              "cannot execute MERGE on relation \"" + v.info().name() + "\"")
          .withDetail("This operation is not supported for views.");
    }
    return dml.target(name, "merge into");
  }

  private static void requireReachable(List<MergeWhen> clauses) {
    boolean[] closed = new boolean[2];
    for (MergeWhen w : clauses) {
      int kind = w.matched() ? 1 : 0;
      if (closed[kind]) {
        throw Problems.error(
            ErrorCode.SYNTAX_ERROR,
            0,
            "unreachable WHEN clause specified after unconditional WHEN clause");
      }
      closed[kind] = w.condition() == null;
    }
  }

  /** The joined rows, and the names over them. */
  private final class Joined {
    final TableInfo table;
    final MillTable millTable;
    final Statement.Merge statement;
    final Ctes ctes;
    final Relation from;
    final int at;
    final RelNode joined;

    Joined(TableInfo table, Statement.Merge s, Ctes ctes) {
      this.table = table;
      this.statement = s;
      this.ctes = ctes;
      this.millTable = MillTable.of(table, session.types, true);
      this.from = new FromAnalyser(queries, ctes, null, false).from(s.using().node());
      this.at = from.rel().getRowType().getFieldCount();
      RelNode scan = new MillScan(session.cluster, millTable);
      session.joins++;
      refuseSameNames();
      RelNode pairs = join(scan, rexes.literal(true), Set.of(), JoinRelType.INNER);
      Scope on = scope(pairs.getRowType(), pairs, true, true);
      RexNode condition = dml.over(on, ctes, Clause.JOIN).condition(s.on().node());
      boolean inserts = s.clauses().stream().anyMatch(w -> !w.matched());
      this.joined =
          join(
              scan,
              condition,
              Rels.variables(List.of(condition), on.given()),
              inserts ? JoinRelType.LEFT : JoinRelType.INNER);
    }

    private RelNode join(RelNode scan, RexNode on, Set<CorrelationId> given, JoinRelType type) {
      return LogicalJoin.create(from.rel(), scan, ImmutableList.of(), on, given, type);
    }

    private void refuseSameNames() {
      Name alias = statement.alias();
      String name = alias == null ? table.name() : alias.text();
      for (Entry e : from.entries()) {
        if (e.alias().equals(name)) {
          throw Problems.error(
                  ErrorCode.DUPLICATE_ALIAS, 0, "name \"" + name + "\" specified more than once")
              .withDetail("The name is used both as MERGE target table and data source.");
        }
      }
    }

    /** The names of the target, of the source, or of both, over a row that begins as the join's. */
    private Scope scope(RelDataType row, RelNode rel, boolean target, boolean source) {
      var entries = new ArrayList<Entry>();
      var columns = new ArrayList<Field>();
      if (target) {
        List<Field> fields = DmlAnalyser.fields(table, row, at);
        entries.add(DmlAnalyser.entry(table, statement.alias(), fields));
        columns.addAll(fields);
      }
      if (source) {
        entries.addAll(Relation.moved(from.entries(), 0, rel));
        columns.addAll(Relation.movedFields(from.columns(), 0, rel));
      }
      return new Scope(entries, columns, row, null, rexes.builder());
    }

    RelNode project(List<DmlPlan.MergeAction> actions) {
      RelNode numbered = numbered();
      RexNode number = Rels.ref(numbered, numbered.getRowType().getFieldCount() - 1);
      RelDataType row = numbered.getRowType();
      Scope matched = scope(row, numbered, true, true);
      Scope unmatched = scope(row, numbered, false, true);
      var exprs = new ArrayList<RexNode>();
      for (int id : DmlPlan.keyColumnIds(table)) {
        exprs.add(Rels.ref(numbered, at + millTable.columnIds().indexOf(id)));
      }
      for (int i = 0; i < table.columns().size(); i++) {
        exprs.add(Rels.ref(numbered, at + i));
      }
      exprs.add(number);
      for (MergeWhen w : statement.clauses()) {
        RexNode own = rexes.bool(SqlStdOperatorTable.EQUALS, number, rexes.int4(actions.size()));
        actions.add(action(w, matched, unmatched, own, exprs));
      }
      var given = new LinkedHashSet<>(matched.given());
      given.addAll(unmatched.given());
      return Rels.project(numbered, exprs, java.util.Collections.nCopies(exprs.size(), "c"), given);
    }

    /** The join's row and the number of the clause that takes it. */
    private RelNode numbered() {
      RelDataType row = joined.getRowType();
      Scope both = scope(row, joined, true, true);
      Scope source = scope(row, joined, false, true);
      RexNode present =
          rexes.test(
              SqlStdOperatorTable.IS_NOT_NULL,
              Rels.ref(joined, at + millTable.columnIds().indexOf(table.storage().timeIndexId())));
      var cases = new ArrayList<RexNode>();
      for (int i = 0; i < statement.clauses().size(); i++) {
        MergeWhen w = statement.clauses().get(i);
        RexNode here = w.matched() ? present : rexes.not(present);
        ParsedExpression c = w.condition();
        if (c != null) {
          ExpressionAnalyser with = dml.over(w.matched() ? both : source, ctes, Clause.MERGE);
          // In an AND the condition would be evaluated for the other rows as well.
          RexNode holds = with.condition(c.node());
          here =
              rexes.call(SqlType.BOOL, SqlStdOperatorTable.CASE, here, holds, rexes.literal(false));
        }
        cases.add(here);
        cases.add(rexes.int4(i));
      }
      cases.add(rexes.int4(NO_ACTION));
      var given = new LinkedHashSet<>(both.given());
      given.addAll(source.given());
      RexNode number = rexes.call(SqlType.INT4, SqlStdOperatorTable.CASE, cases);
      return Rels.append(joined, List.of(number), given);
    }

    private DmlPlan.MergeAction action(
        MergeWhen w, Scope matched, Scope unmatched, RexNode own, List<RexNode> exprs) {
      return switch (w.action()) {
        case MergeAction.Nothing n -> new DmlPlan.MergeAction.Nothing();
        case MergeAction.Remove r -> new DmlPlan.MergeAction.Remove();
        case MergeAction.Change c -> {
          var ids = new ArrayList<Integer>();
          var values = new ArrayList<RexNode>();
          dml.assignments(
              c.assignments(), table, dml.over(matched, ctes, Clause.UPDATE), ids, values);
          List<Field> fields = DmlAnalyser.fields(table, matched.row(), at);
          dml.recompute(table, fields, matched.row(), ids, values);
          int first = exprs.size();
          values.forEach(v -> exprs.add(only(own, v)));
          yield new DmlPlan.MergeAction.Change(List.copyOf(ids), first);
        }
        case MergeAction.Add a -> {
          int first = exprs.size();
          row(a, unmatched).forEach(v -> exprs.add(only(own, v)));
          yield new DmlPlan.MergeAction.Add(first);
        }
      };
    }

    private RexNode only(RexNode own, RexNode value) {
      RelDataType type = session.types.createTypeWithNullability(value.getType(), true);
      return rexes
          .builder()
          .makeCall(
              type,
              SqlStdOperatorTable.CASE,
              List.of(own, value, rexes.builder().makeNullLiteral(type)));
    }

    /** The row that INSERT gives: every visible column. */
    private List<RexNode> row(MergeAction.Add a, Scope source) {
      var insert =
          new Statement.Insert(
              null,
              statement.table(),
              statement.alias(),
              a.columns(),
              a.overriding(),
              null,
              false,
              null,
              null);
      List<TableInfo.Column> targets = targets(a);
      ParsedExpression given = a.values();
      List<SqlNode> cells =
          given == null
              ? List.of()
              : ((SqlCall) ((SqlCall) given.node()).operand(0)).getOperandList();
      if (given != null) {
        DmlAnalyser.checkWidth(
            cells.size(),
            insert,
            targets,
            !a.columns().isEmpty(),
            cells.size() > targets.size()
                ? ExpressionAnalyser.position(cells.get(targets.size()))
                : 0);
      }
      ExpressionAnalyser with = dml.over(source, ctes, Clause.UPDATE);
      var row = new ArrayList<RexNode>();
      for (TableInfo.Column c : table.columns()) {
        int place = targets.indexOf(c);
        SqlNode cell = place < 0 || place >= cells.size() ? null : cells.get(place);
        if (cell == null || cell.getKind() == SqlKind.DEFAULT || DmlAnalyser.ignored(c, insert)) {
          row.add(dml.defaultOf(c));
        } else {
          DmlAnalyser.refuseGenerated(c, insert);
          row.add(dml.assigned(with.analyse(cell), c, ExpressionAnalyser.position(cell)));
        }
      }
      return withComputed(row, source.row());
    }

    private List<TableInfo.Column> targets(MergeAction.Add a) {
      if (a.columns().isEmpty()) {
        return table.columns();
      }
      var out = new ArrayList<TableInfo.Column>();
      Set<String> seen = new HashSet<>();
      for (Name n : a.columns()) {
        out.add(DmlAnalyser.column(table, n));
        if (!seen.add(n.text())) {
          throw Problems.error(
              ErrorCode.DUPLICATE_COLUMN,
              n.position(),
              "column \"" + n.text() + "\" specified more than once");
        }
      }
      return out;
    }

    private List<RexNode> withComputed(List<RexNode> row, RelDataType over) {
      var fields = new ArrayList<Field>();
      for (int i = 0; i < row.size(); i++) {
        TableInfo.Column c = table.columns().get(i);
        fields.add(new Field(c.name(), c.type(), row.get(i), table.oid(), c.attnum()));
      }
      var out = new ArrayList<>(row);
      for (int i = 0; i < row.size(); i++) {
        TableInfo.Column c = table.columns().get(i);
        if (c.generated().equals("s") && c.defaultSql().isPresent()) {
          out.set(i, dml.computed(table, c, fields, over));
        }
      }
      return out;
    }
  }
}

package io.millrace.sql.plan;

import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.analyse.Analysed;
import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.StepRows;
import io.millrace.sql.rule.Optimizer;
import io.millrace.sql.rule.Rels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** From one analysed statement to its plan. */
final class Planning {
  private final Analysed.Facts facts;
  private final Optimizer optimizer;
  private final ExprTranslator exprs;
  private final List<SqlType> parameterTypes;

  /** Where the rows of each step begin among the parameters. */
  private final int[] stepAt;

  private final int firstStep;

  /** The step that is planned: the rows of those before it are parameters. */
  private int step;

  private final Map<TableId, TableInfo> scanned = new HashMap<>();

  Planning(Analysed.Facts facts, Folder folder, Optimizer optimizer) {
    this.facts = facts;
    this.optimizer = optimizer;
    this.exprs = new ExprTranslator(facts.pool(), facts.parameterTypes().size(), folder);
    var types = new ArrayList<SqlType>(facts.parameterTypes());
    for (ConstantPool.Entry e : facts.pool().entries()) {
      if (e instanceof ConstantPool.Slot s) {
        types.add(s.type());
      }
    }
    this.firstStep = types.size();
    this.stepAt = new int[facts.steps().size()];
    for (int i = 0; i < stepAt.length; i++) {
      stepAt[i] = types.size();
      types.addAll(facts.steps().get(i).columns());
    }
    this.parameterTypes = List.copyOf(types);
  }

  /** The tables that the plans made so far scan. */
  Map<TableId, TableInfo> scanned() {
    return Map.copyOf(scanned);
  }

  static List<PlanTemplate.ResultColumn> columns(List<Analysed.Output> outputs) {
    var out = new ArrayList<PlanTemplate.ResultColumn>(outputs.size());
    for (Analysed.Output o : outputs) {
      out.add(new PlanTemplate.ResultColumn(o.name(), o.type(), o.tableOid(), o.attnum()));
    }
    return List.copyOf(out);
  }

  PlanTemplate template(RelNode root, List<PlanTemplate.ResultColumn> columns) {
    var physical = new PhysicalPlanner(exprs, stepAt);
    PhysicalPlan plan = physical.plan(optimizer.optimize(root));
    scanned.putAll(physical.scanned());
    List<SqlType> known =
        parameterTypes.subList(0, step < stepAt.length ? stepAt[step] : parameterTypes.size());
    var hoister = new Hoister(known.size());
    PhysicalPlan hoisted = hoister.hoist(plan);
    return new PlanTemplate(
        hoisted, columns, List.copyOf(known), hoister.inits(), Map.copyOf(physical.tables()));
  }

  /** The rows that a data change works on; columns without names of their own. */
  private PlanTemplate source(RelNode root) {
    var columns = new ArrayList<PlanTemplate.ResultColumn>();
    List<SqlType> types = PhysicalPlanner.types(root);
    for (int i = 0; i < types.size(); i++) {
      columns.add(
          new PlanTemplate.ResultColumn(
              root.getRowType().getFieldNames().get(i), types.get(i), 0, 0));
    }
    return template(root, List.copyOf(columns));
  }

  /** A statement with the steps before it; null if it is a query that needs none. */
  @Nullable DmlPlan statement(Analysed analysed) {
    List<Analysed.Step> before = facts.steps();
    if (before.isEmpty()) {
      return analysed instanceof Analysed.Query ? null : dml(analysed);
    }
    var steps = new ArrayList<DmlPlan>();
    for (Analysed.Step s : before) {
      steps.add(dml(s.body()));
      step++;
    }
    if (analysed instanceof Analysed.Query q
        && q.root() instanceof StepRows r
        && r.step() == steps.size() - 1
        && steps.getLast() instanceof DmlPlan.Locking l) {
      // The query is the last step itself.
      steps.set(r.step(), l.named(columns(q.outputs())));
    } else {
      steps.add(dml(analysed));
    }
    return steps.size() == 1 ? steps.getFirst() : new DmlPlan.Steps(List.copyOf(steps), firstStep);
  }

  private DmlPlan dml(Analysed analysed) {
    return switch (analysed) {
      case Analysed.Insert i ->
          new DmlPlan.Insert(
              i.table(),
              source(i.source()),
              checks(i.checks()),
              Optional.ofNullable(i.conflict()).map(c -> conflict(c, i)),
              i.replace(),
              returning(i.returning()));
      case Analysed.Update u ->
          new DmlPlan.Update(
              u.table(),
              source(u.source()),
              List.copyOf(u.columnIds()),
              checks(u.checks()),
              returning(u.returning()));
      case Analysed.Delete d ->
          new DmlPlan.Delete(
              d.table(), source(d.source()), d.everything(), returning(d.returning()));
      case Analysed.Merge m ->
          new DmlPlan.Merge(m.table(), source(m.source()), m.actions(), checks(m.checks()));
      case Analysed.Query q -> new DmlPlan.Read(template(q.root(), columns(q.outputs())));
      case Analysed.Locking l ->
          new DmlPlan.Locking(
              source(l.source()),
              columns(l.outputs()),
              l.tables().stream().map(Planning::locked).toList(),
              whole(l.offset()),
              whole(l.limit()));
      case Analysed.Expression e ->
          throw new IllegalStateException("an expression is no statement");
    };
  }

  private static DmlPlan.LockedTable locked(Analysed.Locked t) {
    return new DmlPlan.LockedTable(t.table(), t.name(), t.keyAt(), t.shared(), t.onLocked());
  }

  private @Nullable Expr whole(@Nullable RexNode count) {
    return count == null ? null : exprs.translate(count, new int[0]);
  }

  private DmlPlan.Conflict conflict(Analysed.Conflict c, Analysed.Insert i) {
    int[] both = identity(2 * i.table().columns().size());
    return new DmlPlan.Conflict(
        c.constraint() == null ? "" : c.constraint(),
        c.doNothing(),
        List.copyOf(c.columnIds()),
        exprs.translate(c.values(), both),
        Optional.ofNullable(c.where()).map(w -> exprs.translate(w, both)));
  }

  private List<DmlPlan.Check> checks(List<Analysed.Check> checks) {
    var out = new ArrayList<DmlPlan.Check>();
    for (Analysed.Check c : checks) {
      out.add(new DmlPlan.Check(c.name(), over(c.condition()), c.domain()));
    }
    return List.copyOf(out);
  }

  private Optional<DmlPlan.Returning> returning(Analysed.@Nullable Returning r) {
    if (r == null) {
      return Optional.empty();
    }
    var out = new ArrayList<Expr>();
    for (RexNode n : r.exprs()) {
      out.add(over(n));
    }
    return Optional.of(new DmlPlan.Returning(List.copyOf(out), columns(r.outputs())));
  }

  private Expr over(RexNode node) {
    return exprs.translate(node, identity(Rels.refs(node).length()));
  }

  private static int[] identity(int n) {
    int[] out = new int[n];
    for (int i = 0; i < n; i++) {
      out[i] = i;
    }
    return out;
  }

  /** An expression without parameters: free slots become the literals they are. */
  Expr alone(RexNode node) {
    return slotsAsLiterals(over(node));
  }

  private Expr slotsAsLiterals(Expr e) {
    int given = facts.parameterTypes().size();
    if (e instanceof Expr.Param p && p.index() >= given) {
      for (ConstantPool.Entry entry : facts.pool().entries()) {
        if (entry instanceof ConstantPool.Slot s && s.slot() == p.index() - given) {
          return new Expr.Literal(s.type(), s.value());
        }
      }
    }
    return Exprs.map(e, this::slotsAsLiterals);
  }
}

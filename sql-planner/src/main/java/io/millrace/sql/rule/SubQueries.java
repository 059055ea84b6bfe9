package io.millrace.sql.rule;

import com.google.common.collect.ImmutableSet;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.MillAggFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTypeFactory;
import io.millrace.sql.plan.rel.ProjectSet;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Sub-queries become joins.
 *
 * <p>EXISTS and IN are semi, anti or mark joins; a scalar one is a join with its one row. Where a
 * sub-query reads the row around it, {@link Decorrelation} draws the conditions that do so up into
 * the join's condition; a scalar aggregate over equalities with the outer row becomes a grouped
 * aggregate and a left join. What none of this fits stays a Correlate, which runs the sub-query per
 * row and is always right. Calcite's own decorrelators are not used: they know COUNT by its Java
 * class and would give NULL for our count over no rows.
 *
 * <p>A mark is NULL where the answer is unknown. Conditions drawn up must not make it so (in the
 * sub-query they would only have dropped rows), hence equalities among them become null-safe with a
 * test of NULL below; in other conditions of a mark join NULL counts as false.
 */
final class SubQueries {
  private final RelNode scope;
  private final RexBuilder rex;
  private final MillTypeFactory types;
  private final Decorrelation decorrelation;

  SubQueries(RelNode root, boolean decorrelate) {
    scope = root;
    rex = root.getCluster().getRexBuilder();
    types = Rels.types(root);
    decorrelation = new Decorrelation(root, decorrelate);
  }

  RelNode rewrite(RelNode rel) {
    var inputs = new ArrayList<RelNode>(rel.getInputs().size());
    for (RelNode input : rel.getInputs()) {
      inputs.add(rewrite(input));
    }
    RelNode node = Rels.with(rel, inputs);
    return switch (node) {
      case Filter f when Rels.hasSubQuery(f.getCondition()) -> filter(f);
      case Project p when Rels.hasSubQuery(p.getProjects()) -> project(p);
      case Join j when Rels.hasSubQuery(j.getCondition()) -> join(j);
      case ConstantRows c -> constantRows(c);
      case ProjectSet s when Rels.hasSubQuery(s.items()) -> projectSet(s);
      case LogicalCorrelate c -> correlate(c);
      default -> node;
    };
  }

  private static SqlOperator comparisonOf(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      default -> throw new IllegalStateException("comparison " + kind);
    };
  }

  // ---- nodes with sub-queries in their expressions ----

  private RelNode filter(Filter f) {
    int width = Rels.width(f.getInput());
    Set<CorrelationId> ids = f.getVariablesSet();
    var plain = new ArrayList<RexNode>();
    var others = new ArrayList<RexNode>();
    for (RexNode c : Rels.conjunctions(f.getCondition())) {
      (Rels.hasSubQuery(c) ? others : plain).add(c);
    }
    RelNode input = Rels.filter(f.getInput(), plain);
    for (RexNode c : others) {
      input = conjunct(input, c, ids);
    }
    return Rels.project(input, Rels.refs(f.getInput(), 0, width), f.getRowType());
  }

  private RelNode conjunct(RelNode input, RexNode c, Set<CorrelationId> ids) {
    boolean negated = false;
    RexNode inner = c;
    while (inner instanceof RexCall call && call.getKind() == SqlKind.NOT) {
      negated = !negated;
      inner = call.getOperands().get(0);
    }
    if (inner instanceof RexSubQuery q
        && !Rels.hasSubQuery(q.getOperands())
        && (q.getKind() == SqlKind.EXISTS || q.getKind() == SqlKind.IN)) {
      RelNode semi = semi(input, q, negated, ids);
      if (semi != null) {
        return semi;
      }
    }
    RelNode filtered = comparedWithOneRow(input, c, ids);
    if (filtered != null) {
      return filtered;
    }
    var attached = new Attached(input, ids);
    RexNode condition = attached.replace(c);
    return Rels.filter(attached.rel, Rels.conjunctions(condition));
  }

  /**
   * A column compared with an uncorrelated scalar sub-query: the sub-query's one row comes first
   * and the column is compared with its value as with a parameter, so that a scan can use it.
   */
  private @Nullable RelNode comparedWithOneRow(RelNode input, RexNode c, Set<CorrelationId> ids) {
    if (!(c instanceof RexCall call) || Rels.flipped(call.getKind()) == null) {
      return null;
    }
    RexNode a = call.getOperands().get(0);
    RexNode b = call.getOperands().get(1);
    boolean first = a instanceof RexInputRef;
    RexNode value = first ? b : a;
    if (!(first || b instanceof RexInputRef)
        || !Rels.refs(value).isEmpty()
        || !Rels.isStableWithoutQueries(value)) {
      return null;
    }
    for (CorrelationId id : ids) {
      if (Rels.uses(value, id)) {
        return null;
      }
    }
    RelNode none =
        new ConstantRows(input.getCluster(), types.builder().build(), List.of(List.<RexNode>of()));
    var attached = new Attached(none, Set.of());
    List<RexNode> values = List.of(attached.replace(value));
    RelNode row = Rels.project(attached.rel, values);
    CorrelationId id = input.getCluster().createCorrel();
    RexNode outer = rex.makeFieldAccess(rex.makeCorrel(row.getRowType(), id), 0);
    RexNode compared =
        Rels.bool(scope, call.getOperator(), first ? List.of(a, outer) : List.of(outer, b));
    RelNode right = Rels.filter(input, List.of(compared));
    RelNode joined = correlate(row, right, id, JoinRelType.INNER);
    return Rels.project(joined, Rels.refs(joined, 1, Rels.width(joined)), input.getRowType());
  }

  private RelNode project(Project p) {
    var attached = new Attached(p.getInput(), p.getVariablesSet());
    List<RexNode> exprs = attached.replace(p.getProjects());
    return Rels.project(attached.rel, exprs, p.getRowType());
  }

  private RelNode projectSet(ProjectSet s) {
    var attached = new Attached(s.getInput(), Rels.variables(s.items()));
    List<RexNode> items = attached.replace(s.items());
    return new ProjectSet(attached.rel, items, s.getRowType());
  }

  /** Only conditions over one side of an outer join can be moved below it. */
  private RelNode join(Join j) {
    Set<CorrelationId> ids = j.getVariablesSet();
    int leftWidth = Rels.width(j.getLeft());
    if (j.getJoinType() == JoinRelType.INNER) {
      var plain = new ArrayList<RexNode>();
      var others = new ArrayList<RexNode>();
      for (RexNode c : Rels.conjunctions(j.getCondition())) {
        (Rels.hasSubQuery(c) ? others : plain).add(c);
      }
      RelNode joined = Rels.join(j.getLeft(), j.getRight(), JoinRelType.INNER, plain);
      int width = Rels.width(joined);
      RelNode out = joined;
      for (RexNode c : others) {
        out = conjunct(out, c, ids);
      }
      return Rels.project(out, Rels.refs(joined, 0, width), j.getRowType());
    }
    if (j.getJoinType() == JoinRelType.LEFT) {
      return outer(j.getLeft(), j.getRight(), j.getCondition(), ids);
    }
    if (j.getJoinType() == JoinRelType.RIGHT) {
      int[] to = new int[leftWidth + Rels.width(j.getRight())];
      for (int i = 0; i < to.length; i++) {
        to[i] = i < leftWidth ? i + Rels.width(j.getRight()) : i - leftWidth;
      }
      var swap =
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              return new RexInputRef(to[ref.getIndex()], ref.getType());
            }

            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
              return ofOuter(access, ids)
                      && access.getReferenceExpr() instanceof RexCorrelVariable v
                  ? rex.makeFieldAccess(
                      rex.makeCorrel(swapped(j), v.id), to[access.getField().getIndex()])
                  : super.visitFieldAccess(access);
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery q) {
              return inside(q, this);
            }
          };
      RelNode joined = outer(j.getRight(), j.getLeft(), j.getCondition().accept(swap), ids);
      var exprs = new ArrayList<RexNode>();
      for (int i : to) {
        exprs.add(Rels.ref(joined, i));
      }
      return Rels.project(joined, exprs, j.getRowType());
    }
    throw new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions");
  }

  private RelDataType swapped(Join j) {
    return types
        .builder()
        .addAll(j.getRight().getRowType().getFieldList())
        .addAll(j.getLeft().getRowType().getFieldList())
        .build();
  }

  /**
   * A left join whose condition has sub-queries: the condition filters the right side, laterally.
   */
  private RelNode outer(RelNode left, RelNode right, RexNode condition, Set<CorrelationId> ids) {
    int leftWidth = Rels.width(left);
    CorrelationId id = left.getCluster().createCorrel();
    RexNode row = rex.makeCorrel(left.getRowType(), id);
    var move =
        new RexShuttle() {
          private boolean within;

          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            if (within) {
              return ref;
            }
            return ref.getIndex() < leftWidth
                ? rex.makeFieldAccess(row, ref.getIndex())
                : new RexInputRef(ref.getIndex() - leftWidth, ref.getType());
          }

          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            if (!ofOuter(access, ids)
                || !(access.getReferenceExpr() instanceof RexCorrelVariable v)) {
              return super.visitFieldAccess(access);
            }
            int at = access.getField().getIndex();
            return at < leftWidth
                ? rex.makeFieldAccess(row, at)
                : rex.makeFieldAccess(rex.makeCorrel(right.getRowType(), v.id), at - leftWidth);
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery q) {
            RexSubQuery moved = (RexSubQuery) super.visitSubQuery(q);
            within = true;
            RelNode rel = replaced(moved.rel, this);
            within = false;
            return moved.clone(rel);
          }
        };
    RelNode filtered =
        rewrite(LogicalFilter.create(right, condition.accept(move), ImmutableSet.copyOf(ids)));
    return correlate(
        LogicalCorrelate.create(
            left, filtered, List.of(), id, Rels.fieldsUsed(filtered, id), JoinRelType.LEFT));
  }

  private static boolean ofOuter(RexFieldAccess access, Set<CorrelationId> ids) {
    return access.getReferenceExpr() instanceof RexCorrelVariable v && ids.contains(v.id);
  }

  private static RexNode inside(RexSubQuery q, RexShuttle fields) {
    var onlyFields =
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            return fields.visitFieldAccess(access);
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery inner) {
            return inner.clone(replaced(inner.rel, this));
          }
        };
    var operands = new ArrayList<RexNode>();
    for (RexNode o : q.getOperands()) {
      operands.add(o.accept(fields));
    }
    return q.clone(q.getType(), operands).clone(replaced(q.rel, onlyFields));
  }

  private static RelNode replaced(RelNode rel, RexShuttle shuttle) {
    var inputs = new ArrayList<RelNode>();
    for (RelNode input : rel.getInputs()) {
      inputs.add(replaced(input, shuttle));
    }
    return Rels.with(rel, inputs).accept(shuttle);
  }

  private RelNode constantRows(ConstantRows c) {
    boolean found = false;
    for (List<RexNode> row : c.rows()) {
      found |= Rels.hasSubQuery(row);
    }
    if (!found) {
      return c;
    }
    var parts = new ArrayList<RelNode>();
    for (List<RexNode> row : c.rows()) {
      var attached =
          new Attached(
              new ConstantRows(
                  c.getCluster(), types.builder().build(), List.of(List.<RexNode>of())),
              Set.of());
      List<RexNode> exprs = attached.replace(row);
      parts.add(Rels.project(attached.rel, exprs, c.getRowType()));
    }
    return parts.size() == 1 ? parts.get(0) : LogicalUnion.create(parts, true);
  }

  /** LATERAL. */
  private RelNode correlate(LogicalCorrelate c) {
    CorrelationId id = c.getCorrelationId();
    JoinRelType type = c.getJoinType();
    if (!Rels.uses(c.getRight(), id)) {
      return Rels.join(c.getLeft(), c.getRight(), type, List.of());
    }
    if (type != JoinRelType.INNER && type != JoinRelType.LEFT) {
      return c;
    }
    Decorrelation.Pulled pulled = decorrelation.pull(c.getRight(), id, false);
    if (pulled != null) {
      RelNode joined = joinPulled(c.getLeft(), pulled, id, type);
      int width = Rels.width(c.getLeft());
      var exprs = new ArrayList<>(Rels.refs(joined, 0, width));
      exprs.addAll(Rels.refs(joined, width, width + Rels.width(c.getRight())));
      return Rels.project(joined, exprs, c.getRowType());
    }
    Decorrelation.Grouped grouped = decorrelation.grouped(c.getLeft(), c.getRight(), id);
    if (grouped != null) {
      var exprs = new ArrayList<>(Rels.refs(grouped.rel(), 0, Rels.width(c.getLeft())));
      exprs.addAll(grouped.values());
      return Rels.project(grouped.rel(), exprs, c.getRowType());
    }
    return c;
  }

  private RelNode joinPulled(
      RelNode left, Decorrelation.Pulled pulled, CorrelationId id, JoinRelType type) {
    return Rels.join(left, pulled.rel(), type, bound(left, pulled, id));
  }

  private List<RexNode> bound(RelNode left, Decorrelation.Pulled pulled, CorrelationId id) {
    var out = new ArrayList<RexNode>();
    for (RexNode c : pulled.conditions()) {
      out.add(Rels.bind(Rels.shift(c, Rels.width(left)), id, left.getRowType().getFieldList()));
    }
    return out;
  }

  // ---- EXISTS and IN at the top of a condition ----

  private @Nullable RelNode semi(
      RelNode left, RexSubQuery q, boolean negated, Set<CorrelationId> ids) {
    RelNode right = rewrite(q.rel);
    CorrelationId id = used(right, ids);
    boolean in = q.getKind() == SqlKind.IN;
    List<RexNode> conditions = new ArrayList<>();
    if (id != null) {
      Decorrelation.Pulled pulled = decorrelation.pull(right, id, !in);
      if (pulled == null) {
        return in
            ? null
            : correlate(left, right, id, negated ? JoinRelType.ANTI : JoinRelType.SEMI);
      }
      right = pulled.rel();
      conditions.addAll(bound(left, pulled, id));
    } else if (!in) {
      right = decorrelation.existence(right);
    }
    if (in) {
      List<RexNode> equalities = equalities(left, q.getOperands(), right);
      if (negated && mayBeNull(equalities)) {
        return id == null ? mark(left, right, equalities, conditions, true) : null;
      }
      conditions.addAll(0, equalities);
    }
    return Rels.join(left, right, negated ? JoinRelType.ANTI : JoinRelType.SEMI, conditions);
  }

  private RelNode correlate(RelNode left, RelNode right, CorrelationId id, JoinRelType type) {
    return LogicalCorrelate.create(left, right, List.of(), id, Rels.fieldsUsed(right, id), type);
  }

  private List<RexNode> equalities(RelNode left, List<RexNode> operands, RelNode right) {
    var out = new ArrayList<RexNode>();
    for (int i = 0; i < operands.size(); i++) {
      out.add(
          Rels.bool(
              scope,
              SqlStdOperatorTable.EQUALS,
              List.of(operands.get(i), Rels.shift(Rels.ref(right, i), Rels.width(left)))));
    }
    return out;
  }

  private static boolean mayBeNull(List<RexNode> equalities) {
    for (RexNode e : equalities) {
      for (RexNode o : ((RexCall) e).getOperands()) {
        if (o.getType().isNullable()) {
          return true;
        }
      }
    }
    return false;
  }

  /** left with a mark, and the filter that wants it false. */
  private RelNode mark(
      RelNode left,
      RelNode right,
      List<RexNode> comparisons,
      List<RexNode> drawnUp,
      boolean wantFalse) {
    RelNode joined = markJoin(left, right, comparisons, drawnUp);
    RexNode mark = Rels.ref(joined, Rels.width(joined) - 1);
    return Rels.filter(
        joined,
        List.of(wantFalse ? Rels.bool(scope, SqlStdOperatorTable.NOT, List.of(mark)) : mark));
  }

  private RelNode markJoin(
      RelNode left, RelNode right, List<RexNode> comparisons, List<RexNode> drawnUp) {
    int width = Rels.width(left);
    var conditions = new ArrayList<>(comparisons);
    var tests = new ArrayList<RexNode>();
    for (RexNode c : drawnUp) {
      RexNode equal = nullSafe(c, width, tests);
      conditions.add(equal != null ? equal : c);
    }
    return Rels.join(left, Rels.filter(right, tests), JoinRelType.LEFT_MARK, conditions);
  }

  private @Nullable RexNode nullSafe(RexNode c, int width, List<RexNode> tests) {
    if (!(c instanceof RexCall call) || call.getKind() != SqlKind.EQUALS) {
      return null;
    }
    RexNode a = call.getOperands().get(0);
    RexNode b = call.getOperands().get(1);
    ImmutableBitSet refsA = Rels.refs(a);
    ImmutableBitSet refsB = Rels.refs(b);
    RexNode inner;
    if (!refsA.isEmpty() && refsA.nextSetBit(0) >= width && refsB.length() <= width) {
      inner = a;
    } else if (!refsB.isEmpty() && refsB.nextSetBit(0) >= width && refsA.length() <= width) {
      inner = b;
    } else {
      return null;
    }
    tests.add(Rels.test(scope, SqlStdOperatorTable.IS_NOT_NULL, Rels.shift(inner, -width)));
    return Rels.test(scope, SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, a, b);
  }

  private static @Nullable CorrelationId used(RelNode rel, Set<CorrelationId> ids) {
    for (CorrelationId id : ids) {
      if (Rels.uses(rel, id)) {
        return id;
      }
    }
    return null;
  }

  // ---- sub-queries as values ----

  /** An input that grows by a column for each sub-query of the expressions over it. */
  private final class Attached {
    RelNode rel;
    private final Set<CorrelationId> ids;

    Attached(RelNode rel, Set<CorrelationId> ids) {
      this.rel = rel;
      this.ids = ids;
    }

    List<RexNode> replace(List<RexNode> nodes) {
      var out = new ArrayList<RexNode>(nodes.size());
      for (RexNode n : nodes) {
        out.add(replace(n));
      }
      return out;
    }

    RexNode replace(RexNode node) {
      return node.accept(
          new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery q) {
              return attach(q);
            }
          });
    }

    RexNode attach(RexSubQuery q) {
      var operands = new ArrayList<RexNode>();
      for (RexNode o : q.getOperands()) {
        operands.add(replace(o));
      }
      RelNode right = SubQueries.this.rewrite(q.rel);
      CorrelationId id = used(right, ids);
      return switch (q.getKind()) {
        case SCALAR_QUERY -> scalar(right, id);
        case EXISTS -> exists(right, id);
        case IN -> comparison(right, id, operands, SqlStdOperatorTable.EQUALS);
        case SOME ->
            comparison(
                right,
                id,
                operands,
                comparisonOf(((SqlQuantifyOperator) q.getOperator()).comparisonKind));
        case ARRAY_QUERY_CONSTRUCTOR -> array(right, id, q.getType());
        default -> throw new IllegalStateException("sub-query " + q.getKind());
      };
    }

    private RexNode last() {
      return Rels.ref(rel, Rels.width(rel) - 1);
    }

    private RexNode scalar(RelNode right, @Nullable CorrelationId id) {
      if (id == null) {
        boolean alone = rel instanceof ConstantRows c && Rels.width(c) == 0 && c.rows().size() == 1;
        RelNode one = decorrelation.oneRow(right);
        rel = alone ? one : Rels.join(rel, one, JoinRelType.INNER, List.of());
        return last();
      }
      Decorrelation.Grouped grouped = decorrelation.grouped(rel, right, id);
      if (grouped != null) {
        rel = grouped.rel();
        return grouped.values().get(0);
      }
      rel = correlate(rel, decorrelation.oneRow(right), id, JoinRelType.INNER);
      return last();
    }

    private RexNode exists(RelNode right, @Nullable CorrelationId id) {
      if (id == null) {
        rel = markJoin(rel, decorrelation.existence(right), List.of(), List.of());
        return last();
      }
      Decorrelation.Pulled pulled = decorrelation.pull(right, id, true);
      if (pulled != null) {
        rel = markJoin(rel, pulled.rel(), List.of(), bound(rel, pulled, id));
        return last();
      }
      RelDataType int8 = types.of(SqlType.INT8, false);
      RelNode first =
          LogicalSort.create(
              right, RelCollations.EMPTY, null, rex.makeExactLiteral(BigDecimal.ONE, int8));
      var count = new MillAggFunction(new FunctionId("count()"), SqlType.INT8, 0, false);
      RelNode counted =
          LogicalAggregate.create(
              first,
              List.of(),
              ImmutableBitSet.of(),
              null,
              List.of(
                  AggregateCall.create(
                      count,
                      false,
                      false,
                      false,
                      List.of(),
                      List.of(),
                      -1,
                      null,
                      RelCollations.EMPTY,
                      types.of(SqlType.INT8),
                      null)));
      RexNode any =
          Rels.test(
              scope,
              SqlStdOperatorTable.GREATER_THAN,
              Rels.ref(counted, 0),
              rex.makeExactLiteral(BigDecimal.ZERO, int8));
      rel = correlate(rel, Rels.project(counted, List.of(any)), id, JoinRelType.INNER);
      return last();
    }

    private RexNode comparison(
        RelNode right, @Nullable CorrelationId id, List<RexNode> operands, SqlOperator op) {
      Decorrelation.Pulled pulled =
          id == null
              ? new Decorrelation.Pulled(right, List.of())
              : decorrelation.pull(right, id, false);
      if (pulled != null) {
        List<RexNode> comparisons = comparisons(operands, pulled.rel(), op);
        List<RexNode> drawnUp = id == null ? List.of() : bound(rel, pulled, id);
        if (op != SqlStdOperatorTable.EQUALS) {
          return ordered(pulled.rel(), comparisons, drawnUp);
        }
        rel = markJoin(rel, pulled.rel(), comparisons, drawnUp);
        return last();
      }
      return marked(right, java.util.Objects.requireNonNull(id), operands, op);
    }

    private List<RexNode> comparisons(List<RexNode> operands, RelNode right, SqlOperator op) {
      var out = new ArrayList<RexNode>();
      for (int i = 0; i < operands.size(); i++) {
        out.add(
            Rels.bool(
                scope,
                op,
                List.of(operands.get(i), Rels.shift(Rels.ref(right, i), Rels.width(rel)))));
      }
      return out;
    }

    /** Two marks: whether a comparison is true, and whether one is NULL. */
    private RexNode ordered(RelNode right, List<RexNode> comparisons, List<RexNode> drawnUp) {
      RexNode compared = Rels.and(scope, comparisons);
      rel = markJoin(rel, right, List.of(), added(compared, drawnUp));
      RexNode any = last();
      if (!compared.getType().isNullable()) {
        return any;
      }
      int width = Rels.width(rel) - 1;
      var widened = new ArrayList<RexNode>();
      for (RexNode c : added(Rels.test(scope, SqlStdOperatorTable.IS_NULL, compared), drawnUp)) {
        widened.add(shiftRight(c, width));
      }
      rel = markJoin(rel, right, List.of(), widened);
      return orUnknown(any, last());
    }

    private static List<RexNode> added(RexNode first, List<RexNode> others) {
      var out = new ArrayList<RexNode>();
      out.add(first);
      out.addAll(others);
      return out;
    }

    /** The left side has grown by one column. */
    private static RexNode shiftRight(RexNode node, int width) {
      return node.accept(
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              return ref.getIndex() < width
                  ? ref
                  : new RexInputRef(ref.getIndex() + 1, ref.getType());
            }
          });
    }

    private RexNode orUnknown(RexNode any, RexNode unknown) {
      RelDataType bool = types.of(SqlType.BOOL);
      return rex.makeCall(
          bool,
          SqlStdOperatorTable.CASE,
          List.of(
              any,
              rex.makeLiteral(true),
              unknown,
              rex.makeNullLiteral(bool),
              rex.makeLiteral(false)));
    }

    /** Per row: true if any comparison is, else NULL if any is NULL, else false. */
    private RexNode marked(
        RelNode right, CorrelationId id, List<RexNode> operands, SqlOperator op) {
      RelDataType row = rel.getRowType();
      RexNode outer = rex.makeCorrel(row, id);
      var equal = new ArrayList<RexNode>();
      for (int i = 0; i < operands.size(); i++) {
        RexNode operand =
            operands
                .get(i)
                .accept(
                    new RexShuttle() {
                      @Override
                      public RexNode visitInputRef(RexInputRef ref) {
                        return rex.makeFieldAccess(outer, ref.getIndex());
                      }
                    });
        equal.add(Rels.bool(scope, op, List.of(operand, Rels.ref(right, i))));
      }
      RexNode matches = Rels.and(scope, equal);
      RelNode tests =
          Rels.project(
              right, List.of(matches, Rels.test(scope, SqlStdOperatorTable.IS_NULL, matches)));
      RelDataType bool = types.of(SqlType.BOOL);
      var or = new MillAggFunction(new FunctionId("bool_or(bool)"), SqlType.BOOL, 0, false);
      RelNode folded =
          LogicalAggregate.create(
              tests,
              List.of(),
              ImmutableBitSet.of(),
              null,
              List.of(aggregate(or, 0, bool), aggregate(or, 1, bool)));
      RelNode joined = correlate(rel, folded, id, JoinRelType.INNER);
      int width = Rels.width(rel);
      RexNode any = Rels.ref(joined, width);
      RexNode unknown = Rels.ref(joined, width + 1);
      RexNode mark = orUnknown(any, unknown);
      var exprs = new ArrayList<>(Rels.refs(joined, 0, width));
      exprs.add(mark);
      rel = Rels.project(joined, exprs);
      return last();
    }

    private AggregateCall aggregate(MillAggFunction f, int arg, RelDataType type) {
      return AggregateCall.create(
          f,
          false,
          false,
          false,
          List.of(),
          List.of(arg),
          -1,
          null,
          RelCollations.EMPTY,
          type,
          null);
    }

    private RexNode array(RelNode right, @Nullable CorrelationId id, RelDataType type) {
      SqlType array = MillTypeFactory.sqlType(type);
      SqlType element = MillTypeFactory.sqlType(right.getRowType().getFieldList().get(0).getType());
      String signature = element.isArray() ? "array_agg(anyarray)" : "array_agg(anynonarray)";
      var f = new MillAggFunction(new FunctionId(signature), array, 0, false);
      RelNode folded =
          LogicalAggregate.create(
              right,
              List.of(),
              ImmutableBitSet.of(),
              null,
              List.of(aggregate(f, 0, types.of(array))));
      RexNode value = scalar(folded, id);
      return rex.makeCall(
          types.of(array),
          MillOperators.COALESCE,
          List.of(value, rex.makeCall(types.of(array), MillOperators.ARRAY_OF, List.of())));
    }
  }
}

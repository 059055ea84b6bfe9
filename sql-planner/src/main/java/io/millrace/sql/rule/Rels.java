package io.millrace.sql.rule;

import com.google.common.collect.ImmutableSet;
import io.millrace.common.type.SqlType;
import io.millrace.sql.plan.rel.MillFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTypeFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Small tools over trees and expressions; none of them simplifies. */
public final class Rels {
  private Rels() {}

  // ---- expressions ----

  public static List<RexNode> conjunctions(@Nullable RexNode condition) {
    return RelOptUtil.conjunctions(condition);
  }

  public static ImmutableBitSet refs(RexNode node) {
    return RelOptUtil.InputFinder.bits(node);
  }

  public static ImmutableBitSet refs(Collection<? extends RexNode> nodes) {
    var out = ImmutableBitSet.builder();
    for (RexNode n : nodes) {
      out.addAll(refs(n));
    }
    return out.build();
  }

  /** Whether equal inputs give equal results within a statement; sets are not values. */
  public static boolean isStable(RexNode node) {
    boolean[] stable = {true};
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            if (call.getOperator() instanceof MillFunction f
                && (f.volatility() == 'v' || f.returnsSet())) {
              stable[0] = false;
            }
            if (call.getOperator() instanceof MillOperators.Quantified q
                && q.op() instanceof MillFunction f
                && f.volatility() == 'v') {
              stable[0] = false;
            }
            return super.visitCall(call);
          }

          @Override
          public Void visitSubQuery(RexSubQuery q) {
            stable[0] = false;
            return null;
          }
        });
    return stable[0];
  }

  /** As {@link #isStable}, whatever sub-queries there are. */
  static boolean isStableWithoutQueries(RexNode node) {
    boolean[] found = {false};
    RexNode plain =
        node.accept(
            new RexShuttle() {
              @Override
              public RexNode visitSubQuery(RexSubQuery q) {
                found[0] |= q.getKind() == SqlKind.SCALAR_QUERY;
                return RexInputRef.of(0, List.of(q.rel.getRowType().getFieldList().get(0)));
              }
            });
    return found[0] && isStable(plain);
  }

  static boolean hasSubQuery(RexNode node) {
    boolean[] found = {false};
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitSubQuery(RexSubQuery q) {
            found[0] = true;
            return null;
          }
        });
    return found[0];
  }

  static boolean hasSubQuery(Collection<? extends RexNode> nodes) {
    for (RexNode n : nodes) {
      if (hasSubQuery(n)) {
        return true;
      }
    }
    return false;
  }

  /** Input references moved. */
  public static RexNode shift(RexNode node, int by) {
    return by == 0
        ? node
        : node.accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                return new RexInputRef(ref.getIndex() + by, ref.getType());
              }
            });
  }

  /** Input references sent to other places. */
  public static RexNode permute(RexNode node, int[] to) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return new RexInputRef(to[ref.getIndex()], ref.getType());
          }
        });
  }

  /** Input references replaced by the expressions that make them. */
  public static RexNode substitute(RexNode node, List<? extends RexNode> by) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return by.get(ref.getIndex());
          }
        });
  }

  /** Fields of a correlation variable replaced by references to the row it stands for. */
  public static RexNode bind(RexNode node, CorrelationId id, List<RelDataTypeField> row) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable v && v.id.equals(id)) {
              int at = access.getField().getIndex();
              return new RexInputRef(at, row.get(at).getType());
            }
            return super.visitFieldAccess(access);
          }
        });
  }

  /** Correlation variables that the sub-queries of expressions read. */
  static Set<CorrelationId> variables(List<RexNode> nodes) {
    var out = new LinkedHashSet<CorrelationId>();
    for (RexNode n : nodes) {
      n.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitSubQuery(RexSubQuery q) {
              variables(q.rel, out);
              return super.visitSubQuery(q);
            }
          });
    }
    return out;
  }

  private static void variables(RelNode rel, Set<CorrelationId> out) {
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCorrelVariable(RexCorrelVariable v) {
            out.add(v.id);
            return v;
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery q) {
            variables(q.rel, out);
            return super.visitSubQuery(q);
          }
        });
    rel.getInputs().forEach(input -> variables(input, out));
  }

  static boolean uses(RexNode node, CorrelationId id) {
    boolean[] found = {false};
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCorrelVariable(RexCorrelVariable v) {
            found[0] |= v.id.equals(id);
            return null;
          }

          @Override
          public Void visitSubQuery(RexSubQuery q) {
            found[0] |= Rels.uses(q.rel, id);
            return super.visitSubQuery(q);
          }
        });
    return found[0];
  }

  /** Whether an expression anywhere in the tree reads the correlation variable. */
  static boolean uses(RelNode rel, CorrelationId id) {
    boolean[] found = {false};
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCorrelVariable(RexCorrelVariable v) {
            found[0] |= v.id.equals(id);
            return v;
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery q) {
            found[0] |= Rels.uses(q.rel, id);
            return super.visitSubQuery(q);
          }
        });
    if (!found[0]) {
      for (RelNode input : rel.getInputs()) {
        if (uses(input, id)) {
          return true;
        }
      }
    }
    return found[0];
  }

  /** The fields of a correlation variable that a tree reads. */
  public static ImmutableBitSet fieldsUsed(RelNode rel, CorrelationId id) {
    var out = ImmutableBitSet.builder();
    collectFields(rel, id, out);
    return out.build();
  }

  private static void collectFields(RelNode rel, CorrelationId id, ImmutableBitSet.Builder out) {
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable v && v.id.equals(id)) {
              out.set(access.getField().getIndex());
            }
            return access;
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery q) {
            collectFields(q.rel, id, out);
            return super.visitSubQuery(q);
          }
        });
    for (RelNode input : rel.getInputs()) {
      collectFields(input, id, out);
    }
  }

  /** Whether NULL in the given columns makes the expression NULL. */
  static boolean strictOn(RexNode node, ImmutableBitSet columns) {
    if (node instanceof RexInputRef ref) {
      return columns.get(ref.getIndex());
    }
    if (!(node instanceof RexCall call)) {
      return false;
    }
    switch (call.getKind()) {
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL,
          NOT -> {
        return anyStrict(call.getOperands(), columns);
      }
      default -> {
        return call.getOperator() instanceof MillFunction f
            ? f.strict() && anyStrict(call.getOperands(), columns)
            : call.getOperator() == MillOperators.IN_LIST
                && strictOn(call.getOperands().get(0), columns);
      }
    }
  }

  private static boolean anyStrict(List<RexNode> nodes, ImmutableBitSet columns) {
    for (RexNode n : nodes) {
      if (strictOn(n, columns)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a condition cannot be true where the given columns are NULL. */
  static boolean rejectsNull(RexNode condition, ImmutableBitSet columns) {
    if (condition instanceof RexCall call) {
      switch (call.getKind()) {
        case AND -> {
          return call.getOperands().stream().anyMatch(o -> rejectsNull(o, columns));
        }
        case OR -> {
          return call.getOperands().stream().allMatch(o -> rejectsNull(o, columns));
        }
        case IS_NOT_NULL, IS_TRUE, IS_FALSE -> {
          return strictOn(call.getOperands().get(0), columns);
        }
        default -> {}
      }
    }
    return strictOn(condition, columns);
  }

  static boolean isTrue(RexNode node) {
    return node instanceof RexLiteral && node.isAlwaysTrue();
  }

  static RexNode and(RelNode scope, List<RexNode> conjuncts) {
    if (conjuncts.isEmpty()) {
      return scope.getCluster().getRexBuilder().makeLiteral(true);
    }
    return conjuncts.size() == 1
        ? conjuncts.get(0)
        : bool(scope, SqlStdOperatorTable.AND, conjuncts);
  }

  static RexNode bool(RelNode scope, SqlOperator op, List<RexNode> operands) {
    boolean nullable = false;
    for (RexNode o : operands) {
      nullable |= o.getType().isNullable();
    }
    MillTypeFactory types = types(scope);
    return scope
        .getCluster()
        .getRexBuilder()
        .makeCall(types.of(SqlType.BOOL, nullable), op, operands);
  }

  static RexNode test(RelNode scope, SqlOperator op, RexNode... operands) {
    return scope
        .getCluster()
        .getRexBuilder()
        .makeCall(types(scope).of(SqlType.BOOL, false), op, List.of(operands));
  }

  static MillTypeFactory types(RelNode scope) {
    return (MillTypeFactory) scope.getCluster().getTypeFactory();
  }

  /** The comparison with its sides exchanged; null if it is no comparison. */
  public static @Nullable SqlOperator flipped(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.LESS_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      default -> null;
    };
  }

  // ---- trees ----

  public static int width(RelNode rel) {
    return rel.getRowType().getFieldCount();
  }

  static RexInputRef ref(RelNode rel, int index) {
    return new RexInputRef(index, rel.getRowType().getFieldList().get(index).getType());
  }

  static List<RexNode> refs(RelNode rel, int from, int to) {
    var out = new ArrayList<RexNode>(to - from);
    for (int i = from; i < to; i++) {
      out.add(ref(rel, i));
    }
    return out;
  }

  /** The expression with its input references typed as the row is. */
  private static RexNode retyped(RexNode node, List<RelDataTypeField> row) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            RelDataType type = row.get(ref.getIndex()).getType();
            return type.equals(ref.getType()) ? ref : new RexInputRef(ref.getIndex(), type);
          }
        });
  }

  private static List<RexNode> retyped(List<RexNode> nodes, List<RelDataTypeField> row) {
    var out = new ArrayList<RexNode>(nodes.size());
    for (RexNode n : nodes) {
      out.add(retyped(n, row));
    }
    return out;
  }

  /** AND within AND and OR within OR taken apart, as Calcite wants conditions. */
  public static RexNode flat(RexNode node, RexBuilder rex) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            RexNode visited = super.visitCall(call);
            if (!(visited instanceof RexCall c)
                || (c.getKind() != SqlKind.AND && c.getKind() != SqlKind.OR)) {
              return visited;
            }
            var operands = new ArrayList<RexNode>();
            for (RexNode o : c.getOperands()) {
              if (o instanceof RexCall inner && inner.getOperator() == c.getOperator()) {
                operands.addAll(inner.getOperands());
              } else {
                operands.add(o);
              }
            }
            return operands.size() == c.getOperands().size()
                ? c
                : rex.makeCall(c.getType(), c.getOperator(), operands);
          }
        });
  }

  static RelNode filter(RelNode input, List<RexNode> conjuncts) {
    return conjuncts.isEmpty()
        ? input
        : LogicalFilter.create(
            input,
            flat(
                and(input, retyped(conjuncts, input.getRowType().getFieldList())),
                input.getCluster().getRexBuilder()));
  }

  static RelNode project(RelNode input, List<RexNode> exprs) {
    return LogicalProject.create(
        input,
        List.of(),
        retyped(exprs, input.getRowType().getFieldList()),
        (List<String>) null,
        Set.<CorrelationId>of());
  }

  /** A projection with the column names of a row. */
  static RelNode project(RelNode input, List<RexNode> exprs, RelDataType names) {
    List<RexNode> typed = retyped(exprs, input.getRowType().getFieldList());
    var row = input.getCluster().getTypeFactory().builder();
    for (int i = 0; i < typed.size(); i++) {
      row.add(names.getFieldNames().get(i), typed.get(i).getType());
    }
    return LogicalProject.create(input, List.of(), typed, row.build(), Set.<CorrelationId>of());
  }

  /** The first columns only. */
  static RelNode prefix(RelNode input, int width) {
    return width(input) == width ? input : project(input, refs(input, 0, width));
  }

  static RelNode join(RelNode left, RelNode right, JoinRelType type, List<RexNode> conjuncts) {
    var row = new ArrayList<>(left.getRowType().getFieldList());
    row.addAll(right.getRowType().getFieldList());
    return LogicalJoin.create(
        left, right, List.of(), and(left, retyped(conjuncts, row)), ImmutableSet.of(), type);
  }

  static RelDataType nullable(RelDataType row, RelDataTypeFactory types) {
    var builder = types.builder();
    for (RelDataTypeField f : row.getFieldList()) {
      builder.add(f.getName(), types.createTypeWithNullability(f.getType(), true));
    }
    return builder.build();
  }

  /** The same node over other inputs, which have the same columns but perhaps fewer NULLs. */
  static RelNode with(RelNode rel, List<RelNode> inputs) {
    if (inputs.equals(rel.getInputs())) {
      return rel;
    }
    return switch (rel) {
      case Project p when p.getVariablesSet().isEmpty() ->
          project(inputs.get(0), p.getProjects(), p.getRowType());
      case Filter f when f.getVariablesSet().isEmpty() ->
          filter(inputs.get(0), conjunctions(f.getCondition()));
      case Join j when j.getVariablesSet().isEmpty() ->
          join(inputs.get(0), inputs.get(1), j.getJoinType(), conjunctions(j.getCondition()));
      default -> rel.copy(rel.getTraitSet(), inputs);
    };
  }
}

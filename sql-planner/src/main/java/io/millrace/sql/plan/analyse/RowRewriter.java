package io.millrace.sql.plan.analyse;

import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;
import org.jspecify.annotations.Nullable;

/**
 * Carries expressions from one row to another: input references by a function, and in sub-queries
 * the fields of the level's correlation variables likewise, for these stand for the same row. A
 * whole expression may be replaced first (grouping keys).
 */
class RowRewriter extends RexShuttle {
  private final RexBuilder builder;
  private final Set<CorrelationId> variables;
  private final RelDataType row;
  private final IntFunction<RexNode> columns;

  /**
   * @param variables correlation variables that stand for the old row
   * @param row the new row
   * @param columns the new expression for an old column
   */
  RowRewriter(
      RexBuilder builder,
      Set<CorrelationId> variables,
      RelDataType row,
      IntFunction<RexNode> columns) {
    this.builder = builder;
    this.variables = variables;
    this.row = row;
    this.columns = columns;
  }

  /** What stands for a whole expression; null to look into it. */
  @Nullable RexNode whole(RexNode node) {
    return null;
  }

  @Override
  public RexNode visitInputRef(RexInputRef ref) {
    return columns.apply(ref.getIndex());
  }

  @Override
  public RexNode visitCall(org.apache.calcite.rex.RexCall call) {
    RexNode w = whole(call);
    return w != null ? w : super.visitCall(call);
  }

  @Override
  public RexNode visitFieldAccess(RexFieldAccess access) {
    if (access.getReferenceExpr() instanceof RexCorrelVariable v && variables.contains(v.id)) {
      RexNode to = columns.apply(access.getField().getIndex());
      if (to instanceof RexInputRef ref) {
        return builder.makeFieldAccess(builder.makeCorrel(row, v.id), ref.getIndex());
      }
      // A field computed from several: each of its references through the variable.
      return to.accept(
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              return builder.makeFieldAccess(builder.makeCorrel(row, v.id), ref.getIndex());
            }
          });
    }
    return super.visitFieldAccess(access);
  }

  @Override
  public RexNode visitSubQuery(RexSubQuery sub) {
    return sub.clone(inner(sub.rel)).clone(sub.getType(), apply(sub.getOperands()));
  }

  private RelNode inner(RelNode rel) {
    if (variables.isEmpty()) {
      return rel;
    }
    return rel.accept(new Inner());
  }

  /**
   * Inside a sub-query only the correlation variables are ours; its input references are its own.
   */
  private final class Inner extends RelHomogeneousShuttle {
    private final RexShuttle rexes =
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable v
                && variables.contains(v.id)) {
              return RowRewriter.this.visitFieldAccess(access);
            }
            return super.visitFieldAccess(access);
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery sub) {
            return sub.clone(inner(sub.rel)).clone(sub.getType(), apply(sub.getOperands()));
          }
        };

    @Override
    public RelNode visit(RelNode other) {
      return super.visit(other).accept(rexes);
    }
  }

  /** Input references of an expression, not those inside sub-queries. */
  static Set<Integer> references(RexNode node) {
    var out = new HashSet<Integer>();
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitInputRef(RexInputRef ref) {
            out.add(ref.getIndex());
            return null;
          }
        });
    return out;
  }
}

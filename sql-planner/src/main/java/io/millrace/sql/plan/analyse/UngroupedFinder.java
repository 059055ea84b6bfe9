package io.millrace.sql.plan.analyse;

import io.millrace.common.error.MillraceException;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Finds where a column stands outside of aggregates: only for the position of an error. */
final class UngroupedFinder extends SqlBasicVisitor<@Nullable Void> {
  private final ExpressionAnalyser expressions;
  private final Resolver resolver;
  private final int column;
  private final int[] position;
  private final boolean[] inSubQuery;
  private int depth;

  UngroupedFinder(
      ExpressionAnalyser expressions,
      Resolver resolver,
      int column,
      int[] position,
      boolean[] inSubQuery) {
    this.expressions = expressions;
    this.resolver = resolver;
    this.column = column;
    this.position = position;
    this.inSubQuery = inSubQuery;
  }

  @Override
  public @Nullable Void visit(SqlIdentifier id) {
    if (position[0] > 0) {
      return null;
    }
    try {
      boolean hit;
      if (id.isStar()) {
        hit = id.names.size() > 1 || depth == 0;
      } else {
        var found = expressions.resolve(id);
        hit =
            found != null
                && found.field().rex() instanceof RexInputRef ref
                && ref.getIndex() == column;
      }
      if (hit) {
        position[0] = ExpressionAnalyser.position(id);
        inSubQuery[0] = depth > 0;
      }
    } catch (MillraceException e) {
      // A name of an inner level: not the one looked for.
      return null;
    }
    return null;
  }

  @Override
  public @Nullable Void visit(SqlCall call) {
    if (call.getOperator() instanceof SqlUnresolvedFunction
        && resolver.isAggregate(CallAnalyser.nameOf(call))) {
      return null;
    }
    boolean query = QueryAnalyser.isQuery(call);
    depth += query ? 1 : 0;
    super.visit(call);
    depth -= query ? 1 : 0;
    return null;
  }
}

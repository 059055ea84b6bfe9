package io.millrace.sql.plan;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;

/** How large a plan is. */
final class PlanSizes {
  private PlanSizes() {}

  /** Operators and expressions of a plan. */
  static int nodes(PhysicalPlan plan) {
    int[] count = {0};
    new PlanRewriter() {
      @Override
      PhysicalPlan plan(PhysicalPlan p) {
        count[0]++;
        return super.plan(p);
      }

      @Override
      Expr value(Expr e) {
        count[0]++;
        for (Expr c : Exprs.children(e)) {
          value(c);
        }
        return e;
      }
    }.plan(plan);
    return count[0];
  }
}

package io.millrace.sql.rule;

import org.apache.calcite.rel.RelNode;

/** From an analysed tree to the tree that is executed; same columns, same order. */
public final class Optimizer {
  private Optimizer() {}

  public static RelNode optimize(RelNode root) {
    return new Pushdown().push(new SubQueries(root).rewrite(root));
  }
}

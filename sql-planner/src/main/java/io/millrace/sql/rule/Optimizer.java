package io.millrace.sql.rule;

import org.apache.calcite.rel.RelNode;

/** From an analysed tree to the tree that is executed; same columns, same order. */
public final class Optimizer {
  private final boolean decorrelate;

  /**
   * @param decorrelate false: correlated sub-queries run per row, whatever they are (for tests)
   */
  public Optimizer(boolean decorrelate) {
    this.decorrelate = decorrelate;
  }

  public RelNode optimize(RelNode root) {
    return new Pushdown().push(new SubQueries(root, decorrelate).rewrite(root));
  }
}

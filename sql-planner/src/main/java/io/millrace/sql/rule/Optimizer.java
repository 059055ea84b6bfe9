package io.millrace.sql.rule;

import org.apache.calcite.rel.RelNode;

/** From an analysed tree to the tree that is executed; same columns, same order. */
public final class Optimizer {
  private final boolean decorrelate;
  private final Estimates estimates;

  /**
   * @param decorrelate false: correlated sub-queries run per row, whatever they are (for tests)
   */
  public Optimizer(boolean decorrelate, TableStatistics statistics) {
    this.decorrelate = decorrelate;
    this.estimates = new Estimates(statistics);
  }

  public RelNode optimize(RelNode root) {
    return new Pushdown(estimates).push(new SubQueries(root, decorrelate).rewrite(root));
  }
}

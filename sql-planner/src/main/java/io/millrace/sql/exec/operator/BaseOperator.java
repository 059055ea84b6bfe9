package io.millrace.sql.exec.operator;

import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.memory.OperatorMemory;

/** What all operators have: inputs to close, memory to give back, figures. */
abstract class BaseOperator implements Operator {
  final Execution run;
  final OperatorMemory memory;
  private final Operator[] inputs;
  private Stats stats = new Stats("", 0);
  private boolean closed;

  BaseOperator(Execution run, Operator... inputs) {
    this.run = run;
    this.inputs = inputs;
    this.memory = new OperatorMemory(run.memory());
  }

  final BaseOperator counted(Stats s) {
    stats = s;
    return this;
  }

  final Stats stats() {
    return stats;
  }

  @Override
  public final Step step(Slice slice) {
    long t = run.clock().monotonicNanos();
    Step s = next(slice);
    stats.out(s instanceof Step.Out o ? o.batch().rows() : 0, run.clock().monotonicNanos() - t);
    return s;
  }

  abstract Step next(Slice slice);

  /** Releases what the operator itself holds. */
  void release() {}

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      release();
    } finally {
      stats.peak(memory.peak());
      memory.close();
      for (Operator o : inputs) {
        o.close();
      }
    }
  }
}

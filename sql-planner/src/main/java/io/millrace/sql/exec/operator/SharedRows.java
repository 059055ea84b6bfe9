package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;

/*
 * The rows of a plan with several readers. Whoever reads past the end steps the definition and
 * keeps what it gives, so nothing is computed that nobody asks for. All readers are in one driver.
 */
/** A plan that is computed once. */
final class SharedRows implements AutoCloseable {
  private final Operator definition;
  private final BatchBuffer buffer;
  private boolean complete;

  SharedRows(Operator definition, BatchBuffer buffer) {
    this.definition = definition;
    this.buffer = buffer;
  }

  BatchBuffer.Reader reader() {
    return buffer.reader();
  }

  Step read(BatchBuffer.Reader reader, Slice slice) {
    while (true) {
      Batch b = reader.next();
      if (b != null) {
        return new Step.Out(b);
      }
      if (complete) {
        return Step.Signal.DONE;
      }
      Step s = definition.step(slice);
      if (s instanceof Step.Out o) {
        buffer.add(o.batch());
      } else if (s == Step.Signal.DONE) {
        complete = true;
        definition.close();
      } else {
        return s;
      }
    }
  }

  @Override
  public void close() {
    definition.close();
    buffer.close();
  }
}

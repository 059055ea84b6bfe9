package io.millrace.sql.exec.driver;

import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.sql.exec.memory.QueryMemory;
import io.millrace.sql.exec.operator.Tasks;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task that a query runs beside its driver. */
final class TaskTurn extends Turn implements Tasks.Task {
  private final Clock clock;
  private final AtomicReference<@Nullable MillraceException> ended;
  private final QueryMemory memory;
  private final Tasks.Body body;
  private volatile boolean stopped;

  TaskTurn(
      LevelScheduler scheduler,
      Clock clock,
      AtomicReference<@Nullable MillraceException> ended,
      QueryMemory memory,
      Tasks.Body body) {
    super(scheduler);
    this.clock = clock;
    this.ended = ended;
    this.memory = memory;
    this.body = body;
  }

  @Override
  Verdict turn() {
    if (stopped) {
      body.close();
      return Verdict.DONE;
    }
    return switch (body.run(new TurnSlice(clock, ended, memory))) {
      case AGAIN -> Verdict.AGAIN;
      case PARK -> Verdict.PARK;
      case DONE -> {
        body.close();
        yield Verdict.DONE;
      }
    };
  }

  @Override
  public void stop() {
    stopped = true;
    if (seize()) {
      body.close();
    } else {
      wake();
    }
  }

  @Override
  public void wakeUp() {
    wake();
  }
}

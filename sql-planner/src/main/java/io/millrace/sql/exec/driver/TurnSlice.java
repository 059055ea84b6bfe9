package io.millrace.sql.exec.driver;

import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.sql.exec.MemoryContext;
import io.millrace.sql.exec.Slice;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One turn's deadline with the query's cancel flag. */
final class TurnSlice implements Slice {
  static final long NANOS = 10_000_000L;
  private final Clock clock;
  private final long start;
  private final AtomicReference<@Nullable MillraceException> ended;
  private final MemoryContext memory;

  TurnSlice(Clock clock, AtomicReference<@Nullable MillraceException> ended, MemoryContext memory) {
    this.clock = clock;
    this.start = clock.monotonicNanos();
    this.ended = ended;
    this.memory = memory;
  }

  @Override
  public boolean expired() {
    return ended.get() != null || clock.monotonicNanos() - start >= NANOS;
  }

  @Override
  public void check() {
    MillraceException e = ended.get();
    if (e != null) {
      throw e;
    }
  }

  @Override
  public MemoryContext memory() {
    return memory;
  }
}

package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.time.Clock;

/** How long calls of pg_sleep, pg_sleep_for and pg_sleep_until ask to sleep. */
public final class Naps {
  /** The longest; a sum of two does not overflow. */
  public static final long MOST_MICROS = Long.MAX_VALUE / 16;

  private static final long DAY_MICROS = 86_400_000_000L;

  private Naps() {}

  /** Microseconds that a call with the argument asks for; nothing for NULL. */
  public static long micros(Vector argument, int row, Clock clock) {
    if (argument.isNull(row)) {
      return 0;
    }
    long asked =
        switch (argument) {
          case DoubleVector seconds -> (long) (seconds.get(row) * 1e6);
          case IntervalVector i ->
              (i.months()[row] * 30L + i.days()[row]) * DAY_MICROS + i.micros()[row];
          case LongVector until -> until.values()[row] - clock.wallMicros();
          default -> throw new IllegalArgumentException("pg_sleep of " + argument.type());
        };
    return Math.clamp(asked, 0, MOST_MICROS);
  }
}

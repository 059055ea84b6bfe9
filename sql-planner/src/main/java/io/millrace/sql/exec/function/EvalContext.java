package io.millrace.sql.exec.function;

import io.millrace.common.time.Clock;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * What kernels may read besides their arguments.
 *
 * @param nowMicros the transaction's start, for now()
 * @param statementMicros the statement's start
 * @param clock for clock_timestamp()
 * @param random for random(), gen_random_uuid()
 * @param check throws when the query is to end; long loops call it every 1,024 rows or 64 KiB
 * @param naps takes the microseconds that calls of pg_sleep ask for
 */
public record EvalContext(
    CatalogSnapshot catalog,
    SessionFormat format,
    SessionInfo session,
    long nowMicros,
    long statementMicros,
    Clock clock,
    RandomGenerator random,
    Runnable check,
    LongConsumer naps) {

  /** A context in which pg_sleep does not sleep. */
  public EvalContext(
      CatalogSnapshot catalog,
      SessionFormat format,
      SessionInfo session,
      long nowMicros,
      long statementMicros,
      Clock clock,
      RandomGenerator random,
      Runnable check) {
    this(catalog, format, session, nowMicros, statementMicros, clock, random, check, nap -> {});
  }

  /** The same with another taker of naps. */
  public EvalContext withNaps(LongConsumer taker) {
    return new EvalContext(
        catalog, format, session, nowMicros, statementMicros, clock, random, check, taker);
  }
}

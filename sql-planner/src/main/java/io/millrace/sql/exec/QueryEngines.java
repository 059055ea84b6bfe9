package io.millrace.sql.exec;

import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.exec.driver.QueryEngineImpl;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.storage.RegionEngine;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Makes query engines. */
public final class QueryEngines {
  private QueryEngines() {}

  /**
   * What execution works with.
   *
   * @param random a new generator for each query
   */
  public record Services(
      RegionEngine regions,
      FunctionRegistry functions,
      SystemTables system,
      Clock clock,
      Scheduler scheduler,
      Supplier<RandomGenerator> random) {}

  /**
   * How much it may use; sizes in bytes.
   *
   * @param threads of the statement pool: one per core
   * @param queryMemory of one query at most
   * @param totalMemory of all queries together
   * @param tempDirectory for what is spilled and spooled; emptied at the start
   * @param tempFileLimit of one query's temporary files
   */
  public record Limits(
      int threads, long queryMemory, long totalMemory, Path tempDirectory, long tempFileLimit) {}

  public static QueryEngine create(Services services, Limits limits) {
    return new QueryEngineImpl(services, limits);
  }
}

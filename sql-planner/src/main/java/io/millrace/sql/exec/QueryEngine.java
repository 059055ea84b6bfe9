package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.Overlay;
import io.millrace.storage.Snapshot;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs plans on the statement pool. A query is a driver: it runs while its sink takes rows and is
 * parked otherwise.
 */
public interface QueryEngine extends AutoCloseable {
  /** Opens a plan: evaluates inits, takes the snapshot if none is given. Does not run yet. */
  Query open(PlanTemplate template, QueryContext context, ResultSink sink);

  /** Hands a short task to the statement pool, for parsing, planning and executors. */
  void execute(Runnable task);

  /**
   * What a query runs in.
   *
   * @param parameters one one-row vector per {@link PlanTemplate#parameterTypes}
   * @param nowMicros the transaction's start, for now()
   * @param statementMicros the statement's start
   * @param snapshot to read from (left open by the query); null = the newest cut, own
   * @param overlays a transaction's own rows per region
   * @param session current user, database, search path and settings for session functions
   * @param background flows and ADMIN: admission permits of their own, lowest priority
   */
  record QueryContext(
      CatalogSnapshot catalog,
      List<Vector> parameters,
      SessionFormat format,
      long nowMicros,
      long statementMicros,
      @Nullable Snapshot snapshot,
      Map<RegionId, Overlay> overlays,
      SessionInfo session,
      boolean background) {}

  /** What session functions (current_user, current_setting, …) read; immutable. */
  record SessionInfo(
      String database,
      String user,
      List<String> searchPath,
      int backendPid,
      Map<String, String> settings) {}

  /** A running or parked query. */
  interface Query {
    /** Allows so many more rows to be sent (Long.MAX_VALUE = all); wakes the driver. */
    void demand(long rows);

    /** Tells that the sink's window may have opened; wakes the driver. */
    void wake();

    /** Ends it with the error; the sink hears {@link ResultSink#failed}. */
    void cancel(io.millrace.common.error.MillraceException reason);

    /** Closes without an error; idempotent. */
    void close();

    /** EXPLAIN ANALYZE's figures, after the end. */
    ExecutionProfile profile();
  }

  /** Per operator of the plan, in pre-order: rows out, time, memory, scan counters as text. */
  record ExecutionProfile(List<OperatorProfile> operators, long totalNanos) {}

  record OperatorProfile(
      String name, int depth, long rows, long nanos, long peakBytes, String extra) {}

  /** Takes a query's rows. Called by one thread at a time; must not block. */
  interface ResultSink {
    /** False while the consumer's window is closed: the driver parks until {@link Query#wake}. */
    boolean ready();

    /** Rows [from, from + count) of a batch, never more than were demanded. */
    void rows(Batch batch, int from, int count);

    /** The demanded number of rows was sent and there may be more: the driver is suspended. */
    void suspended();

    /** All rows were sent. */
    void completed();

    void failed(io.millrace.common.error.MillraceException error);
  }

  @Override
  void close();
}

package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where scans of information_schema and pg_catalog get their rows. */
public interface SystemTables {
  /**
   * A condition whose value is known: a hint for access paths, checked again above the scan.
   *
   * @param column place in the relation
   * @param values one value, several for IN, none for the null tests; NULLs possible
   */
  record Condition(int column, ScanConjunct.Kind kind, Vector values) {}

  /**
   * Opens a scan.
   *
   * @param columns places of the relation's columns, in the order wanted
   */
  Rows open(
      String schema,
      String relation,
      List<Integer> columns,
      List<Condition> conditions,
      QueryEngine.QueryContext context);

  /** The rows in pieces; owned by one thread at a time, never waits. */
  interface Rows extends AutoCloseable {
    /** The next rows, at most 16,384; null at the end. */
    @Nullable Batch next();

    @Override
    default void close() {}
  }
}

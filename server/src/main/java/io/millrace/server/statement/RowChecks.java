package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import java.util.List;

/** NOT NULL and CHECK over rows of a table (its visible columns in order). */
final class RowChecks {
  /** Bytes of a value at most. */
  private static final int MAX_VALUE = 64 << 20;

  private RowChecks() {}

  /** Says in an error where a row came from. */
  interface Origin {
    Origin NONE = (e, row) -> e;

    MillraceException at(MillraceException error, int row);
  }

  /** Fails if a value is larger than the storage takes. */
  static void sizes(Batch rows) {
    if (rows.byteSize() <= MAX_VALUE) {
      return;
    }
    for (Vector v : rows.columns()) {
      if (v instanceof BytesColumn b) {
        for (int r = 0; r < rows.rows(); r++) {
          if (!v.isNull(r) && b.size(r) > MAX_VALUE) {
            throw new MillraceException(
                ErrorCode.PROGRAM_LIMIT_EXCEEDED,
                "a value of " + b.size(r) + " bytes exceeds the limit of " + MAX_VALUE);
          }
        }
      }
    }
  }

  static void notNull(TableInfo table, Batch rows, SessionFormat format) {
    notNull(table, rows, format, Origin.NONE);
  }

  static void notNull(TableInfo table, Batch rows, SessionFormat format, Origin origin) {
    for (int c = 0; c < table.columns().size(); c++) {
      TableInfo.Column column = table.columns().get(c);
      Vector v = rows.column(c);
      if (column.nullable() || !v.mayHaveNulls()) {
        continue;
      }
      for (int r = 0; r < rows.rows(); r++) {
        if (v.isNull(r)) {
          throw origin.at(
              new MillraceException(
                      ErrorCode.NOT_NULL_VIOLATION,
                      "null value in column \""
                          + column.name()
                          + "\" of relation \""
                          + table.name()
                          + "\" violates not-null constraint")
                  .withDetail("Failing row contains " + RowText.row(rows, r, format) + ".")
                  .about(table.schema(), table.name(), column.name(), null),
              r);
        }
      }
    }
  }

  static void checks(
      TableInfo table,
      List<DmlPlan.Check> checks,
      Batch rows,
      List<Vector> parameters,
      ExprEvaluator evaluator,
      EvalContext context) {
    checks(table, checks, rows, parameters, evaluator, context, Origin.NONE);
  }

  static void checks(
      TableInfo table,
      List<DmlPlan.Check> checks,
      Batch rows,
      List<Vector> parameters,
      ExprEvaluator evaluator,
      EvalContext context,
      Origin origin) {
    for (DmlPlan.Check check : checks) {
      var result =
          (BoolVector) evaluator.compile(check.condition(), parameters, context).evaluate(rows);
      for (int r = 0; r < rows.rows(); r++) {
        if (!result.isNull(r) && !result.get(r)) {
          String domain = check.domain();
          if (domain != null) {
            throw origin.at(refused(domain, check.name()), r);
          }
          throw origin.at(
              new MillraceException(
                      ErrorCode.CHECK_VIOLATION,
                      "new row for relation \""
                          + table.name()
                          + "\" violates check constraint \""
                          + check.name()
                          + "\"")
                  .withDetail(
                      "Failing row contains " + RowText.row(rows, r, context.format()) + ".")
                  .about(table.schema(), table.name(), null, check.name()),
              r);
        }
      }
    }
  }

  private static MillraceException refused(String domain, String constraint) {
    return constraint.isEmpty()
        ? new MillraceException(
            ErrorCode.NOT_NULL_VIOLATION, "domain " + domain + " does not allow null values")
        : new MillraceException(
            ErrorCode.CHECK_VIOLATION,
            "value for domain " + domain + " violates check constraint \"" + constraint + "\"");
  }

  /** Whether two batches have the same rows, in whatever order. */
  static boolean sameRows(Batch a, Batch b) {
    if (a.rows() != b.rows()) {
      return false;
    }
    RowIndex index = RowIndex.of(a);
    for (int r = 0; r < b.rows(); r++) {
      if (index.first(b, r) < 0) {
        return false;
      }
    }
    return true;
  }
}

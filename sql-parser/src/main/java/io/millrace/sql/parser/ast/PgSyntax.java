package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlSpecialOperator;

/** Operators of nodes that Calcite has no form for. Operands may be null where the text says so. */
public final class PgSyntax {
  private PgSyntax() {}

  /** TRY_CAST(x AS type): (x, type); NULL where the cast would fail. */
  public static final SqlSpecialOperator TRY_CAST = of("TRY_CAST");

  /** array[low:high]: (array, low or null, high or null). */
  public static final SqlSpecialOperator SLICE = of("SLICE");

  /** x COLLATE name: (x, identifier). */
  public static final SqlSpecialOperator COLLATE = of("COLLATE");

  /** The last argument of a call: (array). */
  public static final SqlSpecialOperator VARIADIC = of("VARIADIC");

  /** FETCH FIRST n ROWS WITH TIES: (n). */
  public static final SqlSpecialOperator WITH_TIES = of("WITH TIES");

  /** (COLLECTION_TABLE or ROWS_FROM). */
  public static final SqlSpecialOperator WITH_ORDINALITY = of("WITH ORDINALITY");

  /** ROWS FROM (f(…), g(…)): the calls, one with typed columns as AS(call, COLUMN_DEFINITION…). */
  public static final SqlSpecialOperator ROWS_FROM = of("ROWS FROM");

  /** (table, method, node list of arguments, seed or null). */
  public static final SqlSpecialOperator TABLESAMPLE = of("TABLESAMPLE");

  /** A typed column of a table alias: (name, type). */
  public static final SqlSpecialOperator COLUMN_DEFINITION = of("COLUMN_DEFINITION");

  /**
   * FOR UPDATE …: (symbol of {@link LockStrength}, node list of table names, symbol of {@link
   * LockWait}).
   */
  public static final SqlSpecialOperator LOCKING = of("LOCKING");

  /** An aggregate of a range query: (aggregate call, range as text or interval, fill or null). */
  public static final SqlSpecialOperator RANGE = of("RANGE");

  /**
   * ALIGN of a range query: (interval as text or interval, TO: an identifier now or calendar, or an
   * expression, or null; BY: node list or null; fill or null; HAVING behind it or null).
   */
  public static final SqlSpecialOperator ALIGN = of("ALIGN");

  /** FILL by one of these, as a symbol literal; FILL by a constant is that expression. */
  public enum FillMode {
    NULL,
    PREV,
    LINEAR
  }

  /** From weakest to strongest. */
  public enum LockStrength {
    KEY_SHARE,
    SHARE,
    NO_KEY_UPDATE,
    UPDATE
  }

  /** What to do about a key that another transaction has locked. */
  public enum LockWait {
    WAIT,
    NOWAIT,
    SKIP_LOCKED
  }

  private static SqlSpecialOperator of(String name) {
    return new SqlSpecialOperator(name, SqlKind.OTHER);
  }
}

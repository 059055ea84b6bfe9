package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * An expression while its type may still be open: literals and parameters take their type from what
 * stands around them, so they become Rex only when they are coerced.
 */
sealed interface Ex {
  SqlType type();

  /** In the statement's text, in characters from 1; 0 if unknown. */
  int position();

  /** An expression with its type. */
  record Value(RexNode rex, SqlType type, int position) implements Ex {}

  /**
   * A string literal or NULL.
   *
   * @param text null for NULL
   * @param free whether it may become a free slot
   */
  record Unknown(@Nullable String text, boolean free, int position) implements Ex {
    @Override
    public SqlType type() {
      return SqlType.UNKNOWN;
    }
  }

  /** {@code $n} without a type so far. */
  record Param(int number, int position) implements Ex {
    @Override
    public SqlType type() {
      return SqlType.UNKNOWN;
    }
  }

  /** A number: int4, int8 or numeric by its size. */
  record Num(SqlType type, BigDecimal value, boolean free, int position) implements Ex {}

  /** ROW(…) or a list in parentheses. */
  record Row(List<Ex> fields, int position) implements Ex {
    @Override
    public SqlType type() {
      var out = new ArrayList<SqlType.Field>(fields.size());
      for (int i = 0; i < fields.size(); i++) {
        SqlType t = fields.get(i).type();
        out.add(new SqlType.Field("f" + (i + 1), t.equals(SqlType.UNKNOWN) ? SqlType.TEXT : t));
      }
      return SqlType.record(out);
    }
  }

  default boolean isUnknown() {
    return this instanceof Unknown || this instanceof Param;
  }

  default boolean isNull() {
    return this instanceof Unknown u && u.text() == null;
  }
}

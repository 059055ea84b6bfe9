package io.millrace.sql.physical;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A typed expression over the columns of an operator's input, free of Calcite. All implicit casts
 * are explicit calls here; evaluation follows SQL's three-valued logic.
 */
public sealed interface Expr {
  SqlType type();

  /** Column of the input. */
  record Column(int index, SqlType type) implements Expr {}

  /** A constant: a vector of exactly one row (which may be NULL). */
  record Literal(SqlType type, Vector value) implements Expr {}

  /**
   * A value fixed when the plan is opened: {@code $n}, a free literal slot or a hoisted expression.
   *
   * @param index into the opened plan's parameters (see PlanTemplate)
   */
  record Param(int index, SqlType type) implements Expr {}

  /**
   * Call of a scalar function, operator or cast.
   *
   * @param strict NULL in, NULL out, and the kernel is not asked
   * @param volatility as in pg_proc: i, s or v
   */
  record Call(FunctionId function, SqlType type, List<Expr> args, boolean strict, char volatility)
      implements Expr {}

  /** Conjunction; stops early where the left side decides. */
  record And(List<Expr> args) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  /** Disjunction. */
  record Or(List<Expr> args) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  record Not(Expr arg) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  /** IS NULL (or IS NOT NULL); for records by PostgreSQL's rule over their fields. */
  record IsNull(Expr arg, boolean negated) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  /** Comparison of two values of one type by its btree order. */
  record Compare(Op op, Expr left, Expr right) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  /** Comparison operators; the DISTINCT ones treat NULL as a value. */
  enum Op {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    IS_DISTINCT,
    IS_NOT_DISTINCT
  }

  /** value [NOT] IN (constants or params), all of the value's type. */
  record In(Expr value, List<Expr> options, boolean negated) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }

  /** CASE with searched conditions; arms are evaluated only for rows that reach them. */
  record Case(SqlType type, List<When> whens, @Nullable Expr otherwise) implements Expr {}

  record When(Expr condition, Expr value) {}

  /** First argument that is not NULL; later ones are evaluated only where needed. */
  record Coalesce(SqlType type, List<Expr> args) implements Expr {}

  /** ARRAY[…]; elements of array type make a further dimension. */
  record ArrayOf(SqlType type, List<Expr> elements) implements Expr {}

  /** ROW(…). */
  record RowOf(SqlType type, List<Expr> fields) implements Expr {}

  /** Field of a record value. */
  record FieldOf(Expr record, int field, SqlType type) implements Expr {}

  /** a[i][j]; NULL outside the bounds. */
  record Subscript(Expr array, List<Expr> indexes, SqlType type) implements Expr {}

  /** a[l:u]; null bounds are open. */
  record Slice(Expr array, @Nullable Expr lower, @Nullable Expr upper, SqlType type)
      implements Expr {}

  /**
   * value op ANY (array) or ALL (array).
   *
   * @param op a boolean call of two arguments: Column(0) the value, Column(1) the element
   */
  record Quantified(Expr value, Expr array, Expr op, boolean all) implements Expr {
    @Override
    public SqlType type() {
      return SqlType.BOOL;
    }
  }
}

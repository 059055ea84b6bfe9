package io.millrace.sql.plan.rel;

import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Operators with a form of their own in the physical plan. Calls are made with {@code
 * makeCall(type, operator, operands)} only. Beside these, the analyser uses of Calcite's operators:
 * AND, OR, NOT, the comparisons =, <>, <, <=, >, >= (operands of one type), IS [NOT] NULL, IS [NOT]
 * TRUE, FALSE, IS [NOT] DISTINCT FROM and CASE (always searched).
 */
public final class MillOperators {
  private MillOperators() {}

  /** COALESCE(x, …). */
  public static final SqlOperator COALESCE = new Special("COALESCE");

  /** value IN (options…): the value first; all of one type. NOT IN is NOT around it. */
  public static final SqlOperator IN_LIST = new Special("IN_LIST");

  /** ARRAY[x, …]. */
  public static final SqlOperator ARRAY_OF = new Special("ARRAY_OF");

  /** ROW(x, …). */
  public static final SqlOperator ROW_OF = new Special("ROW_OF");

  /** a[i][j]…: the array, then the indexes. */
  public static final SqlOperator SUBSCRIPT = new Special("SUBSCRIPT");

  /** a[low:high]: array, then the bounds that {@link SliceOf} says are there. */
  public static SqlOperator slice(boolean lower, boolean upper) {
    return new SliceOf(lower, upper);
  }

  /** (x).field by place. */
  public static SqlOperator field(int index) {
    return new FieldOf(index);
  }

  /**
   * value op ANY (array) or ALL (array): the value, then the array.
   *
   * @param op a comparison of Calcite's or a {@link MillFunction}, over (value, element)
   * @param negated NOT around each comparison (NOT LIKE ANY)
   */
  public static SqlOperator quantified(SqlOperator op, boolean all, boolean negated) {
    return new Quantified(op, all, negated);
  }

  /** The forms without parameters. */
  public static class Special extends SqlFunction {
    Special(String name) {
      super(
          name,
          SqlKind.OTHER_FUNCTION,
          binding -> binding.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN),
          null,
          OperandTypes.VARIADIC,
          SqlFunctionCategory.SYSTEM);
    }
  }

  /** See {@link #slice}. */
  public static final class SliceOf extends Special {
    private final boolean lower;
    private final boolean upper;

    SliceOf(boolean lower, boolean upper) {
      super("SLICE" + (lower ? "_LOWER" : "") + (upper ? "_UPPER" : ""));
      this.lower = lower;
      this.upper = upper;
    }

    public boolean lower() {
      return lower;
    }

    public boolean upper() {
      return upper;
    }
  }

  /** See {@link #field}. */
  public static final class FieldOf extends Special {
    private final int index;

    FieldOf(int index) {
      super("FIELD_" + index);
      this.index = index;
    }

    public int index() {
      return index;
    }
  }

  /** See {@link #quantified}. */
  public static final class Quantified extends Special {
    private final SqlOperator op;
    private final boolean all;
    private final boolean negated;

    Quantified(SqlOperator op, boolean all, boolean negated) {
      super((negated ? "NOT " : "") + op.getName() + (all ? " ALL" : " ANY"));
      this.op = op;
      this.all = all;
      this.negated = negated;
    }

    public SqlOperator op() {
      return op;
    }

    public boolean all() {
      return all;
    }

    public boolean negated() {
      return negated;
    }
  }
}

package io.millrace.sql.partition;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/**
 * The condition of a partition, or a part of it: comparisons of columns with values, and their
 * conjunctions and disjunctions.
 *
 * @param columnId of a comparison; 0 of the others
 * @param value of a comparison, as the column's type writes it; empty in the others
 * @param args of a conjunction or disjunction; empty in comparisons
 */
public record PartitionTerm(Op op, int columnId, String value, List<PartitionTerm> args) {

  /** What a term does. */
  public enum Op {
    AND(" AND "),
    OR(" OR "),
    EQ(" = "),
    NE(" <> "),
    LT(" < "),
    LE(" <= "),
    GT(" > "),
    GE(" >= ");

    private final String sign;

    Op(String sign) {
      this.sign = sign;
    }
  }

  public PartitionTerm {
    args = List.copyOf(args);
  }

  public static PartitionTerm compare(Op op, int columnId, String value) {
    return new PartitionTerm(op, columnId, value, List.of());
  }

  /** All of the terms; a single one stands for itself. */
  public static PartitionTerm and(List<PartitionTerm> terms) {
    return terms.size() == 1 ? terms.getFirst() : new PartitionTerm(Op.AND, 0, "", terms);
  }

  /** Any of the terms; a single one stands for itself. */
  public static PartitionTerm or(List<PartitionTerm> terms) {
    return terms.size() == 1 ? terms.getFirst() : new PartitionTerm(Op.OR, 0, "", terms);
  }

  /** The same condition of columns with other ids. */
  public PartitionTerm withColumns(IntUnaryOperator ids) {
    return new PartitionTerm(
        op,
        isComparison() ? ids.applyAsInt(columnId) : 0,
        value,
        args.stream().map(a -> a.withColumns(ids)).toList());
  }

  boolean isComparison() {
    return op != Op.AND && op != Op.OR;
  }

  /**
   * The term as SQL.
   *
   * @param columns gives a column's name by id, quoted where it needs it
   * @param values writes a comparison's value as a literal
   */
  String text(IntFunction<String> columns, Literals values) {
    if (isComparison()) {
      return columns.apply(columnId) + op.sign + values.text(columnId, value);
    }
    return args.stream()
        .map(
            a ->
                op == Op.AND && a.op == Op.OR
                    ? "(" + a.text(columns, values) + ")"
                    : a.text(columns, values))
        .collect(Collectors.joining(op.sign));
  }

  /** Writes values of columns. */
  interface Literals {
    String text(int columnId, String value);
  }
}

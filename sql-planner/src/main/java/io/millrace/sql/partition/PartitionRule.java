package io.millrace.sql.partition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.partition.PartitionTerm.Op;
import io.millrace.storage.ColumnPredicate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/*
 * Conditions compare columns with constants only, so it is enough to know in which cell of each column
 * (see PartitionAxis) a row lies. The partition of every combination of cells is worked out once, when the
 * rule is made; the combinations that no condition takes, or several do, are the gaps and overlaps.
 *
 *   a row     → a binary search per column → place in the table of combinations → partition
 *   predicates → the cells of each column that may hold a match → the partitions of their combinations
 *
 * Comparisons know no third truth value here: NULL is a value below all others. What belongs to no partition
 * without being a gap (a value that a column cannot have when the rule is made) goes to the first.
 */
/** Which region a row of a partitioned table belongs to. Immutable; compiled when made. */
public final class PartitionRule {
  private static final int MAX_CELLS = 1 << 16;
  private static final int MAX_PARTITIONS = 1024;

  private final Definition definition;
  private final List<PartitionAxis> axes;
  private final int[] strides;
  private final int[] partitionOf;

  /**
   * A partition column.
   *
   * @param nullable whether it could be NULL when the rule was made
   */
  public record Column(int id, SqlType type, boolean nullable) {}

  /** What is stored of a rule. */
  public record Definition(List<Column> columns, List<PartitionTerm> partitions) {
    public Definition {
      columns = List.copyOf(columns);
      partitions = List.copyOf(partitions);
    }
  }

  /**
   * Compiles a rule.
   *
   * @throws MillraceException if not every row belongs to exactly one partition; columns are called
   *     by their ids
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static PartitionRule of(Definition definition) {
    return of(definition, id -> "#" + id);
  }

  /**
   * Compiles a rule.
   *
   * @param names of columns by id, for messages
   * @throws MillraceException if not every row belongs to exactly one partition
   */
  public static PartitionRule of(Definition definition, IntFunction<String> names) {
    var axes = new ArrayList<PartitionAxis>();
    for (Column c : definition.columns()) {
      var values = new LinkedHashSet<String>();
      definition.partitions().forEach(p -> values(p, c.id(), values));
      axes.add(PartitionAxis.of(c, values));
    }
    return new PartitionRule(definition, axes, names);
  }

  private PartitionRule(
      Definition definition, List<PartitionAxis> axes, IntFunction<String> names) {
    this.definition = definition;
    this.axes = List.copyOf(axes);
    this.strides = new int[axes.size()];
    long cells = 1;
    for (int i = 0; i < strides.length; i++) {
      strides[i] = (int) cells;
      cells *= axes.get(i).cells();
      if (cells > MAX_CELLS || definition.partitions().size() > MAX_PARTITIONS) {
        throw new MillraceException(
            ErrorCode.PROGRAM_LIMIT_EXCEEDED,
            "the partitions compare with too many values, or are more than " + MAX_PARTITIONS);
      }
    }
    this.partitionOf = new int[(int) cells];
    compile(names);
  }

  private static void values(PartitionTerm t, int columnId, Set<String> out) {
    if (t.isComparison() && t.columnId() == columnId) {
      out.add(t.value());
    }
    t.args().forEach(a -> values(a, columnId, out));
  }

  // ---- compiling

  /** A term with its column's place and its value's cell. */
  private record Bound(Op op, int axis, int cell, List<Bound> args) {
    boolean holds(int[] at) {
      return switch (op) {
        case AND -> args.stream().allMatch(a -> a.holds(at));
        case OR -> args.stream().anyMatch(a -> a.holds(at));
        case EQ -> at[axis] == cell;
        case NE -> at[axis] != cell;
        case LT -> at[axis] < cell;
        case LE -> at[axis] <= cell;
        case GT -> at[axis] > cell;
        case GE -> at[axis] >= cell;
      };
    }
  }

  private Bound bound(PartitionTerm t) {
    if (!t.isComparison()) {
      return new Bound(t.op(), -1, -1, t.args().stream().map(this::bound).toList());
    }
    int axis = axisOf(t.columnId());
    if (axis < 0) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "a partition compares column #" + t.columnId());
    }
    return new Bound(t.op(), axis, axes.get(axis).cellOf(t.value()), List.of());
  }

  private void compile(IntFunction<String> names) {
    List<Bound> bounds = definition.partitions().stream().map(this::bound).toList();
    boolean[] used = new boolean[bounds.size()];
    int[] at = new int[axes.size()];
    for (int cell = 0; cell < partitionOf.length; cell++) {
      place(cell, at);
      int found = -1;
      boolean empty = isEmpty(at);
      for (int p = 0; p < bounds.size(); p++) {
        if (!bounds.get(p).holds(at)) {
          continue;
        }
        if (found >= 0 && !empty) {
          throw overlap(at, found, p, names);
        }
        found = found < 0 ? p : found;
        used[p] |= !empty;
      }
      if (found < 0 && !empty) {
        throw gap(at, names);
      }
      partitionOf[cell] = Math.max(0, found);
    }
    for (int p = 0; p < used.length; p++) {
      if (!used[p]) {
        throw invalid("no row belongs to partition p" + p + ", " + expression(p, names));
      }
    }
  }

  private void place(int cell, int[] at) {
    int rest = cell;
    for (int i = 0; i < at.length; i++) {
      at[i] = rest % axes.get(i).cells();
      rest /= axes.get(i).cells();
    }
  }

  private boolean isEmpty(int[] at) {
    for (int i = 0; i < at.length; i++) {
      if (axes.get(i).isEmpty(at[i])) {
        return true;
      }
    }
    return false;
  }

  private static MillraceException invalid(String message) {
    return new MillraceException(ErrorCode.INVALID_OBJECT_DEFINITION, message);
  }

  private MillraceException gap(int[] at, IntFunction<String> names) {
    return invalid("rows with " + describe(at, names) + " belong to no partition")
        .withHint("Every row must belong to exactly one partition; NULL is below all values.");
  }

  private MillraceException overlap(int[] at, int p, int q, IntFunction<String> names) {
    return invalid(
            "partition p"
                + q
                + " would overlap partition p"
                + p
                + ": rows with "
                + describe(at, names)
                + " belong to both")
        .withDetail(
            "p"
                + p
                + " is "
                + expression(p, names)
                + "; p"
                + q
                + " is "
                + expression(q, names)
                + ".")
        .withHint("Every row must belong to exactly one partition; NULL is below all values.");
  }

  private String describe(int[] at, IntFunction<String> names) {
    var parts = new ArrayList<String>();
    for (int i = 0; i < at.length; i++) {
      if (axes.get(i).cells() > 1) {
        parts.add(axes.get(i).describe(at[i], names.apply(axes.get(i).column().id())));
      }
    }
    return parts.isEmpty() ? "any values" : String.join(" AND ", parts);
  }

  // ---- use

  public int partitions() {
    return definition.partitions().size();
  }

  /** Ids of the partition columns, in the order in which {@link #route} takes them. */
  public List<Integer> columnIds() {
    return definition.columns().stream().map(Column::id).toList();
  }

  public boolean reads(int columnId) {
    return axisOf(columnId) >= 0;
  }

  /**
   * The partition of each row.
   *
   * @param columns the partition columns, in order
   */
  public int[] route(List<Vector> columns, int rows) {
    int[] out = new int[rows];
    for (int i = 0; i < strides.length; i++) {
      axes.get(i).add(columns.get(i), rows, strides[i], out);
    }
    for (int r = 0; r < rows; r++) {
      out[r] = partitionOf[out[r]];
    }
    return out;
  }

  /** The partitions that may hold rows that satisfy all of the predicates. */
  public BitSet remaining(List<ColumnPredicate> predicates) {
    var left = new boolean[axes.size()] @Nullable [];
    boolean all = true;
    for (ColumnPredicate p : predicates) {
      int axis = axisOf(p.columnId());
      if (axis >= 0 && axes.get(axis).cells() > 1) {
        all = false;
        boolean[] cells = left[axis];
        if (cells == null) {
          cells = new boolean[axes.get(axis).cells()];
          Arrays.fill(cells, true);
          left[axis] = cells;
        }
        narrow(axes.get(axis), p, cells);
      }
    }
    var out = new BitSet();
    if (all) {
      out.set(0, partitions());
      return out;
    }
    collect(left, 0, 0, out);
    return out;
  }

  private void collect(boolean[] @Nullable [] left, int axis, int at, BitSet out) {
    if (axis == axes.size()) {
      out.set(partitionOf[at]);
      return;
    }
    boolean[] cells = left[axis];
    for (int c = 0; c < axes.get(axis).cells(); c++) {
      if (cells == null || cells[c]) {
        collect(left, axis + 1, at + c * strides[axis], out);
      }
    }
  }

  private static void narrow(PartitionAxis axis, ColumnPredicate p, boolean[] cells) {
    switch (p) {
      case ColumnPredicate.IsNull _ -> Arrays.fill(cells, 1, cells.length, false);
      case ColumnPredicate.IsNotNull _, ColumnPredicate.Text _ -> {}
      case ColumnPredicate.In in -> {
        var wanted = new boolean[cells.length];
        for (int i = 0; i < in.values().length(); i++) {
          wanted[axis.cell(in.values(), i)] = true;
        }
        for (int c = 0; c < cells.length; c++) {
          cells[c] &= wanted[c];
        }
      }
      case ColumnPredicate.Compare compare -> {
        int cell = axis.cell(compare.constant(), 0);
        boolean point = PartitionAxis.isPoint(cell);
        for (int c = 0; c < cells.length; c++) {
          cells[c] &=
              switch (compare.op()) {
                case EQ -> c == cell;
                case NE -> c != cell || !point;
                case LT -> c < cell || c == cell && !point;
                case LE -> c <= cell;
                case GT -> c > cell || c == cell && !point;
                case GE -> c >= cell;
              };
        }
      }
    }
  }

  private int axisOf(int columnId) {
    for (int i = 0; i < axes.size(); i++) {
      if (axes.get(i).column().id() == columnId) {
        return i;
      }
    }
    return -1;
  }

  /**
   * A partition's condition as SQL.
   *
   * @param names of columns by id, quoted where they need it
   */
  public String expression(int partition, IntFunction<String> names) {
    return definition
        .partitions()
        .get(partition)
        .text(
            names,
            (id, value) -> PartitionAxis.literal(axes.get(axisOf(id)).column().type(), value));
  }

  @JsonValue
  public Definition definition() {
    return definition;
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof PartitionRule r && definition.equals(r.definition);
  }

  @Override
  public int hashCode() {
    return definition.hashCode();
  }

  @Override
  public String toString() {
    return definition.toString();
  }
}

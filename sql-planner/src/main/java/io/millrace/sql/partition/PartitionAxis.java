package io.millrace.sql.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import java.util.Arrays;
import java.util.Collection;

/*
 * The values v1 < v2 < … < vk that the partitions' conditions compare a column with cut its values, in
 * btree order and with NULL below all, into 2k + 1 cells:
 *
 *   0: NULL and all below v1   1: v1   2: between v1 and v2   3: v2   …   2k − 1: vk   2k: above vk
 *
 * All values of a cell satisfy the same comparisons. Some cells hold no value (between 1 and 2 of an
 * integer, above true): conditions need not say anything about them.
 */
/** One partition column, cut into cells. Immutable. */
final class PartitionAxis {
  private final PartitionRule.Column column;
  private final Vector points;
  private final int count;

  private PartitionAxis(PartitionRule.Column column, Vector points) {
    this.column = column;
    this.points = points;
    this.count = points.length();
  }

  /**
   * @param values as the column's type writes them, in any order and as often as they come
   */
  static PartitionAxis of(PartitionRule.Column column, Collection<String> values) {
    VectorBuilder b = VectorBuilder.of(column.type(), values.size());
    values.forEach(v -> parse(column.type(), v, b));
    return new PartitionAxis(column, sortedDistinct(b.build()));
  }

  private static void parse(SqlType type, String text, VectorBuilder out) {
    byte[] bytes = text.getBytes(UTF_8);
    TypeCodecs.of(type.withTypmod(-1))
        .parseText(bytes, 0, bytes.length, out, SessionFormat.DEFAULT);
  }

  private static Vector sortedDistinct(Vector v) {
    Integer[] order = new Integer[v.length()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> v.compare(a, v, b));
    int[] take = new int[order.length];
    int n = 0;
    for (int at : order) {
      if (n == 0 || v.compare(at, v, take[n - 1]) != 0) {
        take[n++] = at;
      }
    }
    return v.take(take, n);
  }

  PartitionRule.Column column() {
    return column;
  }

  int cells() {
    return 2 * count + 1;
  }

  /** The cell of a value that one of the conditions names. */
  int cellOf(String value) {
    VectorBuilder b = VectorBuilder.of(column.type(), 1);
    parse(column.type(), value, b);
    return cell(b.build(), 0);
  }

  /** The cell of a row. */
  int cell(Vector v, int row) {
    if (v.isNull(row)) {
      return 0;
    }
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int c = v.compare(row, points, middle);
      if (c == 0) {
        return 2 * middle + 1;
      }
      if (c < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return 2 * low;
  }

  /** Whether a cell is that of one value, which a condition names. */
  static boolean isPoint(int cell) {
    return (cell & 1) == 1;
  }

  /** Adds each row's cell times the stride to what there is. */
  void add(Vector v, int rows, int stride, int[] cells) {
    if (count == 0) {
      return;
    }
    if (v instanceof DictVector d && d.dictionary().size() <= 2 * rows) {
      addByCode(d, rows, stride, cells);
      return;
    }
    for (int r = 0; r < rows; r++) {
      cells[r] += stride * cell(v, r);
    }
  }

  /** Looks at each entry of the dictionary once. */
  private void addByCode(DictVector v, int rows, int stride, int[] cells) {
    int[] codes = v.codes();
    int[] known = new int[v.dictionary().size()];
    Arrays.fill(known, -1);
    for (int r = 0; r < rows; r++) {
      if (v.isNull(r)) {
        continue;
      }
      int code = codes[r];
      int cell = known[code];
      if (cell < 0) {
        cell = cell(v, r);
        known[code] = cell;
      }
      cells[r] += stride * cell;
    }
  }

  /** Whether no value is in a cell. */
  boolean isEmpty(int cell) {
    if (isPoint(cell) || count == 0) {
      return false;
    }
    if (cell == 0) {
      return !column.nullable() && isDiscrete() && number(0) == lowest();
    }
    int below = cell / 2 - 1;
    if (!isDiscrete()) {
      return false;
    }
    return cell == 2 * count ? number(below) == highest() : number(below) + 1 == number(below + 1);
  }

  private boolean isDiscrete() {
    return switch (column.type().kind()) {
      case BOOL, INT2, INT4, INT8, DATE, TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ -> true;
      default -> false;
    };
  }

  private long number(int point) {
    return switch (points) {
      case BoolVector b -> b.get(point) ? 1 : 0;
      case IntVector i -> i.get(point);
      case LongVector l -> l.get(point);
      default -> throw new IllegalStateException("no number in " + points.type());
    };
  }

  private long lowest() {
    return switch (column.type().kind()) {
      case BOOL -> 0;
      case INT2 -> Short.MIN_VALUE;
      case INT4, DATE -> Integer.MIN_VALUE;
      default -> Long.MIN_VALUE;
    };
  }

  private long highest() {
    return switch (column.type().kind()) {
      case BOOL -> 1;
      case INT2 -> Short.MAX_VALUE;
      case INT4, DATE -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }

  /** A condition that is true of the values of a cell, of one of them where that is easily said. */
  String describe(int cell, String name) {
    if (isPoint(cell)) {
      return name + " = " + literal(cell / 2);
    }
    if (cell == 0) {
      boolean below = !isDiscrete() || number(0) != lowest();
      return below ? name + " < " + literal(0) : name + " IS NULL";
    }
    int below = cell / 2 - 1;
    if (isInteger()) {
      return name + " = " + (number(below) + 1);
    }
    String above = name + " > " + literal(below);
    return cell == 2 * count ? above : above + " AND " + name + " < " + literal(below + 1);
  }

  private boolean isInteger() {
    TypeKind k = column.type().kind();
    return k == TypeKind.INT2 || k == TypeKind.INT4 || k == TypeKind.INT8;
  }

  private String literal(int point) {
    return literal(column.type(), text(points, point));
  }

  /** A value as its type writes it. */
  static String text(Vector v, int row) {
    var out = new ByteSink(32);
    TypeCodecs.of(v.type()).writeText(v, row, out, SessionFormat.DEFAULT);
    return new String(out.toByteArray(), UTF_8);
  }

  /** A value, as its type writes it, as SQL writes it. */
  static String literal(SqlType type, String text) {
    return switch (type.kind()) {
      case INT2, INT4, INT8 -> text;
      case FLOAT4, FLOAT8, NUMERIC ->
          text.chars().allMatch(c -> c < 'A' || c == 'e' || c == 'E') ? text : quoted(text);
      case BOOL -> text.equals("t") ? "true" : "false";
      default -> quoted(text);
    };
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}

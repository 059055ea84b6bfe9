package io.millrace.common.copy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * Rows that come as vectors. Fields and columns go by name, in any order. A batch is taken whole,
 * then its rows are handed on: columns of the same type as they are, the others through their text
 * form.
 */
abstract sealed class ColumnarCopyParser extends CopyParser
    permits ArrowCopyParser, BatchCopyParser {
  private static final byte[] NO_TEXT = {};

  private final List<SqlType> types;
  private final LongSupplier now;
  private final int limit;
  private int[] places = {};
  private TypeCodec[] texts = {};
  private List<SqlType> given = List.of();
  private List<Vector> current = List.of();

  /** Which columns have the type that is wanted. */
  private boolean[] ready = {};

  private int left;
  private int at;
  private final ByteSink text = new ByteSink(256);

  ColumnarCopyParser(
      String table,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    super(table, names, types, format, now, limit);
    this.types = List.copyOf(types);
    this.now = now;
    this.limit = limit;
  }

  /** Whether rows of the last batch wait to be handed on. */
  final boolean waiting() {
    return left > 0;
  }

  final void begin(Batch batch) {
    var columns = new ArrayList<Vector>(places.length);
    ready = new boolean[places.length];
    for (int i = 0; i < places.length; i++) {
      Vector v = batch.column(places[i]);
      Vector same = converted(v, given.get(i), types.get(i));
      ready[i] = same != null;
      columns.add(same == null ? v : same);
    }
    current = columns;
    left = batch.rows();
    at = 0;
    drain();
  }

  /**
   * Finds the columns among the fields.
   *
   * @param what the source, for errors
   * @param exact whether every field must be a column
   */
  final void match(List<String> fields, List<SqlType> fieldTypes, String what, boolean exact) {
    places = new int[names.size()];
    texts = new TypeCodec[places.length];
    var of = new ArrayList<SqlType>();
    for (int i = 0; i < places.length; i++) {
      places[i] = fields.indexOf(names.get(i));
      if (places[i] < 0) {
        throw error(what + " has no field \"" + names.get(i) + "\"");
      }
      of.add(fieldTypes.get(places[i]));
      texts[i] = TypeCodecs.full(of.get(i), now);
    }
    for (String f : fields) {
      if (exact && !names.contains(f)) {
        throw error("field \"" + f + "\" of " + what + " is not among the columns");
      }
    }
    given = of;
  }

  final MillraceException error(String message) {
    return new MillraceException(ErrorCode.BAD_COPY_FILE_FORMAT, message)
        .withWhere(where(table, line + 1));
  }

  /** Hands on rows of the batch, as many as a batch takes. */
  final void drain() {
    int n = Math.min(left, limit - rows);
    if (n == 0) {
      return;
    }
    for (int c = 0; c < places.length; c++) {
      if (ready[c]) {
        builders[c].append(current.get(c), at, n);
      } else {
        parse(c, current.get(c), n);
      }
    }
    for (int i = 0; i < n; i++) {
      line++;
      rowRead(NO_TEXT, 0, 0);
    }
    at += n;
    left -= n;
    if (left == 0) {
      current = List.of();
    }
  }

  private void parse(int c, Vector v, int n) {
    for (int i = at; i < at + n; i++) {
      if (v.isNull(i)) {
        builders[c].appendNull();
        continue;
      }
      text.clear();
      texts[c].writeText(v, i, text, SessionFormat.DEFAULT);
      try {
        codecs[c].parseText(text.array(), 0, text.position(), builders[c], SessionFormat.DEFAULT);
      } catch (MillraceException e) {
        throw e.withWhere(
            where(table, line + 1 + i - at) + ", column " + names.get(c) + ": \"" + text + "\"");
      }
    }
  }

  /** The same values as a vector of the other type, where nothing is to be checked; else null. */
  private static @Nullable Vector converted(Vector v, SqlType from, SqlType to) {
    if (from.equals(to)) {
      return v;
    }
    TypeKind kind = to.kind();
    boolean free = to.typmod() < 0;
    return switch (v) {
      case IntVector x when kind == TypeKind.INT8 && number(from) -> {
        long[] wide = new long[x.length()];
        for (int i = 0; i < wide.length; i++) {
          wide[i] = x.values()[i];
        }
        yield new LongVector(to, wide, wide.length, x.validity());
      }
      case IntVector x when kind == TypeKind.INT4 && number(from) -> x.withType(to);
      case FloatVector x when kind == TypeKind.FLOAT8 -> {
        double[] wide = new double[x.length()];
        for (int i = 0; i < wide.length; i++) {
          wide[i] = x.values()[i];
        }
        yield new DoubleVector(to, wide, wide.length, x.validity());
      }
      case LongVector x
          when from.kind() == TypeKind.TIMESTAMP_NS && kind == TypeKind.TIMESTAMP && free ->
          scaled(x, to, false);
      case LongVector x when from.kind() == TypeKind.TIMESTAMP && kind == TypeKind.TIMESTAMP_NS ->
          scaled(x, to, true);
      default ->
          free
                  && (from.kind() == kind && to.element() == null
                      || from.kind() == TypeKind.TEXT && kind == TypeKind.VARCHAR)
              ? v.withType(to)
              : null;
    };
  }

  private static boolean number(SqlType type) {
    return type.kind() == TypeKind.INT2 || type.kind() == TypeKind.INT4;
  }

  private static LongVector scaled(LongVector v, SqlType to, boolean up) {
    long[] out = new long[v.length()];
    for (int i = 0; i < out.length; i++) {
      if (!v.isNull(i)) {
        out[i] = up ? Math.multiplyExact(v.get(i), 1000L) : Math.floorDiv(v.get(i), 1000L);
      }
    }
    return new LongVector(to, out, out.length, v.validity());
  }

  @Override
  final String shownRow(byte[] b, int from, int to) {
    return "";
  }
}

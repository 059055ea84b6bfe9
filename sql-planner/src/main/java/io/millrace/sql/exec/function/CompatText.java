package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Text functions that MySQL has and PostgreSQL has not. Positions count characters from 1. */
final class CompatText {
  private static final int MAX_TEXT = 1 << 28;

  private CompatText() {}

  static void register(FunctionRegistry.Builder b) {
    b.simple("locate(text,text)", (a, n, _) -> locate(a, n, 0, 1));
    b.simple("locate(text,text,int4)", (a, n, _) -> locate(a, n, 0, 1));
    b.simple("instr(text,text)", (a, n, _) -> locate(a, n, 1, 0));
    b.simple("elt(int4,_text)", (a, n, _) -> elt(a, n));
    b.simple("field(text,_text)", (a, n, _) -> field(a, n));
    b.simple(
        "insert(text,int4,int4,text)",
        (a, n, _) ->
            Build.text(
                SqlType.TEXT,
                a,
                n,
                i ->
                    insert(
                        TextKernels.str(a, 0, i),
                        Args.ints(a, 1)[i],
                        Args.ints(a, 2)[i],
                        TextKernels.str(a, 3, i))));
    b.simple(
        "space(int4)",
        (a, n, _) -> Build.text(SqlType.TEXT, a, n, i -> spaces(Args.ints(a, 0)[i])));
  }

  private static String spaces(int count) {
    if (count > MAX_TEXT) {
      throw new MillraceException(ErrorCode.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
    }
    return " ".repeat(Math.max(0, count));
  }

  private static Vector locate(List<Vector> a, int n, int wanted, int in) {
    return Build.ints(
        SqlType.INT4,
        a,
        n,
        i -> {
          String s = TextKernels.str(a, in, i);
          int from = a.size() > 2 ? Args.ints(a, 2)[i] : 1;
          int length = s.codePointCount(0, s.length());
          if (from < 1 || from > length + 1) {
            return 0;
          }
          int at = s.indexOf(TextKernels.str(a, wanted, i), s.offsetByCodePoints(0, from - 1));
          return at < 0 ? 0 : s.codePointCount(0, at) + 1;
        });
  }

  /** The texts after the first argument, each an argument or all in one array. */
  private static int count(List<Vector> a, int row) {
    ArrayVector v = array(a);
    if (v == null) {
      return a.size() - 1;
    }
    return v.isNull(row) ? 0 : v.end(row) - v.start(row);
  }

  private static @Nullable ArrayVector array(List<Vector> a) {
    return a.size() == 2 && a.get(1).type().kind() == TypeKind.ARRAY
        ? (ArrayVector) a.get(1)
        : null;
  }

  private static @Nullable String text(List<Vector> a, int row, int k) {
    ArrayVector v = array(a);
    BytesColumn column = (BytesColumn) (v == null ? a.get(k + 1) : v.elements());
    int at = v == null ? row : v.start(row) + k;
    return column.isNull(at) ? null : column.string(at);
  }

  private static Vector elt(List<Vector> a, int n) {
    var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, n);
    for (int i = 0; i < n; i++) {
      int k = a.getFirst().isNull(i) ? 0 : Args.ints(a, 0)[i];
      String s = k < 1 || k > count(a, i) ? null : text(a, i, k - 1);
      if (s == null) {
        out.appendNull();
      } else {
        out.append(s);
      }
    }
    return out.build();
  }

  private static Vector field(List<Vector> a, int n) {
    return Build.ints(
        SqlType.INT4,
        List.of(),
        n,
        i -> {
          if (a.getFirst().isNull(i)) {
            return 0;
          }
          String wanted = TextKernels.str(a, 0, i);
          int count = count(a, i);
          for (int k = 0; k < count; k++) {
            if (wanted.equals(text(a, i, k))) {
              return k + 1;
            }
          }
          return 0;
        });
  }

  /** Replaces characters from a position on; a position outside the text leaves it as it is. */
  private static String insert(String s, int from, int count, String with) {
    int length = s.codePointCount(0, s.length());
    if (from < 1 || from > length) {
      return s;
    }
    int start = s.offsetByCodePoints(0, from - 1);
    boolean rest = count < 0 || count > length - from + 1;
    int end = rest ? s.length() : s.offsetByCodePoints(start, count);
    return s.substring(0, start) + with + s.substring(end);
  }
}

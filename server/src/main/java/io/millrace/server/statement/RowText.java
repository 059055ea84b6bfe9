package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.TableInfo;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Rows and keys as the details of constraint errors show them. */
final class RowText {
  private RowText() {}

  static String value(Vector v, int row, SessionFormat format) {
    if (v.isNull(row)) {
      return "null";
    }
    var out = new ByteSink(64);
    TypeCodecs.of(v.type()).writeText(v, row, out, format);
    String text = new String(out.array(), 0, out.position(), StandardCharsets.UTF_8);
    return text.length() > 64 ? text.substring(0, 64) + "..." : text;
  }

  /** {@code (1, null, abc)}. */
  static String row(Batch b, int row, SessionFormat format) {
    return b.columns().stream()
        .map(v -> value(v, row, format))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  /** {@code (a, b)=(1, 2)}. */
  static String key(
      TableInfo table, List<Integer> columnIds, Batch key, int row, SessionFormat format) {
    String names =
        columnIds.stream()
            .map(id -> table.columnById(id).map(TableInfo.Column::name).orElse("?"))
            .collect(Collectors.joining(", "));
    return "(" + names + ")=" + row(key, row, format);
  }
}

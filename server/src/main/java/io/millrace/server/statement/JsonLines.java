package io.millrace.server.statement;

import io.millrace.common.copy.CopyParser;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Json;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON objects, one a line, as rows of COPY's text form: members go to the columns of their names,
 * whatever has no column is left out, columns without a member are NULL. A line for a line, so that
 * errors name the right one.
 */
final class JsonLines {
  private final Map<String, Integer> places = new HashMap<>();
  private final Json.Value[] values;
  private final boolean[] given;
  private final ByteSink pending = new ByteSink(4096);
  private final ByteSink out = new ByteSink(64 << 10);
  private final String table;
  private long line;

  JsonLines(String table, List<String> columns) {
    this.table = table;
    for (int i = 0; i < columns.size(); i++) {
      places.put(columns.get(i), i);
    }
    values = new Json.Value[columns.size()];
    given = new boolean[columns.size()];
  }

  /** The rows that end in the piece; valid until the next call. */
  ByteSink translate(byte[] data, int length) {
    out.clear();
    int from = 0;
    for (int i = 0; i < length; i++) {
      if (data[i] == '\n') {
        keep(data, from, i);
        row();
        from = i + 1;
      }
    }
    keep(data, from, length);
    return out;
  }

  private void keep(byte[] data, int from, int to) {
    if (pending.position() + (long) (to - from) > CopyParser.MAX_ROW) {
      throw new MillraceException(
              ErrorCode.PROGRAM_LIMIT_EXCEEDED,
              "row of COPY data is larger than " + (CopyParser.MAX_ROW >> 20) + " MiB")
          .withWhere(CopyParser.where(table, line + 1));
    }
    pending.putBytes(data, from, to - from);
  }

  /** The last row, if no line end stands behind it. */
  ByteSink rest() {
    out.clear();
    if (pending.position() > 0) {
      row();
    }
    return out;
  }

  private void row() {
    line++;
    byte[] text = pending.array();
    int length = pending.position();
    if (new String(text, 0, length, StandardCharsets.UTF_8).isBlank()) {
      throw bad("the line is empty");
    }
    Json.Value v;
    try {
      v = Json.parse(text, 0, length);
    } catch (MillraceException e) {
      throw e.withWhere(CopyParser.where(table, line));
    }
    if (!(v instanceof Json.Obj object)) {
      throw bad("the line is no JSON object");
    }
    java.util.Arrays.fill(given, false);
    for (Json.Member m : object.members()) {
      Integer at = places.get(m.key());
      if (at != null) {
        values[at] = m.value();
        given[at] = true;
      }
    }
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        out.put('\t');
      }
      if (given[i]) {
        value(values[i], text);
      } else {
        out.putText("\\N");
      }
    }
    out.put('\n');
    pending.clear();
  }

  private MillraceException bad(String what) {
    return new MillraceException(ErrorCode.BAD_COPY_FILE_FORMAT, what)
        .withWhere(CopyParser.where(table, line));
  }

  private void value(Json.Value v, byte[] text) {
    switch (v) {
      case Json.Null _ -> out.putText("\\N");
      case Json.Bool b -> out.putText(b.value() ? "true" : "false");
      case Json.Str s -> escaped(s.value().getBytes(StandardCharsets.UTF_8), 0, -1);
      case Json.Num n -> escaped(text, n.start(), n.end());
      case Json.Obj o -> escaped(text, o.start(), o.end());
      case Json.Arr a -> escaped(text, a.start(), a.end());
    }
  }

  private void escaped(byte[] b, int from, int to) {
    int end = to < 0 ? b.length : to;
    for (int i = from; i < end; i++) {
      switch (b[i]) {
        case '\\' -> out.putText("\\\\");
        case '\t' -> out.putText("\\t");
        case '\r' -> out.putText("\\r");
        case '\n' -> out.putText("\\n");
        default -> out.put(b[i]);
      }
    }
  }
}

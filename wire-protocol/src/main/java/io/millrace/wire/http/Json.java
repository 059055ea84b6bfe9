package io.millrace.wire.http;

import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes JSON. */
final class Json {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private Json() {}

  static void string(ByteSink out, String s) {
    byte[] b = s.getBytes(StandardCharsets.UTF_8);
    string(out, b, 0, b.length);
  }

  /** UTF-8 bytes as a JSON string. */
  static void string(ByteSink out, byte[] b, int from, int to) {
    out.put('"');
    int start = from;
    for (int i = from; i < to; i++) {
      byte c = b[i];
      if (c >= 0x20 && c != '"' && c != '\\' || c < 0) {
        continue;
      }
      out.putBytes(b, start, i - start);
      start = i + 1;
      out.put('\\');
      switch (c) {
        case '"', '\\' -> out.put(c);
        case '\n' -> out.put('n');
        case '\r' -> out.put('r');
        case '\t' -> out.put('t');
        default -> {
          out.putText("u00");
          out.put(HEX[c >> 4]);
          out.put(HEX[c & 15]);
        }
      }
    }
    out.putBytes(b, start, to - start);
    out.put('"');
  }

  /** {@code "name":"value"}, with a comma in front unless first; nothing if there is no value. */
  static void member(ByteSink out, String name, @Nullable String value, boolean first) {
    if (value != null) {
      if (!first) {
        out.put(',');
      }
      string(out, name);
      out.put(':');
      string(out, value);
    }
  }

  /** {@code "error":{…}}. */
  static void error(ByteSink out, MillraceException e) {
    out.putText("\"error\":{");
    member(out, "sqlstate", e.sqlState(), true);
    member(out, "message", e.message(), false);
    member(out, "detail", e.detail(), false);
    member(out, "hint", e.hint(), false);
    member(out, "where", e.where(), false);
    if (e.position() > 0) {
      out.putText(",\"position\":");
      out.putDecimal(e.position());
    }
    member(out, "schema", e.schema(), false);
    member(out, "table", e.table(), false);
    member(out, "column", e.column(), false);
    member(out, "constraint", e.constraint(), false);
    out.put('}');
  }
}

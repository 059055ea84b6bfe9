package io.millrace.storage.sst.parquet;

import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A schema as text for a file's metadata: a line for the version, tags and time index, then one
 * line per column: id, role, type, name. Types: kind:typmod, with the element or the fields in
 * brackets.
 */
final class SchemaText {
  private SchemaText() {}

  static String write(TableSchema schema) {
    var b = new StringBuilder();
    b.append("schema ").append(schema.version()).append(" time ").append(schema.timeIndexId());
    b.append(" tags");
    for (int id : schema.tagIds()) {
      b.append(' ').append(id);
    }
    b.append('\n');
    for (ColumnSchema c : schema.columns()) {
      b.append(c.id()).append(' ').append(c.semantic()).append(' ');
      type(c.type(), b);
      b.append(' ').append(c.name().replace("\n", "\\n")).append('\n');
    }
    return b.toString();
  }

  static void type(SqlType t, StringBuilder b) {
    b.append(t.kind()).append(':').append(t.typmod());
    if (t.element() != null) {
      b.append('[');
      type(t.elementType(), b);
      b.append(']');
    }
    if (!t.fields().isEmpty()) {
      b.append('(');
      for (int i = 0; i < t.fields().size(); i++) {
        if (i > 0) {
          b.append(',');
        }
        SqlType.Field f = t.fields().get(i);
        b.append(java.util.HexFormat.of().formatHex(f.name().getBytes(StandardCharsets.UTF_8)));
        b.append('=');
        type(f.type(), b);
      }
      b.append(')');
    }
  }

  static int crc(String text) {
    var c = new CRC32C();
    c.update(text.getBytes(StandardCharsets.UTF_8));
    return (int) c.getValue();
  }

  /** The types of the columns by id, as they were written. */
  static List<StoredColumn> columns(String text) {
    var out = new ArrayList<StoredColumn>();
    List<String> lines = text.lines().toList();
    for (String line : lines.subList(1, lines.size())) {
      String[] p = line.split(" ", 4);
      out.add(new StoredColumn(Integer.parseInt(p[0]), new TypeParser(p[2]).parse()));
    }
    return out;
  }

  record StoredColumn(int id, SqlType type) {}

  private static final class TypeParser {
    private final String s;
    private int at;

    TypeParser(String s) {
      this.s = s;
    }

    SqlType parse() {
      int colon = s.indexOf(':', at);
      TypeKind kind = TypeKind.valueOf(s.substring(at, colon));
      int end = colon + 1;
      while (end < s.length() && (s.charAt(end) == '-' || Character.isDigit(s.charAt(end)))) {
        end++;
      }
      int typmod = Integer.parseInt(s.substring(colon + 1, end));
      at = end;
      SqlType element = null;
      var fields = new ArrayList<SqlType.Field>();
      if (at < s.length() && s.charAt(at) == '[') {
        at++;
        element = parse();
        at++;
      }
      if (at < s.length() && s.charAt(at) == '(') {
        while (s.charAt(at) != ')') {
          at++;
          int eq = s.indexOf('=', at);
          String name =
              new String(
                  java.util.HexFormat.of().parseHex(s.substring(at, eq)), StandardCharsets.UTF_8);
          at = eq + 1;
          fields.add(new SqlType.Field(name, parse()));
        }
        at++;
      }
      return new SqlType(kind, typmod, element, fields);
    }
  }
}

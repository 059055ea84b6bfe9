package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SystemRelation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 15's relations with their columns, and the rows of those that never change. */
final class Resources {
  private static final String FOLDER = "/io/millrace/sql/system/";

  private Resources() {}

  /**
   * A relation's shape.
   *
   * @param kind r table, v view
   */
  record Shape(SystemRelation definition, char kind, boolean[] notNull) {
    Rel rel() {
      return Rel.of(definition, kind, notNull);
    }
  }

  static List<Shape> shapes() {
    var out = new ArrayList<Shape>();
    for (String[] f : lines("relations.tsv")) {
      out.add(shape(Integer.parseInt(f[0]), f[1], f[2], f[3].charAt(0), f[4]));
    }
    return out;
  }

  /**
   * @param columns name:type, an exclamation mark after those that are not null
   */
  static Shape shape(int oid, String schema, String name, char kind, String columns) {
    String[] parts = columns.split(",");
    var list = new ArrayList<SystemRelation.Column>();
    boolean[] notNull = new boolean[parts.length];
    for (int i = 0; i < parts.length; i++) {
      String p = parts[i];
      notNull[i] = p.endsWith("!");
      int colon = p.indexOf(':');
      list.add(
          new SystemRelation.Column(
              p.substring(0, colon), type(p.substring(colon + 1).replace("!", ""))));
    }
    return new Shape(new SystemRelation(oid, schema, name, list), kind, notNull);
  }

  static SqlType type(String name) {
    if (name.startsWith("_")) {
      return SqlType.arrayOf(type(name.substring(1)));
    }
    TypeKind kind = Objects.requireNonNull(TypeKind.ofTypname(name), name);
    return switch (kind) {
      case INT2VECTOR -> SqlType.INT2VECTOR;
      case OIDVECTOR -> SqlType.OIDVECTOR;
      default -> SqlType.of(kind);
    };
  }

  /** Fixed rows by relation, fields as text, null for NULL. */
  static Map<String, List<@Nullable String[]>> rows() {
    var out = new LinkedHashMap<String, List<@Nullable String[]>>();
    for (String[] f : lines("rows.tsv")) {
      @Nullable String[] row = new @Nullable String[f.length - 1];
      for (int i = 1; i < f.length; i++) {
        row[i - 1] = f[i].equals("\\N") ? null : f[i];
      }
      out.computeIfAbsent(f[0], _ -> new ArrayList<>()).add(row);
    }
    return out;
  }

  static List<String[]> keywords() {
    return lines("keywords.tsv");
  }

  private static List<String[]> lines(String file) {
    var out = new ArrayList<String[]>();
    try (InputStream in = Resources.class.getResourceAsStream(FOLDER + file);
        var reader =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in, file), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        out.add(line.split("\t", -1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
    return out;
  }
}

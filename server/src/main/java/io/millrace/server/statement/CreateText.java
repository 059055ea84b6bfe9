package io.millrace.server.statement;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableIndexes;
import io.millrace.sql.partition.PartitionRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Statements that make an object again, as SHOW CREATE gives them. */
final class CreateText {
  private CreateText() {}

  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String names(TableInfo t, List<Integer> ids) {
    return ids.stream()
        .map(id -> quoted(t.columnById(id).map(TableInfo.Column::name).orElse("?")))
        .collect(Collectors.joining(", "));
  }

  static String table(TableInfo t, CatalogSnapshot catalog) {
    var lines = new ArrayList<String>();
    for (TableInfo.Column c : t.columns()) {
      var line = new StringBuilder("  " + quoted(c.name()) + " " + type(c));
      line.append(c.nullable() ? " NULL" : " NOT NULL");
      line.append(value(c, catalog));
      c.comment().ifPresent(x -> line.append(" COMMENT ").append(literal(x)));
      line.append(indexes(t, c));
      lines.add(line.toString());
    }
    t.timeIndex().ifPresent(c -> lines.add("  TIME INDEX (" + quoted(c.name()) + ")"));
    for (TableInfo.Constraint c : t.constraints()) {
      switch (c.kind()) {
        case 'p' -> lines.add("  PRIMARY KEY (" + names(t, c.columnIds()) + ")");
        case 'u' ->
            lines.add(
                "  CONSTRAINT "
                    + Names.quote(c.name())
                    + " UNIQUE ("
                    + names(t, c.columnIds())
                    + ")");
        case 'c' ->
            lines.add(
                "  CONSTRAINT "
                    + Names.quote(c.name())
                    + " CHECK ("
                    + c.checkSql().orElse("true")
                    + ")");
        case 'f' ->
            c.foreignKey()
                .ifPresent(
                    f ->
                        lines.add(
                            "  CONSTRAINT "
                                + Names.quote(c.name())
                                + " FOREIGN KEY ("
                                + names(t, c.columnIds())
                                + ") REFERENCES "
                                + f.table()
                                + (f.columns().isEmpty()
                                    ? ""
                                    : " (" + String.join(", ", f.columns()) + ")")));
        default -> {}
      }
    }
    var out =
        new StringBuilder("CREATE TABLE IF NOT EXISTS " + quoted(t.name()) + " (\n")
            .append(String.join(",\n", lines))
            .append("\n)\n");
    out.append(partitions(t)).append("\nENGINE=mito\n");
    var options = new TreeMap<>(t.options());
    t.comment().ifPresent(c -> options.put("comment", c));
    out.append(options(options));
    return out.toString();
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The short name of a built-in type; what was declared for the others. */
  private static String type(TableInfo.Column c) {
    SqlType t = c.type();
    if (c.userType() != 0 || t.isArray()) {
      return c.declaredType();
    }
    return switch (t.kind()) {
      case BOOL -> "BOOLEAN";
      case INT2 -> "SMALLINT";
      case INT4 -> "INT";
      case INT8 -> "BIGINT";
      case FLOAT4 -> "REAL";
      case FLOAT8 -> "DOUBLE";
      case TEXT -> "STRING";
      case BYTEA -> "VARBINARY";
      case DATE -> "DATE";
      case JSON -> "JSON";
      case JSONB -> "JSONB";
      case TIMESTAMP -> "TIMESTAMP(" + (t.typmod() < 0 ? 6 : t.typmod()) + ")";
      case TIMESTAMP_NS -> "TIMESTAMP(9)";
      default -> c.declaredType();
    };
  }

  private static String indexes(TableInfo t, TableInfo.Column c) {
    var out = new StringBuilder();
    for (TableInfo.Index x : t.indexes()) {
      if (TableIndexes.kind(x.method()).isPresent() && x.columnIds().equals(List.of(c.id()))) {
        out.append(' ').append(x.method().toUpperCase(Locale.ROOT)).append(" INDEX");
        if (!x.options().isEmpty()) {
          out.append(
              new TreeMap<>(x.options())
                  .entrySet().stream()
                      .map(e -> e.getKey() + " = " + literal(e.getValue()))
                      .collect(Collectors.joining(", ", " WITH(", ")")));
        }
      }
    }
    return out.toString();
  }

  private static String partitions(TableInfo t) {
    PartitionRule rule = t.partitions();
    return rule == null
        ? ""
        : IntStream.range(0, rule.partitions())
            .mapToObj(p -> "  " + rule.expression(p, PartitionDefinitions.names(t)))
            .collect(
                Collectors.joining(
                    ",\n", "PARTITION ON COLUMNS (" + names(t, rule.columnIds()) + ") (\n", "\n)"));
  }

  /** DEFAULT or GENERATED of a column, sequences by name. */
  private static String value(TableInfo.Column c, CatalogSnapshot catalog) {
    if (c.isIdentity()) {
      return " GENERATED " + (c.generated().equals("a") ? "ALWAYS" : "BY DEFAULT") + " AS IDENTITY";
    }
    if (c.defaultSql().isEmpty()) {
      return "";
    }
    String sql = defaultText(c, catalog);
    return c.isComputed() ? " GENERATED ALWAYS AS (" + sql + ") STORED" : " DEFAULT " + sql;
  }

  /** The DEFAULT with sequences by name; empty without one. */
  static String defaultText(TableInfo.Column c, CatalogSnapshot catalog) {
    return c.defaultSql()
        .map(
            d ->
                SequenceCalls.shown(
                    d, oid -> catalog.sequence(oid).map(RelationNames::text).orElse(null)))
        .orElse("");
  }

  private static String options(Map<String, String> options) {
    return options.isEmpty()
        ? ""
        : options.entrySet().stream()
            .map(e -> "  " + key(e.getKey()) + " = " + literal(e.getValue()))
            .collect(Collectors.joining(",\n", "WITH(\n", "\n)"));
  }

  private static String key(String key) {
    return key.matches("[a-z_]+") ? key : literal(key);
  }

  static String view(ViewInfo v) {
    return "CREATE VIEW "
        + Names.quote(v.name())
        + " ("
        + v.columnNames().stream().map(Names::quote).collect(Collectors.joining(", "))
        + ") AS "
        + v.query();
  }

  private static String interval(long micros) {
    return micros % 1_000_000 == 0
        ? "INTERVAL '" + micros / 1_000_000 + " seconds'"
        : "INTERVAL '" + micros + " microseconds'";
  }

  static String flow(FlowInfo f) {
    var out = new StringBuilder("CREATE FLOW IF NOT EXISTS " + Names.quote(f.name()));
    out.append("\nSINK TO ")
        .append(Names.quote(f.sinkSchema()))
        .append('.')
        .append(Names.quote(f.sinkTable()));
    f.expireAfterMicros().ifPresent(e -> out.append("\nEXPIRE AFTER ").append(interval(e)));
    f.evalIntervalMicros().ifPresent(e -> out.append("\nEVAL INTERVAL ").append(interval(e)));
    f.comment().ifPresent(c -> out.append("\nCOMMENT ").append(literal(c)));
    if (!f.options().isEmpty()) {
      out.append(
          f.options().entrySet().stream()
              .sorted(Map.Entry.comparingByKey())
              .map(e -> e.getKey() + " = " + literal(e.getValue()))
              .collect(Collectors.joining(", ", "\nWITH (", ")")));
    }
    return out.append("\nAS ").append(f.query()).toString();
  }
}

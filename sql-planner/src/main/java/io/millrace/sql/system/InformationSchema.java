package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import java.util.List;

/** Relations of information_schema. */
final class InformationSchema {
  private static final SqlType NAME = SqlType.NAME;
  private static final SqlType TEXT = SqlType.VARCHAR;
  private static final SqlType INT = SqlType.INT4;

  private InformationSchema() {}

  static List<Relation> relations() {
    return List.of(schemata(), tables(), columns(), flows());
  }

  private static Relation schemata() {
    return Relation.of(13210, "information_schema", "schemata")
        .columns(
            NAME,
            "catalog_name",
            "schema_name",
            "schema_owner",
            "default_character_set_catalog",
            "default_character_set_schema",
            "default_character_set_name")
        .columns(TEXT, "sql_path")
        .filledBy(
            (c, out) -> {
              String database = c.session().database();
              for (String s : List.of("pg_catalog", "information_schema")) {
                out.row(database, s, "millrace");
              }
              c.catalog()
                  .schemas(c.database())
                  .forEach(s -> out.row(database, s.name(), "millrace"));
            });
  }

  private static Relation tables() {
    return Relation.of(13228, "information_schema", "tables")
        .columns(NAME, "table_catalog", "table_schema", "table_name")
        .columns(TEXT, "table_type")
        .columns(NAME, "self_referencing_column_name")
        .columns(TEXT, "reference_generation")
        .columns(
            NAME, "user_defined_type_catalog", "user_defined_type_schema", "user_defined_type_name")
        .columns(TEXT, "is_insertable_into", "is_typed", "commit_action")
        .filledBy(
            (c, out) -> {
              String database = c.session().database();
              for (TableInfo t : c.catalog().tables(c.database())) {
                out.row(
                    database,
                    t.schema(),
                    t.name(),
                    "BASE TABLE",
                    null,
                    null,
                    null,
                    null,
                    null,
                    "YES",
                    "NO");
              }
              for (ViewInfo v : c.catalog().views(c.database())) {
                out.row(
                    database,
                    v.schema(),
                    v.name(),
                    "VIEW",
                    null,
                    null,
                    null,
                    null,
                    null,
                    "NO",
                    "NO");
              }
            });
  }

  private static Relation columns() {
    return Relation.of(13180, "information_schema", "columns")
        .columns(NAME, "table_catalog", "table_schema", "table_name", "column_name")
        .columns(INT, "ordinal_position")
        .columns(TEXT, "column_default", "is_nullable", "data_type")
        .columns(INT, "character_maximum_length", "numeric_precision", "numeric_scale")
        .columns(INT, "datetime_precision")
        .columns(NAME, "udt_name")
        .filledBy(
            (c, out) -> {
              for (TableInfo t : c.catalog().tables(c.database())) {
                for (TableInfo.Column x : t.columns()) {
                  out.row(
                      c.session().database(),
                      t.schema(),
                      t.name(),
                      x.name(),
                      x.attnum(),
                      x.defaultSql().orElse(null),
                      x.nullable() ? "YES" : "NO",
                      x.type().isArray() ? "ARRAY" : x.type().withTypmod(-1).sqlName(),
                      null,
                      null,
                      null,
                      null,
                      x.type().typname());
                }
              }
            });
  }

  private static Relation flows() {
    return Relation.of(13990, "information_schema", "flows")
        .columns(TEXT, "flow_name")
        .columns(SqlType.INT8, "flow_id", "state_size")
        .columns(TEXT, "table_catalog", "flow_definition", "raw_sql", "comment")
        .columns(SqlType.INT8, "expire_after", "eval_interval")
        .columns(
            TEXT,
            "source_table_ids",
            "source_table_names",
            "sink_table_name",
            "flownode_ids",
            "options")
        .columns(SqlType.TIMESTAMP, "created_time", "updated_time", "last_execution_time")
        .filledBy(
            (c, out) -> {
              CatalogSnapshot catalog = c.catalog();
              for (FlowInfo f : catalog.flows()) {
                out.row(
                    f.name(),
                    (long) f.id().value(),
                    null,
                    f.database(),
                    f.query(),
                    f.rawSql(),
                    f.comment().orElse(null),
                    f.expireAfterMicros().isPresent()
                        ? (Long) (f.expireAfterMicros().getAsLong() / 1_000_000)
                        : null,
                    f.evalIntervalMicros().isPresent()
                        ? (Long) (f.evalIntervalMicros().getAsLong() / 1_000_000)
                        : null,
                    f.sources().stream().map(s -> s.value()).toList().toString(),
                    String.join(",", f.sourceNames()),
                    f.sinkDatabase() + "." + f.sinkSchema() + "." + f.sinkTable(),
                    "{}",
                    "{}",
                    f.createdMicros(),
                    f.updatedMicros(),
                    null);
              }
            });
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.parser.ParsedStatement;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.semantics.Semantics;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A catalog of a few tables, and analysis by text. */
final class TestKit {
  static final Semantics SEMANTICS = Semantics.loadAll();

  private final StatementParser parser = new StatementParser();
  private final Analyser analyser = new Analyser();
  final List<TableInfo> tables = new ArrayList<>();
  SystemRelations relations = new Relations();

  TestKit() {
    table(
        "cpu",
        true,
        col("host", SqlType.TEXT),
        col("region", SqlType.TEXT),
        col("ts", SqlType.TIMESTAMP.withTypmod(3)),
        col("usage_user", SqlType.FLOAT8),
        col("usage_system", SqlType.FLOAT8),
        col("n", SqlType.INT4),
        col("big", SqlType.INT8));
    table(
        "t",
        false,
        col("id", SqlType.INT4),
        col("name", SqlType.varchar(10)),
        col("v", SqlType.numeric(10, 2)),
        col("d", SqlType.DATE),
        col("tz", SqlType.TIMESTAMPTZ),
        col("j", SqlType.JSONB),
        col("arr", SqlType.arrayOf(SqlType.INT4)),
        col("b", SqlType.BOOL),
        col("small", SqlType.INT2),
        col("f", SqlType.FLOAT4),
        col("iv", SqlType.INTERVAL),
        col("ns", SqlType.TIMESTAMP_NS));
    table("u", false, col("id", SqlType.INT4), col("x", SqlType.TEXT), col("y", SqlType.INT8));
  }

  private record Col(String name, SqlType type) {}

  private static Col col(String name, SqlType type) {
    return new Col(name, type);
  }

  private void table(String name, boolean timed, Col... cols) {
    int number = tables.size() + 1;
    var columns = new ArrayList<TableInfo.Column>();
    var stored = new ArrayList<ColumnSchema>();
    var tags = new ArrayList<Integer>();
    int time = 0;
    for (int i = 0; i < cols.length; i++) {
      boolean tag = timed ? i < 2 : i == 0;
      boolean ts = timed && cols[i].name().equals("ts");
      columns.add(
          new TableInfo.Column(
              i + 1,
              cols[i].name(),
              i + 1,
              cols[i].type(),
              cols[i].type().sqlName(),
              !tag && !ts,
              cols[i].name().equals("y") ? Optional.of("7") : Optional.empty(),
              Optional.empty(),
              ""));
      stored.add(
          new ColumnSchema(
              i + 1,
              cols[i].name(),
              cols[i].type(),
              ts ? SemanticType.TIMESTAMP : tag ? SemanticType.TAG : SemanticType.FIELD,
              !tag && !ts,
              null));
      if (tag) {
        tags.add(i + 1);
      }
      time = ts ? i + 1 : time;
    }
    if (!timed) {
      time = cols.length + 1;
      stored.add(
          new ColumnSchema(time, "__rowid", SqlType.INT8, SemanticType.TIMESTAMP, false, null));
    }
    tables.add(
        new TableInfo(
            new TableId(number),
            16_384 + number,
            1,
            "millrace",
            "public",
            name,
            columns,
            new TableSchema(1, stored, tags, time),
            RegionOptions.DEFAULT,
            List.of(),
            List.of(
                new TableInfo.Constraint(
                    20_000 + number,
                    name + "_pkey",
                    'p',
                    tags,
                    Optional.empty(),
                    Optional.empty())),
            Map.of(),
            Optional.empty(),
            0,
            false));
  }

  private final class Snapshot implements CatalogSnapshot {
    @Override
    public long version() {
      return 1;
    }

    @Override
    public Collection<DatabaseInfo> databases() {
      return List.of(new DatabaseInfo(1, "millrace"));
    }

    @Override
    public Optional<DatabaseInfo> database(String name) {
      return switch (name) {
        case "millrace", "public", "postgres" -> Optional.of(new DatabaseInfo(1, "millrace"));
        default -> Optional.empty();
      };
    }

    @Override
    public Collection<SchemaInfo> schemas(String database) {
      return List.of(new SchemaInfo(2, "millrace", "public"));
    }

    @Override
    public Optional<TableInfo> table(String database, String schema, String name) {
      return tables.stream()
          .filter(t -> t.name().equals(name) && t.schema().equals(schema))
          .findFirst();
    }

    @Override
    public Optional<TableInfo> table(TableId id) {
      return tables.stream().filter(t -> t.id().equals(id)).findFirst();
    }

    @Override
    public Collection<TableInfo> tables(String database) {
      return tables;
    }

    @Override
    public Collection<TableInfo> hiddenTables() {
      return List.of();
    }

    @Override
    public Optional<ViewInfo> view(String database, String schema, String name) {
      return name.equals("vw")
          ? Optional.of(
              new ViewInfo(
                  30_000,
                  1,
                  "millrace",
                  "public",
                  "vw",
                  "SELECT id, name AS nm FROM t WHERE id > 5",
                  List.of("id", "nm"),
                  List.of(SqlType.INT4, SqlType.varchar(10))))
          : Optional.empty();
    }

    @Override
    public Collection<ViewInfo> views(String database) {
      return List.of();
    }

    @Override
    public Optional<FlowInfo> flow(String database, String schema, String name) {
      return Optional.empty();
    }

    @Override
    public Optional<FlowInfo> flow(FlowId id) {
      return Optional.empty();
    }

    @Override
    public Collection<FlowInfo> flows() {
      return List.of();
    }
  }

  private static final class Relations implements SystemRelations {
    private final SystemRelation pgClass =
        new SystemRelation(
            1259,
            "pg_catalog",
            "pg_class",
            List.of(
                new SystemRelation.Column("oid", SqlType.OID),
                new SystemRelation.Column("relname", SqlType.NAME),
                new SystemRelation.Column("relnamespace", SqlType.OID),
                new SystemRelation.Column("relkind", SqlType.CHAR)));

    @Override
    public Optional<SystemRelation> find(String schema, String name) {
      return schema.equals("pg_catalog") && name.equals("pg_class")
          ? Optional.of(pgClass)
          : Optional.empty();
    }

    @Override
    public Collection<SystemRelation> all() {
      return List.of(pgClass);
    }
  }

  AnalyseContext context(@Nullable SqlType... declared) {
    return new AnalyseContext(
        new Snapshot(),
        SEMANTICS,
        relations,
        "millrace",
        List.of("public"),
        SessionFormat.DEFAULT,
        java.util.Arrays.asList(declared),
        parser::parseQuery);
  }

  Analysed analyse(String sql) {
    ParsedStatement s = parser.parse(sql).get(0);
    return s.statement() instanceof Statement.Query q
        ? analyser.query(q.query(), sql, context())
        : analyser.dml(s.statement(), sql, context());
  }

  Analysed.Query query(String sql) {
    return (Analysed.Query) analyse(sql);
  }

  /** {@code name type, name type | parameter types}, or {@code SQLSTATE position message}. */
  String describe(String sql) {
    try {
      Analysed a = analyse(sql);
      String params =
          a.facts().parameterTypes().stream()
              .map(SqlType::sqlName)
              .collect(Collectors.joining(", "));
      List<Analysed.Output> outputs =
          switch (a) {
            case Analysed.Query q -> q.outputs();
            case Analysed.Insert i -> i.returning() == null ? List.of() : i.returning().outputs();
            case Analysed.Update u -> u.returning() == null ? List.of() : u.returning().outputs();
            case Analysed.Delete d -> d.returning() == null ? List.of() : d.returning().outputs();
            case Analysed.Merge m -> List.of();
            case Analysed.Locking l -> l.outputs();
            case Analysed.Expression e -> List.of();
          };
      String columns =
          outputs.stream()
              .map(o -> o.name() + " " + o.type().sqlName())
              .collect(Collectors.joining(", "));
      return params.isEmpty() ? columns : columns + " | " + params;
    } catch (MillraceException e) {
      return e.sqlState() + " " + e.position() + " " + e.message();
    }
  }
}

package io.millrace.sql.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.ManualClock;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.SystemTables.Condition;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.semantics.Semantics;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.IndexInfo;
import io.millrace.storage.IndexKind;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRole;
import io.millrace.storage.RegionStatistics;
import io.millrace.storage.SstInfo;
import io.millrace.storage.StoredSst;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SystemCatalogTest {
  private static final int TABLES = 50;

  private final List<TableInfo> tables = IntStream.range(0, TABLES).mapToObj(this::table).toList();
  private final CatalogSnapshot snapshot = snapshot();
  private final SystemCatalog catalog = new SystemCatalog(new SettingDefinitions(), engine());
  private final FunctionRegistry functions = functions();
  private final QueryEngine.SessionInfo session =
      new QueryEngine.SessionInfo("postgres", "joe", List.of("public"), 7, Map.of());

  private FunctionRegistry functions() {
    FunctionRegistry.Builder b = FunctionRegistry.builder();
    catalog.register(b);
    FunctionRegistry f = b.build();
    catalog.describe(Semantics.load(f));
    return f;
  }

  private TableInfo table(int i) {
    var id = new TableId(1000 + i);
    RegionId region = RegionId.of(id, 0);
    return new TableInfo(
        id,
        20_000 + i * 10,
        1,
        "millrace",
        "public",
        "t" + i,
        List.of(
            column(1, "host", SqlType.varchar(20), null),
            column(2, "ts", SqlType.TIMESTAMP.withTypmod(3), null),
            column(3, "v", SqlType.numeric(10, 2), "1.5")),
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, true, null),
                new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
                new ColumnSchema(3, "v", SqlType.NUMERIC, SemanticType.FIELD, true, null)),
            List.of(1),
            2),
        RegionOptions.DEFAULT,
        List.of(region),
        List.of(
            new TableInfo.Constraint(
                20_001 + i * 10,
                "t" + i + "_pkey",
                'p',
                List.of(1),
                Optional.empty(),
                Optional.empty()),
            new TableInfo.Constraint(
                20_002 + i * 10,
                "t" + i + "_check",
                'c',
                List.of(),
                Optional.of("v > 0"),
                Optional.empty())),
        Map.of(),
        Optional.of("table " + i),
        0,
        false);
  }

  private static TableInfo.Column column(int id, String name, SqlType type, @Nullable String def) {
    return new TableInfo.Column(
        id, name, id, type, name, id != 2, Optional.ofNullable(def), Optional.empty(), "");
  }

  private CatalogSnapshot snapshot() {
    return (CatalogSnapshot)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {CatalogSnapshot.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "version" -> 1L;
                  case "databases" -> List.of(new DatabaseInfo(16_384, "millrace"));
                  case "database" ->
                      List.of("millrace", "postgres").contains(args[0])
                          ? Optional.of(new DatabaseInfo(16_384, "millrace"))
                          : Optional.empty();
                  case "schemas" -> List.of(new SchemaInfo(2200, "millrace", "public"));
                  case "tables" -> tables;
                  case "views", "flows", "sequences", "types", "roles" -> List.of();
                  case "comments" -> Map.of();
                  case "sequence", "type", "role" -> Optional.empty();
                  case "indexes" ->
                      List.of(
                          new IndexInfo(
                              (RegionId) args[0], "f", 1, "d/f", 900, IndexKind.INVERTED, 2, 800));
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private RegionEngine engine() {
    return (RegionEngine)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RegionEngine.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "info" ->
                      new RegionInfo(
                          (RegionId) args[0],
                          tables.getFirst().storage(),
                          RegionOptions.DEFAULT,
                          1,
                          1,
                          0,
                          10,
                          100,
                          9000,
                          1,
                          0,
                          0,
                          Long.MIN_VALUE);
                  case "statistics" ->
                      new RegionStatistics(
                          (RegionId) args[0],
                          RegionRole.LEADER,
                          10,
                          1,
                          0,
                          100,
                          0,
                          1,
                          9000,
                          0,
                          200,
                          1,
                          0,
                          0,
                          0,
                          0,
                          0,
                          0,
                          1,
                          1);
                  case "indexes" ->
                      List.of(
                          new IndexInfo(
                              (RegionId) args[0],
                              "f",
                              1,
                              "f.puffin",
                              80,
                              IndexKind.KEY_BLOOM,
                              0,
                              60));
                  case "storedFiles" ->
                      List.of(new StoredSst(new RegionId(1L << 32), "f", 9000, 0));
                  case "files" ->
                      List.of(
                          new SstInfo(
                              (RegionId) args[0], "f", "f", 9000, 10, 1, 0, 0, 1, 1, false, false));
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private QueryEngine.QueryContext context() {
    return new QueryEngine.QueryContext(
        snapshot, List.of(), SessionFormat.DEFAULT, 0, 0, null, Map.of(), session, false);
  }

  private List<String> scan(String relation, List<Condition> conditions, String... columns) {
    String[] name = relation.split("\\.");
    SystemRelation r = catalog.find(name[0], name[1]).orElseThrow();
    List<String> names = r.columns().stream().map(SystemRelation.Column::name).toList();
    var places = new ArrayList<Integer>();
    for (String c : columns) {
      places.add(names.indexOf(c));
    }
    var out = new ArrayList<String>();
    try (var rows = catalog.open(name[0], name[1], places, conditions, context())) {
      for (Batch b = rows.next(); b != null; b = rows.next()) {
        for (int i = 0; i < b.rows(); i++) {
          var cells = new ArrayList<String>();
          for (Vector v : b.columns()) {
            cells.add(text(v, i));
          }
          out.add(String.join("|", cells));
        }
      }
    }
    return out;
  }

  private static String text(Vector v, int row) {
    if (v.isNull(row)) {
      return "";
    }
    var sink = new ByteSink();
    TypeCodecs.of(v.type()).writeText(v, row, sink, SessionFormat.DEFAULT);
    return new String(sink.array(), 0, sink.position(), StandardCharsets.UTF_8);
  }

  private Condition condition(String relation, String column, Object... values) {
    String[] name = relation.split("\\.");
    SystemRelation r = catalog.find(name[0], name[1]).orElseThrow();
    List<String> names = r.columns().stream().map(SystemRelation.Column::name).toList();
    int place = names.indexOf(column);
    VectorBuilder b = VectorBuilder.of(r.columns().get(place).type(), values.length);
    for (Object v : values) {
      RowSink.put(b, v);
    }
    return new Condition(
        place, values.length == 1 ? ScanConjunct.Kind.EQ : ScanConjunct.Kind.IN, b.build());
  }

  private String call(String signature, SqlType result, Object... args) {
    var vectors = new ArrayList<Vector>();
    var types = new ArrayList<SqlType>();
    for (Object a : args) {
      SqlType t =
          a instanceof Integer ? SqlType.OID : a instanceof Boolean ? SqlType.BOOL : SqlType.TEXT;
      VectorBuilder b = VectorBuilder.of(t, 1);
      RowSink.put(b, a);
      vectors.add(b.build());
      types.add(t);
    }
    var eval =
        new EvalContext(
            snapshot,
            SessionFormat.DEFAULT,
            session,
            0,
            0,
            new ManualClock(0),
            new SplittableRandom(1),
            () -> {});
    return text(
        functions.scalar(new FunctionId(signature), types, result).apply(vectors, 1, eval), 0);
  }

  @Test
  void everyRelationGivesRowsOfItsShape() {
    for (SystemRelation r : catalog.all()) {
      String[] columns =
          r.columns().stream().map(SystemRelation.Column::name).toArray(String[]::new);
      assertThat(scan(r.schema() + "." + r.name(), List.of(), columns)).isNotNull();
    }
  }

  @Test
  void relationsThatToolsReadHavePostgresColumns() {
    assertThat(catalog.find("pg_catalog", "pg_class").orElseThrow().columns()).hasSize(33);
    assertThat(catalog.find("pg_catalog", "pg_type").orElseThrow().columns()).hasSize(32);
    assertThat(catalog.find("information_schema", "columns").orElseThrow().columns()).hasSize(44);
  }

  @Test
  void conditionsOnOidsAndNamesTouchOnlyWhatTheyName() {
    String c = "pg_catalog.pg_class";
    assertThat(scan(c, List.of(condition(c, "oid", 20_010)), "relname", "relkind", "reltuples"))
        .containsExactly("t1|r|10", "t1_pkey|i|10");
    assertThat(scan(c, List.of(condition(c, "relname", "t2")), "relname"))
        .containsExactly("t2", "t2_pkey");
    assertThat(scan(c, List.of(condition(c, "oid", 1259)), "relname")).containsExactly("pg_class");
    String a = "pg_catalog.pg_attribute";
    assertThat(
            scan(
                a,
                List.of(condition(a, "attrelid", 20_030, 20_040)),
                "attname",
                "atttypid",
                "atttypmod"))
        .containsExactly(
            "host|1043|24",
            "ts|1114|3",
            "v|1700|655366",
            "host|1043|24",
            "ts|1114|3",
            "host|1043|24",
            "ts|1114|3",
            "v|1700|655366",
            "host|1043|24",
            "ts|1114|3");
    String t = "pg_catalog.pg_type";
    assertThat(scan(t, List.of(condition(t, "typname", "int4")), "oid", "typarray"))
        .containsExactly("23|1007");
    assertThat(scan(t, List.of(condition(t, "typname", "_t3")), "typname"))
        .containsExactly("t3", "_t3");
  }

  @Test
  void everyTypeIsThereWithItsArray() {
    List<String> rows = scan("pg_catalog.pg_type", List.of(), "oid", "typname", "typarray");
    for (TypeKind k : TypeKind.values()) {
      if (k.oid() != 0) {
        assertThat(rows).contains(k.oid() + "|" + k.typname() + "|" + k.arrayOid());
      }
    }
  }

  @Test
  void keysHaveTheTimeIndexAtTheEnd() {
    String i = "pg_catalog.pg_index";
    assertThat(
            scan(
                i,
                List.of(condition(i, "indrelid", 20_010)),
                "indkey",
                "indisprimary",
                "indisunique"))
        .containsExactly("1 2|t|t");
    String k = "information_schema.key_column_usage";
    assertThat(
            scan(
                k,
                List.of(condition(k, "table_name", "t1")),
                "table_catalog",
                "constraint_name",
                "column_name",
                "ordinal_position"))
        .containsExactly("postgres|t1_pkey|host|1", "postgres|t1_pkey|ts|2");
  }

  @Test
  void definitionsReadAsPostgresWritesThem() {
    int index = Oids.index(20_011);
    assertThat(call("pg_get_indexdef(oid)", SqlType.TEXT, index))
        .isEqualTo("CREATE UNIQUE INDEX t1_pkey ON public.t1 USING btree (host, ts)");
    assertThat(call("pg_get_constraintdef(oid)", SqlType.TEXT, 20_012))
        .isEqualTo("CHECK ((v > 0))");
    assertThat(call("pg_get_constraintdef(oid)", SqlType.TEXT, 20_011))
        .isEqualTo("PRIMARY KEY (host, ts)");
    assertThat(call("obj_description(oid,name)", SqlType.TEXT, 20_010, "pg_class"))
        .isEqualTo("table 1");
    assertThat(call("pg_get_userbyid(oid)", SqlType.NAME, 10)).isEqualTo("millrace");
  }

  @Test
  void regTypesFollowTheSearchPath() {
    assertThat(call("cast(text):regclass", SqlType.REGCLASS, "t4")).isEqualTo("20040");
    assertThat(call("cast(text):regclass", SqlType.REGCLASS, "pg_class")).isEqualTo("1259");
    assertThat(call("cast(regclass):text", SqlType.TEXT, 20_040)).isEqualTo("t4");
    assertThat(call("cast(regclass):text", SqlType.TEXT, 13_295))
        .isEqualTo("information_schema.columns");
    assertThat(call("cast(regtype):text", SqlType.TEXT, 1007)).isEqualTo("integer[]");
    assertThat(call("to_regclass(text)", SqlType.REGCLASS, "nothing")).isEmpty();
    assertThatThrownBy(() -> call("cast(text):regclass", SqlType.REGCLASS, "nothing"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("42P01");
              assertThat(e.message()).isEqualTo("relation \"nothing\" does not exist");
            });
  }

  @Test
  void sessionsSeeThemselves() {
    assertThat(call("current_database()", SqlType.NAME)).isEqualTo("postgres");
    assertThat(call("current_user()", SqlType.NAME)).isEqualTo("joe");
    assertThat(call("current_schema()", SqlType.NAME)).isEqualTo("public");
    assertThat(call("version()", SqlType.TEXT)).startsWith("PostgreSQL 15.18 (Millrace ");
    assertThat(call("current_setting(text)", SqlType.TEXT, "server_version")).isEqualTo("15.18");
    assertThat(call("pg_table_is_visible(oid)", SqlType.BOOL, 20_040)).isEqualTo("t");
    assertThat(call("pg_relation_size(regclass)", SqlType.INT8, 20_040)).isEqualTo("9100");
  }

  @Test
  void everyOwnFunctionHasAKernelAndEveryCatalogFunctionARow() {
    Semantics all = Semantics.load(functions);
    for (String name : List.of("pg_get_expr", "aclexplode", "inet_server_addr", "format_type")) {
      assertThat(all.functions(name)).isNotEmpty();
    }
    assertThat(all.functions("information_schema._pg_expandarray")).hasSize(5);
  }
}

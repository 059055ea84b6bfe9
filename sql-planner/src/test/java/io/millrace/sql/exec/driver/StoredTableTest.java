package io.millrace.sql.exec.driver;

import static io.millrace.sql.exec.driver.TestEngine.col;
import static io.millrace.sql.exec.driver.TestEngine.lit;
import static io.millrace.sql.exec.driver.TestEngine.vector;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine.Query;
import io.millrace.sql.exec.QueryEngine.QueryContext;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct.Kind;
import io.millrace.sql.physical.PhysicalPlan.ScanOrder;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans over the region engine: two regions, some rows in files, some in memory. */
class StoredTableTest {
  private static final int HOSTS = 40;
  private static final int STEPS = 2_500;
  private static final SqlType TEXT = SqlType.TEXT;
  private static final SqlType TS = SqlType.TIMESTAMP;
  private static final SqlType FLOAT8 = SqlType.FLOAT8;
  private static final TableId TABLE = new TableId(77);

  @TempDir Path temp;
  private RegionEngine stored;
  private TestEngine engine;

  @BeforeEach
  void start() {
    stored =
        RegionEngines.open(
            temp.resolve("data"),
            new EngineConfig(
                EngineConfig.WalSync.NONE,
                100_000,
                1 << 20,
                64 << 20,
                128 << 20,
                64 << 20,
                1 << 20,
                32 << 20,
                2,
                600_000_000L),
            RegionEngines.localEnvironment(1));
    stored.openGate();
    engine = new TestEngine(temp.resolve("spill"), 256L << 20, 1L << 30, 2, stored);
    var schema =
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "host", TEXT, SemanticType.TAG, false, null),
                new ColumnSchema(2, "ts", TS, SemanticType.TIMESTAMP, false, null),
                new ColumnSchema(3, "v", FLOAT8, SemanticType.FIELD, true, null)),
            List.of(1),
            2);
    var regions = List.of(RegionId.of(TABLE, 0), RegionId.of(TABLE, 1));
    for (RegionId r : regions) {
      stored.request(new RegionRequest.Create(r, schema, RegionOptions.DEFAULT)).join();
    }
    engine.tables.put(
        TABLE,
        new TableInfo(
            TABLE,
            77,
            1,
            "db",
            "public",
            "cpu",
            List.of(),
            schema,
            RegionOptions.DEFAULT,
            regions,
            List.of(),
            Map.of(),
            Optional.empty(),
            0,
            false));
    for (int part = 0; part < 2; part++) {
      var writes = new ArrayList<RegionWrite>();
      for (int r = 0; r < 2; r++) {
        writes.add(write(regions.get(r), r, part));
      }
      stored.commit(WriteGroup.of(writes)).join();
      if (part == 0) {
        for (RegionId r : regions) {
          stored.request(new RegionRequest.Flush(r, "test")).join();
        }
      }
    }
  }

  /** Hosts of one parity, half of the times. */
  private static RegionWrite write(RegionId region, int parity, int part) {
    var host = (VectorBuilder.Bytes) VectorBuilder.of(TEXT, 16);
    var ts = (VectorBuilder.Longs) VectorBuilder.of(TS, 16);
    var v = (VectorBuilder.Doubles) VectorBuilder.of(FLOAT8, 16);
    int rows = 0;
    for (int h = parity; h < HOSTS; h += 2) {
      for (int t = part; t < STEPS; t += 2) {
        host.append(name(h));
        ts.append(t * 1000L);
        v.append(value(h, t));
        rows++;
      }
    }
    return new RegionWrite(
        region,
        1,
        OpType.PUT,
        List.of(1, 2, 3),
        new Batch(List.of(host.build(), ts.build(), v.build()), rows));
  }

  private static String name(int h) {
    return "host_" + (h < 10 ? "0" : "") + h;
  }

  private static double value(int h, int t) {
    return h * 10 + t % 7;
  }

  @AfterEach
  void stop() {
    engine.close();
    stored.close();
  }

  private static PhysicalPlan.TableScan scan(
      List<Integer> columns,
      ScanOrder order,
      @Nullable Expr limit,
      boolean last,
      ScanConjunct... conjuncts) {
    var types = new ArrayList<SqlType>();
    for (int c : columns) {
      types.add(List.of(TEXT, TS, FLOAT8).get(c - 1));
    }
    return new PhysicalPlan.TableScan(
        TABLE, 1, "cpu", columns, types, List.of(conjuncts), order, limit, last);
  }

  private static ScanConjunct where(int column, Kind kind, Expr... values) {
    return new ScanConjunct(column, kind, List.of(values));
  }

  @Test
  void aggregatesOverParallelPartitionsOfAllRegions() {
    var scan = scan(List.of(1, 2), ScanOrder.ANY, null, false);
    var plan =
        new PhysicalPlan.Aggregate(
            scan,
            List.of(0),
            List.of(List.of(0)),
            List.of(
                new PhysicalPlan.AggregateCall(
                    new FunctionId("test_count()"),
                    SqlType.INT8,
                    List.of(),
                    false,
                    null,
                    List.of(),
                    List.of())),
            false);
    var rows = engine.run(plan);
    assertThat(rows).hasSize(HOSTS);
    assertThat(rows).allSatisfy(r -> assertThat(r.get(1)).isEqualTo((long) STEPS));
  }

  @Test
  void conjunctsPruneExactly() {
    var scan =
        scan(
            List.of(1, 2, 3),
            ScanOrder.KEY,
            null,
            false,
            where(1, Kind.IN, lit(TEXT, name(3)), lit(TEXT, name(4)), lit(TEXT, null)),
            where(2, Kind.GE, lit(TS, 10_000L)),
            where(2, Kind.LT, lit(TS, 13_000L)));
    var rows = engine.run(scan);
    assertThat(rows).hasSize(6);
    assertThat(rows.get(0)).containsExactly(name(3), 10_000L, value(3, 10));
    assertThat(rows.get(3)).containsExactly(name(4), 10_000L, value(4, 10));
    assertThat(
            engine.run(
                scan(List.of(1), ScanOrder.ANY, null, false, where(2, Kind.EQ, lit(TS, null)))))
        .isEmpty();
  }

  @Test
  void ordersAreMergedOverRegions() {
    var scan =
        scan(
            List.of(3, 2),
            ScanOrder.TIME_DESC,
            lit(SqlType.INT8, 100L),
            false,
            where(3, Kind.GE, lit(FLOAT8, 0.0)));
    var rows = engine.run(new PhysicalPlan.Limit(scan, lit(SqlType.INT8, 100L), null));
    assertThat(rows).hasSize(100);
    for (int i = 0; i < 100; i++) {
      assertThat(rows.get(i).get(1)).isEqualTo((STEPS - 1 - i / HOSTS) * 1000L);
    }
    var keys = engine.run(scan(List.of(1, 2), ScanOrder.KEY, null, false));
    assertThat(keys).hasSize(HOSTS * STEPS);
    for (int i = 1; i < keys.size(); i++) {
      int c = ((String) keys.get(i - 1).get(0)).compareTo((String) keys.get(i).get(0));
      assertThat(c < 0 || c == 0 && (Long) keys.get(i - 1).get(1) < (Long) keys.get(i).get(1))
          .isTrue();
    }
  }

  @Test
  void theLastRowOfEachSeries() {
    var rows = engine.run(scan(List.of(1, 2, 3), ScanOrder.ANY, null, true));
    assertThat(rows).hasSize(HOSTS);
    assertThat(rows).allSatisfy(r -> assertThat(r.get(1)).isEqualTo((STEPS - 1) * 1000L));
  }

  @Test
  void aTransactionSeesItsOverlay() {
    RegionId region = RegionId.of(TABLE, 0);
    Vector host = vector(TEXT, name(0));
    Vector ts = vector(TS, 0L);
    Vector v = vector(FLOAT8, -5.0);
    var overlay =
        new Overlay(
            List.of(
                new RegionWrite(
                    region, 1, OpType.PUT, List.of(1, 2, 3), new Batch(List.of(host, ts, v), 1))));
    QueryContext base = engine.context();
    var context =
        new QueryContext(
            base.catalog(),
            List.of(),
            base.format(),
            0,
            0,
            null,
            Map.of(region, overlay),
            base.session(),
            false);
    var sink = new TestEngine.Sink();
    var plan =
        new PhysicalPlan.Filter(
            scan(List.of(1, 3), ScanOrder.ANY, null, false, where(2, Kind.EQ, lit(TS, 0L))),
            new Expr.Compare(Expr.Op.LT, col(1, FLOAT8), lit(FLOAT8, 0.0)));
    Query q = engine.engine.open(TestEngine.template(plan), context, sink);
    q.demand(Long.MAX_VALUE);
    assertThat(sink.await()).containsExactly(List.of(name(0), -5.0));
    engine.assertClean();
  }
}

package io.millrace.sql.exec.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.time.SystemClock;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine.Query;
import io.millrace.sql.exec.QueryEngine.QueryContext;
import io.millrace.sql.exec.QueryEngine.ResultSink;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.QueryEngines;
import io.millrace.sql.exec.SystemTables;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionOptions;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A query engine over {@link TestRegions}, with plans and rows made by hand. */
final class TestEngine implements AutoCloseable {
  final TestRegions regions = new TestRegions();
  final Map<TableId, TableInfo> tables = new HashMap<>();
  final ManualScheduler scheduler = new ManualScheduler();
  final QueryEngineImpl engine;
  SystemTables system = (_, _, _, _, _) -> () -> null;

  TestEngine(Path temp) {
    this(temp, 256L << 20, 1L << 30, 2);
  }

  TestEngine(Path temp, long queryMemory, long tempLimit, int threads) {
    this(temp, queryMemory, tempLimit, threads, null);
  }

  /**
   * @param stored a real engine; null = {@link TestRegions}
   */
  TestEngine(
      Path temp, long queryMemory, long tempLimit, int threads, @Nullable RegionEngine stored) {
    engine =
        new QueryEngineImpl(
            new QueryEngines.Services(
                stored == null ? regions.engine() : stored,
                functions(),
                (s, r, c, k, x) -> system.open(s, r, c, k, x),
                new SystemClock(),
                scheduler,
                () -> new SplittableRandom(7)),
            new QueryEngines.Limits(threads, queryMemory, 2 * queryMemory, temp, tempLimit));
  }

  private static FunctionRegistry functions() {
    FunctionRegistry.Builder b = FunctionRegistry.builder();
    TestFunctions.register(b);
    return b.build();
  }

  static EvalContext evaluation() {
    var catalog =
        (CatalogSnapshot)
            Proxy.newProxyInstance(
                TestEngine.class.getClassLoader(),
                new Class<?>[] {CatalogSnapshot.class},
                (_, method, _) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    return new EvalContext(
        catalog,
        SessionFormat.DEFAULT,
        new SessionInfo("db", "u", List.of("public"), 1, Map.of()),
        0,
        0,
        new SystemClock(),
        new SplittableRandom(7),
        () -> {});
  }

  /** Tasks run when told. */
  static final class ManualScheduler implements Scheduler {
    final ConcurrentLinkedQueue<Entry> tasks = new ConcurrentLinkedQueue<>();

    record Entry(long delay, Runnable task) {}

    @Override
    public Cancellable after(long delayMicros, Runnable task) {
      var e = new Entry(delayMicros, task);
      tasks.add(e);
      return () -> tasks.remove(e);
    }

    int fire() {
      int n = 0;
      Entry e;
      while ((e = tasks.poll()) != null) {
        e.task().run();
        n++;
      }
      return n;
    }
  }

  static TableSchema schema(List<SqlType> types) {
    var columns = new ArrayList<ColumnSchema>();
    for (int i = 0; i < types.size(); i++) {
      columns.add(new ColumnSchema(i, "c" + i, types.get(i), SemanticType.FIELD, true, null));
    }
    return new TableSchema(1, columns, List.of(), -100);
  }

  /** A table of one region per list of batches. */
  @SafeVarargs
  final PhysicalPlan.TableScan table(int id, List<SqlType> types, List<Batch>... perRegion) {
    var t = new TableId(id);
    var ids = new ArrayList<RegionId>();
    for (int r = 0; r < perRegion.length; r++) {
      RegionId region = RegionId.of(t, r);
      regions.data.put(region, perRegion[r]);
      ids.add(region);
    }
    tables.put(
        t,
        new TableInfo(
            t,
            id,
            1,
            "db",
            "public",
            "t" + id,
            List.of(),
            schema(types),
            RegionOptions.DEFAULT,
            ids,
            List.of(),
            Map.of(),
            Optional.empty(),
            0,
            false));
    var columns = new ArrayList<Integer>();
    for (int i = 0; i < types.size(); i++) {
      columns.add(i);
    }
    return new PhysicalPlan.TableScan(
        t, 1, "t" + id, columns, types, List.of(), PhysicalPlan.ScanOrder.ANY, null, false);
  }

  private CatalogSnapshot catalog() {
    return (CatalogSnapshot)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {CatalogSnapshot.class},
            (_, method, args) -> {
              if (method.getName().equals("table") && args.length == 1) {
                return Optional.ofNullable(tables.get((TableId) args[0]));
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }

  QueryContext context(Vector... parameters) {
    return new QueryContext(
        catalog(),
        List.of(parameters),
        SessionFormat.DEFAULT,
        0,
        0,
        null,
        Map.of(),
        new SessionInfo("db", "u", List.of("public"), 1, Map.of()),
        false);
  }

  static PlanTemplate template(PhysicalPlan plan, SqlType... parameterTypes) {
    return new PlanTemplate(plan, List.of(), List.of(parameterTypes), List.of(), Map.of());
  }

  /** Collects rows. */
  static final class Sink implements ResultSink {
    final List<List<@Nullable Object>> rows = new ArrayList<>();
    final CompletableFuture<Void> end = new CompletableFuture<>();
    volatile CompletableFuture<Void> suspended = new CompletableFuture<>();
    volatile boolean ready = true;
    volatile long count;
    boolean keep = true;

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public synchronized void rows(Batch batch, int from, int n) {
      for (int i = from; i < from + n && keep; i++) {
        rows.add(row(batch, i));
      }
      count += n;
    }

    @Override
    public void suspended() {
      suspended.complete(null);
    }

    @Override
    public void completed() {
      end.complete(null);
    }

    @Override
    public void failed(MillraceException error) {
      end.completeExceptionally(error);
    }

    List<List<@Nullable Object>> await() {
      get(end);
      return rows;
    }
  }

  static void get(CompletableFuture<Void> f) {
    try {
      f.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw new AssertionError(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  List<List<@Nullable Object>> run(PhysicalPlan plan, Vector... parameters) {
    return run(
        template(plan, Arrays.stream(parameters).map(Vector::type).toArray(SqlType[]::new)),
        parameters);
  }

  List<List<@Nullable Object>> run(PlanTemplate template, Vector... parameters) {
    var sink = new Sink();
    Query q = engine.open(template, context(parameters), sink);
    q.demand(Long.MAX_VALUE);
    List<List<@Nullable Object>> rows = sink.await();
    q.close();
    assertClean();
    return rows;
  }

  /** Nothing is held once queries have ended; tasks on other threads may take a moment. */
  void assertClean() {
    long give = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!clean() && System.nanoTime() < give) {
      Thread.onSpinWait();
    }
    if (!clean()) {
      throw new AssertionError(
          "left: memory "
              + engine.memory().used()
              + ", temp "
              + engine.tempFiles().bytes()
              + ", snapshots "
              + regions.openSnapshots
              + ", readers "
              + regions.openReaders
              + ", scanners "
              + regions.openScanners);
    }
  }

  private boolean clean() {
    return engine.memory().used() == 0
        && engine.tempFiles().bytes() == 0
        && regions.openSnapshots.get() == 0
        && regions.openReaders.get() == 0
        && regions.openScanners.get() == 0;
  }

  @Override
  public void close() {
    engine.close();
  }

  // ---- rows and vectors ----

  static @Nullable Object value(Vector v, int i) {
    if (v.isNull(i)) {
      return null;
    }
    return switch (v) {
      case BoolVector x -> x.get(i);
      case IntVector x -> x.get(i);
      case LongVector x -> x.get(i);
      case FloatVector x -> x.get(i);
      case DoubleVector x -> x.get(i);
      case BytesColumn x -> x.string(i);
      case NumericVector x -> x.special(i) == NumericVector.FINITE ? x.get(i) : "special";
      case IntervalVector x -> x.months()[i] + "m" + x.days()[i] + "d" + x.micros()[i] + "u";
      case ArrayVector x -> {
        var out = new ArrayList<@Nullable Object>();
        for (int e = x.start(i); e < x.end(i); e++) {
          out.add(value(x.elements(), e));
        }
        yield out;
      }
      case RecordVector x -> {
        var out = new ArrayList<@Nullable Object>();
        x.children().forEach(c -> out.add(value(c, i)));
        yield out;
      }
    };
  }

  static List<@Nullable Object> row(Batch b, int i) {
    var out = new ArrayList<@Nullable Object>();
    for (Vector v : b.columns()) {
      out.add(value(v, i));
    }
    return out;
  }

  static void append(VectorBuilder b, @Nullable Object value) {
    if (value == null) {
      b.appendNull();
      return;
    }
    switch (b) {
      case VectorBuilder.Bools x -> x.append((Boolean) value);
      case VectorBuilder.Ints x -> x.append((Integer) value);
      case VectorBuilder.Longs x -> x.append((Long) value);
      case VectorBuilder.Floats x -> x.append((Float) value);
      case VectorBuilder.Doubles x -> x.append((Double) value);
      case VectorBuilder.Bytes x -> x.append((String) value);
      case VectorBuilder.Numerics x -> x.append((BigDecimal) value);
      case VectorBuilder.Intervals x -> x.append(0, 0, (Long) value);
      case VectorBuilder.ArrayRows x -> {
        for (Object e : (List<?>) value) {
          append(x.elements(), e);
        }
        x.endRow(null);
      }
      case VectorBuilder.Records _ -> throw new IllegalArgumentException();
    }
  }

  static Vector vector(SqlType type, @Nullable Object... values) {
    VectorBuilder b = VectorBuilder.of(type, values.length);
    for (Object o : values) {
      append(b, o);
    }
    return b.build();
  }

  static Expr.Literal lit(SqlType type, @Nullable Object value) {
    return new Expr.Literal(type, vector(type, value));
  }

  static Expr.Literal lit(int value) {
    return lit(SqlType.INT4, value);
  }

  static Expr.Column col(int i, SqlType type) {
    return new Expr.Column(i, type);
  }

  static PhysicalPlan.Values values(List<SqlType> types, @Nullable Object[]... rows) {
    var out = new ArrayList<List<Expr>>();
    for (Object[] r : rows) {
      var row = new ArrayList<Expr>();
      for (int c = 0; c < r.length; c++) {
        row.add(lit(types.get(c), r[c]));
      }
      out.add(row);
    }
    return new PhysicalPlan.Values(types, out);
  }

  /** The same batches with text columns as codes of one dictionary per column. */
  static List<Batch> coded(List<Batch> batches) {
    var entries = new HashMap<Integer, List<String>>();
    for (Batch b : batches) {
      for (int c = 0; c < b.width(); c++) {
        if (b.column(c) instanceof BytesColumn v) {
          List<String> known = entries.computeIfAbsent(c, _ -> new ArrayList<>());
          for (int i = 0; i < b.rows(); i++) {
            if (!v.isNull(i) && !known.contains(v.string(i))) {
              known.add(v.string(i));
            }
          }
        }
      }
    }
    var dictionaries = new HashMap<Integer, DictVector.Dictionary>();
    entries.forEach(
        (c, list) -> {
          int[] offsets = new int[list.size() + 1];
          var all = new StringBuilder();
          for (int i = 0; i < list.size(); i++) {
            all.append(list.get(i));
            offsets[i + 1] = all.length();
          }
          dictionaries.put(
              c,
              new DictVector.FixedDictionary(
                  offsets, all.toString().getBytes(UTF_8), list.size(), false));
        });
    var out = new ArrayList<Batch>();
    for (Batch b : batches) {
      var columns = new ArrayList<Vector>();
      for (int c = 0; c < b.width(); c++) {
        Vector v = b.column(c);
        if (v instanceof BytesColumn text) {
          int[] codes = new int[b.rows()];
          for (int i = 0; i < codes.length; i++) {
            codes[i] = text.isNull(i) ? -1 : entries.get(c).indexOf(text.string(i));
          }
          v = new DictVector(v.type(), codes, dictionaries.get(c), b.rows(), v.validity());
        }
        columns.add(v);
      }
      out.add(new Batch(columns, b.rows()));
    }
    return out;
  }

  /** Rows in batches of random sizes. */
  static List<Batch> batches(
      List<SqlType> types, List<? extends List<@Nullable Object>> rows, int size) {
    var out = new ArrayList<Batch>();
    for (int from = 0; from < rows.size(); from += size) {
      int to = Math.min(rows.size(), from + size);
      var columns = new ArrayList<Vector>();
      for (int c = 0; c < types.size(); c++) {
        VectorBuilder b = VectorBuilder.of(types.get(c), to - from);
        for (int r = from; r < to; r++) {
          append(b, rows.get(r).get(c));
        }
        columns.add(b.build());
      }
      out.add(new Batch(columns, to - from));
    }
    return out;
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.ScanOrder;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.Pruner;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/*
 * A table is scanned region by region, each in the partitions that storage offers. Where the order
 * does not matter and there is enough to read, partitions are read by tasks on other threads of the
 * pool and come through an exchange; where it matters, partitions that may overlap are merged by
 * the key columns of the order. Scanners and the snapshot stay open until the last reader is gone.
 */
/** Scan of a stored table. */
final class TableScanOperator extends BaseOperator {
  /** Fewer rows than this are read by the query's own thread. */
  private static final long WORTH_SHARING = 60_000;

  private final Scanners scanners;
  private final @Nullable Exchange exchange;
  private final @Nullable Operator serial;
  private final int width;
  private final Stats figures;
  private final int ofRegions;

  TableScanOperator(Execution run, PhysicalPlan.TableScan plan) {
    this(run, plan, null);
  }

  /**
   * @param beside what each partition goes through on the thread that reads it, if the scan is
   *     shared at all (see {@link #shared}); null = nothing
   */
  TableScanOperator(
      Execution run, PhysicalPlan.TableScan plan, @Nullable UnaryOperator<Operator> beside) {
    super(run);
    figures = run.shared().stats(plan);
    TableInfo table =
        run.context()
            .catalog()
            .table(plan.table())
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNDEFINED_TABLE,
                        "relation \"" + plan.name() + "\" does not exist"));
    var conditions =
        new ScanConditions(run.exprs(), plan.conjuncts(), table.storage().timeIndexId());
    width = plan.columnIds().size();
    Expr limitExpr = plan.limit();
    long limit = limitExpr == null ? -1 : longValue(run.exprs().constant(limitExpr), -1);
    scanners = new Scanners(run.snapshot());
    ofRegions = table.partitions() == null ? 0 : table.regions().size();
    if (conditions.empty || limit == 0) {
      exchange = null;
      serial = null;
      return;
    }
    var columns = new ArrayList<>(plan.columnIds());
    List<SqlType> types =
        plan.types().stream().anyMatch(t -> t.kind() == TypeKind.ENUM) ? plan.types() : List.of();
    List<RegionId> regions = table.regions(conditions.predicates);
    List<Sorter.Key> order = order(plan, table, regions.size() > 1, columns);
    boolean share = plan.order() == ScanOrder.ANY && limit < 0 && worthSharing(regions);
    List<List<Supplier<Operator>>> parts = new ArrayList<>();
    int total = 0;
    boolean failed = true;
    try {
      for (RegionId region : regions) {
        var request =
            new ScanRequest(
                region,
                columns,
                conditions.predicates,
                conditions.minTime,
                conditions.maxTime,
                limit,
                ScanRequest.Order.valueOf(plan.order().name()),
                0,
                run.context().overlays().get(region),
                plan.lastRow() ? ScanRequest.RowSelector.LAST_ROW : ScanRequest.RowSelector.ALL,
                false,
                share ? run.tasks().threads() * 2 : 1);
        RegionScanner scanner = run.regions().scan(run.snapshot().get(), request);
        scanners.add(scanner);
        var mine = new ArrayList<Supplier<Operator>>();
        for (int p = 0; p < scanner.partitions(); p++) {
          int number = p;
          mine.add(
              () -> {
                var partition = new Partition(run, scanner.open(number), types);
                // Rows that go on beside the scan are not seen by it: the partition counts them.
                return share && beside != null ? partition.counted(figures) : partition;
              });
        }
        total += mine.size();
        parts.add(mine);
      }
      failed = false;
    } finally {
      if (failed) {
        scanners.release();
      }
    }
    if (share && total > 1) {
      exchange = share(parts, total, beside);
      serial = null;
    } else {
      exchange = null;
      serial = serial(plan, parts, columns, order);
    }
  }

  private boolean worthSharing(List<RegionId> regions) {
    if (run.tasks().threads() < 2) {
      return false;
    }
    long rows = 0;
    for (RegionId r : regions) {
      rows += run.regions().info(r).rows();
    }
    return rows >= WORTH_SHARING;
  }

  /** Columns of the order; those not asked for are added at the end. */
  private static List<Sorter.Key> order(
      PhysicalPlan.TableScan plan, TableInfo table, boolean manyRegions, List<Integer> columns) {
    var ids = new ArrayList<Integer>();
    switch (plan.order()) {
      case ANY -> {}
      case KEY -> {
        if (manyRegions) {
          ids.addAll(table.storage().tagIds());
          ids.add(table.storage().timeIndexId());
        }
      }
      case TIME_ASC, TIME_DESC -> ids.add(table.storage().timeIndexId());
    }
    var keys = new ArrayList<Sorter.Key>();
    for (int id : ids) {
      int at = columns.indexOf(id);
      if (at < 0) {
        at = columns.size();
        columns.add(id);
      }
      keys.add(new Sorter.Key(at, plan.order() == ScanOrder.TIME_DESC, true));
    }
    return keys;
  }

  /** Whether the partitions are read, and gone on with, by several threads. */
  boolean shared() {
    return exchange != null;
  }

  private Exchange share(
      List<List<Supplier<Operator>>> parts, int total, @Nullable UnaryOperator<Operator> beside) {
    var queue = new ArrayDeque<Supplier<Operator>>();
    parts.forEach(queue::addAll);
    var x =
        new Exchange(
            () -> {
              Supplier<Operator> s;
              synchronized (queue) {
                s = queue.poll();
              }
              if (s == null) {
                return null;
              }
              Operator partition = s.get();
              if (beside == null) {
                return partition;
              }
              try {
                return beside.apply(partition);
              } catch (RuntimeException | Error e) {
                partition.close();
                throw e;
              }
            });
    int producers = Math.min(total, run.tasks().threads());
    for (int i = 0; i < producers; i++) {
      scanners.retain();
    }
    x.start(run.tasks(), producers, scanners::release);
    figures.remark(producers + " producers");
    return x;
  }

  private Operator serial(
      PhysicalPlan.TableScan plan,
      List<List<Supplier<Operator>>> parts,
      List<Integer> columns,
      List<Sorter.Key> order) {
    var sources = new ArrayList<Supplier<Operator>>();
    boolean time = plan.order() == ScanOrder.TIME_ASC || plan.order() == ScanOrder.TIME_DESC;
    for (List<Supplier<Operator>> region : parts) {
      if (order.isEmpty() || time || region.size() == 1) {
        sources.addAll(region);
      } else {
        sources.add(() -> new SimpleOperators.UnionAll(run, region));
      }
    }
    if (order.isEmpty() || sources.size() < 2) {
      return new SimpleOperators.UnionAll(run, sources);
    }
    var types = new ArrayList<>(plan.types());
    TableInfo table = run.context().catalog().table(plan.table()).orElseThrow();
    for (int c = types.size(); c < columns.size(); c++) {
      types.add(table.storage().columns().get(table.storage().indexOf(columns.get(c))).type());
    }
    var opened = new ArrayList<Operator>();
    for (Supplier<Operator> s : sources) {
      opened.add(s.get());
    }
    return new MergeOperator(run, opened, types, order);
  }

  static long longValue(Vector v, long whenNull) {
    if (v.isNull(0)) {
      return whenNull;
    }
    return switch (v) {
      case LongVector l -> l.get(0);
      case IntVector i -> i.get(0);
      default -> throw new IllegalStateException("a row count of type " + v.type());
    };
  }

  @Override
  Step next(Slice slice) {
    slice.check();
    Exchange x = exchange;
    if (x != null) {
      return x.next();
    }
    Operator s = serial;
    if (s == null) {
      return Step.Signal.DONE;
    }
    Step step = s.step(slice);
    return step instanceof Step.Out o
        ? new Step.Out(SortOperator.firstColumns(o.batch(), width))
        : step;
  }

  @Override
  void release() {
    figures.remark(scanners.statistics(ofRegions));
    if (exchange != null) {
      exchange.close();
    }
    if (serial != null) {
      serial.close();
    }
    scanners.release();
  }

  /** Scanners with the snapshot under them, closed by the last that uses them. */
  private static final class Scanners {
    private final SnapshotLease snapshot;
    private final List<RegionScanner> scanners = new ArrayList<>();
    private final AtomicInteger users = new AtomicInteger(1);

    Scanners(SnapshotLease snapshot) {
      this.snapshot = snapshot;
      snapshot.retain();
    }

    void add(RegionScanner s) {
      scanners.add(s);
    }

    void retain() {
      users.incrementAndGet();
    }

    void release() {
      if (users.decrementAndGet() == 0) {
        try {
          scanners.forEach(RegionScanner::close);
        } finally {
          snapshot.release();
        }
      }
    }

    /** {@code of}: how many regions a partitioned table has; 0 for others. */
    String statistics(int of) {
      int memtables = 0;
      int files = 0;
      int filesPruned = 0;
      int groups = 0;
      int groupsPruned = 0;
      int pages = 0;
      int pagesPruned = 0;
      int cached = 0;
      long read = 0;
      long failures = 0;
      var pruned = new EnumMap<Pruner, ScanStatistics.Pruned>(Pruner.class);
      for (RegionScanner s : scanners) {
        ScanStatistics t = s.statistics();
        memtables += t.memtables();
        files += t.files();
        filesPruned += t.filesPruned();
        groups += t.rowGroups();
        groupsPruned += t.rowGroupsPruned();
        pages += t.pages();
        pagesPruned += t.pagesPruned();
        cached += t.pagesFromCache();
        read += t.rowsRead();
        failures += t.indexFailures();
        for (Pruner p : Pruner.values()) {
          pruned.merge(p, t.prunedBy(p), ScanStatistics.Pruned::plus);
        }
      }
      return "regions="
          + scanners.size()
          + (of == 0 ? "" : " of " + of)
          + " memtables="
          + memtables
          + " files="
          + files
          + " (pruned "
          + filesPruned
          + ") row groups="
          + groups
          + " (pruned "
          + groupsPruned
          + ") pages="
          + pages
          + " (pruned "
          + pagesPruned
          + ", cached "
          + cached
          + ") rows read="
          + read
          + pruned(pruned)
          + (failures == 0 ? "" : " unusable index files=" + failures);
    }

    /** What each way of pruning spared, where it spared something. */
    private static String pruned(Map<Pruner, ScanStatistics.Pruned> by) {
      var out = new StringBuilder();
      by.forEach(
          (p, n) -> {
            if (!n.equals(ScanStatistics.Pruned.NOTHING)) {
              out.append(out.isEmpty() ? " pruned by " : ", ")
                  .append(p.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                  .append(": files=")
                  .append(n.files())
                  .append(" row groups=")
                  .append(n.rowGroups())
                  .append(" pages=")
                  .append(n.pages())
                  .append(" rows=")
                  .append(n.rows());
            }
          });
      return out.toString();
    }
  }

  /** One partition. */
  static final class Partition extends BaseOperator {
    private final PartitionReader reader;

    /** Of the columns where storage does not know them all; else empty. */
    private final List<SqlType> types;

    Partition(Execution run, PartitionReader reader, List<SqlType> types) {
      super(run);
      this.reader = reader;
      this.types = types;
    }

    @Override
    Step next(Slice slice) {
      slice.check();
      Batch b = reader.next();
      if (b == null) {
        return Step.Signal.DONE;
      }
      return b.rows() == 0 ? Step.Signal.AGAIN : new Step.Out(typed(b));
    }

    private Batch typed(Batch b) {
      if (types.isEmpty()) {
        return b;
      }
      var columns = new ArrayList<Vector>(b.columns());
      for (int i = 0; i < types.size(); i++) {
        if (types.get(i).kind() == TypeKind.ENUM) {
          columns.set(i, columns.get(i).withType(types.get(i)));
        }
      }
      return new Batch(columns, b.rows());
    }

    /** The next rows where they stand, for a reader that goes without steps; null at the end. */
    @Nullable RangedBatch ranges(Slice slice) {
      slice.check();
      long start = run.clock().monotonicNanos();
      RangedBatch b = reader.nextRanges();
      stats().out(b == null ? 0 : b.rows(), run.clock().monotonicNanos() - start);
      return b;
    }

    @Override
    void release() {
      reader.close();
    }
  }
}

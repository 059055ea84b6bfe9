package io.millrace.sql.exec.driver;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.Snapshot;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Regions that hold given batches; column id = place, predicates applied, partitions by batch. */
final class TestRegions {
  final Map<RegionId, List<Batch>> data = new ConcurrentHashMap<>();
  final AtomicInteger openSnapshots = new AtomicInteger();
  final AtomicInteger openReaders = new AtomicInteger();
  final AtomicInteger openScanners = new AtomicInteger();
  int partitions = 1;

  Snapshot snapshot(Collection<RegionId> regions) {
    openSnapshots.incrementAndGet();
    return new Snapshot() {
      private boolean closed;

      @Override
      public Set<RegionId> regions() {
        return Set.copyOf(regions);
      }

      @Override
      public long sequence(RegionId region) {
        return 1;
      }

      @Override
      public long position() {
        return 1;
      }

      @Override
      public long pinnedBytes() {
        return 0;
      }

      @Override
      public void close() {
        if (!closed) {
          closed = true;
          openSnapshots.decrementAndGet();
        }
      }
    };
  }

  RegionScanner scan(Snapshot snapshot, ScanRequest request) {
    openScanners.incrementAndGet();
    List<Batch> batches = data.get(request.region());
    int parts = Math.max(1, Math.min(partitions, request.maxPartitions()));
    return new RegionScanner() {
      @Override
      public int partitions() {
        return parts;
      }

      @Override
      public PartitionReader open(int partition) {
        openReaders.incrementAndGet();
        return new PartitionReader() {
          private int at = partition;

          @Override
          public @Nullable Batch next() {
            if (openSnapshots.get() == 0) {
              throw new IllegalStateException("read after the snapshot was closed");
            }
            if (at >= batches.size()) {
              return null;
            }
            Batch b = batches.get(at);
            at += parts;
            return select(b, request);
          }

          @Override
          public void close() {
            openReaders.decrementAndGet();
          }
        };
      }

      @Override
      public ScanStatistics statistics() {
        return new ScanStatistics(1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      }

      @Override
      public void close() {
        openScanners.decrementAndGet();
      }
    };
  }

  private static Batch select(Batch b, ScanRequest r) {
    int[] at = new int[b.rows()];
    int n = 0;
    for (int i = 0; i < b.rows(); i++) {
      boolean ok = true;
      for (ColumnPredicate p : r.predicates()) {
        Vector v = b.column(p.columnId());
        ok &=
            switch (p) {
              case ColumnPredicate.IsNull _ -> v.isNull(i);
              case ColumnPredicate.IsNotNull _ -> !v.isNull(i);
              case ColumnPredicate.Text t ->
                  !v.isNull(i) && t.match().matches(((BytesColumn) v).string(i));
              case ColumnPredicate.In in -> {
                boolean hit = false;
                for (int k = 0; k < in.values().length() && !v.isNull(i); k++) {
                  hit |= v.compare(i, in.values(), k) == 0;
                }
                yield hit;
              }
              case ColumnPredicate.Compare c -> {
                int o = v.isNull(i) ? 0 : v.compare(i, c.constant(), 0);
                yield !v.isNull(i)
                    && switch (c.op()) {
                      case EQ -> o == 0;
                      case NE -> o != 0;
                      case LT -> o < 0;
                      case LE -> o <= 0;
                      case GT -> o > 0;
                      case GE -> o >= 0;
                    };
              }
            };
      }
      at[n] = i;
      n += ok ? 1 : 0;
    }
    Batch kept = n == b.rows() ? b : b.take(at, n);
    var out = new ArrayList<Vector>();
    for (int id : r.columnIds()) {
      out.add(kept.column(id));
    }
    return new Batch(out, n);
  }

  RegionInfo info(RegionId region) {
    long rows = 0;
    for (Batch b : data.getOrDefault(region, List.of())) {
      rows += b.rows();
    }
    return new RegionInfo(
        region,
        TestEngine.schema(List.of()),
        RegionOptions.DEFAULT,
        1,
        1,
        0,
        rows,
        0,
        0,
        0,
        0,
        0,
        Long.MIN_VALUE);
  }

  /** The door; everything but reading is refused. */
  RegionEngine engine() {
    return (RegionEngine)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RegionEngine.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "snapshot" -> snapshot(ids((Collection<?>) args[0]));
                  case "scan" -> scan((Snapshot) args[0], (ScanRequest) args[1]);
                  case "info" -> info((RegionId) args[0]);
                  case "hashCode" -> System.identityHashCode(this);
                  case "equals" -> false;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static List<RegionId> ids(Collection<?> regions) {
    var out = new ArrayList<RegionId>();
    regions.forEach(r -> out.add((RegionId) r));
    return out;
  }
}

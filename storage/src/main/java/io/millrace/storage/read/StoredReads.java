package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.KeyRows;
import io.millrace.storage.LookupStatistics;
import io.millrace.storage.Overlay;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.memtable.SeriesTable;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.index.SideCars;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads through the file store and one page cache. */
final class StoredReads implements RegionReads {
  private final PageCache cache;
  private final SideCars sideCars;
  private final OpenFiles files;
  private final LookupCounters lookups = new LookupCounters();

  StoredReads(SstStore store, EngineConfig config, LongSupplier nanos) {
    cache = new PageCache(config.pageCacheBytes());
    sideCars = new SideCars(store, config.indexCacheBytes(), nanos);
    files = new OpenFiles(store, cache, sideCars);
  }

  @Override
  public RegionScanner scan(Version version, long readSequence, ScanRequest request) {
    var schema = new ReadSchema(version.schema(), version.options());
    for (int id : request.columnIds()) {
      schema.type(id);
    }
    var counters = new ScanCounters();
    var planner = new ScanPlanner(schema, request, counters);
    OpenFiles.Lease lease = files.lease(version.region());
    List<Source> sources =
        Sources.of(
            version,
            schema,
            readSequence,
            planner.above(),
            planner.minTime(),
            planner.maxTime(),
            request.overlay(),
            lease,
            counters);
    return new Scanner(
        schema, request, planner.plan(sources, activeSeries(version, schema)), counters, lease);
  }

  private static @Nullable SeriesTable activeSeries(Version version, ReadSchema schema) {
    if (version.memtables().isEmpty()) {
      return null;
    }
    Memtable active = version.memtables().getFirst();
    return active.schema().tagIds().equals(schema.tagIds) ? active.series() : null;
  }

  private static final class Scanner implements RegionScanner {
    private final ReadSchema schema;
    private final ScanRequest request;
    private final List<Supplier<RowStream>> partitions;
    private final ScanCounters counters;
    private final OpenFiles.Lease lease;

    Scanner(
        ReadSchema schema,
        ScanRequest request,
        List<Supplier<RowStream>> partitions,
        ScanCounters counters,
        OpenFiles.Lease lease) {
      this.schema = schema;
      this.request = request;
      this.partitions = partitions;
      this.counters = counters;
      this.lease = lease;
    }

    @Override
    public int partitions() {
      return partitions.size();
    }

    @Override
    public PartitionReader open(int partition) {
      RowStream stream = partitions.get(partition).get();
      return new PartitionReader() {
        private boolean ended;

        @Override
        public @Nullable Batch next() {
          if (ended) {
            return null;
          }
          Batch b = stream.next();
          if (b == null) {
            ended = true;
            return null;
          }
          if (b.rows() == 0) {
            return empty();
          }
          counters.rowsOut.addAndGet(b.rows());
          return b;
        }

        @Override
        public @Nullable RangedBatch nextRanges() {
          RangedBatch b = ended ? null : stream.nextRanges();
          if (b == null) {
            ended = true;
          } else {
            counters.rowsOut.addAndGet(b.rows());
          }
          return b;
        }

        @Override
        public void close() {
          ended = true;
        }
      };
    }

    private Batch empty() {
      var out = new ArrayList<Vector>();
      for (int id : request.columnIds()) {
        out.add(ReadSchema.nulls(schema.type(id), 0));
      }
      return new Batch(out, 0);
    }

    @Override
    public ScanStatistics statistics() {
      return counters.statistics();
    }

    @Override
    public void close() {
      lease.close();
    }
  }

  @Override
  public KeyRows lookup(
      Version version,
      long readSequence,
      Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay) {
    var schema = new ReadSchema(version.schema(), version.options());
    try (OpenFiles.Lease lease = files.lease(version.region())) {
      return new Lookup(version, schema, readSequence, overlay, lease, lookups)
          .rows(keys, columnIds, null);
    }
  }

  @Override
  public ChangeFeed changes(
      Version version,
      long after,
      long upTo,
      List<Integer> columnIds,
      boolean withOld,
      boolean held) {
    long start = version.feedStartKeys();
    start = withOld ? Math.max(start, version.feedStartRows()) : start;
    if (!held && after < start) {
      throw new MillraceException(
          ErrorCode.STALE_CURSOR,
          "changes after sequence "
              + after
              + " of region "
              + version.region()
              + " are gone, the feed begins at "
              + start);
    }
    var schema = new ReadSchema(version.schema(), version.options());
    return new Changes(
        version, schema, after, upTo, columnIds, withOld, files.lease(version.region()), lookups);
  }

  @Override
  public long cachedBytes() {
    return cache.bytes();
  }

  @Override
  public long indexBytes() {
    return sideCars.bytes();
  }

  @Override
  public long indexFailures() {
    return sideCars.failures();
  }

  @Override
  public LookupStatistics lookups() {
    return lookups.statistics();
  }

  @Override
  public void forget(String fileId) {
    files.forget(fileId);
  }

  @Override
  public void close() {
    files.close();
    cache.clear();
    sideCars.clear();
  }
}

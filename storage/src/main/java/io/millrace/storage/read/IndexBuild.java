package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.HoldKind;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.index.SideCarPlan;
import io.millrace.storage.sst.index.SideCarWriter;
import io.millrace.storage.sst.index.SideCars;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Builds the side-car of a file that is there already, by reading the columns that it needs. Any
 * thread.
 */
public final class IndexBuild {
  private static final long CACHE = 8L << 20;

  private final SstStore store;

  /** No two attempts write the same name: the one that loses may delete what it wrote. */
  private final AtomicInteger generations = new AtomicInteger();

  public IndexBuild(SstStore store) {
    this.store = store;
  }

  /**
   * What a file's indexes should be.
   *
   * @param index empty: none
   */
  public record Built(Optional<SideCarMeta> index) {}

  /**
   * Writes the side-car that the version's options want for the file; empty if it has that. A file
   * that was written without a column gets no index of it.
   */
  public Optional<Built> build(Version v, SstMeta file, List<HoldPoint> holds) {
    boolean rowsHeld = holds.stream().anyMatch(h -> h.kind() == HoldKind.ROWS);
    SideCarPlan wanted = SideCarPlan.of(v.schema(), v.options(), rowsHeld);
    var cache = new PageCache(CACHE);
    try (var open = new OpenFiles(store, cache, new SideCars(store, 0));
        OpenFiles.Lease lease = open.lease(v.region())) {
      SstFile f = lease.file(file);
      SideCarPlan plan = wanted.only(id -> same(v.schema(), f, id));
      SideCarMeta now = file.index();
      if (plan.isDoneBy(now, largestGroup(f))) {
        return Optional.empty();
      }
      int generation = newGeneration(now);
      return Optional.of(new Built(write(v.region(), file, f, plan, generation)));
    } finally {
      cache.clear();
    }
  }

  private int newGeneration(@Nullable SideCarMeta now) {
    int old = now == null ? -1 : now.generation();
    return generations.updateAndGet(g -> Math.max(g, old) + 1);
  }

  private static int largestGroup(SstFile f) {
    int most = 0;
    for (int g = 0; g < f.groups(); g++) {
      most = Math.max(most, f.groupRows(g));
    }
    return most;
  }

  private static boolean same(TableSchema schema, SstFile f, int columnId) {
    ColumnSchema c = schema.byId(columnId);
    return c != null && f.has(columnId) && f.type(columnId).equals(c.type());
  }

  private Optional<SideCarMeta> write(
      RegionId region, SstMeta file, SstFile f, SideCarPlan plan, int generation) {
    String name = SideCarMeta.name(file.fileId(), generation);
    try (var w =
        new SideCarWriter(plan, file.fileId(), generation, () -> store.create(region, name))) {
      for (int g = 0; g < f.groups(); g++) {
        for (int id : plan.columnIds()) {
          w.column(id, column(f, id, g));
        }
        w.endGroup(f.groupRows(g));
      }
      return Optional.ofNullable(w.finish());
    }
  }

  private static List<Vector> column(SstFile f, int id, int group) {
    var out = new ArrayList<Vector>();
    for (int b = 0; b < f.blocks(group); b++) {
      out.add(f.block(id, group, b));
    }
    return out;
  }
}

package io.millrace.storage.sst.index;

import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.IndexKind;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.puffin.PuffinWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the indexes of an SST beside it, row group by row group while it is written. What goes
 * wrong here costs the file its indexes and nothing else. One thread.
 */
public final class SideCarWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SideCarWriter.class);

  private final SideCarPlan plan;
  private final String fileId;
  private final int generation;
  private final Supplier<SstOutput> opener;
  private final Map<Integer, List<Vector>> columns = new HashMap<>();
  private final Map<SideCarFormat.Place, Long> bytes = new LinkedHashMap<>();
  private @Nullable PuffinWriter out;
  private SeriesRows.Collector series;
  private int group;
  private boolean failed;

  /**
   * A writer for one file.
   *
   * @param opener creates the side-car, when there is something to write
   */
  public SideCarWriter(
      SideCarPlan plan, String fileId, int generation, Supplier<SstOutput> opener) {
    this.plan = plan;
    this.fileId = fileId;
    this.generation = generation;
    this.opener = opener;
    this.series = collector();
  }

  private SeriesRows.Collector collector() {
    return new SeriesRows.Collector(plan.tellsSeries() ? plan.series() : List.of());
  }

  /** Whether the values of a column are to be told. */
  public boolean wants(int columnId) {
    return !failed && (plan.reads(columnId) || (plan.tellsSeries() && columnId > 0));
  }

  /** The values of a column in the row group that is being written, page by page. */
  public void column(int columnId, List<Vector> pages) {
    if (plan.reads(columnId)) {
      columns.put(columnId, pages);
    }
    try {
      series.column(columnId, pages);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** The row group has all its columns. */
  public void endGroup(int rows) {
    if (!failed && !plan.isEmpty()) {
      try {
        build(rows);
      } catch (RuntimeException e) {
        fail(e);
      }
    }
    columns.clear();
    series = collector();
    group++;
  }

  private void fail(RuntimeException e) {
    failed = true;
    LOG.warn("file {} is written without its indexes", fileId, e);
    close();
  }

  private void build(int rows) {
    if (!plan.keyColumns().isEmpty()) {
      var keys = new ArrayList<List<Vector>>();
      plan.keyColumns().forEach(id -> keys.add(pages(id)));
      put(IndexKind.KEY_BLOOM, plan.keyColumns(), 0, GroupBloom.build(keys, rows), false);
    }
    var ordinals = new HashMap<Integer, Ordinals>();
    for (ColumnIndex x : plan.asked()) {
      build(x, ordinals, rows);
    }
    if (rows > SideCarPlan.SMALL_ROWS) {
      for (ColumnIndex x : plan.implied()) {
        build(x, ordinals, rows);
      }
    }
    PuffinWriter w = out;
    byte[] last = w == null ? null : series.blob();
    if (w != null && last != null) {
      w.add(SeriesRows.TYPE, plan.series(), SideCarFormat.properties(group), last, true);
    }
  }

  private void build(ColumnIndex x, Map<Integer, Ordinals> ordinals, int rows) {
    int id = x.columnId();
    byte[] blob =
        switch (x.kind()) {
          case KEY_BLOOM -> throw new IllegalStateException("a key index of a column");
          case INVERTED ->
              InvertedIndex.build(ordinals.computeIfAbsent(id, k -> Ordinals.of(pages(k), rows)));
          case SKIPPING ->
              SkippingIndex.build(
                  ordinals.computeIfAbsent(id, k -> Ordinals.of(pages(k), rows)),
                  x.granularity(),
                  x.falsePositiveRate());
          case FULLTEXT -> FullTextIndex.build(pages(id), rows, x.caseSensitive());
        };
    boolean compress = x.kind() == IndexKind.INVERTED || x.kind() == IndexKind.FULLTEXT;
    put(x.kind(), List.of(id), id, blob, compress);
  }

  private List<Vector> pages(int columnId) {
    return Objects.requireNonNull(columns.get(columnId), "column " + columnId);
  }

  private void put(
      IndexKind kind, List<Integer> fields, int columnId, byte[] data, boolean compress) {
    PuffinWriter w = out;
    if (w == null) {
      w = new PuffinWriter(opener.get());
      out = w;
    }
    int n =
        w.add(SideCarFormat.type(kind), fields, SideCarFormat.properties(group), data, compress);
    bytes.merge(new SideCarFormat.Place(kind, columnId, 0), (long) n, Long::sum);
  }

  /** Finishes the side-car; null if there is none. */
  public @Nullable SideCarMeta finish() {
    PuffinWriter w = out;
    if (w == null || failed) {
      return null;
    }
    try {
      PuffinWriter.Finished f = w.finish(Map.of("created-by", "millrace", "sst", fileId));
      var parts = new ArrayList<SideCarMeta.Part>();
      bytes.forEach(
          (p, n) ->
              parts.add(
                  new SideCarMeta.Part(
                      p.kind(), p.columnId(), n, plan.settings(p.kind(), p.columnId()))));
      return new SideCarMeta(generation, f.bytes(), f.footerLength(), f.footerCrc(), parts);
    } catch (RuntimeException e) {
      fail(e);
      return null;
    }
  }

  /** Gives up unless finished. */
  @Override
  public void close() {
    PuffinWriter w = out;
    out = null;
    if (w != null) {
      try {
        w.close();
      } catch (RuntimeException e) {
        LOG.warn("could not close the indexes of file {}: {}", fileId, e.toString());
      }
    }
  }
}

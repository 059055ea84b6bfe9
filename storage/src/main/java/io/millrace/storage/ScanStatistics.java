package io.millrace.storage;

import java.util.List;

/**
 * Counters of a scan, for EXPLAIN ANALYZE.
 *
 * @param pagesPruned blocks of rows, half a page each, that were not read
 * @param pruned what each {@link Pruner} spared, by its place
 * @param indexFailures side-cars that could not be used
 */
public record ScanStatistics(
    int memtables,
    int files,
    int filesPruned,
    int rowGroups,
    int rowGroupsPruned,
    int pages,
    int pagesPruned,
    int pagesFromCache,
    long rowsRead,
    long rowsOut,
    List<Pruned> pruned,
    long indexFailures) {

  /** What was spared. */
  public record Pruned(int files, int rowGroups, int pages, long rows) {
    public static final Pruned NOTHING = new Pruned(0, 0, 0, 0);

    public Pruned plus(Pruned o) {
      return new Pruned(files + o.files, rowGroups + o.rowGroups, pages + o.pages, rows + o.rows);
    }
  }

  public ScanStatistics {
    pruned = List.copyOf(pruned);
  }

  /** Of a scan that nothing was spared. */
  public ScanStatistics(
      int memtables,
      int files,
      int filesPruned,
      int rowGroups,
      int rowGroupsPruned,
      int pages,
      int pagesPruned,
      int pagesFromCache,
      long rowsRead,
      long rowsOut) {
    this(
        memtables,
        files,
        filesPruned,
        rowGroups,
        rowGroupsPruned,
        pages,
        pagesPruned,
        pagesFromCache,
        rowsRead,
        rowsOut,
        List.of(),
        0);
  }

  public Pruned prunedBy(Pruner p) {
    return p.ordinal() < pruned.size() ? pruned.get(p.ordinal()) : Pruned.NOTHING;
  }
}

package io.millrace.storage.read;

import io.millrace.storage.Pruner;
import io.millrace.storage.ScanStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counters of a scan, added to by the threads of its partitions. */
final class ScanCounters {
  final AtomicInteger memtables = new AtomicInteger();
  final AtomicInteger files = new AtomicInteger();
  final AtomicInteger filesPruned = new AtomicInteger();
  final AtomicInteger rowGroups = new AtomicInteger();
  final AtomicInteger rowGroupsPruned = new AtomicInteger();
  final AtomicInteger pages = new AtomicInteger();
  final AtomicInteger pagesPruned = new AtomicInteger();
  final AtomicInteger pagesFromCache = new AtomicInteger();
  final AtomicLong rowsRead = new AtomicLong();
  final AtomicLong rowsOut = new AtomicLong();

  final AtomicLong indexFailures = new AtomicLong();
  private final AtomicLongArray pruned = new AtomicLongArray(Pruner.values().length * 4);

  void prunedFile(Pruner by, long rows) {
    pruned.incrementAndGet(by.ordinal() * 4);
    pruned.addAndGet(by.ordinal() * 4 + 3, rows);
  }

  void prunedGroup(Pruner by) {
    pruned.incrementAndGet(by.ordinal() * 4 + 1);
  }

  void prunedPages(Pruner by, int pages, long rows) {
    pruned.addAndGet(by.ordinal() * 4 + 2, pages);
    pruned.addAndGet(by.ordinal() * 4 + 3, rows);
  }

  private List<ScanStatistics.Pruned> pruned() {
    var out = new ArrayList<ScanStatistics.Pruned>();
    for (int i = 0; i < pruned.length(); i += 4) {
      out.add(
          new ScanStatistics.Pruned(
              (int) pruned.get(i),
              (int) pruned.get(i + 1),
              (int) pruned.get(i + 2),
              pruned.get(i + 3)));
    }
    return out;
  }

  void page(boolean cached) {
    pages.incrementAndGet();
    if (cached) {
      pagesFromCache.incrementAndGet();
    }
  }

  ScanStatistics statistics() {
    return new ScanStatistics(
        memtables.get(),
        files.get(),
        filesPruned.get(),
        rowGroups.get(),
        rowGroupsPruned.get(),
        pages.get(),
        pagesPruned.get(),
        pagesFromCache.get(),
        rowsRead.get(),
        rowsOut.get(),
        pruned(),
        indexFailures.get());
  }
}

package io.millrace.storage.read;

import io.millrace.storage.ScanStatistics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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
        rowsOut.get());
  }
}

package io.millrace.storage.read;

import io.millrace.storage.LookupStatistics;
import java.util.concurrent.atomic.LongAdder;

/** What all lookups so far came to; any thread. */
final class LookupCounters {
  final LongAdder newByTime = new LongAdder();
  final LongAdder newByBloom = new LongAdder();
  final LongAdder lookedUp = new LongAdder();

  /** Pages and rows, as of a scan. */
  final ScanCounters scan;

  LookupCounters() {
    this(new ScanCounters());
  }

  LookupCounters(ScanCounters scan) {
    this.scan = scan;
  }

  LookupStatistics statistics() {
    return new LookupStatistics(newByTime.sum(), newByBloom.sum(), lookedUp.sum());
  }
}

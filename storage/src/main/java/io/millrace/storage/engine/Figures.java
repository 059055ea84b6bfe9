package io.millrace.storage.engine;

import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineFigures;
import io.millrace.storage.EngineFigures.Figure;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.compaction.CompactionScheduler;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.meter.IoBudget;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.region.Region;
import io.millrace.storage.wal.LogStore;
import java.util.ArrayList;
import java.util.List;

/** The engine's counters and what can be seen of it at a moment. */
record Figures(
    EngineMeters meters,
    IoBudget budget,
    WriteBuffer buffer,
    EngineConfig config,
    LogStore log,
    RegionReads reads,
    RegionMap regions,
    CompactionScheduler compactions) {

  EngineFigures now() {
    var out = new ArrayList<>(meters.figures());
    int debt = 0;
    int memtables = 0;
    for (Region r : List.copyOf(regions.all())) {
      debt = Math.max(debt, r.debt());
      memtables += r.versions().current().memtables().size();
    }
    gauge(out, "memtables", "Parts of memory that rows lie in", memtables);
    gauge(out, "write_buffer_bytes", "Write buffer in use", buffer.used());
    gauge(out, "write_buffer_peak_bytes", "Most of it in use since the start", buffer.peak());
    gauge(out, "write_buffer_limit_bytes", "Writes wait above", config.writeBufferHardBytes());
    gauge(out, "wal_size_bytes", "Size of the log", log.bytes());
    gauge(out, "compactions_running", "Compactions that run", compactions.running());
    gauge(out, "compaction_debt_runs", "Most overlapping runs in a window of a region", debt);
    out.add(
        new Figure(
            "compaction_waits_seconds_total",
            "Time that compactions gave way or waited for their budget",
            true,
            "",
            budget.waitedSeconds()));
    gauge(out, "page_cache_bytes", "Decoded pages kept", reads.cachedBytes());
    gauge(out, "index_cache_bytes", "Parts of index files kept", reads.indexBytes());
    counter(
        out, "index_failures_total", "Index files that were left aside", "", reads.indexFailures());
    var lookups = reads.lookups();
    String help = "Keys looked up, by how the answer was found";
    counter(out, "lookup_keys_total", help, "by=\"time\"", lookups.newByTime());
    counter(out, "lookup_keys_total", help, "by=\"bloom\"", lookups.newByBloom());
    counter(out, "lookup_keys_total", help, "by=\"rows\"", lookups.lookedUp());
    return new EngineFigures(out);
  }

  private static void gauge(List<Figure> out, String name, String help, long value) {
    out.add(new Figure(name, help, false, "", value));
  }

  private static void counter(
      List<Figure> out, String name, String help, String label, long value) {
    out.add(new Figure(name, help, true, label, value));
  }
}

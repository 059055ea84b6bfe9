package io.millrace.storage.meter;

import io.millrace.storage.EngineFigures.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one engine since it was opened. Any thread. */
public final class EngineMeters {
  private static final double NANOS = 1e9;

  private final Map<String, LongAdder> flushes = new ConcurrentHashMap<>();
  public final LongAdder flushFailures = new LongAdder();
  public final LongAdder flushRows = new LongAdder();
  public final LongAdder flushBytes = new LongAdder();
  public final LongAdder flushNanos = new LongAdder();
  public final LongAdder compactions = new LongAdder();
  public final LongAdder compactionFailures = new LongAdder();
  public final LongAdder compactionsCancelled = new LongAdder();
  public final LongAdder compactionRows = new LongAdder();
  public final LongAdder compactionBytesIn = new LongAdder();
  public final LongAdder compactionBytesOut = new LongAdder();
  public final LongAdder compactionNanos = new LongAdder();
  public final LongAdder commits = new LongAdder();
  public final LongAdder logBytes = new LongAdder();
  public final LongAdder logForces = new LongAdder();
  public final LongAdder logForceNanos = new LongAdder();
  public final LongAdder stalls = new LongAdder();
  public final LongAdder stallNanos = new LongAdder();
  public final LongAdder replayRecords = new LongAdder();
  public final LongAdder replayBytes = new LongAdder();
  public final LongAdder replayNanos = new LongAdder();
  public final LongAdder garbageFiles = new LongAdder();

  /** A flush has ended well. */
  public void flushed(String reason) {
    flushes.computeIfAbsent(reason, _ -> new LongAdder()).increment();
  }

  /** All counters. */
  public List<Figure> figures() {
    var out = new ArrayList<Figure>();
    String help = "Flushes by what caused them";
    flushes.forEach(
        (reason, n) ->
            out.add(new Figure("flushes_total", help, true, "reason=\"" + reason + "\"", n.sum())));
    out.sort((a, b) -> a.label().compareTo(b.label()));
    add(out, "flush_failures_total", "Flushes that failed", flushFailures);
    add(out, "flush_rows_total", "Rows written by flushes", flushRows);
    add(out, "flush_bytes_total", "Bytes of files written by flushes", flushBytes);
    seconds(out, "flush_seconds_total", "Time spent in flushes", flushNanos);
    add(out, "compactions_total", "Compactions that ended well", compactions);
    add(out, "compaction_failures_total", "Compactions that failed", compactionFailures);
    add(
        out,
        "compactions_cancelled_total",
        "Compactions that a change of the region made futile",
        compactionsCancelled);
    add(out, "compaction_rows_total", "Rows written by compactions", compactionRows);
    add(out, "compaction_bytes_in_total", "Bytes of merged files", compactionBytesIn);
    add(
        out,
        "compaction_bytes_out_total",
        "Bytes of files that took their place",
        compactionBytesOut);
    seconds(out, "compaction_seconds_total", "Time spent in compactions", compactionNanos);
    add(out, "commits_total", "Commits written to the log", commits);
    add(out, "wal_bytes_total", "Bytes written to the log", logBytes);
    add(out, "wal_forces_total", "Groups of commits forced to disk", logForces);
    seconds(out, "wal_force_seconds_total", "Time spent forcing the log", logForceNanos);
    add(out, "write_stalls_total", "Commits that had to wait", stalls);
    seconds(out, "write_stall_seconds_total", "Time that commits waited", stallNanos);
    add(out, "replay_records_total", "Records read from the log at start", replayRecords);
    add(out, "replay_bytes_total", "Bytes of rows read from the log at start", replayBytes);
    seconds(out, "replay_seconds_total", "Time spent reading the log at start", replayNanos);
    add(out, "garbage_files_total", "Orphaned files removed", garbageFiles);
    return out;
  }

  private static void add(List<Figure> out, String name, String help, LongAdder value) {
    out.add(new Figure(name, help, true, "", value.sum()));
  }

  private static void seconds(List<Figure> out, String name, String help, LongAdder nanos) {
    out.add(new Figure(name, help, true, "", nanos.sum() / NANOS));
  }
}

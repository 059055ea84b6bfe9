package io.millrace.sql.exec.operator;

import io.millrace.sql.exec.QueryEngine.OperatorProfile;
import java.util.ArrayList;
import java.util.List;

/** Figures of one node of a plan, over all operators that ran for it. */
public final class Stats {
  private final String name;
  private final int depth;
  private final List<String> extra = new ArrayList<>();
  private long rows;
  private long nanos;
  private long peakBytes;

  public Stats(String name, int depth) {
    this.name = name;
    this.depth = depth;
  }

  synchronized void out(long newRows, long newNanos) {
    rows += newRows;
    nanos += newNanos;
  }

  synchronized void peak(long bytes) {
    peakBytes = Math.max(peakBytes, bytes);
  }

  /** Adds a remark such as scan counters; repeated ones are kept once. */
  synchronized void remark(String text) {
    if (!extra.contains(text) && extra.size() < 16) {
      extra.add(text);
    }
  }

  public synchronized OperatorProfile profile() {
    return new OperatorProfile(name, depth, rows, nanos, peakBytes, String.join("; ", extra));
  }
}

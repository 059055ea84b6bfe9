package io.millrace.flow.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/*
 * Ranges of times whose windows must be evaluated: merged and without overlap, keyed by their start. Marking
 * is lossy upward only: merging neighbours may evaluate a clean window again, never skip a dirty one.
 */
/** The dirty set of a flow. Not thread-safe. */
public final class DirtyRanges {
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  public DirtyRanges() {}

  public DirtyRanges(List<TimeRange> initial) {
    initial.forEach(this::add);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  public int size() {
    return ranges.size();
  }

  public void add(TimeRange r) {
    if (r.from() >= r.to()) {
      return;
    }
    long from = r.from();
    long to = r.to();
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      if (before.getValue() >= to) {
        return;
      }
      from = before.getKey();
    }
    Map.Entry<Long, Long> next = ranges.ceilingEntry(from);
    while (next != null && next.getKey() <= to) {
      to = Math.max(to, next.getValue());
      ranges.remove(next.getKey());
      next = ranges.ceilingEntry(from);
    }
    ranges.put(from, to);
  }

  /** Joins ranges that are closer than the gap. */
  public void joinWithin(long gap) {
    if (ranges.size() < 2 || gap <= 0) {
      return;
    }
    var joined = new TreeMap<Long, Long>();
    long from = 0;
    long to = 0;
    boolean open = false;
    for (Map.Entry<Long, Long> e : ranges.entrySet()) {
      if (open && (e.getKey() - to < gap || to == Long.MAX_VALUE)) {
        to = Math.max(to, e.getValue());
      } else {
        if (open) {
          joined.put(from, to);
        }
        from = e.getKey();
        to = e.getValue();
        open = true;
      }
    }
    joined.put(from, to);
    ranges.clear();
    ranges.putAll(joined);
  }

  /** Removes and returns at most n ranges, oldest first. */
  public List<TimeRange> take(int n) {
    return take(0, n);
  }

  /** Removes and returns at most n ranges, oldest first but for some that are passed over. */
  public List<TimeRange> take(int passed, int n) {
    List<TimeRange> out = all().stream().skip(passed).limit(n).toList();
    out.forEach(r -> ranges.remove(r.from()));
    return out;
  }

  /** Adds another set's ranges. */
  public void addAll(DirtyRanges other) {
    other.all().forEach(this::add);
  }

  /**
   * Removes everything that ends at or before the bound; returns how many ranges were cut or
   * dropped.
   */
  public int dropBefore(long bound) {
    int n = 0;
    while (!ranges.isEmpty() && ranges.firstKey() < bound) {
      Map.Entry<Long, Long> e = ranges.pollFirstEntry();
      n++;
      if (e.getValue() > bound) {
        ranges.put(bound, e.getValue());
        return n;
      }
    }
    return n;
  }

  public List<TimeRange> all() {
    var out = new ArrayList<TimeRange>();
    ranges.forEach((f, t) -> out.add(new TimeRange(f, t)));
    return out;
  }
}

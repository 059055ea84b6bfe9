package io.millrace.storage.compaction;

import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/*
 * Decides what to merge: the time-window strategy.
 *
 * A file belongs to the window of its highest time. Files that one job wrote share no key and count
 * as one unit. Units that do not overlap in time form a sorted run; a window with as many runs, or
 * small units, as the trigger says is merged, newest windows first. Of a window's units the smallest
 * are taken, and larger ones only while they are at most twice as large as all smaller ones together
 * or there would still be too many runs: so a row is rewritten about log(size) times.
 *
 * Files that a range delete leaves nothing of come first: they go unread. Where nothing is due, files
 * that one takes rows of are rewritten, and files of older windows with several versions of a key or tombstones, which
 * no hold needs any more, are rewritten once together with what they overlap.
 */
final class WindowPicker {
  private static final int MAX_INPUTS = 64;

  /** Files that are disjoint in keys, or a single one. */
  private static final class FileUnit {
    final List<SstMeta> files = new ArrayList<>();
    long minTime = Long.MAX_VALUE;
    long maxTime = Long.MIN_VALUE;
    long bytes;

    void add(SstMeta f) {
      files.add(f);
      minTime = Math.min(minTime, f.minTime());
      maxTime = Math.max(maxTime, f.maxTime());
      bytes += f.bytes();
    }
  }

  /**
   * What is known when picking.
   *
   * @param window its length in ticks
   * @param trigger from so many on
   * @param maxFileBytes size of outputs
   * @param held largest sequence up to which no hold needs more than one version
   * @param futile ids of files that lost nothing when they were last rewritten for their flags
   * @param ranges range deletes that no hold is below
   */
  record Rules(
      long window,
      int trigger,
      long maxFileBytes,
      long held,
      Set<String> futile,
      List<RangeMark> ranges) {
    /** Whether a range delete leaves nothing of the file. */
    boolean swallowed(SstMeta f) {
      return ranges.stream().anyMatch(m -> m.concerns(f) && m.rectangle().swallows(f));
    }

    /** Whether a range delete can take rows of the file. */
    boolean thinned(SstMeta f) {
      return ranges.stream().anyMatch(m -> m.concerns(f));
    }
  }

  private WindowPicker() {}

  private static Map<Long, List<FileUnit>> windows(List<SstMeta> files, long window) {
    var units = new LinkedHashMap<Object, FileUnit>();
    for (SstMeta f : files) {
      Object key = f.run() == 0 ? f.fileId() : (Object) f.run();
      units.computeIfAbsent(key, _ -> new FileUnit()).add(f);
    }
    var out = new TreeMap<Long, List<FileUnit>>(Comparator.reverseOrder());
    for (FileUnit u : units.values()) {
      out.computeIfAbsent(Math.floorDiv(u.maxTime, window), _ -> new ArrayList<>()).add(u);
    }
    return out;
  }

  /** How many sorted runs the units need at least. */
  private static int runs(List<FileUnit> units) {
    var sorted = new ArrayList<>(units);
    sorted.sort(Comparator.comparingLong(u -> u.minTime));
    var ends = new ArrayList<Long>();
    for (FileUnit u : sorted) {
      boolean placed = false;
      for (int i = 0; i < ends.size() && !placed; i++) {
        if (ends.get(i) < u.minTime) {
          ends.set(i, u.maxTime);
          placed = true;
        }
      }
      if (!placed) {
        ends.add(u.maxTime);
      }
    }
    return ends.size();
  }

  /** The most runs that overlap in a window. */
  static int debt(List<SstMeta> files, long window) {
    int most = 0;
    for (List<FileUnit> units : windows(files, window).values()) {
      most = Math.max(most, runs(units));
    }
    return most;
  }

  /** The files to merge next; none if nothing is due. */
  static List<SstMeta> pick(List<SstMeta> files, Rules rules) {
    List<SstMeta> swallowed = files.stream().filter(rules::swallowed).limit(MAX_INPUTS).toList();
    if (!swallowed.isEmpty()) {
      return swallowed;
    }
    Map<Long, List<FileUnit>> windows = windows(files, rules.window);
    for (List<FileUnit> units : windows.values()) {
      List<SstMeta> chosen = crowded(units, rules);
      if (!chosen.isEmpty()) {
        return chosen;
      }
    }
    boolean newest = true;
    for (List<FileUnit> units : windows.values()) {
      List<SstMeta> chosen = flagged(units, rules, newest);
      if (!chosen.isEmpty()) {
        return chosen;
      }
      newest = false;
    }
    return List.of();
  }

  private static List<SstMeta> crowded(List<FileUnit> units, Rules rules) {
    int runs = runs(units);
    int small = 0;
    for (FileUnit u : units) {
      small += u.bytes < rules.maxFileBytes / 2 ? 1 : 0;
    }
    if (units.size() < 2 || runs < rules.trigger && small < Math.max(2, rules.trigger)) {
      return List.of();
    }
    var sorted = new ArrayList<>(units);
    sorted.sort(Comparator.comparingLong(u -> u.bytes));
    var out = new ArrayList<SstMeta>();
    long sum = 0;
    int taken = 0;
    for (FileUnit u : sorted) {
      boolean needed = taken < 2 || runs - taken + 1 >= rules.trigger && runs >= rules.trigger;
      boolean worth = u.bytes <= 2 * sum && u.bytes < rules.maxFileBytes / 2;
      if (!needed && !worth || taken >= 2 && out.size() + u.files.size() > MAX_INPUTS) {
        break;
      }
      out.addAll(u.files);
      sum += u.bytes;
      taken++;
    }
    return out;
  }

  private static List<SstMeta> flagged(List<FileUnit> units, Rules rules, boolean newest) {
    for (FileUnit u : units) {
      boolean due = false;
      for (SstMeta f : u.files) {
        due |= rules.thinned(f);
        due |=
            !newest
                && (f.multiVersion() || f.tombstones())
                && f.maxSequence() <= rules.held
                && !rules.futile.contains(f.fileId());
      }
      if (due) {
        var out = new HashSet<SstMeta>();
        long bytes = 0;
        for (FileUnit other : units) {
          if (other.minTime <= u.maxTime && other.maxTime >= u.minTime) {
            out.addAll(other.files);
            bytes += other.bytes;
          }
        }
        if (bytes <= 4 * rules.maxFileBytes) {
          return List.copyOf(out);
        }
      }
    }
    return List.of();
  }
}

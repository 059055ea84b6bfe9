package io.millrace.storage.sst;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.List;

/**
 * Which rows need not be written for their age. A row in the way of an older version of its key, or
 * of a row that it deletes, must not go before that one does, or the older one would be seen again;
 * so rows of times that files outside have too are kept until those are rewritten or dropped.
 */
public final class Expiry {
  private Expiry() {}

  /**
   * The time below which rows may be left out.
   *
   * @param below what has expired
   * @param from the least time of the rows to be written
   * @param outside the region's other files
   */
  public static long bound(long below, long from, List<SstMeta> outside) {
    long bound = below;
    for (SstMeta f : outside) {
      if (f.maxTime() >= from) {
        bound = Math.min(bound, f.minTime());
      }
    }
    return bound;
  }

  /**
   * The time below which files may be dropped whole without showing older versions of their keys
   * that are in files which stay.
   *
   * @param below what is too old
   * @param merges whether versions of a key can be in several files
   */
  public static long droppable(long below, List<SstMeta> files, boolean merges) {
    if (!merges || files.stream().allMatch(f -> f.maxTime() >= below)) {
      return below;
    }
    long bound = below;
    var staying = new ArrayList<SstMeta>();
    var going = new ArrayList<SstMeta>();
    for (SstMeta f : files.stream().sorted(comparingLong(SstMeta::maxTime).reversed()).toList()) {
      if (f.maxTime() >= bound) {
        staying.add(f);
      } else if (staying.stream().noneMatch(s -> mayBeUnder(s, f))) {
        going.add(f);
      } else {
        bound = f.maxTime();
        staying.add(f);
        staying.addAll(going);
        going.clear();
      }
    }
    return bound;
  }

  private static boolean mayBeUnder(SstMeta older, SstMeta newer) {
    return older.minTime() <= newer.maxTime() && older.minSequence() < newer.maxSequence();
  }
}

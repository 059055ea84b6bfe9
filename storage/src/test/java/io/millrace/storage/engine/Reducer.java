package io.millrace.storage.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Leaves out as many steps of a failing run as it can: ever smaller stretches of them are left out,
 * and stay out if the run fails without them (delta debugging, Zeller and Hildebrandt 2002).
 */
final class Reducer {
  private int runs;

  /** With so many runs at most. */
  Reducer(int runs) {
    this.runs = runs;
  }

  /**
   * @param fails whether the run still fails without those steps
   * @return steps without which it fails
   */
  Set<Integer> reduce(List<Integer> steps, Predicate<Set<Integer>> fails) {
    var out = new HashSet<Integer>();
    var kept = new ArrayList<>(steps);
    for (int size = Math.max(1, kept.size() / 2); ; size = size / 2) {
      boolean less = false;
      for (int from = 0; from < kept.size() && runs > 0; ) {
        List<Integer> stretch = List.copyOf(kept.subList(from, Math.min(from + size, kept.size())));
        var without = new HashSet<>(out);
        without.addAll(stretch);
        runs--;
        if (fails.test(without)) {
          out = without;
          kept.removeAll(stretch);
          less = true;
        } else {
          from += size;
        }
      }
      if (size == 1 && !less || runs <= 0) {
        return out;
      }
      size = Math.max(2, size);
    }
  }
}

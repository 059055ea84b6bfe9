package io.millrace.storage.sst;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A range delete that a region still needs.
 *
 * @param clean ids of files that were written without the rows that it takes
 */
public record RangeMark(Rectangle rectangle, Set<String> clean) {
  public RangeMark {
    clean = Set.copyOf(clean);
  }

  public long sequence() {
    return rectangle.sequence();
  }

  /** Whether the file can have rows that it takes. */
  public boolean concerns(SstMeta f) {
    return rectangle.touches(f) && !clean.contains(f.fileId());
  }

  /** With more clean files. */
  public RangeMark cleaned(Collection<String> more) {
    var all = new HashSet<>(clean);
    all.addAll(more);
    return new RangeMark(rectangle, all);
  }

  /** Without what it says of files that there are no more. */
  public RangeMark among(List<SstMeta> files) {
    if (clean.isEmpty()) {
      return this;
    }
    var there = new HashSet<String>();
    for (SstMeta f : files) {
      if (clean.contains(f.fileId())) {
        there.add(f.fileId());
      }
    }
    return there.size() == clean.size() ? this : new RangeMark(rectangle, there);
  }
}

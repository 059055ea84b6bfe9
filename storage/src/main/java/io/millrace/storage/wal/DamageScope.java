package io.millrace.storage.wal;

import io.millrace.common.id.RegionId;
import io.millrace.storage.wal.SegmentSummary.Last;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Which regions may have lost something to damage: those that have, or may have, entries behind it
 * of which their files do not tell.
 *
 * It is told of the segments from the damage on, in order. Entries that can still be read are known
 * exactly. A segment is read wholly if all its bytes are records or zeros, and positions follow one
 * another from where it was entered to the end that its successor names: without the latter, zeros
 * in the place of records would pass. Else its summary tells which regions it has, if the summary
 * joins what came before and ends where the successor says. Else, and for a segment that is gone,
 * every region may have entries up to the end of what is missing.
 *
 * A region has lost nothing if its last rows, known or possible, lie at or below what its files
 * tell, and its last other entry at or below what its manifest has.
 */
final class DamageScope {
  private static final long UNKNOWN = -1;

  private final long after;
  private final Map<RegionId, Last> found = new HashMap<>();
  private long covered;
  private long anybody;

  /** Damage after the position. */
  DamageScope(long after) {
    this.after = after;
    this.covered = after;
  }

  /** An entry that can be read. */
  void entry(RegionId region, LogPart.Kind kind, long position) {
    found.merge(region, Last.of(kind, position), Last::and);
  }

  /**
   * The next segment has been looked through; {@link #entry} was told what could be read.
   *
   * @param header null if it cannot be read
   * @param whole all bytes are records or zeros, and the positions follow one another
   * @param last largest position that was read so far
   * @param named the last position that the successor names; -1 if there is none that can be read
   */
  void segment(
      SegmentFormat.@Nullable Header header,
      @Nullable SegmentSummary summary,
      boolean whole,
      long last,
      long named) {
    if (header != null && header.previousLast() > covered) {
      anybody = Math.max(anybody, header.previousLast());
      covered = header.previousLast();
    }
    boolean joined = summary != null && summary.previousLast() <= covered;
    long end = named == UNKNOWN && summary != null && joined ? summary.last() : named;
    boolean read = whole && (end == UNKNOWN || last == end);
    if (!read) {
      if (summary != null && joined && summary.last() == end) {
        summary.regions().forEach((r, l) -> found.merge(r, l, Last::and));
        covered = Math.max(covered, summary.last());
      } else {
        anybody = Math.max(anybody, end == UNKNOWN ? Long.MAX_VALUE : end);
      }
    }
    covered = Math.max(covered, Math.max(last, end));
  }

  /** The regions that may have lost something. */
  Set<RegionId> regions(Map<RegionId, LogReplay.Safe> all) {
    var out = new HashSet<RegionId>();
    all.forEach(
        (region, safe) -> {
          Last last = found.getOrDefault(region, Last.NONE).and(new Last(anybody, anybody));
          long flushed = Math.max(after, safe.flushed());
          if (last.rows() > flushed || last.other() > Math.max(flushed, safe.settled())) {
            out.add(region);
          }
        });
    return Set.copyOf(out);
  }
}

package io.millrace.storage.flush;

import io.millrace.storage.HoldKind;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.manifest.ManifestState;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.read.HoldPoint;
import io.millrace.storage.region.PendingAction;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What becomes of range deletes when files are written. Files that a job wrote knowing of a delete,
 * with no ROWS hold below it, are clean of what it takes. A delete goes once every file that can
 * have rows of it is clean, no memtable can, and no hold lies below it: then nobody can see one.
 */
public final class RangeCleaning {
  private RangeCleaning() {}

  /**
   * The actions that follow a job's own in its manifest commit. In the region's chain.
   *
   * @param known range deletes that the job left out the rows of
   * @param holds in force when it started
   * @param own pending actions and the job's
   * @param written its outputs
   * @param flushed memtables that they take the place of
   * @param gateOpen whether flows have made their holds
   */
  public static List<ManifestAction> after(
      Region region,
      List<RangeMark> known,
      List<HoldPoint> holds,
      List<ManifestAction> own,
      List<SstMeta> written,
      Collection<Memtable> flushed,
      boolean gateOpen) {
    var out = new ArrayList<ManifestAction>();
    for (RangeMark m : known) {
      boolean held =
          holds.stream().anyMatch(h -> h.kind() == HoldKind.ROWS && h.sequence() < m.sequence());
      if (!held && !written.isEmpty()) {
        out.add(
            new ManifestAction.CleanedRange(
                m.sequence(), written.stream().map(SstMeta::fileId).toList()));
      }
    }
    var all = new ArrayList<>(own);
    all.addAll(out);
    ManifestState next = region.manifest().state().after(all);
    List<Memtable> memory =
        region.versions().current().memtables().stream().filter(m -> !flushed.contains(m)).toList();
    for (RangeMark m : next.ranges()) {
      if (gateOpen
          && region.holds().least(Long.MAX_VALUE) >= m.sequence()
          && next.files().stream().noneMatch(m::concerns)
          && memory.stream().noneMatch(t -> touches(m.rectangle(), t))) {
        out.add(new ManifestAction.ForgetRange(m.sequence()));
      }
    }
    return out;
  }

  private static boolean touches(Rectangle r, Memtable t) {
    return t.rows() > 0 && r.touches(t.minTime(), t.maxTime(), t.minSequence(), t.maxSequence());
  }

  /** All actions of a manifest commit. */
  public static List<ManifestAction> joined(List<PendingAction> pending, List<ManifestAction> own) {
    var out = new ArrayList<ManifestAction>();
    for (PendingAction p : pending) {
      out.addAll(p.actions());
    }
    out.addAll(own);
    return out;
  }
}

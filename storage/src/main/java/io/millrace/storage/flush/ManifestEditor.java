package io.millrace.storage.flush;

import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineEnvironment.Point;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.region.PendingAction;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Commits to a region's manifest what is due: first what the log has and the manifest lacks, then
 * the caller's own actions. Files that the manifest no longer names are retired. In the region's
 * chain only.
 */
public final class ManifestEditor {
  private final EngineEnvironment environment;
  private final Ballast ballast;

  public ManifestEditor(EngineEnvironment environment, Ballast ballast) {
    this.environment = environment;
    this.ballast = ballast;
  }

  /** Commits what is pending. */
  public void settle(Region region) {
    List<PendingAction> pending = region.pending();
    if (!pending.isEmpty()) {
      commit(region, pending, List.of());
    }
  }

  /** Commits the pending actions, which the caller took from the region, and others. */
  public void commit(Region region, List<PendingAction> pending, List<ManifestAction> more) {
    List<String> gone = edit(region, pending, more);
    if (!gone.isEmpty()) {
      region.versions().retire(gone, () -> {});
    }
  }

  /** The log may be trimmed now: none of these sequences may come twice. */
  private static ManifestAction taken(Region region, long sequence) {
    return new ManifestAction.Incarnation(region.manifest().state().incarnation(), sequence);
  }

  /**
   * As {@link #commit}, but the files that are named no more are given back: to be retired when the
   * region's version has let them go.
   */
  public List<String> edit(Region region, List<PendingAction> pending, List<ManifestAction> more) {
    var actions = new ArrayList<ManifestAction>();
    for (PendingAction p : pending) {
      actions.addAll(p.actions());
    }
    if (!pending.isEmpty()) {
      actions.add(new ManifestAction.Settled(pending.getLast().position()));
      actions.add(taken(region, pending.getLast().sequence()));
    }
    actions.addAll(more);
    var named = new LinkedHashSet<String>();
    for (SstMeta f : region.manifest().state().files()) {
      named.add(f.fileId());
    }
    for (ManifestAction a : actions) {
      if (a instanceof ManifestAction.Edit e) {
        e.added().forEach(f -> named.add(f.fileId())); // it may go again in the same commit
      }
    }
    environment.reached(Point.BEFORE_MANIFEST);
    ballast.run(() -> region.manifest().commit(actions));
    environment.reached(Point.AFTER_MANIFEST);
    region.settled(pending);
    for (SstMeta f : region.manifest().state().files()) {
      named.remove(f.fileId());
    }
    return List.copyOf(named);
  }
}

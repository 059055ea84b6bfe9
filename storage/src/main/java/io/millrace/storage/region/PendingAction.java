package io.millrace.storage.region;

import io.millrace.storage.manifest.ManifestAction;
import java.util.List;

/**
 * Something that is in the log and must get into the manifest before the log may be trimmed there.
 *
 * @param position its log position
 * @param sequence the last sequence that it took
 */
public record PendingAction(long position, long sequence, List<ManifestAction> actions) {
  public PendingAction {
    actions = List.copyOf(actions);
  }
}

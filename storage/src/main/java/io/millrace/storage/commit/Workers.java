package io.millrace.storage.commit;

import java.util.List;

/** The owners of regions, as the commit path sees them. */
public interface Workers {
  /** Asks the part's owner to admit it; the answer goes to {@link Committer#answered}. */
  void admit(CommitTask task, CommitPart part);

  /** Number of owners that have rows of the commit to apply. */
  int owners(CommitTask task);

  /** Hands a group, in log order, to all owners concerned. */
  void apply(List<CommitTask> group);
}

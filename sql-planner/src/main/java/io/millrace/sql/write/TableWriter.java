package io.millrace.sql.write;

import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.CommitResult;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The only caller of region writes. Takes batches of whole tables, routes rows to regions, commits,
 * and tells the listeners after publication.
 */
public interface TableWriter {
  /**
   * Commits writes over any number of tables as one commit.
   *
   * @param writes in order
   * @param preconditions as in {@link WriteGroup}
   */
  CompletableFuture<CommitResult> commit(
      List<TableWrite> writes, List<WriteGroup.Precondition> preconditions);

  /**
   * Commits staged rows, and then the writes, as one commit.
   *
   * @param staged in order
   */
  CompletableFuture<CommitResult> commit(
      List<StagedWrite> staged,
      List<TableWrite> writes,
      List<WriteGroup.Precondition> preconditions);

  /**
   * Writes rows ahead of their commit, so that they need no memory until then.
   *
   * @param writes in order, with whole keys
   * @return what {@link #commit(List, List, List)} takes, or {@link #discard}
   */
  CompletableFuture<List<StagedWrite>> stage(List<TableWrite> writes);

  /** Gives up staged rows. */
  void discard(List<StagedWrite> staged);

  /** Rows of one region of a table that are written and not committed. */
  record StagedWrite(TableInfo table, StagedRows rows) {}

  /** Splits a table's rows over its regions; for overlays of open transactions. */
  List<io.millrace.storage.RegionWrite> route(TableWrite write);

  /** Registered once at start, before any write. */
  void addListener(CommitListener listener);

  /** Tells the listeners that a table was emptied by an event, not by rows. */
  void truncated(TableInfo table);

  /** Told about every commit, of whatever origin, after it is visible; must return at once. */
  interface CommitListener {
    void committed(List<TableWrite> writes, CommitResult result);

    /** A table was truncated. */
    void truncated(TableInfo table);
  }
}

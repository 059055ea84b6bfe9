package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import java.util.concurrent.CompletableFuture;

/**
 * In-memory locks on keys, held to the end of a statement or transaction. Re-entrant per owner. A
 * key is one owner's alone, or shared by several.
 */
public interface KeyLocks {
  /** A transaction. Identity is the object. */
  interface Owner {}

  /** What an owner had at a moment; good until it lets go of any of that. */
  interface Mark {}

  Owner newOwner();

  /**
   * Locks all keys (tags, then the time index); completes when all are held. Fails with
   * DEADLOCK_DETECTED, or LOCK_NOT_AVAILABLE after the time-out.
   *
   * @param timeoutMicros 0 = wait without limit, -1 = do not wait
   */
  CompletableFuture<Void> lock(Owner owner, RegionId region, Batch keys, long timeoutMicros);

  /** The same, shared with owners that ask for no more than that too. */
  CompletableFuture<Void> lockShared(Owner owner, RegionId region, Batch keys, long timeoutMicros);

  /**
   * Locks one key if that can be without waiting.
   *
   * @param row of the key
   * @return whether the owner has it now
   */
  boolean tryLock(Owner owner, RegionId region, Batch keys, int row, boolean shared);

  /**
   * Locks all keys of a table, in all its regions, there or not; time-out and failures as for
   * {@link #lock}. An owner of very many keys of a table gets this lock instead of more of them.
   */
  CompletableFuture<Void> lockTable(Owner owner, TableId table, long timeoutMicros);

  /** What the owner has now. */
  Mark mark(Owner owner);

  /**
   * Releases what the owner got since the mark, and cancels what it waits for. What it had then
   * stays, whether it asked for it again or not.
   */
  void releaseSince(Owner owner, Mark mark);

  /** Releases everything the owner holds and cancels what it waits for. */
  void releaseAll(Owner owner);
}

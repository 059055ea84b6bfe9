package io.millrace.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.SqlType;
import io.millrace.storage.KeyLocks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KeyLockTableTest {
  private static final RegionId REGION = RegionId.of(new TableId(1), 0);
  private final List<Runnable> timers = new ArrayList<>();
  private final Scheduler scheduler =
      (_, task) -> {
        timers.add(task);
        return () -> timers.remove(task);
      };
  private final KeyLockTable table = new KeyLockTable(scheduler);
  private final KeyLocks.Owner one = table.newOwner();
  private final KeyLocks.Owner two = table.newOwner();
  private final KeyLocks.Owner three = table.newOwner();

  private static Batch keys(long... values) {
    return new Batch(
        List.of(new LongVector(SqlType.INT8, values, values.length, null)), values.length);
  }

  private CompletableFuture<Void> lock(KeyLocks.Owner owner, long... values) {
    return table.lock(owner, REGION, keys(values), 0);
  }

  private static void failsWith(CompletableFuture<Void> f, ErrorCode code) {
    assertThatThrownBy(f::join)
        .cause()
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void anOwnerMayLockAKeyTwice() {
    assertThat(lock(one, 1, 2, 1)).isCompleted();
    assertThat(lock(one, 2)).isCompleted();
  }

  @Test
  void waitersGetTheKeyInTheOrderOfTheirComing() {
    assertThat(lock(one, 1)).isCompleted();
    CompletableFuture<Void> second = lock(two, 1);
    CompletableFuture<Void> third = lock(three, 1);
    assertThat(second).isNotDone();
    table.releaseAll(one);
    assertThat(second).isCompleted();
    assertThat(third).isNotDone();
    table.releaseAll(two);
    assertThat(third).isCompleted();
  }

  @Test
  void aCircleOfTwoIsADeadlockOfTheOneThatClosesIt() {
    assertThat(lock(one, 1)).isCompleted();
    assertThat(lock(two, 2)).isCompleted();
    CompletableFuture<Void> waits = lock(one, 2);
    failsWith(lock(two, 1), ErrorCode.DEADLOCK_DETECTED);
    table.releaseAll(two);
    assertThat(waits).isCompleted();
  }

  @Test
  void aCircleThatComesToBeWhenAKeyIsPassedOnIsSeen() {
    assertThat(lock(one, 1)).isCompleted();
    assertThat(lock(three, 2)).isCompleted();
    CompletableFuture<Void> second = lock(two, 1, 2);
    CompletableFuture<Void> third = lock(three, 1);
    table.releaseAll(one);
    failsWith(second, ErrorCode.DEADLOCK_DETECTED);
    assertThat(third).isNotDone();
    table.releaseAll(two);
    assertThat(third).isCompleted();
  }

  private CompletableFuture<Void> share(KeyLocks.Owner owner, long... values) {
    return table.lockShared(owner, REGION, keys(values), 0);
  }

  private boolean tryLock(KeyLocks.Owner owner, long value, boolean shared) {
    return table.tryLock(owner, REGION, keys(value), 0, shared);
  }

  @Test
  void sharersHaveAKeyTogetherAndKeepItFromOthers() {
    assertThat(share(one, 1)).isCompleted();
    assertThat(share(two, 1)).isCompleted();
    CompletableFuture<Void> alone = lock(three, 1);
    assertThat(alone).isNotDone();
    table.releaseAll(one);
    assertThat(alone).isNotDone();
    table.releaseAll(two);
    assertThat(alone).isCompleted();
  }

  @Test
  void whoWantsToShareQueuesBehindWhoWantsItAlone() {
    KeyLocks.Owner four = table.newOwner();
    assertThat(share(one, 1)).isCompleted();
    CompletableFuture<Void> alone = lock(two, 1);
    CompletableFuture<Void> third = share(three, 1);
    CompletableFuture<Void> fourth = share(four, 1);
    assertThat(third).isNotDone();
    assertThat(share(one, 1)).isCompleted();
    table.releaseAll(one);
    assertThat(alone).isCompleted();
    assertThat(third).isNotDone();
    table.releaseAll(two);
    assertThat(third).isCompleted();
    assertThat(fourth).isCompleted();
  }

  @Test
  void whenTheOneInFrontGivesUpThoseBehindShare() {
    assertThat(share(one, 1)).isCompleted();
    CompletableFuture<Void> alone = table.lock(two, REGION, keys(1), 1_000);
    CompletableFuture<Void> third = share(three, 1);
    assertThat(third).isNotDone();
    timers.removeFirst().run();
    failsWith(alone, ErrorCode.LOCK_NOT_AVAILABLE);
    assertThat(third).isCompleted();
  }

  @Test
  void aSharerThatWantsTheKeyAloneGoesBeforeAllThatWait() {
    assertThat(share(one, 1)).isCompleted();
    assertThat(share(two, 1)).isCompleted();
    CompletableFuture<Void> other = lock(three, 1);
    CompletableFuture<Void> upgrade = lock(one, 1);
    assertThat(upgrade).isNotDone();
    table.releaseAll(two);
    assertThat(upgrade).isCompleted();
    assertThat(other).isNotDone();
    assertThat(tryLock(two, 1, true)).isFalse();
    table.releaseAll(one);
    assertThat(other).isCompleted();
  }

  @Test
  void twoSharersThatWantTheKeyAloneAreADeadlock() {
    assertThat(share(one, 1)).isCompleted();
    assertThat(share(two, 1)).isCompleted();
    CompletableFuture<Void> waits = lock(one, 1);
    failsWith(lock(two, 1), ErrorCode.DEADLOCK_DETECTED);
    table.releaseAll(two);
    assertThat(waits).isCompleted();
  }

  @Test
  void aCircleThroughAQueueIsADeadlock() {
    assertThat(share(one, 1)).isCompleted();
    assertThat(lock(three, 2)).isCompleted();
    CompletableFuture<Void> second = lock(two, 1);
    // three would wait behind two, which waits for one, which waits for three.
    CompletableFuture<Void> first = lock(one, 2);
    failsWith(share(three, 1), ErrorCode.DEADLOCK_DETECTED);
    table.releaseAll(three);
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
  }

  @Test
  void aTryTakesWhatIsFreeAndNeverWaits() {
    assertThat(tryLock(one, 1, false)).isTrue();
    assertThat(tryLock(one, 1, true)).isTrue();
    assertThat(tryLock(two, 1, true)).isFalse();
    assertThat(tryLock(two, 2, true)).isTrue();
    assertThat(tryLock(one, 2, true)).isTrue();
    assertThat(tryLock(one, 2, false)).isFalse();
    table.releaseAll(two);
    assertThat(tryLock(one, 2, false)).isTrue();
    assertThat(lockAll(one)).isCompleted();
    assertThat(tryLock(two, 7, true)).isFalse();
    assertThat(tryLock(one, 7, true)).isTrue();
    table.releaseAll(one);
    assertThat(lockAll(two)).isCompleted();
  }

  private CompletableFuture<Void> lockAll(KeyLocks.Owner owner) {
    return table.lockTable(owner, REGION.table(), 0);
  }

  @Test
  void aTableIsHadWhenNobodyElseHasAKeyOfIt() {
    assertThat(lock(one, 1)).isCompleted();
    assertThat(lock(two, 2)).isCompleted();
    CompletableFuture<Void> all = lockAll(one);
    assertThat(all).isNotDone();
    table.releaseAll(two);
    assertThat(all).isCompleted();
    CompletableFuture<Void> other = lock(two, 5);
    assertThat(other).isNotDone();
    assertThat(lock(one, 6)).isCompleted();
    RegionId elsewhere = RegionId.of(new TableId(2), 0);
    assertThat(table.lock(three, elsewhere, keys(1), 0)).isCompleted();
    table.releaseAll(one);
    assertThat(other).isCompleted();
  }

  @Test
  void whoComesWhileATableIsWaitedForQueuesUnlessItHasKeysOfIt() {
    assertThat(lock(one, 1)).isCompleted();
    CompletableFuture<Void> all = lockAll(two);
    CompletableFuture<Void> late = lock(three, 9);
    assertThat(late).isNotDone();
    assertThat(lock(one, 2)).isCompleted();
    table.releaseAll(one);
    assertThat(all).isCompleted();
    assertThat(late).isNotDone();
    table.releaseAll(two);
    assertThat(late).isCompleted();
  }

  @Test
  void twoThatHaveKeysAndWantTheTableAreADeadlock() {
    assertThat(lock(one, 1)).isCompleted();
    assertThat(lock(two, 2)).isCompleted();
    CompletableFuture<Void> first = lockAll(one);
    failsWith(lockAll(two), ErrorCode.DEADLOCK_DETECTED);
    table.releaseAll(two);
    assertThat(first).isCompleted();
  }

  @Test
  void aCircleOverAKeyOfOneTableAndAnotherTableIsADeadlock() {
    RegionId elsewhere = RegionId.of(new TableId(2), 0);
    assertThat(lock(one, 1)).isCompleted();
    assertThat(table.lock(two, elsewhere, keys(1), 0)).isCompleted();
    assertThat(table.lock(three, elsewhere, keys(2), 0)).isCompleted();
    CompletableFuture<Void> key = lock(two, 1);
    CompletableFuture<Void> other = lock(three, 1);
    failsWith(table.lockTable(one, elsewhere.table(), 0), ErrorCode.DEADLOCK_DETECTED);
    table.releaseAll(one);
    assertThat(key).isCompleted();
    assertThat(other).isNotDone();
  }

  @Test
  void whoGivesUpWaitingForATableLetsThoseBehindItGoOn() {
    assertThat(lock(one, 1)).isCompleted();
    CompletableFuture<Void> all = table.lockTable(two, REGION.table(), 1000);
    CompletableFuture<Void> late = lock(three, 9);
    assertThat(late).isNotDone();
    List.copyOf(timers).forEach(Runnable::run);
    failsWith(all, ErrorCode.LOCK_NOT_AVAILABLE);
    assertThat(late).isCompleted();
    failsWith(table.lockTable(two, REGION.table(), -1), ErrorCode.LOCK_NOT_AVAILABLE);
  }

  @Test
  void anOwnerOfVeryManyKeysGetsTheTableInstead() {
    var small = new KeyLockTable(scheduler, 3);
    KeyLocks.Owner a = small.newOwner();
    KeyLocks.Owner b = small.newOwner();
    assertThat(small.lock(a, REGION, keys(1, 2), 0)).isCompleted();
    CompletableFuture<Void> before = small.lock(b, REGION, keys(1), 0);
    assertThat(small.lock(a, REGION, keys(3, 4), 0)).isCompleted();
    CompletableFuture<Void> f = small.lock(b, REGION, keys(7), 0);
    assertThat(f).isNotDone();
    small.releaseAll(a);
    assertThat(f).isCompleted();
    assertThat(before).isCompleted();
  }

  @Test
  void whatAnOwnerGotSinceAMarkIsReleasedAndNothingElse() {
    assertThat(lock(one, 1, 2)).isCompleted();
    KeyLocks.Mark mark = table.mark(one);
    assertThat(lock(one, 2, 3)).isCompleted();
    CompletableFuture<Void> had = lock(two, 2);
    CompletableFuture<Void> got = lock(three, 3);
    table.releaseSince(one, mark);
    assertThat(got).isCompleted();
    assertThat(had).isNotDone();
    table.releaseSince(one, mark);
    assertThat(had).isNotDone();
    assertThat(lock(one, 4)).isCompleted();
    table.releaseAll(one);
    assertThat(had).isCompleted();
    assertThat(lock(three, 4)).isCompleted();
  }

  @Test
  void aTableThatAnOwnerGotSinceAMarkIsReleasedButNotTheKeysFromBefore() {
    assertThat(lock(one, 1)).isCompleted();
    KeyLocks.Mark mark = table.mark(one);
    assertThat(lockAll(one)).isCompleted();
    CompletableFuture<Void> key = lock(two, 1);
    CompletableFuture<Void> other = lock(three, 5);
    assertThat(other).isNotDone();
    table.releaseSince(one, mark);
    assertThat(other).isCompleted();
    assertThat(key).isNotDone();
    CompletableFuture<Void> all = lockAll(three);
    assertThat(all).isNotDone();
    table.releaseAll(one);
    assertThat(key).isCompleted();
    table.releaseAll(two);
    assertThat(all).isCompleted();
  }

  @Test
  void aTableThatAnOwnerHadAtTheMarkStaysWhole() {
    assertThat(lockAll(one)).isCompleted();
    KeyLocks.Mark mark = table.mark(one);
    assertThat(lock(one, 1)).isCompleted();
    assertThat(lockAll(one)).isCompleted();
    table.releaseSince(one, mark);
    CompletableFuture<Void> key = lock(two, 1);
    assertThat(key).isNotDone();
    table.releaseAll(one);
    assertThat(key).isCompleted();
  }

  @Test
  void aTimeOutAndNoWaitGiveUp() {
    assertThat(lock(one, 1)).isCompleted();
    failsWith(table.lock(two, REGION, keys(1), -1), ErrorCode.LOCK_NOT_AVAILABLE);
    CompletableFuture<Void> f = table.lock(two, REGION, keys(1), 1000);
    assertThat(f).isNotDone();
    List.copyOf(timers).forEach(Runnable::run);
    failsWith(f, ErrorCode.LOCK_NOT_AVAILABLE);
    table.releaseAll(one);
    assertThat(lock(three, 1)).isCompleted();
  }
}

package io.millrace.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.ManualClock;
import io.millrace.storage.sim.SimDisk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LocalLogTest {
  private static final RegionId A = RegionId.of(new TableId(1), 0);
  private static final RegionId B = RegionId.of(new TableId(1), 1);
  private static final RegionId C = RegionId.of(new TableId(1), 2);
  private static final RegionId D = RegionId.of(new TableId(1), 3);
  private final SimDisk disk = new SimDisk();
  private final ManualClock clock = new ManualClock(0);
  private final List<LogRecord> read = new ArrayList<>();
  private Map<RegionId, LogReplay.Safe> safe = Map.of(A, safe(0), B, safe(0));

  private static LogReplay.Safe safe(long position) {
    return new LogReplay.Safe(position, position);
  }

  private LocalLog open() {
    read.clear();
    return open(new LogReplay(disk.logFiles(), false, () -> safe).run(read::add));
  }

  private LocalLog open(LogReplay.Result found) {
    return new LocalLog(disk.logFiles(), clock, 4096, Runnable::run, found);
  }

  private LogReplay.Result replay(boolean cut) {
    read.clear();
    return new LogReplay(disk.logFiles(), cut, () -> safe).run(read::add);
  }

  private static LogRecord record(long position, RegionId region, int size) {
    byte[] payload = new byte[size];
    Arrays.fill(payload, (byte) position);
    return new LogRecord(
        position,
        List.of(
            new LogPart(
                region,
                position * 10,
                3,
                1,
                LogPart.Kind.WRITE,
                LogPart.NO_ROW_ID,
                payload,
                size)));
  }

  private static void append(LocalLog log, long from, long to, RegionId region, int size) {
    for (long p = from; p <= to; p++) {
      LogRecord r = record(p, region, size);
      log.ensureRoom(LogRecord.bodySize(r.parts()), false);
      log.stage(r);
      log.write();
      log.force();
    }
  }

  private List<Long> positions() {
    return read.stream().map(LogRecord::position).toList();
  }

  @Test
  void recordsComeBackInOrderOverSegments() {
    LocalLog log = open();
    append(log, 1, 40, A, 300);
    log.close();
    assertThat(disk.logNames()).hasSizeGreaterThan(2);
    LogReplay.Result r = replay(false);
    assertThat(r.damages()).isEmpty();
    assertThat(r.lastPosition()).isEqualTo(40);
    assertThat(positions()).hasSize(40).isSorted();
    assertThat(read.get(7).parts().getFirst().payload()).hasSize(300).containsOnly(8);
  }

  @Test
  void aRecordLargerThanASegmentGetsOneOfItsSize() {
    LocalLog log = open();
    append(log, 1, 2, A, 100);
    append(log, 3, 3, A, 50_000);
    append(log, 4, 5, A, 100);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void goingOnAfterARestartKeepsEverything() {
    LocalLog log = open();
    append(log, 1, 3, A, 100);
    log.close();
    log = open();
    append(log, 4, 6, B, 100);
    log.close();
    log = open();
    append(log, 7, 7, A, 100);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  /** What a restart has read, and later commits build on, no crash may take away. */
  @Test
  void whatAReplayReadSurvivesALaterCrashThoughItWasNeverForced() {
    for (int seed = 0; seed < 20; seed++) {
      for (boolean failing : new boolean[] {true, false}) {
        var fresh = new LocalLogTest();
        LocalLog log = fresh.open();
        append(log, 1, 2, A, 300);
        fresh.writeUnforced(log, failing);
        log = fresh.open();
        assertThat(fresh.positions()).containsExactly(1L, 2L, 3L);
        append(log, 4, 4, B, 100);
        fresh.disk.crash(new Random(seed));
        assertThat(fresh.replay(false).damages()).isEmpty();
        assertThat(fresh.positions()).containsExactly(1L, 2L, 3L, 4L);
      }
    }
  }

  private void writeUnforced(LocalLog log, boolean failing) {
    LogRecord r = record(3, A, 1000);
    log.ensureRoom(LogRecord.bodySize(r.parts()), false);
    log.stage(r);
    log.write();
    if (failing) {
      disk.forceFails(true);
      assertThatThrownBy(log::force).isInstanceOf(MillraceException.class);
      disk.forceFails(false);
    }
    log.close();
  }

  @Test
  void trimmingDropsSegmentsBelowThePositionOnly() {
    LocalLog log = open();
    append(log, 1, 40, A, 300);
    long before = log.bytes();
    log.trim(20);
    assertThat(log.bytes()).isLessThan(before);
    assertThat(log.oldestSegmentEnd()).isGreaterThanOrEqualTo(20);
    log.trim(1000);
    append(log, 41, 41, A, 10);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).isSorted().endsWith(41L).doesNotContain(1L, 2L);
  }

  @Test
  void aSegmentThatCannotBeRemovedIsRemovedBeforeLaterOnes() {
    LocalLog log = open();
    append(log, 1, 60, A, 300);
    disk.failCall(disk.calls() + 1, "Input/output error");
    log.trim(50);
    assertThat(replay(false).damages()).isEmpty();
    log.trim(50);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).doesNotContain(1L, 20L).endsWith(60L);
  }

  @Test
  void aFlippedBitInTheLastSegmentCutsTheTailAndKeepsItAside() {
    LocalLog log = open();
    append(log, 1, 5, A, 100);
    append(log, 6, 8, B, 100);
    log.close();
    byte[] data = disk.log(disk.logNames().getLast());
    long frame = SegmentFormat.framed(LogRecord.bodySize(record(1, A, 100).parts()));
    data[(int) (SegmentFormat.HEADER + 5 * frame + 60)] ^= 4;
    LogReplay.Result r = replay(false);
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L, 5L);
    LogReplay.Damage d = r.damages().getFirst();
    assertThat(d.accepted()).isTrue();
    assertThat(d.lostRows()).isEqualTo(Map.of(B, 6L));
    assertThat(d.complete()).isFalse();
    assertThat(d.regions()).containsExactlyInAnyOrder(A, B);
    assertThat(d.lastPosition()).isEqualTo(8);
    assertThat(disk.asideNames()).hasSize(1);
    log = open(r);
    append(log, 9, 9, A, 100);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L, 5L, 9L);
  }

  @Test
  void aShortenedLastSegmentCutsTheTornRecord() {
    LocalLog log = open();
    append(log, 1, 5, A, 100);
    log.close();
    long frame = SegmentFormat.framed(LogRecord.bodySize(record(1, A, 100).parts()));
    disk.truncateLog(
        disk.logNames().getLast(), (int) (SegmentFormat.HEADER + 4 * frame + frame / 2));
    assertThat(replay(false).damages()).isNotEmpty();
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void damageInAnEarlierSegmentCutsNothingUntilItIsAccepted() {
    LocalLog log = open();
    append(log, 1, 20, A, 300);
    append(log, 21, 40, B, 300);
    log.close();
    String first = disk.logNames().getFirst();
    disk.log(first)[500] ^= 1;
    LogReplay.Result r = replay(false);
    assertThat(positions()).containsExactly(1L);
    LogReplay.Damage d = r.damages().getFirst();
    assertThat(d.accepted()).isFalse();
    assertThat(d.lostRows()).containsKeys(A, B);
    assertThat(d.lastPosition()).isEqualTo(40);
    assertThat(disk.logNames()).contains(first);

    log = open(r);
    append(log, 41, 45, A, 100);
    log.close();
    r = replay(false);
    assertThat(positions()).containsExactly(1L, 41L, 42L, 43L, 44L, 45L);
    assertThat(r.damages()).hasSize(1);
    assertThat(r.damages().getFirst().regions()).containsExactlyInAnyOrder(A, B);

    assertThat(replay(true).damages().getFirst().accepted()).isTrue();
    r = replay(false);
    assertThat(r.damages().getFirst().regions()).isEmpty();
    log = open(r);
    append(log, 46, 46, B, 100);
    log.trim(46);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).containsExactly(46L);
    assertThat(disk.logNames()).doesNotContain("damage");
  }

  /** A in the first and last segments, B in the middle and C before A; damage in the first one. */
  private Set<RegionId> shut(int segment, boolean zeros, long flushedA, long flushedC) {
    LocalLog log = open();
    append(log, 1, 2, C, 100);
    append(log, 3, 40, A, 300);
    append(log, 41, 60, B, 300);
    append(log, 61, 80, A, 300);
    log.close();
    byte[] data = disk.log(disk.logNames().get(segment));
    long frame = SegmentFormat.framed(LogRecord.bodySize(record(1, A, 300).parts()));
    if (zeros) { // the last record that is there
      int end = data.length;
      while (data[end - 1] == 0) {
        end--;
      }
      Arrays.fill(data, end - (int) frame, data.length, (byte) 0);
    } else {
      data[data.length - 1500] ^= 1;
    }
    safe = Map.of(A, safe(flushedA), B, safe(0), C, safe(flushedC), D, safe(0));
    List<LogReplay.Damage> found = replay(false).damages();
    return found.isEmpty() ? Set.of() : found.getFirst().regions();
  }

  @Test
  void onlyRegionsWithEntriesBehindDamageThatFilesLackAreConcerned() {
    assertThat(shut(0, false, 0, 0)).containsExactlyInAnyOrder(A, B);
    assertThat(new LocalLogTest().shut(0, false, 79, 0)).containsExactlyInAnyOrder(A, B);
    assertThat(new LocalLogTest().shut(0, false, 80, 0)).containsExactly(B);
    assertThat(new LocalLogTest().shut(0, true, 80, 0)).containsExactly(B);
  }

  @Test
  void zerosInThePlaceOfARecordAreDamageToTheRegionThatHadIt() {
    LocalLog log = open();
    append(log, 1, 5, A, 300);
    append(log, 6, 6, C, 300);
    append(log, 7, 9, A, 300);
    append(log, 10, 30, B, 300);
    log.close();
    long frame = SegmentFormat.framed(LogRecord.bodySize(record(1, A, 300).parts()));
    byte[] data = disk.log(disk.logNames().getFirst());
    int from = SegmentFormat.HEADER + 5 * (int) frame;
    Arrays.fill(data, from, from + (int) frame, (byte) 0);
    safe = Map.of(A, safe(9), B, safe(30), C, safe(0), D, safe(0));
    assertThat(replay(false).damages().getFirst().regions()).containsExactly(C);
    assertThat(replay(false).damages().getFirst().regions()).containsExactly(C);
  }

  @Test
  void withoutASummaryEveryRegionIsConcernedThatIsNotFlushedBehindTheSegment() {
    LocalLog log = open();
    append(log, 1, 40, A, 300);
    append(log, 41, 80, B, 300);
    log.close();
    byte[] data = disk.log(disk.logNames().getFirst());
    data[data.length - 1500] ^= 1;
    disk.removeSummaries();
    long end = replayedTo();
    safe = Map.of(A, safe(40), B, safe(80), C, safe(end), D, safe(end - 1));
    assertThat(replay(false).damages().getFirst().regions()).containsExactly(D);
  }

  /** The last position in the first segment, as the second one has it. */
  private long replayedTo() {
    byte[] second = disk.log(disk.logNames().get(1));
    SegmentFormat.Header h = SegmentFormat.parseHeader(second, second.length);
    return h == null ? -1 : h.previousLast();
  }

  @Test
  void aSegmentThatIsGoneConcernsEveryRegionThatIsNotFlushedBehindIt() {
    LocalLog log = open();
    append(log, 1, 40, A, 300);
    log.close();
    List<String> names = disk.logNames();
    disk.removeLog(names.get(1));
    byte[] third = disk.log(names.get(2));
    SegmentFormat.Header h = SegmentFormat.parseHeader(third, third.length);
    long gone = h == null ? -1 : h.previousLast();
    safe = Map.of(A, safe(40), B, safe(gone), C, safe(gone - 1), D, safe(0));
    assertThat(replay(false).damages().getFirst().regions()).containsExactlyInAnyOrder(C, D);
  }

  @Test
  void aFullDiskRefusesWithNothingChangedAndHeals() {
    LocalLog log = open();
    append(log, 1, 3, A, 300);
    disk.full(true);
    assertThatThrownBy(() -> append(log, 4, 400, A, 300))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
    disk.full(false);
    clock.advanceMicros(1_000_000);
    LogReplay.Result before = replay(false);
    long next = before.lastPosition() + 1;
    append(log, next, next + 20, A, 300);
    log.close();
    assertThat(replay(false).damages()).isEmpty();
    assertThat(positions()).endsWith(next + 20);
  }
}

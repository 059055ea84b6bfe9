package io.millrace.flow.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DirtyRangesTest {
  private static TimeRange r(long from, long to) {
    return new TimeRange(from, to);
  }

  private static DirtyRanges of(TimeRange... ranges) {
    return new DirtyRanges(List.of(ranges));
  }

  @Test
  void rangesThatTouchOrOverlapAreOne() {
    assertThat(of(r(0, 10), r(20, 30), r(10, 12), r(25, 40)).all())
        .containsExactly(r(0, 12), r(20, 40));
    assertThat(of(r(0, 10), r(20, 30), r(5, 25)).all()).containsExactly(r(0, 30));
    assertThat(of(r(0, 10), TimeRange.ALL).all()).containsExactly(TimeRange.ALL);
  }

  @Test
  void whatIsAddedIsCoveredAndNothingElse() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      var ranges = new DirtyRanges();
      var model = new BitSet();
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(200);
        int to = from + random.nextInt(12);
        ranges.add(r(from, to));
        model.set(from, to);
      }
      var covered = new BitSet();
      ranges.all().forEach(x -> covered.set((int) x.from(), (int) x.to()));
      assertThat(covered).as("seed %s", seed).isEqualTo(model);
      for (int i = 1; i < ranges.size(); i++) {
        assertThat(ranges.all().get(i).from())
            .as("seed %s", seed)
            .isGreaterThan(ranges.all().get(i - 1).to());
      }
    }
  }

  @Test
  void joiningFillsGapsBelowTheLimitOnly() {
    DirtyRanges d = of(r(0, 10), r(12, 20), r(25, 30));
    d.joinWithin(3);
    assertThat(d.all()).containsExactly(r(0, 20), r(25, 30));
  }

  @Test
  void theOldestRangesAreTakenFirstAndSomeCanBePassedOver() {
    DirtyRanges d = of(r(0, 1), r(10, 11), r(20, 21), r(30, 31));
    assertThat(d.take(1, 2)).containsExactly(r(10, 11), r(20, 21));
    assertThat(d.take(5)).containsExactly(r(0, 1), r(30, 31));
    assertThat(d.isEmpty()).isTrue();
  }

  @Test
  void whatEndsBeforeTheBoundIsDroppedAndTheRestIsCut() {
    DirtyRanges d = of(r(0, 10), r(20, 30), r(40, 50));
    assertThat(d.dropBefore(25)).isEqualTo(2);
    assertThat(d.all()).containsExactly(r(25, 30), r(40, 50));
    assertThat(d.dropBefore(Long.MIN_VALUE)).isZero();
  }
}

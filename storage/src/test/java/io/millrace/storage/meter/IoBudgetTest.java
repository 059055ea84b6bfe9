package io.millrace.storage.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.common.time.ManualClock;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sim.SimEnvironment;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Who waits for whom, and how long. Nothing rests really: the time it would take is counted. */
class IoBudgetTest {
  private static final Offset<Double> EXACTLY = within(1e-6);
  private final ManualClock clock = new ManualClock(0);

  private IoBudget budget(long bytesPerSecond) {
    var random = RandomGenerator.of("L64X128MixRandom");
    return new IoBudget(new SimEnvironment(new SimDisk(), random, clock), bytesPerSecond);
  }

  @Test
  void aCompactionWaitsForWhatIsBeyondItsBudget() {
    IoBudget b = budget(1000);
    IoBudget.Worker w = b.worker(false);
    w.use(1000);
    assertThat(b.waitedSeconds()).isZero();
    w.use(500);
    assertThat(b.waitedSeconds()).isEqualTo(0.5, EXACTLY);
  }

  @Test
  void timeFillsTheBudgetToOneSecondAtMost() {
    IoBudget b = budget(1000);
    IoBudget.Worker w = b.worker(false);
    w.use(1000);
    clock.advanceMicros(300_000);
    w.use(300);
    assertThat(b.waitedSeconds()).isZero();
    clock.advanceMicros(60_000_000);
    w.use(1000);
    w.use(100);
    assertThat(b.waitedSeconds()).isEqualTo(0.1, EXACTLY);
  }

  @Test
  void aFlushNeverWaitsAndLeavesLessToCompactions() {
    IoBudget b = budget(1000);
    b.flush(3000);
    assertThat(b.waitedSeconds()).isZero();
    b.worker(false).use(0);
    assertThat(b.waitedSeconds()).isEqualTo(2, EXACTLY);
  }

  @Test
  void withoutALimitNobodyWaits() {
    IoBudget b = budget(0);
    b.worker(false).use(1L << 40);
    assertThat(b.waitedSeconds()).isZero();
  }

  @Test
  void aCompactionGivesWayToAFlushThatRuns() {
    IoBudget b = budget(0);
    IoBudget.Worker w = b.worker(true);
    var nanos = new LongAdder();
    int answer =
        b.flush(
            () -> {
              clock.advanceMicros(20);
              w.use(1);
              return 7;
            },
            nanos);
    assertThat(answer).isEqualTo(7);
    assertThat(nanos.sum()).isEqualTo(20_000);
    assertThat(b.waitedSeconds()).isEqualTo(0.005, EXACTLY);
    w.use(1);
    assertThat(b.waitedSeconds()).isEqualTo(0.005, EXACTLY);
  }

  @Test
  void aCompactionLeavesReadersHalfOfItsTimeUnlessItIsUrgent() {
    IoBudget b = budget(0);
    IoBudget.Worker w = b.worker(false);
    IoBudget.Worker urgent = b.worker(true);
    b.readBegins();
    clock.advanceMicros(2_000);
    urgent.use(1);
    assertThat(b.waitedSeconds()).isZero();
    w.use(1);
    assertThat(b.waitedSeconds()).isEqualTo(0.002, EXACTLY);
    b.readEnds();
    clock.advanceMicros(2_000);
    w.use(1);
    assertThat(b.waitedSeconds()).isEqualTo(0.002, EXACTLY);
  }
}

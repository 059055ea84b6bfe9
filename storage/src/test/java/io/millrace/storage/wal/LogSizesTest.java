package io.millrace.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.storage.EngineConfig;
import org.junit.jupiter.api.Test;

class LogSizesTest {
  private static final long MIB = 1 << 20;

  @Test
  void aLargeFileSystemGetsWhatIsConfigured() {
    LogSizes sizes = LogSizes.fitting(EngineConfig.DEFAULT, 100_000 * MIB);
    assertThat(sizes).isEqualTo(new LogSizes(64 * MIB, 64 * MIB, 512 * MIB));
  }

  @Test
  void onASmallOneLogAndReserveTakeLessThanHalf() {
    for (long total : new long[] {16 * MIB, 96 * MIB, 160 * MIB, 1000 * MIB}) {
      LogSizes sizes = LogSizes.fitting(EngineConfig.DEFAULT, total);
      assertThat(sizes.limit() + 2 * sizes.segment() + sizes.reserve()).isLessThan(total / 2 + MIB);
      assertThat(sizes.segment()).isBetween(MIB, 64 * MIB);
    }
  }
}

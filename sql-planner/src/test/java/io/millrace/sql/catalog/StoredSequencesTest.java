package io.millrace.sql.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoredSequencesTest {
  /** Keeps what was committed; a crash is a new StoredSequences over it. */
  private static final class Memory implements KvBackend {
    private final Map<String, byte[]> entries = new HashMap<>();
    private int commits;

    @Override
    public Map<String, byte[]> load() {
      return Map.copyOf(entries);
    }

    @Override
    public void commit(Map<String, byte @Nullable []> changes) {
      commits++;
      changes.forEach(
          (k, v) -> {
            if (v == null) {
              entries.remove(k);
            } else {
              entries.put(k, v);
            }
          });
    }

    @Override
    public void close() {}
  }

  private final Memory backend = new Memory();

  private StoredSequences start() {
    return new StoredSequences(backend, backend.load());
  }

  private static SequenceInfo sequence(long increment, long min, long max, boolean cycle) {
    return new SequenceInfo(
        7,
        1,
        "millrace",
        "public",
        "q",
        "int8",
        increment > 0 ? min : max,
        increment,
        min,
        max,
        1,
        cycle,
        Optional.empty());
  }

  private static long[] next(StoredSequences s, SequenceInfo q, int count) {
    long[] out = new long[count];
    s.next(q, out, count);
    return out;
  }

  @Test
  void aCrashNeverGivesAValueTwice_whateverTheRunsAndBatches() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new Random(seed);
    var given = new HashSet<Long>();
    SequenceInfo q = sequence(3, 1, Long.MAX_VALUE, false);
    StoredSequences s = start();
    for (int i = 0; i < 2_000; i++) {
      if (random.nextInt(20) == 0) {
        if (random.nextBoolean()) {
          s.close();
        }
        s = start();
      }
      for (long v : next(s, q, 1 + random.nextInt(100))) {
        assertThat(given.add(v)).as("value %d again, seed %d", v, seed).isTrue();
      }
    }
  }

  @Test
  void aCleanStopLosesNoValue() {
    SequenceInfo q = sequence(1, 1, 1_000, false);
    StoredSequences s = start();
    assertThat(next(s, q, 3)).containsExactly(1, 2, 3);
    s.close();
    assertThat(next(start(), q, 1)).containsExactly(4);
  }

  @Test
  void steadyUseWritesSeldom() {
    SequenceInfo q = sequence(1, 1, Long.MAX_VALUE, false);
    StoredSequences s = start();
    for (int i = 0; i < 100_000; i++) {
      next(s, q, 1);
    }
    // Runs of 32, 64, … 4,096 and then about 23 of the longest.
    assertThat(backend.commits).isLessThan(40);
  }

  @Test
  void theEndIsReported_andCyclingStartsAgain() {
    SequenceInfo q = sequence(4, 1, 10, false);
    StoredSequences s = start();
    assertThat(next(s, q, 3)).containsExactly(1, 5, 9);
    assertThatThrownBy(() -> next(s, q, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessage("nextval: reached maximum value of sequence \"q\" (10)")
        .extracting(e -> ((MillraceException) e).code())
        .isEqualTo(ErrorCode.SEQUENCE_GENERATOR_LIMIT_EXCEEDED);
    SequenceInfo cycling = sequence(4, 1, 10, true);
    assertThat(next(s, cycling, 4)).containsExactly(1, 5, 9, 1);
  }

  @Test
  void aSequenceRunsDownToItsMinimum_evenToTheSmallestNumber() {
    SequenceInfo q = sequence(-1, Long.MIN_VALUE, Long.MIN_VALUE + 1, false);
    StoredSequences s = start();
    assertThat(next(s, q, 2)).containsExactly(Long.MIN_VALUE + 1, Long.MIN_VALUE);
    assertThatThrownBy(() -> next(s, q, 1)).hasMessageContaining("minimum value");
  }

  @Test
  void whatIsSetIsDurableAtOnce() {
    SequenceInfo q = sequence(1, 1, 1_000, false);
    StoredSequences s = start();
    next(s, q, 5);
    s.set(q, 50, false);
    assertThat(next(start(), q, 1)).containsExactly(50);
    start().set(q, 70, true);
    assertThat(next(start(), q, 1)).containsExactly(71);
  }
}

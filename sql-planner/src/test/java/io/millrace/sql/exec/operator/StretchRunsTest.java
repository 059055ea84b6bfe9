package io.millrace.sql.exec.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.StepFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs cover the ranges, each with one key, and each begins where a key changes. */
class StretchRunsTest {
  /** Down to whole hundreds. */
  private static final class Hundreds implements StepFunction {
    private long first;

    @Override
    public void locate(long value) {
      first = Math.floorDiv(value, 100L) * 100;
    }

    @Override
    public long first() {
      return first;
    }

    @Override
    public long last() {
      return first + 99;
    }

    @Override
    public long result() {
      return first;
    }
  }

  private static Vector texts(SplittableRandom random, int rows) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, rows);
    String value = "a";
    for (int i = 0; i < rows; i++) {
      if (random.nextInt(30) == 0) {
        value = "v" + random.nextInt(4);
      }
      b.append(value);
    }
    return b.build();
  }

  private static Vector longs(SplittableRandom random, int rows, boolean nulls) {
    var b = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, rows);
    long t = random.nextInt(2000) - 1000;
    for (int i = 0; i < rows; i++) {
      if (nulls && random.nextInt(9) == 0) {
        b.appendNull();
      } else {
        b.append(t);
      }
      t = random.nextInt(200) == 0 ? -500 : t + random.nextInt(3);
    }
    return b.build();
  }

  private static RangedBatch ranges(SplittableRandom random, Batch b) {
    var from = new ArrayList<Integer>();
    var count = new ArrayList<Integer>();
    int rows = 0;
    int at = random.nextInt(5);
    while (at < b.rows()) {
      int n = Math.min(1 + random.nextInt(700), b.rows() - at);
      from.add(at);
      count.add(n);
      rows += n;
      at += n + random.nextInt(40);
    }
    return new RangedBatch(
        b,
        from.stream().mapToInt(i -> i).toArray(),
        count.stream().mapToInt(i -> i).toArray(),
        from.size(),
        rows);
  }

  private static @Nullable Object key(Vector v, int row, boolean step) {
    if (v.isNull(row)) {
      return null;
    }
    long x = ((io.millrace.common.batch.LongVector) v).get(row);
    return step ? Math.floorDiv(x, 100L) * 100 : x;
  }

  @Test
  void runsAreThoseFoundRowByRow() {
    var random = new SplittableRandom(11);
    for (int round = 0; round < 500; round++) {
      boolean nulls = random.nextBoolean();
      int rows = 1 + random.nextInt(3000);
      Vector text = texts(random, rows);
      Vector times = longs(random, rows, nulls);
      Vector other = longs(random, rows, nulls);
      RangedBatch in = ranges(random, new Batch(List.of(text, times, other), rows));
      var runs = new StretchRuns(new @Nullable StepFunction[] {null, new Hundreds(), null});
      Vector[] columns = {text, times, other};
      runs.find(in, columns);
      Vector keyText = runs.key(0, text, SqlType.TEXT);
      Vector keyTimes = runs.key(1, times, SqlType.INT8);
      Vector keyOther = runs.key(2, other, SqlType.INT8);
      int r = 0;
      for (int k = 0; k < in.ranges(); k++) {
        int end = in.from()[k] + in.count()[k];
        for (int i = in.from()[k]; i < end; i++) {
          boolean first = i == in.from()[k];
          boolean changes =
              first
                  || !text.same(i, text, i - 1)
                  || !java.util.Objects.equals(key(times, i, true), key(times, i - 1, true))
                  || !other.same(i, other, i - 1);
          if (changes) {
            r += first && k == 0 ? 0 : 1;
            assertThat(runs.from()[r]).as("round %s", round).isEqualTo(i);
          }
          assertThat(runs.to()[r]).isGreaterThan(i);
          assertThat(keyText.same(r, text, i)).isTrue();
          assertThat(key(keyTimes, r, false)).isEqualTo(key(times, i, true));
          assertThat(keyOther.same(r, other, i)).isTrue();
        }
        assertThat(runs.to()[r]).isEqualTo(end);
      }
      assertThat(runs.count()).isEqualTo(r + 1);
    }
  }
}

package io.millrace.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowIndexTest {
  /** Rows of a key, which may be NULL, and a value. */
  private static Batch rows(@Nullable Long[] keys, long... values) {
    VectorBuilder k = VectorBuilder.of(SqlType.INT8, keys.length);
    for (Long key : keys) {
      if (key == null) {
        k.appendNull();
      } else {
        ((VectorBuilder.Longs) k).append(key);
      }
    }
    return new Batch(
        List.of(k.build(), new LongVector(SqlType.INT8, values, values.length, null)), keys.length);
  }

  @Test
  void equalKeysAreToldAndNullEqualsNull() {
    var index = new RowIndex(1);
    assertThat(index.add(rows(new Long[] {5L, null, 5L, 7L}, 1, 2, 3, 4)))
        .containsExactly(-1, -1, 0, -1);
    assertThat(index.add(rows(new Long[] {null, 8L}, 5, 6))).containsExactly(1, -1);
    assertThat(index.size()).isEqualTo(6);
  }

  @Test
  void theFirstAndTheNewestRowOfAKeyAreFound() {
    var index = new RowIndex(1);
    index.add(rows(new Long[] {5L, 6L}, 1, 2));
    index.add(rows(new Long[] {6L, 5L}, 3, 4));
    Batch wanted = rows(new Long[] {5L, 9L}, 0, 0);
    assertThat(index.first(wanted, 0)).isZero();
    int newest = index.last(wanted, 0);
    assertThat(((LongVector) index.batch(newest).column(1)).get(index.row(newest))).isEqualTo(4);
    assertThat(index.superseded(0)).isTrue();
    assertThat(index.superseded(newest)).isFalse();
    assertThat(index.first(wanted, 1)).isEqualTo(-1);
    assertThat(index.last(wanted, 1)).isEqualTo(-1);
  }

  @Test
  void theWholeRowIsTheKeyWhereNothingElseIsSaid() {
    RowIndex index = RowIndex.of(rows(new Long[] {5L, 5L}, 1, 2));
    assertThat(index.first(rows(new Long[] {5L}, 2), 0)).isEqualTo(1);
    assertThat(index.first(rows(new Long[] {5L}, 3), 0)).isEqualTo(-1);
  }

  @Test
  void manyRowsAreFoundWhileTheIndexGrows() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new SplittableRandom(seed);
    var index = new RowIndex(1);
    Map<Long, Integer> newest = new HashMap<>();
    int n = 0;
    for (int round = 0; round < 40; round++) {
      var keys = new Long[100];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (long) random.nextInt(1500);
        newest.put(keys[i], n++);
      }
      index.add(rows(keys, new long[keys.length]));
    }
    newest.forEach(
        (key, number) ->
            assertThat(index.last(rows(new Long[] {key}, 0), 0))
                .as("seed %s, key %s", seed, key)
                .isEqualTo(number));
  }
}

package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReducerTest {
  @Test
  void onlyTheStepsThatMatterRemain() {
    List<Integer> all = IntStream.range(0, 300).boxed().toList();
    var skipped =
        new Reducer(500).reduce(all, s -> !s.contains(17) && !s.contains(18) && !s.contains(233));
    var kept = new ArrayList<>(all);
    kept.removeAll(skipped);
    assertThat(kept).containsExactly(17, 18, 233);
  }
}

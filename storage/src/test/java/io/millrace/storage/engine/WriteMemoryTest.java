package io.millrace.storage.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionWrite;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What rows are charged to the write buffer. */
class WriteMemoryTest {
  private static final int LENGTH = 1000;

  /** A dictionary of that many texts, and rows that have the first ones in turn. */
  private static RegionWrite write(int texts, int used, int rows) {
    byte[] bytes = "x".repeat(texts * LENGTH).getBytes(UTF_8);
    int[] offsets = new int[texts + 1];
    for (int i = 0; i <= texts; i++) {
      offsets[i] = i * LENGTH;
    }
    int[] codes = new int[rows];
    for (int i = 0; i < rows; i++) {
      codes[i] = i % used;
    }
    var dictionary = new DictVector.FixedDictionary(offsets, bytes, texts, false);
    var column = new DictVector(SqlType.TEXT, codes, dictionary, rows, null);
    return new RegionWrite(
        Fixture.region(0), 1, OpType.PUT, List.of(1), new Batch(List.of(column), rows));
  }

  @Test
  void textsOfADictionaryAreChargedOnceHoweverManyRowsHaveThem() {
    long few = write(10, 10, 1000).memoryBytes();
    assertThat(few).isBetween(10L * LENGTH, 100L * LENGTH);
    assertThat(write(10, 10, 4000).memoryBytes() - few).isLessThan(200_000);
  }

  @Test
  void rowsAreNotChargedForTextsOfASharedDictionaryThatTheyDoNotHave() {
    assertThat(write(1000, 1, 2).memoryBytes()).isBetween(2L * LENGTH, 4L * LENGTH);
    assertThat(write(1000, 1000, 1000).memoryBytes()).isGreaterThan(1000L * LENGTH);
  }
}

package io.millrace.flow.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CheckpointTest {
  private static final RegionId A = RegionId.of(new TableId(7), 0);
  private static final RegionId B = RegionId.of(new TableId(1024), 3);

  @Test
  void versionsAreReadAsTheyWereWritten() {
    Map<RegionId, Long> v = Map.of(A, 0L, B, Long.MAX_VALUE);
    assertThat(Checkpoint.decode(Checkpoint.encode(v))).isEqualTo(v);
    assertThat(Checkpoint.decode(Checkpoint.encode(Map.of()))).isEmpty();
  }

  @Test
  void theOrderOfRegionsDoesNotMatterForTheText() {
    assertThat(Checkpoint.encode(Map.of(A, 1L, B, 2L)))
        .isEqualTo(Checkpoint.encode(Map.of(B, 2L, A, 1L)));
  }

  @Test
  void rangesAreReadAsTheyWereWrittenUnboundedOnesToo() {
    var d = List.of(new TimeRange(Long.MIN_VALUE, -5), new TimeRange(-3, 8), TimeRange.ALL);
    assertThat(Checkpoint.decodeRanges(Checkpoint.encodeRanges(d))).isEqualTo(d);
    assertThat(Checkpoint.decodeRanges(Checkpoint.encodeRanges(List.of()))).isEmpty();
  }

  @Test
  void whatCannotBeReadIsDamage() {
    for (String text : List.of("7", "7:", "x:1", "7:1,")) {
      assertThatThrownBy(() -> Checkpoint.decode(text))
          .isInstanceOfSatisfying(
              MillraceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA_CORRUPTED));
    }
    for (String text : List.of("1", "1..", "..2", "1..2,")) {
      assertThatThrownBy(() -> Checkpoint.decodeRanges(text))
          .isInstanceOfSatisfying(
              MillraceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA_CORRUPTED));
    }
  }

  @Test
  void nanosecondsBeyondTheirRangeAreTheLastOnes() {
    assertThat(TimeRange.nanos(5)).isEqualTo(5000);
    assertThat(TimeRange.nanos(-5)).isEqualTo(-5000);
    assertThat(TimeRange.nanos(Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE);
    assertThat(TimeRange.nanos(Long.MIN_VALUE + 1)).isEqualTo(Long.MIN_VALUE);
  }
}

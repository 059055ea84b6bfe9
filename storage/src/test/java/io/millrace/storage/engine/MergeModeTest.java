package io.millrace.storage.engine;

import static io.millrace.storage.engine.Door.put;
import static io.millrace.storage.engine.Door.row;
import static io.millrace.storage.engine.Door.scan;
import static io.millrace.storage.engine.Door.write;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.id.RegionId;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions.MergeMode;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How versions of a key become one row: in memory, over files, and folded. */
class MergeModeTest {
  private static final RegionId A = region(1);

  /** The key's row after the writes, which must not depend on where they lie. */
  private static String merged(MergeMode mode, RegionWrite... writes) {
    String first = null;
    for (int form = 0; form < 4; form++) {
      var sim = new SimEngine(form);
      sim.request(new RegionRequest.Create(A, Fixture.SCHEMA, Door.options(false, mode)));
      sim.engine().openGate();
      for (RegionWrite w : writes) {
        sim.commit(w);
        if (form == 1 || form == 3) {
          sim.flush(A);
        }
      }
      if (form >= 2) {
        sim.flush(A);
        sim.request(new RegionRequest.Compact(A, false));
      }
      List<String> rows = scan(A).rows(sim.engine());
      String now = rows.toString();
      assertThat(first == null || first.equals(now)).as("form %s: %s", form, now).isTrue();
      first = now;
    }
    return String.valueOf(first);
  }

  @Test
  void theLastRowWinsWhole() {
    assertThat(merged(MergeMode.LAST_ROW, put(A, row(1, 0, 1L)), put(A, row(1, 0, null))))
        .isEqualTo("[1,0,-]");
  }

  @Test
  void theLastNonNullValueWinsPerField() {
    assertThat(merged(MergeMode.LAST_NON_NULL, put(A, row(1, 0, 1L)), put(A, row(1, 0, null))))
        .isEqualTo("[1,0,1]");
    assertThat(merged(MergeMode.LAST_NON_NULL, put(A, row(1, 0, 1L)), put(A, row(1, 0, 2L))))
        .isEqualTo("[1,0,2]");
  }

  @Test
  void aReplacementCutsHistory() {
    assertThat(
            merged(
                MergeMode.LAST_NON_NULL,
                put(A, row(1, 0, 1L)),
                write(A, OpType.REPLACE, row(1, 0, null)),
                put(A, row(1, 0, null))))
        .isEqualTo("[1,0,-]");
  }

  @Test
  void aClearedFieldIsNullUntilItIsGivenAgain() {
    assertThat(
            merged(
                MergeMode.LAST_NON_NULL,
                put(A, row(1, 0, 1L)),
                write(A, OpType.CLEAR, row(1, 0, 0L))))
        .isEqualTo("[1,0,-]");
    assertThat(
            merged(
                MergeMode.LAST_NON_NULL,
                put(A, row(1, 0, 1L)),
                write(A, OpType.CLEAR, row(1, 0, 0L)),
                put(A, row(1, 0, 5L))))
        .isEqualTo("[1,0,5]");
  }

  @Test
  void aDeletedRowDoesNotLendItsValuesToALaterOne() {
    for (MergeMode mode : MergeMode.values()) {
      assertThat(
              merged(
                  mode,
                  put(A, row(1, 0, 1L)),
                  write(A, OpType.DELETE, row(1, 0, null)),
                  put(A, row(1, 0, null))))
          .isEqualTo("[1,0,-]");
      assertThat(merged(mode, put(A, row(1, 0, 1L)), write(A, OpType.DELETE, row(1, 0, null))))
          .isEqualTo("[]");
    }
  }
}

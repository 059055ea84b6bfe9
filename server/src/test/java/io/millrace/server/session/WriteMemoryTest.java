package io.millrace.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import org.junit.jupiter.api.Test;

class WriteMemoryTest {
  @Test
  void refusesWhatAllSessionsTogetherMayNotHold() {
    var memory = new WriteMemory(1000);
    memory.reserve(300);
    assertThatThrownBy(() -> memory.reserve(300))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.sqlState()).isEqualTo("53200"));
    memory.release(300);
    assertThatCode(() -> memory.reserve(500)).doesNotThrowAnyException();
  }

  @Test
  void aRefusedRequestHoldsNothing() {
    var memory = new WriteMemory(1000);
    assertThatThrownBy(() -> memory.reserve(501)).isInstanceOf(MillraceException.class);
    assertThat(memory.used()).isZero();
  }
}

package io.millrace.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CancelHookTest {
  private final CancelHook hook = new CancelHook();
  private final List<String> heard = new ArrayList<>();
  private final MillraceException reason =
      new MillraceException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");

  @Test
  void theNextStepOfACancelledStatementHearsOfIt() {
    hook.set(r -> heard.add("first " + r.sqlState()));
    hook.cancel(reason);
    hook.set(r -> heard.add("second " + r.sqlState()));
    assertThat(heard).containsExactly("first 57014", "second 57014");
  }

  @Test
  void aRequestWhileNothingRunsHarmsNoLaterStatement() {
    hook.cancel(reason);
    hook.set(r -> heard.add("first"));
    hook.set(null);
    hook.cancel(reason);
    hook.set(r -> heard.add("second"));
    assertThat(heard).isEmpty();
  }

  @Test
  void aRequestEndsWithItsStatement() {
    hook.set(r -> heard.add("first"));
    hook.cancel(reason);
    hook.set(null);
    hook.set(r -> heard.add("second"));
    assertThat(heard).containsExactly("first");
  }
}

package io.millrace.wire;

import io.millrace.common.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A message beside the results. Whether client_min_messages lets it pass is the session's job. */
public record Notice(
    Severity severity,
    ErrorCode code,
    String message,
    @Nullable String detail,
    @Nullable String hint,
    int position) {

  /** In rising order, as client_min_messages counts them. */
  public enum Severity {
    DEBUG,
    LOG,
    NOTICE,
    WARNING,
    INFO
  }

  public static Notice notice(String message) {
    return new Notice(Severity.NOTICE, ErrorCode.SUCCESSFUL_COMPLETION, message, null, null, 0);
  }

  public static Notice warning(ErrorCode code, String message) {
    return new Notice(Severity.WARNING, code, message, null, null, 0);
  }
}

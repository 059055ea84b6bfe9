package io.millrace.storage.objectstore;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.IOException;
import java.util.Locale;

/** Turns I/O failures into the errors that clients see. */
public final class IoErrors {
  private IoErrors() {}

  /** Whether the failure says that the disk is full. */
  public static boolean isDiskFull(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof MillraceException m && m.code() == ErrorCode.DISK_FULL) {
        return true;
      }
      String m = t.getMessage();
      if (m != null) {
        String lower = m.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left") || lower.contains("quota exceeded")) {
          return true;
        }
      }
    }
    return false;
  }

  /** DISK_FULL or IO_ERROR, naming what was done. */
  public static MillraceException wrap(IOException e, String what) {
    return isDiskFull(e)
        ? new MillraceException(
            ErrorCode.DISK_FULL, "could not " + what + ": No space left on device", e)
        : new MillraceException(ErrorCode.IO_ERROR, "could not " + what + ": " + e.getMessage(), e);
  }
}

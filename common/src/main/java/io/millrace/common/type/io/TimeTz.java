package io.millrace.common.type.io;

/** The packed form of time with time zone. */
public final class TimeTz {
  private TimeTz() {}

  /**
   * @param west seconds west of UTC
   */
  public static long pack(long micros, int west) {
    return micros | (west + 131_072L) << 40;
  }

  public static long micros(long packed) {
    return packed & (1L << 40) - 1;
  }

  public static int west(long packed) {
    return (int) ((packed >> 40) - 131_072);
  }

  /** Compares by the instant, then by the zone. */
  public static int compare(long a, long b) {
    int c = Long.compare(micros(a) + west(a) * Dates.SECOND, micros(b) + west(b) * Dates.SECOND);
    return c != 0 ? c : Integer.compare(west(a), west(b));
  }
}

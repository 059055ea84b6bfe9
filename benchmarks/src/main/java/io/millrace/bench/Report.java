package io.millrace.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The table that a run prints, line by line as the figures come, so that a broken run still shows
 * what it had.
 */
final class Report {
  private static final String FORM = "%-34s %9s %10s %10s %10s %12s%n";

  private final PrintStream out;
  private final List<String> failures = new ArrayList<>();

  Report(PrintStream out) {
    this.out = out;
  }

  void heading() {
    out.printf(FORM, "what", "count", "min ms", "median ms", "p95 ms", "rows/s");
    out.println("-".repeat(90));
  }

  /** A rate over the whole of something: a load. */
  void rate(String what, long rows, double seconds) {
    line(what, rows, new double[0], rows / seconds);
  }

  /**
   * Latencies, and what rows a second they make.
   *
   * @param rows how many rows all of them gave
   */
  void latencies(String what, double[] milliseconds, long rows) {
    double total = Arrays.stream(milliseconds).sum();
    line(what, milliseconds.length, milliseconds, total == 0 ? 0 : rows * 1000 / total);
  }

  /** As {@link #latencies(String, double[], long)} where several ran at once for some seconds. */
  void latencies(String what, double[] milliseconds, long rows, double seconds) {
    line(what, milliseconds.length, milliseconds, rows / seconds);
  }

  private void line(String what, long count, double[] milliseconds, double rate) {
    double[] sorted = milliseconds.clone();
    Arrays.sort(sorted);
    out.printf(
        FORM,
        what,
        String.format(Locale.ROOT, "%,d", count),
        quantile(sorted, 0),
        quantile(sorted, 0.5),
        quantile(sorted, 0.95),
        rate == 0 ? "" : String.format(Locale.ROOT, "%,.0f", rate));
  }

  /** The smallest value that at least that share of all is not above. */
  static String quantile(double[] sorted, double share) {
    if (sorted.length == 0) {
      return "";
    }
    int rank = (int) Math.ceil(share * sorted.length) - 1;
    double value = sorted[Math.clamp(rank, 0, sorted.length - 1)];
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
  }

  void note(String text) {
    out.println(text);
  }

  /** A measurement that did not work or gave a wrong answer; the others go on. */
  void failed(String what, String why) {
    failures.add(what);
    out.printf("%-34s FAILED: %s%n", what, why);
  }

  boolean clean() {
    return failures.isEmpty();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }
}

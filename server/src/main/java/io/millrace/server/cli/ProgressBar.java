package io.millrace.server.cli;

import java.io.PrintStream;

/** One line that fills up; where the output is no terminal only the full line is printed. */
final class ProgressBar {
  private static final int WIDTH = 40;

  private final PrintStream out;
  private final long total;
  private final boolean terminal;
  private int drawn = -1;

  ProgressBar(PrintStream out, long total) {
    this.out = out;
    this.total = Math.max(1, total);
    var console = System.console();
    this.terminal = console != null && console.isTerminal();
  }

  void at(long done) {
    int percent = (int) Math.min(100, done * 100 / total);
    if (percent == drawn || (!terminal && percent < 100)) {
      return;
    }
    drawn = percent;
    int full = percent * WIDTH / 100;
    out.print(
        (terminal ? "\r" : "")
            + "["
            + "#".repeat(full)
            + "-".repeat(WIDTH - full)
            + "] "
            + percent
            + " % of "
            + (total + 1023) / 1024
            + " KiB");
    out.flush();
  }

  void end() {
    at(total);
    out.println();
  }
}

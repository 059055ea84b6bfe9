package io.millrace.storage;

import java.util.List;

/** What the engine counts of itself, for the metrics endpoint. */
public record EngineFigures(List<Figure> figures) {
  public EngineFigures {
    figures = List.copyOf(figures);
  }

  /**
   * One figure.
   *
   * @param name without a prefix; counters end in {@code _total}
   * @param help one line
   * @param label a label and its value, {@code reason="size"}; empty none
   */
  public record Figure(String name, String help, boolean counter, String label, double value) {}
}

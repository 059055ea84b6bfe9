package io.millrace.sql.plan.analyse;

import org.jspecify.annotations.Nullable;

/**
 * Where an expression stands, with what may be in it.
 *
 * @param name as errors name it
 * @param free literals may become free slots
 */
record Clause(String name, boolean free, boolean aggregates, boolean windows, boolean sets) {
  static final Clause SELECT = new Clause("SELECT", false, true, true, true);
  static final Clause ORDER_BY = new Clause("ORDER BY", false, true, true, true);
  static final Clause GROUP_BY = new Clause("GROUP BY", false, false, false, true);
  static final Clause HAVING = new Clause("HAVING", false, true, false, false);
  static final Clause WHERE = new Clause("WHERE", true, false, false, false);
  static final Clause JOIN = new Clause("JOIN conditions", true, false, false, false);
  static final Clause VALUES = new Clause("VALUES", true, false, false, true);
  static final Clause LIMIT = new Clause("LIMIT", true, false, false, false);
  static final Clause OFFSET = new Clause("OFFSET", true, false, false, false);
  static final Clause FROM = new Clause("functions in FROM", false, false, false, true);
  static final Clause UPDATE = new Clause("UPDATE", true, false, false, false);
  static final Clause MERGE = new Clause("MERGE WHEN conditions", true, false, false, false);
  static final Clause RETURNING = new Clause("RETURNING", false, false, false, false);
  static final Clause DEFAULT = new Clause("DEFAULT expressions", false, false, false, false);
  static final Clause GENERATED =
      new Clause("column generation expressions", false, false, false, false);
  static final Clause CHECK = new Clause("check constraints", false, false, false, false);
  static final Clause FILTER = new Clause("FILTER", false, false, false, false);
  static final Clause WINDOW = new Clause("window definitions", false, true, false, false);
  static final Clause CONFLICT = new Clause("ON CONFLICT", false, false, false, false);
  static final Clause CALL = new Clause("CALL arguments", false, false, false, false);

  /** How errors name a clause that may hold no query; null if it may. */
  @Nullable String noQueries() {
    return switch (name) {
      case "DEFAULT expressions" -> "DEFAULT expression";
      case "column generation expressions" -> "column generation expression";
      case "check constraints" -> "check constraint";
      default -> null;
    };
  }

  Clause pinned() {
    return free ? new Clause(name, false, aggregates, windows, sets) : this;
  }

  Clause freely() {
    return free ? this : new Clause(name, true, aggregates, windows, sets);
  }
}

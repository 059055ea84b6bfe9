package io.millrace.common.text;

import java.util.ArrayList;
import java.util.List;

/**
 * What is looked for in a text. It is decided on the text itself; {@link #clause} only says which
 * words must be there for it to have a chance, so that an index of words can rule texts out.
 * Immutable, any thread.
 */
public sealed interface TextMatch permits TextTerm, TextQuery {
  boolean matches(String text);

  /** What a text that matches has at least. */
  Clause clause();

  /** Conditions on words, such that every text that matches meets them. */
  sealed interface Clause {
    /** Nothing is known. */
    record Anything() implements Clause {}

    /**
     * The text has the word.
     *
     * @param folded without regard to case
     */
    record Word(String word, boolean folded) implements Clause {}

    record All(List<Clause> parts) implements Clause {
      public All {
        parts = List.copyOf(parts);
      }
    }

    record Any(List<Clause> parts) implements Clause {
      public Any {
        parts = List.copyOf(parts);
      }
    }
  }

  /** All the words, in whatever order. */
  static Clause all(List<String> words, boolean folded) {
    var out = new ArrayList<Clause>();
    words.stream().distinct().forEach(w -> out.add(new Clause.Word(w, folded)));
    return out.isEmpty()
        ? new Clause.Anything()
        : out.size() == 1 ? out.getFirst() : new Clause.All(out);
  }
}

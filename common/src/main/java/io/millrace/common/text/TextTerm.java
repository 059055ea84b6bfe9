package io.millrace.common.text;

import java.util.ArrayList;
import java.util.List;

/**
 * A term that stands in the text exactly so, but not as a part of a longer word: a letter or digit
 * at an edge of it has no letter or digit beside it. Ideographs are words of their own. The empty
 * term is in the empty text only.
 */
public record TextTerm(String term) implements TextMatch {
  @Override
  public boolean matches(String text) {
    if (term.isEmpty()) {
      return text.isEmpty();
    }
    int at = text.indexOf(term);
    while (at >= 0) {
      if (isApart(text, at) && isApart(text, at + term.length())) {
        return true;
      }
      at = text.indexOf(term, at + 1);
    }
    return false;
  }

  /** Whether no word goes on over the place. */
  private static boolean isApart(String text, int at) {
    return at == 0
        || at == text.length()
        || !Words.joins(text.codePointBefore(at))
        || !Words.joins(text.codePointAt(at));
  }

  @Override
  public Clause clause() {
    List<String> words = new ArrayList<>();
    var w = new Words(term);
    while (w.next()) {
      words.add(w.word());
    }
    return TextMatch.all(words, false);
  }
}

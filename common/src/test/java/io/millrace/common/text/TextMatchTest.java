package io.millrace.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.text.TextMatch.Clause;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextMatchTest {
  private static List<String> words(String text) {
    var out = new ArrayList<String>();
    var w = new Words(text);
    while (w.next()) {
      out.add(w.folded());
    }
    return out;
  }

  @Test
  void wordsAreRunsOfLettersAndDigitsAndSingleIdeographs() {
    assertThat(words("Error_42: disk-full (ÄRGER)"))
        .containsExactly("error", "42", "disk", "full", "ärger");
    assertThat(words("你好world世界")).containsExactly("你", "好", "world", "世", "界");
    assertThat(words(" ...")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "barack obama|he met OBAMA|true",
        "barack obama|he met nobody|false",
        "apple -fruit|apple pie|true",
        "apple -fruit|apple fruit|false",
        "+apple +fruit|apple|false",
        "+apple +fruit|fruit, apple|true",
        "+apple pie|apple|true",
        "+apple pie|pie|false",
        "a AND b OR c|c|true",
        "a AND b OR c|a|false",
        "a AND b OR c|b a|true",
        "c OR a AND b|a|false",
        "(a OR b) AND c|a c|true",
        "(a OR b) AND c|a b|false",
        "\"barack obama\"|Barack Obama|true",
        "\"barack obama\"|obama barack|false",
        "\"barack obama\"|barack h obama|false",
        "disk-full|the disk full|true",
        "disk-full|full disk|false",
        "-apple|pear|true",
        "-apple|apple|false",
        "errors|error|false",
        "and|and|true",
        "a AND|a|true",
        "(a|a|true",
        "a)|a|true",
        "\"a|a|true",
        "AND|and|true",
        "a AND -b|a b|false",
        "a AND -b|a|true",
        "++|a|false",
        "()|a|false",
        "世界|你好世界|true",
        "世界|界世|false",
        "\\+a|a|true",
      })
  void aQueryFindsWhatItSays(String query, String text, boolean found) {
    assertThat(TextQuery.parse(query).matches(text)).isEqualTo(found);
  }

  @ParameterizedTest
  @CsvSource({
    "error,An error occurred!,true",
    "error,Critical error: system failure,true",
    "error,error-prone,true",
    "error,errors,false",
    "error,error123,false",
    "error,errorLogs,false",
    "error,Error,false",
    "error,errors and an error,true",
    "system failure,Critical: system failure,true",
    "system failure,system  failure,false",
    "v1.0!,release v1.0!x,true",
    "/start,GET /start/x,true",
    "世界,你好世界,true",
    "'',x,false",
    "'','',true",
  })
  void aTermStandsAsItIsAndIsNoPartOfAWord(String term, String text, boolean found) {
    assertThat(new TextTerm(term).matches(text)).isEqualTo(found);
  }

  private static boolean holds(Clause c, Set<String> folded, Set<String> exact) {
    return switch (c) {
      case Clause.Anything _ -> true;
      case Clause.Word w -> (w.folded() ? folded : exact).contains(w.word());
      case Clause.All a -> a.parts().stream().allMatch(x -> holds(x, folded, exact));
      case Clause.Any a -> a.parts().stream().anyMatch(x -> holds(x, folded, exact));
    };
  }

  /** Queries of random pieces over texts of few words: no text that matches may be ruled out. */
  @Test
  void theClauseRulesOutNoTextThatMatches() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new Random(seed);
    String[] pieces = {"a", "B", "c", "+", "-", "AND", "OR", "(", ")", "\"", " ", " ", "a-b", "世"};
    int found = 0;
    for (int i = 0; i < 20_000; i++) {
      var q = new StringBuilder();
      for (int k = random.nextInt(8); k >= 0; k--) {
        q.append(pieces[random.nextInt(pieces.length)]).append(random.nextBoolean() ? " " : "");
      }
      var text = new StringBuilder();
      for (int k = random.nextInt(5); k >= 0; k--) {
        text.append(List.of("a", "b", "C", "世", "x").get(random.nextInt(5))).append(' ');
      }
      String t = text.toString();
      var folded = new HashSet<>(words(t));
      var exact = new HashSet<String>();
      var w = new Words(t);
      while (w.next()) {
        exact.add(w.word());
      }
      for (TextMatch m :
          List.of(TextQuery.parse(q.toString()), new TextTerm(q.toString().strip()))) {
        if (m.matches(t)) {
          found++;
          assertThat(holds(m.clause(), folded, exact))
              .as(q + " in " + t + " seed " + seed)
              .isTrue();
        }
      }
    }
    assertThat(found).isGreaterThan(1000);
  }
}

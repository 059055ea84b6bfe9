package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.text.TextMatch;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** matches and matches_term: what is looked for is read anew only when it changes. One thread. */
final class TextSearch {
  private final Function<String, TextMatch> parser;
  private @Nullable String last;
  private @Nullable TextMatch match;

  TextSearch(Function<String, TextMatch> parser) {
    this.parser = parser;
  }

  Vector apply(List<Vector> a, int n, EvalContext context) {
    BytesColumn texts = Args.bytes(a, 0);
    BytesColumn wanted = Args.bytes(a, 1);
    return Build.bools(a, n, i -> match(wanted.string(i)).matches(texts.string(i)));
  }

  private TextMatch match(String wanted) {
    TextMatch m = match;
    if (m == null || !wanted.equals(last)) {
      m = parser.apply(wanted);
      match = m;
      last = wanted;
    }
    return m;
  }
}

package io.millrace.common.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A query over words, without regard to case:
 *
 * <ul>
 *   <li>{@code a b} or {@code a OR b}: one of them; {@code a AND b}: both, and AND binds closer
 *   <li>{@code +a}: it must be there (and then those without a sign need not be); {@code -a}: it
 *       must not
 *   <li>{@code "a b"}: the words side by side; a backslash takes a sign its meaning
 *   <li>{@code ( … )}: a query as a part
 * </ul>
 *
 * A part that has several words though nothing separates them, as {@code a-b} or two ideographs, is
 * taken as if in quotes. Nothing is an error: what is not closed ends with the query. A query of
 * exclusions only finds every text without them, one without any word finds nothing.
 */
public final class TextQuery implements TextMatch {
  /** Up to so many different words are compared one by one. */
  private static final int FEW = 8;

  private final Node root;
  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final List<String> words;

  private TextQuery(Node root) {
    this.root = root;
    number(root);
    words = List.copyOf(numbers.keySet());
  }

  public static TextQuery parse(String query) {
    return new TextQuery(new Parser(query).query());
  }

  private sealed interface Node {
    record Phrase(List<String> words) implements Node {}

    record Bool(List<Node> must, List<Node> should, List<Node> not) implements Node {
      boolean isEmpty() {
        return must.isEmpty() && should.isEmpty() && not.isEmpty();
      }
    }
  }

  private void number(Node n) {
    switch (n) {
      case Node.Phrase p -> p.words.forEach(w -> numbers.putIfAbsent(w, numbers.size()));
      case Node.Bool b -> {
        b.must.forEach(this::number);
        b.should.forEach(this::number);
        b.not.forEach(this::number);
      }
    }
  }

  /** The text as the numbers of the query's words, −1 for others. */
  @Override
  public boolean matches(String text) {
    int[] ids = new int[16];
    int n = 0;
    var w = new Words(text);
    while (w.next()) {
      if (n == ids.length) {
        ids = Arrays.copyOf(ids, n * 2);
      }
      ids[n++] = number(w);
    }
    return holds(root, ids, n);
  }

  private int number(Words w) {
    if (words.size() > FEW) {
      return numbers.getOrDefault(w.folded(), -1);
    }
    for (int i = 0; i < words.size(); i++) {
      if (w.is(words.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private boolean holds(Node node, int[] ids, int n) {
    return switch (node) {
      case Node.Phrase p -> contains(p.words, ids, n);
      case Node.Bool b -> {
        boolean all = b.must.stream().allMatch(x -> holds(x, ids, n));
        boolean some =
            !b.must.isEmpty()
                || b.should.stream().anyMatch(x -> holds(x, ids, n))
                || b.should.isEmpty() && !b.not.isEmpty();
        yield all && some && b.not.stream().noneMatch(x -> holds(x, ids, n));
      }
    };
  }

  private boolean contains(List<String> words, int[] ids, int n) {
    int size = words.size();
    for (int at = 0; at + size <= n; at++) {
      int k = 0;
      while (k < size && ids[at + k] == number(words.get(k))) {
        k++;
      }
      if (k == size) {
        return true;
      }
    }
    return false;
  }

  private int number(String word) {
    return numbers.getOrDefault(word, -2);
  }

  @Override
  public Clause clause() {
    return clause(root);
  }

  private static Clause clause(Node node) {
    return switch (node) {
      case Node.Phrase p -> TextMatch.all(p.words, true);
      case Node.Bool b -> {
        List<Node> parts = b.must.isEmpty() ? b.should : b.must;
        List<Clause> clauses = parts.stream().map(TextQuery::clause).toList();
        yield clauses.isEmpty()
            ? b.isEmpty() ? new Clause.Any(List.of()) : new Clause.Anything()
            : clauses.size() == 1
                ? clauses.getFirst()
                : b.must.isEmpty() ? new Clause.Any(clauses) : new Clause.All(clauses);
      }
    };
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof TextQuery q && q.root.equals(root);
  }

  @Override
  public int hashCode() {
    return root.hashCode();
  }

  @Override
  public String toString() {
    return root.toString();
  }

  /** Reads a query; AND makes a part of its own of the units that it joins. */
  private static final class Parser {
    private final String s;
    private int at;

    Parser(String s) {
      this.s = s;
    }

    private static final class Draft {
      final List<Node> must = new ArrayList<>();
      final List<Node> should = new ArrayList<>();
      final List<Node> not = new ArrayList<>();

      void add(char sign, Node n) {
        (sign == '+' ? must : sign == '-' ? not : should).add(n);
      }

      Node.Bool done() {
        return new Node.Bool(List.copyOf(must), List.copyOf(should), List.copyOf(not));
      }
    }

    /** A unit with its sign. */
    private record Signed(char sign, Node node) {}

    Node query() {
      var out = new Draft();
      while (!atEnd()) {
        if (s.charAt(at) == ')') {
          at++;
          break;
        }
        conjunction(out);
      }
      return out.done();
    }

    private void conjunction(Draft out) {
      Signed first = unit();
      var all = new ArrayList<Signed>();
      all.add(first);
      while (word("AND")) {
        if (atEnd() || s.charAt(at) == ')') {
          break;
        }
        all.add(unit());
      }
      word("OR");
      if (all.size() == 1) {
        if (!isVoid(first.node)) {
          out.add(first.sign, first.node);
        }
        return;
      }
      var joined = new Draft();
      for (Signed x : all) {
        if (!isVoid(x.node)) {
          joined.add(x.sign == '-' ? '-' : '+', x.node);
        }
      }
      Node.Bool b = joined.done();
      if (!b.isEmpty()) {
        out.add(' ', b);
      }
    }

    private static boolean isVoid(Node n) {
      return switch (n) {
        case Node.Phrase p -> p.words.isEmpty();
        case Node.Bool b -> b.isEmpty();
      };
    }

    private boolean atEnd() {
      while (at < s.length() && Character.isWhitespace(s.charAt(at))) {
        at++;
      }
      return at == s.length();
    }

    /** Takes the word if it comes next, between blanks or brackets. */
    private boolean word(String w) {
      if (atEnd() || !s.startsWith(w, at)) {
        return false;
      }
      int end = at + w.length();
      boolean whole =
          end == s.length() || Character.isWhitespace(s.charAt(end)) || s.charAt(end) == '(';
      if (whole) {
        at = end;
      }
      return whole;
    }

    private Signed unit() {
      char c = s.charAt(at);
      char sign = ' ';
      boolean signed = (c == '+' || c == '-') && at + 1 < s.length();
      if (signed && !Character.isWhitespace(s.charAt(at + 1))) {
        sign = c;
        at++;
        c = s.charAt(at);
      }
      if (c == '(') {
        at++;
        return new Signed(sign, query());
      }
      if (c == '"') {
        at++;
        return new Signed(sign, phrase(text(true)));
      }
      return new Signed(sign, phrase(text(false)));
    }

    /** Up to the closing quote, or to what ends a bare word. */
    private String text(boolean quoted) {
      var out = new StringBuilder();
      while (at < s.length()) {
        char c = s.charAt(at);
        if (c == '\\' && at + 1 < s.length()) {
          out.append(s.charAt(at + 1));
          at += 2;
          continue;
        }
        boolean ends =
            quoted ? c == '"' : Character.isWhitespace(c) || c == '(' || c == ')' || c == '"';
        if (ends && (quoted || !out.isEmpty() || c != ')')) {
          at += quoted ? 1 : 0;
          break;
        }
        if (ends) {
          break;
        }
        out.append(c);
        at++;
      }
      return out.toString();
    }

    private static Node phrase(String text) {
      var words = new ArrayList<String>();
      var w = new Words(text);
      while (w.next()) {
        words.add(w.folded());
      }
      return new Node.Phrase(List.copyOf(words));
    }
  }
}

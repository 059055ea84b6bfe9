package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.Json;
import io.millrace.common.type.io.Json.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path into JSON: an optional {@code $}, then members ({@code .name}, {@code ."name"}, {@code
 * ["name"]}; the first may do without its dot), items ({@code [0]}) and all of a kind ({@code .*},
 * {@code [*]}). A comparison with a JSON scalar may follow ({@code == != < <= > >=}): it holds if
 * it holds for any value that the path finds. Members of values that have none find nothing.
 */
final class JsonPath {
  private sealed interface Step {}

  private record Key(String name) implements Step {}

  private record Item(int index) implements Step {}

  private record AllKeys() implements Step {}

  private record AllItems() implements Step {}

  private record Condition(String operator, Value literal) {}

  private final List<Step> steps;
  private final @Nullable Condition condition;

  private JsonPath(List<Step> steps, @Nullable Condition condition) {
    this.steps = steps;
    this.condition = condition;
  }

  /** Values at the path, in order. */
  List<Value> find(Value root) {
    List<Value> at = List.of(root);
    for (Step step : steps) {
      var next = new ArrayList<Value>();
      for (Value v : at) {
        follow(v, step, next);
      }
      at = next;
    }
    return at;
  }

  private static void follow(Value v, Step step, List<Value> out) {
    switch (step) {
      case Key(String name) -> {
        if (v instanceof Json.Obj o) {
          Value found = null;
          for (Json.Member m : o.members()) {
            found = m.key().equals(name) ? m.value() : found;
          }
          if (found != null) {
            out.add(found);
          }
        }
      }
      case Item(int index) -> {
        if (v instanceof Json.Arr r && index < r.items().size()) {
          out.add(r.items().get(index));
        }
      }
      case AllKeys() -> {
        if (v instanceof Json.Obj o) {
          o.members().forEach(m -> out.add(m.value()));
        }
      }
      case AllItems() -> {
        if (v instanceof Json.Arr r) {
          out.addAll(r.items());
        }
      }
    }
  }

  /** Whether the comparison holds; without one, whether the path finds true. */
  boolean matches(Value root) {
    Condition c = condition;
    for (Value v : find(root)) {
      if (c == null ? v instanceof Json.Bool b && b.value() : holds(v, c)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(Value v, Condition c) {
    Integer order = compare(v, c.literal());
    return switch (c.operator()) {
      case "==" -> order != null && order == 0;
      case "!=" -> order == null || order != 0;
      case "<" -> order != null && order < 0;
      case "<=" -> order != null && order <= 0;
      case ">" -> order != null && order > 0;
      default -> order != null && order >= 0;
    };
  }

  /** Null if the two are of different kinds. */
  private static @Nullable Integer compare(Value a, Value b) {
    if (a instanceof Json.Num x && b instanceof Json.Num y) {
      return x.value().compareTo(y.value());
    }
    if (a instanceof Json.Str x && b instanceof Json.Str y) {
      return x.value().compareTo(y.value());
    }
    if (a instanceof Json.Bool x && b instanceof Json.Bool y) {
      return Boolean.compare(x.value(), y.value());
    }
    return a instanceof Json.Null && b instanceof Json.Null ? 0 : null;
  }

  static JsonPath parse(String text) {
    return new Reader(text).path();
  }

  /** Reads one path; the position is where the next character stands. */
  private static final class Reader {
    private final String text;
    private final List<Step> steps = new ArrayList<>();
    private int at;

    Reader(String text) {
      this.text = text;
    }

    JsonPath path() {
      blanks();
      boolean rooted = at < text.length() && text.charAt(at) == '$';
      at += rooted ? 1 : 0;
      if (!rooted && at < text.length() && text.charAt(at) != '[' && text.charAt(at) != '.') {
        steps.add(new Key(name()));
      }
      while (at < text.length() && (text.charAt(at) == '.' || text.charAt(at) == '[')) {
        if (text.charAt(at++) == '.') {
          member();
        } else {
          bracket();
        }
      }
      blanks();
      Condition condition = at < text.length() ? condition() : null;
      if (steps.isEmpty() && !rooted) {
        throw invalid();
      }
      return new JsonPath(List.copyOf(steps), condition);
    }

    private void blanks() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }

    private void member() {
      if (at < text.length() && text.charAt(at) == '*') {
        at++;
        steps.add(new AllKeys());
      } else if (at < text.length() && text.charAt(at) == '"') {
        steps.add(new Key(quoted()));
      } else {
        steps.add(new Key(name()));
      }
    }

    private String name() {
      int from = at;
      while (at < text.length()
          && !Character.isWhitespace(text.charAt(at))
          && ".[]=!<>\"".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      if (at == from) {
        throw invalid();
      }
      return text.substring(from, at);
    }

    private String quoted() {
      int end = at + 1;
      while (end < text.length() && text.charAt(end) != '"') {
        end += text.charAt(end) == '\\' ? 2 : 1;
      }
      if (end >= text.length()) {
        throw invalid();
      }
      Value v = scalar(text.substring(at, end + 1));
      at = end + 1;
      return v instanceof Json.Str s ? s.value() : "";
    }

    private void bracket() {
      blanks();
      if (at >= text.length()) {
        throw invalid();
      }
      char c = text.charAt(at);
      if (c == '"') {
        steps.add(new Key(quoted()));
      } else if (c == '*') {
        at++;
        steps.add(new AllItems());
      } else {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
          at++;
        }
        if (at == from || at - from > 9) {
          throw invalid();
        }
        steps.add(new Item(Integer.parseInt(text.substring(from, at))));
      }
      blanks();
      if (at >= text.length() || text.charAt(at++) != ']') {
        throw invalid();
      }
    }

    private Condition condition() {
      for (String operator : List.of("==", "!=", "<=", ">=", "<>", "<", ">")) {
        if (text.startsWith(operator, at)) {
          String literal = text.substring(at + operator.length()).strip();
          return new Condition(operator.equals("<>") ? "!=" : operator, scalar(literal));
        }
      }
      throw invalid();
    }

    private Value scalar(String literal) {
      byte[] bytes = literal.getBytes(StandardCharsets.UTF_8);
      try {
        Value v = Json.parseBinary(bytes, 0, bytes.length);
        if (!(v instanceof Json.Obj) && !(v instanceof Json.Arr)) {
          return v;
        }
      } catch (MillraceException _) {
        throw invalid();
      }
      throw invalid();
    }

    private MillraceException invalid() {
      return new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "invalid JSON path: \"" + text + "\"");
    }
  }
}

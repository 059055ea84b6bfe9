package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as PostgreSQL reads and writes it: a strict parser, values as a small tree that remembers
 * where in the text each one stood (type json gives back what was written), and jsonb's canonical
 * text (keys by length then bytes, last duplicate wins, numbers as numerics, one blank after colons
 * and commas). Nesting is limited, so that a hostile text cannot overflow the stack.
 */
public final class Json {
  private static final int MAX_DEPTH = 2000;
  private static final Comparator<String> KEY_ORDER =
      (a, b) -> {
        byte[] x = a.getBytes(StandardCharsets.UTF_8);
        byte[] y = b.getBytes(StandardCharsets.UTF_8);
        return x.length != y.length
            ? Integer.compare(x.length, y.length)
            : java.util.Arrays.compareUnsigned(x, y);
      };

  private final byte[] b;
  private final int off;
  private final int end;
  private final boolean binary;
  private int at;
  private int depth;

  private Json(byte[] b, int off, int len, boolean binary) {
    this.b = b;
    this.off = off;
    this.end = off + len;
    this.at = off;
    this.binary = binary;
  }

  /** A value; start and end are where it stood in the parsed bytes (0, 0 for made values). */
  public sealed interface Value {
    default int start() {
      return 0;
    }

    default int end() {
      return 0;
    }
  }

  /** Members in the order of the text, duplicates included (see {@link #canonical}). */
  public record Obj(List<Member> members, int start, int end) implements Value {
    public Obj(List<Member> members) {
      this(members, 0, 0);
    }

    /** The last member of that name. */
    public @Nullable Value get(String key) {
      for (int i = members.size() - 1; i >= 0; i--) {
        if (members.get(i).key().equals(key)) {
          return members.get(i).value();
        }
      }
      return null;
    }
  }

  public record Member(String key, Value value) {}

  public record Arr(List<Value> items, int start, int end) implements Value {
    public Arr(List<Value> items) {
      this(items, 0, 0);
    }
  }

  public record Str(String value, int start, int end) implements Value {
    public Str(String value) {
      this(value, 0, 0);
    }
  }

  public record Num(BigDecimal value, int start, int end) implements Value {
    public Num(BigDecimal value) {
      this(value, 0, 0);
    }
  }

  public record Bool(boolean value, int start, int end) implements Value {
    public Bool(boolean value) {
      this(value, 0, 0);
    }
  }

  public record Null(int start, int end) implements Value {
    public Null() {
      this(0, 0);
    }
  }

  /** Parses type json's text. */
  public static Value parse(byte[] b, int off, int len) {
    return new Json(b, off, len, false).document();
  }

  /** Parses jsonb's text; the tree is canonical. */
  public static Value parseBinary(byte[] b, int off, int len) {
    return canonical(new Json(b, off, len, true).document());
  }

  private Value document() {
    Value v = value();
    blanks();
    if (at < end) {
      throw unexpected("end of input");
    }
    return v;
  }

  private void blanks() {
    while (at < end && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r')) {
      at++;
    }
  }

  private Value value() {
    blanks();
    if (at >= end) {
      throw ended();
    }
    int start = at;
    switch (b[at]) {
      case '{' -> {
        return object(start);
      }
      case '[' -> {
        return array(start);
      }
      case '"' -> {
        String s = string();
        return new Str(s, start, at);
      }
      default -> {
        if (b[at] == '-' || Ascii.digit(b[at])) {
          return number(start);
        }
        if (word("true")) {
          return new Bool(true, start, at);
        }
        if (word("false")) {
          return new Bool(false, start, at);
        }
        if (word("null")) {
          return new Null(start, at);
        }
        throw tokenEnd() > at && letter(b[at]) ? invalidToken() : unexpected("JSON value");
      }
    }
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw new MillraceException(ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
          .withDetail("JSON values may be nested at most " + MAX_DEPTH + " levels deep.");
    }
  }

  private Value object(int start) {
    enter();
    at++;
    var members = new ArrayList<Member>();
    blanks();
    if (at < end && b[at] == '}') {
      at++;
      depth--;
      return new Obj(members, start, at);
    }
    while (true) {
      blanks();
      if (at >= end) {
        throw ended();
      }
      if (b[at] != '"') {
        throw unexpected(members.isEmpty() ? "string or \"}\"" : "string");
      }
      String key = string();
      blanks();
      if (at >= end) {
        throw ended();
      }
      if (b[at] != ':') {
        throw unexpected("\":\"");
      }
      at++;
      members.add(new Member(key, value()));
      blanks();
      if (at >= end) {
        throw ended();
      }
      if (b[at] == ',') {
        at++;
      } else if (b[at] == '}') {
        at++;
        depth--;
        return new Obj(members, start, at);
      } else {
        throw unexpected("\",\" or \"}\"");
      }
    }
  }

  private Value array(int start) {
    enter();
    at++;
    var items = new ArrayList<Value>();
    blanks();
    if (at < end && b[at] == ']') {
      at++;
      depth--;
      return new Arr(items, start, at);
    }
    while (true) {
      items.add(value());
      blanks();
      if (at >= end) {
        throw ended();
      }
      if (b[at] == ',') {
        at++;
      } else if (b[at] == ']') {
        at++;
        depth--;
        return new Arr(items, start, at);
      } else {
        throw unexpected("\",\" or \"]\"");
      }
    }
  }

  private boolean word(String w) {
    int stop = tokenEnd();
    if (stop - at != w.length()) {
      return false;
    }
    for (int i = 0; i < w.length(); i++) {
      if (b[at + i] != w.charAt(i)) {
        return false;
      }
    }
    at = stop;
    return true;
  }

  private static boolean letter(byte c) {
    return c < 0 || c == '_' || Ascii.digit(c) || (Ascii.lower(c) >= 'a' && Ascii.lower(c) <= 'z');
  }

  private int tokenEnd() {
    int i = at;
    while (i < end && letter(b[i])) {
      i++;
    }
    return i;
  }

  private Value number(int start) {
    int i = at;
    if (b[i] == '-') {
      i++;
    }
    boolean ok = true;
    if (i < end && b[i] == '0') {
      i++;
    } else if (i < end && Ascii.digit(b[i])) {
      while (i < end && Ascii.digit(b[i])) {
        i++;
      }
    } else {
      ok = false;
    }
    if (ok && i < end && b[i] == '.') {
      i++;
      int from = i;
      while (i < end && Ascii.digit(b[i])) {
        i++;
      }
      ok = i > from;
    }
    if (ok && i < end && (b[i] == 'e' || b[i] == 'E')) {
      i++;
      if (i < end && (b[i] == '+' || b[i] == '-')) {
        i++;
      }
      int from = i;
      while (i < end && Ascii.digit(b[i])) {
        i++;
      }
      ok = i > from;
    }
    if (!ok || (i < end && letter(b[i]))) {
      while (i < end && letter(b[i])) {
        i++;
      }
      throw error("Token \"" + Problems.text(b, start, i - start) + "\" is invalid.");
    }
    at = i;
    BigDecimal v =
        binary ? NumericText.decimal(Problems.text(b, start, i - start)) : BigDecimal.ZERO;
    return new Num(v, start, i);
  }

  private String string() {
    int start = at;
    at++;
    int from = at;
    while (at < end && b[at] != '"' && b[at] != '\\' && (b[at] & 0xff) >= 0x20) {
      at++;
    }
    if (at < end && b[at] == '"') {
      String s = Problems.text(b, from, at - from);
      at++;
      return s;
    }
    var out = new ByteSink(at - from + 32);
    out.putBytes(b, from, at - from);
    while (true) {
      if (at >= end) {
        throw error("Token \"" + Problems.text(b, start, end - start) + "\" is invalid.");
      }
      byte c = b[at];
      if (c == '"') {
        at++;
        return out.toString();
      }
      if ((c & 0xff) < 0x20) {
        throw error("Character with value 0x" + String.format("%02x", c) + " must be escaped.");
      }
      if (c != '\\') {
        out.put(c);
        at++;
        continue;
      }
      escape(start, out);
    }
  }

  private void escape(int start, ByteSink out) {
    if (at + 1 >= end) {
      throw error("Token \"" + Problems.text(b, start, end - start) + "\" is invalid.");
    }
    byte c = b[at + 1];
    at += 2;
    switch (c) {
      case '"', '\\', '/' -> out.put(c);
      case 'b' -> out.put('\b');
      case 'f' -> out.put('\f');
      case 'n' -> out.put('\n');
      case 'r' -> out.put('\r');
      case 't' -> out.put('\t');
      case 'u' -> {
        int u = unicode();
        if (u >= 0xD800 && u < 0xDC00) {
          if (at + 1 < end && b[at] == '\\' && b[at + 1] == 'u') {
            at += 2;
            int low = unicode();
            if (low < 0xDC00 || low > 0xDFFF) {
              throw error("Unicode low surrogate must follow a high surrogate.");
            }
            out.putText(Character.toString(Character.toCodePoint((char) u, (char) low)));
          } else {
            throw error("Unicode low surrogate must follow a high surrogate.");
          }
        } else if (u >= 0xDC00 && u <= 0xDFFF) {
          throw error("Unicode low surrogate must follow a high surrogate.");
        } else if (u == 0) {
          if (binary) {
            throw new MillraceException(
                    ErrorCode.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                .withDetail("\\u0000 cannot be converted to text.");
          }
          out.putText("\\u0000");
        } else {
          out.putText(Character.toString(u));
        }
      }
      default -> throw error("Escape sequence \"\\" + (char) c + "\" is invalid.");
    }
  }

  private int unicode() {
    int u = 0;
    for (int i = 0; i < 4; i++) {
      int d = at < end ? Ascii.hex(b[at]) : -1;
      if (d < 0) {
        throw error("\"\\u\" must be followed by four hexadecimal digits.");
      }
      u = u << 4 | d;
      at++;
    }
    return u;
  }

  private MillraceException ended() {
    return error("The input string ended unexpectedly.");
  }

  private MillraceException invalidToken() {
    return error("Token \"" + Problems.text(b, at, tokenEnd() - at) + "\" is invalid.");
  }

  private MillraceException unexpected(String wanted) {
    int stop = Math.max(at + 1, tokenEnd());
    String token = Problems.text(b, at, stop - at);
    if (b[at] == '"') {
      int s = at;
      string();
      token = Problems.text(b, s, at - s);
    } else if (!letter(b[at]) && "{}[]:,-".indexOf(b[at]) < 0) {
      return error("Token \"" + token + "\" is invalid.");
    }
    return error("Expected " + wanted + ", but found \"" + token + "\".");
  }

  private MillraceException error(String detail) {
    int line = 1;
    int from = off;
    for (int i = off; i < Math.min(at, end); i++) {
      if (b[i] == '\n') {
        line++;
        from = i + 1;
      }
    }
    int stop = Math.min(end, Math.max(at + 1, tokenEnd()));
    String shown = Problems.text(b, from, Math.max(0, stop - from));
    return new MillraceException(
            ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json")
        .withDetail(detail)
        .withWhere("JSON data, line " + line + ": " + shown + (stop < end ? "..." : ""));
  }

  /** The same value as jsonb keeps it: keys distinct and in order. */
  public static Value canonical(Value v) {
    return switch (v) {
      case Obj o -> object(o.members());
      case Arr a -> new Arr(a.items().stream().map(Json::canonical).toList());
      case Str s -> s;
      case Num n ->
          n.value().signum() == 0 || n.value().scale() >= 0 ? n : new Num(n.value().setScale(0));
      case Bool x -> x;
      case Null n -> n;
    };
  }

  private static Obj object(List<Member> members) {
    Map<String, Value> distinct = new LinkedHashMap<>();
    for (Member m : members) {
      distinct.put(m.key(), canonical(m.value()));
    }
    var out = new ArrayList<Member>(distinct.size());
    distinct.forEach((k, x) -> out.add(new Member(k, x)));
    out.sort(Comparator.comparing(Member::key, KEY_ORDER));
    return new Obj(out);
  }

  /** jsonb's text of a canonical value. */
  public static void write(Value v, ByteSink out) {
    switch (v) {
      case Obj o -> {
        out.put('{');
        for (int i = 0; i < o.members().size(); i++) {
          if (i > 0) {
            out.putText(", ");
          }
          quote(o.members().get(i).key(), out);
          out.putText(": ");
          write(o.members().get(i).value(), out);
        }
        out.put('}');
      }
      case Arr a -> {
        out.put('[');
        for (int i = 0; i < a.items().size(); i++) {
          if (i > 0) {
            out.putText(", ");
          }
          write(a.items().get(i), out);
        }
        out.put(']');
      }
      case Str s -> quote(s.value(), out);
      case Num n -> out.putText(n.value().toPlainString());
      case Bool x -> out.putText(x.value() ? "true" : "false");
      case Null _ -> out.putText("null");
    }
  }

  public static String text(Value v) {
    var out = new ByteSink();
    write(v, out);
    return out.toString();
  }

  /** A JSON string literal. */
  public static void quote(String s, ByteSink out) {
    byte[] u = s.getBytes(StandardCharsets.UTF_8);
    quote(u, 0, u.length, out);
  }

  /** A JSON string literal of UTF-8 bytes. */
  public static void quote(byte[] u, int from, int to, ByteSink out) {
    out.put('"');
    for (int i = from; i < to; i++) {
      byte c = u[i];
      switch (c) {
        case '"' -> out.putText("\\\"");
        case '\\' -> out.putText("\\\\");
        case '\b' -> out.putText("\\b");
        case '\f' -> out.putText("\\f");
        case '\n' -> out.putText("\\n");
        case '\r' -> out.putText("\\r");
        case '\t' -> out.putText("\\t");
        default -> {
          if (c >= 0 && c < 0x20) {
            out.putText(String.format("\\u%04x", c));
          } else {
            out.put(c);
          }
        }
      }
    }
    out.put('"');
  }
}

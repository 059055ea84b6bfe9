package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.function.Supplier;

/**
 * A compiled regular expression of PostgreSQL's: by RE2/J in linear time where the pattern allows
 * it, else (back references, look-around) by java.util.regex. Long texts are read through a
 * sequence that checks for cancellation every 4,096 reads, and many short ones between two.
 * Patterns that are plain text never reach an engine.
 */
final class Regex {
  /** Characters searched between two looks at whether the query is to end. */
  private static final int CHECK_EVERY = 64 << 10;

  /** What a search costs besides the text, in characters. */
  private static final int PER_SEARCH = 64;

  /** Texts from this length on are checked while they are searched. */
  private static final int LONG = 512;

  private final com.google.re2j.@org.jspecify.annotations.Nullable Pattern linear;
  private final java.util.regex.@org.jspecify.annotations.Nullable Pattern backtracking;
  private final @org.jspecify.annotations.Nullable String plain;

  /** Characters searched since the last check; a kernel's pattern is used by one thread. */
  private long work;

  Regex(RegexTranslator t) {
    plain = t.plain();
    com.google.re2j.Pattern fast = null;
    java.util.regex.Pattern slow = null;
    if (plain == null) {
      try {
        if (t.needsBacktracking()) {
          slow = java.util.regex.Pattern.compile(t.pattern(), t.javaFlags());
        } else {
          fast = com.google.re2j.Pattern.compile(t.pattern(), t.re2Flags());
        }
      } catch (com.google.re2j.PatternSyntaxException e) {
        throw invalid(e.getDescription(), e);
      } catch (java.util.regex.PatternSyntaxException e) {
        throw invalid(e.getDescription(), e);
      }
    }
    linear = fast;
    backtracking = slow;
  }

  static MillraceException invalid(String message, @org.jspecify.annotations.Nullable Throwable e) {
    return new MillraceException(
        ErrorCode.INVALID_REGULAR_EXPRESSION, "invalid regular expression: " + message, e);
  }

  /** A search over one text. */
  interface Search {
    boolean find(int from);

    int start(int group);

    int end(int group);

    int groups();
  }

  Search search(String text, Runnable check) {
    work += text.length() + PER_SEARCH;
    if (work >= CHECK_EVERY) {
      work = 0;
      check.run();
    }
    String p = plain;
    if (p != null) {
      return new PlainSearch(text, p);
    }
    if (linear != null) {
      com.google.re2j.Matcher m =
          linear.matcher(text.length() < LONG ? text : new CheckedText(text, check));
      return new Search() {
        @Override
        public boolean find(int from) {
          return m.find(from);
        }

        @Override
        public int start(int group) {
          return m.start(group);
        }

        @Override
        public int end(int group) {
          return m.end(group);
        }

        @Override
        public int groups() {
          return m.groupCount();
        }
      };
    }
    java.util.regex.Matcher m =
        java.util.Objects.requireNonNull(backtracking).matcher(new CheckedText(text, check));
    return new Search() {
      @Override
      public boolean find(int from) {
        return guarded(() -> m.find(from));
      }

      @Override
      public int start(int group) {
        return m.start(group);
      }

      @Override
      public int end(int group) {
        return m.end(group);
      }

      @Override
      public int groups() {
        return m.groupCount();
      }
    };
  }

  boolean find(String text, Runnable check) {
    String p = plain;
    return p != null ? text.contains(p) : search(text, check).find(0);
  }

  private static boolean guarded(Supplier<Boolean> find) {
    try {
      return find.get();
    } catch (StackOverflowError e) {
      throw new MillraceException(
          ErrorCode.STATEMENT_TOO_COMPLEX, "regular expression is too complex", e);
    }
  }

  private static final class PlainSearch implements Search {
    private final String text;
    private final String plain;
    private int at;

    PlainSearch(String text, String plain) {
      this.text = text;
      this.plain = plain;
    }

    @Override
    public boolean find(int from) {
      at = text.indexOf(plain, from);
      return at >= 0;
    }

    @Override
    public int start(int group) {
      return at;
    }

    @Override
    public int end(int group) {
      return at + plain.length();
    }

    @Override
    public int groups() {
      return 0;
    }
  }

  private static final class CheckedText implements CharSequence {
    private final String text;
    private final Runnable check;
    private int reads;

    CheckedText(String text, Runnable check) {
      this.text = text;
      this.check = check;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if ((++reads & 4095) == 0) {
        check.run();
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Keeps the last pattern. */
  static final class Cache {
    private String pattern = "";
    private String flags = "";
    private @org.jspecify.annotations.Nullable Regex regex;

    Regex get(String p, String f) {
      Regex r = regex;
      if (r == null || !p.equals(pattern) || !f.equals(flags)) {
        r = new Regex(new RegexTranslator(p, f));
        pattern = p;
        flags = f;
        regex = r;
      }
      return r;
    }
  }
}

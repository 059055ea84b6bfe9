package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** LIKE, SIMILAR TO and regular expressions. */
final class PatternKernels {
  private static final SqlType TEXTS = SqlType.arrayOf(SqlType.TEXT);

  private PatternKernels() {}

  static void register(FunctionRegistry.Builder b) {
    String[][] kinds = {{"text", "text"}, {"bpchar", "text"}, {"name", "text"}};
    for (String[] k : kinds) {
      String args = "(" + k[0] + "," + k[1] + ")";
      b.scalar(k[0] + "like" + args, (_, _) -> like(false, false));
      b.scalar(k[0] + "nlike" + args, (_, _) -> like(false, true));
      b.scalar(k[0] + "iclike" + args, (_, _) -> like(true, false));
      b.scalar(k[0] + "icnlike" + args, (_, _) -> like(true, true));
      b.scalar(k[0] + "regexeq" + args, (_, _) -> regex("", false));
      b.scalar(k[0] + "regexne" + args, (_, _) -> regex("", true));
      b.scalar(k[0] + "icregexeq" + args, (_, _) -> regex("i", false));
      b.scalar(k[0] + "icregexne" + args, (_, _) -> regex("i", true));
    }
    for (String t : new String[] {"(text,text)", "(bytea,bytea)", "(name,text)"}) {
      b.scalar("like" + t, (_, _) -> like(false, false));
      b.scalar("notlike" + t, (_, _) -> like(false, true));
    }
    b.scalar("bytealike(bytea,bytea)", (_, _) -> like(false, false));
    b.scalar("byteanlike(bytea,bytea)", (_, _) -> like(false, true));
    b.simple(
        "like_escape(text,text)",
        (a, n, _) -> {
          BytesColumn p = Args.bytes(a, 0);
          BytesColumn e = Args.bytes(a, 1);
          return Build.text(SqlType.TEXT, a, n, i -> likeEscape(p.string(i), e.string(i)));
        });
    for (String s : new String[] {"similar_to_escape", "similar_escape"}) {
      b.simple(
          s + "(text,text)",
          (a, n, _) -> {
            BytesColumn p = Args.bytes(a, 0);
            BytesColumn e = Args.bytes(a, 1);
            return Build.text(SqlType.TEXT, a, n, i -> similar(p.string(i), e.string(i)));
          });
    }
    b.simple(
        "similar_to_escape(text)",
        (a, n, _) -> {
          BytesColumn p = Args.bytes(a, 0);
          return Build.text(SqlType.TEXT, a, n, i -> similar(p.string(i), "\\"));
        });
    b.scalar("substring(text,text)", (_, _) -> substring(false));
    b.scalar("substring(text,text,text)", (_, _) -> substring(true));
    String tt = "(text,text)";
    String ttt = "(text,text,text)";
    b.scalar("regexp_match" + tt, (_, _) -> match());
    b.scalar("regexp_match" + ttt, (_, _) -> match());
    b.set("regexp_matches" + tt, (_, _) -> PatternKernels::matches);
    b.set("regexp_matches" + ttt, (_, _) -> PatternKernels::matches);
    b.set("regexp_split_to_table" + tt, (_, _) -> PatternKernels::splitRows);
    b.set("regexp_split_to_table" + ttt, (_, _) -> PatternKernels::splitRows);
    b.scalar("regexp_split_to_array" + tt, (_, _) -> split());
    b.scalar("regexp_split_to_array" + ttt, (_, _) -> split());
    b.scalar("regexp_replace" + ttt, (_, _) -> replace(-1, -1, -1));
    b.scalar("regexp_replace(text,text,text,text)", (_, _) -> replace(-1, -1, 3));
    b.scalar("regexp_replace(text,text,text,int4)", (_, _) -> replace(3, -1, -1));
    b.scalar("regexp_replace(text,text,text,int4,int4)", (_, _) -> replace(3, 4, -1));
    b.scalar("regexp_replace(text,text,text,int4,int4,text)", (_, _) -> replace(3, 4, 5));
    b.scalar("regexp_like" + tt, (_, _) -> count(-1, -1, true));
    b.scalar("regexp_like" + ttt, (_, _) -> count(-1, 2, true));
    b.scalar("regexp_count" + tt, (_, _) -> count(-1, -1, false));
    b.scalar("regexp_count(text,text,int4)", (_, _) -> count(2, -1, false));
    b.scalar("regexp_count(text,text,int4,text)", (_, _) -> count(2, 3, false));
    String args = "(text,text";
    b.scalar("regexp_instr" + args + ")", (_, _) -> instr(2));
    b.scalar("regexp_substr" + args + ")", (_, _) -> substr(2));
    String[] more = {",int4", ",int4", ",int4", ",text", ",int4"};
    for (int i = 0; i < more.length; i++) {
      args += more[i];
      int k = i + 3;
      b.scalar("regexp_instr" + args + ")", (_, _) -> instr(k));
    }
    args = "(text,text";
    String[] rest = {",int4", ",int4", ",text", ",int4"};
    for (int i = 0; i < rest.length; i++) {
      args += rest[i];
      int k = i + 3;
      b.scalar("regexp_substr" + args + ")", (_, _) -> substr(k));
    }
  }

  /** LIKE; over a dictionary each entry is matched once. */
  private static ScalarKernel like(boolean ignoreCase, boolean negated) {
    var cache = new LikePattern.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      byte[] known =
          !ignoreCase && v instanceof DictVector d && Casts.repeated(p)
              ? new byte[d.dictionary().size()]
              : null;
      long[] work = new long[1];
      return Build.bools(
          a,
          n,
          i -> {
            work[0] += v.end(i) - v.start(i) + 64;
            if (work[0] >= 64 << 10) {
              work[0] = 0;
              c.check().run();
            }
            int code = known != null && v instanceof DictVector d ? d.codes()[i] : -1;
            if (known != null && known[code] != 0) {
              return known[code] == 1 != negated;
            }
            boolean m;
            if (ignoreCase) {
              byte[] text = lower(v.string(i));
              byte[] pattern = lower(p.string(i));
              m = cache.get(pattern, 0, pattern.length).matches(text, 0, text.length);
            } else {
              m =
                  cache
                      .get(p.data(i), p.start(i), p.end(i))
                      .matches(v.data(i), v.start(i), v.end(i));
            }
            if (known != null) {
              known[code] = (byte) (m ? 1 : 2);
            }
            return m != negated;
          });
    };
  }

  private static byte[] lower(String s) {
    return Casing.lower(s).getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static ScalarKernel regex(String flags, boolean negated) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      boolean same = Casts.repeated(p);
      Regex first = same && n > 0 && !p.isNull(0) ? cache.get(p.string(0), flags) : null;
      byte[] known =
          first != null && v instanceof DictVector d ? new byte[d.dictionary().size()] : null;
      return Build.bools(
          a,
          n,
          i -> {
            int code = known != null && v instanceof DictVector d ? d.codes()[i] : -1;
            if (known != null && known[code] != 0) {
              return known[code] == 1 != negated;
            }
            if ((i & 63) == 0) {
              c.check().run();
            }
            Regex r = first != null ? first : cache.get(p.string(i), flags);
            boolean m = r.find(v.string(i), c.check());
            if (known != null) {
              known[code] = (byte) (m ? 1 : 2);
            }
            return m != negated;
          });
    };
  }

  private static String likeEscape(String p, String escape) {
    if (escape.codePointCount(0, escape.length()) > 1) {
      throw escapeLength();
    }
    if (escape.equals("\\")) {
      return p;
    }
    var out = new StringBuilder();
    for (int i = 0; i < p.length(); i++) {
      char c = p.charAt(i);
      if (!escape.isEmpty() && c == escape.charAt(0)) {
        i++;
        out.append('\\');
        if (i < p.length()) {
          out.append(p.charAt(i));
        }
      } else if (c == '\\') {
        out.append("\\\\");
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static MillraceException escapeLength() {
    return new MillraceException(ErrorCode.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
        .withHint("Escape string must be empty or one character.");
  }

  /** A SIMILAR TO pattern as a regular expression. */
  private static String similar(String p, String escape) {
    if (escape.codePointCount(0, escape.length()) > 1) {
      throw escapeLength();
    }
    char e = escape.isEmpty() ? 0 : escape.charAt(0);
    var out = new StringBuilder("^(?:");
    boolean after = false;
    boolean bracket = false;
    int quotes = 0;
    for (int i = 0; i < p.length(); i++) {
      char c = p.charAt(i);
      if (after) {
        if (c == '"' && !bracket) {
          if (quotes == 0) {
            out.append("){1,1}?(");
          } else if (quotes == 1) {
            out.append("){1,1}(?:");
          } else {
            throw new MillraceException(
                ErrorCode.INVALID_REGULAR_EXPRESSION,
                "SQL regular expression may not contain more than two escape-double-quote"
                    + " separators");
          }
          quotes++;
        } else {
          out.append('\\').append(c);
        }
        after = false;
      } else if (e != 0 && c == e) {
        after = true;
      } else if (bracket) {
        if (c == '\\') {
          out.append('\\');
        }
        out.append(c);
        bracket = c != ']';
      } else {
        switch (c) {
          case '[' -> {
            out.append(c);
            bracket = true;
          }
          case '%' -> out.append(".*");
          case '_' -> out.append('.');
          case '(' -> out.append("(?:");
          case '\\', '.', '^', '$' -> out.append('\\').append(c);
          default -> out.append(c);
        }
      }
    }
    return out.append(")$").toString();
  }

  private static ScalarKernel substring(boolean sql) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      return Build.bytes(
          SqlType.TEXT,
          a,
          n,
          (i, out) -> {
            String pattern = sql ? similar(p.string(i), Args.bytes(a, 2).string(i)) : p.string(i);
            String text = v.string(i);
            Regex.Search s = cache.get(pattern, "").search(text, c.check());
            if (!s.find(0)) {
              out.appendNull();
              return;
            }
            int group = s.groups() > 0 ? 1 : 0;
            if (s.start(group) < 0) {
              out.appendNull();
            } else {
              out.append(text.substring(s.start(group), s.end(group)));
            }
          });
    };
  }

  private static void appendGroups(Regex.Search s, String text, VectorBuilder.ArrayRows out) {
    var elements = (VectorBuilder.Bytes) out.elements();
    int groups = s.groups();
    for (int g = groups == 0 ? 0 : 1; g <= groups; g++) {
      if (s.start(g) < 0) {
        elements.appendNull();
      } else {
        elements.append(text.substring(s.start(g), s.end(g)));
      }
    }
    out.endRow(null);
  }

  private static ScalarKernel match() {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      return Build.arrays(
          TEXTS,
          a,
          n,
          (i, out) -> {
            String flags = a.size() > 2 ? Args.bytes(a, 2).string(i) : "";
            if (flags.indexOf('g') >= 0) {
              throw new MillraceException(
                      ErrorCode.INVALID_PARAMETER_VALUE,
                      "regexp_match() does not support the \"global\" option")
                  .withHint("Use the regexp_matches function instead.");
            }
            String text = v.string(i);
            Regex.Search s = cache.get(p.string(i), flags).search(text, c.check());
            if (s.find(0)) {
              appendGroups(s, text, out);
            } else {
              out.appendNull();
            }
          });
    };
  }

  private static SetKernel.Rows matches(List<Vector> args, int row, EvalContext c) {
    for (Vector a : args) {
      if (a.isNull(row)) {
        return _ -> null;
      }
    }
    String flags = args.size() > 2 ? Args.bytes(args, 2).string(row) : "";
    boolean global = flags.indexOf('g') >= 0;
    String text = Args.bytes(args, 0).string(row);
    Regex r =
        new Regex(new RegexTranslator(Args.bytes(args, 1).string(row), flags.replace("g", "")));
    Regex.Search s = r.search(text, c.check());
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(TEXTS, 8);
    int at = 0;
    while (at <= text.length() && s.find(at)) {
      appendGroups(s, text, out);
      if (!global) {
        break;
      }
      at = next(s, text);
    }
    return SetKernels.of(out.build());
  }

  /** Where the search goes on after a match. */
  private static int next(Regex.Search s, String text) {
    int end = s.end(0);
    if (end > s.start(0)) {
      return end;
    }
    return end < text.length() ? text.offsetByCodePoints(end, 1) : end + 1;
  }

  private static List<String> pieces(
      String text, String pattern, String flags, Regex.Cache cache, EvalContext c) {
    if (flags.indexOf('g') >= 0) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "regexp_split_to_array() does not support the \"global\" option");
    }
    var out = new ArrayList<String>();
    Regex.Search s = cache.get(pattern, flags).search(text, c.check());
    int from = 0;
    int at = 0;
    while (at <= text.length() && s.find(at)) {
      int start = s.start(0);
      int end = s.end(0);
      if (end == start && (start == from || start >= text.length())) {
        // An empty match at the border of a piece splits nothing.
        if (start >= text.length()) {
          break;
        }
        if (start == from && start == 0) {
          at = next(s, text);
          continue;
        }
        if (start == from) {
          at = next(s, text);
          continue;
        }
      }
      out.add(text.substring(from, start));
      from = end;
      at = next(s, text);
    }
    out.add(text.substring(from));
    return out;
  }

  private static ScalarKernel split() {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      return Build.arrays(
          TEXTS,
          a,
          n,
          (i, out) -> {
            String flags = a.size() > 2 ? Args.bytes(a, 2).string(i) : "";
            for (String s : pieces(v.string(i), p.string(i), flags, cache, c)) {
              ((VectorBuilder.Bytes) out.elements()).append(s);
            }
            out.endRow(null);
          });
    };
  }

  private static SetKernel.Rows splitRows(List<Vector> args, int row, EvalContext c) {
    for (Vector a : args) {
      if (a.isNull(row)) {
        return _ -> null;
      }
    }
    String flags = args.size() > 2 ? Args.bytes(args, 2).string(row) : "";
    var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 8);
    for (String s :
        pieces(
            Args.bytes(args, 0).string(row),
            Args.bytes(args, 1).string(row),
            flags,
            new Regex.Cache(),
            c)) {
      out.append(s);
    }
    return SetKernels.of(out.build());
  }

  private static int intAt(List<Vector> a, int arg, int row, int otherwise) {
    return arg < 0 || arg >= a.size() ? otherwise : ((IntVector) a.get(arg)).get(row);
  }

  private static String flagsAt(List<Vector> a, int arg, int row) {
    return arg < 0 || arg >= a.size() ? "" : Args.bytes(a, arg).string(row);
  }

  private static int startOffset(String text, int start) {
    if (start < 1) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "invalid value for parameter \"start\": " + start);
    }
    int chars = text.codePointCount(0, text.length());
    return start - 1 > chars ? text.length() + 1 : text.offsetByCodePoints(0, start - 1);
  }

  private static ScalarKernel replace(int startArg, int nArg, int flagsArg) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      BytesColumn r = Args.bytes(a, 2);
      return Build.text(
          SqlType.TEXT,
          a,
          n,
          i -> {
            String flags = flagsAt(a, flagsArg, i);
            if (flags.length() > 0 && Character.isDigit(flags.charAt(0))) {
              throw new MillraceException(
                      ErrorCode.INVALID_PARAMETER_VALUE,
                      "invalid regular expression option: \"" + flags.charAt(0) + "\"")
                  .withHint(
                      "If you meant to use regexp_replace() with a start parameter, cast the"
                          + " fourth argument to integer explicitly.");
            }
            boolean global = flags.indexOf('g') >= 0;
            int nth = intAt(a, nArg, i, global ? 0 : 1);
            if (nth < 0) {
              throw new MillraceException(
                  ErrorCode.INVALID_PARAMETER_VALUE, "invalid value for parameter \"n\": " + nth);
            }
            String text = v.string(i);
            int at = startOffset(text, intAt(a, startArg, i, 1));
            Regex.Search s = cache.get(p.string(i), flags.replace("g", "")).search(text, c.check());
            String replacement = r.string(i);
            var out = new StringBuilder();
            int copied = 0;
            int found = 0;
            while (at <= text.length() && s.find(at)) {
              found++;
              if (nth == 0 || found == nth) {
                out.append(text, copied, s.start(0));
                expand(replacement, s, text, out);
                copied = s.end(0);
                if (nth > 0) {
                  break;
                }
              }
              at = next(s, text);
            }
            return out.append(text, Math.min(copied, text.length()), text.length()).toString();
          });
    };
  }

  private static void expand(String r, Regex.Search s, String text, StringBuilder out) {
    for (int i = 0; i < r.length(); i++) {
      char c = r.charAt(i);
      if (c != '\\' || i + 1 == r.length()) {
        out.append(c);
        continue;
      }
      char e = r.charAt(++i);
      if (e == '&' || (e >= '0' && e <= '9')) {
        int g = e == '&' ? 0 : e - '0';
        if (g <= s.groups() && s.start(g) >= 0) {
          out.append(text, s.start(g), s.end(g));
        }
      } else if (e == '\\') {
        out.append('\\');
      } else {
        out.append('\\').append(e);
      }
    }
  }

  private static ScalarKernel count(int startArg, int flagsArg, boolean like) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      java.util.function.IntUnaryOperator row =
          i -> {
            String text = v.string(i);
            Regex.Search s =
                cache.get(p.string(i), flagsAt(a, flagsArg, i)).search(text, c.check());
            int at = startOffset(text, intAt(a, startArg, i, 1));
            int found = 0;
            while (at <= text.length() && s.find(at)) {
              found++;
              if (like) {
                break;
              }
              at = next(s, text);
            }
            return found;
          };
      return like
          ? Build.bools(a, n, i -> row.applyAsInt(i) > 0)
          : Build.ints(SqlType.INT4, a, n, row);
    };
  }

  /** The n-th match from a start; null if there is none. */
  private static Regex.@Nullable Search nth(
      String text, Regex r, int start, int nth, EvalContext c) {
    if (nth < 1) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "invalid value for parameter \"n\": " + nth);
    }
    Regex.Search s = r.search(text, c.check());
    int at = startOffset(text, start);
    for (int k = 1; at <= text.length() && s.find(at); k++) {
      if (k == nth) {
        return s;
      }
      at = next(s, text);
    }
    return null;
  }

  private static ScalarKernel instr(int arity) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      return Build.ints(
          SqlType.INT4,
          a,
          n,
          i -> {
            String text = v.string(i);
            Regex r = cache.get(p.string(i), arity > 5 ? flagsAt(a, 5, i) : "");
            Regex.Search s = nth(text, r, intAt(a, 2, i, 1), intAt(a, 3, i, 1), c);
            int end = intAt(a, 4, i, 0);
            int group = intAt(a, 6, i, 0);
            if (s == null || group > s.groups() || s.start(group) < 0) {
              return 0;
            }
            return text.codePointCount(0, end == 1 ? s.end(group) : s.start(group)) + 1;
          });
    };
  }

  private static ScalarKernel substr(int arity) {
    var cache = new Regex.Cache();
    return (a, n, c) -> {
      BytesColumn v = Args.bytes(a, 0);
      BytesColumn p = Args.bytes(a, 1);
      return Build.bytes(
          SqlType.TEXT,
          a,
          n,
          (i, out) -> {
            String text = v.string(i);
            Regex r = cache.get(p.string(i), arity > 4 ? flagsAt(a, 4, i) : "");
            Regex.Search s = nth(text, r, intAt(a, 2, i, 1), intAt(a, 3, i, 1), c);
            int group = intAt(a, 5, i, 0);
            if (s == null || group > s.groups() || s.start(group) < 0) {
              out.appendNull();
            } else {
              out.append(text.substring(s.start(group), s.end(group)));
            }
          });
    };
  }
}

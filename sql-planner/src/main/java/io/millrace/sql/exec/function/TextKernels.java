package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.text.TextQuery;
import io.millrace.common.text.TextTerm;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Utf8;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Text functions. Those that only count or cut stay on bytes; the others go through strings. */
final class TextKernels {
  private static final Set<String> KEYWORDS =
      Set.of(
          ("all analyse analyze and any array as asc asymmetric authorization between bigint binary"
                  + " bit boolean both case cast char character check coalesce collate collation"
                  + " column concurrently constraint create cross current_catalog current_date"
                  + " current_role current_schema current_time current_timestamp current_user dec"
                  + " decimal default deferrable desc distinct do else end except exists extract"
                  + " false fetch float for foreign freeze from full grant greatest group grouping"
                  + " having ilike in initially inner inout int integer intersect interval into is"
                  + " isnull join lateral leading least left like limit localtime localtimestamp"
                  + " national natural nchar none normalize not notnull null nullif numeric offset"
                  + " on only or order out outer overlaps overlay placing position precision"
                  + " primary real references returning right row select session_user setof similar"
                  + " smallint some substring symmetric table tablesample then time timestamp to"
                  + " trailing treat trim true union unique user using values varchar variadic"
                  + " verbose when where window with xmlattributes xmlconcat xmlelement xmlexists"
                  + " xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable")
              .split(" "));

  private TextKernels() {}

  private interface OneText {
    String apply(String s);
  }

  static void register(FunctionRegistry.Builder b) {
    lengths(b);
    one(b, Casing::lower, "lower(text)");
    one(b, Casing::upper, "upper(text)");
    one(b, TextKernels::initcap, "initcap(text)");
    one(b, s -> new StringBuilder(s).reverse().toString(), "reverse(text)");
    one(b, TextKernels::quoteIdent, "quote_ident(text)");
    one(b, TextKernels::quoteLiteral, "quote_literal(text)");
    b.simple("textcat(text,text)", (a, n, _) -> concatenate(a, n, SqlType.TEXT));
    b.simple("byteacat(bytea,bytea)", (a, n, _) -> concatenate(a, n, SqlType.BYTEA));
    b.scalar("textanycat(text,anynonarray)", (t, _) -> textAny(t, 1));
    b.scalar("anytextcat(anynonarray,text)", (t, _) -> textAny(t, 0));
    b.scalar("quote_literal(anyelement)", (t, _) -> quoteAny(t, false));
    b.scalar("quote_nullable(anyelement)", (t, _) -> quoteAny(t, true));
    b.scalar("quote_nullable(text)", (t, _) -> quoteAny(t, true));
    for (String s : new String[] {"substr", "substring"}) {
      b.simple(s + "(text,int4)", (a, n, _) -> substring(a, n, true));
      b.simple(s + "(text,int4,int4)", (a, n, _) -> substring(a, n, true));
      b.simple(s + "(bytea,int4)", (a, n, _) -> substring(a, n, false));
      b.simple(s + "(bytea,int4,int4)", (a, n, _) -> substring(a, n, false));
    }
    b.simple("left(text,int4)", (a, n, _) -> side(a, n, true));
    b.simple("right(text,int4)", (a, n, _) -> side(a, n, false));
    b.simple("lpad(text,int4)", (a, n, _) -> pad(a, n, true));
    b.simple("lpad(text,int4,text)", (a, n, _) -> pad(a, n, true));
    b.simple("rpad(text,int4)", (a, n, _) -> pad(a, n, false));
    b.simple("rpad(text,int4,text)", (a, n, _) -> pad(a, n, false));
    String[][] trims = {{"btrim", "lr"}, {"ltrim", "l"}, {"rtrim", "r"}};
    for (String[] t : trims) {
      b.simple(t[0] + "(text)", (a, n, _) -> trim(a, n, t[1]));
      b.simple(t[0] + "(text,text)", (a, n, _) -> trim(a, n, t[1]));
      b.simple(t[0] + "(bytea,bytea)", (a, n, _) -> trimBytes(a, n, t[1]));
    }
    b.simple(
        "replace(text,text,text)",
        (a, n, _) ->
            texts(
                a,
                n,
                i -> {
                  String from = str(a, 1, i);
                  String s = str(a, 0, i);
                  return from.isEmpty() ? s : s.replace(from, str(a, 2, i));
                }));
    b.simple("translate(text,text,text)", (a, n, _) -> texts(a, n, i -> translate(a, i)));
    b.simple("repeat(text,int4)", (a, n, _) -> repeat(a, n));
    for (String s : new String[] {"strpos", "position"}) {
      b.simple(s + "(text,text)", (a, n, _) -> position(a, n, true));
    }
    b.simple("position(bytea,bytea)", (a, n, _) -> position(a, n, false));
    b.simple("split_part(text,text,int4)", (a, n, _) -> texts(a, n, i -> splitPart(a, i)));
    b.simple("starts_with(text,text)", (a, n, _) -> startsWith(a, n));
    b.scalar("matches(text,text)", (_, _) -> new TextSearch(TextQuery::parse)::apply);
    b.scalar("matches_term(text,text)", (_, _) -> new TextSearch(TextTerm::new)::apply);
    b.simple(
        "ascii(text)",
        (a, n, _) ->
            Build.ints(
                SqlType.INT4,
                a,
                n,
                i -> {
                  String s = str(a, 0, i);
                  return s.isEmpty() ? 0 : s.codePointAt(0);
                }));
    b.simple("chr(int4)", (a, n, _) -> texts(a, n, i -> chr(Args.ints(a, 0)[i])));
    b.simple(
        "to_hex(int4)", (a, n, _) -> texts(a, n, i -> Integer.toHexString(Args.ints(a, 0)[i])));
    b.simple("to_hex(int8)", (a, n, _) -> texts(a, n, i -> Long.toHexString(Args.longs(a, 0)[i])));
    b.simple("overlay(text,text,int4)", (a, n, _) -> texts(a, n, i -> overlay(a, i)));
    b.simple("overlay(text,text,int4,int4)", (a, n, _) -> texts(a, n, i -> overlay(a, i)));
    b.scalar("concat(any)", (t, _) -> concat(t, false));
    b.scalar("concat_ws(text,any)", (t, _) -> concat(t, true));
    b.scalar("format(text)", (t, _) -> format(t));
    b.scalar("format(text,any)", (t, _) -> format(t));
    b.simple("string_to_array(text,text)", (a, n, _) -> stringToArray(a, n));
    b.simple("string_to_array(text,text,text)", (a, n, _) -> stringToArray(a, n));
    b.simple("normalize(text,text)", (a, n, _) -> texts(a, n, i -> normalize(a, i)));
    b.simple(
        "is_normalized(text,text)",
        (a, n, _) -> Build.bools(a, n, i -> normalize(a, i).equals(str(a, 0, i))));
    String[] orders = {"lt", "le", "gt", "ge"};
    for (String o : orders) {
      for (String t : new String[] {"text", "bpchar"}) {
        b.simple(
            t + "_pattern_" + o + "(" + t + "," + t + ")",
            (a, n, _) ->
                Build.bools(
                    a,
                    n,
                    i -> {
                      int c = a.get(0).compare(i, a.get(1), i);
                      return switch (o) {
                        case "lt" -> c < 0;
                        case "le" -> c <= 0;
                        case "gt" -> c > 0;
                        default -> c >= 0;
                      };
                    }));
      }
    }
    for (String t : new String[] {"text", "bpchar"}) {
      for (boolean larger : new boolean[] {true, false}) {
        b.simple(
            t + (larger ? "_larger" : "_smaller") + "(" + t + "," + t + ")",
            (a, n, _) ->
                Build.any(
                    SqlType.of(t.equals("text") ? TypeKind.TEXT : TypeKind.BPCHAR),
                    a,
                    n,
                    (i, out) ->
                        out.append(
                            a.get(0).compare(i, a.get(1), i) > 0 == larger ? a.get(0) : a.get(1),
                            i)));
      }
    }
    b.simple(
        "nameconcatoid(name,oid)",
        (a, n, _) ->
            Build.text(
                SqlType.NAME,
                a,
                n,
                i -> {
                  String suffix = "_" + (Args.ints(a, 1)[i] & 0xffffffffL);
                  String s = str(a, 0, i);
                  int keep = Math.max(0, 63 - suffix.length());
                  return (s.length() > keep ? s.substring(0, keep) : s) + suffix;
                }));
  }

  static String str(List<Vector> a, int arg, int row) {
    return ((BytesColumn) a.get(arg)).string(row);
  }

  private static Vector texts(List<Vector> a, int n, java.util.function.IntFunction<String> f) {
    return Build.text(SqlType.TEXT, a, n, f);
  }

  private static void one(FunctionRegistry.Builder b, OneText f, String name) {
    b.simple(name, (a, n, _) -> texts(a, n, i -> f.apply(str(a, 0, i))));
  }

  private static void lengths(FunctionRegistry.Builder b) {
    for (String s : new String[] {"length", "char_length", "character_length"}) {
      b.simple(s + "(text)", (a, n, _) -> length(a, n, 'c'));
      b.simple(s + "(bpchar)", (a, n, _) -> length(a, n, 'b'));
    }
    b.simple("textlen(text)", (a, n, _) -> length(a, n, 'c'));
    b.simple("length(bytea)", (a, n, _) -> length(a, n, 'o'));
    for (String t : new String[] {"(text)", "(bpchar)", "(bytea)"}) {
      b.simple("octet_length" + t, (a, n, _) -> length(a, n, 'o'));
    }
    for (String t : new String[] {"(text)", "(bytea)"}) {
      b.simple("bit_length" + t, (a, n, _) -> length(a, n, '8'));
    }
  }

  private static Vector length(List<Vector> a, int n, char unit) {
    BytesColumn v = Args.bytes(a, 0);
    return Build.ints(
        SqlType.INT4,
        a,
        n,
        i -> {
          byte[] d = v.data(i);
          int from = v.start(i);
          int to = v.end(i);
          switch (unit) {
            case 'o' -> {
              return to - from;
            }
            case '8' -> {
              return (to - from) * 8;
            }
            case 'b' -> {
              while (to > from && d[to - 1] == ' ') {
                to--;
              }
            }
            default -> {}
          }
          return Utf8.length(d, from, to);
        });
  }

  private static Vector concatenate(List<Vector> a, int n, SqlType type) {
    BytesColumn x = Args.bytes(a, 0);
    BytesColumn y = Args.bytes(a, 1);
    long[] validity = Args.validity(a, n);
    int[] offsets = new int[n + 1];
    long total = 0;
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        total += x.size(i) + (long) y.size(i);
        if (total > Integer.MAX_VALUE - 16) {
          throw tooLong();
        }
      }
      offsets[i + 1] = (int) total;
    }
    byte[] data = new byte[(int) total];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        int s = x.size(i);
        System.arraycopy(x.data(i), x.start(i), data, offsets[i], s);
        System.arraycopy(y.data(i), y.start(i), data, offsets[i] + s, y.size(i));
      }
    }
    return new BytesVector(type, offsets, data, n, validity);
  }

  private static MillraceException tooLong() {
    return new MillraceException(ErrorCode.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
  }

  private static ScalarKernel textAny(List<SqlType> types, int other) {
    ScalarKernel cast = Casts.bind(types.get(other), SqlType.TEXT, true);
    return (a, n, c) -> {
      Vector text = cast.apply(List.of(a.get(other)), n, c);
      return concatenate(
          other == 1 ? List.of(a.get(0), text) : List.of(text, a.get(1)), n, SqlType.TEXT);
    };
  }

  private static ScalarKernel quoteAny(List<SqlType> types, boolean nullable) {
    ScalarKernel cast = Casts.bind(types.getFirst(), SqlType.TEXT, true);
    return (a, n, c) -> {
      var text = (BytesColumn) cast.apply(a, n, c);
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, n);
      for (int i = 0; i < n; i++) {
        if (!text.isNull(i)) {
          out.append(quoteLiteral(text.string(i)));
        } else if (nullable) {
          out.append("NULL");
        } else {
          out.appendNull();
        }
      }
      return out.build();
    };
  }

  /** An identifier as it must be written in SQL. */
  static String quoteIdent(String s) {
    boolean safe =
        !s.isEmpty() && (s.charAt(0) == '_' || (s.charAt(0) >= 'a' && s.charAt(0) <= 'z'));
    for (int i = 0; i < s.length() && safe; i++) {
      char c = s.charAt(i);
      safe = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    }
    return safe && !KEYWORDS.contains(s) ? s : '"' + s.replace("\"", "\"\"") + '"';
  }

  /** A string literal as it must be written in SQL. */
  static String quoteLiteral(String s) {
    String q = "'" + s.replace("'", "''").replace("\\", "\\\\") + "'";
    return s.indexOf('\\') >= 0 ? "E" + q : q;
  }

  private static String initcap(String s) {
    var out = new StringBuilder(s.length());
    boolean inWord = false;
    for (int i = 0; i < s.length(); ) {
      int c = s.codePointAt(i);
      i += Character.charCount(c);
      out.appendCodePoint(inWord ? Character.toLowerCase(c) : Character.toUpperCase(c));
      inWord = Character.isLetterOrDigit(c);
    }
    return out.toString();
  }

  private static Vector substring(List<Vector> a, int n, boolean chars) {
    BytesColumn v = Args.bytes(a, 0);
    int[] start = Args.ints(a, 1);
    int[] count = a.size() > 2 ? Args.ints(a, 2) : null;
    return Build.bytes(
        chars ? SqlType.TEXT : SqlType.BYTEA,
        a,
        n,
        (i, out) -> {
          long first = start[i];
          long end = Long.MAX_VALUE;
          if (count != null) {
            if (count[i] < 0) {
              throw new MillraceException(
                  ErrorCode.SUBSTRING_ERROR, "negative substring length not allowed");
            }
            end = first + count[i];
          }
          first = Math.max(first, 1);
          int from = v.start(i);
          int to = v.end(i);
          if (end <= first || first - 1 > to - from) {
            out.append(v.data(i), from, 0);
            return;
          }
          long length = Math.min(end - first, to - from);
          byte[] d = v.data(i);
          int s = chars ? Utf8.offset(d, from, to, (int) first - 1) : from + (int) first - 1;
          int e = chars ? Utf8.offset(d, s, to, (int) length) : (int) Math.min(to, s + length);
          out.append(d, s, e - s);
        });
  }

  private static Vector side(List<Vector> a, int n, boolean left) {
    BytesColumn v = Args.bytes(a, 0);
    int[] count = Args.ints(a, 1);
    return Build.bytes(
        SqlType.TEXT,
        a,
        n,
        (i, out) -> {
          byte[] d = v.data(i);
          int from = v.start(i);
          int to = v.end(i);
          int chars = Utf8.length(d, from, to);
          long take =
              count[i] >= 0 ? Math.min(count[i], chars) : Math.max(0, chars + (long) count[i]);
          if (left) {
            out.append(d, from, Utf8.offset(d, from, to, (int) take) - from);
          } else {
            int s = Utf8.offset(d, from, to, (int) (chars - take));
            out.append(d, s, to - s);
          }
        });
  }

  private static Vector pad(List<Vector> a, int n, boolean left) {
    int[] length = Args.ints(a, 1);
    return texts(
        a,
        n,
        i -> {
          String s = str(a, 0, i);
          String fill = a.size() > 2 ? str(a, 2, i) : " ";
          int want = Math.max(0, length[i]);
          if (want > 100_000_000) {
            throw tooLong();
          }
          int[] points = s.codePoints().toArray();
          if (points.length >= want) {
            return new String(points, 0, want);
          }
          int[] f = fill.codePoints().toArray();
          if (f.length == 0) {
            return s;
          }
          var padding = new StringBuilder();
          for (int k = 0; k < want - points.length; k++) {
            padding.appendCodePoint(f[k % f.length]);
          }
          return left ? padding + s : s + padding;
        });
  }

  private static Vector trim(List<Vector> a, int n, String sides) {
    BytesColumn v = Args.bytes(a, 0);
    BytesColumn set = a.size() > 1 ? Args.bytes(a, 1) : null;
    return Build.bytes(
        SqlType.TEXT,
        a,
        n,
        (i, out) -> {
          if (set != null && set.size(i) != 1) {
            out.append(trim(v.string(i), set.string(i), sides));
            return;
          }
          byte c = set == null ? (byte) ' ' : set.data(i)[set.start(i)];
          byte[] d = v.data(i);
          int from = v.start(i);
          int to = v.end(i);
          while (sides.indexOf('l') >= 0 && from < to && d[from] == c) {
            from++;
          }
          while (sides.indexOf('r') >= 0 && to > from && d[to - 1] == c) {
            to--;
          }
          out.append(d, from, to - from);
        });
  }

  private static String trim(String s, String set, String sides) {
    int from = 0;
    int to = s.length();
    while (sides.indexOf('l') >= 0 && from < to && set.indexOf(s.codePointAt(from)) >= 0) {
      from += Character.charCount(s.codePointAt(from));
    }
    while (sides.indexOf('r') >= 0 && to > from && set.indexOf(s.codePointBefore(to)) >= 0) {
      to -= Character.charCount(s.codePointBefore(to));
    }
    return s.substring(from, to);
  }

  private static Vector trimBytes(List<Vector> a, int n, String sides) {
    BytesColumn v = Args.bytes(a, 0);
    BytesColumn set = Args.bytes(a, 1);
    return Build.bytes(
        SqlType.BYTEA,
        a,
        n,
        (i, out) -> {
          byte[] d = v.data(i);
          byte[] s = set.bytes(i);
          int from = v.start(i);
          int to = v.end(i);
          while (sides.indexOf('l') >= 0 && from < to && contains(s, d[from])) {
            from++;
          }
          while (sides.indexOf('r') >= 0 && to > from && contains(s, d[to - 1])) {
            to--;
          }
          out.append(d, from, to - from);
        });
  }

  private static boolean contains(byte[] set, byte c) {
    for (byte b : set) {
      if (b == c) {
        return true;
      }
    }
    return false;
  }

  private static String translate(List<Vector> a, int i) {
    int[] from = str(a, 1, i).codePoints().toArray();
    int[] to = str(a, 2, i).codePoints().toArray();
    var out = new StringBuilder();
    str(a, 0, i)
        .codePoints()
        .forEach(
            c -> {
              for (int k = 0; k < from.length; k++) {
                if (from[k] == c) {
                  if (k < to.length) {
                    out.appendCodePoint(to[k]);
                  }
                  return;
                }
              }
              out.appendCodePoint(c);
            });
    return out.toString();
  }

  private static Vector repeat(List<Vector> a, int n) {
    int[] times = Args.ints(a, 1);
    BytesColumn v = Args.bytes(a, 0);
    return Build.bytes(
        SqlType.TEXT,
        a,
        n,
        (i, out) -> {
          int t = Math.max(0, times[i]);
          long size = (long) t * v.size(i);
          if (size > 1_000_000_000L) {
            throw tooLong();
          }
          byte[] one = v.bytes(i);
          byte[] all = new byte[(int) size];
          for (int k = 0; k < t && one.length > 0; k++) {
            System.arraycopy(one, 0, all, k * one.length, one.length);
          }
          out.append(all);
        });
  }

  private static Vector position(List<Vector> a, int n, boolean chars) {
    BytesColumn v = Args.bytes(a, 0);
    BytesColumn p = Args.bytes(a, 1);
    return Build.ints(
        SqlType.INT4,
        a,
        n,
        i -> {
          byte[] d = v.data(i);
          byte[] q = p.data(i);
          int from = v.start(i);
          int size = p.size(i);
          for (int at = from; at + size <= v.end(i); at++) {
            if (Arrays.equals(d, at, at + size, q, p.start(i), p.end(i))) {
              return (chars ? Utf8.length(d, from, at) : at - from) + 1;
            }
          }
          return 0;
        });
  }

  private static String splitPart(List<Vector> a, int i) {
    String s = str(a, 0, i);
    String d = str(a, 1, i);
    int k = Args.ints(a, 2)[i];
    if (k == 0) {
      throw Errors.invalidParameter("field position must not be zero");
    }
    if (s.isEmpty()) {
      return "";
    }
    if (d.isEmpty()) {
      return k == 1 || k == -1 ? s : "";
    }
    String[] parts = s.split(java.util.regex.Pattern.quote(d), -1);
    int at = k > 0 ? k - 1 : parts.length + k;
    return at >= 0 && at < parts.length ? parts[at] : "";
  }

  private static Vector startsWith(List<Vector> a, int n) {
    BytesColumn v = Args.bytes(a, 0);
    BytesColumn p = Args.bytes(a, 1);
    return Build.bools(
        a,
        n,
        i ->
            v.size(i) >= p.size(i)
                && Arrays.equals(
                    v.data(i),
                    v.start(i),
                    v.start(i) + p.size(i),
                    p.data(i),
                    p.start(i),
                    p.end(i)));
  }

  private static String chr(int c) {
    if (c < 0) {
      throw Errors.invalidParameter("character number must be positive");
    }
    if (c == 0) {
      throw new MillraceException(ErrorCode.PROGRAM_LIMIT_EXCEEDED, "null character not permitted");
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
      throw new MillraceException(
          ErrorCode.PROGRAM_LIMIT_EXCEEDED,
          "requested character "
              + (c > 0x10ffff ? "too large" : "not valid")
              + " for encoding: "
              + c);
    }
    return Character.toString(c);
  }

  private static String overlay(List<Vector> a, int i) {
    int[] s = str(a, 0, i).codePoints().toArray();
    String r = str(a, 1, i);
    int start = Args.ints(a, 2)[i];
    int count = a.size() > 3 ? Args.ints(a, 3)[i] : r.codePointCount(0, r.length());
    if (start <= 0) {
      throw new MillraceException(
          ErrorCode.SUBSTRING_ERROR, "negative substring length not allowed");
    }
    int before = Math.min(start - 1, s.length);
    int after = Math.clamp((long) start - 1 + count, 0, s.length);
    return new String(s, 0, before) + r + new String(s, after, s.length - after);
  }

  private static String normalize(List<Vector> a, int i) {
    String form = str(a, 1, i).toUpperCase(Locale.ROOT);
    return switch (form) {
      case "NFC", "NFD", "NFKC", "NFKD" ->
          Normalizer.normalize(str(a, 0, i), Normalizer.Form.valueOf(form));
      default -> throw Errors.invalidParameter("invalid normalization form: " + form);
    };
  }

  /** concat and concat_ws: NULL arguments are left out. */
  private static ScalarKernel concat(List<SqlType> types, boolean separated) {
    TextOutput output = new TextOutput(types);
    return (a, n, c) -> {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, n);
      var row = new ByteSink();
      for (int i = 0; i < n; i++) {
        if (separated && a.getFirst().isNull(i)) {
          out.appendNull();
          continue;
        }
        row.clear();
        boolean first = true;
        for (int k = separated ? 1 : 0; k < a.size(); k++) {
          if (a.get(k).isNull(i)) {
            continue;
          }
          if (separated && !first) {
            BytesColumn s = Args.bytes(a, 0);
            row.putBytes(s.data(i), s.start(i), s.size(i));
          }
          output.write(k, a.get(k), i, row, c);
          first = false;
        }
        out.append(row.array(), 0, row.position());
      }
      return out.build();
    };
  }

  private static ScalarKernel format(List<SqlType> types) {
    TextOutput output = new TextOutput(types);
    return (a, n, c) -> {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, n);
      for (int i = 0; i < n; i++) {
        if (a.getFirst().isNull(i)) {
          out.appendNull();
        } else {
          out.append(format(str(a, 0, i), a, i, output, c));
        }
      }
      return out.build();
    };
  }

  private static String format(
      String f, List<Vector> a, int row, TextOutput output, EvalContext c) {
    var out = new StringBuilder();
    int next = 1;
    for (int i = 0; i < f.length(); i++) {
      char ch = f.charAt(i);
      if (ch != '%') {
        out.append(ch);
        continue;
      }
      if (++i >= f.length()) {
        throw Errors.invalidParameter("unterminated format() type specifier")
            .withHint("For a single \"%\" use \"%%\".");
      }
      if (f.charAt(i) == '%') {
        out.append('%');
        continue;
      }
      int from = i;
      int number = 0;
      while (i < f.length() && Character.isDigit(f.charAt(i))) {
        number = number * 10 + f.charAt(i++) - '0';
      }
      int argument = -1;
      int width = 0;
      boolean left = false;
      if (i < f.length() && f.charAt(i) == '$' && i > from) {
        argument = number;
        if (argument == 0) {
          throw Errors.invalidParameter(
              "format specifies argument 0, but arguments are numbered from 1");
        }
        i++;
      } else {
        width = number;
      }
      if (i < f.length() && f.charAt(i) == '-') {
        left = true;
        i++;
      }
      if (i < f.length() && f.charAt(i) == '*') {
        i++;
        int w = next++;
        if (w >= a.size()) {
          throw tooFew();
        }
        width = a.get(w).isNull(row) ? 0 : Integer.parseInt(output.text(w, a.get(w), row, c));
        if (width < 0) {
          left = true;
          width = -width;
        }
      } else if (i < f.length() && Character.isDigit(f.charAt(i))) {
        width = 0;
        while (i < f.length() && Character.isDigit(f.charAt(i))) {
          width = width * 10 + f.charAt(i++) - '0';
        }
      }
      if (i >= f.length()) {
        throw Errors.invalidParameter("unterminated format() type specifier")
            .withHint("For a single \"%\" use \"%%\".");
      }
      int arg = argument > 0 ? argument : next;
      next = arg + 1;
      char kind = f.charAt(i);
      if ("sIL".indexOf(kind) < 0) {
        throw Errors.invalidParameter("unrecognized format() type specifier \"" + kind + "\"")
            .withHint("For a single \"%\" use \"%%\".");
      }
      if (arg >= a.size()) {
        throw tooFew();
      }
      boolean isNull = a.get(arg).isNull(row);
      if (isNull && kind == 'I') {
        throw new MillraceException(
            ErrorCode.NULL_VALUE_NOT_ALLOWED,
            "null values cannot be formatted as an SQL identifier");
      }
      String text = isNull ? (kind == 'L' ? "NULL" : "") : output.text(arg, a.get(arg), row, c);
      if (!isNull && kind == 'I') {
        text = quoteIdent(text);
      } else if (!isNull && kind == 'L') {
        text = quoteLiteral(text);
      }
      int missing = width - text.codePointCount(0, text.length());
      String padding = missing > 0 ? " ".repeat(missing) : "";
      out.append(left ? text + padding : padding + text);
    }
    return out.toString();
  }

  private static MillraceException tooFew() {
    return Errors.invalidParameter("too few arguments for format()");
  }

  private static Vector stringToArray(List<Vector> a, int n) {
    SqlType type = SqlType.arrayOf(SqlType.TEXT);
    var out = (VectorBuilder.ArrayRows) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (a.getFirst().isNull(i)) {
        out.appendNull();
        continue;
      }
      splitInto(
          str(a, 0, i),
          a.get(1).isNull(i) ? null : str(a, 1, i),
          a.size() < 3 || a.get(2).isNull(i) ? null : str(a, 2, i),
          (VectorBuilder.Bytes) out.elements());
      out.endRow(null);
    }
    return out.build();
  }

  /** The parts of a text: by its characters if there is no separator. */
  static void splitInto(
      String s, @Nullable String separator, @Nullable String nullText, VectorBuilder.Bytes out) {
    if (s.isEmpty()) {
      return;
    }
    if (separator == null) {
      s.codePoints().forEach(c -> part(Character.toString(c), nullText, out));
      return;
    }
    if (separator.isEmpty()) {
      part(s, nullText, out);
      return;
    }
    int from = 0;
    while (true) {
      int at = s.indexOf(separator, from);
      if (at < 0) {
        part(s.substring(from), nullText, out);
        return;
      }
      part(s.substring(from, at), nullText, out);
      from = at + separator.length();
    }
  }

  private static void part(String s, @Nullable String nullText, VectorBuilder.Bytes out) {
    if (s.equals(nullText)) {
      out.appendNull();
    } else {
      out.append(s.getBytes(StandardCharsets.UTF_8));
    }
  }

  static int intAt(List<Vector> a, int arg, int row) {
    return ((IntVector) a.get(arg)).get(row);
  }
}

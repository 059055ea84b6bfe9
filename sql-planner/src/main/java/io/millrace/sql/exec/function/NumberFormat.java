package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The number templates of to_char and to_number: digits 9 and 0, separators, signs, V, EEEE, RN, TH
 * and literal text, cut into tokens once.
 */
final class NumberFormat {
  private static final String[] KEYS = {
    "EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", "B", "C", "D", "G", "L", "S", "V",
    "eeee", "fm", "mi", "pl", "pr", "rn", "sg", "sp", "th", "b", "c", "d", "g", "l", "s", "v",
    "0", "9", ".", ","
  };

  private record Token(String key, String literal) {}

  private final List<Token> tokens = new ArrayList<>();
  private boolean fill = true;
  private int before;
  private int after;
  private int shift;
  private boolean scientific;
  private boolean roman;
  private boolean lowerRoman;
  private boolean sign;
  private boolean anchored;
  private boolean bracket;
  private boolean hasPoint;
  private int firstZero = -1;
  private int lastAfterZero = -1;

  NumberFormat(String template) {
    boolean point = false;
    boolean scaled = false;
    int i = 0;
    while (i < template.length()) {
      if (template.charAt(i) == '"') {
        int close = template.indexOf('"', i + 1);
        int end = close < 0 ? template.length() : close;
        tokens.add(new Token("", template.substring(i + 1, end)));
        i = end + 1;
        continue;
      }
      String key = key(template, i);
      if (key == null) {
        tokens.add(new Token("", template.substring(i, i + 1)));
        i++;
        continue;
      }
      i += key.length();
      String k = key.toUpperCase(Locale.ROOT);
      switch (k) {
        case "FM" -> fill = false;
        case "0", "9" -> {
          if (scaled) {
            shift++;
          }
          if (point) {
            after++;
            if (k.equals("0")) {
              lastAfterZero = after;
            }
          } else {
            if (k.equals("0") && firstZero < 0) {
              firstZero = before;
            }
            before++;
          }
          tokens.add(new Token(k, ""));
        }
        case ".", "D" -> {
          if (point) {
            throw syntax("multiple decimal points");
          }
          point = true;
          hasPoint = true;
          tokens.add(new Token(".", ""));
        }
        case ",", "G" -> tokens.add(new Token(",", ""));
        case "V" -> scaled = true;
        case "EEEE" -> scientific = true;
        case "RN" -> {
          roman = true;
          lowerRoman = key.equals("rn");
        }
        case "S" -> {
          sign = true;
          anchored = true;
          tokens.add(new Token("S", ""));
        }
        case "MI", "SG" -> {
          sign = true;
          tokens.add(new Token(k, ""));
        }
        case "PL" -> tokens.add(new Token(k, ""));
        case "PR" -> {
          sign = true;
          bracket = true;
        }
        case "TH" -> tokens.add(new Token(key, ""));
        case "L" -> tokens.add(new Token("L", ""));
        default -> {}
      }
    }
  }

  private static MillraceException syntax(String message) {
    return new MillraceException(ErrorCode.SYNTAX_ERROR, message);
  }

  private static @org.jspecify.annotations.Nullable String key(String t, int at) {
    for (String k : KEYS) {
      if (t.startsWith(k, at)) {
        return k;
      }
    }
    return null;
  }

  /** NaN and infinities: a field of # signs, as for numbers that do not fit. */
  String writeSpecial(boolean negative) {
    var out = new StringBuilder();
    if (scientific) {
      return " #.####";
    }
    render("", "", negative, true, out);
    return out.toString();
  }

  String write(BigDecimal value) {
    if (roman) {
      return roman(value);
    }
    if (scientific) {
      return scientific(value);
    }
    BigDecimal v = shift > 0 ? value.movePointRight(shift) : value;
    v = v.setScale(after, RoundingMode.HALF_UP);
    boolean negative = v.signum() < 0;
    String digits = v.abs().unscaledValue().toString();
    while (digits.length() <= after) {
      digits = "0" + digits;
    }
    String whole = digits.substring(0, digits.length() - after);
    String fraction = digits.substring(digits.length() - after);
    if (whole.equals("0")) {
      whole = after > 0 ? "" : "0";
    }
    var out = new StringBuilder();
    render(whole, fraction, negative, whole.length() > before, out);
    return out.toString();
  }

  private void render(
      String whole, String fraction, boolean negative, boolean overflow, StringBuilder out) {
    int leading = Math.max(0, before - (overflow ? before : whole.length()));
    if (firstZero >= 0) {
      leading = Math.min(leading, firstZero);
    }
    // How many digits after the point are shown under FM: to the last 0 of the template or the
    // last digit that is not zero.
    int shown = after;
    if (!fill) {
      int last = fraction.length();
      while (last > 0 && fraction.charAt(last - 1) == '0') {
        last--;
      }
      shown = overflow ? after : Math.max(last, lastAfterZero);
    }
    if (!fill && whole.isEmpty() && shown <= 0 && !overflow) {
      render("0", fraction, negative, false, out);
      return;
    }
    int position = 0;
    int place = 0;
    boolean started = false;
    boolean point = false;
    boolean trailingSign = anchored && !leadingSign();
    boolean floating = !sign || (anchored && !trailingSign) || bracket;
    String mark =
        bracket
            ? (negative ? "<" : (fill ? " " : ""))
            : anchored ? (negative ? "-" : "+") : negative ? "-" : (fill ? " " : "");
    int numbered = 0;
    for (Token t : tokens) {
      switch (t.key()) {
        case "0", "9" -> {
          if (point) {
            place++;
            if (place <= shown) {
              out.append(overflow ? '#' : fraction.charAt(place - 1));
            }
          } else {
            if (position < leading) {
              if (fill) {
                out.append(' ');
              }
            } else {
              if (!started && floating) {
                out.append(mark);
              }
              started = true;
              int at = position - (before - whole.length());
              out.append(overflow ? '#' : at < 0 ? '0' : whole.charAt(at));
            }
            position++;
          }
          numbered = out.length();
        }
        case "." -> {
          if (!started && floating) {
            out.append(mark);
          }
          started = true;
          point = true;
          out.append('.');
          numbered = out.length();
        }
        case "," -> {
          if (started) {
            out.append(',');
          } else if (fill) {
            out.append(' ');
          }
        }
        case "MI" -> {
          if (negative) {
            out.append('-');
          } else if (fill) {
            out.append(' ');
          }
        }
        case "PL" -> {
          if (!negative) {
            out.append('+');
          } else if (fill) {
            out.append(' ');
          }
        }
        case "SG" -> out.append(negative ? '-' : '+');
        case "S" -> {
          if (trailingSign) {
            out.append(negative ? '-' : '+');
          }
        }
        case "L" -> {
          if (fill) {
            out.append(' ');
          }
        }
        case "TH", "th" -> {
          if (!negative && !overflow && after == 0) {
            String th = DateFormat.ordinal(out.substring(0, numbered));
            out.append(t.key().equals("TH") ? th.toUpperCase(Locale.ROOT) : th);
          }
        }
        default -> out.append(t.literal());
      }
    }
    if (!started && floating) {
      out.append(mark);
    }
    if (bracket) {
      out.append(negative ? ">" : fill ? " " : "");
    }
  }

  private boolean leadingSign() {
    for (Token t : tokens) {
      switch (t.key()) {
        case "S" -> {
          return true;
        }
        case "0", "9", "." -> {
          return false;
        }
        default -> {}
      }
    }
    return false;
  }

  private String scientific(BigDecimal value) {
    BigDecimal v =
        value.signum() == 0
            ? BigDecimal.ZERO
            : value.round(new MathContext(after + 1, RoundingMode.HALF_UP));
    int exponent = v.signum() == 0 ? 0 : v.precision() - v.scale() - 1;
    String mantissa =
        v.movePointLeft(exponent).abs().setScale(after, RoundingMode.HALF_UP).toPlainString();
    String e = String.format("e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    return (v.signum() < 0 ? "-" : fill ? " " : "") + mantissa + e;
  }

  private String roman(BigDecimal value) {
    int n = value.setScale(0, RoundingMode.HALF_UP).intValue();
    if (n < 1 || n > 3999) {
      return "###############";
    }
    int[] values = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    String[] marks = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};
    var out = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      while (n >= values[i]) {
        out.append(marks[i]);
        n -= values[i];
      }
    }
    String r = lowerRoman ? out.toString().toLowerCase(Locale.ROOT) : out.toString();
    return fill ? " ".repeat(Math.max(0, 15 - r.length())) + r : r;
  }

  /** Reads a number by the template. */
  BigDecimal read(String text) {
    if (scientific) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "\"EEEE\" not supported for input");
    }
    var digits = new StringBuilder();
    boolean negative = false;
    int at = 0;
    boolean point = false;
    int scale = 0;
    int n = text.length();
    for (Token t : tokens) {
      if (at >= n) {
        break;
      }
      char c = text.charAt(at);
      switch (t.key()) {
        case "0", "9" -> {
          if (c == ' ') {
            at++;
          }
          c = at < n ? text.charAt(at) : 0;
          if ((c == '-' || c == '+' || c == '<') && digits.isEmpty()) {
            negative = c != '+';
            at++;
            c = at < n ? text.charAt(at) : 0;
          }
          if (Character.isDigit(c)) {
            digits.append(c);
            scale += point ? 1 : 0;
          } else if (c == '.' && hasPoint && !point) {
            point = true;
            at++;
            if (at < n && Character.isDigit(text.charAt(at))) {
              digits.append(text.charAt(at));
              scale++;
            }
          }
          at++;
        }
        case "." -> {
          if (c == '.' && !point) {
            point = true;
            at++;
          }
        }
        case "," -> {
          if (c == ',') {
            at++;
          }
        }
        case "S", "MI", "PL", "SG" -> {
          if (c == '-' || c == '+') {
            negative = c == '-';
            at++;
          }
        }
        case "L" -> {
          while (at < n
              && !Character.isDigit(text.charAt(at))
              && "+-.,".indexOf(text.charAt(at)) < 0) {
            at++;
          }
        }
        case "TH", "th" -> at = Math.min(n, at + 2);
        default -> at += t.literal().length();
      }
    }
    if (at < n && text.charAt(at) == '-') {
      negative = true;
    }
    if (digits.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type numeric: \" \"");
    }
    var v = new BigDecimal(new java.math.BigInteger(digits.toString()), scale);
    if (shift > 0) {
      v = Decimals.divide(v, BigDecimal.TEN.pow(shift));
    }
    return negative ? v.negate() : v;
  }
}

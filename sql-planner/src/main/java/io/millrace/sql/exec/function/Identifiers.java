package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** parse_ident: the parts of a qualified name, unquoted ones in lower case. */
final class Identifiers {
  private Identifiers() {}

  static void register(FunctionRegistry.Builder b) {
    b.simple("parse_ident(text,bool)", Identifiers::parse);
  }

  private static Vector parse(List<Vector> a, int n, EvalContext context) {
    return Build.arrays(
        SqlType.arrayOf(SqlType.TEXT),
        a,
        n,
        (i, out) -> {
          for (String part : parts(TextKernels.str(a, 0, i), Args.bools(a, 1)[i])) {
            ((VectorBuilder.Bytes) out.elements()).append(part);
          }
          out.endRow(null);
        });
  }

  /**
   * @param strict nothing may follow the name
   */
  private static List<String> parts(String text, boolean strict) {
    var out = new ArrayList<String>();
    int at = blanks(text, 0);
    while (true) {
      boolean quoted = at < text.length() && text.charAt(at) == '"';
      int from = at;
      if (quoted) {
        var name = new StringBuilder();
        at = quoted(text, at + 1, name);
        if (name.isEmpty()) {
          throw invalid(text).withDetail("Quoted identifier must not be empty.");
        }
        out.add(name.toString());
      } else {
        while (at < text.length() && isPart(text.charAt(at), at == from)) {
          at++;
        }
        if (at == from) {
          throw missing(text, at, out.isEmpty());
        }
        out.add(text.substring(from, at).toLowerCase(Locale.ROOT));
      }
      at = blanks(text, at);
      if (at >= text.length() || text.charAt(at) != '.') {
        if (strict && at < text.length()) {
          throw invalid(text);
        }
        return out;
      }
      at = blanks(text, at + 1);
    }
  }

  private static int blanks(String text, int from) {
    int at = from;
    while (at < text.length() && " \t\n\r\f".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at;
  }

  private static boolean isPart(char c, boolean first) {
    return Character.isLetter(c)
        || c == '_'
        || c >= 128
        || !first && (c >= '0' && c <= '9' || c == '$');
  }

  private static int quoted(String text, int from, StringBuilder name) {
    int at = from;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '"') {
        name.append(c);
      } else if (at < text.length() && text.charAt(at) == '"') {
        name.append('"');
        at++;
      } else {
        return at;
      }
    }
    throw invalid(text).withDetail("String has unclosed double quotes.");
  }

  private static MillraceException missing(String text, int at, boolean first) {
    MillraceException e = invalid(text);
    if (at < text.length() && text.charAt(at) == '.') {
      return e.withDetail("No valid identifier before \".\".");
    }
    return first ? e : e.withDetail("No valid identifier after \".\".");
  }

  private static MillraceException invalid(String text) {
    return Errors.invalidParameter("string is not a valid identifier: \"" + text + "\"");
  }
}

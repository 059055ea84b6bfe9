import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A build step: shapes Calcite's grammar, after its FreeMarker pass, into Millrace's.
 *
 * <p>Three things. A production that our include file defines anew replaces the template's. The
 * parser class keeps only what a parser with a token manager from outside can use, and gets the
 * reader. Every production that cannot be reached from the start production is left out, so that
 * the generated parser is a tenth of Calcite's. An anchor that is not found exactly once fails the
 * build: a newer template must be looked at. The file is written only when its text changes.
 */
final class GrammarShaper {
  private static final String ROOT = "OrderedQueryOrExpr";

  /** Kinds of tokens that no production names: what is read by hand. */
  private static final String[] EXTRA_KINDS = {
    "IDENTIFIER", "COMMA", "LPAREN", "RPAREN", "RESERVED", "OTHER"
  };

  /** Start of a production at the beginning of a line: modifiers, return type, name, parameters. */
  private static final Pattern HEAD =
      Pattern.compile(
          "(?m)^"
              + " ?(JAVACODE\\s+)?(?:(?:public|protected|private)\\s+)?([A-Za-z_][A-Za-z_0-9.]*(?:<[A-Za-z_0-9.,"
              + " <>?]*>)?(?:\\[\\])?)\\s+([A-Za-z_][A-Za-z_0-9]*)\\s*\\(");

  record Production(String name, boolean javaCode, int start, int end, String text) {}

  public static void main(String[] args) throws IOException {
    Path source = Path.of(args[0]);
    Path target = Path.of(args[1]);
    String shaped = shape(Files.readString(source).replace("\r\n", "\n"));
    if (!Files.exists(target) || !Files.readString(target).equals(shaped)) {
      Files.createDirectories(target.getParent());
      Files.write(target, shaped.getBytes(StandardCharsets.UTF_8));
    }
  }

  static String shape(String grammar) {
    int classEnd = grammar.indexOf("PARSER_END(");
    if (classEnd < 0) {
      throw new IllegalStateException("PARSER_END not found");
    }
    String head = parserClass(grammar.substring(0, classEnd));
    String body = grammar.substring(classEnd);
    List<Production> all = productions(body);
    int ourBegin = once(body, "// BEGIN of the productions of Millrace");
    int ourEnd = once(body, "// END of the productions of Millrace");
    Map<String, Production> chosen = new LinkedHashMap<>();
    for (Production p : all) {
      boolean ours = ourBegin < p.start() && p.start() < ourEnd;
      if (ours || !chosen.containsKey(p.name())) {
        chosen.put(p.name(), p);
      }
    }
    Set<String> reached = reach(chosen);
    StringBuilder out = new StringBuilder(head);
    int at = 0;
    for (Production p : all) {
      out.append(body, at, p.start());
      if (chosen.get(p.name()) == p && reached.contains(p.name())) {
        out.append(p.text());
      }
      at = p.end();
    }
    return tokens(out.append(body.substring(at)).toString());
  }

  /**
   * Only the kinds of tokens that the productions name are kept; how they look is our lexer's
   * matter.
   */
  private static String tokens(String grammar) {
    Pattern lexical =
        Pattern.compile(
            "(?m)^(<[A-Z_, ]*>\\s*)?(TOKEN|SKIP|MORE|SPECIAL_TOKEN|TOKEN_MGR_DECLS)\\s*:\\s*\\{");
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (Matcher m = lexical.matcher(grammar); m.find(at); ) {
      out.append(grammar, at, m.start());
      at = matching(grammar, m.end() - 1, '{', '}') + 1;
    }
    out.append(grammar.substring(at));
    Set<String> names = new TreeSet<>(List.of(EXTRA_KINDS));
    Matcher used = Pattern.compile("<([A-Z][A-Z_0-9]*)>").matcher(out);
    while (used.find()) {
      names.add(used.group(1));
    }
    names.remove("EOF");
    out.append("\nTOKEN :\n{\n");
    String separator = "    ";
    for (String name : names) {
      out.append(separator).append("< ").append(name).append(": \"").append(name).append("\" >\n");
      separator = "|   ";
    }
    return out.append("}\n").toString();
  }

  /** The class around the productions: no reader of characters, no metadata, our reader. */
  private static String parserClass(String text) {
    int options = once(text, "UNICODE_INPUT = true;\n");
    text =
        text.substring(0, options)
            + "USER_TOKEN_MANAGER = true;\n    ERROR_REPORTING = false;\n    LOOKAHEAD = 1;\n    "
            + text.substring(options);
    int from = once(text, "extends SqlAbstractParserImpl\n{");
    int to = once(text, "    public void setQuotedCasing(");
    int tail = once(text, "    public SqlNode parseSqlExpressionEof()");
    return text.substring(0, from)
        + """
        extends SqlAbstractParserImpl
        {
            /** Reads what is not grammar, over the same tokens. */
            public QueryReader reader;

            private Casing unquotedCasing;
            private Casing quotedCasing;
            private int identifierMaxLength;
            private SqlConformance conformance;

            public SqlParseException normalizeException(Throwable ex) {
                return convertException(ex);
            }

            private SqlParseException convertException(Throwable ex) {
                return new SqlParseException(ex.getMessage(), null, null, null, ex);
            }

            public Metadata getMetadata() {
                throw new UnsupportedOperationException("tokens come from outside");
            }

            public void setTabSize(int tabSize) {
                throw new UnsupportedOperationException("tokens come from outside");
            }

            public void switchTo(SqlAbstractParserImpl.LexicalState state) {
                throw new UnsupportedOperationException("tokens come from outside");
            }

            public void ReInit(Reader reader) {
                throw new UnsupportedOperationException("tokens come from outside");
            }

        """
        + text.substring(to, tail)
        + """
            public SqlNode parseSqlExpressionEof() throws Exception {
                return reader.expression();
            }

            public SqlNode parseSqlStmtEof() throws Exception {
                return OrderedQueryOrExpr();
            }

            public SqlNodeList parseSqlStmtList() throws Exception {
                return SqlNodeList.of(parseSqlStmtEof());
            }

            public SqlNode parseArray() throws SqlParseException {
                throw new UnsupportedOperationException("arrays are read by their type");
            }
        }

        """;
  }

  private static int once(String text, String anchor) {
    int at = text.indexOf(anchor);
    if (at < 0 || text.indexOf(anchor, at + 1) >= 0) {
      throw new IllegalStateException("not found exactly once: " + anchor);
    }
    return at;
  }

  private static Set<String> reach(Map<String, Production> productions) {
    Map<String, Set<String>> uses = new LinkedHashMap<>();
    Pattern word = Pattern.compile("\\b([A-Za-z_][A-Za-z_0-9]*)\\s*\\(");
    for (Production p : productions.values()) {
      Set<String> used = new HashSet<>();
      Matcher m = word.matcher(p.text());
      while (m.find()) {
        if (productions.containsKey(m.group(1))) {
          used.add(m.group(1));
        }
      }
      uses.put(p.name(), used);
    }
    Set<String> reached = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(ROOT));
    while (!open.isEmpty()) {
      String name = open.pop();
      if (reached.add(name)) {
        open.addAll(uses.get(name));
      }
    }
    return reached;
  }

  private static List<Production> productions(String body) {
    List<Production> found = new ArrayList<>();
    Matcher m = HEAD.matcher(body);
    int at = 0;
    while (m.find(at)) {
      int close = matching(body, m.end() - 1, '(', ')');
      int next = skipBlank(body, close + 1);
      boolean javaCode = m.group(1) != null;
      int end;
      if (javaCode) {
        next = body.startsWith("throws", next) ? body.indexOf('{', next) : next;
        end = body.charAt(next) == '{' ? matching(body, next, '{', '}') + 1 : -1;
      } else if (body.charAt(next) == ':') {
        int declarations = matching(body, skipBlank(body, next + 1), '{', '}');
        end = matching(body, skipBlank(body, declarations + 1), '{', '}') + 1;
      } else {
        end = -1;
      }
      if (end < 0) {
        at = m.end();
        continue;
      }
      found.add(
          new Production(m.group(3), javaCode, m.start(), end, body.substring(m.start(), end)));
      at = end;
    }
    return found;
  }

  private static int skipBlank(String s, int i) {
    while (Character.isWhitespace(s.charAt(i))) {
      i++;
    }
    return i;
  }

  /** Index of the bracket that closes the one at {@code i}; strings and comments do not count. */
  private static int matching(String s, int i, char open, char close) {
    if (s.charAt(i) != open) {
      throw new IllegalStateException(
          "expected " + open + " at: " + s.substring(i, Math.min(s.length(), i + 60)));
    }
    int depth = 0;
    for (; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\'') {
        for (i++; s.charAt(i) != c; i++) {
          if (s.charAt(i) == '\\') {
            i++;
          }
        }
      } else if (s.startsWith("//", i)) {
        i = s.indexOf('\n', i);
      } else if (s.startsWith("/*", i)) {
        i = s.indexOf("*/", i) + 1;
      } else if (c == open) {
        depth++;
      } else if (c == close && --depth == 0) {
        return i;
      }
    }
    throw new IllegalStateException("no closing " + close);
  }
}

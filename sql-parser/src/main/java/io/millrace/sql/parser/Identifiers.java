package io.millrace.sql.parser;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Renames columns in the text of expressions, token by token. */
public final class Identifiers {
  private Identifiers() {}

  /**
   * The expression with one column's name changed. Names of functions, types behind {@code ::}, and
   * what stands in front of a dot are other things and stay.
   *
   * @param next the new name; quoted in the text if it needs it
   */
  public static String renamed(String sql, String old, String next) {
    return change(sql, old, next, false);
  }

  /** The query with a name changed wherever it stands, but for functions and types. */
  public static String replaced(String sql, String old, String next) {
    return change(sql, old, next, true);
  }

  /**
   * A query whose relations have schemas in front where they stand bare behind FROM or JOIN.
   *
   * @param schemas the schema of a relation's name; null leaves it
   * @param commas also behind commas, which may be something else than FROM's
   */
  public static String qualified(
      String sql, Function<String, @Nullable String> schemas, boolean commas) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    var lexer = new SqlLexer();
    lexer.scan(bytes);
    var out = new StringBuilder();
    int from = 0;
    for (int i = 1; i < lexer.count(); i++) {
      byte behind = i + 1 < lexer.count() ? lexer.kind(i + 1) : SqlLexer.END;
      Keyword before = lexer.keyword(i - 1);
      boolean stands =
          before == Keyword.FROM
              || before == Keyword.JOIN
              || (commas && lexer.kind(i - 1) == SqlLexer.COMMA);
      String name = stands ? name(lexer, bytes, i) : "";
      String schema =
          name.isEmpty() || behind == SqlLexer.DOT || behind == SqlLexer.LEFT_PAREN
              ? null
              : schemas.apply(name);
      if (schema != null) {
        out.append(new String(bytes, from, lexer.start(i) - from, StandardCharsets.UTF_8));
        out.append(quoted(schema)).append('.');
        from = lexer.start(i);
      }
    }
    return out.append(new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8))
        .toString();
  }

  private static String change(String sql, String old, String next, boolean beforeDots) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    var lexer = new SqlLexer();
    lexer.scan(bytes);
    var out = new StringBuilder();
    int from = 0;
    for (int i = 0; i < lexer.count(); i++) {
      byte behind = i + 1 < lexer.count() ? lexer.kind(i + 1) : SqlLexer.END;
      boolean isName =
          old.equals(name(lexer, bytes, i))
              && (i == 0 || lexer.kind(i - 1) != SqlLexer.CAST)
              && behind != SqlLexer.LEFT_PAREN
              && (beforeDots || behind != SqlLexer.DOT);
      if (isName) {
        out.append(new String(bytes, from, lexer.start(i) - from, StandardCharsets.UTF_8));
        out.append(quoted(next));
        from = lexer.end(i);
      }
    }
    return out.append(new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8))
        .toString();
  }

  private static String name(SqlLexer lexer, byte[] bytes, int i) {
    String text =
        new String(bytes, lexer.start(i), lexer.end(i) - lexer.start(i), StandardCharsets.UTF_8);
    return switch (lexer.kind(i)) {
      case SqlLexer.WORD -> text.toLowerCase(Locale.ROOT);
      case SqlLexer.QUOTED_IDENTIFIER ->
          text.length() < 2 ? "" : text.substring(1, text.length() - 1).replace("\"\"", "\"");
      default -> "";
    };
  }

  private static String quoted(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }
}

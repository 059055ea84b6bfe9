package io.millrace.sql.plan;

import io.millrace.common.type.SqlType;
import io.millrace.sql.parser.SqlLexer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What statements must share to share plans: their tokens, literals only by their class, and what
 * names are resolved in. Words are folded, comments and blanks are gone.
 *
 * @param tokens per token its kind and, unless it is a literal, its bytes
 */
record Shape(byte[] tokens, int hash, Names names) {
  /**
   * What names and parameters mean.
   *
   * @param declared types given for {@code $1}…
   */
  record Names(String database, List<String> searchPath, List<@Nullable SqlType> declared) {}

  /** Whether a token is a literal, whose value is not part of the shape. */
  static boolean isLiteral(byte kind) {
    return kind >= SqlLexer.INTEGER && kind <= SqlLexer.BIT_STRING;
  }

  /** The shape of the tokens [from, to). */
  static Shape of(SqlLexer lexer, byte[] sql, int from, int to, Names names) {
    byte[] out = new byte[16 + (lexer.end(to - 1) - lexer.start(from)) + 2 * (to - from)];
    int n = 0;
    for (int t = from; t < to; t++) {
      byte kind = lexer.kind(t);
      out[n++] = kind;
      if (isLiteral(kind)) {
        continue;
      }
      int start = lexer.start(t);
      int length = lexer.end(t) - start;
      if (kind == SqlLexer.WORD) {
        for (int i = 0; i < length; i++) {
          byte b = sql[start + i];
          out[n++] = b >= 'A' && b <= 'Z' ? (byte) (b | 32) : b;
        }
        out[n++] = 0;
      } else if (kind == SqlLexer.OPERATOR
          || kind == SqlLexer.PARAMETER
          || kind == SqlLexer.QUOTED_IDENTIFIER
          || kind == SqlLexer.NAMED_ARGUMENT) {
        System.arraycopy(sql, start, out, n, length);
        n += length;
        out[n++] = 0;
      }
    }
    byte[] tokens = Arrays.copyOf(out, n);
    return new Shape(tokens, hash(tokens), names);
  }

  private static int hash(byte[] b) {
    long h = 0xcbf29ce484222325L;
    for (byte x : b) {
      h = (h ^ x) * 0x100000001b3L;
    }
    return (int) (h ^ h >>> 32);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof Shape s
        && hash == s.hash
        && Arrays.equals(tokens, s.tokens)
        && names.equals(s.names);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "shape of %d bytes, hash %08x", tokens.length, hash);
  }
}

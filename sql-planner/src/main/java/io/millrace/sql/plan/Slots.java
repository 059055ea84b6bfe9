package io.millrace.sql.plan;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.parser.SqlLexer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads literal tokens as values of the types that the analyser found for their places: by the
 * type's input function, in the session's zone. What it cannot read as the analyser would, it
 * leaves to the analyser by answering no.
 */
final class Slots {
  private final SqlLexer lexer;
  private final byte[] sql;
  private final SessionFormat format;

  Slots(SqlLexer lexer, byte[] sql, SessionFormat format) {
    this.lexer = lexer;
    this.sql = sql;
    this.format = format;
  }

  /** The value of one token; null if it must be analysed. */
  @Nullable Vector value(int token, boolean negated, SqlType type) {
    VectorBuilder b = VectorBuilder.of(type, 1);
    return append(token, negated, type, TypeCodecs.of(type), b) ? b.build() : null;
  }

  /** Appends the value of a token; false, with the builder as it was, if it must be analysed. */
  boolean append(int token, boolean negated, SqlType type, TypeCodec codec, VectorBuilder out) {
    try {
      return switch (lexer.kind(token)) {
        case SqlLexer.INTEGER, SqlLexer.BIGINT -> integer(token, negated, type, codec, out);
        case SqlLexer.NUMERIC -> number(token, negated, type, codec, out);
        case SqlLexer.STRING, SqlLexer.ESCAPE_STRING, SqlLexer.DOLLAR_STRING -> {
          if (negated) {
            yield false;
          }
          string(token, codec, out);
          yield true;
        }
        default -> false;
      };
    } catch (MillraceException e) {
      return false;
    }
  }

  private boolean integer(
      int token, boolean negated, SqlType type, TypeCodec codec, VectorBuilder out) {
    long value = 0;
    for (int i = lexer.start(token); i < lexer.end(token); i++) {
      int digit = sql[i] - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      value = value * 10 + digit;
    }
    long signed = negated ? -value : value;
    switch (type.kind()) {
      case INT2 -> {
        if (signed != (short) signed) {
          return false;
        }
        ((VectorBuilder.Ints) out).append((int) signed);
        return true;
      }
      case INT4 -> {
        if (signed != (int) signed) {
          return false;
        }
        ((VectorBuilder.Ints) out).append((int) signed);
        return true;
      }
      case INT8 -> {
        ((VectorBuilder.Longs) out).append(signed);
        return true;
      }
      case FLOAT8 -> {
        ((VectorBuilder.Doubles) out).append(signed);
        return true;
      }
      case FLOAT4, NUMERIC -> {
        text(token, negated, codec, out);
        return true;
      }
      case OID -> {
        if (signed < 0 || signed > 4_294_967_295L) {
          return false;
        }
        ((VectorBuilder.Ints) out).append((int) signed);
        return true;
      }
      case TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS -> {
        long unit = unit(type);
        if (signed != 0 && Math.abs(signed) > Long.MAX_VALUE / unit) {
          return false;
        }
        ((VectorBuilder.Longs) out).append(signed * unit);
        return true;
      }
      default -> {
        return false;
      }
    }
  }

  /** How many of the vector's units an integer in a time column's own unit stands for. */
  private static long unit(SqlType type) {
    if (type.kind() == TypeKind.TIMESTAMP_NS) {
      return 1;
    }
    return switch (type.typmod()) {
      case 0 -> 1_000_000;
      case 1, 2, 3 -> 1_000;
      default -> 1;
    };
  }

  private boolean number(
      int token, boolean negated, SqlType type, TypeCodec codec, VectorBuilder out) {
    return switch (type.kind()) {
      case FLOAT4, FLOAT8, NUMERIC -> {
        for (int i = lexer.start(token); i < lexer.end(token); i++) {
          if (sql[i] == '_' || sql[i] == 'x' || sql[i] == 'X') {
            yield false;
          }
        }
        text(token, negated, codec, out);
        yield true;
      }
      default -> false;
    };
  }

  private void text(int token, boolean negated, TypeCodec codec, VectorBuilder out) {
    int start = lexer.start(token);
    int length = lexer.end(token) - start;
    if (!negated) {
      codec.parseText(sql, start, length, out, format);
      return;
    }
    byte[] signed = new byte[length + 1];
    signed[0] = '-';
    System.arraycopy(sql, start, signed, 1, length);
    codec.parseText(signed, 0, signed.length, out, format);
  }

  private void string(int token, TypeCodec codec, VectorBuilder out) {
    int start = lexer.start(token);
    int end = lexer.end(token);
    if (lexer.kind(token) == SqlLexer.STRING && sql[start] == '\'' && plain(start + 1, end - 1)) {
      codec.parseText(sql, start + 1, end - start - 2, out, format);
      return;
    }
    byte[] bytes = lexer.string(token).getBytes(StandardCharsets.UTF_8);
    codec.parseText(bytes, 0, bytes.length, out, format);
  }

  /** No doubled quote and no continuation inside. */
  private boolean plain(int from, int to) {
    for (int i = from; i < to; i++) {
      if (sql[i] == '\'') {
        return false;
      }
    }
    return true;
  }

  /** The token's bytes. */
  byte[] bytes(int token) {
    return Arrays.copyOfRange(sql, lexer.start(token), lexer.end(token));
  }

  boolean same(int token, byte[] bytes) {
    int start = lexer.start(token);
    return Arrays.equals(sql, start, lexer.end(token), bytes, 0, bytes.length);
  }
}

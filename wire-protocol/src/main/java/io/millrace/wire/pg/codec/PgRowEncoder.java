package io.millrace.wire.pg.codec;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.wire.Formats;
import io.millrace.wire.RowEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Result rows from vectors, row by row: 'D', length (patched afterwards), number of fields, and per
 * field its length (patched afterwards) and bytes, NULL by validity. One writer per column, made
 * per batch because a column may be plain in one batch and dictionary-coded in the next; codecs
 * live as long as the encoder, since they keep small caches.
 *
 * Columns whose form is their bytes as stored (text kinds, json, binary bytea and uuid) are copied.
 * Adjacent ones that are dictionary-coded form a group: while none of the codes changes from row to
 * row, the whole block of fields, length prefixes included, is copied from where the last row left
 * it in the very same sink. Rows of a time series repeat their tags, so ten tags cost ten int
 * compares and one copy. The block is forgotten when the sink is emptied.
 */
/** The encoders of a result's columns in PostgreSQL's row format. */
public final class PgRowEncoder implements RowEncoder {
  private static final int MAX_ROW = 1 << 30;

  private final TypeCodec[] codecs;
  private final boolean[] binary;
  private final boolean[] raw;
  private final SessionFormat format;
  private Writer[] writers = new Writer[0];
  private int chunk;

  public PgRowEncoder(List<SqlType> types, Formats formats, SessionFormat format) {
    int n = types.size();
    codecs = new TypeCodec[n];
    binary = new boolean[n];
    raw = new boolean[n];
    this.format = format;
    for (int i = 0; i < n; i++) {
      SqlType type = types.get(i);
      codecs[i] = TypeCodecs.of(travels(type));
      binary[i] = formats.binary(i);
      raw[i] = isRaw(type.kind(), binary[i]);
    }
  }

  /** TIMESTAMP(9) travels in microseconds. */
  private static SqlType travels(SqlType type) {
    return type.kind() == TypeKind.TIMESTAMP_NS ? SqlType.TIMESTAMP : type;
  }

  private static boolean isRaw(TypeKind kind, boolean binary) {
    return switch (kind) {
      case TEXT, VARCHAR, BPCHAR, NAME, UNKNOWN, JSON -> true;
      case JSONB -> !binary;
      case BYTEA, UUID -> binary;
      default -> false;
    };
  }

  @Override
  public int columns() {
    return codecs.length;
  }

  /** Turns to a batch. */
  public void batch(Batch batch) {
    if (batch.width() != codecs.length) {
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR,
          "a batch of " + batch.width() + " columns for a result of " + codecs.length);
    }
    var made = new ArrayList<Writer>(codecs.length);
    for (int i = 0; i < codecs.length; i++) {
      Vector v = batch.column(i);
      if (raw[i] && v instanceof DictVector) {
        int end = i + 1;
        while (end < codecs.length && raw[end] && batch.column(end) instanceof DictVector) {
          end++;
        }
        made.add(new Group(batch, i, end));
        i = end - 1;
      } else if (raw[i] && v instanceof BytesColumn bytes) {
        made.add(new Raw(bytes));
      } else if (binary[i]) {
        made.add(new Binary(micros(v), codecs[i]));
      } else {
        made.add(new Text(micros(v), codecs[i], format));
      }
    }
    writers = made.toArray(new Writer[0]);
  }

  private static Vector micros(Vector v) {
    if (v.type().kind() != TypeKind.TIMESTAMP_NS || !(v instanceof LongVector nanos)) {
      return v;
    }
    long[] from = nanos.values();
    long[] to = new long[v.length()];
    for (int i = 0; i < to.length; i++) {
      to[i] = Math.floorDiv(from[i], 1000L);
    }
    return new LongVector(SqlType.TIMESTAMP, to, to.length, v.validity());
  }

  /** The sink has been emptied: blocks in it are gone. */
  public void sinkEmptied() {
    chunk++;
  }

  /**
   * Appends a DataRow.
   *
   * @throws MillraceException if a value has no such form or the row is too long; the sink is as it
   *     was
   */
  public void row(int row, ByteSink out) {
    int start = out.position();
    try {
      out.put('D');
      out.putInt(0);
      out.putShort(codecs.length);
      for (Writer w : writers) {
        w.put(row, out, chunk);
      }
      int length = out.position() - start - 1;
      if (length > MAX_ROW) {
        throw tooLong();
      }
      out.setInt(start + 1, length);
    } catch (ArithmeticException e) {
      out.position(start);
      chunk++;
      throw tooLong();
    } catch (RuntimeException e) {
      out.position(start);
      chunk++;
      throw e;
    }
  }

  private static MillraceException tooLong() {
    return new MillraceException(
        ErrorCode.PROGRAM_LIMIT_EXCEEDED, "a row exceeds the limit of " + MAX_ROW + " bytes");
  }

  private abstract static class Writer {
    abstract void put(int row, ByteSink out, int chunk);
  }

  private static final class Text extends Writer {
    private final Vector v;
    private final TypeCodec codec;
    private final SessionFormat format;

    Text(Vector v, TypeCodec codec, SessionFormat format) {
      this.v = v;
      this.codec = codec;
      this.format = format;
    }

    @Override
    void put(int row, ByteSink out, int chunk) {
      if (v.isNull(row)) {
        out.putInt(-1);
        return;
      }
      int at = out.position();
      out.putInt(0);
      codec.writeText(v, row, out, format);
      out.setInt(at, out.position() - at - 4);
    }
  }

  private static final class Binary extends Writer {
    private final Vector v;
    private final TypeCodec codec;

    Binary(Vector v, TypeCodec codec) {
      this.v = v;
      this.codec = codec;
    }

    @Override
    void put(int row, ByteSink out, int chunk) {
      if (v.isNull(row)) {
        out.putInt(-1);
        return;
      }
      int at = out.position();
      out.putInt(0);
      codec.writeBinary(v, row, out);
      out.setInt(at, out.position() - at - 4);
    }
  }

  private static final class Raw extends Writer {
    private final BytesColumn v;

    Raw(BytesColumn v) {
      this.v = v;
    }

    @Override
    void put(int row, ByteSink out, int chunk) {
      if (v.isNull(row)) {
        out.putInt(-1);
        return;
      }
      int from = v.start(row);
      int n = v.end(row) - from;
      out.putInt(n);
      out.putBytes(v.data(row), from, n);
    }
  }

  private static final class Group extends Writer {
    private final int[][] codes;
    private final long[] @Nullable [] validity;
    private final DictVector.Dictionary[] dictionaries;
    private final int[] last;
    private int lastChunk = -1;
    private int from;
    private int length;

    Group(Batch batch, int first, int end) {
      int n = end - first;
      codes = new int[n][];
      validity = new long[n][];
      dictionaries = new DictVector.Dictionary[n];
      last = new int[n];
      Arrays.fill(last, -2);
      for (int i = 0; i < n; i++) {
        var v = (DictVector) batch.column(first + i);
        codes[i] = v.codes();
        validity[i] = v.validity();
        dictionaries[i] = v.dictionary();
      }
    }

    @Override
    void put(int row, ByteSink out, int chunk) {
      boolean same = chunk == lastChunk;
      for (int i = 0; i < last.length; i++) {
        long[] valid = validity[i];
        int code = valid != null && (valid[row >> 6] >>> row & 1) == 0 ? -1 : codes[i][row];
        same &= code == last[i];
        last[i] = code;
      }
      int at = out.position();
      if (same) {
        out.ensure(length);
        out.putBytes(out.array(), from, length);
      } else {
        for (int i = 0; i < last.length; i++) {
          int code = last[i];
          if (code < 0) {
            out.putInt(-1);
          } else {
            DictVector.Dictionary dictionary = dictionaries[i];
            int start = dictionary.start(code);
            int n = dictionary.end(code) - start;
            out.putInt(n);
            out.putBytes(dictionary.data(code), start, n);
          }
        }
      }
      from = at;
      length = out.position() - at;
      lastChunk = chunk;
    }
  }
}

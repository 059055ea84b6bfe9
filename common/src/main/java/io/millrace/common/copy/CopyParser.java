package io.millrace.common.copy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Reads COPY data in chunks, as they come, straight into column vectors.
 *
 * <p>Use: {@link #feed} until all of a chunk is consumed, {@link #take} whenever {@link #full},
 * then {@link #finish} and a last take. A row is found first, then cut into fields. A row that goes
 * over the end of a chunk is kept aside together with the state of the search for its end, so that
 * no byte is searched twice. Owned by one thread at a time. After an error the parser is of no
 * further use.
 */
public abstract sealed class CopyParser
    permits TextCopyParser, BinaryCopyParser, ColumnarCopyParser {
  /** The longest row. */
  public static final int MAX_ROW = 64 << 20;

  /** The bytes of a text that are looked at for an error's context. */
  private static final int SHOWN_BYTES = 400;

  final String table;
  final List<String> names;
  final SessionFormat format;
  final TypeCodec[] codecs;
  final VectorBuilder[] builders;
  final ByteSink pending = new ByteSink(4096);
  private final int limit;
  private final long[] rowLines;
  private final ByteSink rowTexts = new ByteSink(4096);
  private final int[] rowTextEnds;
  int rows;
  long line;
  boolean ended;

  CopyParser(
      String table,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    this.table = table;
    this.names = List.copyOf(names);
    this.format = format;
    this.limit = limit;
    rowLines = new long[limit];
    rowTextEnds = new int[limit];
    codecs = new TypeCodec[types.size()];
    builders = new VectorBuilder[types.size()];
    for (int i = 0; i < codecs.length; i++) {
      codecs[i] = TypeCodecs.full(types.get(i), now);
      builders[i] = VectorBuilder.of(types.get(i), limit);
    }
  }

  /**
   * A parser for the format of the options.
   *
   * @param table for error contexts
   * @param names the columns of the data, in order
   * @param types their types, modifiers applied
   * @param now the transaction's time, for inputs such as 'now'
   * @param limit rows per batch
   */
  public static CopyParser of(
      CopyOptions options,
      String table,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    return switch (options.format()) {
      case BINARY -> new BinaryCopyParser(table, names, types, format, now, limit);
      case ARROW -> new ArrowCopyParser(table, names, types, format, now, limit);
      case TEXT, CSV -> new TextCopyParser(options, table, names, types, format, now, limit);
    };
  }

  /** Reads rows from a chunk until it is used up or a batch is full; returns the bytes consumed. */
  public abstract int feed(byte[] b, int off, int len);

  /** The data is at its end; a last row without a line end counts. */
  public abstract void finish();

  public final int rows() {
    return rows;
  }

  /** Whether the rows so far make a batch that must be taken before more is fed. */
  public final boolean full() {
    return rows >= limit;
  }

  /** Lines read so far, for reports; rows of binary data. */
  public final long lines() {
    return line;
  }

  /** The line of a row of the last take, until more is fed. */
  public final long line(int row) {
    return rowLines[row];
  }

  /** Where a row of the last take stands, with its text if it has one; until more is fed. */
  public final String where(int row) {
    int from = row == 0 ? 0 : rowTextEnds[row - 1];
    int to = rowTextEnds[row];
    return where(table, rowLines[row]) + shownRow(rowTexts.array(), from, to);
  }

  /** The context of errors that a line of the data caused. */
  public static String where(String table, long line) {
    return "COPY " + table + ", line " + line;
  }

  /** What {@link #where} adds for a row's text. */
  abstract String shownRow(byte[] b, int from, int to);

  /** Takes the row that was read now; remembers as much of its text as errors show. */
  final void rowRead(byte[] b, int from, int to) {
    if (rows == 0) {
      rowTexts.clear();
    }
    rowTexts.putBytes(b, from, Math.min(to - from, SHOWN_BYTES));
    rowLines[rows] = line;
    rowTextEnds[rows] = rowTexts.position();
    rows++;
  }

  /** The rows read since the last take. */
  public final Batch take() {
    var columns = new ArrayList<Vector>(builders.length);
    for (VectorBuilder v : builders) {
      columns.add(v.build());
    }
    var out = new Batch(columns, rows);
    rows = 0;
    return out;
  }

  final void keep(byte[] b, int from, int to) {
    if (pending.position() + (long) (to - from) > MAX_ROW) {
      throw tooLong();
    }
    pending.putBytes(b, from, to - from);
  }

  final MillraceException tooLong() {
    return new MillraceException(
            ErrorCode.PROGRAM_LIMIT_EXCEEDED,
            "row of COPY data is larger than " + (MAX_ROW >> 20) + " MiB")
        .withWhere("COPY " + table + ", line " + (line + 1));
  }

  final MillraceException badFormat(String message) {
    return new MillraceException(ErrorCode.BAD_COPY_FILE_FORMAT, message);
  }

  static String shown(byte[] b, int from, int to) {
    String s = new String(b, from, Math.min(to - from, SHOWN_BYTES), StandardCharsets.UTF_8);
    if (s.codePointCount(0, s.length()) > 100) {
      return s.substring(0, s.offsetByCodePoints(0, 100)) + "...";
    }
    return s;
  }
}

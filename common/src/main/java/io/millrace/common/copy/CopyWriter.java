package io.millrace.common.copy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.arrow.ArrowWriter;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows of batches as COPY data. Values go straight into the sink; only what then turns out
 * to hold a special byte is written once more with escapes. Owned by one thread at a time.
 */
public final class CopyWriter {
  private final CopyOptions options;
  private final List<String> names;
  private final SessionFormat format;
  private final TypeCodec[] codecs;
  private final boolean[] plain;
  private final boolean[] forced;
  private final byte[] nullText;
  private final @Nullable ArrowWriter arrow;

  public CopyWriter(
      CopyOptions options, List<String> names, List<SqlType> types, SessionFormat format) {
    this.options = options;
    this.names = List.copyOf(names);
    this.format = format;
    codecs = new TypeCodec[types.size()];
    plain = new boolean[codecs.length];
    forced = new boolean[codecs.length];
    for (int i = 0; i < codecs.length; i++) {
      codecs[i] = TypeCodecs.full(types.get(i));
      plain[i] =
          switch (types.get(i).kind()) {
            case INT2, INT4, INT8, BOOL, OID ->
                options.delimiter() == '\t' || options.delimiter() == ',';
            default -> false;
          };
      forced[i] = options.forceQuote().contains(names.get(i));
    }
    nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
    arrow =
        options.format() == CopyOptions.Format.ARROW ? new ArrowWriter(names, types, format) : null;
  }

  /** Whether rows go by the batch: {@link #batch} instead of {@link #row}. */
  public boolean byBatch() {
    return arrow != null;
  }

  /** Whether rows go in COPY's binary form. */
  public boolean isBinary() {
    return options.format() == CopyOptions.Format.BINARY;
  }

  /** Rows of a batch. */
  public void batch(Batch batch, int from, int count, ByteSink out) {
    if (arrow == null) {
      for (int i = from; i < from + count; i++) {
        row(batch, i, out);
      }
    } else {
      arrow.rows(batch, from, count, out);
    }
  }

  /** What stands before the rows: the signature, the schema or the header line, if any. */
  public void begin(ByteSink out) {
    if (arrow != null) {
      arrow.begin(out);
      return;
    }
    switch (options.format()) {
      case ARROW -> {}
      case BINARY -> {
        out.putBytes(BinaryCopyParser.SIGNATURE);
        out.putInt(0);
        out.putInt(0);
      }
      case CSV, TEXT -> {
        if (options.header()) {
          for (int i = 0; i < names.size(); i++) {
            if (i > 0) {
              out.put(options.delimiter());
            }
            int from = out.position();
            out.putText(names.get(i));
            protect(out, from, false);
          }
          out.put('\n');
        }
      }
    }
  }

  /** One row. */
  public void row(Batch batch, int row, ByteSink out) {
    if (options.format() == CopyOptions.Format.BINARY) {
      binary(batch, row, out);
      return;
    }
    for (int i = 0; i < codecs.length; i++) {
      if (i > 0) {
        out.put(options.delimiter());
      }
      Vector v = batch.column(i);
      if (v.isNull(row)) {
        out.putBytes(nullText);
        continue;
      }
      int from = out.position();
      codecs[i].writeText(v, row, out, format);
      if (!plain[i] || forced[i]) {
        protect(out, from, forced[i]);
      }
    }
    out.put('\n');
  }

  /** What stands after the rows: the trailer of binary formats. */
  public void end(ByteSink out) {
    if (arrow != null) {
      arrow.end(out);
    }
    if (options.format() == CopyOptions.Format.BINARY) {
      out.putShort(-1);
    }
  }

  private void binary(Batch batch, int row, ByteSink out) {
    out.putShort(codecs.length);
    for (int i = 0; i < codecs.length; i++) {
      Vector v = batch.column(i);
      if (v.isNull(row)) {
        out.putInt(-1);
        continue;
      }
      int at = out.position();
      out.putInt(0);
      codecs[i].writeBinary(v, row, out);
      out.setInt(at, out.position() - at - 4);
    }
  }

  /** Rewrites the value that begins at {@code from} with escapes or quotes if it needs them. */
  private void protect(ByteSink out, int from, boolean force) {
    byte[] b = out.array();
    int to = out.position();
    boolean csv = options.format() == CopyOptions.Format.CSV;
    boolean special = force;
    byte delimiter = options.delimiter();
    byte quote = options.quote();
    for (int i = from; i < to && !special; i++) {
      byte c = b[i];
      special =
          c == delimiter
              || (csv
                  ? c == quote || c == '\n' || c == '\r'
                  : c == '\\' || (c >= '\b' && c <= '\r'));
    }
    if (csv && !special) {
      boolean isNull =
          to - from == nullText.length
              && java.util.Arrays.equals(b, from, to, nullText, 0, nullText.length);
      boolean isEnd = codecs.length == 1 && to - from == 2 && b[from] == '\\' && b[from + 1] == '.';
      special = isNull || isEnd;
    }
    if (!special) {
      return;
    }
    byte[] value = java.util.Arrays.copyOfRange(b, from, to);
    out.position(from);
    if (csv) {
      byte escape = options.escape();
      out.put(quote);
      for (byte c : value) {
        if (c == quote || c == escape) {
          out.put(escape);
        }
        out.put(c);
      }
      out.put(quote);
      return;
    }
    for (byte c : value) {
      switch (c) {
        case '\\' -> out.putText("\\\\");
        case '\b' -> out.putText("\\b");
        case '\f' -> out.putText("\\f");
        case '\n' -> out.putText("\\n");
        case '\r' -> out.putText("\\r");
        case '\t' -> out.putText("\\t");
        case 11 -> out.putText("\\v");
        default -> {
          if (c == delimiter) {
            out.put('\\');
          }
          out.put(c);
        }
      }
    }
  }
}

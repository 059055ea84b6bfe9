package io.millrace.common.copy;

import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import java.util.List;
import java.util.function.LongSupplier;

/** COPY binary: a signature, then per row a field count and length-prefixed values. */
final class BinaryCopyParser extends CopyParser {
  static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};

  private boolean headerRead;

  BinaryCopyParser(
      String table,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    super(table, names, types, format, now, limit);
  }

  @Override
  public int feed(byte[] b, int off, int len) {
    if (ended) {
      return len;
    }
    if (pending.position() == 0) {
      int used = run(b, off, off + len);
      if (!full() && !ended) {
        keep(b, off + used, off + len);
        return len;
      }
      return ended ? len : used;
    }
    int before = pending.position();
    keep(b, off, off + len);
    int used = run(pending.array(), 0, pending.position());
    if (ended) {
      pending.clear();
      return len;
    }
    if (full()) {
      // Bytes that were kept are in rows now; the rest goes back to the caller.
      pending.clear();
      return Math.max(0, used - before);
    }
    byte[] rest = java.util.Arrays.copyOfRange(pending.array(), used, pending.position());
    pending.clear();
    pending.putBytes(rest);
    return len;
  }

  @Override
  public void finish() {
    if (!ended && (pending.position() > 0 || !headerRead)) {
      throw context(
          badFormat(
              headerRead ? "unexpected EOF in COPY data" : "COPY file signature not recognized"));
    }
    ended = true;
  }

  @Override
  String shownRow(byte[] b, int from, int to) {
    return "";
  }

  private MillraceException context(MillraceException e) {
    return e.withWhere("COPY " + table + ", line " + (line + 1));
  }

  /** Reads whole rows; returns the bytes used. */
  private int run(byte[] b, int from, int end) {
    int at = from;
    if (!headerRead) {
      int n = header(b, from, end);
      if (n < 0) {
        return 0;
      }
      at += n;
      headerRead = true;
    }
    while (!full() && !ended) {
      int size = rowSize(b, at, end);
      if (size < 0) {
        break;
      }
      if (ended) {
        at += size;
        break;
      }
      line++;
      row(b, at);
      rowRead(b, at, at);
      at += size;
    }
    return at - from;
  }

  private int header(byte[] b, int from, int end) {
    for (int i = 0; i < SIGNATURE.length && from + i < end; i++) {
      if (b[from + i] != SIGNATURE[i]) {
        throw badFormat("COPY file signature not recognized");
      }
    }
    if (end - from < SIGNATURE.length + 8) {
      return -1;
    }
    int flags = ByteSink.getInt(b, from + SIGNATURE.length);
    int extension = ByteSink.getInt(b, from + SIGNATURE.length + 4);
    if ((flags & 0xffff0000) != 0) {
      throw badFormat("unrecognized critical flags in COPY file header");
    }
    if (extension < 0 || extension > MAX_ROW) {
      throw badFormat("invalid COPY file header (missing length)");
    }
    int size = SIGNATURE.length + 8 + extension;
    return end - from < size ? -1 : size;
  }

  /** Bytes of the row at a place; -1 if it is not whole; sets {@link #ended} at the trailer. */
  private int rowSize(byte[] b, int from, int end) {
    if (end - from < 2) {
      return -1;
    }
    int fields = ByteSink.getShort(b, from);
    if (fields == -1) {
      ended = true;
      return 2;
    }
    if (fields != codecs.length) {
      throw context(badFormat("row field count is " + fields + ", expected " + codecs.length));
    }
    long at = from + 2L;
    for (int i = 0; i < fields; i++) {
      if (end - at < 4) {
        return -1;
      }
      int n = ByteSink.getInt(b, (int) at);
      if (n < -1) {
        throw context(badFormat("invalid field size"));
      }
      at += 4 + Math.max(0, n);
      if (at - from > MAX_ROW) {
        throw tooLong();
      }
      if (at > end) {
        return -1;
      }
    }
    return (int) (at - from);
  }

  private void row(byte[] b, int from) {
    int at = from + 2;
    for (int i = 0; i < codecs.length; i++) {
      int n = ByteSink.getInt(b, at);
      at += 4;
      if (n < 0) {
        builders[i].appendNull();
        continue;
      }
      try {
        codecs[i].parseBinary(b, at, n, builders[i]);
      } catch (MillraceException e) {
        throw e.withWhere("COPY " + table + ", line " + line + ", column " + names.get(i));
      }
      at += n;
    }
  }
}

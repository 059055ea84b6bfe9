package io.millrace.common.copy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.arrow.ArrowReader;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import java.util.List;
import java.util.function.LongSupplier;

/*
 * An Arrow IPC stream as COPY data.
 *
 * While rows of a record batch are left, its last byte counts as not yet consumed, so that whoever
 * feeds comes back for them.
 */
final class ArrowCopyParser extends ColumnarCopyParser {
  private final ArrowReader reader = new ArrowReader();
  private boolean held;

  ArrowCopyParser(
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
    int p = off;
    int end = off + len;
    if (held && len > 0) {
      drain();
      if (waiting()) {
        return 0;
      }
      held = false;
      p++;
    }
    while (p < end && !full()) {
      if (reader.ended()) {
        throw error("data after the end of the Arrow stream");
      }
      int n = Math.min(end - p, reader.missing());
      reader.put(b, p, n);
      p += n;
      if (reader.missing() == 0 && !reader.ended()) {
        message();
        if (waiting()) {
          held = true;
          return p - off - 1;
        }
      }
    }
    return p - off;
  }

  private void message() {
    boolean known = reader.schemaRead();
    Batch batch = reader.message();
    if (!known && reader.schemaRead()) {
      match(reader.names(), reader.types(), "the Arrow stream", true);
    }
    if (batch != null && batch.rows() > 0) {
      begin(batch);
    }
  }

  @Override
  public void finish() {
    if (!reader.between() || !reader.schemaRead()) {
      throw error("the Arrow stream ends too early");
    }
  }
}

package io.millrace.common.copy;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Rows that somebody else reads as batches, such as those of a Parquet file. Use: {@link #put} a
 * batch and take rows while {@link #more}. Fields that are no columns are left out.
 */
public final class BatchCopyParser extends ColumnarCopyParser {
  /**
   * A parser.
   *
   * @param fields the columns of the batches
   * @param fieldTypes their types
   * @param names the columns that are wanted, each one of the fields
   */
  public BatchCopyParser(
      String table,
      List<String> fields,
      List<SqlType> fieldTypes,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    super(table, names, types, format, now, limit);
    match(fields, fieldTypes, "the file", false);
  }

  public void put(Batch batch) {
    begin(batch);
  }

  /** Goes on with the batch; whether rows of it are left for another time. */
  public boolean more() {
    if (waiting()) {
      drain();
    }
    return waiting();
  }

  @Override
  public int feed(byte[] b, int off, int len) {
    throw new UnsupportedOperationException("rows come as batches");
  }

  @Override
  public void finish() {}
}

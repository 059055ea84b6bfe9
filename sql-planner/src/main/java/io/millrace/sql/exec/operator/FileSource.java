package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.spill.SpillFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a temporary file and deletes it at the end; no file is no rows. */
final class FileSource extends BaseOperator {
  private final @Nullable SpillFile file;
  private final SpillFile.@Nullable Reader reader;

  FileSource(Execution run, @Nullable SpillFile file, List<SqlType> types) {
    super(run);
    this.file = file;
    reader = file == null ? null : file.reader(types);
  }

  @Override
  Step next(Slice slice) {
    Batch b = reader == null ? null : reader.next();
    return b == null ? Step.Signal.DONE : new Step.Out(b);
  }

  @Override
  void release() {
    if (file != null) {
      file.close();
    }
  }
}

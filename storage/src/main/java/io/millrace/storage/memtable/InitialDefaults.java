package io.millrace.storage.memtable;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Values of columns for rows older than the column. */
public final class InitialDefaults {
  private InitialDefaults() {}

  /** The default as a one-row vector; null where it is NULL. */
  public static @Nullable Vector of(ColumnSchema column) {
    String text = column.initialDefault();
    if (text == null) {
      return null;
    }
    VectorBuilder b = VectorBuilder.of(column.type(), 1);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    TypeCodecs.of(column.type()).parseText(bytes, 0, bytes.length, b, SessionFormat.DEFAULT);
    return b.build();
  }
}

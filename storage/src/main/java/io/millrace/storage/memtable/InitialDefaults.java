package io.millrace.storage.memtable;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.ColumnSchema;
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
    switch (b) {
      case VectorBuilder.Bools x -> x.append(text.startsWith("t"));
      case VectorBuilder.Ints x -> x.append(Integer.parseInt(text));
      case VectorBuilder.Longs x -> x.append(Long.parseLong(text));
      case VectorBuilder.Floats x -> x.append(Float.parseFloat(text));
      case VectorBuilder.Doubles x -> x.append(Double.parseDouble(text));
      case VectorBuilder.Bytes x -> x.append(text.getBytes(StandardCharsets.UTF_8));
      case VectorBuilder.Numerics x -> x.append(new java.math.BigDecimal(text));
      default -> b.appendNull();
    }
    return b.build();
  }
}

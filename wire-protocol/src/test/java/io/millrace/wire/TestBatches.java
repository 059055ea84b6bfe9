package io.millrace.wire;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes batches from text. */
public final class TestBatches {
  private TestBatches() {}

  public static Batch of(List<SqlType> types, List<List<@Nullable String>> rows) {
    var columns = new ArrayList<Vector>();
    for (int c = 0; c < types.size(); c++) {
      var values = new ArrayList<@Nullable String>();
      for (List<@Nullable String> row : rows) {
        values.add(row.get(c));
      }
      columns.add(column(types.get(c), values));
    }
    return new Batch(columns, rows.size());
  }

  public static Vector column(SqlType type, List<@Nullable String> values) {
    TypeCodec codec = TypeCodecs.of(type);
    VectorBuilder builder = VectorBuilder.of(type, values.size());
    for (String value : values) {
      if (value == null) {
        builder.appendNull();
      } else {
        byte[] b = value.getBytes(StandardCharsets.UTF_8);
        codec.parseText(b, 0, b.length, builder, SessionFormat.DEFAULT);
      }
    }
    return builder.build();
  }

  /** A dictionary column; code -1 = NULL. */
  public static DictVector dictionary(SqlType type, List<String> entries, int... codes) {
    int[] offsets = new int[entries.size() + 1];
    byte[] bytes = String.join("", entries).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < entries.size(); i++) {
      offsets[i + 1] = offsets[i] + entries.get(i).getBytes(StandardCharsets.UTF_8).length;
    }
    boolean nulls = false;
    long[] validity = new long[codes.length / 64 + 1];
    for (int i = 0; i < codes.length; i++) {
      if (codes[i] < 0) {
        nulls = true;
      } else {
        validity[i >> 6] |= 1L << i;
      }
    }
    var dictionary = new DictVector.FixedDictionary(offsets, bytes, entries.size(), false);
    return new DictVector(type, codes, dictionary, codes.length, nulls ? validity : null);
  }
}

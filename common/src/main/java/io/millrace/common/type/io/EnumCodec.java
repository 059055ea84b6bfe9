package io.millrace.common.type.io;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.EnumLabels;
import io.millrace.common.type.SqlType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Enumerations: numbers in vectors, labels outside. */
final class EnumCodec implements TypeCodec {
  private final SqlType type;
  private final Map<String, Long> numbers = new HashMap<>();
  private long lastNumber;
  private byte @Nullable [] lastLabel;

  EnumCodec(SqlType type) {
    this.type = type;
    EnumLabels labels = type.labels();
    if (labels != null) {
      labels.labels().forEach(l -> numbers.put(l.text(), l.number()));
    }
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    writeBinary(v, row, out);
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    byte[] label = label(((LongVector) v).get(row));
    out.putBytes(label, 0, label.length);
  }

  private byte[] label(long number) {
    byte[] known = lastLabel;
    if (known != null && lastNumber == number) {
      return known;
    }
    EnumLabels labels = type.labels();
    String text = labels == null ? null : labels.text(number);
    if (text == null) {
      throw new MillraceException(
          ErrorCode.INVALID_BINARY_REPRESENTATION, "invalid internal value for enum: " + number);
    }
    byte[] label = text.getBytes(StandardCharsets.UTF_8);
    lastNumber = number;
    lastLabel = label;
    return label;
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    parseBinary(b, off, len, out);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Utf8.check(b, off, len);
    String text = new String(b, off, len, StandardCharsets.UTF_8);
    Long number = numbers.get(text);
    if (number == null) {
      throw new MillraceException(
          ErrorCode.INVALID_TEXT_REPRESENTATION,
          "invalid input value for enum " + type.sqlName() + ": \"" + text + "\"");
    }
    ((VectorBuilder.Longs) out).append(number);
  }
}

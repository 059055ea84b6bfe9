package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Json;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQL values as JSON text, by to_json's rules: numbers bare, times in ISO 8601, the rest quoted.
 */
final class ToJson {
  private final SqlType type;
  private final TypeCodec codec;
  private final @Nullable ToJson element;
  private final List<ToJson> fields = new ArrayList<>();
  private final ByteSink scratch = new ByteSink();
  private final boolean pretty;

  ToJson(SqlType type) {
    this(type, false);
  }

  /**
   * @param pretty line feeds between the elements of the outermost level
   */
  ToJson(SqlType type, boolean pretty) {
    this.type = type;
    this.pretty = pretty;
    codec = TypeCodecs.full(type);
    element = type.isArray() && type.element() != null ? new ToJson(type.elementType()) : null;
    for (SqlType.Field f : type.fields()) {
      fields.add(new ToJson(f.type()));
    }
  }

  void write(Vector v, int row, ByteSink out, EvalContext c) {
    if (v.isNull(row)) {
      out.putText("null");
      return;
    }
    switch (type.kind()) {
      case BOOL -> out.putText(((BoolVector) v).get(row) ? "true" : "false");
      case INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC -> {
        text(v, row, c);
        byte first = scratch.array()[scratch.position() > 1 ? 1 : 0];
        boolean number = first >= '0' && first <= '9' || first == '.' || first == 'e';
        if (number) {
          out.putBytes(scratch.array(), 0, scratch.position());
        } else {
          Json.quote(scratch.array(), 0, scratch.position(), out);
        }
      }
      case JSON, JSONB -> {
        var b = (BytesColumn) v;
        out.putBytes(b.data(row), b.start(row), b.size(row));
      }
      case ARRAY, INT2VECTOR, OIDVECTOR, ANYARRAY -> array((ArrayVector) v, row, out, c);
      case RECORD -> {
        var r = (RecordVector) v;
        out.put('{');
        for (int i = 0; i < fields.size(); i++) {
          if (i > 0) {
            out.putText(pretty ? ",\n " : ",");
          }
          Json.quote(r.type().fields().get(i).name(), out);
          out.put(':');
          fields.get(i).write(r.children().get(i), row, out, c);
        }
        out.put('}');
      }
      case DATE, TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ -> {
        text(v, row, c);
        byte[] s = scratch.array();
        int n = scratch.position();
        out.put('"');
        for (int i = 0; i < n; i++) {
          out.put(s[i] == ' ' && i < n - 2 && s[i + 1] != 'B' ? 'T' : s[i]);
        }
        if (type.kind() == TypeKind.TIMESTAMPTZ
            && n > 3
            && (s[n - 3] == '+' || s[n - 3] == '-')
            && s[n - 1] != 'y') {
          out.putText(":00");
        }
        out.put('"');
      }
      default -> {
        text(v, row, c);
        Json.quote(scratch.array(), 0, scratch.position(), out);
      }
    }
  }

  private void text(Vector v, int row, EvalContext c) {
    scratch.clear();
    SessionFormat f = c.format();
    boolean time = type.kind() == TypeKind.DATE || type.kind().isTimestamp();
    if (time && f.dateStyle() != SessionFormat.DateStyle.ISO) {
      f =
          new SessionFormat(
              f.zone(),
              SessionFormat.DateStyle.ISO,
              f.dateOrder(),
              f.intervalStyle(),
              f.extraFloatDigits(),
              f.byteaHex());
    }
    codec.writeText(v, row, scratch, f);
  }

  private void array(ArrayVector a, int row, ByteSink out, EvalContext c) {
    int[] shape = ArrayKernels.shape(a, row);
    if (shape.length == 0) {
      out.putText("[]");
      return;
    }
    dimension(a, a.start(row), shape, 0, out, c);
  }

  private int dimension(ArrayVector a, int from, int[] shape, int d, ByteSink out, EvalContext c) {
    out.put('[');
    int at = from;
    for (int i = 0; i < shape[d]; i++) {
      if (i > 0) {
        out.putText(pretty && d == 0 ? ",\n " : ",");
      }
      if (d + 2 < shape.length) {
        at = dimension(a, at, shape, d + 2, out, c);
      } else {
        java.util.Objects.requireNonNull(element).write(a.elements(), at++, out, c);
      }
    }
    out.put(']');
    return at;
  }

  /** A value as an object's key. */
  void writeKey(Vector v, int row, ByteSink out, EvalContext c) {
    switch (type.kind()) {
      case ARRAY, RECORD, JSON, JSONB ->
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "key value must be scalar, not array, composite, or json");
      case BOOL -> out.putText(((BoolVector) v).get(row) ? "\"true\"" : "\"false\"");
      default -> {
        text(v, row, c);
        Json.quote(scratch.array(), 0, scratch.position(), out);
      }
    }
  }
}

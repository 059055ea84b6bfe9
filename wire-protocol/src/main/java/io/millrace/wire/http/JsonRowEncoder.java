package io.millrace.wire.http;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.wire.RowEncoder;
import java.util.List;

/**
 * Rows as JSON arrays: numbers as numbers (NaN and infinities as strings), booleans as booleans,
 * json as it is, everything else as a string of its text form.
 */
final class JsonRowEncoder implements RowEncoder {
  private enum Form {
    NUMBER,
    BOOLEAN,
    JSON,
    STRING
  }

  private final TypeCodec[] codecs;
  private final Form[] forms;
  private final SessionFormat format;
  private final ByteSink scratch = new ByteSink();

  JsonRowEncoder(List<SqlType> types, SessionFormat format) {
    codecs = new TypeCodec[types.size()];
    forms = new Form[types.size()];
    this.format = format;
    for (int i = 0; i < codecs.length; i++) {
      codecs[i] = TypeCodecs.of(types.get(i));
      forms[i] = form(types.get(i).kind());
    }
  }

  private static Form form(TypeKind kind) {
    return switch (kind) {
      case INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, OID, XID -> Form.NUMBER;
      case BOOL -> Form.BOOLEAN;
      case JSON, JSONB -> Form.JSON;
      default -> Form.STRING;
    };
  }

  @Override
  public int columns() {
    return codecs.length;
  }

  void row(Batch batch, int row, ByteSink out) {
    out.put('[');
    for (int i = 0; i < codecs.length; i++) {
      if (i > 0) {
        out.put(',');
      }
      value(batch.column(i), i, row, out);
    }
    out.put(']');
  }

  private void value(Vector v, int column, int row, ByteSink out) {
    if (v.isNull(row)) {
      out.putText("null");
      return;
    }
    scratch.clear();
    codecs[column].writeText(v, row, scratch, format);
    byte[] text = scratch.array();
    int length = scratch.position();
    switch (forms[column]) {
      case NUMBER -> {
        byte end = text[length - 1];
        if (end >= '0' && end <= '9') {
          out.putBytes(text, 0, length);
        } else {
          Json.string(out, text, 0, length);
        }
      }
      case BOOLEAN -> out.putText(text[0] == 't' ? "true" : "false");
      case JSON -> out.putBytes(text, 0, length);
      case STRING -> Json.string(out, text, 0, length);
    }
  }
}

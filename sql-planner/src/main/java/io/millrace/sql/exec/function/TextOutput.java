package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.util.ArrayList;
import java.util.List;

/** The text forms of a call's arguments, one codec each. */
final class TextOutput {
  private final List<TypeCodec> codecs = new ArrayList<>();
  private final ByteSink scratch = new ByteSink();

  TextOutput(List<SqlType> types) {
    for (SqlType t : types) {
      codecs.add(TypeCodecs.full(t));
    }
  }

  void write(int arg, Vector v, int row, ByteSink out, EvalContext c) {
    if (v instanceof BytesColumn b && v.type().kind().isText()) {
      out.putBytes(b.data(row), b.start(row), b.size(row));
    } else {
      codecs.get(arg).writeText(v, row, out, c.format());
    }
  }

  String text(int arg, Vector v, int row, EvalContext c) {
    scratch.clear();
    write(arg, v, row, scratch, c);
    return scratch.toString();
  }
}

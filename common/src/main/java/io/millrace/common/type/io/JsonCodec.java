package io.millrace.common.type.io;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;

/** json (the text as given) and jsonb (canonical text; version byte 1 in the binary form). */
final class JsonCodec implements TypeCodec {
  private final boolean canonical;
  private final ByteSink scratch = new ByteSink();

  JsonCodec(SqlType type) {
    canonical = type.kind() == TypeKind.JSONB;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var c = (BytesColumn) v;
    out.putBytes(c.data(row), c.start(row), c.size(row));
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    if (canonical) {
      out.put(1);
    }
    var c = (BytesColumn) v;
    out.putBytes(c.data(row), c.start(row), c.size(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    parse(b, off, len, out);
  }

  private void parse(byte[] b, int off, int len, VectorBuilder out) {
    Utf8.check(b, off, len);
    var bytes = (VectorBuilder.Bytes) out;
    if (!canonical) {
      Json.parse(b, off, len);
      bytes.append(b, off, len);
      return;
    }
    scratch.clear();
    Json.write(Json.parseBinary(b, off, len), scratch);
    bytes.append(scratch.array(), 0, scratch.position());
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    if (!canonical) {
      parse(b, off, len, out);
      return;
    }
    if (len < 1 || b[off] != 1) {
      throw Problems.binary("unsupported jsonb version number " + (len < 1 ? 0 : b[off] & 0xff));
    }
    parse(b, off + 1, len - 1, out);
  }
}

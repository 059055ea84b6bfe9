package io.millrace.common.type.io;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;

/**
 * oid, xid and the reg types, as unsigned numbers. Names of the reg types need the catalog: they
 * are resolved by functions, not here; regtype alone knows the built-in types.
 */
final class OidCodec implements TypeCodec {
  private final SqlType type;

  OidCodec(SqlType type) {
    this.type = type;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    int oid = ((IntVector) v).get(row);
    if (oid == 0 && type.kind() != TypeKind.OID && type.kind() != TypeKind.XID) {
      out.put('-');
      return;
    }
    boolean plain = type.kind() == TypeKind.OID || type.kind() == TypeKind.XID;
    String name = plain ? null : format.names().name(type.kind(), oid);
    if (name != null) {
      out.putText(name);
      return;
    }
    SqlType named = type.kind() == TypeKind.REGTYPE ? SqlType.ofOid(oid) : null;
    if (named != null) {
      out.putText(named.sqlName());
    } else {
      out.putDecimal(oid & 0xffffffffL);
    }
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    out.putInt(((IntVector) v).get(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    if (len == 1 && b[off] == '-' && type.kind() != TypeKind.OID && type.kind() != TypeKind.XID) {
      ((VectorBuilder.Ints) out).append(0);
      return;
    }
    if (type.kind() == TypeKind.REGTYPE && len > 0 && !Ascii.digit(b[off])) {
      SqlType named = BuiltinTypes.parse(Problems.text(b, off, len));
      if (named != null) {
        ((VectorBuilder.Ints) out).append(named.oid());
        return;
      }
    }
    long v = Ascii.parseLong(b, off, len, Long.MIN_VALUE, Long.MAX_VALUE, "oid");
    if (v < Integer.MIN_VALUE || v > 0xffffffffL) {
      throw Problems.range("oid", b, off, len);
    }
    ((VectorBuilder.Ints) out).append((int) v);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 4);
    ((VectorBuilder.Ints) out).append(ByteSink.getInt(b, off));
  }
}

package io.millrace.common.type.io;

import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;

/** Composite values: {@code (1,"a b",)}, a NULL field as nothing. */
final class RecordCodec implements TypeCodec {
  private final SqlType type;
  private final List<TypeCodec> fields;
  private final ByteSink scratch = new ByteSink();

  RecordCodec(SqlType type, List<TypeCodec> fields) {
    this.type = type;
    this.fields = fields;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var r = (RecordVector) v;
    out.put('(');
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) {
        out.put(',');
      }
      Vector child = r.children().get(i);
      if (child.isNull(row)) {
        continue;
      }
      scratch.clear();
      fields.get(i).writeText(child, row, scratch, format);
      byte[] s = scratch.array();
      int n = scratch.position();
      boolean quote = n == 0;
      for (int k = 0; k < n && !quote; k++) {
        byte c = s[k];
        quote = c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || Ascii.space(c);
      }
      if (!quote) {
        out.putBytes(s, 0, n);
        continue;
      }
      out.put('"');
      for (int k = 0; k < n; k++) {
        if (s[k] == '"' || s[k] == '\\') {
          out.put(s[k]);
        }
        out.put(s[k]);
      }
      out.put('"');
    }
    out.put(')');
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var r = (RecordVector) v;
    out.putInt(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      out.putInt(type.fields().get(i).type().oid());
      Vector child = r.children().get(i);
      if (child.isNull(row)) {
        out.putInt(-1);
        continue;
      }
      int at = out.position();
      out.putInt(0);
      fields.get(i).writeBinary(child, row, out);
      out.setInt(at, out.position() - at - 4);
    }
  }

  private MillraceException malformed(byte[] b, int off, int len, String detail) {
    return new MillraceException(
            ErrorCode.INVALID_TEXT_REPRESENTATION,
            "malformed record literal: \"" + Problems.text(b, off, len) + "\"")
        .withDetail(detail);
  }

  private void requireFields() {
    if (fields.isEmpty()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "input of anonymous composite types is not implemented");
    }
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    requireFields();
    var single = new ArrayList<VectorBuilder>();
    int end = off + len;
    int at = Ascii.skip(b, off, end);
    if (at >= end || b[at] != '(') {
      throw malformed(b, off, len, "Missing left parenthesis.");
    }
    at++;
    for (int f = 0; f < fields.size(); f++) {
      if (f > 0) {
        if (at >= end || b[at] != ',') {
          throw malformed(b, off, len, "Too few columns.");
        }
        at++;
      }
      VectorBuilder child = VectorBuilder.of(type.fields().get(f).type(), 1);
      single.add(child);
      if (at < end && (b[at] == ',' || b[at] == ')')) {
        child.appendNull();
        continue;
      }
      scratch.clear();
      boolean quoted = false;
      while (quoted || (at < end && b[at] != ',' && b[at] != ')')) {
        if (at >= end) {
          throw malformed(b, off, len, "Unexpected end of input.");
        }
        byte c = b[at++];
        if (c == '\\') {
          if (at >= end) {
            throw malformed(b, off, len, "Unexpected end of input.");
          }
          scratch.put(b[at++]);
        } else if (c == '"') {
          if (quoted && at < end && b[at] == '"') {
            scratch.put('"');
            at++;
          } else {
            quoted = !quoted;
          }
        } else {
          scratch.put(c);
        }
      }
      fields.get(f).parseText(scratch.array(), 0, scratch.position(), child, format);
    }
    if (at >= end || b[at] != ')') {
      throw malformed(b, off, len, at < end ? "Too many columns." : "Unexpected end of input.");
    }
    if (Ascii.skip(b, at + 1, end) != end) {
      throw malformed(b, off, len, "Junk after right parenthesis.");
    }
    append(out, single);
  }

  private static void append(VectorBuilder out, List<VectorBuilder> single) {
    var records = (VectorBuilder.Records) out;
    for (int i = 0; i < single.size(); i++) {
      records.child(i).append(single.get(i).build(), 0);
    }
    records.endRow();
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    requireFields();
    if (len < 4) {
      Problems.requireLength(len, 4);
    }
    int n = ByteSink.getInt(b, off);
    if (n != fields.size()) {
      throw new MillraceException(
          ErrorCode.DATATYPE_MISMATCH,
          "wrong number of columns: " + n + ", expected " + fields.size());
    }
    var single = new ArrayList<VectorBuilder>();
    int at = off + 4;
    int end = off + len;
    for (int f = 0; f < n; f++) {
      if (end - at < 8) {
        Problems.requireLength(0, 1);
      }
      int size = ByteSink.getInt(b, at + 4);
      at += 8;
      VectorBuilder child = VectorBuilder.of(type.fields().get(f).type(), 1);
      single.add(child);
      if (size < 0) {
        child.appendNull();
        continue;
      }
      if (size > end - at) {
        Problems.requireLength(0, 1);
      }
      fields.get(f).parseBinary(b, at, size, child);
      at += size;
    }
    append(out, single);
  }
}

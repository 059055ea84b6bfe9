package io.millrace.common.type.io;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * Arrays: {@code {1,NULL,"a b"}}, {@code [0:1]={…}} for other lower bounds, nested braces for
 * dimensions; int2vector and oidvector as numbers with blanks between.
 */
final class ArrayCodec implements TypeCodec {
  private static final int MAX_DIMENSIONS = 6;

  private final SqlType type;
  private final SqlType elementType;
  private final TypeCodec element;
  private final boolean vector;
  private final ByteSink scratch = new ByteSink();

  ArrayCodec(SqlType type, TypeCodec element) {
    this.type = type;
    elementType = type.element() == null ? SqlType.TEXT : type.elementType();
    this.element = element;
    vector = type.kind() == TypeKind.INT2VECTOR || type.kind() == TypeKind.OIDVECTOR;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var a = (ArrayVector) v;
    int start = a.start(row);
    int end = a.end(row);
    if (vector) {
      for (int e = start; e < end; e++) {
        if (e > start) {
          out.put(' ');
        }
        element.writeText(a.elements(), e, out, format);
      }
      return;
    }
    if (start == end) {
      out.putText("{}");
      return;
    }
    int[] shape = a.shape(row);
    if (shape == null) {
      shape = new int[] {end - start, 1};
    }
    boolean bounds = false;
    for (int d = 1; d < shape.length; d += 2) {
      bounds |= shape[d] != 1;
    }
    if (bounds) {
      for (int d = 0; d < shape.length; d += 2) {
        out.put('[');
        out.putDecimal(shape[d + 1]);
        out.put(':');
        out.putDecimal((long) shape[d + 1] + shape[d] - 1);
        out.put(']');
      }
      out.put('=');
    }
    writeDimension(a.elements(), start, shape, 0, out, format);
  }

  private int writeDimension(
      Vector elements, int from, int[] shape, int d, ByteSink out, SessionFormat format) {
    out.put('{');
    int at = from;
    for (int i = 0; i < shape[d]; i++) {
      if (i > 0) {
        out.put(',');
      }
      if (d + 2 < shape.length) {
        at = writeDimension(elements, at, shape, d + 2, out, format);
      } else {
        writeElement(elements, at++, out, format);
      }
    }
    out.put('}');
    return at;
  }

  private void writeElement(Vector elements, int e, ByteSink out, SessionFormat format) {
    if (elements.isNull(e)) {
      out.putText("NULL");
      return;
    }
    scratch.clear();
    element.writeText(elements, e, scratch, format);
    byte[] s = scratch.array();
    int n = scratch.position();
    boolean quote = n == 0 || Ascii.is(s, 0, n, "null");
    for (int i = 0; i < n && !quote; i++) {
      byte c = s[i];
      quote = c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || Ascii.space(c);
    }
    if (!quote) {
      out.putBytes(s, 0, n);
      return;
    }
    out.put('"');
    for (int i = 0; i < n; i++) {
      if (s[i] == '"' || s[i] == '\\') {
        out.put('\\');
      }
      out.put(s[i]);
    }
    out.put('"');
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var a = (ArrayVector) v;
    int start = a.start(row);
    int end = a.end(row);
    int[] shape = a.shape(row);
    if (shape == null) {
      shape = start == end && !vector ? new int[0] : new int[] {end - start, vector ? 0 : 1};
    }
    boolean nulls = false;
    for (int e = start; e < end; e++) {
      nulls |= a.elements().isNull(e);
    }
    out.putInt(shape.length / 2);
    out.putInt(nulls ? 1 : 0);
    out.putInt(elementType.oid());
    for (int s : shape) {
      out.putInt(s);
    }
    for (int e = start; e < end; e++) {
      if (a.elements().isNull(e)) {
        out.putInt(-1);
        continue;
      }
      int at = out.position();
      out.putInt(0);
      element.writeBinary(a.elements(), e, out);
      out.setInt(at, out.position() - at - 4);
    }
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    var rows = (VectorBuilder.ArrayRows) out;
    if (len < 12) {
      Problems.requireLength(len, 12);
    }
    int dims = ByteSink.getInt(b, off);
    if (dims < 0 || dims > MAX_DIMENSIONS) {
      throw dims < 0
          ? Problems.binary("invalid number of dimensions: " + dims)
          : tooManyDimensions(dims);
    }
    int flags = ByteSink.getInt(b, off + 4);
    if (flags != 0 && flags != 1) {
      throw Problems.binary("invalid array flags");
    }
    int oid = ByteSink.getInt(b, off + 8);
    if (oid != elementType.oid()) {
      throw new MillraceException(
          ErrorCode.DATATYPE_MISMATCH,
          "binary data has array element type "
              + named(oid)
              + " instead of expected "
              + named(elementType.oid()));
    }
    int at = off + 12;
    int end = off + len;
    if (end - at < dims * 8) {
      Problems.requireLength(0, 1);
    }
    int[] shape = new int[dims * 2];
    long total = dims == 0 ? 0 : 1;
    for (int d = 0; d < dims; d++) {
      shape[2 * d] = ByteSink.getInt(b, at);
      shape[2 * d + 1] = ByteSink.getInt(b, at + 4);
      at += 8;
      total *= shape[2 * d];
      if (shape[2 * d] < 0 || total > 100_000_000) {
        throw new MillraceException(
            ErrorCode.PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed");
      }
    }
    if (total * 4 > end - at) {
      Problems.requireLength(0, 1);
    }
    VectorBuilder temp = VectorBuilder.of(elementType, (int) total);
    for (long i = 0; i < total; i++) {
      if (end - at < 4) {
        Problems.requireLength(0, 1);
      }
      int n = ByteSink.getInt(b, at);
      at += 4;
      if (n < 0) {
        temp.appendNull();
        continue;
      }
      if (n > end - at) {
        Problems.requireLength(0, 1);
      }
      element.parseBinary(b, at, n, temp);
      at += n;
    }
    if (at != end) {
      throw Problems.binaryLength();
    }
    finish(rows, temp, shape);
  }

  private static String named(int oid) {
    SqlType t = SqlType.ofOid(oid);
    return (oid & 0xffffffffL) + " (" + (t == null ? "???" : t.sqlName()) + ")";
  }

  private void finish(VectorBuilder.ArrayRows rows, VectorBuilder temp, int[] shape) {
    int n = temp.length();
    rows.elements().append(temp.build(), 0, n);
    boolean usual = n == 0 || vector || (shape.length == 2 && shape[1] == 1);
    rows.endRow(usual ? null : shape);
  }

  private static MillraceException tooManyDimensions(int dims) {
    return new MillraceException(
        ErrorCode.PROGRAM_LIMIT_EXCEEDED,
        "number of array dimensions ("
            + dims
            + ") exceeds the maximum allowed ("
            + MAX_DIMENSIONS
            + ")");
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    var rows = (VectorBuilder.ArrayRows) out;
    VectorBuilder temp = VectorBuilder.of(elementType, 8);
    if (vector) {
      parseVector(b, off, len, temp, format);
      finish(rows, temp, new int[] {temp.length(), 0});
      return;
    }
    new Parser(b, off, len, temp, format).parse(rows);
  }

  private void parseVector(byte[] b, int off, int len, VectorBuilder temp, SessionFormat format) {
    int end = off + len;
    int i = Ascii.skip(b, off, end);
    while (i < end) {
      int from = i;
      while (i < end && !Ascii.space(b[i])) {
        i++;
      }
      element.parseText(b, from, i - from, temp, format);
      i = Ascii.skip(b, i, end);
    }
  }

  /** The braces grammar. */
  private final class Parser {
    private final byte[] b;
    private final int off;
    private final int len;
    private final int end;
    private final VectorBuilder temp;
    private final SessionFormat format;
    private final int[] counts = new int[MAX_DIMENSIONS + 1];
    private int dims = -1;
    private int at;

    Parser(byte[] b, int off, int len, VectorBuilder temp, SessionFormat format) {
      this.b = b;
      this.off = off;
      this.len = len;
      this.end = off + len;
      this.temp = temp;
      this.format = format;
      this.at = off;
      java.util.Arrays.fill(counts, -1);
    }

    MillraceException malformed(String detail) {
      return new MillraceException(
              ErrorCode.INVALID_TEXT_REPRESENTATION,
              "malformed array literal: \"" + Problems.text(b, off, len) + "\"")
          .withDetail(detail);
    }

    void parse(VectorBuilder.ArrayRows rows) {
      at = Ascii.skip(b, at, end);
      int[] bounds = dimensions();
      if (at >= end || b[at] != '{') {
        throw malformed(
            bounds == null
                ? "Array value must start with \"{\" or dimension information."
                : "Array contents must start with \"{\".");
      }
      level(0);
      at = Ascii.skip(b, at, end);
      if (at < end) {
        throw malformed("Junk after closing right brace.");
      }
      int[] shape = new int[0];
      if (temp.length() > 0) {
        shape = new int[dims * 2];
        for (int d = 0; d < dims; d++) {
          shape[2 * d] = counts[d];
          shape[2 * d + 1] = 1;
        }
      }
      if (bounds != null) {
        boolean same = bounds.length == shape.length;
        for (int d = 0; same && d < shape.length; d += 2) {
          same = bounds[d] == shape[d];
          shape[d + 1] = bounds[d + 1];
        }
        if (!same) {
          throw malformed("Specified array dimensions do not match array contents.");
        }
      }
      finish(rows, temp, shape);
    }

    /** Explicit bounds {@code [l:u]…=}; null if there are none. */
    int @Nullable [] dimensions() {
      if (at >= end || b[at] != '[') {
        return null;
      }
      int[] found = new int[MAX_DIMENSIONS * 2];
      int n = 0;
      while (at < end && b[at] == '[') {
        if (n == MAX_DIMENSIONS) {
          throw tooManyDimensions(n + 1);
        }
        at++;
        int low = 1;
        int high = bound();
        if (at < end && b[at] == ':') {
          at++;
          low = high;
          high = bound();
        }
        if (at >= end || b[at] != ']') {
          throw malformed("Missing \"]\" after array dimensions.");
        }
        at++;
        if (high < low) {
          throw new MillraceException(
              ErrorCode.ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound");
        }
        found[2 * n] = high - low + 1;
        found[2 * n + 1] = low;
        n++;
        at = Ascii.skip(b, at, end);
      }
      if (at >= end || b[at] != '=') {
        throw malformed("Missing \"=\" after array dimensions.");
      }
      at = Ascii.skip(b, at + 1, end);
      return java.util.Arrays.copyOf(found, n * 2);
    }

    int bound() {
      int from = at;
      if (at < end && (b[at] == '-' || b[at] == '+')) {
        at++;
      }
      while (at < end && Ascii.digit(b[at])) {
        at++;
      }
      if (at == from) {
        throw malformed("\"[\" must introduce explicitly-specified array dimensions.");
      }
      return (int)
          Ascii.parseLong(b, from, at - from, Integer.MIN_VALUE, Integer.MAX_VALUE, "integer");
    }

    void level(int d) {
      if (d >= MAX_DIMENSIONS) {
        throw tooManyDimensions(d + 1);
      }
      at = Ascii.skip(b, at + 1, end);
      int n = 0;
      if (at < end && b[at] == '}') {
        if (d > 0) {
          throw malformed("Unexpected \"}\" character.");
        }
        at++;
        return;
      }
      while (true) {
        at = Ascii.skip(b, at, end);
        if (at >= end) {
          throw malformed("Unexpected end of input.");
        }
        if (b[at] == '{') {
          if (dims >= 0 && d + 1 >= dims) {
            throw malformed("Unexpected \"{\" character.");
          }
          level(d + 1);
        } else {
          if (dims >= 0 && dims != d + 1) {
            throw malformed(
                "Multidimensional arrays must have sub-arrays with matching dimensions.");
          }
          dims = d + 1;
          item();
        }
        n++;
        at = Ascii.skip(b, at, end);
        if (at >= end) {
          throw malformed("Unexpected end of input.");
        }
        if (b[at] == ',') {
          at++;
        } else if (b[at] == '}') {
          at++;
          ragged(d, n);
          return;
        } else {
          throw malformed("Unexpected array element.");
        }
      }
    }

    void ragged(int d, int n) {
      if (counts[d] >= 0 && counts[d] != n) {
        throw malformed("Multidimensional arrays must have sub-arrays with matching dimensions.");
      }
      counts[d] = n;
    }

    void item() {
      scratch.clear();
      if (b[at] == '"') {
        at++;
        while (at < end && b[at] != '"') {
          if (b[at] == '\\') {
            at++;
          }
          if (at < end) {
            scratch.put(b[at++]);
          }
        }
        if (at >= end) {
          throw malformed("Unexpected end of input.");
        }
        at++;
      } else {
        int keep = 0;
        boolean escaped = false;
        while (at < end && b[at] != ',' && b[at] != '}') {
          byte c = b[at];
          if (c == '{' || c == '"') {
            throw malformed(c == '{' ? "Unexpected \"{\" character." : "Unexpected array element.");
          }
          if (c == '\\') {
            escaped = true;
            at++;
            if (at >= end) {
              throw malformed("Unexpected end of input.");
            }
            scratch.put(b[at++]);
            keep = scratch.position();
            continue;
          }
          scratch.put(c);
          at++;
          keep = Ascii.space(c) ? keep : scratch.position();
        }
        scratch.position(keep);
        if (at >= end) {
          throw malformed("Unexpected end of input.");
        }
        if (keep == 0) {
          throw malformed("Unexpected \"" + (char) b[at] + "\" character.");
        }
        if (!escaped && Ascii.is(scratch.array(), 0, keep, "null")) {
          temp.appendNull();
          return;
        }
      }
      element.parseText(scratch.array(), 0, scratch.position(), temp, format);
    }
  }

  @Override
  public String toString() {
    return "ArrayCodec[" + type + "]";
  }
}

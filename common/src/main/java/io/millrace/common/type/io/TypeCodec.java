package io.millrace.common.type.io;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;

/**
 * PostgreSQL's text and binary forms of one type, both ways, straight between bytes and vectors.
 *
 * <p>Values only: callers deal with NULL (never ask to write a NULL row; append NULL themselves).
 * The builder given to the parsers is one for the codec's type. A codec keeps small caches (the
 * last minute, the last zone offset), so each instance belongs to one thread at a time; take a new
 * one from {@link TypeCodecs#of} per column and use. A type modifier of the codec's type is applied
 * on the way in: lengths are checked, numerics and timestamps rounded. A parser that fails throws
 * MillraceException with PostgreSQL's SQLSTATE and message and leaves the builder as it was.
 */
public interface TypeCodec {
  void writeText(Vector v, int row, ByteSink out, SessionFormat format);

  void writeBinary(Vector v, int row, ByteSink out);

  void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format);

  void parseBinary(byte[] b, int off, int len, VectorBuilder out);
}

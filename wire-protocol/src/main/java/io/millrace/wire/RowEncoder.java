package io.millrace.wire;

/** The encoders of a result's columns, made by {@link Backend#rowEncoder}. Not thread-safe. */
public interface RowEncoder {
  /** The number of columns. */
  int columns();
}

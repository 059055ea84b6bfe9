package io.millrace.sql.catalog;

/**
 * The values of sequences. A value is given out at most once, whatever happens to the server: what
 * is given out has been reserved durably before. Thread-safe.
 */
public interface SequenceValues {
  /**
   * Where a sequence stands, as PostgreSQL shows it.
   *
   * @param called whether {@code last} has been given out
   */
  record State(long last, boolean called) {}

  State state(SequenceInfo sequence);

  /**
   * The next values into an array.
   *
   * @throws io.millrace.common.error.MillraceException SEQUENCE_LIMIT at the end of a sequence that
   *     does not cycle
   */
  void next(SequenceInfo sequence, long[] out, int count);

  /** Sets where it stands, durably. */
  void set(SequenceInfo sequence, long value, boolean called);
}

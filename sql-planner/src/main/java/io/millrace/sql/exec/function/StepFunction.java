package io.millrace.sql.exec.function;

/**
 * A function of a 64-bit value that is the same over stretches of neighbours, as date_trunc is of
 * times: asked once a stretch instead of once a row. One thread.
 */
public interface StepFunction {
  /** Makes the stretch around a value the current one; fails as the function would. */
  void locate(long value);

  /** The least value of the current stretch. */
  long first();

  /** The greatest value of the current stretch. */
  long last();

  /** What all values of the current stretch become. */
  long result();
}

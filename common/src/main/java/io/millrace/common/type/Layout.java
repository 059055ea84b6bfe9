package io.millrace.common.type;

/** How the values of a type lie in memory. */
public enum Layout {
  /** {@code boolean[]}. */
  BOOL,
  /** {@code int[]}: int2, int4, date (days since 1970-01-01), oid kinds. */
  INT,
  /** {@code long[]}: int8, timestamps (µs since 1970-01-01 UTC), time (µs of the day). */
  LONG,
  /** {@code float[]}. */
  FLOAT,
  /** {@code double[]}. */
  DOUBLE,
  /** Offsets and bytes, or dictionary codes: text kinds, bytea, json, uuid (16 bytes). */
  BYTES,
  /** Unscaled long and scale, with BigDecimal overflow and NaN/Infinity marks. */
  NUMERIC,
  /** Months, days, microseconds. */
  INTERVAL,
  /** Offsets and an element vector. */
  ARRAY,
  /** Child vectors. */
  RECORD
}

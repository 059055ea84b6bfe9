package io.millrace.storage;

/** Column ids that name no stored column of the user's. */
public final class VirtualColumns {
  /** The row's sequence, int8. */
  public static final int SEQUENCE = -1;

  /** The row's operation code, int4, see {@link OpType#code}. */
  public static final int OP_TYPE = -2;

  /** Lowest time of a {@link RangeDelete}, int8. */
  public static final int RANGE_MIN = -3;

  /** Highest time of a {@link RangeDelete}, int8. */
  public static final int RANGE_MAX = -4;

  /** What a {@link RangeDelete} covers of others' rows, int8. */
  public static final int RANGE_COVER = -5;

  /** The region of a {@link RangeDelete}, int8; only where writes of whole tables are routed. */
  public static final int RANGE_REGION = -6;

  private VirtualColumns() {}
}

package io.millrace.storage;

/** Column ids that name no stored column of the user's. */
public final class VirtualColumns {
  /** The row's sequence, int8. */
  public static final int SEQUENCE = -1;

  /** The row's operation code, int4, see {@link OpType#code}. */
  public static final int OP_TYPE = -2;

  private VirtualColumns() {}
}

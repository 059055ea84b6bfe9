package io.millrace.storage;

/** What a written row does to its key. Codes are stored in files. */
public enum OpType {
  /** Removes the row. Key columns only. */
  DELETE(0),
  /** Gives the named fields (last_non_null: the non-NULL ones). */
  PUT(1),
  /** A full row that cuts history. */
  REPLACE(2),
  /** Key columns and values that are ignored: sets the named fields to NULL. */
  CLEAR(3),
  /** Each row is a {@link RangeDelete}; never a row of a file or memtable. */
  DELETE_RANGE(4);

  private final byte code;

  OpType(int code) {
    this.code = (byte) code;
  }

  public byte code() {
    return code;
  }

  public static OpType of(byte code) {
    return switch (code) {
      case 0 -> DELETE;
      case 1 -> PUT;
      case 2 -> REPLACE;
      case 3 -> CLEAR;
      case 4 -> DELETE_RANGE;
      default -> throw new IllegalArgumentException("op type " + code);
    };
  }
}

package io.millrace.storage.wal;

import io.millrace.common.id.RegionId;

/**
 * One region's share of a commit, or one of several.
 *
 * @param firstSequence sequence of its first row
 * @param rows sequences it takes: its rows, 1 for an event, one per file for staged rows
 * @param schemaVersion the writer's schema version
 * @param kind what the payload is
 * @param firstRowId first assigned row id; {@link #NO_ROW_ID} if the rows bring their time index
 * @param payload bytes, valid up to payloadSize
 */
public record LogPart(
    RegionId region,
    long firstSequence,
    int rows,
    int schemaVersion,
    Kind kind,
    long firstRowId,
    byte[] payload,
    int payloadSize) {
  /** No row ids were assigned. */
  public static final long NO_ROW_ID = Long.MIN_VALUE;

  /** Bytes of a part in a record before its payload. */
  public static final int HEADER = 8 + 8 + 4 + 4 + 4 + 8 + 4;

  /** What a part is. Codes are stored. */
  public enum Kind {
    WRITE(1),
    TRUNCATE(2),
    ALTER(3),
    EXPIRE(4),
    STAGED(5),
    /** Range deletes. */
    RANGE(6),
    /** Files come or go, or the sequence rises. */
    EDIT(7);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    static Kind of(int code) {
      return switch (code) {
        case 1 -> WRITE;
        case 2 -> TRUNCATE;
        case 3 -> ALTER;
        case 4 -> EXPIRE;
        case 5 -> STAGED;
        case 6 -> RANGE;
        case 7 -> EDIT;
        default -> throw new IllegalArgumentException("log part kind " + code);
      };
    }
  }

  public long lastSequence() {
    return firstSequence + rows - 1;
  }
}

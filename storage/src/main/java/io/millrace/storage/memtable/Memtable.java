package io.millrace.storage.memtable;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionWrite;

/**
 * Rows in memory, in order of sequence. One thread appends; readers on other threads see the rows
 * up to a sequence that was published to them after the append.
 */
public final class Memtable {
  private final TableSchema schema;
  private final RegionOptions options;

  public Memtable(TableSchema schema, RegionOptions options) {
    this.schema = schema;
    this.options = options;
  }

  public TableSchema schema() {
    return schema;
  }

  public RegionOptions options() {
    return options;
  }

  /** Row i of the write gets sequence {@code firstSequence + i}; sequences only grow. */
  public void append(RegionWrite write, long firstSequence) {
    throw new MillraceException(ErrorCode.REGION_NOT_READY, "memtable");
  }

  /** No append may follow. By the appending thread. */
  public void freeze() {}

  public boolean frozen() {
    return false;
  }

  /** Bytes held, about. */
  public long byteSize() {
    return 0;
  }

  public long rows() {
    return 0;
  }

  /** Lowest time index value; Long.MAX_VALUE when empty. */
  public long minTime() {
    return Long.MAX_VALUE;
  }

  /** Highest time index value; Long.MIN_VALUE when empty. */
  public long maxTime() {
    return Long.MIN_VALUE;
  }

  /** Lowest sequence appended; Long.MAX_VALUE when empty. */
  public long minSequence() {
    return Long.MAX_VALUE;
  }

  /** Largest sequence appended; 0 when empty. */
  public long maxSequence() {
    return 0;
  }
}

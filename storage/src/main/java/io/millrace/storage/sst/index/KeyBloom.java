package io.millrace.storage.sst.index;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Bloom filters of a file's keys, one per row group, loaded when first asked. Where there is
 * none, or it cannot be read, any key may be there. One thread.
 */
public final class KeyBloom {
  private final SideCar sideCar;
  private final List<Integer> columnIds;
  private @Nullable GroupBloom current;
  private int loaded = -1;

  KeyBloom(SideCar sideCar, List<Integer> columnIds) {
    this.sideCar = sideCar;
    this.columnIds = columnIds;
  }

  /** The tags whose values are hashed, in order; the time index follows. */
  public List<Integer> tagIds() {
    return columnIds.subList(0, columnIds.size() - 1);
  }

  public int timeIndexId() {
    return columnIds.getLast();
  }

  /**
   * Whether a row group may have a key.
   *
   * @param hash by {@link KeyHash}, over {@link #tagIds} and the time
   */
  public boolean mightContain(int rowGroup, long hash) {
    if (loaded != rowGroup) {
      current = sideCar.groupBloom(rowGroup);
      loaded = rowGroup;
    }
    GroupBloom b = current;
    return b == null || b.filter().mightContain(hash);
  }
}

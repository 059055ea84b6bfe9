package io.millrace.storage;

import java.util.List;

/**
 * Which indexes the files of a region get beside them.
 *
 * @param keyBloom Bloom filters of the keys; regions with unique keys, and files written under a
 *     ROWS hold, have them anyway
 * @param trailingTags an inverted index of every tag but the first of the key
 * @param columns indexes of columns
 */
public record IndexOptions(boolean keyBloom, boolean trailingTags, List<ColumnIndex> columns) {
  public static final IndexOptions DEFAULT = new IndexOptions(false, true, List.of());

  public IndexOptions {
    columns = List.copyOf(columns);
  }
}

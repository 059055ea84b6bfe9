package io.millrace.storage.sst.index;

import io.millrace.storage.IndexKind;
import io.millrace.storage.sst.puffin.PuffinBlob;
import java.util.Map;

/**
 * The side-car of an SST: a Puffin file with one blob per index and row group, so that neither
 * writing nor reading needs more than a row group in memory. A blob's type says its kind and
 * version, its fields the columns by id (of a key Bloom the tags in order, then the time index),
 * its property {@code row-group} the place.
 */
final class SideCarFormat {
  static final String GROUP = "row-group";

  private SideCarFormat() {}

  static String type(IndexKind kind) {
    return switch (kind) {
      case KEY_BLOOM -> "millrace-key-bloom-v1";
      case INVERTED -> "millrace-inverted-v1";
      case SKIPPING -> "millrace-skipping-bloom-v1";
      case FULLTEXT -> "millrace-fulltext-v1";
    };
  }

  /** Where an index of a row group lies; column 0 for indexes of keys. */
  record Place(IndexKind kind, int columnId, int group) {}

  /** The place of a blob; null for kinds that this version does not know. */
  static @org.jspecify.annotations.Nullable Place place(PuffinBlob b) {
    String group = b.properties().get(GROUP);
    for (IndexKind k : IndexKind.values()) {
      if (type(k).equals(b.type()) && group != null && !b.fields().isEmpty()) {
        int column = k == IndexKind.KEY_BLOOM ? 0 : b.fields().getFirst();
        return new Place(k, column, Integer.parseInt(group));
      }
    }
    return null;
  }

  static Map<String, String> properties(int group) {
    return Map.of(GROUP, Integer.toString(group));
  }

  static void version(int found, int known) {
    if (found != known) {
      throw new IllegalStateException("index version " + found);
    }
  }
}

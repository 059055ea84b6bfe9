package io.millrace.common.type;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An enumeration: its labels in their order. Values are stored as the labels' numbers, which grow
 * in that order, so that they compare as numbers do; renaming a label changes no value.
 */
public record EnumLabels(int oid, int arrayOid, String name, List<Label> labels) {
  /** A label and its number. */
  public record Label(String text, long number) {}

  public EnumLabels {
    labels = List.copyOf(labels);
  }

  /** The label of a number; null if there is none. */
  public @Nullable String text(long number) {
    int low = 0;
    int high = labels.size() - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      long at = labels.get(mid).number();
      if (at == number) {
        return labels.get(mid).text();
      }
      if (at < number) {
        low = mid + 1;
      } else {
        high = mid - 1;
      }
    }
    return null;
  }
}

package io.millrace.sql.plan.analyse;

import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/** The WITH items in reach, innermost first. Immutable chain. */
final class Ctes {
  static final Ctes NONE = new Ctes(null, "", null);

  /**
   * An item.
   *
   * @param query its columns; {@code rel} gives the rows for one reference
   */
  record Item(Output query, java.util.function.Supplier<RelNode> rel) {}

  private final @Nullable Ctes outer;
  private final String name;
  private final @Nullable Item item;

  private Ctes(@Nullable Ctes outer, String name, @Nullable Item item) {
    this.outer = outer;
    this.name = name;
    this.item = item;
  }

  Ctes with(String itemName, Item newItem) {
    return new Ctes(this, itemName, newItem);
  }

  @Nullable Item find(String wanted) {
    for (Ctes c = this; c != null; c = c.outer) {
      if (c.item != null && c.name.equals(wanted)) {
        return c.item;
      }
    }
    return null;
  }
}

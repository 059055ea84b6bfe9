package io.millrace.storage.sst.index;

import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.IndexKind;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * Which indexes a file is to get.
 *
 * @param keyColumns tags in order and the time index, for a key Bloom; empty without one
 * @param asked indexes that the table was given
 * @param implied inverted indexes of trailing tags, which small files do without
 */
public record SideCarPlan(
    List<Integer> keyColumns, List<ColumnIndex> asked, List<ColumnIndex> implied) {
  public static final SideCarPlan NONE = new SideCarPlan(List.of(), List.of(), List.of());

  public SideCarPlan {
    keyColumns = List.copyOf(keyColumns);
    asked = List.copyOf(asked);
    implied = List.copyOf(implied);
  }

  /**
   * The plan of a region.
   *
   * @param rowsHeld under a ROWS hold, whose reader looks keys up
   */
  public static SideCarPlan of(TableSchema schema, RegionOptions options, boolean rowsHeld) {
    var keys = new ArrayList<Integer>();
    boolean bloom =
        rowsHeld
            || options.index().keyBloom()
            || options.keyMode() == RegionOptions.KeyMode.UNIQUE_KEY;
    if (bloom && !options.appendMode()) {
      keys.addAll(schema.tagIds());
      keys.add(schema.timeIndexId());
    }
    var asked = new ArrayList<ColumnIndex>();
    for (ColumnIndex x : options.index().columns()) {
      ColumnSchema c = schema.byId(x.columnId());
      if (c != null && supports(x.kind(), c.type())) {
        asked.add(x);
      }
    }
    var implied = new ArrayList<ColumnIndex>();
    if (options.index().trailingTags() && options.keyMode() == RegionOptions.KeyMode.TIME_INDEX) {
      for (int id : schema.tagIds().stream().skip(1).toList()) {
        ColumnSchema c = schema.byId(id);
        boolean known =
            asked.stream().anyMatch(x -> x.columnId() == id && x.kind() == IndexKind.INVERTED);
        if (c != null && !known && supports(IndexKind.INVERTED, c.type())) {
          implied.add(ColumnIndex.of(id, IndexKind.INVERTED));
        }
      }
    }
    return new SideCarPlan(keys, asked, implied);
  }

  /** Whether a column of the type can have an index of the kind. */
  public static boolean supports(IndexKind kind, SqlType type) {
    boolean plain =
        type.layout() != Layout.ARRAY
            && type.layout() != Layout.RECORD
            && type.kind() != TypeKind.JSON;
    return switch (kind) {
      case KEY_BLOOM -> false;
      case INVERTED, SKIPPING -> plain;
      case FULLTEXT -> type.kind() == TypeKind.TEXT || type.kind() == TypeKind.VARCHAR;
    };
  }

  boolean isEmpty() {
    return keyColumns.isEmpty() && asked.isEmpty() && implied.isEmpty();
  }

  boolean reads(int columnId) {
    return keyColumns.contains(columnId)
        || asked.stream().anyMatch(x -> x.columnId() == columnId)
        || implied.stream().anyMatch(x -> x.columnId() == columnId);
  }
}

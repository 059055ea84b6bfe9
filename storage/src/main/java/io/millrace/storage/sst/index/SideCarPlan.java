package io.millrace.storage.sst.index;

import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.IndexKind;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.sst.SideCarMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which indexes a file is to get.
 *
 * @param keyColumns tags in order and the time index, for a key Bloom; empty without one
 * @param asked indexes that the table was given
 * @param implied inverted indexes of trailing tags, which small files do without
 * @param series tags in order and the time index, for the last rows of series, which go with any
 *     other index; empty without them
 */
public record SideCarPlan(
    List<Integer> keyColumns,
    List<ColumnIndex> asked,
    List<ColumnIndex> implied,
    List<Integer> series) {
  /** Row groups of no more rows have no indexes that nobody asked for. */
  static final int SMALL_ROWS = 10_240;

  public static final SideCarPlan NONE =
      new SideCarPlan(List.of(), List.of(), List.of(), List.of());

  public SideCarPlan {
    keyColumns = List.copyOf(keyColumns);
    asked = List.copyOf(asked);
    implied = List.copyOf(implied);
    series = List.copyOf(series);
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
      if (c != null && x.kind().supports(c.type())) {
        asked.add(x);
      }
    }
    var implied = new ArrayList<ColumnIndex>();
    if (options.index().trailingTags() && options.keyMode() == RegionOptions.KeyMode.TIME_INDEX) {
      for (int id : schema.tagIds().stream().skip(1).toList()) {
        ColumnSchema c = schema.byId(id);
        boolean known =
            asked.stream().anyMatch(x -> x.columnId() == id && x.kind() == IndexKind.INVERTED);
        if (c != null && !known && IndexKind.INVERTED.supports(c.type())) {
          implied.add(ColumnIndex.of(id, IndexKind.INVERTED));
        }
      }
    }
    var series = new ArrayList<Integer>();
    if (options.keyMode() == RegionOptions.KeyMode.TIME_INDEX && !schema.tagIds().isEmpty()) {
      series.addAll(schema.tagIds());
      series.add(schema.timeIndexId());
    }
    return new SideCarPlan(keys, asked, implied, series);
  }

  /** The plan without what needs other columns. */
  public SideCarPlan only(IntPredicate known) {
    boolean keys = keyColumns.stream().allMatch(known::test);
    return new SideCarPlan(
        keys ? keyColumns : List.of(),
        asked.stream().filter(x -> known.test(x.columnId())).toList(),
        implied.stream().filter(x -> known.test(x.columnId())).toList(),
        series.stream().allMatch(known::test) ? series : List.of());
  }

  /** Whether a file's side-car is what the plan wants, no less and no more. */
  public boolean isDoneBy(@Nullable SideCarMeta index, int largestGroup) {
    var wanted = new HashSet<List<Integer>>();
    if (!keyColumns.isEmpty()) {
      wanted.add(List.of(IndexKind.KEY_BLOOM.ordinal(), 0, 0));
    }
    var all = new ArrayList<>(asked);
    if (largestGroup > SMALL_ROWS) {
      all.addAll(implied);
    }
    for (ColumnIndex x : all) {
      wanted.add(List.of(x.kind().ordinal(), x.columnId(), settings(x.kind(), x.columnId())));
    }
    var there = new HashSet<List<Integer>>();
    for (SideCarMeta.Part p : index == null ? List.<SideCarMeta.Part>of() : index.parts()) {
      there.add(List.of(p.kind().ordinal(), p.columnId(), p.settings()));
    }
    return wanted.equals(there);
  }

  /** Ids of the columns that are read for it. */
  public Set<Integer> columnIds() {
    var out = new TreeSet<>(keyColumns);
    asked.forEach(x -> out.add(x.columnId()));
    implied.forEach(x -> out.add(x.columnId()));
    if (!isEmpty()) {
      out.addAll(series);
    }
    return out;
  }

  /** Tells apart what an index is built with. */
  int settings(IndexKind kind, int columnId) {
    for (ColumnIndex x : asked) {
      if (x.kind() == kind && x.columnId() == columnId) {
        return switch (kind) {
          case KEY_BLOOM, INVERTED -> 0;
          case SKIPPING -> 31 * x.granularity() + Double.hashCode(x.falsePositiveRate());
          case FULLTEXT -> x.caseSensitive() ? 1 : 0;
        };
      }
    }
    return 0;
  }

  boolean isEmpty() {
    return keyColumns.isEmpty() && asked.isEmpty() && implied.isEmpty();
  }

  /** Whether the last rows of series are written. */
  boolean tellsSeries() {
    return !isEmpty() && !series.isEmpty();
  }

  boolean reads(int columnId) {
    return keyColumns.contains(columnId)
        || asked.stream().anyMatch(x -> x.columnId() == columnId)
        || implied.stream().anyMatch(x -> x.columnId() == columnId);
  }
}

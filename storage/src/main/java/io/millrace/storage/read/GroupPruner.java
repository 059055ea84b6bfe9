package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.IndexKind;
import io.millrace.storage.Pruner;
import io.millrace.storage.sst.index.KeyBloom;
import io.millrace.storage.sst.index.KeyHash;
import io.millrace.storage.sst.index.SideCar;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * Rules out blocks and rows of a file, row group by row group: first by the bounds of pages, which
 * are in memory, then, if some block is left, by the indexes beside the file. What is left is a
 * superset of the rows wanted; it is filtered as if nothing had been ruled out. An index can rule
 * rows out by a field only where no merge can change the row, so fields are given only then. One
 * thread.
 */
final class GroupPruner {
  private final Source.File source;
  private final SstFile file;
  private final KeyFilter filter;
  private final List<Filter> all = new ArrayList<>();
  private final ScanCounters counters;
  private final @Nullable SideCar sideCar;
  private @Nullable KeyBloom bloom;
  private long pointHash;
  private int group;
  private boolean[] dead = new boolean[0];

  /** The rows left by the indexes; null = all. */
  private @Nullable RoaringBitmap left;

  private @Nullable Pruner last;
  private boolean failed;

  /**
   * A pruner of one reader of a file.
   *
   * @param fields predicates on fields by which rows may be ruled out
   */
  GroupPruner(Source.File source, KeyFilter filter, List<Filter> fields, ScanCounters counters) {
    this.source = source;
    this.file = source.file();
    this.filter = filter;
    this.counters = counters;
    for (Filter x : filter.filters()) {
      if (known(x.columnId())) {
        all.add(x);
      }
    }
    for (Filter x : fields) {
      if (known(x.columnId())) {
        all.add(x);
      }
    }
    sideCar = source.meta().index() == null || all.isEmpty() ? null : source.sideCar();
    if (sideCar != null) {
      point();
    } else if (source.meta().index() != null && !all.isEmpty()) {
      fail();
    }
  }

  /** Whether the file has the values of a column as the schema knows them. */
  private boolean known(int id) {
    return file.has(id) && Conversions.sameValues(file.type(id), source.schema.type(id));
  }

  private void fail() {
    if (!failed) {
      failed = true;
      counters.indexFailures.incrementAndGet();
    }
  }

  /** The filter of keys helps where one key is wanted. */
  private void point() {
    KeyBloom b = filter.low() == filter.high() ? source.keyBloom() : null;
    if (b == null) {
      return;
    }
    var tags = new ArrayList<Vector>();
    for (int id : b.tagIds()) {
      for (ColumnPredicate p : filter.predicates) {
        if (p instanceof ColumnPredicate.Compare c
            && c.columnId() == id
            && c.op() == ColumnPredicate.Op.EQ
            && c.constant().type().layout() == file.type(id).layout()) {
          tags.add(c.constant());
          break;
        }
      }
    }
    if (tags.size() == b.tagIds().size()) {
      pointHash = KeyHash.of(tags, new long[] {filter.low()}, 1)[0];
      bloom = b;
    }
  }

  private int rows(int block) {
    return file.blockRows(group, block);
  }

  /** Goes on to a row group. */
  void begin(int next) {
    group = next;
    left = null;
    int n = file.blocks(group);
    dead = new boolean[n];
    if (outOfRange()) {
      last = null;
      return;
    }
    counters.rowGroups.incrementAndGet();
    boolean any = false;
    Pruner by = Pruner.TIME;
    for (int b = 0; b < n; b++) {
      if (dead[b]) {
        continue;
      }
      Pruner p = verdict(SstFile.pageOf(b));
      dead[b] = p != null;
      any |= p == null;
      if (p != null) {
        counters.pagesPruned.incrementAndGet();
        counters.prunedPages(p, 1, rows(b));
        by = p == Pruner.TIME ? by : p;
      }
    }
    if (!any) {
      pruned(by);
    } else if (sideCar != null) {
      byIndexes(sideCar);
    } else {
      last = null;
    }
  }

  /**
   * Marks the blocks without keys of the filter's stretch, which another reader counts; whether
   * that is all of them.
   */
  private boolean outOfRange() {
    KeyRange r = filter.range;
    int id = r == null ? -1 : source.schema.tagIds.getFirst();
    if (r == null || !known(id)) {
      return false;
    }
    boolean all = true;
    for (int b = 0; b < dead.length; b++) {
      dead[b] =
          !r.touches(
              file.pageMins(id, group),
              file.pageMaxs(id, group),
              file.pageNulls(id, group),
              SstFile.pageOf(b));
      all &= dead[b];
    }
    return all;
  }

  private void pruned(Pruner by) {
    counters.rowGroupsPruned.incrementAndGet();
    counters.prunedGroup(by);
    last = by;
  }

  private @Nullable Pruner verdict(int page) {
    if (!inTime(page)) {
      return Pruner.TIME;
    }
    if (filter.above > 0) {
      Vector s = file.pageMaxs(SstFile.SEQUENCE_ID, group);
      if (s != null && whole(s, page) <= filter.above) {
        return Pruner.STATISTICS;
      }
    }
    int size = 2 * SstFile.BLOCK_ROWS;
    int rows = Math.min(size, file.groupRows(group) - page * size);
    for (Filter x : all) {
      int id = x.columnId();
      boolean may =
          x.mayMatch(
              file.pageMins(id, group),
              file.pageMaxs(id, group),
              file.pageNulls(id, group),
              page,
              rows);
      if (!may) {
        return Pruner.STATISTICS;
      }
    }
    return null;
  }

  /** Whether times of the page are wanted; less and less while a sort with a limit goes on. */
  private boolean inTime(int page) {
    int time = source.schema.timeId;
    Vector lo = file.pageMins(time, group);
    Vector hi = file.pageMaxs(time, group);
    return lo == null || hi == null || filter.touches(whole(lo, page), whole(hi, page));
  }

  private static long whole(Vector v, int row) {
    return v instanceof LongVector l ? l.get(row) : ((IntVector) v).get(row);
  }

  private void byIndexes(SideCar indexes) {
    KeyBloom b = bloom;
    if (b != null && !b.mightContain(group, pointHash)) {
      keep(new RoaringBitmap(), Pruner.KEY_BLOOM);
      return;
    }
    for (Filter x : all) {
      if (!file.type(x.columnId()).equals(source.schema.type(x.columnId()))) {
        continue;
      }
      for (IndexKind kind : List.of(IndexKind.INVERTED, IndexKind.SKIPPING, IndexKind.FULLTEXT)) {
        RoaringBitmap some = indexes.rows(kind, group, x.predicate);
        if (some != null) {
          keep(some, Pruner.of(kind));
          break;
        }
      }
      if (last != null) {
        return;
      }
    }
    if (!indexes.usable()) {
      fail();
    }
  }

  /** Keeps only these rows. */
  private void keep(RoaringBitmap some, Pruner by) {
    last = null;
    RoaringBitmap before = left == null ? alive() : left;
    RoaringBitmap after = RoaringBitmap.and(before, some);
    int pages = 0;
    for (int b = 0; b < dead.length; b++) {
      if (!dead[b] && !after.intersects(start(b), start(b) + rows(b))) {
        dead[b] = true;
        pages++;
      }
    }
    counters.pagesPruned.addAndGet(pages);
    counters.prunedPages(by, pages, before.getLongCardinality() - after.getLongCardinality());
    left = after;
    if (after.isEmpty()) {
      pruned(by);
    }
  }

  private static long start(int block) {
    return (long) block * SstFile.BLOCK_ROWS;
  }

  private RoaringBitmap alive() {
    var out = new RoaringBitmap();
    for (int b = 0; b < dead.length; b++) {
      if (!dead[b]) {
        out.add(start(b), start(b) + rows(b));
      }
    }
    return out;
  }

  /** Whether the block need not be read. */
  boolean skips(int block) {
    if (!dead[block] && !inTime(SstFile.pageOf(block))) {
      dead[block] = true;
      counters.pagesPruned.incrementAndGet();
      counters.prunedPages(Pruner.TIME, 1, rows(block));
    }
    return dead[block];
  }

  /** The rows of a block that are left, where they are few enough to be worth picking out. */
  int @Nullable [] picked(int block) {
    RoaringBitmap rows = left;
    if (rows == null) {
      return null;
    }
    int start = (int) start(block);
    int n = rows(block);
    int count = (int) rows.rangeCardinality(start, (long) start + n);
    if (count > n / 2) {
      return null;
    }
    int[] out = new int[count];
    PeekableIntIterator it = rows.getIntIterator();
    it.advanceIfNeeded(start);
    for (int i = 0; i < count; i++) {
      out[i] = it.next() - start;
    }
    return out;
  }

  /** All row groups of the file were ruled out. */
  void prunedFile() {
    Pruner by = last;
    if (by != null) {
      counters.prunedFile(by, 0);
    }
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.memory.OperatorMemory;
import io.millrace.sql.exec.memory.QueryMemory;
import io.millrace.sql.exec.memory.Revocable;
import io.millrace.sql.exec.spill.SpillFile;
import io.millrace.sql.exec.spill.TempSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * A stable external merge sort.
 * Rows are collected into runs of about 64 Ki; each run is sorted by (prefix of the first key, row
 * id) pairs, looking at the keys themselves only where prefixes are equal. Short of memory, all runs
 * so far are merged into one run on disk. At the end the runs are merged batch by batch, as the rows
 * are asked for, through a heap of their heads; equal rows come in the order of their runs, which is
 * the order of input. Every step is bounded: one run, or one batch.
 */
/** Sorts rows by some of their columns. */
final class Sorter implements Revocable, AutoCloseable {
  private static final int RUN_ROWS = 1 << 16;
  private static final int MERGE_FANIN = 64;

  /** A column to sort by. */
  record Key(int column, boolean descending, boolean nullsFirst) {}

  private final List<SqlType> types;
  private final List<Key> keys;
  private final RowOrder order;
  private final boolean exact;
  private final OperatorMemory memory;
  private final TempSpace temp;
  private final Runnable check;
  private final List<MemoryRun> runs = new ArrayList<>();
  private final List<SpillFile> files = new ArrayList<>();
  private RowPages filling;
  private volatile boolean revoked;
  private boolean finished;
  private @Nullable Merge merge;

  /**
   * @param check throws when the query is to end
   */
  Sorter(List<SqlType> types, List<Key> keys, QueryMemory query, TempSpace temp, Runnable check) {
    this.check = check;
    this.types = List.copyOf(types);
    this.keys = List.copyOf(keys);
    this.order = new RowOrder(keys);
    this.exact = keys.size() == 1 && SortKeys.exact(types.get(keys.getFirst().column()));
    this.memory = new OperatorMemory(query);
    this.temp = temp;
    this.filling = new RowPages(this.types);
    query.register(this);
  }

  @Override
  public long revocableBytes() {
    return finished ? 0 : memory.reserved();
  }

  @Override
  public void revoke() {
    revoked = true;
  }

  long peak() {
    return memory.peak();
  }

  int spilledFiles() {
    return files.size();
  }

  void add(Batch batch) {
    if (batch.rows() == 0) {
      return;
    }
    Batch b = RowPages.compact(batch);
    long bytes = b.byteSize() + b.rows() * 12L;
    if (revoked || !memory.tryReserve(bytes)) {
      revoked = false;
      spill();
      memory.reserve(bytes);
    }
    filling.add(b);
    if (filling.rows() >= RUN_ROWS) {
      endRun();
    }
  }

  private void endRun() {
    if (filling.rows() > 0) {
      filling.seal();
      runs.add(new MemoryRun(filling));
      filling = new RowPages(types);
    }
  }

  /** Merges what is in memory into one run on disk. */
  private void spill() {
    endRun();
    if (runs.isEmpty()) {
      return;
    }
    var m = new Merge(new ArrayList<>(runs));
    SpillFile f = temp.create();
    files.add(f);
    while (true) {
      Batch b = m.next();
      if (b == null) {
        break;
      }
      check.run();
      f.write(b);
    }
    runs.clear();
    memory.close();
  }

  /** Prepares for reading; call until true. */
  boolean finish(Slice slice) {
    if (!finished) {
      finished = true;
      endRun();
    }
    for (MemoryRun r : runs) {
      if (!r.sorted()) {
        slice.check();
        r.sort();
        if (slice.expired()) {
          return false;
        }
      }
    }
    while (files.size() + runs.size() > MERGE_FANIN && files.size() > 1) {
      slice.check();
      mergeFiles();
      if (slice.expired()) {
        return false;
      }
    }
    if (merge == null) {
      var sources = new ArrayList<Run>();
      for (SpillFile f : files) {
        sources.add(new FileRun(f));
      }
      sources.addAll(runs);
      merge = new Merge(sources);
    }
    return true;
  }

  /** The oldest files become one, in front. */
  private void mergeFiles() {
    List<SpillFile> some = new ArrayList<>(files.subList(0, Math.min(MERGE_FANIN, files.size())));
    var sources = new ArrayList<Run>();
    for (SpillFile f : some) {
      sources.add(new FileRun(f));
    }
    var m = new Merge(sources);
    SpillFile out = temp.create();
    files.removeAll(some);
    files.addFirst(out);
    while (true) {
      Batch b = m.next();
      if (b == null) {
        break;
      }
      check.run();
      out.write(b);
    }
    some.forEach(SpillFile::close);
  }

  /** The next rows in order; null at the end. */
  @Nullable Batch next() {
    Merge m = merge;
    if (m == null) {
      throw new IllegalStateException("not finished");
    }
    return m.next();
  }

  @Override
  public void close() {
    memory.query().unregister(this);
    runs.clear();
    filling = new RowPages(types);
    merge = null;
    files.forEach(SpillFile::close);
    files.clear();
    memory.close();
  }

  /** A sorted sequence of rows with a head. */
  private abstract static class Run {
    /** Key columns of the page the head is in. */
    Vector[] keys = new Vector[0];

    int row;
    long prefix;
    int index;

    /** Moves to the next row, or the first; false at the end. */
    abstract boolean advance();

    /** Page of the head, and its id there, for gathering. */
    abstract Batch page();
  }

  private final class MemoryRun extends Run {
    private final RowPages pages;
    private long[] prefixes = new long[0];
    private int[] ids = new int[0];
    private boolean sorted;

    /** 1 where equal prefixes are equal first keys. */
    private int firstKnown;

    private int at = -1;
    private Vector[][] pageKeys = new Vector[0][];

    MemoryRun(RowPages pages) {
      this.pages = pages;
    }

    boolean sorted() {
      return sorted;
    }

    void sort() {
      if (sorted) {
        return;
      }
      sorted = true;
      int n = Math.toIntExact(pages.rows());
      long[] p = new long[n];
      int[] id = new int[n];
      pageKeys = new Vector[pages.pageCount()][];
      int k = 0;
      Key first = Sorter.this.keys.getFirst();
      firstKnown = SortKeys.exact(types.get(first.column())) ? 1 : 0;
      for (int g = 0; g < pageKeys.length; g++) {
        pageKeys[g] = keyColumns(pages.page(g));
        Vector v = pageKeys[g][0];
        long[] some = new long[v.length()];
        SortKeys.prefixes(v, first.descending(), first.nullsFirst(), some);
        for (int r = 0; r < some.length; r++) {
          p[k] = some[r];
          id[k++] = Gather.id(g, r);
        }
      }
      long[] ranks = ranks(n, first);
      if (ranks == null) {
        mergeSort(p, id, n);
        return;
      }
      // Ranks are of this run only: what is merged with other runs goes by the bytes again.
      firstKnown = 1;
      mergeSort(ranks, id, n);
      int[] place = new int[pageKeys.length];
      for (int g = 1; g < place.length; g++) {
        place[g] = place[g - 1] + pageKeys[g - 1][0].length();
      }
      long[] sortedPrefixes = new long[n];
      for (int i = 0; i < n; i++) {
        sortedPrefixes[i] = p[place[Gather.page(ids[i])] + Gather.row(ids[i])];
      }
      prefixes = sortedPrefixes;
    }

    /**
     * For a first key of dictionary codes, all of one dictionary: the rank of each row's entry,
     * which is the whole key. Null where it is something else, or blank-padded.
     */
    private long @Nullable [] ranks(int n, Key first) {
      if (types.get(first.column()).kind() == TypeKind.BPCHAR
          || pageKeys.length == 0
          || !(pageKeys[0][0] instanceof DictVector head)) {
        return null;
      }
      DictVector.Dictionary dictionary = head.dictionary();
      int size = dictionary.size();
      boolean[] used = new boolean[size];
      for (Vector[] page : pageKeys) {
        if (!(page[0] instanceof DictVector d) || d.dictionary() != dictionary) {
          return null;
        }
        for (int i = 0; i < d.length(); i++) {
          if (!d.isNull(i)) {
            int code = d.codes()[i];
            if (code >= size) {
              return null;
            }
            used[code] = true;
          }
        }
      }
      var order = new ArrayList<Integer>();
      for (int c = 0; c < size; c++) {
        if (used[c]) {
          order.add(c);
        }
      }
      if (order.size() > n / 4) {
        return null;
      }
      order.sort(
          (a, b) ->
              Arrays.compareUnsigned(
                  dictionary.data(a),
                  dictionary.start(a),
                  dictionary.end(a),
                  dictionary.data(b),
                  dictionary.start(b),
                  dictionary.end(b)));
      long[] rank = new long[size];
      for (int i = 0; i < order.size(); i++) {
        rank[order.get(i)] = first.descending() ? order.size() - i : i + 1;
      }
      long[] out = new long[n];
      int k = 0;
      for (Vector[] page : pageKeys) {
        var d = (DictVector) page[0];
        for (int i = 0; i < d.length(); i++) {
          out[k++] = d.isNull(i) ? first.nullsFirst() ? -1 : Long.MAX_VALUE : rank[d.codes()[i]];
        }
      }
      return out;
    }

    private int compare(long pa, int a, long pb, int b) {
      if (pa != pb) {
        return pa < pb ? -1 : 1;
      }
      return exact
          ? 0
          : order.compare(
              firstKnown,
              pageKeys[Gather.page(a)],
              Gather.row(a),
              pageKeys[Gather.page(b)],
              Gather.row(b));
    }

    /** Bottom-up and stable; sorted input costs one pass. */
    private void mergeSort(long[] p, int[] id, int n) {
      boolean inOrder = true;
      for (int i = 1; i < n && inOrder; i++) {
        inOrder = compare(p[i - 1], id[i - 1], p[i], id[i]) <= 0;
      }
      prefixes = p;
      ids = id;
      if (inOrder) {
        return;
      }
      int block = 16;
      for (int from = 0; from < n; from += block) {
        int to = Math.min(n, from + block);
        for (int i = from + 1; i < to; i++) {
          long v = p[i];
          int w = id[i];
          int j = i - 1;
          while (j >= from && compare(p[j], id[j], v, w) > 0) {
            p[j + 1] = p[j];
            id[j + 1] = id[j];
            j--;
          }
          p[j + 1] = v;
          id[j + 1] = w;
        }
      }
      long[] p2 = new long[n];
      int[] id2 = new int[n];
      for (int width = block; width < n; width *= 2) {
        for (int from = 0; from < n; from += 2 * width) {
          int mid = Math.min(n, from + width);
          int to = Math.min(n, from + 2 * width);
          int a = from;
          int b = mid;
          if (mid < to && compare(p[mid - 1], id[mid - 1], p[mid], id[mid]) <= 0) {
            System.arraycopy(p, from, p2, from, to - from);
            System.arraycopy(id, from, id2, from, to - from);
            continue;
          }
          for (int o = from; o < to; o++) {
            boolean left = b >= to || (a < mid && compare(p[a], id[a], p[b], id[b]) <= 0);
            int s = left ? a++ : b++;
            p2[o] = p[s];
            id2[o] = id[s];
          }
        }
        long[] tp = p;
        p = p2;
        p2 = tp;
        int[] ti = id;
        id = id2;
        id2 = ti;
      }
      prefixes = p;
      ids = id;
    }

    @Override
    boolean advance() {
      sort();
      at++;
      if (at >= ids.length) {
        return false;
      }
      int id = ids[at];
      keys = pageKeys[Gather.page(id)];
      row = Gather.row(id);
      prefix = prefixes[at];
      return true;
    }

    @Override
    Batch page() {
      return pages.page(Gather.page(ids[at]));
    }
  }

  private final class FileRun extends Run {
    private final SpillFile.Reader reader;
    private @Nullable Batch batch;
    private long[] prefixes = new long[0];

    FileRun(SpillFile file) {
      reader = file.reader(types);
    }

    @Override
    boolean advance() {
      row++;
      while (batch == null || row >= batch.rows()) {
        batch = reader.next();
        if (batch == null) {
          return false;
        }
        row = 0;
        keys = keyColumns(batch);
        Key first = Sorter.this.keys.getFirst();
        prefixes = new long[batch.rows()];
        SortKeys.prefixes(keys[0], first.descending(), first.nullsFirst(), prefixes);
      }
      prefix = prefixes[row];
      return true;
    }

    @Override
    Batch page() {
      Batch b = batch;
      if (b == null) {
        throw new IllegalStateException("at the end");
      }
      return b;
    }
  }

  private Vector[] keyColumns(Batch b) {
    Vector[] v = new Vector[keys.size()];
    for (int k = 0; k < v.length; k++) {
      v[k] = b.column(keys.get(k).column());
    }
    return v;
  }

  /** A heap of runs by their heads. */
  private final class Merge {
    private final Run[] heap;
    private int size;
    private final int[] outIds = new int[Batch.ROWS];
    private final List<Batch> outPages = new ArrayList<>();
    private @Nullable MemoryRun only;

    Merge(List<? extends Run> sources) {
      heap = new Run[sources.size()];
      if (sources.size() == 1 && sources.getFirst() instanceof MemoryRun m) {
        m.sort();
        only = m;
        return;
      }
      for (int i = 0; i < sources.size(); i++) {
        Run r = sources.get(i);
        r.index = i;
        if (r.advance()) {
          heap[size++] = r;
          up(size - 1);
        }
      }
    }

    private boolean less(Run a, Run b) {
      if (a.prefix != b.prefix) {
        return a.prefix < b.prefix;
      }
      int c = exact ? 0 : order.compare(a.keys, a.row, b.keys, b.row);
      return c != 0 ? c < 0 : a.index < b.index;
    }

    private void up(int start) {
      int i = start;
      Run r = heap[i];
      while (i > 0) {
        int parent = i - 1 >> 1;
        if (!less(r, heap[parent])) {
          break;
        }
        heap[i] = heap[parent];
        i = parent;
      }
      heap[i] = r;
    }

    private void down() {
      int i = 0;
      Run r = heap[0];
      while (true) {
        int child = 2 * i + 1;
        if (child >= size) {
          break;
        }
        if (child + 1 < size && less(heap[child + 1], heap[child])) {
          child++;
        }
        if (!less(heap[child], r)) {
          break;
        }
        heap[i] = heap[child];
        i = child;
      }
      heap[i] = r;
    }

    @Nullable Batch next() {
      MemoryRun one = only;
      if (one != null) {
        int from = one.at + 1;
        int n = Math.min(Batch.ROWS, one.ids.length - from);
        if (n <= 0) {
          return null;
        }
        one.at += n;
        return one.pages.take(types.size(), one.ids, from, n);
      }
      outPages.clear();
      int n = 0;
      Batch last = null;
      int lastPage = -1;
      while (size > 0 && n < Batch.ROWS) {
        Run r = heap[0];
        Batch page = r.page();
        if (page != last) {
          lastPage = indexOf(page);
          last = page;
        }
        outIds[n++] = Gather.id(lastPage, r.row);
        if (r.advance()) {
          down();
        } else {
          heap[0] = heap[--size];
          if (size > 0) {
            down();
          }
        }
      }
      if (n == 0) {
        return null;
      }
      var out = new ArrayList<Vector>(types.size());
      for (int c = 0; c < types.size(); c++) {
        Vector[] pages = new Vector[outPages.size()];
        for (int p = 0; p < pages.length; p++) {
          pages[p] = outPages.get(p).column(c);
        }
        out.add(Gather.take(types.get(c), pages, outIds, 0, n));
      }
      return new Batch(out, n);
    }

    private int indexOf(Batch page) {
      for (int i = outPages.size() - 1; i >= 0; i--) {
        if (outPages.get(i) == page) {
          return i;
        }
      }
      outPages.add(page);
      return outPages.size() - 1;
    }
  }
}

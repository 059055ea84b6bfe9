package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.storage.memtable.SeriesTable;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the keys of sources into stretches with about as many rows each, so that as many threads can
 * merge them. The cuts are first tags, weighed by the pages that begin with them and by the series
 * of memtables; they are found when the first of the threads begins, since files may have to be
 * opened for it. Where the first tag has one value only, times are cut, if keys need not stay
 * together. Any thread.
 */
final class KeySplit {
  private static final int SAMPLES_A_TABLE = 256;

  private final ReadSchema schema;
  private final List<Source> sources;
  private final int pieces;
  private final boolean timesToo;
  private @Nullable List<Vector> cuts;

  /**
   * @param timesToo whether rows of one series may come in several stretches
   */
  KeySplit(ReadSchema schema, List<Source> sources, int pieces, boolean timesToo) {
    this.schema = schema;
    this.sources = sources;
    this.pieces = pieces;
    this.timesToo = timesToo || schema.tagIds.isEmpty();
  }

  private record Sample(Vector values, int row, double weight) {}

  /** The filter for one of the pieces; null if nothing is left for it. */
  @Nullable KeyFilter narrow(KeyFilter filter, int piece) {
    List<Vector> c = cuts();
    if (c.isEmpty() && timesToo) {
      return byTime(filter, piece);
    }
    if (piece > c.size()) {
      return null;
    }
    Vector from = piece == 0 ? null : c.get(piece - 1);
    Vector to = piece == c.size() ? null : c.get(piece);
    return from == null && to == null ? filter : filter.within(new KeyRange(from, to));
  }

  private @Nullable KeyFilter byTime(KeyFilter filter, int piece) {
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (Source s : sources) {
      low = Math.min(low, s.minTime);
      high = Math.max(high, s.maxTime);
    }
    low = Math.max(low, filter.low());
    high = Math.min(high, filter.high());
    double width = ((double) high - low + 1) / pieces;
    long from = piece == 0 ? Long.MIN_VALUE : low + (long) (width * piece);
    long to = piece == pieces - 1 ? Long.MAX_VALUE : low + (long) (width * (piece + 1)) - 1;
    if (low > high) {
      return piece == 0 ? filter : null;
    }
    return from > to ? null : filter.between(from, to);
  }

  private synchronized List<Vector> cuts() {
    List<Vector> c = cuts;
    if (c == null) {
      c = schema.tagIds.isEmpty() ? List.of() : cut(samples());
      cuts = c;
    }
    return c;
  }

  private List<Sample> samples() {
    var out = new ArrayList<Sample>();
    Map<SeriesTable, Double> inMemory = new IdentityHashMap<>();
    for (Source s : sources) {
      switch (s.bare()) {
        case Source.Mem m -> {
          if (m.stored().tagIds().equals(schema.tagIds)) {
            inMemory.merge(m.series(), (double) m.rows, Double::sum);
          }
        }
        case Source.File f -> pages(f.file(), out);
        case Source.Masked _ -> throw new IllegalStateException("a mask over a mask");
      }
    }
    inMemory.forEach((table, rows) -> series(table, rows, out));
    return out;
  }

  private void pages(SstFile file, List<Sample> out) {
    int id = schema.tagIds.getFirst();
    if (!file.has(id) || file.type(id).layout() != schema.tagType(0).layout()) {
      return;
    }
    for (int g = 0; g < file.groups(); g++) {
      Vector mins = file.pageMins(id, g);
      for (int p = 0; mins != null && p < mins.length(); p++) {
        if (!mins.isNull(p)) {
          int rows = Math.min(2, file.blocks(g) - 2 * p) * SstFile.BLOCK_ROWS;
          out.add(new Sample(mins, p, rows));
        }
      }
    }
  }

  private static void series(SeriesTable table, double rows, List<Sample> out) {
    int n = table.size();
    int step = Math.max(1, n / SAMPLES_A_TABLE);
    Vector values = table.tag(0, 0, n);
    for (int i = 0; i < n; i += step) {
      if (!values.isNull(i)) {
        out.add(new Sample(values, i, rows * step / n));
      }
    }
  }

  private List<Vector> cut(List<Sample> samples) {
    Comparator<Sample> order = (a, b) -> a.values.compare(a.row, b.values, b.row);
    samples.sort(order);
    double all = samples.stream().mapToDouble(Sample::weight).sum();
    var out = new ArrayList<Vector>();
    Sample last = samples.isEmpty() ? null : samples.getFirst();
    double before = 0;
    for (Sample s : samples) {
      boolean due = before >= all * (out.size() + 1) / pieces && out.size() < pieces - 1;
      if (due && last != null && order.compare(last, s) < 0) {
        out.add(s.values.take(new int[] {s.row}, 1));
        last = s;
      }
      before += s.weight;
    }
    return out;
  }
}

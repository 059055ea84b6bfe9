package io.millrace.storage.engine;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.flush.Stager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Makes commits fit for the log: the regions with the most bytes have their rows written ahead
 * until what is left is small. So no record exceeds its limit, whatever is committed.
 */
final class LargeCommits {
  /** Rows that stay in the record have at most about so many bytes. */
  private static final long SMALL = 4L << 20;

  private final RegionMap regions;
  private final Stager stager;

  LargeCommits(RegionMap regions, Stager stager) {
    this.regions = regions;
    this.stager = stager;
  }

  /** Whether the writes need not be written ahead. */
  static boolean small(List<RegionWrite> writes) {
    return writes.stream().mapToLong(LargeCommits::bytes).sum() <= SMALL;
  }

  private static long bytes(RegionWrite w) {
    long n = w.rows().byteSize() + 16L * w.rows().rows();
    for (Vector v : w.rows().columns()) {
      if (v instanceof DictVector d) {
        n += texts(d, w.rows().rows());
      }
    }
    return n;
  }

  /** The log has what a dictionary has for the rows. */
  private static long texts(DictVector d, int rows) {
    long n = 0;
    for (int i = 0; i < rows; i++) {
      n += d.isNull(i) ? 0 : d.size(i);
    }
    return n;
  }

  /** The same commit with rows written ahead. If that fails nothing of it is left. */
  CompletableFuture<WriteGroup> reduced(WriteGroup group) {
    var byRegion = new LinkedHashMap<RegionId, List<RegionWrite>>();
    for (RegionWrite w : group.writes()) {
      RegionWrite keyed = Committer.keyed(regions.require(w.region()), w);
      byRegion.computeIfAbsent(w.region(), _ -> new ArrayList<>()).add(keyed);
    }
    var largest = new ArrayList<>(byRegion.entrySet());
    largest.sort(Comparator.comparingLong(e -> -size(e.getValue())));
    var ahead = new ArrayList<CompletableFuture<StagedRows>>();
    long left = largest.stream().mapToLong(e -> size(e.getValue())).sum();
    for (Map.Entry<RegionId, List<RegionWrite>> e : largest) {
      if ((left > SMALL || ahead.isEmpty()) && whole(e.getKey(), e.getValue())) {
        left -= size(e.getValue());
        byRegion.remove(e.getKey());
        ahead.add(stage(e.getKey(), e.getValue()));
      }
    }
    return CompletableFuture.allOf(ahead.toArray(CompletableFuture[]::new))
        .handle(
            (_, failure) -> {
              var staged = new ArrayList<>(group.staged());
              for (CompletableFuture<StagedRows> f : ahead) {
                if (!f.isCompletedExceptionally()) {
                  staged.add(f.resultNow());
                }
              }
              if (failure != null) {
                staged.forEach(stager::discard);
                throw failure instanceof CompletionException c
                    ? c
                    : new CompletionException(failure);
              }
              var rest = byRegion.values().stream().flatMap(List::stream).toList();
              return new WriteGroup(rest, group.preconditions(), staged);
            });
  }

  /** Fails later, when what others have begun to write can be given up. */
  private CompletableFuture<StagedRows> stage(RegionId region, List<RegionWrite> writes) {
    try {
      return stager.stage(regions.require(region), writes);
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Whether all rows bring their keys, which the log would else complete. */
  private boolean whole(RegionId region, List<RegionWrite> writes) {
    int time = regions.require(region).schema().timeIndexId();
    return writes.stream()
        .allMatch(w -> w.op() == OpType.DELETE_RANGE || w.columnIds().contains(time));
  }

  private static long size(List<RegionWrite> writes) {
    return writes.stream().mapToLong(LargeCommits::bytes).sum();
  }
}

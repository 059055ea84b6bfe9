package io.millrace.storage.flush;

import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.StagedRows;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.purge.FilePurger;
import io.millrace.storage.read.FlushInput;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.HoldPoint;
import io.millrace.storage.read.SstFold;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.StagedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/*
 * Writes rows ahead of their commit: sorted and folded into a file as a flush would, but under
 * sequences of its own, and no manifest names it. The commit's record in the log carries the file;
 * at publication all its rows get the one sequence that the commit gave it. At the next start files
 * that neither a manifest nor the log names are removed.
 *
 * Range deletes among the rows take those before them at once and stay with the file, as coming
 * before what is left. Tombstones are kept whatever older files there are: what the rows will lie on is not known yet.
 */
public final class Stager {
  private static final HoldPoint KEEP_TOMBSTONES = new HoldPoint(0, HoldKind.KEYS);

  private final SstFold fold;
  private final FileNames names;
  private final FilePurger purger;
  private final Executor background;

  public Stager(SstFold fold, FileNames names, FilePurger purger, Executor background) {
    this.fold = fold;
    this.names = names;
    this.purger = purger;
    this.background = background;
  }

  /** Writes the rows, in order; completes with the file. */
  public CompletableFuture<StagedRows> stage(Region region, List<RegionWrite> writes) {
    region.requireOpen();
    return CompletableFuture.supplyAsync(() -> write(region, writes), background);
  }

  private StagedRows write(Region region, List<RegionWrite> writes) {
    Version v = region.versions().current();
    var memtable = new Memtable(v.schema(), v.options());
    long sequence = 1;
    var ranges = new ArrayList<RangeDelete>();
    var rectangles = new ArrayList<Rectangle>();
    for (RegionWrite w : writes) {
      if (w.op() == OpType.DELETE_RANGE) {
        for (RangeDelete d : RangeDelete.of(w)) {
          ranges.add(d);
          rectangles.add(new Rectangle(d, sequence, 1));
        }
      } else {
        memtable.append(w, sequence);
      }
      sequence += w.rows().rows();
    }
    memtable.freeze();
    FileNames.Taken taken = names.of(region.id(), v.incarnation());
    boolean written = false;
    try {
      FlushOutput output =
          fold.flush(
              new FlushInput(
                  v.region(),
                  v.schema(),
                  v.options(),
                  List.of(memtable),
                  sequence,
                  List.of(KEEP_TOMBSTONES),
                  false,
                  List.of(),
                  rectangles,
                  0,
                  0,
                  Long.MIN_VALUE,
                  taken.run(),
                  Long.MAX_VALUE,
                  taken));
      SstMeta rows = output.files().isEmpty() ? null : output.files().getFirst();
      var file = new StagedFile(v.region(), v.options(), rows, ranges);
      written = true;
      return file;
    } finally {
      if (!written) {
        purger.purge(region.id(), taken.taken(), () -> {});
      }
    }
  }

  /** Deletes a file that no commit got. */
  public void discard(StagedRows staged) {
    StagedFile f = (StagedFile) staged;
    SstMeta rows = f.meta();
    if (rows != null) {
      purger.purge(f.region(), List.of(rows.fileId()), () -> {});
    }
  }
}

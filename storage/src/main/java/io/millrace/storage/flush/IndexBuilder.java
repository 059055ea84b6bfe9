package io.millrace.storage.flush;

import io.millrace.storage.RegionResponse;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.purge.FilePurger;
import io.millrace.storage.read.IndexBuild;
import io.millrace.storage.region.PendingAction;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl.Handle;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.worker.WorkerGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/*
 * Builds side-cars of files that lack what the region's options want.
 *
 *   background  a file's columns are read and its side-car written, under a name of its own
 *   chain       if the region still has the file as it was, one manifest edit gives the file its
 *               new side-car; otherwise what was written is deleted
 *   worker      the new version; the old side-car is deleted when the last reader lets go
 *
 * One file after the other; doing it twice finds nothing left to do the second time. A crash leaves
 * the old side-car named and the new one an orphan, which the next start removes.
 */
public final class IndexBuilder {
  private final WorkerGroup workers;
  private final IndexBuild build;
  private final ManifestEditor manifests;
  private final FilePurger purger;
  private final Executor background;

  public IndexBuilder(
      WorkerGroup workers,
      IndexBuild build,
      ManifestEditor manifests,
      FilePurger purger,
      Executor background) {
    this.workers = workers;
    this.build = build;
    this.manifests = manifests;
    this.purger = purger;
    this.background = background;
  }

  /**
   * Builds for the files named, or all; completes with the number of files that changed.
   *
   * @param fileIds empty = all
   */
  public CompletableFuture<RegionResponse> build(Region region, List<String> fileIds) {
    region.requireOpen();
    var files = new ArrayList<String>();
    for (SstMeta f : region.versions().current().files()) {
      if (fileIds.isEmpty() || fileIds.contains(f.fileId())) {
        files.add(f.fileId());
      }
    }
    return next(region, files, 0, 0);
  }

  private CompletableFuture<RegionResponse> next(
      Region region, List<String> files, int at, long built) {
    if (at == files.size()) {
      return CompletableFuture.completedFuture(new RegionResponse(built, region.committed()));
    }
    return CompletableFuture.completedFuture(files.get(at))
        .thenComposeAsync(id -> one(region, id), background)
        .thenCompose(done -> next(region, files, at + 1, built + (done ? 1 : 0)));
  }

  private CompletableFuture<Boolean> one(Region region, String fileId) {
    Handle handle = region.versions().acquire();
    SstMeta file;
    Optional<IndexBuild.Built> built;
    try {
      file = find(handle.version().files(), fileId).orElse(null);
      built =
          file == null
              ? Optional.empty()
              : build.build(handle.version(), file, region.holds().points());
    } finally {
      region.versions().release(handle);
    }
    return file == null || built.isEmpty()
        ? CompletableFuture.completedFuture(false)
        : region.chain().submit(() -> commit(region, file, built.get().index().orElse(null)));
  }

  private static Optional<SstMeta> find(List<SstMeta> files, String fileId) {
    return files.stream().filter(f -> f.fileId().equals(fileId)).findFirst();
  }

  /**
   * What is pending is taken before the version is looked at: what comes later tells the manifest
   * later.
   */
  private CompletableFuture<Boolean> commit(
      Region region, SstMeta file, @Nullable SideCarMeta index) {
    List<PendingAction> pending = region.pending();
    boolean valid =
        region.state() == Region.State.OPEN
            && find(region.versions().current().files(), file.fileId())
                .filter(file::equals)
                .isPresent();
    if (!valid) {
      if (index != null) {
        purger.purge(region.id(), List.of(index.name(file.fileId())), () -> {});
      }
      return CompletableFuture.completedFuture(false);
    }
    var edit =
        new ManifestAction.Edit(List.of(file.withIndex(index)), List.of(file.fileId()), 0, 0, 0, 0);
    var gone = new ArrayList<>(manifests.edit(region, pending, List.of(edit)));
    SideCarMeta old = file.index();
    if (old != null) {
      gone.add(old.name(file.fileId()));
    }
    var done = new CompletableFuture<Boolean>();
    workers.run(
        region,
        () -> {
          try {
            region.indexed(file.fileId(), index);
            region.versions().retire(gone, () -> {});
            region.adopt(region.manifest().state());
            done.complete(true);
          } catch (RuntimeException | Error e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }
}

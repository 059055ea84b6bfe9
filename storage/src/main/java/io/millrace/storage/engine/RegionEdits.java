package io.millrace.storage.engine;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.CommitResult;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.read.FileCheck;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.wal.PayloadCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/*
 * Changes a region's files, or its sequence, by hand.
 *
 * An edit is one record in the log with what it does, published while the region is its own: no
 * commit in flight, no flush or manifest commit under way. The rows of an added file are as if they
 * were written at that moment, all with the sequence of the edit; so nothing that was decided about
 * older rows (what lies above what, which tombstones may go) is put in doubt.
 *
 * Files that are to be added are claimed first, so that no garbage collection takes them between
 * the check and the commit. The claim stays where the edit may be in the log.
 */
final class RegionEdits {
  private static final long MAX_SEQUENCE = 1L << 60;
  private final RegionDdl.Parts parts;
  private final RegionDdl ddl;
  private final FileCheck check;

  RegionEdits(RegionDdl.Parts parts, RegionDdl ddl) {
    this.parts = parts;
    this.ddl = ddl;
    this.check = new FileCheck(parts.files());
  }

  CompletableFuture<RegionResponse> add(RegionRequest.Edit e) {
    if (!e.valid() || new HashSet<>(e.add()).size() < e.add().size()) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "invalid edit of region " + e.region() + ": it must add files and do nothing else");
    }
    Region region = open(e.region());
    CompletableFuture<RegionResponse> before =
        e.flushFirst()
            ? ddl.flush(region, "edit")
            : CompletableFuture.completedFuture(new RegionResponse(0, 0));
    return before.thenComposeAsync(_ -> add(region, e.add()), parts.environment().background());
  }

  private Region open(io.millrace.common.id.RegionId id) {
    Region region = parts.regions().require(id);
    region.requireOpen();
    return region;
  }

  private CompletableFuture<RegionResponse> add(Region region, List<String> ids) {
    var claimed = new ArrayList<String>();
    CompletableFuture<RegionResponse> done;
    try {
      for (String id : ids) {
        claim(region, id);
        claimed.add(id);
      }
      TableSchema schema = region.schema();
      RegionOptions options = region.options();
      var files = new ArrayList<SstMeta>();
      for (String id : ids) {
        files.add(check.admit(region.id(), id, schema, options));
      }
      done = commit(region, files, schema, options);
    } catch (MillraceException x) {
      done = CompletableFuture.failedFuture(x);
    }
    return done.whenComplete(
        (_, x) -> {
          if (x != null && !mayBeInTheLog(x)) {
            claimed.forEach(parts.files()::settle);
          }
        });
  }

  /** After a failed write or force the record may be there at the next start. */
  private static boolean mayBeInTheLog(Throwable e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    return !(cause instanceof MillraceException m)
        || m.code() == ErrorCode.IO_ERROR
        || m.code() == ErrorCode.INTERNAL_ERROR;
  }

  private void claim(Region region, String id) {
    ObjectSstStore files = parts.files();
    if (find(region, id) != null) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "file \"" + id + "\" belongs to " + region + " already");
    }
    if (!files.claim(region.id(), id)) {
      throw busy(id);
    }
    if (region.versions().referenced().contains(id) || files.condemned(id)) {
      files.settle(id);
      throw busy(id);
    }
  }

  private static MillraceException busy(String id) {
    return new MillraceException(ErrorCode.REGION_BUSY, "file \"" + id + "\" is in use");
  }

  private static @Nullable SstMeta find(Region region, String id) {
    for (SstMeta f : region.versions().current().files()) {
      if (f.fileId().equals(id)) {
        return f;
      }
    }
    return null;
  }

  private CompletableFuture<RegionResponse> commit(
      Region region, List<SstMeta> files, TableSchema schema, RegionOptions options) {
    return alone(
        region,
        owner -> {
          if (!region.schema().equals(schema) || !region.options().mergesLike(options)) {
            throw new MillraceException(
                ErrorCode.REGION_BUSY, region + " was altered while files were checked");
          }
          var edit = new PayloadCodec.Edited(files, List.of(), false, 0, 0);
          return parts
              .committer()
              .edit(region, PayloadCodec.encodeEdit(edit), files.size(), 0, owner);
        });
  }

  /** Commits while nothing else happens to the region; the manifest follows. */
  private CompletableFuture<RegionResponse> alone(
      Region region, java.util.function.Function<Object, CompletableFuture<CommitResult>> work) {
    List<Region> all = List.of(region);
    return ddl.aloneOpen(
        all,
        owner ->
            RegionDdl.inChains(all, 0, () -> work.apply(owner))
                .thenCompose(result -> ddl.settle(all, result)));
  }

  CompletableFuture<RegionResponse> dropDamaged(RegionRequest.DropDamaged d) {
    Region region = open(d.region());
    return CompletableFuture.supplyAsync(
            () -> {
              SstMeta file = find(region, d.fileId());
              if (file != null && !check.damaged(region.id(), file)) {
                throw new MillraceException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "file \"" + d.fileId() + "\" is not damaged");
              }
              return java.util.Optional.ofNullable(file);
            },
            parts.environment().background())
        .thenCompose(
            file ->
                file.map(f -> drop(region, f))
                    .orElseGet(() -> RegionDdl.completed(RegionDdl.at(region))));
  }

  private CompletableFuture<RegionResponse> drop(Region region, SstMeta file) {
    var edit =
        new PayloadCodec.Edited(
            List.of(), List.of(file.fileId()), true, file.minTime(), file.maxTime());
    return alone(
            region,
            owner -> parts.committer().edit(region, PayloadCodec.encodeEdit(edit), 1, 0, owner))
        .thenApply(r -> new RegionResponse(file.rows(), r.sequence()));
  }

  CompletableFuture<RegionResponse> bump(RegionRequest.BumpSequence b) {
    Region region = open(b.region());
    if (b.sequence() > MAX_SEQUENCE) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "sequence " + b.sequence() + " is too large");
    }
    if (b.sequence() <= region.committed()) {
      return RegionDdl.completed(RegionDdl.at(region));
    }
    var nothing = new PayloadCodec.Edited(List.of(), List.of(), false, 0, 0);
    return alone(
        region,
        owner ->
            parts
                .committer()
                .edit(region, PayloadCodec.encodeEdit(nothing), 1, b.sequence(), owner));
  }
}

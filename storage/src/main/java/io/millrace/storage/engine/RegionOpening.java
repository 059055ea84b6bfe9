package io.millrace.storage.engine;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.OpenResult;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.region.Region;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens closed regions. Their rows have been read from the log when the engine started; a region
 * that is to be read without its log has them set aside until it is closed.
 */
final class RegionOpening {
  private final RegionDdl.Parts parts;
  private final RegionDdl ddl;

  RegionOpening(RegionDdl.Parts parts, RegionDdl ddl) {
    this.parts = parts;
    this.ddl = ddl;
  }

  CompletableFuture<RegionResponse> open(RegionRequest.Open request) {
    Region region = parts.regions().require(request.region());
    if (region.state() != Region.State.CLOSED) {
      region.requireReadable();
      return RegionDdl.completed(RegionDdl.at(region));
    }
    RegionOptions options = request.options();
    if (options != null && !options.mergesLike(region.options())) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          region + " cannot be opened with options that key or merge its rows in another way");
    }
    return ddl.alone(
        List.of(region),
        _ ->
            region
                .chain()
                .submit(
                    () -> {
                      if (region.state() == Region.State.CLOSED) {
                        begin(region, request);
                      }
                      region.requireReadable();
                      return RegionDdl.completed(RegionDdl.at(region));
                    }));
  }

  private static void begin(Region region, RegionRequest.Open request) {
    RegionOptions options = request.options();
    if (options != null && !options.equals(region.options())) {
      region.override(options);
    }
    if (request.skipReplay()) {
      region.hideMemory();
    }
    region.setState(request.skipReplay() ? Region.State.FILES_ONLY : Region.State.OPEN);
  }

  CompletableFuture<List<OpenResult>> openAll(List<RegionRequest.Open> requests, int parallelism) {
    var results = new OpenResult[requests.size()];
    var next = new AtomicInteger();
    int lanes = Math.max(1, Math.min(parallelism, requests.size()));
    var all = new CompletableFuture<?>[lanes];
    for (int i = 0; i < lanes; i++) {
      all[i] = lane(requests, results, next);
    }
    return CompletableFuture.allOf(all).thenApply(_ -> List.copyOf(Arrays.asList(results)));
  }

  private CompletableFuture<Void> lane(
      List<RegionRequest.Open> requests, OpenResult[] results, AtomicInteger next) {
    int i = next.getAndIncrement();
    if (i >= requests.size()) {
      return CompletableFuture.completedFuture(null);
    }
    RegionRequest.Open request = requests.get(i);
    return RegionDdl.guarded(() -> open(request))
        .handle(
            (r, e) -> {
              results[i] =
                  e == null
                      ? new OpenResult(request.region(), r.sequence(), null)
                      : new OpenResult(request.region(), 0, failure(e));
              return true;
            })
        .thenComposeAsync(_ -> lane(requests, results, next), parts.environment().background());
  }

  private static MillraceException failure(Throwable e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    return cause instanceof MillraceException m
        ? m
        : new MillraceException(
            ErrorCode.INTERNAL_ERROR, "could not open the region: " + cause, cause);
  }
}

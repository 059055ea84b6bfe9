package io.millrace.storage.compaction;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.flush.ManifestEditor;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Says when to compact: after every flush and compaction of a region, and every few seconds for
 * what time brings (TTL, released holds). One job per region at a time and few together; a job that
 * failed is tried again later and later. Until the gate opens nothing runs.
 *
 * Requests by hand wait for the region's job, then merge everything there is.
 */
public final class CompactionScheduler {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionScheduler.class);
  private static final long TICK_MICROS = 2_000_000;
  private static final long MAX_BACKOFF_NANOS = 300_000_000_000L;
  private static final long FIRST_BACKOFF_NANOS = 1_000_000_000L;

  /** What it works with. */
  public record Parts(
      EngineEnvironment environment,
      Supplier<Collection<Region>> regions,
      Compactor compactor,
      ManifestEditor manifests,
      AtomicBoolean gateOpen,
      BiFunction<Region, Long, ? extends CompletionStage<?>> expire,
      int jobs) {}

  private static final class Entry {
    boolean running;
    int failures;
    long retryAt;
    final Set<String> futile = new HashSet<>();
    final Queue<Runnable> waiting = new ArrayDeque<>();
  }

  private final Parts parts;
  private final Map<Region, Entry> entries = new HashMap<>();
  private int running;
  private volatile boolean stopped;
  private @Nullable CompletableFuture<Boolean> idle;

  public CompactionScheduler(Parts parts) {
    this.parts = parts;
  }

  public void start() {
    if (!stopped) {
      parts
          .environment
          .scheduler()
          .after(TICK_MICROS, () -> parts.environment.background().execute(this::tick));
    }
  }

  /** Lets running jobs end early; completes when none runs. */
  public CompletableFuture<Boolean> stop() {
    stopped = true;
    synchronized (this) {
      var done = new CompletableFuture<Boolean>();
      idle = done;
      if (running == 0) {
        done.complete(true);
      }
      return done;
    }
  }

  private void tick() {
    if (stopped) {
      return;
    }
    try {
      for (Region r : List.copyOf(parts.regions.get())) {
        if (r.state() == Region.State.OPEN && parts.gateOpen.get()) {
          expire(r);
          consider(r);
        }
      }
      synchronized (this) {
        entries
            .entrySet()
            .removeIf(x -> x.getKey().state() == Region.State.DROPPED && !x.getValue().running);
      }
    } finally {
      start();
    }
  }

  private void expire(Region r) {
    RegionOptions options = r.options();
    if (options.ttlMicros() <= 0 || options.keyMode() != KeyMode.TIME_INDEX) {
      return;
    }
    long now = parts.environment.clock().wallMicros() - options.ttlMicros();
    long below =
        now < 0 ? -TimeTicks.of(r.schema(), options, -now) : TimeTicks.of(r.schema(), options, now);
    for (SstMeta f : r.versions().current().files()) {
      if (f.maxTime() < below) {
        parts
            .expire
            .apply(r, below)
            .whenComplete(
                (_, e) -> {
                  if (e != null) {
                    LOG.warn("rows of {} could not be expired yet: {}", r, e.toString());
                  }
                });
        return;
      }
    }
  }

  private synchronized Entry entry(Region r) {
    return entries.computeIfAbsent(r, _ -> new Entry());
  }

  /** The region's files have changed. */
  public void changed(Region r) {
    if (parts.gateOpen.get() && !stopped) {
      parts.environment.background().execute(() -> consider(r));
    }
  }

  private void consider(Region r) {
    Version v = r.versions().current();
    if (r.state() != Region.State.OPEN || v.files().isEmpty()) {
      r.setDebt(0);
      return;
    }
    long window = window(r, v);
    Entry e = entry(r);
    synchronized (this) {
      if (!e.futile.isEmpty()) {
        e.futile.retainAll(v.files().stream().map(SstMeta::fileId).toList());
      }
      r.setDebt(e.failures > 0 ? 0 : WindowPicker.debt(v.files(), window));
      long now = parts.environment.clock().monotonicNanos();
      if (stopped || e.running || running >= parts.jobs || now < e.retryAt) {
        return;
      }
    }
    WindowPicker.Rules rules = rules(r, v, window, e);
    List<SstMeta> inputs = WindowPicker.pick(v.files(), rules);
    if (!inputs.isEmpty()) {
      var _ = tryStart(e, new Compactor.Job(r, inputs, 0, rules.held(), () -> stop(r)));
    }
  }

  private boolean stop(Region r) {
    return stopped || r.state() != Region.State.OPEN;
  }

  private static WindowPicker.Rules rules(Region r, Version v, long window, Entry e) {
    CompactionOptions o = v.options().compaction();
    long max = o.maxOutputBytes() > 0 ? o.maxOutputBytes() : Compactor.MAX_FILE_BYTES;
    long held = r.holds().least(Long.MAX_VALUE);
    return new WindowPicker.Rules(
        window,
        Math.max(2, o.triggerFiles()),
        max,
        Math.min(held, v.flushedSequence()),
        e.futile,
        v.ranges().stream().filter(m -> m.sequence() <= held).toList());
  }

  /** The region's window: given, or inferred once and kept. */
  private long window(Region r, Version v) {
    long given = v.options().compaction().windowMicros();
    if (given > 0) {
      return TimeTicks.of(v.schema(), v.options(), given);
    }
    long known = r.manifest().state().window();
    if (known > 0) {
      return known;
    }
    long inferred = TimeTicks.infer(v.schema(), v.options(), v.files());
    var kept =
        r.chain()
            .submit(
                () -> {
                  if (r.state() == Region.State.OPEN && r.manifest().state().window() == 0) {
                    parts.manifests.commit(
                        r, r.pending(), List.of(new ManifestAction.Window(inferred)));
                  }
                  return CompletableFuture.completedFuture(true);
                });
    kept.exceptionally(
        e -> {
          LOG.warn("the compaction window of {} could not be kept yet: {}", r, e.toString());
          return false;
        });
    return inferred;
  }

  /** Starts a job; null if the region has one already. */
  private @Nullable CompletableFuture<Optional<FlushOutput>> tryStart(Entry e, Compactor.Job job) {
    synchronized (this) {
      if (stopped || e.running) {
        return null;
      }
      e.running = true;
      running++;
    }
    var result = new CompletableFuture<Optional<FlushOutput>>();
    parts
        .environment
        .background()
        .execute(
            () -> {
              CompletableFuture<Optional<FlushOutput>> f;
              try {
                f = parts.compactor.run(job);
              } catch (RuntimeException x) {
                f = CompletableFuture.failedFuture(x);
              }
              var _ =
                  f.whenComplete(
                      (output, x) -> {
                        ended(job, e, x == null ? files(output) : List.of(), x);
                        finish(result, output, x);
                      });
            });
    return result;
  }

  private void ended(Compactor.Job job, Entry e, List<SstMeta> written, @Nullable Throwable error) {
    Region r = job.region();
    List<Runnable> next;
    CompletableFuture<Boolean> last = null;
    synchronized (this) {
      e.running = false;
      running--;
      if (error != null) {
        e.failures++;
        long wait = FIRST_BACKOFF_NANOS << Math.min(e.failures - 1, 20);
        e.retryAt = parts.environment.clock().monotonicNanos() + Math.min(MAX_BACKOFF_NANOS, wait);
      } else {
        e.failures = 0;
      }
      for (SstMeta f : written) {
        if ((f.multiVersion() || f.tombstones()) && f.maxSequence() <= job.held()) {
          e.futile.add(f.fileId());
        }
      }
      next = List.copyOf(e.waiting);
      e.waiting.clear();
      if (running == 0) {
        last = idle;
      }
    }
    if (error != null) {
      LOG.warn("could not compact {}: {}", r, error.toString());
    }
    if (last != null) {
      last.complete(true);
    }
    next.forEach(Runnable::run);
    if (next.isEmpty()) {
      changed(r);
    }
  }

  /** Merges all files of a region now. */
  public CompletableFuture<RegionResponse> compact(Region r, RegionRequest.Compact request) {
    var done = new CompletableFuture<RegionResponse>();
    attempt(r, request, done);
    return done;
  }

  private void attempt(
      Region r, RegionRequest.Compact request, CompletableFuture<RegionResponse> done) {
    try {
      r.requireOpen();
      if (stopped) {
        throw new MillraceException(ErrorCode.REGION_NOT_READY, "the region engine is stopping");
      }
      if (!parts.gateOpen.get()) {
        throw new MillraceException(
            ErrorCode.REGION_NOT_READY, r + " cannot be compacted before its flows have started");
      }
    } catch (MillraceException e) {
      done.completeExceptionally(e);
      return;
    }
    Entry e = entry(r);
    synchronized (this) {
      if (e.running) {
        e.waiting.add(() -> attempt(r, request, done));
        return;
      }
    }
    Version v = r.versions().current();
    if (v.files().isEmpty()) {
      done.complete(new RegionResponse(0, r.committed()));
      return;
    }
    long strict = request.strict() ? window(r, v) : 0;
    long held = r.holds().least(v.flushedSequence());
    var started = tryStart(e, new Compactor.Job(r, v.files(), strict, held, () -> stop(r)));
    if (started == null) {
      attempt(r, request, done);
      return;
    }
    var _ =
        started.whenComplete(
            (output, x) -> {
              long rows = output == null ? 0 : output.map(FlushOutput::rowsOut).orElse(0L);
              finish(done, new RegionResponse(rows, r.committed()), x);
            });
  }

  private static List<SstMeta> files(Optional<FlushOutput> output) {
    return output.map(FlushOutput::files).orElse(List.of());
  }

  private static <T> void finish(CompletableFuture<T> f, T value, @Nullable Throwable error) {
    if (error != null) {
      f.completeExceptionally(error);
    } else {
      f.complete(value);
    }
  }
}

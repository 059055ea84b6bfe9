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
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.Expiry;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
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
  private static final long SECOND_MICROS = 1_000_000;

  /** Steps of a TTL in which the bound of what has expired follows the clock. */
  private static final long EXPIRY_STEPS = 20;

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
      BiPredicate<Region, SstMeta> damaged,
      EngineMeters meters,
      int jobs,
      long memory) {}

  /** From so many overlapping runs on a job does not give way to readers. */
  private static final int URGENT_RUNS = 20;

  private static final class Entry {
    boolean running;
    int failures;
    long retryAt;
    final Set<String> futile = new HashSet<>();
    final Set<String> damaged = new HashSet<>();
    final Queue<Runnable> waiting = new ArrayDeque<>();
  }

  private final Parts parts;
  private final Map<Region, Entry> entries = new HashMap<>();
  private final Queue<Runnable> waitingForMemory = new ArrayDeque<>();
  private int running;
  private long memory;
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

  /** Jobs that run. */
  public synchronized int running() {
    return running;
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

  /** Lets go what time has made too old, as soon as that is worth a commit. */
  private void expire(Region r) {
    OptionalLong below = tooOld(r);
    if (below.isPresent() && worthExpiring(r, below.getAsLong())) {
      var _ = expire(r, below.getAsLong());
    }
  }

  private CompletableFuture<Boolean> expire(Region r, long below) {
    return parts
        .expire
        .apply(r, below)
        .toCompletableFuture()
        .handle(
            (_, e) -> {
              if (e != null) {
                LOG.warn("rows of {} could not be expired yet: {}", r, e.toString());
              }
              return e == null;
            });
  }

  /** Rows with lower times are older than the region's TTL; empty if it has none. */
  private OptionalLong tooOld(Region r) {
    RegionOptions options = r.options();
    if (options.ttlMicros() <= 0 || options.keyMode() != KeyMode.TIME_INDEX) {
      return OptionalLong.empty();
    }
    long now = parts.environment.clock().wallMicros() - options.ttlMicros();
    return OptionalLong.of(
        now < 0
            ? -TimeTicks.of(r.schema(), options, -now)
            : TimeTicks.of(r.schema(), options, now));
  }

  /**
   * A file that is too old as a whole goes at once. Single rows go when files are written, which
   * asks for a bound that has been committed; it follows time in steps of a part of the TTL while
   * there are rows below it.
   */
  private static boolean worthExpiring(Region r, long below) {
    Version v = r.versions().current();
    RegionOptions options = v.options();
    long bound = Expiry.droppable(below, v.files(), !options.appendMode());
    if (v.files().stream().anyMatch(f -> f.maxTime() < bound)) {
      return true;
    }
    long step = Math.max(SECOND_MICROS, options.ttlMicros() / EXPIRY_STEPS);
    return r.expiredBelow() <= bound - TimeTicks.of(v.schema(), options, step)
        && hasRowsBelow(r, bound);
  }

  private static boolean hasRowsBelow(Region r, long below) {
    Version v = r.versions().current();
    return v.files().stream().anyMatch(f -> f.minTime() < below)
        || v.memtables().stream().anyMatch(m -> m.minTime() < below);
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
    int disturbances = r.disturbances();
    Version v = r.versions().current();
    if (r.state() != Region.State.OPEN || v.files().isEmpty()) {
      r.setDebt(0);
      return;
    }
    long window = window(r, v);
    Entry e = entry(r);
    synchronized (this) {
      if (!e.futile.isEmpty() || !e.damaged.isEmpty()) {
        List<String> there = v.files().stream().map(SstMeta::fileId).toList();
        e.futile.retainAll(there);
        e.damaged.retainAll(there);
      }
      r.setDebt(e.failures > 0 ? 0 : WindowPicker.debt(v.files(), window));
      long now = parts.environment.clock().monotonicNanos();
      if (stopped || e.running || running >= parts.jobs || now < e.retryAt) {
        return;
      }
    }
    WindowPicker.Rules rules = rules(r, v, window, e);
    List<SstMeta> inputs = WindowPicker.pick(readable(e, v.files()), rules);
    if (!inputs.isEmpty()) {
      var _ = tryStart(e, job(r, inputs, 0, rules.held(), disturbances));
    }
  }

  private Compactor.Job job(
      Region r, List<SstMeta> inputs, long strict, long held, int disturbances) {
    boolean urgent = r.debt() >= URGENT_RUNS;
    return new Compactor.Job(r, inputs, strict, held, disturbances, urgent, () -> stopped);
  }

  /** All but those that could not be read. */
  private synchronized List<SstMeta> readable(Entry e, List<SstMeta> files) {
    return e.damaged.isEmpty()
        ? files
        : files.stream().filter(f -> !e.damaged.contains(f.fileId())).toList();
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

  /** Whether there is memory for the job; one always has it. */
  private synchronized boolean fits(Compactor.Job job) {
    return running == 0 || memory + job.memory() <= parts.memory;
  }

  /** Starts a job; null if the region has one already, or there is no memory for it. */
  private @Nullable CompletableFuture<Optional<FlushOutput>> tryStart(Entry e, Compactor.Job job) {
    long taken = job.memory(); // the region may have other columns when the job ends
    synchronized (this) {
      if (stopped || e.running || !fits(job)) {
        return null;
      }
      e.running = true;
      running++;
      memory += taken;
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
              } catch (RuntimeException | Error x) {
                f = CompletableFuture.failedFuture(x);
              }
              var _ =
                  f.whenComplete(
                      (output, x) -> {
                        ended(job, taken, e, x == null ? files(output) : List.of(), x);
                        finish(result, output, x);
                      });
            });
    return result;
  }

  private void ended(
      Compactor.Job job, long taken, Entry e, List<SstMeta> written, @Nullable Throwable error) {
    Region r = job.region();
    List<String> damaged = error == null ? List.of() : damaged(job, error);
    List<Runnable> next;
    CompletableFuture<Boolean> last = null;
    synchronized (this) {
      e.running = false;
      running--;
      memory -= taken;
      e.damaged.addAll(damaged);
      if (error != null && damaged.isEmpty()) {
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
      var all = new ArrayList<>(e.waiting);
      e.waiting.clear();
      all.addAll(waitingForMemory);
      waitingForMemory.clear();
      next = List.copyOf(all);
      if (running == 0) {
        last = idle;
      }
    }
    if (error != null) {
      parts.meters.compactionFailures.increment();
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

  /** Files without which compaction can go on: those of the job that cannot be read. */
  private List<String> damaged(Compactor.Job job, Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    if (!(cause instanceof MillraceException m) || m.code() != ErrorCode.DATA_CORRUPTED) {
      return List.of();
    }
    var out = new ArrayList<String>();
    for (SstMeta f : job.inputs()) {
      if (parts.damaged.test(job.region(), f)) {
        out.add(f.fileId());
        LOG.error(
            "file {} of {} cannot be read and is left out of compactions;"
                + " accept its loss with ADMIN drop_damaged_sst('{}')",
            f.fileId(),
            job.region(),
            f.fileId());
      }
    }
    return out;
  }

  /** Merges all files of a region now. */
  public CompletableFuture<RegionResponse> compact(Region r, RegionRequest.Compact request) {
    var done = new CompletableFuture<RegionResponse>();
    OptionalLong below = tooOld(r);
    boolean expires =
        below.isPresent()
            && parts.gateOpen.get()
            && r.state() == Region.State.OPEN
            && r.expiredBelow() < below.getAsLong()
            && hasRowsBelow(r, below.getAsLong());
    if (expires) {
      var _ =
          expire(r, below.getAsLong())
              .thenAccept(_ -> attempt(r, request, done))
              .exceptionally(
                  e -> {
                    done.completeExceptionally(e);
                    return null;
                  });
    } else {
      attempt(r, request, done);
    }
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
    int disturbances = r.disturbances();
    Version v = r.versions().current();
    if (v.files().isEmpty()) {
      done.complete(new RegionResponse(0, r.committed()));
      return;
    }
    long strict = request.strict() ? window(r, v) : 0;
    long held = r.holds().least(v.flushedSequence());
    Compactor.Job job = job(r, v.files(), strict, held, disturbances);
    var started = tryStart(e, job);
    if (started == null) {
      synchronized (this) {
        if (!e.running && !fits(job)) {
          waitingForMemory.add(() -> attempt(r, request, done));
          return;
        }
      }
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

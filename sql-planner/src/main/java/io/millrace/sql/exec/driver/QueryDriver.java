package io.millrace.sql.exec.driver;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.QueryEngine.ExecutionProfile;
import io.millrace.sql.exec.QueryEngine.ResultSink;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.Wait;
import io.millrace.sql.exec.operator.Exchange;
import io.millrace.sql.exec.operator.Execution;
import io.millrace.sql.exec.spill.SpillFile;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A query: its operators, its sink, and what is between them.
 *
 * It runs while rows are demanded and the sink's window is open. Reaching the demanded number of
 * rows suspends it, also where nothing more would come; the rest of the batch is kept. Parked on
 * its client for two seconds while it holds a snapshot of its own, it is woken to spool: the rest
 * of its rows goes to a temporary file and operators, memory and snapshot are given back. Rows are
 * then read from the file. An error met while nothing is demanded is told at the next demand.
 */
final class QueryDriver extends Turn implements QueryEngine.Query {
  private static final Logger LOG = LoggerFactory.getLogger(QueryDriver.class);

  private static final int ROWS_PER_CALL = 1024;

  private final QueryEngineImpl engine;
  private final Execution run;
  private final Operator root;
  private final List<SqlType> types;
  private final ResultSink sink;
  private final Admission admission;
  private final boolean background;
  private final AtomicReference<@Nullable MillraceException> ended;
  private final AtomicReference<@Nullable MillraceException> cancelled = new AtomicReference<>();
  private final AtomicLong demand = new AtomicLong();
  private final long opened;
  private volatile boolean closeAsked;
  private volatile boolean spoolAsked;
  private volatile long finished;

  private @Nullable Batch pending;
  private int pendingFrom;
  private boolean rootDone;
  private boolean released;
  private @Nullable CompletionStage<?> waitedFor;
  private Scheduler.@Nullable Cancellable timer;
  private @Nullable SpillFile spool;
  private SpillFile.@Nullable Reader spooled;
  private @Nullable MillraceException late;

  QueryDriver(
      QueryEngineImpl engine,
      LevelScheduler scheduler,
      Admission admission,
      Execution run,
      Operator root,
      List<SqlType> types,
      ResultSink sink,
      boolean background,
      AtomicReference<@Nullable MillraceException> ended) {
    super(scheduler);
    this.engine = engine;
    this.admission = admission;
    this.run = run;
    this.root = root;
    this.types = types;
    this.sink = sink;
    this.background = background;
    this.ended = ended;
    this.opened = run.clock().monotonicNanos();
  }

  @Override
  int level() {
    if (closeAsked || cancelled.get() != null) {
      return 0;
    }
    return background ? Math.max(3, super.level()) : super.level();
  }

  @Override
  public void demand(long rows) {
    if (rows <= 0) {
      return;
    }
    demand.accumulateAndGet(rows, (a, b) -> a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b);
    wake();
  }

  @Override
  public void cancel(MillraceException reason) {
    if (cancelled.compareAndSet(null, reason)) {
      ended.compareAndSet(null, reason);
      wake();
    }
  }

  @Override
  public void close() {
    closeAsked = true;
    ended.compareAndSet(
        null,
        new MillraceException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request"));
    if (seize()) {
      release();
    } else {
      wake();
    }
  }

  @Override
  public ExecutionProfile profile() {
    long end = finished;
    return new ExecutionProfile(
        run.shared().profiles(), (end == 0 ? run.clock().monotonicNanos() : end) - opened);
  }

  @Override
  Verdict turn() {
    stopTimer();
    if (closeAsked) {
      release();
      return Verdict.DONE;
    }
    MillraceException reason = cancelled.get();
    if (reason != null) {
      return fail(reason);
    }
    if (!admission.acquire(this)) {
      return Verdict.PARK;
    }
    try {
      Verdict v = work(new TurnSlice(run.clock(), ended, run.memory()));
      if (v == Verdict.DONE) {
        release();
      }
      return v;
    } catch (MillraceException e) {
      return failed(e);
    } catch (StackOverflowError e) {
      return failed(
          new MillraceException(ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", e));
    } catch (OutOfMemoryError e) {
      return failed(new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory", e));
    } catch (RuntimeException | Error e) {
      LOG.error("a query failed by a defect", e);
      return failed(new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + e, e));
    }
  }

  /**
   * An error of the query's own: told at once if the client is listening, else at its next call.
   */
  private Verdict failed(MillraceException e) {
    if (closeAsked) {
      release();
      return Verdict.DONE;
    }
    MillraceException reason = cancelled.get();
    if (reason == null && demand.get() == 0) {
      late = e;
      releaseRun();
      admission.release(this);
      return Verdict.PARK;
    }
    return fail(reason == null ? e : reason);
  }

  private Verdict fail(MillraceException e) {
    try {
      release();
    } catch (RuntimeException | Error x) {
      e.addSuppressed(x);
    }
    sink.failed(e);
    return Verdict.DONE;
  }

  private Verdict work(Slice slice) {
    while (true) {
      if (closeAsked) {
        return Verdict.DONE;
      }
      slice.check();
      if (demand.get() == 0) {
        if (!spoolAsked || rootDone || late != null) {
          return park();
        }
        if (slice.expired()) {
          return Verdict.AGAIN;
        }
        Verdict v = spoolSome(slice);
        if (v != null) {
          return v;
        }
        continue;
      }
      Batch p = pending;
      if (p != null) {
        if (!sink.ready()) {
          if (spoolAsked && !rootDone && late == null) {
            if (slice.expired()) {
              return Verdict.AGAIN;
            }
            Verdict v = spoolSome(slice);
            if (v != null) {
              return v;
            }
            continue;
          }
          return park();
        }
        send(p);
        if (slice.expired()) {
          return Verdict.AGAIN;
        }
        continue;
      }
      SpillFile.Reader r = spooled;
      if (r != null) {
        Batch b = r.next();
        if (b != null) {
          pending = b;
          pendingFrom = 0;
          continue;
        }
      }
      if (late != null) {
        throw late;
      }
      if (rootDone) {
        releaseRun();
        finished = run.clock().monotonicNanos();
        release();
        sink.completed();
        return Verdict.DONE;
      }
      if (slice.expired()) {
        return Verdict.AGAIN;
      }
      Step s = root.step(slice);
      if (s instanceof Step.Out o) {
        if (o.batch().rows() > 0) {
          pending = o.batch();
          pendingFrom = 0;
        }
      } else if (s instanceof Step.Blocked b) {
        return block(b.on());
      } else if (s == Step.Signal.DONE) {
        rootDone = true;
        releaseRun();
      }
    }
  }

  private void send(Batch p) {
    int count = (int) Math.min(Math.min(ROWS_PER_CALL, p.rows() - pendingFrom), demand.get());
    int from = pendingFrom;
    pendingFrom += count;
    if (pendingFrom == p.rows()) {
      pending = null;
    }
    long left = demand.accumulateAndGet(count, (a, b) -> a == Long.MAX_VALUE ? a : a - b);
    sink.rows(p, from, count);
    if (left == 0) {
      sink.suspended();
    }
  }

  /** Parks on the client. */
  private Verdict park() {
    admission.release(this);
    lease();
    return Verdict.PARK;
  }

  /** Sets the time when the query is to let go of its snapshot. Also before the first demand. */
  void lease() {
    if (run.snapshot().owned() && !rootDone && !spoolAsked) {
      timer =
          engine
              .scheduler()
              .after(
                  QueryEngineImpl.LEASE_MICROS,
                  () -> {
                    spoolAsked = true;
                    wake();
                  });
    }
  }

  private Verdict block(Wait wait) {
    CompletionStage<?> stage = wait.stage();
    if (!(stage instanceof Exchange.InnerWait)) {
      admission.release(this);
    }
    if (stage != waitedFor) {
      waitedFor = stage;
      stage.whenComplete((_, _) -> wake());
    }
    return Verdict.PARK;
  }

  /** One step towards the spool; null = go on. */
  private @Nullable Verdict spoolSome(Slice slice) {
    Step s = root.step(slice);
    if (s instanceof Step.Out o) {
      SpillFile f = spool;
      if (f == null) {
        f = run.temp().create();
        spool = f;
        spooled = f.reader(types);
      }
      f.write(o.batch());
    } else if (s instanceof Step.Blocked b) {
      return block(b.on());
    } else if (s == Step.Signal.DONE) {
      rootDone = true;
      releaseRun();
    }
    return null;
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Gives back operators, memory and snapshot, but not the spool. */
  private void releaseRun() {
    if (!released) {
      released = true;
      try {
        root.close();
      } finally {
        run.shared().close();
        run.snapshot().release();
      }
    }
  }

  private void release() {
    stopTimer();
    if (finished == 0) {
      finished = run.clock().monotonicNanos();
    }
    pending = null;
    try {
      releaseRun();
    } finally {
      run.temp().close();
      admission.release(this);
      engine.ended(this);
    }
  }
}

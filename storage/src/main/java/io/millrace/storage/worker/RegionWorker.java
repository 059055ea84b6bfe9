package io.millrace.storage.worker;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineEnvironment.Point;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.commit.CommitPart;
import io.millrace.storage.commit.CommitTask;
import io.millrace.storage.commit.Mailbox;
import io.millrace.storage.region.Region;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.PayloadCodec;
import java.util.List;

/** Owns its regions: admits and applies their commits. One mailbox, one thread. */
final class RegionWorker {
  private sealed interface Message {
    record Admit(CommitTask task, CommitPart part) implements Message {}

    record Apply(List<CommitTask> group) implements Message {}

    record Task(Runnable task) implements Message {}
  }

  private final int index;
  private final WorkerGroup group;
  private final Admission admission;
  private final EngineEnvironment environment;
  private final Mailbox<Message> mailbox;

  RegionWorker(int index, WorkerGroup group, Admission admission, EngineEnvironment environment) {
    this.index = index;
    this.group = group;
    this.admission = admission;
    this.environment = environment;
    this.mailbox = new Mailbox<>(environment.serial("millrace-worker-" + index), this::handle);
  }

  void admit(CommitTask task, CommitPart part) {
    mailbox.send(new Message.Admit(task, part));
  }

  void apply(List<CommitTask> tasks) {
    mailbox.send(new Message.Apply(tasks));
  }

  void run(Runnable task) {
    mailbox.send(new Message.Task(task));
  }

  private void handle(List<Message> messages) {
    for (Message m : messages) {
      switch (m) {
        case Message.Admit(CommitTask task, CommitPart part) -> admission.admit(task, part);
        case Message.Apply(List<CommitTask> tasks) -> applyAll(tasks);
        case Message.Task(Runnable task) -> task.run();
      }
    }
  }

  private void applyAll(List<CommitTask> tasks) {
    try {
      for (CommitTask t : tasks) {
        boolean mine = false;
        for (CommitPart p : t.parts()) {
          if (p.kind() == LogPart.Kind.STAGED && group.indexOf(p.region().id()) == index) {
            p.region().expectStaged(p.stagedFiles());
          }
          if (p.kind() == LogPart.Kind.WRITE
              && !p.writes().isEmpty()
              && group.indexOf(p.region().id()) == index) {
            append(t, p);
            mine = true;
          }
        }
        if (mine) {
          group.applied(t);
        }
      }
      environment.reached(Point.AFTER_APPLY);
      group.appliedAll();
    } catch (RuntimeException | Error e) {
      group.broken(e);
    }
    for (CommitTask t : tasks) {
      for (CommitPart p : t.parts()) {
        if (group.indexOf(p.region().id()) == index) {
          group.grown(p.region());
        }
      }
    }
  }

  private void append(CommitTask task, CommitPart part) {
    Region region = part.region();
    long sequence = part.firstSequence();
    long bytes = part.bytes();
    long now = environment.clock().monotonicNanos();
    for (int i = 0; i < part.writes().size(); i++) {
      RegionWrite write = part.writes().get(i);
      long rowId = part.rowId(i);
      if (rowId != LogPart.NO_ROW_ID) {
        write = PayloadCodec.withRowIds(write, region.schema(), rowId);
      }
      region.append(write, sequence, bytes, task.position(), now);
      bytes = 0;
      sequence += write.rows().rows();
    }
  }

  /** Whether the write gets row ids at admission. */
  static boolean needsRowIds(Region region, RegionWrite write) {
    if (write.columnIds().contains(region.schema().timeIndexId())) {
      return false;
    }
    if (region.options().keyMode() != KeyMode.ROW_ID) {
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR, "rows for " + region + " come without their time index");
    }
    return true;
  }
}

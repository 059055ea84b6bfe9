package io.millrace.server.session;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/*
 * A client that sends faster than its session takes is not read from for a while: from 1 MiB of
 * messages on until 256 KiB are left. The loop adds and the session's thread takes at the same time,
 * so pausing looks at the bytes once more after it has become visible: whoever comes second, of the
 * pause and the taking, sees the other.
 */
/** A session's messages on their way from the loop to its thread. */
final class Inbox {
  private static final long PAUSE_ABOVE = 1 << 20;
  private static final long RESUME_BELOW = 256 << 10;

  private final Runnable pause;
  private final Runnable resume;
  private final Queue<InboxMessage> messages = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean paused;

  /**
   * An empty inbox.
   *
   * @param pause stops reading from the client
   * @param resume goes on
   */
  Inbox(Runnable pause, Runnable resume) {
    this.pause = pause;
    this.resume = resume;
  }

  void add(InboxMessage message) {
    messages.add(message);
    if (bytes.addAndGet(message.size()) > PAUSE_ABOVE) {
      settle();
    }
  }

  /** The oldest message; null if there is none. */
  @Nullable InboxMessage take() {
    InboxMessage m = messages.poll();
    if (m != null && bytes.addAndGet(-m.size()) < RESUME_BELOW && paused) {
      settle();
    }
    return m;
  }

  private synchronized void settle() {
    if (!paused && bytes.get() > PAUSE_ABOVE) {
      paused = true;
      pause.run();
    }
    if (paused && bytes.get() < RESUME_BELOW) {
      paused = false;
      resume.run();
    }
  }

  void clear() {
    messages.clear();
  }
}

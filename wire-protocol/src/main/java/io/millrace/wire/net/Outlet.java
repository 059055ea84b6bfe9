package io.millrace.wire.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.ReferenceCountUtil;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/*
 * The way out of a connection: from any thread into one queue, from there by the loop.
 *
 *   any thread:   piece → queue → one wake-up of the loop
 *   loop:         queue → channel.write … → one flush
 *
 * Everything goes through the one queue, also from the loop itself: what a thread of the pool
 * handed on before can then never be overtaken by an answer that the loop gives. While the loop is
 * reading, flushing waits for the end of the read, so that a pipeline of trivial statements is
 * answered by one system call.
 *
 * Window: bytes handed on and not yet written. Above 512 KiB it closes, below 128 KiB it opens and
 * the owner is told. Both sides change the count first and then the flag, the sender looks at the
 * count again after closing, and opening is a compare-and-set: a closed window with nothing left to
 * write cannot be.
 *
 * The end: after close(), and after a last piece, whatever is handed on is released.
 */
/** The ordered way out of a connection, with its window. */
public final class Outlet {
  private static final long HIGH = 512 << 10;
  private static final long LOW = 128 << 10;
  private static final long LINGER_MILLIS = 5_000;

  private final Channel channel;
  private final Runnable windowOpened;
  private final Queue<Piece> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean wakeUp = new AtomicBoolean();
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicBoolean shut = new AtomicBoolean();
  private volatile boolean closed;
  private boolean reading;
  private boolean unflushed;
  private boolean ending;

  /**
   * @param windowOpened called on the loop when the window has opened
   */
  public Outlet(Channel channel, Runnable windowOpened) {
    this.channel = channel;
    this.windowOpened = windowOpened;
  }

  /** Something on its way; tells the window when it is written. */
  private final class Piece implements ChannelFutureListener {
    private final Object message;
    private final int size;
    private final boolean last;

    Piece(Object message, int size, boolean last) {
      this.message = message;
      this.size = size;
      this.last = last;
    }

    @Override
    public void operationComplete(ChannelFuture future) {
      long left = unsent.addAndGet(-size);
      if (last) {
        var _ = channel.close();
      } else if (left < LOW && shut.compareAndSet(true, false) && !closed) {
        windowOpened.run();
      }
    }
  }

  // --- on the loop

  /** The loop reads: flushing waits. */
  public void readStarted() {
    reading = true;
  }

  /** The loop has read what there was. */
  public void readEnded() {
    reading = false;
    if (unflushed) {
      unflushed = false;
      channel.flush();
    }
  }

  /** The channel is closed. */
  public void close() {
    closed = true;
    drain();
  }

  /** Says one last thing, even if another thread is in the middle of sending, and closes. */
  public void abort(Object message, int size) {
    if (closed) {
      ReferenceCountUtil.release(message);
      return;
    }
    closed = true;
    unsent.addAndGet(size);
    queue.add(new Piece(message, size, true));
    drain();
  }

  private void drain() {
    wakeUp.set(false);
    boolean any = false;
    for (Piece piece = queue.poll(); piece != null; piece = queue.poll()) {
      if (ending) {
        ReferenceCountUtil.release(piece.message);
        continue;
      }
      any = true;
      channel.write(piece.message).addListener(piece);
      if (piece.last) {
        ending = true;
        var _ = channel.eventLoop().schedule(this::cutOff, LINGER_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    if (any) {
      if (reading && !ending) {
        unflushed = true;
      } else {
        channel.flush();
      }
    }
  }

  private void cutOff() {
    var _ = channel.close();
  }

  // --- on any thread, one at a time

  /** Hands a message on; released if the connection is closed. */
  public void send(Object message, int size) {
    enqueue(message, size, false);
  }

  /** Hands the last message on, after which the connection is closed. */
  public void sendLast(Object message, int size) {
    enqueue(message, size, true);
  }

  private void enqueue(Object message, int size, boolean last) {
    if (closed) {
      ReferenceCountUtil.release(message);
      return;
    }
    queue.add(new Piece(message, size, last));
    if (unsent.addAndGet(size) > HIGH) {
      shut.set(true);
      if (unsent.get() < LOW) {
        shut.set(false);
      }
    }
    if (last) {
      closed = true;
    }
    if (channel.eventLoop().inEventLoop()) {
      drain();
    } else if (wakeUp.compareAndSet(false, true)) {
      execute(this::drain);
    }
  }

  /** Runs a task on the loop after everything handed on before. */
  public void execute(Runnable task) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException _) {
      // The loops have ended and with them the connection.
      closed = true;
      for (Piece piece = queue.poll(); piece != null; piece = queue.poll()) {
        ReferenceCountUtil.release(piece.message);
      }
    }
  }

  // --- anybody, at any time

  /** Whether the window is open. Always so once the connection is closed. */
  public boolean ready() {
    return closed || !shut.get();
  }

  public boolean closed() {
    return closed;
  }

  public void pauseReading() {
    channel.config().setAutoRead(false);
  }

  public void resumeReading() {
    if (!closed) {
      channel.config().setAutoRead(true);
    }
  }
}

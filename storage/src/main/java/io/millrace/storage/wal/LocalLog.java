package io.millrace.storage.wal;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.wal.LogFiles.LogFile;
import io.millrace.storage.wal.SegmentFormat.Header;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The log in local segment files.
 *
 * Segments are full of zeros before they are used, so that an append neither changes a file's size
 * nor can meet a full disk. When the current segment is half full the next one is made in the
 * background under a name outside the log's pattern; taking it is: force the old segment, write the
 * new header, force, rename. So a segment is complete as soon as its successor exists, and only the
 * last one may have a torn tail. A record larger than a segment gets a segment of its own size.
 *
 * Full disk: only making a segment can find it. That refuses the commit before anything of it is
 * staged; new attempts are made at most every 200 ms, so that refusing stays cheap. The first segment after
 * that is a small one: it is there soon, however slow the disk.
 *
 * Trimming removes segments one by one from the old end, each durably before the next: a segment
 * that stays behind while a later one is gone would look like damage.
 *
 * Threads: append methods by the log writer; trim, bytes and oldestSegmentEnd by any.
 */
public final class LocalLog implements LogStore {
  private static final Logger LOG = LoggerFactory.getLogger(LocalLog.class);
  private static final String SPARE = "next-segment.tmp";
  private static final int STAGING = 1 << 20;
  private static final long SMALL = 1 << 18;
  private static final long RETRY_NANOS = 200_000_000L;

  /** A segment that is there; the last one may still grow. */
  record Segment(long number, long firstPosition, long lastPosition, long bytes) {}

  private final LogFiles files;
  private final Clock clock;
  private final long segmentBytes;
  private final Executor background;
  private final ByteBuffer staging;

  private final Deque<Segment> segments;
  private long nextNumber;
  private long lastPosition;
  private @Nullable LogFile current;
  private long currentNumber;
  private SegmentSummary.@Nullable Gathering summary;
  private long currentSize;
  private long stagedFrom;
  private boolean unforced;
  private volatile long retryAt;

  private @Nullable LogFile spare;
  private boolean spareRequested;
  private boolean closed;

  /** Goes on after what {@link LogReplay} found. */
  public LocalLog(
      LogFiles files, Clock clock, long segmentBytes, Executor background, LogReplay.Result found) {
    this.files = files;
    this.clock = clock;
    this.segmentBytes = Math.max(4096, segmentBytes & ~7L);
    this.background = background;
    this.staging = ByteBuffer.allocateDirect((int) Math.min(STAGING, this.segmentBytes));
    this.segments = new ArrayDeque<>(found.segments());
    this.nextNumber = found.nextNumber();
    this.lastPosition = found.lastKept();
  }

  /** Offset at which the next staged byte will lie. */
  private long end() {
    return stagedFrom + staging.position();
  }

  @Override
  public void ensureRoom(long bodySize, boolean urgent) {
    long need = SegmentFormat.framed(bodySize);
    if (current == null || end() + need + SegmentFormat.RECORD_HEADER > currentSize) {
      rotate(need + SegmentFormat.HEADER + SegmentFormat.RECORD_HEADER, urgent);
    } else if (end() + need > currentSize / 2) {
      requestSpare();
    }
  }

  private void rotate(long needed, boolean urgent) {
    LogFile next = takeSpare(needed);
    boolean fromSpare = next != null;
    boolean small = urgent || full();
    long size = Math.max(small ? Math.min(SMALL, segmentBytes) : segmentBytes, needed + 7 & ~7L);
    if (next == null) {
      next = create(size, urgent);
    }
    try {
      finishCurrent();
      long number = nextNumber++;
      long first = lastPosition + 1;
      next.write(ByteBuffer.wrap(SegmentFormat.header(new Header(number, first, lastPosition))), 0);
      next.force();
      files.rename(fromSpare ? SPARE : newName(), SegmentFormat.name(number));
      synchronized (this) {
        closeLast();
        segments.addLast(new Segment(number, first, lastPosition, size));
      }
      summarise();
      summary = new SegmentSummary.Gathering(number, lastPosition);
      current = next;
      currentNumber = number;
      currentSize = fromSpare ? segmentBytes : size;
      stagedFrom = SegmentFormat.HEADER;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not change the log's segment: " + e.getMessage(), e);
    }
  }

  /** Leaves a summary beside the segment that is complete now. */
  private void summarise() {
    SegmentSummary.Gathering done = summary;
    if (done != null) {
      SegmentSummary s = done.end();
      background.execute(
          () -> {
            try {
              s.store(files);
            } catch (IOException e) {
              LOG.warn("could not write a summary of a log segment: {}", e.toString());
            }
          });
    }
  }

  private static String newName() {
    return "new-segment.tmp";
  }

  private void finishCurrent() throws IOException {
    LogFile old = current;
    if (old != null) {
      writeStaged(old);
      if (unforced) {
        old.force();
        unforced = false;
      }
      old.close();
    }
  }

  /** The entry of the segment that was current gets the last position that it really has. */
  private void closeLast() {
    Segment last = current == null ? null : segments.pollLast();
    if (last != null) {
      segments.addLast(new Segment(last.number, last.firstPosition, lastPosition, last.bytes));
    }
  }

  private LogFile create(long size, boolean urgent) {
    long now = clock.monotonicNanos();
    if (!urgent && retryAt != 0 && now < retryAt) {
      throw full(null);
    }
    try {
      if (files.usableSpace() < size + size / 16) {
        refuseUntil(now + RETRY_NANOS);
        throw full(null);
      }
      LogFile made = files.create(newName(), size);
      if (retryAt != 0) {
        LOG.info("there is space on the disk again: writes go on");
        retryAt = 0;
      }
      return made;
    } catch (IOException e) {
      if (IoErrors.isDiskFull(e)) {
        refuseUntil(now + RETRY_NANOS);
        throw full(e);
      }
      throw IoErrors.wrap(e, "make a segment of the log");
    }
  }

  private void refuseUntil(long nanos) {
    if (retryAt == 0) {
      LOG.warn("the disk is full: writes are refused until there is space for the log");
    }
    retryAt = nanos;
  }

  private static MillraceException full(@Nullable IOException cause) {
    return new MillraceException(
            ErrorCode.DISK_FULL,
            "could not extend the write-ahead log: No space left on device",
            cause)
        .withHint("Free disk space; writes go on by themselves.");
  }

  private synchronized @Nullable LogFile takeSpare(long needed) {
    LogFile s = spare;
    if (s == null || needed > segmentBytes) {
      return null;
    }
    spare = null;
    spareRequested = false;
    retryAt = 0;
    return s;
  }

  private void requestSpare() {
    synchronized (this) {
      if (spareRequested || closed) {
        return;
      }
      spareRequested = true;
    }
    background.execute(this::makeSpare);
  }

  private void makeSpare() {
    LogFile made = null;
    try {
      if (files.usableSpace() >= segmentBytes + segmentBytes / 16) {
        made = files.create(SPARE, segmentBytes);
      }
    } catch (IOException e) {
      LOG.warn("could not prepare the next segment of the log: {}", e.getMessage());
    }
    synchronized (this) {
      if (made == null) {
        spareRequested = false;
      } else if (closed) {
        discard(made);
      } else {
        spare = made;
      }
    }
  }

  private void discard(LogFile file) {
    try {
      file.close();
      files.delete(SPARE);
    } catch (IOException e) {
      LOG.warn("could not remove the prepared segment of the log: {}", e.getMessage());
    }
  }

  @Override
  public void stage(LogRecord record) {
    int bodySize = Math.toIntExact(LogRecord.bodySize(record.parts()));
    var head = new ByteWriter(LogRecord.HEADER);
    head.i8(record.position()).i4(record.parts().size());
    var partHeaders = new ByteWriter(LogPart.HEADER * record.parts().size());
    CRC32C crc = SegmentFormat.seeded(currentNumber, end(), bodySize);
    crc.update(head.array(), 0, head.size());
    int at = 0;
    for (LogPart p : record.parts()) {
      SegmentFormat.partHeader(partHeaders, p);
      crc.update(partHeaders.array(), at, LogPart.HEADER);
      crc.update(p.payload(), 0, p.payloadSize());
      at += LogPart.HEADER;
    }
    var frame = new ByteWriter(SegmentFormat.RECORD_HEADER);
    frame.i4(bodySize).i4((int) crc.getValue());
    put(frame.array(), 0, frame.size());
    put(head.array(), 0, head.size());
    at = 0;
    for (LogPart p : record.parts()) {
      put(partHeaders.array(), at, LogPart.HEADER);
      put(p.payload(), 0, p.payloadSize());
      at += LogPart.HEADER;
    }
    int padding = (int) (SegmentFormat.framed(bodySize) - SegmentFormat.RECORD_HEADER - bodySize);
    put(new byte[8], 0, padding);
    lastPosition = record.position();
    if (summary != null) {
      summary.add(record);
    }
  }

  private void put(byte[] source, int from, int count) {
    int at = from;
    int rest = count;
    while (rest > 0) {
      if (!staging.hasRemaining()) {
        write();
      }
      int n = Math.min(rest, staging.remaining());
      staging.put(source, at, n);
      at += n;
      rest -= n;
    }
  }

  @Override
  public void write() {
    LogFile file = current;
    if (file == null) {
      return;
    }
    try {
      writeStaged(file);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not write to the log: " + e.getMessage(), e);
    }
  }

  private void writeStaged(LogFile file) throws IOException {
    int n = staging.position();
    if (n > 0) {
      file.write(staging.flip(), stagedFrom);
      stagedFrom += n;
      staging.clear();
      unforced = true;
    }
  }

  @Override
  public void force() {
    LogFile file = current;
    if (file == null || !unforced) {
      return;
    }
    try {
      file.force();
      unforced = false;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not force the log to disk: " + e.getMessage(), e);
    }
  }

  @Override
  public void trim(long position) {
    while (true) {
      Segment oldest;
      synchronized (this) {
        oldest = segments.peekFirst();
        if (closed || oldest == null || segments.size() < 2 || oldest.lastPosition >= position) {
          return;
        }
      }
      try {
        files.delete(SegmentFormat.name(oldest.number));
        files.delete(SegmentSummary.name(oldest.number));
      } catch (IOException e) {
        LOG.warn("could not remove log segment {} yet: {}", oldest.number, e.getMessage());
        return;
      }
      synchronized (this) {
        if (segments.peekFirst() == oldest) {
          segments.removeFirst();
        }
      }
    }
  }

  @Override
  public boolean full() {
    return retryAt != 0;
  }

  @Override
  public synchronized long bytes() {
    long n = 0;
    for (Segment s : segments) {
      n += s.bytes;
    }
    return n;
  }

  @Override
  public synchronized long oldestSegmentEnd() {
    return segments.size() < 2 ? 0 : segments.getFirst().lastPosition;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      LogFile s = spare;
      spare = null;
      if (s != null) {
        discard(s);
      }
    }
    LogFile file = current;
    current = null;
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        LOG.warn("could not close the log: {}", e.getMessage());
      }
    }
  }
}

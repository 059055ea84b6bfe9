package io.millrace.storage.wal;

import io.millrace.common.batch.Words;
import io.millrace.common.id.RegionId;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.wal.LocalLog.Segment;
import io.millrace.storage.wal.LogFiles.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Reads the log at start, and judges its end once for the whole log.
 *
 * Records are given in order up to the first that does not pass its checksum. A segment ends well
 * if its successor's header names the last position that was read; the last segment ends well if
 * nothing but zeros follows. Otherwise there is damage:
 *
 *   in the last segment   what follows is copied aside, the file is cut there, and the loss is
 *                         reported with regions and rows as far as they can be made out;
 *   in an earlier one     nothing is cut. The regions with records at or after the damage are
 *                         reported; the caller keeps them shut, and their part of the log, until
 *                         the loss is accepted.
 *
 * What lies behind the damage is searched for whole records: places at multiples of 8 whose
 * position could follow and whose checksum passes.
 */
public final class LogReplay {
  private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);
  private static final int WINDOW = 1 << 20;
  private static final long POSITION_SLACK = 1L << 24;

  /**
   * A place where the log cannot be read.
   *
   * @param afterPosition last good position before it
   * @param lostRows rows per region in records behind it that could be made out
   * @param complete whether everything behind it could be made out
   * @param lastPosition largest position that was seen behind it
   * @param tail whether it was in the last segment and has been cut
   */
  public record Damage(
      long segment,
      long offset,
      long afterPosition,
      Map<RegionId, Long> lostRows,
      boolean complete,
      long lastPosition,
      boolean tail) {}

  /**
   * What was found.
   *
   * @param lastPosition largest position seen anywhere
   * @param lastKept position of the last record that is in the log
   * @param damage null if the log is sound
   */
  public record Result(
      List<Segment> segments,
      long lastPosition,
      long lastKept,
      long nextNumber,
      @Nullable Damage damage) {}

  private final LogFiles files;
  private final boolean cutEarlier;

  /**
   * Replays a log.
   *
   * @param cutEarlier accept the loss of everything behind damage in an earlier segment
   */
  public LogReplay(LogFiles files, boolean cutEarlier) {
    this.files = files;
    this.cutEarlier = cutEarlier;
  }

  /** Reads everything; the consumer gets the records before any damage, in order. */
  public Result run(Consumer<LogRecord> records) {
    try {
      return replay(records);
    } catch (IOException e) {
      throw IoErrors.wrap(e, "read the log");
    }
  }

  private Result replay(Consumer<LogRecord> records) throws IOException {
    var numbers = new ArrayList<Long>();
    for (String name : files.list()) {
      long n = SegmentFormat.number(name);
      if (n >= 0) {
        numbers.add(n);
      } else if (name.endsWith(".tmp")) {
        files.delete(name);
      }
    }
    numbers.sort(null);
    long next = numbers.isEmpty() ? 1 : numbers.getLast() + 1;
    var segments = new ArrayList<Segment>();
    long last = 0;
    for (int i = 0; i < numbers.size(); i++) {
      long number = numbers.get(i);
      boolean isLast = i == numbers.size() - 1;
      try (var reader = new SegmentReader(number, files.open(SegmentFormat.name(number)))) {
        SegmentFormat.Header header = reader.header();
        if (header == null || header.segment() != number) {
          return damaged(numbers, i, 0, last, segments, next);
        }
        if (i > 0 && header.previousLast() != last) {
          return damaged(numbers, i - 1, segments.getLast().bytes(), last, segments, next);
        }
        if (i == 0) {
          last = header.previousLast();
        }
        LogRecord record;
        while ((record = reader.next()) != null) {
          last = record.position();
          records.accept(record);
        }
        if (isLast && !reader.endsInZeros()) {
          return damaged(numbers, i, reader.offset(), last, segments, next);
        }
        segments.add(
            new Segment(
                number, header.firstPosition(), last, isLast ? reader.size() : reader.offset()));
      }
    }
    for (int i = 0; i < segments.size(); i++) {
      Segment s = segments.get(i);
      long size = i == segments.size() - 1 ? s.bytes() : sizeOf(s.number());
      segments.set(i, new Segment(s.number(), s.firstPosition(), s.lastPosition(), size));
    }
    return new Result(segments, last, last, next, null);
  }

  private long sizeOf(long number) throws IOException {
    try (LogFile f = files.open(SegmentFormat.name(number))) {
      return f.size();
    }
  }

  private Result damaged(
      List<Long> numbers, int index, long offset, long last, List<Segment> sound, long nextNumber)
      throws IOException {
    boolean tail = index == numbers.size() - 1;
    var lost = new HashMap<RegionId, Long>();
    boolean complete = true;
    long highest = last;
    var segments = new ArrayList<Segment>(sound.subList(0, Math.min(index, sound.size())));
    for (int i = index; i < numbers.size(); i++) {
      long number = numbers.get(i);
      long from = i == index ? offset : SegmentFormat.HEADER;
      try (LogFile f = files.open(SegmentFormat.name(number))) {
        byte[] all = readAll(f);
        var survey = new DamageSurvey(number, all, highest, POSITION_SLACK);
        survey.run((int) Math.max(from, SegmentFormat.HEADER), lost);
        complete &= survey.complete() && from >= SegmentFormat.HEADER;
        highest = survey.highest();
        if (tail || cutEarlier) {
          files.keepAside(
              String.format("%016x-%d.cut", number, from),
              all,
              (int) from,
              (int) (all.length - from));
        }
        segments.add(new Segment(number, last + 1, i == index ? last : highest, all.length));
      }
    }
    var damage =
        new Damage(
            numbers.get(index),
            offset,
            last,
            Map.copyOf(lost),
            complete,
            highest,
            tail || cutEarlier);
    report(damage);
    if (tail || cutEarlier) {
      cut(numbers, index, offset);
      while (segments.size() > index + (offset > SegmentFormat.HEADER ? 1 : 0)) {
        segments.removeLast();
      }
    }
    return new Result(segments, highest, tail || cutEarlier ? last : highest, nextNumber, damage);
  }

  private void cut(List<Long> numbers, int index, long offset) throws IOException {
    for (int i = numbers.size() - 1; i > index; i--) {
      files.delete(SegmentFormat.name(numbers.get(i)));
    }
    String name = SegmentFormat.name(numbers.get(index));
    if (offset <= SegmentFormat.HEADER) {
      files.delete(name);
      return;
    }
    try (LogFile f = files.open(name)) {
      f.truncate(offset);
      f.force();
    }
  }

  private static void report(Damage d) {
    var text = new StringBuilder();
    d.lostRows()
        .forEach(
            (region, rows) -> text.append(", region ").append(region).append(": ").append(rows));
    LOG.error(
        "the log is damaged in segment {} at offset {}: {}; rows lost that could be made out{}{}",
        d.segment(),
        d.offset(),
        d.tail() ? "the rest was copied aside and cut" : "regions written later stay shut",
        text.isEmpty() ? ": none" : text,
        d.complete() ? "" : "; more cannot be made out");
  }

  private static byte[] readAll(LogFile f) throws IOException {
    byte[] all = new byte[Math.toIntExact(f.size())];
    int n = f.read(ByteBuffer.wrap(all), 0);
    return n == all.length ? all : Arrays.copyOf(all, n);
  }

  /** Reads one segment front to back through a window. */
  private static final class SegmentReader implements AutoCloseable {
    private final long number;
    private final LogFile file;
    private final long size;
    private byte[] window = new byte[WINDOW];
    private long windowFrom;
    private int windowSize;
    private long offset = SegmentFormat.HEADER;

    SegmentReader(long number, LogFile file) throws IOException {
      this.number = number;
      this.file = file;
      this.size = file.size();
    }

    long size() {
      return size;
    }

    long offset() {
      return offset;
    }

    SegmentFormat.@Nullable Header header() throws IOException {
      int at = at(0, SegmentFormat.HEADER);
      return at < 0 ? null : SegmentFormat.parseHeader(window, SegmentFormat.HEADER);
    }

    /** The place in the window of the bytes; -1 if the file does not have them all. */
    private int at(long from, int count) throws IOException {
      if (from + count > size) {
        return -1;
      }
      if (from < windowFrom || from + count > windowFrom + windowSize) {
        if (count > window.length) {
          window = new byte[count];
        }
        windowFrom = from;
        windowSize = file.read(ByteBuffer.wrap(window), from);
        if (windowSize < count) {
          return -1;
        }
      }
      return (int) (from - windowFrom);
    }

    @Nullable LogRecord next() throws IOException {
      int h = at(offset, SegmentFormat.RECORD_HEADER);
      if (h < 0) {
        return null;
      }
      int length = Words.getInt(window, h);
      int stored = Words.getInt(window, h + 4);
      if (length < LogRecord.HEADER) {
        return null;
      }
      if (offset + SegmentFormat.RECORD_HEADER + length > size) {
        return null;
      }
      int b = at(offset, SegmentFormat.RECORD_HEADER + length);
      if (b < 0) {
        return null;
      }
      CRC32C crc = SegmentFormat.seeded(number, offset, length);
      crc.update(window, b + SegmentFormat.RECORD_HEADER, length);
      if ((int) crc.getValue() != stored) {
        return null;
      }
      LogRecord record = SegmentFormat.parse(window, b + SegmentFormat.RECORD_HEADER, length);
      offset += SegmentFormat.framed(length);
      return record;
    }

    /** Whether nothing was written behind the last good record. */
    boolean endsInZeros() throws IOException {
      for (long from = offset; from < size; ) {
        int n = (int) Math.min(WINDOW, size - from);
        int at = at(from, n);
        if (at < 0) {
          return false;
        }
        for (int i = at; i < at + n; i++) {
          if (window[i] != 0) {
            return false;
          }
        }
        from += n;
      }
      return true;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}

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
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Reads the log at start, and judges its end once for the whole log. What it gives is durable,
 * the last segment's records too: nothing may build on records that a later crash could take.
 *
 * Records are given in order up to the first that does not pass its checksum. A segment ends well
 * if its successor's header names the last position that was read; the last segment ends well if
 * nothing but zeros follows. Otherwise there is damage:
 *
 *   in the last segment   what follows is copied aside, the file is cut there, and the loss is
 *                         reported with regions and rows as far as they can be made out;
 *   in an earlier one     nothing is cut. The regions that may have lost something by it
 *                         ({@link DamageScope}) are reported, and noted beside the log; the caller keeps them shut, and their
 *                         part of the log, until the loss is accepted. The others go on: at the next
 *                         start their records since then, above the noted position, are taken.
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
   * @param regions that may have lost something
   * @param accepted the loss is accepted: it is the tail, or somebody said so
   */
  public record Damage(
      long segment,
      long offset,
      long afterPosition,
      Map<RegionId, Long> lostRows,
      boolean complete,
      long lastPosition,
      Set<RegionId> regions,
      boolean accepted) {}

  /**
   * What cannot be lost of a region.
   *
   * @param flushed entries up to this position are in files
   * @param settled those that are no rows, up to this one, are in the manifest
   */
  public record Safe(long flushed, long settled) {}

  /**
   * What was found.
   *
   * @param lastPosition largest position seen anywhere
   * @param lastKept position of the last record that is in the log
   * @param damages none if the log is sound
   */
  public record Result(
      List<Segment> segments,
      long lastPosition,
      long lastKept,
      long nextNumber,
      List<Damage> damages) {}

  private final LogFiles files;
  private final boolean accept;
  private final Supplier<Map<RegionId, Safe>> allRegions;
  private final List<Segment> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();
  private List<Long> numbers = List.of();
  private long last;
  private long highest;
  private long settled = -1;

  /**
   * Replays a log.
   *
   * @param accept accept the loss of what is behind damage in an earlier segment
   * @param allRegions every region that there is, to tell which may have lost something
   */
  public LogReplay(LogFiles files, boolean accept, Supplier<Map<RegionId, Safe>> allRegions) {
    this.files = files;
    this.accept = accept;
    this.allRegions = allRegions;
  }

  /** Reads everything; the consumer gets all good records in order. */
  public Result run(Consumer<LogRecord> records) {
    try {
      return replay(records);
    } catch (IOException e) {
      throw IoErrors.wrap(e, "read the log");
    }
  }

  private Result replay(Consumer<LogRecord> records) throws IOException {
    DamageNote note = DamageNote.load(files);
    numbers = segmentNumbers();
    long next = numbers.isEmpty() ? 1 : numbers.getLast() + 1;
    for (int i = 0; i < numbers.size(); ) {
      long bad = read(i, records);
      if (bad == SOUND) {
        i++;
      } else if (bad == BEFORE) {
        Segment before = segments.getLast();
        i = damaged(i - 1, before.bytes(), note);
      } else {
        i = damaged(i, bad, note);
      }
    }
    highest = Math.max(highest, last);
    if (!segments.isEmpty() && segments.getLast().number() != settled) { // none after it was given
      settle(segments.getLast().number(), segments.getLast().bytes());
    }
    if (note != null && damages.stream().allMatch(d -> d.segment() != note.segment())) {
      DamageNote.remove(files);
    }
    for (int i = 0; i < segments.size(); i++) {
      Segment s = segments.get(i);
      segments.set(
          i, new Segment(s.number(), s.firstPosition(), s.lastPosition(), sizeOf(s.number())));
    }
    return new Result(List.copyOf(segments), highest, last, next, List.copyOf(damages));
  }

  /**
   * Makes durable what was read from the last segment. Its records may be in the system's cache
   * only: the process ended between write and force, or the force failed, after which the system
   * takes the pages for clean and forcing again would do nothing. So they are written once more.
   */
  private void settle(long number, long end) throws IOException {
    try (LogFile f = files.open(SegmentFormat.name(number))) {
      var window = ByteBuffer.allocate((int) Math.min(WINDOW, Math.max(1, end)));
      for (long at = 0; at < end; ) {
        window.clear().limit((int) Math.min(window.capacity(), end - at));
        int n = f.read(window, at);
        f.write(window.flip(), at);
        at += Math.max(1, n);
      }
      f.force();
    }
    settled = number;
  }

  private List<Long> segmentNumbers() throws IOException {
    var out = new ArrayList<Long>();
    for (String name : files.list()) {
      long n = SegmentFormat.number(name);
      if (n >= 0) {
        out.add(n);
      } else if (name.endsWith(".tmp")) {
        files.delete(name);
      }
    }
    for (String name : files.list()) {
      long n = SegmentSummary.number(name);
      if (n >= 0 && !out.contains(n)) {
        files.delete(name);
      }
    }
    out.sort(null);
    return out;
  }

  private static final long SOUND = -1;
  private static final long BEFORE = -2;

  /** Reads a segment; SOUND, BEFORE if its predecessor is incomplete, or where it is damaged. */
  private long read(int index, Consumer<LogRecord> records) throws IOException {
    long number = numbers.get(index);
    try (var reader = new SegmentReader(number, files.open(SegmentFormat.name(number)))) {
      SegmentFormat.Header header = reader.header();
      if (header == null || header.segment() != number) {
        return 0;
      }
      if (index == 0) {
        last = header.previousLast();
      } else if (header.previousLast() != last) {
        return BEFORE;
      }
      if (index == numbers.size() - 1) {
        settle(number, reader.end());
      }
      var summary = new SegmentSummary.Gathering(number, header.previousLast());
      LogRecord record;
      while ((record = reader.next()) != null) {
        last = record.position();
        summary.add(record);
        records.accept(record);
      }
      if (index == numbers.size() - 1 && !reader.endsInZeros()) {
        return reader.offset();
      }
      segments.add(new Segment(number, header.firstPosition(), last, reader.offset()));
      summarise(summary.end());
      return SOUND;
    }
  }

  /** Leaves a summary beside a segment that has none, and gets no more entries. */
  private void summarise(SegmentSummary summary) {
    try {
      if (!files.list().contains(SegmentSummary.name(summary.segment()))) {
        summary.store(files);
      }
    } catch (IOException e) {
      LOG.warn("could not write a summary of log segment {}: {}", summary.segment(), e.toString());
    }
  }

  private long sizeOf(long number) throws IOException {
    try (LogFile f = files.open(SegmentFormat.name(number))) {
      return f.size();
    }
  }

  /** Deals with damage and says with which segment to go on. */
  private int damaged(int index, long offset, @Nullable DamageNote note) throws IOException {
    while (segments.size() > index) {
      segments.removeLast();
    }
    boolean tail = index == numbers.size() - 1;
    boolean noted = !tail && note != null && note.segment() == numbers.get(index);
    var lost = new HashMap<RegionId, Long>();
    var scope = new DamageScope(last);
    boolean complete = offset >= SegmentFormat.HEADER;
    long seen = last;
    int goOn = index;
    while (goOn < numbers.size()) {
      long number = numbers.get(goOn);
      long from = goOn == index ? offset : 0;
      try (LogFile f = files.open(SegmentFormat.name(number))) {
        byte[] all = readAll(f);
        SegmentFormat.Header header = SegmentFormat.parseHeader(all, all.length);
        if (noted
            && note != null
            && goOn > index
            && header != null
            && header.firstPosition() > note.lastPosition()) {
          break;
        }
        long entered = goOn == index || header == null ? 0 : header.previousLast();
        var survey = new DamageSurvey(number, all, Math.max(seen, entered), POSITION_SLACK);
        survey.run((int) Math.max(from, SegmentFormat.HEADER), r -> count(r, lost, scope));
        long end = endOf(goOn);
        complete &= survey.complete() && (end < 0 || survey.highest() == end);
        scope.segment(
            header, SegmentSummary.load(files, number), survey.complete(), survey.highest(), end);
        seen = Math.max(survey.highest(), end);
        if (tail || (accept && !(noted && note != null && note.regions().isEmpty()))) {
          String name = String.format("%016x-%d.cut", number, from);
          files.keepAside(name, all, (int) from, (int) (all.length - from));
        }
        if (!tail) {
          segments.add(new Segment(number, last + 1, seen, all.length));
        }
      }
      goOn++;
    }
    Set<RegionId> regions = scope.regions(allRegions.get());
    if (noted && note != null) {
      regions = offset < note.offset() ? allRegions.get().keySet() : note.regions();
    }
    long behind = noted && note != null ? Math.max(seen, note.lastPosition()) : seen;
    var damage =
        new Damage(
            numbers.get(index),
            offset,
            last,
            Map.copyOf(lost),
            complete,
            behind,
            Set.copyOf(regions),
            tail || accept);
    damages.add(damage);
    if (!regions.isEmpty() || tail) {
      report(damage, tail);
    }
    highest = Math.max(highest, behind);
    if (tail) {
      cut(index, offset);
    } else {
      new DamageNote(damage.segment(), offset, last, behind, accept ? Set.of() : regions)
          .store(files);
      last = behind;
    }
    return goOn;
  }

  private static void count(LogRecord record, Map<RegionId, Long> rows, DamageScope scope) {
    for (LogPart p : record.parts()) {
      rows.merge(p.region(), (long) p.rows(), Long::sum);
      scope.entry(p.region(), p.kind(), record.position());
    }
  }

  /** The last position of a segment as its successor has it; -1 if that does not tell. */
  private long endOf(int index) throws IOException {
    if (index + 1 >= numbers.size()) {
      return -1;
    }
    long next = numbers.get(index + 1);
    try (var reader = new SegmentReader(next, files.open(SegmentFormat.name(next)))) {
      SegmentFormat.Header header = reader.header();
      return header == null || header.segment() != next ? -1 : header.previousLast();
    }
  }

  private void cut(int index, long offset) throws IOException {
    String name = SegmentFormat.name(numbers.get(index));
    if (offset <= SegmentFormat.HEADER) {
      files.delete(name);
      return;
    }
    try (LogFile f = files.open(name)) {
      f.truncate(offset);
      f.force();
    }
    segments.add(new Segment(numbers.get(index), last, last, offset));
  }

  private static void report(Damage d, boolean tail) {
    var text = new StringBuilder();
    d.lostRows()
        .forEach(
            (region, rows) -> text.append(", region ").append(region).append(": ").append(rows));
    LOG.error(
        "the log is damaged in segment {} at offset {}: {}; rows lost that could be made out{}{}",
        d.segment(),
        d.offset(),
        tail
            ? "the rest was copied aside and cut"
            : d.accepted()
                ? "the loss is accepted"
                : d.regions().size() + " regions that may have lost something stay shut",
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

    /** Where the good records end; the next one is the first again. */
    long end() throws IOException {
      int length;
      while ((length = check()) >= 0) {
        offset += SegmentFormat.framed(length);
      }
      long end = offset;
      offset = SegmentFormat.HEADER;
      return end;
    }

    @Nullable LogRecord next() throws IOException {
      int length = check();
      if (length < 0) {
        return null;
      }
      int at = at(offset, SegmentFormat.RECORD_HEADER + length) + SegmentFormat.RECORD_HEADER;
      LogRecord record = SegmentFormat.parse(window, at, length);
      offset += SegmentFormat.framed(length);
      return record;
    }

    /**
     * Length of the next record's body, which the window then has; -1 if none is there and good.
     */
    private int check() throws IOException {
      int h = at(offset, SegmentFormat.RECORD_HEADER);
      if (h < 0) {
        return -1;
      }
      int length = Words.getInt(window, h);
      int stored = Words.getInt(window, h + 4);
      if (length < LogRecord.HEADER) {
        return -1;
      }
      if (offset + SegmentFormat.RECORD_HEADER + length > size) {
        return -1;
      }
      int b = at(offset, SegmentFormat.RECORD_HEADER + length);
      if (b < 0) {
        return -1;
      }
      CRC32C crc = SegmentFormat.seeded(number, offset, length);
      crc.update(window, b + SegmentFormat.RECORD_HEADER, length);
      if ((int) crc.getValue() != stored) {
        return -1;
      }
      return length;
    }

    /** Whether nothing was written behind the last good record. */
    boolean endsInZeros() throws IOException {
      for (long from = offset; from < size; ) {
        int n = (int) Math.min(WINDOW, size - from);
        int at = at(from, n);
        if (at < 0) {
          return false;
        }
        int i = at;
        for (; i + 8 <= at + n; i += 8) {
          if (Words.getLong(window, i) != 0) {
            return false;
          }
        }
        for (; i < at + n; i++) {
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

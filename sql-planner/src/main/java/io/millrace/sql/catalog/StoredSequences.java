package io.millrace.sql.catalog;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/*
 * Values of sequences over the catalog's backend, under "sequence-value/OID".
 *
 * What is stored is the last value of a run that may have been given out; values up to it are handed out
 * from memory. A run is as long as what is asked for, at least 32 and twice the run before if that was used
 * up within it, at most 4,096: a sequence in steady use costs one small write in thousands of values, and a
 * crash loses at most one run. A clean stop stores where each sequence really stands. A run never crosses the
 * end of the sequence, so cycling starts a new one.
 */
/** Gives out values of sequences. */
final class StoredSequences implements SequenceValues {
  static final String PREFIX = "sequence-value/";
  private static final int SHORTEST_RUN = 32;
  private static final int LONGEST_RUN = 4_096;

  private final KvBackend backend;
  private final ConcurrentMap<Integer, Position> positions = new ConcurrentHashMap<>();

  /** One sequence: used under its own monitor. */
  private static final class Position {
    long last;
    boolean called;
    long reserved;
    int run = SHORTEST_RUN / 2;

    Position(long last, boolean called) {
      this.last = last;
      this.called = called;
      this.reserved = 0;
    }
  }

  StoredSequences(KvBackend backend, Map<String, byte[]> stored) {
    this.backend = backend;
    stored.forEach(
        (k, v) -> {
          if (k.startsWith(PREFIX)) {
            positions.put(Integer.parseInt(k.substring(PREFIX.length())), decode(k, v));
          }
        });
  }

  private static Position decode(String key, byte[] value) {
    String[] parts = new String(value, StandardCharsets.US_ASCII).split(" ", -1);
    if (parts.length != 2) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "catalog entry \"" + key + "\" cannot be read");
    }
    return new Position(Long.parseLong(parts[0]), parts[1].equals("t"));
  }

  private static byte[] encode(long last, boolean called) {
    return (last + (called ? " t" : " f")).getBytes(StandardCharsets.US_ASCII);
  }

  private Position position(SequenceInfo s) {
    return positions.computeIfAbsent(s.oid(), o -> new Position(s.start(), false));
  }

  @Override
  public State state(SequenceInfo sequence) {
    Position p = position(sequence);
    synchronized (p) {
      return new State(p.last, p.called);
    }
  }

  @Override
  public void next(SequenceInfo sequence, long[] out, int count) {
    Position p = position(sequence);
    synchronized (p) {
      for (int i = 0; i < count; i++) {
        if (p.reserved == 0) {
          reserve(sequence, p, count - i);
        }
        out[i] = p.called ? following(sequence, p.last) : p.last;
        p.last = out[i];
        p.called = true;
        p.reserved--;
      }
    }
  }

  /** Makes at least one more value durable, as many as are wanted if the end is not nearer. */
  private void reserve(SequenceInfo s, Position p, int wanted) {
    long first = p.called ? following(s, p.last) : p.last;
    p.run = Math.min(LONGEST_RUN, Math.max(p.run * 2, SHORTEST_RUN));
    long room =
        s.increment() > 0
            ? Long.divideUnsigned(s.max() - first, s.increment())
            : Long.divideUnsigned(first - s.min(), -s.increment());
    long more = Math.max(p.run, wanted) - 1L;
    more = room < 0 ? more : Math.min(more, room);
    backend.commit(Map.of(PREFIX + s.oid(), encode(first + more * s.increment(), true)));
    p.reserved = more + 1;
  }

  private static long following(SequenceInfo s, long last) {
    boolean up = s.increment() > 0;
    boolean end =
        up
            ? last > s.max() - s.increment() || last > Long.MAX_VALUE - s.increment()
            : last < s.min() - s.increment() || last < Long.MIN_VALUE - s.increment();
    if (!end || (up ? last < s.min() : last > s.max())) {
      return last + s.increment();
    }
    if (!s.cycle()) {
      throw new MillraceException(
          ErrorCode.SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
          "nextval: reached "
              + (up ? "maximum" : "minimum")
              + " value of sequence \""
              + s.name()
              + "\" ("
              + (up ? s.max() : s.min())
              + ")");
    }
    return up ? s.min() : s.max();
  }

  @Override
  public void set(SequenceInfo sequence, long value, boolean called) {
    Position p = position(sequence);
    synchronized (p) {
      backend.commit(Map.of(PREFIX + sequence.oid(), encode(value, called)));
      p.last = value;
      p.called = called;
      p.reserved = 0;
    }
  }

  void forget(int oid) {
    positions.remove(oid);
  }

  /** Stores where every sequence really stands. */
  void close() {
    var all = new LinkedHashMap<String, byte @Nullable []>();
    positions.forEach(
        (oid, p) -> {
          synchronized (p) {
            if (p.reserved > 0) {
              all.put(PREFIX + oid, encode(p.last, p.called));
              p.reserved = 0;
            }
          }
        });
    if (!all.isEmpty()) {
      backend.commit(all);
    }
  }
}

package io.millrace.sql.session;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** What a session got from sequences: for currval and lastval. Thread-safe. */
public final class SequenceMemory {
  private final Map<Integer, Long> values = new HashMap<>();
  private int last;

  /** Remembers a value that nextval gave. */
  public synchronized void got(int sequence, long value) {
    values.put(sequence, value);
    last = sequence;
  }

  /** Remembers a value that setval set: currval sees it, lastval only of the last sequence used. */
  public synchronized void set(int sequence, long value) {
    values.put(sequence, value);
  }

  public synchronized OptionalLong current(int sequence) {
    Long v = values.get(sequence);
    return v == null ? OptionalLong.empty() : OptionalLong.of(v);
  }

  /** Oid of the sequence that nextval was last called for; 0 without one. */
  public synchronized int last() {
    return last;
  }

  /** Forgets all, as DISCARD SEQUENCES does. */
  public synchronized void clear() {
    values.clear();
    last = 0;
  }
}

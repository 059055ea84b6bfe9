package io.millrace.common.type.io;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * Offsets of instants in one zone, with the last period between two transitions kept: a column of
 * near times costs two comparisons a value. Owned by one thread.
 */
public final class ZoneOffsets {
  private @Nullable ZoneId zone;
  private long from;
  private long to;
  private long offsetMicros;

  /** Microseconds east at an instant. */
  public long micros(ZoneId wanted, long utcMicros) {
    if (wanted != zone || utcMicros < from || utcMicros >= to) {
      load(wanted, utcMicros);
    }
    return offsetMicros;
  }

  /** The first instant with the last offset told. */
  public long from() {
    return from;
  }

  /** The first instant after it with another offset. */
  public long to() {
    return to;
  }

  private void load(ZoneId wanted, long utcMicros) {
    zone = wanted;
    ZoneRules rules = wanted.getRules();
    Instant at = Instant.ofEpochSecond(Math.floorDiv(utcMicros, Dates.SECOND));
    offsetMicros = rules.getOffset(at).getTotalSeconds() * Dates.SECOND;
    if (rules.isFixedOffset()) {
      from = Long.MIN_VALUE;
      to = Long.MAX_VALUE;
      return;
    }
    ZoneOffsetTransition next = rules.nextTransition(at);
    ZoneOffsetTransition last = rules.previousTransition(at.plusSeconds(1));
    from = last == null ? Long.MIN_VALUE : last.toEpochSecond() * Dates.SECOND;
    to = next == null ? Long.MAX_VALUE : next.toEpochSecond() * Dates.SECOND;
  }
}

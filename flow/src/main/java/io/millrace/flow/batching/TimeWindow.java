package io.millrace.flow.batching;

import io.millrace.flow.ledger.TimeRange;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * The time window expression of a flow: maps a time (microseconds since 1970) to the window [start,
 * end) that holds it. Monotone.
 */
public sealed interface TimeWindow {
  long start(long micros);

  /** End of the window that holds the time, exclusive. */
  long end(long micros);

  /** As EXPLAIN FLOW shows it. */
  String describe();

  /** The window that holds the time, as a range; ±infinity are windows of their own. */
  default TimeRange range(long micros) {
    if (micros == Long.MAX_VALUE) {
      return new TimeRange(Long.MAX_VALUE - 1, Long.MAX_VALUE);
    }
    return micros == Long.MIN_VALUE
        ? new TimeRange(Long.MIN_VALUE, Long.MIN_VALUE + 1)
        : new TimeRange(start(micros), end(micros));
  }

  /** The window's start from its value as a date, in days since 1970. */
  default long startOfDate(int day) {
    return day * 86_400_000_000L;
  }

  /** Fixed width from an origin: date_bin, time_bucket, and date_trunc up to the week. */
  record Fixed(long width, long origin) implements TimeWindow {
    @Override
    public long start(long micros) {
      return micros - Math.floorMod(micros - origin, width);
    }

    @Override
    public long end(long micros) {
      return start(micros) + width;
    }

    @Override
    public String describe() {
      return width == 1
          ? "the time index itself"
          : width % 1_000_000 == 0 ? width / 1_000_000 + " s" : width + " us";
    }
  }

  /** Calendar units in a zone: date_trunc of day and above with a zone, month, quarter, year. */
  record Calendar(String unit, ZoneId zone) implements TimeWindow {
    private ZonedDateTime truncated(long micros) {
      ZonedDateTime t =
          Instant.ofEpochSecond(
                  Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000)
              .atZone(zone);
      ZonedDateTime day = t.truncatedTo(ChronoUnit.DAYS);
      return switch (unit) {
        case "day" -> day;
        case "week" -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
        case "month" -> day.withDayOfMonth(1);
        case "quarter" -> day.withDayOfMonth(1).withMonth((t.getMonthValue() - 1) / 3 * 3 + 1);
        case "year" -> day.withDayOfYear(1);
        case "decade" -> day.withDayOfYear(1).withYear(Math.floorDiv(t.getYear(), 10) * 10);
        default -> throw new IllegalStateException(unit);
      };
    }

    private static long micros(ZonedDateTime t) {
      return t.toEpochSecond() * 1_000_000L + t.getNano() / 1000;
    }

    @Override
    public long start(long micros) {
      return micros(truncated(micros));
    }

    @Override
    public long end(long micros) {
      ZonedDateTime t = truncated(micros);
      return micros(
          switch (unit) {
            case "day" -> t.plusDays(1);
            case "week" -> t.plusWeeks(1);
            case "month" -> t.plusMonths(1);
            case "quarter" -> t.plusMonths(3);
            case "year" -> t.plusYears(1);
            case "decade" -> t.plusYears(10);
            default -> throw new IllegalStateException(unit);
          });
    }

    @Override
    public long startOfDate(int day) {
      return micros(LocalDate.ofEpochDay(day).atStartOfDay(zone));
    }

    @Override
    public String describe() {
      return "1 " + unit + " in " + zone;
    }
  }

  /** How close two dirty ranges may be to be evaluated as one: three windows. */
  default long joinGap(long at) {
    long width = end(at) - start(at);
    return width > Long.MAX_VALUE / 3 ? Long.MAX_VALUE : width * 3;
  }
}

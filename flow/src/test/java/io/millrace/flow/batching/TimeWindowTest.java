package io.millrace.flow.batching;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.flow.ledger.TimeRange;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class TimeWindowTest {
  private static final long HOUR = 3_600_000_000L;
  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

  private static long at(String instant) {
    return Instant.parse(instant).getEpochSecond() * 1_000_000;
  }

  private static TimeRange range(String from, String to) {
    return new TimeRange(at(from), at(to));
  }

  @Test
  void aWindowHoldsItsStartAndNotItsEnd() {
    var w = new TimeWindow.Fixed(HOUR, 0);
    assertThat(w.range(at("2024-01-01T10:00:00Z")))
        .isEqualTo(range("2024-01-01T10:00:00Z", "2024-01-01T11:00:00Z"));
    assertThat(w.range(at("2024-01-01T10:00:00Z") - 1))
        .isEqualTo(range("2024-01-01T09:00:00Z", "2024-01-01T10:00:00Z"));
  }

  @Test
  void windowsBeforeTheOriginAndBefore1970GoOnInTheSameStep() {
    var w = new TimeWindow.Fixed(7 * 24 * HOUR, at("2000-01-03T00:00:00Z"));
    assertThat(w.range(at("2000-01-02T23:00:00Z")))
        .isEqualTo(range("1999-12-27T00:00:00Z", "2000-01-03T00:00:00Z"));
    assertThat(w.start(at("1969-12-28T12:00:00Z"))).isEqualTo(at("1969-12-22T00:00:00Z"));
  }

  @Test
  void daysOfAZoneAreAsLongAsTheyAreThere() {
    var w = new TimeWindow.Calendar("day", NEW_YORK);
    // Clocks go forward on 10 March 2024, so that the day has 23 hours.
    assertThat(w.range(at("2024-03-10T12:00:00Z")))
        .isEqualTo(range("2024-03-10T05:00:00Z", "2024-03-11T04:00:00Z"));
    // And back on 3 November.
    assertThat(w.range(at("2024-11-03T12:00:00Z")))
        .isEqualTo(range("2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"));
  }

  @Test
  void calendarUnitsBeginWhereTheCalendarSaysSo() {
    ZoneId utc = ZoneOffset.UTC;
    String t = "2024-02-29T13:00:00Z";
    assertThat(new TimeWindow.Calendar("week", utc).range(at(t)))
        .isEqualTo(range("2024-02-26T00:00:00Z", "2024-03-04T00:00:00Z"));
    assertThat(new TimeWindow.Calendar("month", utc).range(at(t)))
        .isEqualTo(range("2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"));
    assertThat(new TimeWindow.Calendar("quarter", utc).range(at(t)))
        .isEqualTo(range("2024-01-01T00:00:00Z", "2024-04-01T00:00:00Z"));
    assertThat(new TimeWindow.Calendar("year", utc).range(at(t)))
        .isEqualTo(range("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"));
    assertThat(new TimeWindow.Calendar("decade", utc).range(at(t)))
        .isEqualTo(range("2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"));
  }

  @Test
  void aDateIsItsMidnightInTheWindowsZone() {
    int day = (int) java.time.LocalDate.of(2024, 3, 11).toEpochDay();
    assertThat(new TimeWindow.Calendar("day", NEW_YORK).startOfDate(day))
        .isEqualTo(at("2024-03-11T04:00:00Z"));
    assertThat(new TimeWindow.Fixed(24 * HOUR, 0).startOfDate(day))
        .isEqualTo(at("2024-03-11T00:00:00Z"));
  }

  @Test
  void infiniteTimesAreWindowsThatNoOtherTimeIsIn() {
    var w = new TimeWindow.Fixed(HOUR, 0);
    assertThat(w.range(Long.MAX_VALUE))
        .isEqualTo(new TimeRange(Long.MAX_VALUE - 1, Long.MAX_VALUE));
    assertThat(w.range(Long.MIN_VALUE))
        .isEqualTo(new TimeRange(Long.MIN_VALUE, Long.MIN_VALUE + 1));
  }
}

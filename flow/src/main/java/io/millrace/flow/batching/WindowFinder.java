package io.millrace.flow.batching;

import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.physical.Expr;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;

/**
 * Recognises expressions that are monotone in a table's time index: the bare index, date_bin,
 * time_bucket, date_trunc, casts to a coarser timestamp or a date, and one over another.
 */
final class WindowFinder {
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400 * SECOND;

  /** A Monday. */
  private static final long WEEK_ORIGIN = -3 * DAY;

  /** Where date_bin without an origin starts to count. */
  private static final long BIN_ORIGIN = 0;

  /** Where time_bucket does: Monday, 2000-01-03. */
  private static final long BUCKET_ORIGIN = 10_959 * DAY;

  private final Constants constants;
  private final SessionFormat format;
  private final int timeColumn;

  /**
   * @param timeColumn place of the time index among the scan's columns
   */
  WindowFinder(Constants constants, SessionFormat format, int timeColumn) {
    this.constants = constants;
    this.format = format;
    this.timeColumn = timeColumn;
  }

  Optional<TimeWindow> find(Expr e) {
    return switch (e) {
      case Expr.Column c ->
          c.index() == timeColumn ? Optional.of(new TimeWindow.Fixed(1, 0)) : Optional.empty();
      case Expr.Call c -> call(c);
      default -> Optional.empty();
    };
  }

  private static String name(Expr.Call c) {
    String s = c.function().signature();
    int paren = s.indexOf('(');
    return (paren < 0 ? s : s.substring(0, paren)).toLowerCase(Locale.ROOT);
  }

  private Optional<TimeWindow> call(Expr.Call c) {
    String name = name(c);
    if (c.args().size() == 1 || name.startsWith("cast") || isPrecision(name)) {
      return cast(c);
    }
    if (name.contains("date_bin") || name.contains("time_bucket")) {
      return bin(c);
    }
    if (name.contains("date_trunc") || name.contains("_trunc")) {
      return trunc(c);
    }
    return Optional.empty();
  }

  private static boolean isPrecision(String name) {
    return name.equals("timestamp") || name.equals("timestamptz");
  }

  private Optional<TimeWindow> cast(Expr.Call c) {
    Expr arg = c.args().getFirst();
    Optional<TimeWindow> inner = find(arg);
    if (inner.isEmpty()) {
      return inner;
    }
    TypeKind from = arg.type().kind();
    TypeKind to = c.type().kind();
    if (to == TypeKind.DATE && from.isTimestamp()) {
      ZoneId zone = from == TypeKind.TIMESTAMPTZ ? format.zone() : ZoneOffset.UTC;
      return coarser(inner.get(), new TimeWindow.Calendar("day", zone));
    }
    if (to == from && to.isTimestamp()) {
      int digits = c.type().typmod();
      long width = 1;
      for (int d = digits; d >= 0 && d < 6; d++) {
        width *= 10;
      }
      return coarser(
          inner.get(),
          digits >= 0 && digits < 6
              ? new TimeWindow.Fixed(width, -(width / 2))
              : new TimeWindow.Fixed(1, 0));
    }
    return Optional.empty();
  }

  private Optional<TimeWindow> bin(Expr.Call c) {
    if (c.args().size() < 2) {
      return Optional.empty();
    }
    Optional<TimeWindow> inner = find(c.args().get(1));
    Optional<Long> width = constants.fixedInterval(c.args().getFirst());
    if (inner.isEmpty() || width.isEmpty() || width.get() <= 0) {
      return Optional.empty();
    }
    long origin = name(c).contains("time_bucket") ? BUCKET_ORIGIN : BIN_ORIGIN;
    if (c.args().size() > 2) {
      Optional<Long> given = constants.micros(c.args().get(2));
      if (given.isEmpty()) {
        return Optional.empty();
      }
      origin = given.get();
    }
    return coarser(inner.get(), new TimeWindow.Fixed(width.get(), origin));
  }

  private Optional<TimeWindow> trunc(Expr.Call c) {
    Optional<String> unit = constants.text(c.args().getFirst());
    if (c.args().size() < 2 || unit.isEmpty()) {
      return Optional.empty();
    }
    Optional<TimeWindow> inner = find(c.args().get(1));
    if (inner.isEmpty()) {
      return inner;
    }
    ZoneId zone = ZoneOffset.UTC;
    if (c.args().get(1).type().kind() == TypeKind.TIMESTAMPTZ) {
      zone = format.zone();
      if (c.args().size() > 2) {
        Optional<String> named = constants.text(c.args().get(2));
        if (named.isEmpty()) {
          return Optional.empty();
        }
        zone = io.millrace.sql.session.SettingDefinitions.zone(named.get());
      }
    }
    TimeWindow w =
        switch (unit.get().toLowerCase(Locale.ROOT)) {
          case "microseconds", "microsecond" -> new TimeWindow.Fixed(1, 0);
          case "milliseconds", "millisecond" -> new TimeWindow.Fixed(1000, 0);
          case "second", "seconds" -> new TimeWindow.Fixed(SECOND, 0);
          case "minute", "minutes" -> new TimeWindow.Fixed(60 * SECOND, 0);
          case "hour", "hours" ->
              zone instanceof ZoneOffset o
                  ? new TimeWindow.Fixed(3600 * SECOND, -o.getTotalSeconds() * SECOND)
                  : null;
          case "day", "days" ->
              zone.equals(ZoneOffset.UTC)
                  ? new TimeWindow.Fixed(DAY, 0)
                  : new TimeWindow.Calendar("day", zone);
          case "week", "weeks" ->
              zone.equals(ZoneOffset.UTC)
                  ? new TimeWindow.Fixed(7 * DAY, WEEK_ORIGIN)
                  : new TimeWindow.Calendar("week", zone);
          case "month", "months" -> new TimeWindow.Calendar("month", zone);
          case "quarter" -> new TimeWindow.Calendar("quarter", zone);
          case "year", "years" -> new TimeWindow.Calendar("year", zone);
          case "decade", "decades" -> new TimeWindow.Calendar("decade", zone);
          default -> null;
        };
    return w == null ? Optional.empty() : coarser(inner.get(), w);
  }

  /** A window over a window: right where the outer one's borders are borders of the inner one. */
  private static Optional<TimeWindow> coarser(TimeWindow inner, TimeWindow outer) {
    if (inner instanceof TimeWindow.Fixed(long width, long origin) && width == 1) {
      return Optional.of(outer);
    }
    if (outer instanceof TimeWindow.Fixed(long width, long origin) && width == 1) {
      return Optional.of(inner);
    }
    if (inner instanceof TimeWindow.Fixed(long w1, long o1)
        && outer instanceof TimeWindow.Fixed(long w2, long o2)
        && w2 % w1 == 0
        && Math.floorMod(o2 - o1, w1) == 0) {
      return Optional.of(outer);
    }
    return Optional.empty();
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import io.millrace.common.type.io.Zones;
import io.millrace.sql.exec.function.RangeSpans;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * The align points of a range query and the windows that begin at them, in the time column's unit
 * (microseconds, or nanoseconds for nine digits).
 *
 * <p>A window is some whole distances of align points and a rest. The rests, and zero, cut every
 * distance into the same segments, so that each window is a number of whole segments: rows need to
 * be told apart by segment only.
 *
 * @param wall whether points are counted on the clock of the session's zone, for the calendar of a
 *     time with zone: days of 23 and 25 hours are one day
 * @param time type of the points: that of the time column, or without zone by the wall clock
 * @param align distance of two points
 * @param origin one of them
 * @param ranges length of each item's window
 * @param cuts where segments begin within a distance; the first is 0
 */
record RangeGrid(boolean wall, SqlType time, long align, long origin, long[] ranges, long[] cuts) {
  private static final long HOUR = 3_600_000_000L;

  /** Windows over more align points are refused. */
  static final int MOST_POINTS = 1 << 20;

  static RangeGrid of(Execution run, PhysicalPlan.RangeSelect plan) {
    SqlType type = plan.input().types().get(plan.time());
    long unit = type.kind() == TypeKind.TIMESTAMP_NS ? 1000 : 1;
    long align = scaled(RangeSpans.micros("ALIGN", run.exprs().constant(plan.align())), unit);
    checkResolution(type, align);
    long[] ranges = new long[plan.items().size()];
    var cuts = new TreeSet<Long>();
    cuts.add(0L);
    for (int i = 0; i < ranges.length; i++) {
      Vector span = run.exprs().constant(plan.items().get(i).span());
      ranges[i] = scaled(RangeSpans.micros("RANGE", span), unit);
      if (ranges[i] / align >= MOST_POINTS) {
        throw new MillraceException(
                ErrorCode.PROGRAM_LIMIT_EXCEEDED,
                "RANGE covers more than " + MOST_POINTS + " align points")
            .withHint("Use a longer ALIGN interval or a shorter RANGE.");
      }
      cuts.add(ranges[i] % align);
    }
    boolean wall = plan.origin() == null && type.kind() == TypeKind.TIMESTAMPTZ && align > HOUR;
    return new RangeGrid(
        wall,
        wall ? SqlType.TIMESTAMP : type,
        align,
        origin(run, plan, type, align, wall),
        ranges,
        cuts.stream().mapToLong(c -> c).toArray());
  }

  /** Buckets of time. */
  static RangeGrid of(Execution run, SqlType time, Expr width, Expr origin) {
    long unit = time.kind() == TypeKind.TIMESTAMP_NS ? 1000 : 1;
    long micros = RangeSpans.micros("time_bucket_gapfill", run.exprs().constant(width));
    Vector at = run.exprs().constant(origin);
    return new RangeGrid(
        false,
        time,
        scaled(micros, unit),
        at.isNull(0) ? 0 : ((LongVector) at).get(0),
        new long[0],
        new long[1]);
  }

  private static long scaled(long micros, long unit) {
    try {
      return Math.multiplyExact(micros, unit);
    } catch (ArithmeticException e) {
      throw new MillraceException(
          ErrorCode.INTERVAL_FIELD_OVERFLOW, "RANGE or ALIGN interval out of range", e);
    }
  }

  private static void checkResolution(SqlType type, long align) {
    int digits = type.typmod();
    if (type.kind() == TypeKind.TIMESTAMP_NS || digits < 0 || digits >= 6) {
      return;
    }
    long step = 1;
    for (int d = digits; d < 6; d++) {
      step *= 10;
    }
    if (align % step != 0) {
      throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "ALIGN interval is finer than the time column, which is " + type.sqlName())
          .withHint("Use a multiple of " + step + " microseconds.");
    }
  }

  /** The calendar begins with a Monday if points are weeks apart, else with the first of 1970. */
  private static long origin(
      Execution run, PhysicalPlan.RangeSelect plan, SqlType type, long align, boolean wall) {
    Expr given = plan.origin();
    if (given != null) {
      Vector v = run.exprs().constant(given);
      if (v.isNull(0)) {
        throw new MillraceException(
            ErrorCode.NULL_VALUE_NOT_ALLOWED, "argument of ALIGN TO must not be null");
      }
      long at = ((LongVector) v).get(0);
      if (infinite(at)) {
        throw new MillraceException(
            ErrorCode.DATETIME_FIELD_OVERFLOW, "argument of ALIGN TO must not be infinite");
      }
      return at;
    }
    boolean nanos = type.kind() == TypeKind.TIMESTAMP_NS;
    long day = nanos ? Dates.DAY * 1000 : Dates.DAY;
    long local = align % (7 * day) == 0 ? 4 * day : 0;
    ZoneId zone = run.exprs().context().format().zone();
    return type.kind() == TypeKind.TIMESTAMPTZ && !wall ? Zones.toUtc(zone, local) : local;
  }

  static boolean infinite(long time) {
    return time == Dates.INFINITY || time == Dates.MINUS_INFINITY;
  }

  /** Whole distances in an item's window. */
  int whole(int item) {
    return (int) (ranges[item] / align);
  }

  /** What of an item's window is left after the whole distances. */
  long rest(int item) {
    return ranges[item] % align;
  }

  /** The item with the longest window. */
  int longest() {
    int at = 0;
    for (int i = 1; i < ranges.length; i++) {
      at = ranges[i] > ranges[at] ? i : at;
    }
    return at;
  }

  /** Windows that one row may be in, at most. */
  int overlap() {
    int i = longest();
    return whole(i) + (rest(i) > 0 ? 1 : 0);
  }

  /** The number of the last align point at or before a time. */
  long point(long time) {
    try {
      return Math.floorDiv(Math.subtractExact(time, origin), align);
    } catch (ArithmeticException e) {
      throw outOfRange(e);
    }
  }

  /** The time of an align point. */
  long time(long point) {
    try {
      return Math.addExact(Math.multiplyExact(point, align), origin);
    } catch (ArithmeticException e) {
      throw outOfRange(e);
    }
  }

  /** Which segment begins at a time. */
  int segment(long start, long point) {
    return cuts.length == 1 ? 0 : Arrays.binarySearch(cuts, start - time(point));
  }

  private static MillraceException outOfRange(ArithmeticException e) {
    return new MillraceException(
        ErrorCode.DATETIME_FIELD_OVERFLOW, "timestamp out of range for ALIGN", e);
  }
}

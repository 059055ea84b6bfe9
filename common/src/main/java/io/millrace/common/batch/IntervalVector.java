package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Intervals as PostgreSQL keeps them. Compared as if a month had 30 days and a day 24 hours. */
public final class IntervalVector extends Vector {
  private static final long DAY_MICROS = 86_400_000_000L;
  private final int[] months;
  private final int[] days;
  private final long[] micros;

  public IntervalVector(
      SqlType type,
      int[] months,
      int[] days,
      long[] micros,
      int length,
      long @Nullable [] validity) {
    super(type, length, validity);
    this.months = months;
    this.days = days;
    this.micros = micros;
  }

  public int[] months() {
    return months;
  }

  public int[] days() {
    return days;
  }

  public long[] micros() {
    return micros;
  }

  @Override
  public long byteSize() {
    return 72 + months.length * 16L;
  }

  @Override
  public IntervalVector take(int[] positions, int count) {
    int[] m = new int[count];
    int[] d = new int[count];
    long[] u = new long[count];
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      m[i] = months[p];
      d[i] = days[p];
      u[i] = micros[p];
    }
    return new IntervalVector(type(), m, d, u, count, takeValidity(positions, count));
  }

  @Override
  public IntervalVector slice(int from, int count) {
    if (from == 0 && count == length()) {
      return this;
    }
    int to = from + count;
    return new IntervalVector(
        type(),
        Arrays.copyOfRange(months, from, to),
        Arrays.copyOfRange(days, from, to),
        Arrays.copyOfRange(micros, from, to),
        count,
        sliceValidity(from, count));
  }

  @Override
  public IntervalVector withType(SqlType newType) {
    return new IntervalVector(newType, months, days, micros, length(), validity());
  }

  private long wholeDays(int row) {
    return months[row] * 30L + days[row] + Math.floorDiv(micros[row], DAY_MICROS);
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    var o = (IntervalVector) other;
    int c = Long.compare(wholeDays(row), o.wholeDays(otherRow));
    return c != 0
        ? c
        : Long.compare(
            Math.floorMod(micros[row], DAY_MICROS), Math.floorMod(o.micros[otherRow], DAY_MICROS));
  }

  @Override
  public long hash(int row) {
    return mix(wholeDays(row) * 31 + mix(Math.floorMod(micros[row], DAY_MICROS)));
  }
}

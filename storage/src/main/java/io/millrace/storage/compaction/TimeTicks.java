package io.millrace.storage.compaction;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.sst.SstMeta;
import java.util.List;

/** Lengths of time in the unit of a region's time index. */
final class TimeTicks {
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final long DAY_MICROS = DAY;

  /** Lengths that an inferred window may have, in microseconds. */
  private static final long[] LENGTHS = {
    HOUR, 2 * HOUR, 12 * HOUR, DAY, 7 * DAY, 365 * DAY, 3650 * DAY
  };

  private TimeTicks() {}

  /** The length in ticks, at least 1; Long.MAX_VALUE if the key has no time. */
  static long of(TableSchema schema, RegionOptions options, long micros) {
    if (options.keyMode() == KeyMode.UNIQUE_KEY) {
      return Long.MAX_VALUE;
    }
    if (options.keyMode() == KeyMode.ROW_ID) {
      return saturated(micros, 1000);
    }
    SqlType type = schema.timeIndex().type();
    if (type.kind() == TypeKind.TIMESTAMP_NS) {
      return saturated(micros, 1000);
    }
    return type.kind() == TypeKind.DATE ? Math.max(1, micros / DAY_MICROS) : Math.max(1, micros);
  }

  private static long saturated(long micros, long factor) {
    return micros > Long.MAX_VALUE / factor ? Long.MAX_VALUE : Math.max(1, micros * factor);
  }

  /** The shortest of the usual lengths that the span of no file exceeds. */
  static long infer(TableSchema schema, RegionOptions options, List<SstMeta> files) {
    long span = 1;
    for (SstMeta f : files) {
      long s = f.maxTime() - f.minTime();
      span = Math.max(span, s < 0 ? Long.MAX_VALUE : s);
    }
    for (long micros : LENGTHS) {
      long ticks = of(schema, options, micros);
      if (span <= ticks) {
        return ticks;
      }
    }
    return of(schema, options, LENGTHS[LENGTHS.length - 1]);
  }
}

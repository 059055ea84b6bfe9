package io.millrace.sql.write;

import io.millrace.common.id.TableId;
import io.millrace.common.time.Clock;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.RegionEngine;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hidden row ids of tables without a key: nanoseconds since 1970 at insertion, at least one more
 * than the last, also across restarts (the largest stored id is asked for on first use). Given out
 * when a statement runs, so that a transaction can read its own rows before it commits.
 * Thread-safe.
 */
public final class RowIdAllocator {
  private final RegionEngine engine;
  private final Clock clock;
  private final ConcurrentMap<TableId, AtomicLong> last = new ConcurrentHashMap<>();

  public RowIdAllocator(RegionEngine engine, Clock clock) {
    this.engine = engine;
    this.clock = clock;
  }

  /** The first of {@code count} consecutive new ids. */
  public long reserve(TableInfo table, int count) {
    AtomicLong counter =
        last.computeIfAbsent(table.id(), id -> new AtomicLong(largestStored(table)));
    long now = clock.wallMicros() * 1000;
    long end = counter.updateAndGet(l -> Math.max(l, now - 1) + count);
    return end - count + 1;
  }

  private long largestStored(TableInfo table) {
    return table.regions().stream()
        .mapToLong(r -> engine.info(r).maxTime())
        .max()
        .orElse(Long.MIN_VALUE);
  }
}

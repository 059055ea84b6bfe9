package io.millrace.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The difference of two snapshots of a region. One thread at a time. */
public interface ChangeFeed extends AutoCloseable {
  /** Region events in (after, snapshot], in order; they come before all rows. */
  List<RegionEvent> events();

  /** The next changed keys, in no promised order, each key once; null at the end. */
  @Nullable ChangeBatch next();

  @Override
  void close();
}

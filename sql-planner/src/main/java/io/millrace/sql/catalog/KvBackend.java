package io.millrace.sql.catalog;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the catalog's entries live. One writer at a time; a commit is durable and atomic when
 * {@link #commit} returns.
 */
public interface KvBackend extends AutoCloseable {
  /** Everything stored, key to value. */
  Map<String, byte[]> load();

  /**
   * Applies puts (value) and removals (null) together.
   *
   * @throws io.millrace.common.error.MillraceException DISK_FULL or IO_ERROR: nothing was changed
   */
  void commit(Map<String, byte @Nullable []> changes);

  @Override
  void close();
}

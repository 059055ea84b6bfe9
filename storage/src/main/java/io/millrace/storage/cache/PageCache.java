package io.millrace.storage.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decoded pages, weighed by bytes. Keys hold the file id, and files never change, so nothing is
 * invalidated by hand. Any thread.
 */
public final class PageCache {
  private final Cache<PageKey, CachedPage> pages;

  public PageCache(long maxBytes) {
    pages =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((PageKey k, CachedPage p) -> p.bytes())
            .executor(Runnable::run)
            .build();
  }

  public @Nullable CachedPage peek(PageKey key) {
    return pages.getIfPresent(key);
  }

  /** The page, loaded once however many ask at a time. */
  public CachedPage get(PageKey key, Function<PageKey, CachedPage> loader) {
    return pages.get(key, loader);
  }

  /** Bytes held, about. */
  public long bytes() {
    return pages.policy().eviction().map(e -> e.weightedSize().orElse(0)).orElse(0L);
  }

  public void clear() {
    pages.invalidateAll();
  }
}

package io.millrace.storage.read;

import org.jspecify.annotations.Nullable;

/** Chunks of one source in key order. One thread. */
interface ChunkCursor {
  /** The next rows; an {@link Chunk.Empty} after a bounded amount of fruitless work; null = end. */
  @Nullable Chunk next();
}

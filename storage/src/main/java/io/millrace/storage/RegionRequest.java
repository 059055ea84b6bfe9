package io.millrace.storage;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What can be asked of regions besides reading and writing rows. */
public sealed interface RegionRequest {
  /** Creates an empty region; an existing one with the same schema is left as it is. */
  record Create(RegionId region, TableSchema schema, RegionOptions options)
      implements RegionRequest {}

  /**
   * Opens a closed region. The log is replayed once for all regions when the engine starts; a
   * region whose manifest could not be read then is read anew.
   *
   * @param options in force until it is closed, instead of the stored ones; how rows are keyed and
   *     merged cannot differ. null = the stored ones
   * @param skipReplay only what is in files is there, to be read only; the rest comes back when the
   *     region is closed and opened without this
   */
  record Open(RegionId region, @Nullable RegionOptions options, boolean skipReplay)
      implements RegionRequest {
    /** As leader, with the stored options. */
    public Open(RegionId region) {
      this(region, null, false);
    }
  }

  record Close(RegionId region, boolean flush) implements RegionRequest {}

  /** Removes the region and, when the last reader lets go, its files. Idempotent. */
  record Drop(RegionId region) implements RegionRequest {}

  /** One commit over all regions of a table. */
  record Alter(List<RegionId> regions, TableSchema schema, RegionOptions options)
      implements RegionRequest {}

  /** Writes what is in memory to files. Completes when the manifest names them. */
  record Flush(RegionId region, String reason) implements RegionRequest {}

  /**
   * Merges all files of the region under the holds there are; completes when the manifest names the
   * result. Waits for a compaction that runs.
   *
   * @param strict every file gets times of one window only
   */
  record Compact(RegionId region, boolean strict) implements RegionRequest {}

  /**
   * Builds the indexes that the region's options want for files that lack them, and drops those
   * that they no longer want. Completes with the number of files changed.
   *
   * @param fileIds empty = all files
   */
  record BuildIndex(RegionId region, List<String> fileIds) implements RegionRequest {
    public BuildIndex {
      fileIds = List.copyOf(fileIds);
    }
  }

  /** Takes rows away in one commit over all regions, leaving an event. */
  record Truncate(List<RegionId> regions, Truncation what) implements RegionRequest {
    /** Takes everything. */
    public Truncate(List<RegionId> regions) {
      this(regions, new Truncation.All());
    }
  }

  /**
   * Makes files visible that lie in the region's folder, as if their rows were written now. Each
   * must be a sound SST whose columns the region has, with one version of a key where the region
   * merges. Only adding is allowed, as {@link #valid} says.
   *
   * @param add file ids
   * @param remove must be empty
   * @param flushFirst flush what is in memory before
   */
  record Edit(RegionId region, List<String> add, List<String> remove, boolean flushFirst)
      implements RegionRequest {
    public Edit {
      add = List.copyOf(add);
      remove = List.copyOf(remove);
    }

    /** Whether it adds something and does nothing else. */
    public boolean valid() {
      return !add.isEmpty() && remove.isEmpty();
    }
  }

  /**
   * Accepts the loss of a file that cannot be read: it goes, leaving a RESET event over its times.
   * A file that can be read is left alone; one that is not there any more is no error.
   */
  record DropDamaged(RegionId region, String fileId) implements RegionRequest {}

  /** Raises the committed sequence; later rows are above it. A lower one changes nothing. */
  record BumpSequence(RegionId region, long sequence) implements RegionRequest {}
}

package io.millrace.storage.purge;

import io.millrace.common.id.RegionId;
import io.millrace.storage.objectstore.ObjectSstStore;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes files that no manifest names and no reader holds. A file that cannot be deleted now is
 * found as an orphan at the next start.
 */
public final class FilePurger {
  private static final Logger LOG = LoggerFactory.getLogger(FilePurger.class);
  private final ObjectSstStore files;
  private final Consumer<String> forget;
  private final Executor executor;

  /**
   * A purger.
   *
   * @param forget told before a file goes
   */
  public FilePurger(ObjectSstStore files, Consumer<String> forget, Executor executor) {
    this.files = files;
    this.forget = forget;
    this.executor = executor;
  }

  /** Deletes the files in the background, then runs the task. */
  public void purge(RegionId region, List<String> fileIds, Runnable then) {
    fileIds.forEach(files::condemn);
    executor.execute(
        () -> {
          for (String id : fileIds) {
            forget.accept(id);
            try {
              files.delete(region, id);
            } catch (IOException e) {
              LOG.warn("could not delete file {} of region {}: {}", id, region, e.getMessage());
            }
          }
          then.run();
        });
  }
}

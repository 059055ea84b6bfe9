package io.millrace.storage;

import io.millrace.common.id.RegionId;

/**
 * A file that lies in a region's folder, whether a manifest names it or not.
 *
 * @param path in the object store
 * @param modifiedMillis when it was written; milliseconds since 1970
 */
public record StoredSst(RegionId region, String path, long bytes, long modifiedMillis) {}

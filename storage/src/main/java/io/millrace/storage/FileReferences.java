package io.millrace.storage;

import io.millrace.common.id.RegionId;
import java.util.Map;
import java.util.Set;

/**
 * Ids of the files that are needed, per region.
 *
 * @param manifest named by the manifest, or by what the log has and the manifest will get
 * @param readers named no more, but a reader may still use them
 * @param inFlight being written by a job, staged for a commit, or about to be added
 */
public record FileReferences(
    Map<RegionId, Set<String>> manifest,
    Map<RegionId, Set<String>> readers,
    Map<RegionId, Set<String>> inFlight) {}

package io.millrace.storage.sst;

import io.millrace.storage.IndexKind;
import java.util.List;

/**
 * What the manifest knows of the index file beside an SST.
 *
 * @param generation 0 for the one that was written with the file, larger for those built later
 * @param bytes size of the index file
 * @param footerLength bytes of the footer at its end
 * @param footerCrc CRC32C of those bytes
 * @param parts the indexes in it
 */
public record SideCarMeta(
    int generation, long bytes, int footerLength, int footerCrc, List<Part> parts) {
  private static final String SUFFIX = ".puffin";

  /**
   * An index.
   *
   * @param columnId 0 for an index of keys
   * @param bytes stored
   * @param settings tells apart what it was built with
   */
  public record Part(IndexKind kind, int columnId, long bytes, int settings) {}

  public SideCarMeta {
    parts = List.copyOf(parts);
  }

  /** The name of the index file of an SST. */
  public String name(String fileId) {
    return name(fileId, generation);
  }

  public static String name(String fileId, int generation) {
    return generation == 0 ? fileId + SUFFIX : fileId + "." + generation + SUFFIX;
  }

  /** Whether it is the name of an index file. */
  public static boolean isName(String name) {
    return name.endsWith(SUFFIX);
  }
}

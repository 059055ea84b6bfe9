package io.millrace.storage.sst.puffin;

import java.util.List;
import java.util.Map;

/**
 * What the footer says of a blob.
 *
 * @param type what is in it
 * @param fields ids of the columns that it was made from
 * @param compressed as a zstd frame
 * @param properties further facts; {@link #CRC} is always there
 */
public record PuffinBlob(
    String type,
    List<Integer> fields,
    long offset,
    int length,
    boolean compressed,
    Map<String, String> properties) {
  /** CRC32C of the stored bytes, in hex. */
  static final String CRC = "crc32c";

  public PuffinBlob {
    fields = List.copyOf(fields);
    properties = Map.copyOf(properties);
  }
}

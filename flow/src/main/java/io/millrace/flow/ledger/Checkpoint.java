package io.millrace.flow.ledger;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a flow has done: its sink is right for the sources' versions except in the dirty ranges.
 *
 * @param epoch raised when the flow is replaced
 * @param incarnations of the source regions when V was taken
 * @param versions V: sequence per source region
 * @param dirty D
 * @param evaluationMicros T, never moving backwards
 */
public record Checkpoint(
    long epoch,
    Map<RegionId, Long> incarnations,
    Map<RegionId, Long> versions,
    List<TimeRange> dirty,
    long evaluationMicros) {
  public Checkpoint {
    incarnations = Map.copyOf(incarnations);
    versions = Map.copyOf(versions);
    dirty = List.copyOf(dirty);
  }

  static String encode(Map<RegionId, Long> m) {
    var out = new StringBuilder();
    new TreeMap<>(m)
        .forEach(
            (r, v) -> out.append(out.isEmpty() ? "" : ",").append(r.value()).append(':').append(v));
    return out.toString();
  }

  static Map<RegionId, Long> decode(String text) {
    var out = new TreeMap<RegionId, Long>();
    if (text.isEmpty()) {
      return out;
    }
    try {
      for (String part : text.split(",", -1)) {
        int colon = part.indexOf(':');
        out.put(
            new RegionId(Long.parseLong(part.substring(0, colon))),
            Long.parseLong(part.substring(colon + 1)));
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw damaged(text, e);
    }
    return out;
  }

  static String encodeRanges(List<TimeRange> ranges) {
    var out = new StringBuilder();
    for (TimeRange r : ranges) {
      out.append(out.isEmpty() ? "" : ",").append(r.from()).append("..").append(r.to());
    }
    return out.toString();
  }

  static List<TimeRange> decodeRanges(String text) {
    var out = new ArrayList<TimeRange>();
    if (text.isEmpty()) {
      return out;
    }
    try {
      for (String part : text.split(",", -1)) {
        int dots = part.indexOf("..");
        out.add(
            new TimeRange(
                Long.parseLong(part.substring(0, dots)), Long.parseLong(part.substring(dots + 2))));
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw damaged(text, e);
    }
    return out;
  }

  private static MillraceException damaged(String text, Throwable cause) {
    return new MillraceException(
        ErrorCode.DATA_CORRUPTED, "a flow checkpoint cannot be read: \"" + text + "\"", cause);
  }
}

package io.millrace.sql.exec.function;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of IP addresses, after RFC 4291 and RFC 5952: the longest run of zero groups of an IPv6
 * address becomes {@code ::}, addresses that hold an IPv4 one end in its dotted form. Names of
 * hosts are never looked up.
 */
final class IpText {
  private IpText() {}

  /** Four or sixteen bytes; null if the text is no address. */
  static byte @Nullable [] parse(String text) {
    return text.indexOf(':') < 0 ? v4(text) : v6(text);
  }

  private static byte @Nullable [] v4(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4) {
      return null;
    }
    byte[] out = new byte[4];
    for (int k = 0; k < 4; k++) {
      String p = parts[k];
      if (p.isEmpty() || p.length() > 3 || !p.chars().allMatch(c -> c >= '0' && c <= '9')) {
        return null;
      }
      int x = Integer.parseInt(p);
      if (x > 255) {
        return null;
      }
      out[k] = (byte) x;
    }
    return out;
  }

  private static byte @Nullable [] v6(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      List<Integer> groups = groups(text);
      return groups == null || groups.size() != 8 ? null : bytes(groups, List.of());
    }
    if (text.indexOf("::", gap + 1) >= 0) {
      return null;
    }
    List<Integer> head = groups(text.substring(0, gap));
    List<Integer> tail = groups(text.substring(gap + 2));
    return head == null || tail == null || head.size() + tail.size() > 7 ? null : bytes(head, tail);
  }

  private static @Nullable List<Integer> groups(String text) {
    var out = new ArrayList<Integer>();
    if (text.isEmpty()) {
      return out;
    }
    String[] parts = text.split(":", -1);
    for (int k = 0; k < parts.length; k++) {
      if (k == parts.length - 1 && parts[k].indexOf('.') >= 0) {
        byte[] v4 = v4(parts[k]);
        if (v4 == null) {
          return null;
        }
        out.add((v4[0] & 0xff) << 8 | v4[1] & 0xff);
        out.add((v4[2] & 0xff) << 8 | v4[3] & 0xff);
      } else if (parts[k].isEmpty()
          || parts[k].length() > 4
          || !parts[k].chars().allMatch(c -> c < 128 && Character.digit(c, 16) >= 0)) {
        return null;
      } else {
        out.add(Integer.parseInt(parts[k], 16));
      }
    }
    return out;
  }

  private static byte[] bytes(List<Integer> head, List<Integer> tail) {
    byte[] out = new byte[16];
    put(head, 0, out);
    put(tail, 8 - tail.size(), out);
    return out;
  }

  private static void put(List<Integer> groups, int at, byte[] out) {
    for (int k = 0; k < groups.size(); k++) {
      out[2 * (at + k)] = (byte) (groups.get(k) >> 8);
      out[2 * (at + k) + 1] = (byte) (int) groups.get(k);
    }
  }

  static String format(byte[] ip) {
    return ip.length == 4 ? dotted(ip, 0) : v6(ip);
  }

  private static String dotted(byte[] ip, int at) {
    return (ip[at] & 0xff)
        + "."
        + (ip[at + 1] & 0xff)
        + "."
        + (ip[at + 2] & 0xff)
        + "."
        + (ip[at + 3] & 0xff);
  }

  private static String v6(byte[] ip) {
    int[] g = new int[8];
    for (int k = 0; k < 8; k++) {
      g[k] = (ip[2 * k] & 0xff) << 8 | ip[2 * k + 1] & 0xff;
    }
    if (g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0 && g[4] == 0 && g[5] == 0xffff) {
      return "::ffff:" + dotted(ip, 12);
    }
    int gap = -1;
    int gapLength = 1;
    for (int k = 0; k < 8; k++) {
      int end = k;
      while (end < 8 && g[end] == 0) {
        end++;
      }
      if (end - k > gapLength) {
        gap = k;
        gapLength = end - k;
      }
    }
    var out = new StringBuilder();
    for (int k = 0; k < 8; k++) {
      if (k == gap) {
        out.append("::");
        k += gapLength - 1;
      } else {
        out.append(out.isEmpty() || out.charAt(out.length() - 1) == ':' ? "" : ":");
        out.append(Integer.toHexString(g[k]));
      }
    }
    return out.toString();
  }
}

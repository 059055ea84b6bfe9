package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** IP addresses in text, their numbers, and the networks (CIDR) that they lie in. */
final class NetworkKernels {
  private NetworkKernels() {}

  static void register(FunctionRegistry.Builder b) {
    for (String f : new String[] {"ipv4_string_to_num", "inet_aton"}) {
      b.simple(
          f + "(text)",
          (a, n, _) -> Build.longs(SqlType.INT8, a, n, i -> number(v4(TextKernels.str(a, 0, i)))));
    }
    for (String f : new String[] {"ipv4_num_to_string", "inet_ntoa"}) {
      b.simple(
          f + "(int8)", (a, n, _) -> text(a, n, i -> IpText.format(bytes(Args.longs(a, 0)[i]))));
    }
    b.simple(
        "ipv6_string_to_num(text)",
        (a, n, _) ->
            Build.bytes(SqlType.BYTEA, a, n, (i, out) -> out.append(v6(TextKernels.str(a, 0, i)))));
    b.simple(
        "ipv6_num_to_string(text)",
        (a, n, _) -> text(a, n, i -> IpText.format(hex(TextKernels.str(a, 0, i)))));
    b.simple(
        "ipv6_num_to_string(bytea)",
        (a, n, _) -> text(a, n, i -> IpText.format(sixteen(Args.bytes(a, 0).bytes(i)))));
    cidr(b, "ipv4", NetworkKernels::v4);
    cidr(b, "ipv6", NetworkKernels::v6);
  }

  private interface Reader {
    byte[] read(String text);
  }

  private static void cidr(FunctionRegistry.Builder b, String family, Reader reader) {
    b.simple(
        family + "_to_cidr(text)",
        (a, n, _) ->
            text(
                a,
                n,
                i -> {
                  byte[] ip = reader.read(TextKernels.str(a, 0, i));
                  return network(ip, guess(ip));
                }));
    b.simple(
        family + "_to_cidr(text,int4)",
        (a, n, _) ->
            text(a, n, i -> network(reader.read(TextKernels.str(a, 0, i)), Args.ints(a, 1)[i])));
    b.simple(
        family + "_in_range(text,text)",
        (a, n, _) ->
            Build.bools(
                a, n, i -> inRange(reader, TextKernels.str(a, 0, i), TextKernels.str(a, 1, i))));
  }

  private static Vector text(List<Vector> a, int n, IntFunction<String> row) {
    return Build.text(SqlType.TEXT, a, n, row);
  }

  private static boolean inRange(Reader reader, String text, String cidr) {
    int slash = cidr.indexOf('/');
    if (slash < 0) {
      throw invalid("network", cidr);
    }
    // Whatever is no address of the family lies in none of its networks.
    byte[] ip = IpText.parse(text);
    byte[] base = reader.read(cidr.substring(0, slash));
    if (ip == null || ip.length != base.length) {
      return false;
    }
    int bits = prefix(cidr.substring(slash + 1), base.length * 8, cidr);
    return Arrays.equals(masked(ip, bits), masked(base, bits));
  }

  private static int prefix(String text, int max, String cidr) {
    try {
      int bits = Integer.parseInt(text);
      if (bits >= 0 && bits <= max) {
        return bits;
      }
    } catch (NumberFormatException _) {
      throw invalid("network", cidr);
    }
    throw invalid("network", cidr);
  }

  private static String network(byte[] ip, int bits) {
    if (bits < 0 || bits > ip.length * 8) {
      throw Errors.invalidParameter(
          "a prefix of " + bits + " bits is not between 0 and " + ip.length * 8);
    }
    return IpText.format(masked(ip, bits)) + "/" + bits;
  }

  private static byte[] masked(byte[] ip, int bits) {
    byte[] out = ip.clone();
    for (int k = 0; k < out.length; k++) {
      int left = Math.clamp(bits - 8L * k, 0, 8);
      out[k] &= (byte) (0xff00 >> left);
    }
    return out;
  }

  /** Without a prefix length: as many bytes (IPv6: pairs of bytes) as stand before the zeros. */
  private static int guess(byte[] ip) {
    int unit = ip.length == 4 ? 1 : 2;
    int used = ip.length;
    while (used > 0 && ip[used - 1] == 0) {
      used--;
    }
    return (used + unit - 1) / unit * unit * 8;
  }

  private static byte[] v4(String text) {
    byte[] ip = IpText.parse(text);
    if (ip == null || ip.length != 4) {
      throw invalid("IPv4 address", text);
    }
    return ip;
  }

  private static byte[] v6(String text) {
    byte[] ip = IpText.parse(text);
    if (ip == null || ip.length != 16) {
      throw invalid("IPv6 address", text);
    }
    return ip;
  }

  private static byte[] hex(String text) {
    try {
      return sixteen(HexFormat.of().parseHex(text));
    } catch (IllegalArgumentException _) {
      throw invalid("hexadecimal IPv6 address", text);
    }
  }

  private static byte[] sixteen(byte[] bytes) {
    if (bytes.length != 16) {
      throw Errors.invalidParameter("an IPv6 address has 16 bytes, not " + bytes.length);
    }
    return bytes;
  }

  private static long number(byte[] ip) {
    long x = 0;
    for (byte b : ip) {
      x = x << 8 | b & 0xff;
    }
    return x;
  }

  private static byte[] bytes(long x) {
    if (x < 0 || x > 0xffffffffL) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "IPv4 address out of range: " + x);
    }
    return new byte[] {(byte) (x >> 24), (byte) (x >> 16), (byte) (x >> 8), (byte) x};
  }

  private static MillraceException invalid(String what, @Nullable String text) {
    return new MillraceException(
        ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid " + what + ": \"" + text + "\"");
  }
}

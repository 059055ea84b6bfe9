package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.Utf8;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** bytea, digests and encodings. */
final class BinaryKernels {
  private BinaryKernels() {}

  static void register(FunctionRegistry.Builder b) {
    for (String t : new String[] {"text", "bytea"}) {
      b.simple(
          "md5(" + t + ")",
          (a, n, _) ->
              Build.text(
                  SqlType.TEXT,
                  a,
                  n,
                  i -> HexFormat.of().formatHex(digest("MD5", bytes(a, 0, i)))));
    }
    String[][] digests = {
      {"sha224", "SHA-224"}, {"sha256", "SHA-256"}, {"sha384", "SHA-384"}, {"sha512", "SHA-512"}
    };
    for (String[] d : digests) {
      b.simple(
          d[0] + "(bytea)",
          (a, n, _) ->
              Build.bytes(
                  SqlType.BYTEA, a, n, (i, out) -> out.append(digest(d[1], bytes(a, 0, i)))));
    }
    b.simple(
        "encode(bytea,text)",
        (a, n, _) ->
            Build.text(SqlType.TEXT, a, n, i -> encode(bytes(a, 0, i), TextKernels.str(a, 1, i))));
    b.simple(
        "decode(text,text)",
        (a, n, _) ->
            Build.bytes(
                SqlType.BYTEA,
                a,
                n,
                (i, out) ->
                    out.append(decode(TextKernels.str(a, 0, i), TextKernels.str(a, 1, i)))));
    b.simple(
        "convert_to(text,name)",
        (a, n, _) ->
            Build.bytes(
                SqlType.BYTEA,
                a,
                n,
                (i, out) ->
                    out.append(
                        TextKernels.str(a, 0, i).getBytes(charset(TextKernels.str(a, 1, i))))));
    b.simple(
        "convert_from(bytea,name)",
        (a, n, _) ->
            Build.text(
                SqlType.TEXT,
                a,
                n,
                i -> {
                  Charset cs = charset(TextKernels.str(a, 1, i));
                  byte[] d = bytes(a, 0, i);
                  if (cs.equals(StandardCharsets.UTF_8)) {
                    Utf8.check(d, 0, d.length);
                  }
                  return new String(d, cs);
                }));
    b.simple(
        "get_byte(bytea,int4)",
        (a, n, _) -> Build.ints(SqlType.INT4, a, n, i -> bytes(a, 0, i)[index(a, i, 8)] & 0xff));
    b.simple(
        "set_byte(bytea,int4,int4)",
        (a, n, _) ->
            Build.bytes(
                SqlType.BYTEA,
                a,
                n,
                (i, out) -> {
                  byte[] d = bytes(a, 0, i);
                  d[index(a, i, 8)] = (byte) TextKernels.intAt(a, 2, i);
                  out.append(d);
                }));
    b.simple(
        "get_bit(bytea,int8)",
        (a, n, _) ->
            Build.ints(
                SqlType.INT4,
                a,
                n,
                i -> {
                  int k = index(a, i, 1);
                  return bytes(a, 0, i)[k >> 3] >> (k & 7) & 1;
                }));
    b.simple(
        "set_bit(bytea,int8,int4)",
        (a, n, _) ->
            Build.bytes(
                SqlType.BYTEA,
                a,
                n,
                (i, out) -> {
                  byte[] d = bytes(a, 0, i);
                  int k = index(a, i, 1);
                  int v = TextKernels.intAt(a, 2, i);
                  if (v != 0 && v != 1) {
                    throw Errors.invalidParameter("new bit must be 0 or 1");
                  }
                  d[k >> 3] = (byte) (d[k >> 3] & ~(1 << (k & 7)) | v << (k & 7));
                  out.append(d);
                }));
    b.simple(
        "bit_count(bytea)",
        (a, n, _) ->
            Build.longs(
                SqlType.INT8,
                a,
                n,
                i -> {
                  long c = 0;
                  for (byte x : bytes(a, 0, i)) {
                    c += Integer.bitCount(x & 0xff);
                  }
                  return c;
                }));
    for (String s : new String[] {"overlay(bytea,bytea,int4)", "overlay(bytea,bytea,int4,int4)"}) {
      b.simple(
          s,
          (a, n, _) ->
              Build.bytes(
                  SqlType.BYTEA,
                  a,
                  n,
                  (i, out) -> {
                    byte[] d = bytes(a, 0, i);
                    byte[] r = bytes(a, 1, i);
                    int start = TextKernels.intAt(a, 2, i);
                    int count = a.size() > 3 ? TextKernels.intAt(a, 3, i) : r.length;
                    if (start <= 0) {
                      throw new MillraceException(
                          ErrorCode.SUBSTRING_ERROR, "negative substring length not allowed");
                    }
                    int before = Math.min(start - 1, d.length);
                    int after = Math.clamp((long) start - 1 + count, 0, d.length);
                    byte[] o = new byte[before + r.length + d.length - after];
                    System.arraycopy(d, 0, o, 0, before);
                    System.arraycopy(r, 0, o, before, r.length);
                    System.arraycopy(d, after, o, before + r.length, d.length - after);
                    out.append(o);
                  }));
    }
  }

  private static byte[] bytes(List<Vector> a, int arg, int row) {
    return ((BytesColumn) a.get(arg)).bytes(row);
  }

  /** A checked index of a byte (unit 8) or bit (unit 1). */
  private static int index(List<Vector> a, int row, int unit) {
    long k = Args.longs(a, 1)[row];
    long size = (long) ((BytesColumn) a.get(0)).size(row) * (8 / unit);
    if (k < 0 || k >= size) {
      throw new MillraceException(
          ErrorCode.ARRAY_SUBSCRIPT_ERROR, "index " + k + " out of valid range, 0.." + (size - 1));
    }
    return (int) k;
  }

  private static byte[] digest(String algorithm, byte[] data) {
    try {
      return MessageDigest.getInstance(algorithm).digest(data);
    } catch (NoSuchAlgorithmException e) {
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR, "digest " + algorithm + " is not available", e);
    }
  }

  private static String encode(byte[] d, String format) {
    switch (format.toLowerCase(Locale.ROOT)) {
      case "hex" -> {
        return HexFormat.of().formatHex(d);
      }
      case "base64" -> {
        return Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(d);
      }
      case "escape" -> {
        var out = new StringBuilder();
        for (byte x : d) {
          if (x == 0 || x < 0) {
            out.append(String.format("\\%03o", x & 0xff));
          } else if (x == '\\') {
            out.append("\\\\");
          } else {
            out.append((char) x);
          }
        }
        return out.toString();
      }
      default -> throw unknown(format);
    }
  }

  private static MillraceException unknown(String format) {
    return Errors.invalidParameter("unrecognized encoding: \"" + format + "\"");
  }

  private static byte[] decode(String s, String format) {
    switch (format.toLowerCase(Locale.ROOT)) {
      case "hex" -> {
        String t = s.replaceAll("\\s", "");
        for (int i = 0; i < t.length(); i++) {
          if (Character.digit(t.charAt(i), 16) < 0) {
            throw Errors.invalidParameter("invalid hexadecimal digit: \"" + t.charAt(i) + "\"");
          }
        }
        if (t.length() % 2 != 0) {
          throw Errors.invalidParameter("invalid hexadecimal data: odd number of digits");
        }
        return HexFormat.of().parseHex(t);
      }
      case "base64" -> {
        try {
          String digits = s.replaceAll("\\s", "");
          if (digits.length() % 4 != 0) {
            throw new IllegalArgumentException("the end is missing");
          }
          return Base64.getDecoder().decode(digits);
        } catch (IllegalArgumentException e) {
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE, "invalid base64 end sequence", e);
        }
      }
      case "escape" -> {
        byte[] in = s.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int n = 0;
        for (int i = 0; i < in.length; ) {
          if (in[i] != '\\') {
            out[n++] = in[i++];
          } else if (i + 1 < in.length && in[i + 1] == '\\') {
            out[n++] = '\\';
            i += 2;
          } else if (i + 3 < in.length
              && in[i + 1] >= '0'
              && in[i + 1] <= '3'
              && in[i + 2] >= '0'
              && in[i + 2] <= '7'
              && in[i + 3] >= '0'
              && in[i + 3] <= '7') {
            out[n++] = (byte) ((in[i + 1] - '0') << 6 | (in[i + 2] - '0') << 3 | (in[i + 3] - '0'));
            i += 4;
          } else {
            throw new MillraceException(
                ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
          }
        }
        return java.util.Arrays.copyOf(out, n);
      }
      default -> throw unknown(format);
    }
  }

  private static Charset charset(String name) {
    String n = name.toUpperCase(Locale.ROOT).replace("_", "-");
    try {
      return switch (n) {
        case "UTF8", "UTF-8", "UNICODE", "SQL-ASCII" -> StandardCharsets.UTF_8;
        case "LATIN1" -> StandardCharsets.ISO_8859_1;
        case "LATIN9" -> Charset.forName("ISO-8859-15");
        case "WIN1252" -> Charset.forName("windows-1252");
        default -> Charset.forName(n);
      };
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "invalid encoding name \"" + name + "\"", e);
    }
  }
}

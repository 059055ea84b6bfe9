package io.millrace.wire.pg.codec;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Reads the fields of a message's body; anything that does not fit is 08P01. */
final class BodyReader {
  private final byte[] b;
  private int at;

  BodyReader(byte[] body) {
    b = body;
  }

  static MillraceException malformed() {
    return new MillraceException(ErrorCode.PROTOCOL_VIOLATION, "invalid message format");
  }

  int position() {
    return at;
  }

  boolean atEnd() {
    return at == b.length;
  }

  int int8() {
    if (at >= b.length) {
      throw malformed();
    }
    return b[at++] & 0xff;
  }

  int uint16() {
    if (b.length - at < 2) {
      throw malformed();
    }
    int v = (b[at] & 0xff) << 8 | b[at + 1] & 0xff;
    at += 2;
    return v;
  }

  int int32() {
    if (b.length - at < 4) {
      throw malformed();
    }
    int v =
        (b[at] & 0xff) << 24
            | (b[at + 1] & 0xff) << 16
            | (b[at + 2] & 0xff) << 8
            | b[at + 3] & 0xff;
    at += 4;
    return v;
  }

  void skip(int n) {
    if (b.length - at < n) {
      throw malformed();
    }
    at += n;
  }

  /** A string up to its zero byte. */
  String string() {
    int end = at;
    while (end < b.length && b[end] != 0) {
      end++;
    }
    if (end == b.length) {
      throw new MillraceException(ErrorCode.PROTOCOL_VIOLATION, "invalid string in message");
    }
    String s = utf8(b, at, end - at);
    at = end + 1;
    return s;
  }

  void end() {
    if (at != b.length) {
      throw malformed();
    }
  }

  /** Decodes UTF-8; only text that seems to hold a replacement character is looked at twice. */
  static String utf8(byte[] b, int from, int count) {
    String s = new String(b, from, count, StandardCharsets.UTF_8);
    if (s.indexOf('\uFFFD') >= 0) {
      checkUtf8(b, from, count);
    }
    return s;
  }

  private static void checkUtf8(byte[] b, int from, int count) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(b, from, count);
    CoderResult result = decoder.decode(in, CharBuffer.allocate(count), true);
    if (result.isError()) {
      var text = new StringBuilder("invalid byte sequence for encoding \"UTF8\":");
      for (int i = 0; i < result.length(); i++) {
        text.append(String.format(Locale.ROOT, " 0x%02x", in.get(in.position() + i) & 0xff));
      }
      throw new MillraceException(ErrorCode.CHARACTER_NOT_IN_REPERTOIRE, text.toString());
    }
  }
}

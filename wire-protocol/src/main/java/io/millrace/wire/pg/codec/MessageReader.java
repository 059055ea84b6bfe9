package io.millrace.wire.pg.codec;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.Formats;
import io.millrace.wire.RawParameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Message bodies to messages, pure. */
final class MessageReader {
  static final int SSL_REQUEST = 80877103;
  static final int GSS_REQUEST = 80877104;
  static final int CANCEL_REQUEST = 80877102;
  private static final String PROTOCOL_OPTION = "_pq_.";

  private MessageReader() {}

  /** The kinds of messages that a session may get. */
  static boolean known(char kind) {
    return switch (kind) {
      case 'Q', 'P', 'B', 'D', 'E', 'C', 'H', 'S', 'd', 'c', 'f', 'F', 'X' -> true;
      default -> false;
    };
  }

  /** Kinds that are short by nature: a long one means that the framing is lost. */
  static boolean small(char kind) {
    return switch (kind) {
      case 'D', 'E', 'C', 'H', 'S', 'c', 'f', 'X' -> true;
      default -> false;
    };
  }

  /** A message of the start-up phase, without its length. */
  static FrontendMessage startup(byte[] body) {
    var in = new BodyReader(body);
    int code = in.int32();
    return switch (code) {
      case SSL_REQUEST -> new FrontendMessage.SslRequest();
      case GSS_REQUEST -> new FrontendMessage.GssEncRequest();
      case CANCEL_REQUEST -> {
        if (body.length != 12) {
          yield broken("invalid length of startup packet");
        }
        yield new FrontendMessage.CancelRequest(in.int32(), in.int32());
      }
      default -> session(code >>> 16, code & 0xffff, body, in);
    };
  }

  private static FrontendMessage session(int major, int minor, byte[] body, BodyReader in) {
    if (major != 3) {
      return new FrontendMessage.Broken(
          new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "unsupported frontend protocol "
                  + major
                  + "."
                  + minor
                  + ": server supports 3.0 to 3.0"));
    }
    if (body[body.length - 1] != 0) {
      return broken("invalid startup packet layout: expected terminator as last byte");
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    List<String> options = new ArrayList<>();
    while (true) {
      String name = in.string();
      if (name.isEmpty()) {
        break;
      }
      String value = in.string();
      if (name.startsWith(PROTOCOL_OPTION)) {
        options.add(name);
      } else {
        parameters.put(name, value);
      }
    }
    if (!in.atEnd()) {
      return broken("invalid startup packet layout: expected terminator as last byte");
    }
    return new FrontendMessage.Startup(minor, parameters, options);
  }

  private static FrontendMessage broken(String message) {
    return new FrontendMessage.Broken(new MillraceException(ErrorCode.PROTOCOL_VIOLATION, message));
  }

  /** A message of a session, without type byte and length. */
  static FrontendMessage message(char kind, byte[] body) {
    try {
      return read(kind, body);
    } catch (MillraceException e) {
      return new FrontendMessage.Bad(kind, e);
    }
  }

  private static FrontendMessage read(char kind, byte[] body) {
    var in = new BodyReader(body);
    FrontendMessage message =
        switch (kind) {
          case 'Q' -> new FrontendMessage.Query(in.string());
          case 'P' -> new FrontendMessage.Parse(in.string(), in.string(), oids(in));
          case 'B' -> bind(body, in);
          case 'D' -> new FrontendMessage.Describe(isStatement(in, "DESCRIBE"), in.string());
          case 'E' -> new FrontendMessage.Execute(in.string(), Math.max(0, in.int32()));
          case 'C' -> new FrontendMessage.Close(isStatement(in, "CLOSE"), in.string());
          case 'H' -> new FrontendMessage.Flush();
          case 'S' -> new FrontendMessage.Sync();
          case 'c' -> new FrontendMessage.CopyDone();
          case 'f' -> new FrontendMessage.CopyFail(in.string());
          case 'X' -> new FrontendMessage.Terminate();
          case 'F' ->
              new FrontendMessage.Bad(
                  'F',
                  new MillraceException(
                      ErrorCode.FEATURE_NOT_SUPPORTED,
                      "the function call message is not supported: call the function in a query"));
          default -> throw BodyReader.malformed();
        };
    if (kind != 'F') {
      in.end();
    }
    return message;
  }

  private static int[] oids(BodyReader in) {
    int[] oids = new int[in.uint16()];
    for (int i = 0; i < oids.length; i++) {
      oids[i] = in.int32();
    }
    return oids;
  }

  private static boolean isStatement(BodyReader in, String what) {
    int kind = in.int8();
    if (kind != 'S' && kind != 'P') {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION, "invalid " + what + " message subtype " + kind);
    }
    return kind == 'S';
  }

  private static FrontendMessage bind(byte[] body, BodyReader in) {
    String portal = in.string();
    String statement = in.string();
    Formats formats = formats(in);
    int count = in.uint16();
    if (formats.count() > 1 && formats.count() != count) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION,
          "bind message has "
              + formats.count()
              + " parameter formats but "
              + count
              + " parameters");
    }
    int[] offsets = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      int length = in.int32();
      offsets[i] = in.position();
      lengths[i] = length;
      if (length > 0) {
        in.skip(length);
      } else if (length < -1) {
        throw BodyReader.malformed();
      }
    }
    Formats results = formats(in);
    return new FrontendMessage.Bind(
        portal, statement, new RawParameters(body, offsets, lengths, formats), results);
  }

  private static Formats formats(BodyReader in) {
    int count = in.uint16();
    if (count == 0) {
      return Formats.TEXT;
    }
    boolean[] binary = new boolean[count];
    for (int i = 0; i < count; i++) {
      int code = in.uint16();
      if (code > 1) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE, "unsupported format code: " + (short) code);
      }
      binary[i] = code == 1;
    }
    return Formats.of(binary);
  }
}

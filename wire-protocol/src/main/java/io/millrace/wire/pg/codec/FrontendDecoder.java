package io.millrace.wire.pg.codec;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.net.AssemblyBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;

/*
 * Frames only: bytes in, FrontendMessage out. Knows no SQL and no session.
 *
 *   STARTUP   length(4) body            SSLRequest, GSSENCRequest (stay), CancelRequest, Startup
 *   LOGIN     type(1) length(4) body    answers to the authentication, Terminate
 *   SESSION   type(1) length(4) body    everything else
 *   BROKEN    whatever comes is dropped
 *
 * A message that is wholly in the buffer is copied once, into an array of its own that its reader
 * keeps (parameters point into it). A longer one is gathered in an array that grows with what has
 * arrived, never to what the header promises; what is gathered beyond 64 KiB is charged to a budget
 * that all connections share. CopyData is never gathered whole: what one read brought, be it many
 * short messages or a part of a long one, is handed on as one piece.
 *
 * A start-up message beyond 10 kB, an unknown type byte, an impossible length, or a long message of
 * a kind that is short by nature break the connection. A message over the limit is skipped, byte by
 * byte as it arrives, and reported as Bad: the connection lives on.
 */
/** Frames the messages of a client. One per connection, used on its event loop. */
public final class FrontendDecoder extends ChannelInboundHandlerAdapter {
  /** The longest start-up message. */
  public static final int MAX_STARTUP = 10_000;

  private static final int MAX_LOGIN = 65_535;
  private static final int MAX_SMALL = 10_000;
  private static final int FREE = 64 << 10;
  private static final byte[] NOTHING = new byte[0];

  private enum Phase {
    STARTUP,
    LOGIN,
    SESSION,
    BROKEN
  }

  private enum Part {
    HEADER,
    BODY,
    COPY,
    SKIP
  }

  private final int maxMessage;
  private final AssemblyBudget budget;
  private final byte[] header = new byte[5];
  private Phase phase = Phase.STARTUP;
  private Part part = Part.HEADER;
  private int headerHave;
  private char kind;
  private int length;
  private byte[] body = NOTHING;
  private int have;
  private int reserved;
  private int left;
  private byte[] copy = NOTHING;
  private int copied;
  private boolean mustEnd;
  private MillraceException skipped = BodyReader.malformed();

  public FrontendDecoder(int maxMessage, AssemblyBudget budget) {
    this.maxMessage = maxMessage;
    this.budget = budget;
  }

  /**
   * TLS has begun: whatever of this read is left was sent in clear text, by somebody who wants it
   * taken for the client's, and breaks the connection.
   */
  public void encrypted() {
    mustEnd = true;
  }

  /** The client has been let in. */
  public void sessionOpened() {
    if (phase == Phase.LOGIN) {
      phase = Phase.SESSION;
    }
  }

  /** Drops whatever still comes. */
  public void stop() {
    phase = Phase.BROKEN;
    drop();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof ByteBuf in)) {
      ctx.fireChannelRead(message);
      return;
    }
    try {
      while (in.isReadable() && phase != Phase.BROKEN) {
        if (mustEnd) {
          fail(ctx, "received unencrypted data after SSL request");
          break;
        }
        switch (part) {
          case HEADER -> readHeader(ctx, in);
          case BODY -> readBody(ctx, in);
          case COPY -> readCopy(in);
          case SKIP -> skip(ctx, in);
        }
      }
      endCopy(ctx);
    } finally {
      mustEnd = false;
      in.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stop();
    ctx.fireChannelInactive();
  }

  private void readHeader(ChannelHandlerContext ctx, ByteBuf in) {
    int size = phase == Phase.STARTUP ? 4 : 5;
    int n = Math.min(size - headerHave, in.readableBytes());
    in.readBytes(header, headerHave, n);
    headerHave += n;
    if (phase != Phase.STARTUP) {
      kind = (char) (header[0] & 0xff);
      if (kind != 'd') {
        endCopy(ctx);
      }
      if (phase == Phase.LOGIN && kind != 'p' && kind != 'X') {
        fail(ctx, "expected password response, got message type " + (int) kind);
        return;
      }
      if (phase == Phase.SESSION && !MessageReader.known(kind)) {
        fail(ctx, "invalid frontend message type " + (int) kind);
        return;
      }
    }
    if (headerHave < size) {
      return;
    }
    headerHave = 0;
    length =
        (header[size - 4] & 0xff) << 24
            | (header[size - 3] & 0xff) << 16
            | (header[size - 2] & 0xff) << 8
            | header[size - 1] & 0xff;
    length -= 4;
    switch (phase) {
      case STARTUP -> {
        if (length < 4 || length > MAX_STARTUP - 4) {
          fail(ctx, "invalid length of startup packet");
          return;
        }
        part = Part.BODY;
      }
      case LOGIN -> {
        if (length < 0 || length > MAX_LOGIN) {
          fail(ctx, "invalid message length");
          return;
        }
        part = Part.BODY;
      }
      case SESSION -> startMessage(ctx);
      case BROKEN -> {}
    }
    if (part == Part.BODY && length == 0) {
      complete(ctx, NOTHING);
    }
  }

  private void startMessage(ChannelHandlerContext ctx) {
    if (kind == 'd' && length > maxMessage) {
      endCopy(ctx);
    }
    if (length < 0 || MessageReader.small(kind) && length > MAX_SMALL) {
      fail(ctx, "invalid message length");
    } else if (length > maxMessage) {
      startSkip(
          length,
          new MillraceException(
              ErrorCode.PROGRAM_LIMIT_EXCEEDED,
              "message of " + length + " bytes exceeds the limit of " + maxMessage + " bytes"));
    } else if (kind == 'd') {
      left = length;
      part = left == 0 ? Part.HEADER : Part.COPY;
    } else {
      part = Part.BODY;
    }
  }

  private void readBody(ChannelHandlerContext ctx, ByteBuf in) {
    int n = Math.min(length - have, in.readableBytes());
    if (body.length < have + n) {
      int capacity =
          have == 0 && n == length ? n : (int) Math.min(length, Math.max(1024L, 2L * (have + n)));
      if (capacity > FREE && n < length) {
        int more = capacity - reserved;
        if (!budget.reserve(more)) {
          int rest = length - have;
          drop();
          startSkip(
              rest,
              new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory")
                  .withDetail(
                      "Too many bytes of long messages are on their way to the server at once."));
          return;
        }
        reserved += more;
      }
      body = Arrays.copyOf(body, capacity);
    }
    in.readBytes(body, have, n);
    have += n;
    if (have == length) {
      byte[] whole = body.length == length ? body : Arrays.copyOf(body, length);
      drop();
      complete(ctx, whole);
    }
  }

  private void complete(ChannelHandlerContext ctx, byte[] whole) {
    part = Part.HEADER;
    switch (phase) {
      case STARTUP -> {
        FrontendMessage message = startup(whole);
        switch (message) {
          case FrontendMessage.Startup _ -> phase = Phase.LOGIN;
          case FrontendMessage.Broken _, FrontendMessage.CancelRequest _ -> phase = Phase.BROKEN;
          default -> {}
        }
        ctx.fireChannelRead(message);
      }
      case LOGIN ->
          ctx.fireChannelRead(
              kind == 'X' ? new FrontendMessage.Terminate() : new FrontendMessage.Password(whole));
      case SESSION -> ctx.fireChannelRead(MessageReader.message(kind, whole));
      case BROKEN -> {}
    }
  }

  private static FrontendMessage startup(byte[] whole) {
    try {
      return MessageReader.startup(whole);
    } catch (MillraceException e) {
      return new FrontendMessage.Broken(e);
    }
  }

  private void readCopy(ByteBuf in) {
    int readable = in.readableBytes();
    int n = Math.min(left, readable);
    if (copy.length - copied < n) {
      // At the first message of a read there is room for all that follow.
      copy = copied == 0 ? new byte[readable] : Arrays.copyOf(copy, copied + readable);
    }
    in.readBytes(copy, copied, n);
    copied += n;
    left -= n;
    if (left == 0) {
      part = Part.HEADER;
    }
  }

  private void endCopy(ChannelHandlerContext ctx) {
    if (copied > 0) {
      var piece = new FrontendMessage.CopyData(copy, copied);
      copy = NOTHING;
      copied = 0;
      ctx.fireChannelRead(piece);
    }
  }

  private void startSkip(int bytes, MillraceException error) {
    left = bytes;
    skipped = error;
    part = Part.SKIP;
  }

  private void skip(ChannelHandlerContext ctx, ByteBuf in) {
    int n = Math.min(left, in.readableBytes());
    in.skipBytes(n);
    left -= n;
    if (left == 0) {
      part = Part.HEADER;
      ctx.fireChannelRead(new FrontendMessage.Bad(kind, skipped));
    }
  }

  private void fail(ChannelHandlerContext ctx, String message) {
    stop();
    ctx.fireChannelRead(
        new FrontendMessage.Broken(new MillraceException(ErrorCode.PROTOCOL_VIOLATION, message)));
  }

  private void drop() {
    budget.release(reserved);
    reserved = 0;
    body = NOTHING;
    have = 0;
  }
}

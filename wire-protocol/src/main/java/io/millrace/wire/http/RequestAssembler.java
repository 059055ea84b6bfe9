package io.millrace.wire.http;

import io.millrace.common.type.io.ByteSink;
import io.millrace.wire.net.AssemblyBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Puts requests together. A body grows with what has arrived, at most to the limit, and is charged
 * to a budget that all connections share; a request that does not fit is refused at once and the
 * rest of the connection dropped.
 */
final class RequestAssembler extends ChannelInboundHandlerAdapter {
  private final int maxBody;
  private final AssemblyBudget budget;
  private @Nullable HttpRequest head;
  private ByteSink body = new ByteSink(16);
  private long reserved;
  private boolean stopped;

  RequestAssembler(int maxBody, AssemblyBudget budget) {
    this.maxBody = maxBody;
    this.budget = budget;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpRequest request && !stopped) {
        begin(ctx, request);
      }
      HttpRequest current = head;
      if (message instanceof HttpContent content && current != null && !stopped) {
        add(ctx, current, content);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    head = request;
    if (!request.decoderResult().isSuccess()) {
      refuse(ctx, request, HttpResponseStatus.BAD_REQUEST);
    } else if (HttpUtil.getContentLength(request, 0L) > maxBody) {
      refuse(ctx, request, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else if (HttpUtil.is100ContinueExpected(request)) {
      var _ =
          ctx.writeAndFlush(
              new DefaultFullHttpResponse(
                  HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
  }

  private void add(ChannelHandlerContext ctx, HttpRequest request, HttpContent content) {
    if (!content.decoderResult().isSuccess()) {
      refuse(ctx, request, HttpResponseStatus.BAD_REQUEST);
      return;
    }
    ByteBuf bytes = content.content();
    int n = bytes.readableBytes();
    if (body.position() + (long) n > maxBody) {
      refuse(ctx, request, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
      return;
    }
    // Twice, since the array doubles as it grows.
    if (!budget.reserve(2L * n)) {
      refuse(ctx, request, HttpResponseStatus.SERVICE_UNAVAILABLE);
      return;
    }
    reserved += 2L * n;
    body.ensure(n);
    bytes.readBytes(body.array(), body.position(), n);
    body.position(body.position() + n);
    if (content instanceof LastHttpContent) {
      byte[] whole = body.toByteArray();
      drop();
      ctx.fireChannelRead(new Request(request, whole, null));
    }
  }

  private void refuse(ChannelHandlerContext ctx, HttpRequest request, HttpResponseStatus status) {
    stopped = true;
    drop();
    ctx.fireChannelRead(new Request(request, new byte[0], status));
  }

  private void drop() {
    head = null;
    body = new ByteSink(16);
    budget.release(reserved);
    reserved = 0;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stopped = true;
    drop();
    ctx.fireChannelInactive();
  }
}

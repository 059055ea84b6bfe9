package io.millrace.wire.http;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import io.millrace.wire.Formats;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.RawParameters;
import io.millrace.wire.SessionHandler;
import io.millrace.wire.StartupInfo;
import io.millrace.wire.TransactionStatus;
import io.millrace.wire.WireSession;
import io.millrace.wire.net.Outlet;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/*
 * One HTTP connection, on its event loop. Requests are answered one after the other; what was
 * pipelined waits. A statement gets a session of its own, driven
 * by the extended protocol, which takes one statement and parameters:
 *
 *   request → openSession → parse bind describe execute sync → … → ReadyForQuery → response
 *           → disconnected
 *
 * A whole request must arrive within the deadline, counted from the opening or the last response,
 * so slow senders and idle connections go the same way. A page of another site must not reach a
 * server on the reader's own machine: requests with a foreign Origin are refused.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);
  private static final int MAX_PIPELINED = 64;

  /** What connections share. */
  record Shared(
      HttpConfig config,
      SessionHandler handler,
      HealthSource health,
      MetricsSource metrics,
      ProcessIds processIds,
      JsonMapper json) {}

  private final Shared shared;
  private final Channel channel;
  private final Outlet outlet;
  private final Queue<Request> waiting = new ArrayDeque<>();
  private @Nullable WireSession session;
  private @Nullable Future<?> deadline;
  private long waitingBytes;
  private boolean busy;

  HttpConnection(Shared shared, Channel channel) {
    this.shared = shared;
    this.channel = channel;
    this.outlet = new Outlet(channel, this::windowOpened);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    startDeadline();
  }

  private void startDeadline() {
    stopDeadline();
    deadline =
        channel
            .eventLoop()
            .schedule(
                this::timedOut, shared.config.requestDeadline().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void timedOut() {
    var _ = channel.close();
  }

  private void stopDeadline() {
    Future<?> d = deadline;
    if (d != null) {
      d.cancel(false);
      deadline = null;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof Request request)) {
      ctx.fireChannelRead(message);
      return;
    }
    outlet.readStarted();
    waitingBytes += request.body().length;
    if (waiting.size() >= MAX_PIPELINED || waitingBytes > shared.config.maxBodyBytes()) {
      var _ = ctx.close();
      return;
    }
    waiting.add(request);
    next();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    outlet.readEnded();
  }

  private void next() {
    while (!busy) {
      Request request = waiting.poll();
      if (request == null) {
        return;
      }
      waitingBytes -= request.body().length;
      stopDeadline();
      serve(request);
      if (!busy) {
        startDeadline();
      }
    }
  }

  private void serve(Request request) {
    HttpResponseStatus refused = request.refused();
    if (refused != null) {
      problem(
          refused, "the request is " + (refused.code() == 413 ? "too long" : "malformed"), false);
      return;
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request.head());
    String path = new QueryStringDecoder(request.head().uri()).path();
    switch (path) {
      case "/health", "/metrics" -> {
        if (!reads(request.head().method())) {
          problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "use GET", keepAlive);
        } else if (path.equals("/health")) {
          health(request, keepAlive);
        } else {
          reply(
              request,
              HttpResponseStatus.OK,
              "text/plain; version=0.0.4; charset=utf-8",
              shared.metrics.prometheusText().getBytes(StandardCharsets.UTF_8),
              keepAlive);
        }
      }
      case "/v1/sql" -> {
        if (foreign(request)) {
          problem(HttpResponseStatus.FORBIDDEN, "requests of other sites are refused", keepAlive);
        } else if (request.head().method().equals(HttpMethod.GET)
            || request.head().method().equals(HttpMethod.POST)) {
          sql(request, keepAlive);
        } else {
          problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "use GET or POST", keepAlive);
        }
      }
      case "/v1/arrow" -> {
        if (foreign(request)) {
          problem(HttpResponseStatus.FORBIDDEN, "requests of other sites are refused", keepAlive);
        } else if (request.head().method().equals(HttpMethod.POST)) {
          arrow(request, keepAlive);
        } else {
          problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "use POST", keepAlive);
        }
      }
      default ->
          problem(
              HttpResponseStatus.NOT_FOUND,
              "there are /health, /metrics, /v1/sql and /v1/arrow",
              keepAlive);
    }
  }

  private static boolean reads(HttpMethod method) {
    return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
  }

  private static boolean foreign(Request request) {
    String site = request.head().headers().get("sec-fetch-site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      return true;
    }
    String origin = request.head().headers().get(HttpHeaderNames.ORIGIN);
    if (origin == null) {
      return false;
    }
    try {
      return !Objects.equals(
          new URI(origin).getAuthority(), request.head().headers().get(HttpHeaderNames.HOST));
    } catch (URISyntaxException _) {
      return true;
    }
  }

  private void health(Request request, boolean keepAlive) {
    HealthSource.Health health = shared.health.health();
    var out = new ByteSink();
    out.put('{');
    Json.member(out, "status", health.ready() ? "ok" : "unavailable", true);
    health.facts().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(f -> Json.member(out, f.getKey(), f.getValue(), false));
    out.putText("}\n");
    reply(
        request,
        health.ready() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
        "application/json",
        out.toByteArray(),
        keepAlive);
  }

  private void sql(Request request, boolean keepAlive) {
    SqlRequest statement;
    try {
      statement = SqlRequest.read(request, shared.json);
    } catch (SqlRequest.BadRequest | IllegalArgumentException e) {
      problem(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()), keepAlive);
      return;
    }
    run(statement, new HttpBackend(outlet, keepAlive, this::finished, false, this::refuseCopy));
  }

  /** Rows as an Arrow stream for a table: a COPY with the body as its data. */
  private void arrow(Request request, boolean keepAlive) {
    SqlRequest statement;
    try {
      statement = SqlRequest.ofArrow(request);
    } catch (SqlRequest.BadRequest | IllegalArgumentException e) {
      problem(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()), keepAlive);
      return;
    }
    byte[] rows = request.body();
    run(statement, new HttpBackend(outlet, keepAlive, this::finished, true, () -> sendCopy(rows)));
  }

  private void run(SqlRequest statement, HttpBackend backend) {
    busy = true;
    try {
      InetSocketAddress from = channel.remoteAddress() instanceof InetSocketAddress i ? i : null;
      WireSession s =
          shared.handler.openSession(
              new StartupInfo(
                  shared.processIds.next(),
                  StartupInfo.Protocol.HTTP,
                  "millrace",
                  statement.database(),
                  Map.of("application_name", "http"),
                  from == null ? null : from.getAddress().getHostAddress(),
                  from == null ? -1 : from.getPort()),
              backend);
      session = s;
      String[] values = statement.parameters().toArray(new String[0]);
      s.parse("", statement.sql(), new int[0]);
      s.bind("", "", RawParameters.ofText(values), Formats.TEXT);
      s.describePortal("");
      s.execute("", 0);
      s.sync();
    } catch (MillraceException e) {
      backend.error(e);
      backend.readyForQuery(TransactionStatus.IDLE);
    }
  }

  private void finished() {
    endSession();
    busy = false;
    startDeadline();
    next();
  }

  private void refuseCopy() {
    WireSession s = session;
    if (s != null) {
      s.copyFail("COPY from or to the client needs a connection of PostgreSQL's protocol");
      s.sync();
    }
  }

  private void sendCopy(byte[] rows) {
    WireSession s = session;
    if (s != null) {
      s.copyData(rows, 0, rows.length);
      s.copyDone();
      s.sync();
    }
  }

  private void endSession() {
    WireSession s = session;
    if (s != null) {
      session = null;
      s.disconnected();
    }
  }

  private void windowOpened() {
    WireSession s = session;
    if (s != null) {
      s.windowOpened();
    }
  }

  private void problem(HttpResponseStatus status, String message, boolean keepAlive) {
    var out = new ByteSink();
    out.put('{');
    Json.error(out, new MillraceException(ErrorCode.PROTOCOL_VIOLATION, message));
    out.putText("}\n");
    reply(null, status, "application/json", out.toByteArray(), keepAlive);
  }

  private void reply(
      @Nullable Request request,
      HttpResponseStatus status,
      String type,
      byte[] body,
      boolean keepAlive) {
    boolean head = request != null && request.head().method().equals(HttpMethod.HEAD);
    var response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    if (keepAlive) {
      outlet.send(response, body.length);
    } else {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      outlet.sendLast(response, body.length);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stopDeadline();
    outlet.close();
    endSession();
    waiting.clear();
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("HTTP connection broke: {}", cause.toString());
    } else {
      LOG.error("HTTP connection ends by a defect", cause);
    }
    var _ = ctx.close();
  }
}

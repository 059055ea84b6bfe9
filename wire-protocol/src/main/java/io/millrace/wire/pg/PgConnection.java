package io.millrace.wire.pg;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.SessionHandler;
import io.millrace.wire.StartupInfo;
import io.millrace.wire.TransactionStatus;
import io.millrace.wire.WireSession;
import io.millrace.wire.net.Outlet;
import io.millrace.wire.net.Tls;
import io.millrace.wire.pg.auth.Authenticator;
import io.millrace.wire.pg.auth.LoginThrottle;
import io.millrace.wire.pg.auth.Peer;
import io.millrace.wire.pg.codec.FrontendDecoder;
import io.millrace.wire.pg.codec.FrontendMessage;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * One client, on its event loop.
 *
 *   client                               server
 *   SSLRequest                    →
 *                                 ←      'S', then TLS under all that follows; 'N' without it
 *   GSSENCRequest                 →
 *                                 ←      'N'
 *   Startup 3.x                   →
 *                                 ←      NegotiateProtocolVersion     (newer minor, _pq_ options)
 *                                 ←      Authentication… ⇄ answers    (none under trust)
 *                                 ←      AuthenticationOk
 *                                        openSession
 *                                 ←      ParameterStatus × 13, BackendKeyData, ReadyForQuery
 *   Query                         →      session.query
 *                                 ←      RowDescription DataRow… CommandComplete ReadyForQuery
 *   Parse Bind Describe Execute   →      session.parse, bind, …
 *   Sync                          →      session.sync
 *                                 ←      ParseComplete BindComplete RowDescription DataRow…
 *                                        CommandComplete ReadyForQuery
 *   CopyData… CopyDone            →      session.copyData, copyDone
 *   Terminate, or end of stream   →      session.disconnected
 *
 *   CancelRequest (own socket)    →      the other connection's session.cancel; closed
 *
 * Broken framing, a login that takes too long, too many clients and a session that throws end the
 * connection with FATAL; everything else is between the client and the session.
 */
final class PgConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(PgConnection.class);

  /** What connections share. */
  record Shared(
      PgConfig config,
      SessionHandler handler,
      Authenticator authenticator,
      Connections connections,
      ProcessIds processIds,
      RandomGenerator secrets,
      LoginThrottle throttle) {}

  private final Shared shared;
  private final FrontendDecoder decoder;
  private final Channel channel;
  private final Outlet outlet;
  private final PgBackend backend;
  private final int secret;
  private FrontendMessage.@Nullable Startup startup;
  private Authenticator.@Nullable Exchange exchange;
  private @Nullable SslHandler tls;
  private @Nullable WireSession session;
  private @Nullable Future<?> deadline;
  private int processId;
  private boolean entered;
  private boolean shuttingDown;

  PgConnection(Shared shared, FrontendDecoder decoder, Channel channel) {
    this.shared = shared;
    this.decoder = decoder;
    this.channel = channel;
    this.outlet = new Outlet(channel, this::windowOpened);
    this.backend = new PgBackend(channel, outlet);
    this.secret = shared.secrets.nextInt();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!shared.connections.opened(this)) {
      decoder.stop();
      var _ = ctx.close();
      return;
    }
    long nanos = shared.config.loginDeadline().toNanos();
    deadline = ctx.executor().schedule(this::loginTimedOut, nanos, TimeUnit.NANOSECONDS);
    if (shared.connections.closing()) {
      shutdown();
    }
  }

  private void loginTimedOut() {
    if (session == null) {
      fail(
          new MillraceException(
              ErrorCode.QUERY_CANCELED, "canceling authentication due to timeout"));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    outlet.readStarted();
    WireSession s = session;
    if (s != null) {
      dispatch(s, (FrontendMessage) message);
    } else {
      login((FrontendMessage) message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    outlet.readEnded();
  }

  private void dispatch(WireSession s, FrontendMessage message) {
    switch (message) {
      case FrontendMessage.Query(var sql) -> s.query(sql);
      case FrontendMessage.Parse(var name, var sql, var oids) -> s.parse(name, sql, oids);
      case FrontendMessage.Bind(var portal, var statement, var parameters, var formats) ->
          s.bind(portal, statement, parameters, formats);
      case FrontendMessage.Describe(var statement, var name) -> {
        if (statement) {
          s.describeStatement(name);
        } else {
          s.describePortal(name);
        }
      }
      case FrontendMessage.Execute(var portal, var maxRows) -> s.execute(portal, maxRows);
      case FrontendMessage.Close(var statement, var name) -> {
        if (statement) {
          s.closeStatement(name);
        } else {
          s.closePortal(name);
        }
      }
      case FrontendMessage.Flush _ -> s.flush();
      case FrontendMessage.Sync _ -> s.sync();
      case FrontendMessage.CopyData(var data, var length) -> s.copyData(data, 0, length);
      case FrontendMessage.CopyDone _ -> s.copyDone();
      case FrontendMessage.CopyFail(var reason) -> s.copyFail(reason);
      case FrontendMessage.Bad(var kind, var error) -> s.badMessage(kind, error);
      case FrontendMessage.Terminate _ -> terminate();
      case FrontendMessage.Broken(var error) -> fail(error);
      case FrontendMessage.Startup _,
          FrontendMessage.SslRequest _,
          FrontendMessage.GssEncRequest _,
          FrontendMessage.CancelRequest _,
          FrontendMessage.Password _ ->
          throw new IllegalStateException("a start-up message inside a session: " + message);
    }
  }

  private void login(FrontendMessage message) {
    try {
      switch (message) {
        case FrontendMessage.SslRequest _ -> startTls();
        case FrontendMessage.GssEncRequest _ -> outlet.send(Unpooled.buffer(1).writeByte('N'), 1);
        case FrontendMessage.CancelRequest(var target, var key) -> {
          shared.connections.cancel(target, key);
          terminate();
        }
        case FrontendMessage.Startup s -> startup(s);
        case FrontendMessage.Password(var body) -> authenticate(body);
        case FrontendMessage.Terminate _ -> terminate();
        case FrontendMessage.Broken(var error) -> fail(error);
        case FrontendMessage.Bad(_, var error) -> fail(error);
        case FrontendMessage.Query _,
            FrontendMessage.Parse _,
            FrontendMessage.Bind _,
            FrontendMessage.Describe _,
            FrontendMessage.Execute _,
            FrontendMessage.Close _,
            FrontendMessage.Flush _,
            FrontendMessage.Sync _,
            FrontendMessage.CopyData _,
            FrontendMessage.CopyDone _,
            FrontendMessage.CopyFail _ ->
            throw new IllegalStateException("a session's message before the session: " + message);
      }
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.INVALID_PASSWORD) {
        failLate(e);
      } else {
        fail(e);
      }
    }
  }

  /** Refuses a password after a while, the longer the more often its address was wrong lately. */
  private void failLate(MillraceException error) {
    decoder.stop();
    long millis = shared.throttle.failed(remote());
    var _ = channel.eventLoop().schedule(() -> fail(error), millis, TimeUnit.MILLISECONDS);
  }

  /** Answers a request for TLS; what the client sends from now on must be encrypted. */
  private void startTls() {
    Tls offered = shared.config.tls();
    boolean accepted = offered != null && tls == null;
    outlet.send(Unpooled.buffer(1).writeByte(accepted ? 'S' : 'N'), 1);
    if (offered != null && accepted) {
      channel.flush();
      tls = offered.start(channel);
      decoder.encrypted();
    }
  }

  private Peer peer() {
    SslHandler handler = tls;
    X509Certificate own = null;
    if (handler != null) {
      Certificate[] shown = handler.engine().getSession().getLocalCertificates();
      own = shown != null && shown.length > 0 && shown[0] instanceof X509Certificate x ? x : null;
    }
    return new Peer(remote(), own);
  }

  private void startup(FrontendMessage.Startup message) {
    startup = message;
    if (shared.connections.closing()) {
      throw new MillraceException(
          ErrorCode.CANNOT_CONNECT_NOW, "the database system is shutting down");
    }
    if (!shared.connections.enter()) {
      throw new MillraceException(
          ErrorCode.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
    }
    entered = true;
    if (message.minorVersion() > 0 || !message.protocolOptions().isEmpty()) {
      backend.negotiateProtocolVersion(message.protocolOptions());
    }
    Peer peer = peer();
    if (shared.config.tlsRequired() && !peer.encrypted()) {
      throw new MillraceException(
              ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION, "connections must be encrypted")
          .withHint("Connect with sslmode=require.");
    }
    exchange =
        shared.authenticator.begin(
            StartupParameters.user(message), StartupParameters.database(message), peer);
    authenticate(null);
  }

  private void authenticate(byte @Nullable [] answer) {
    Authenticator.Exchange e = exchange;
    if (e == null) {
      throw new MillraceException(ErrorCode.PROTOCOL_VIOLATION, "unexpected password response");
    }
    byte[] given = answer;
    while (true) {
      switch (e.next(given)) {
        case Authenticator.Step.Ask(var code, var data, var answered) -> {
          backend.authentication(code, data);
          if (answered) {
            backend.flush();
            return;
          }
          given = null;
        }
        case Authenticator.Step.Accepted _ -> {
          shared.throttle.succeeded(remote());
          backend.authentication(0, new byte[0]);
          open();
          return;
        }
      }
    }
  }

  private void open() {
    FrontendMessage.Startup s = startup;
    if (s == null || !channel.isActive()) {
      return;
    }
    exchange = null;
    Map<String, String> settings = StartupParameters.settings(s);
    processId = shared.processIds.next();
    SocketAddress from = remote();
    var info =
        new StartupInfo(
            processId,
            StartupInfo.Protocol.POSTGRES,
            StartupParameters.user(s),
            StartupParameters.database(s),
            settings,
            from instanceof InetSocketAddress i ? i.getAddress().getHostAddress() : null,
            from instanceof InetSocketAddress i ? i.getPort() : -1);
    WireSession opened = shared.handler.openSession(info, backend);
    session = opened;
    stopDeadline();
    decoder.sessionOpened();
    shared.connections.register(processId, this);
    for (var status : defaults(info, settings).entrySet()) {
      backend.defaultStatus(status.getKey(), status.getValue());
    }
    backend.backendKeyData(processId, secret);
    backend.readyForQuery(TransactionStatus.IDLE);
    if (shuttingDown) {
      opened.shutdown();
    }
  }

  private Map<String, String> defaults(StartupInfo info, Map<String, String> settings) {
    var all = new LinkedHashMap<String, String>();
    all.put("application_name", settings.getOrDefault("application_name", ""));
    all.put("client_encoding", "UTF8");
    all.put("DateStyle", "ISO, MDY");
    all.put("default_transaction_read_only", "off");
    all.put("in_hot_standby", "off");
    all.put("integer_datetimes", "on");
    all.put("IntervalStyle", "postgres");
    all.put("is_superuser", "on");
    all.put("server_encoding", "UTF8");
    all.put("server_version", shared.config.serverVersion());
    all.put("session_authorization", info.user());
    all.put("standard_conforming_strings", "on");
    all.put("TimeZone", "UTC");
    return all;
  }

  private @Nullable SocketAddress remote() {
    return channel.remoteAddress();
  }

  private void windowOpened() {
    WireSession s = session;
    if (s != null) {
      s.windowOpened();
    }
  }

  private void terminate() {
    decoder.stop();
    var _ = channel.close();
  }

  /** Ends the connection with an error. */
  private void fail(MillraceException error) {
    decoder.stop();
    // Whatever was answered before, a negotiation for one, goes out first.
    if (session == null) {
      backend.flush();
    }
    backend.abort(error);
  }

  private void stopDeadline() {
    Future<?> d = deadline;
    if (d != null) {
      d.cancel(false);
      deadline = null;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stopDeadline();
    outlet.close();
    if (entered) {
      entered = false;
      shared.connections.leave();
    }
    WireSession s = session;
    if (s != null) {
      session = null;
      shared.connections.unregister(processId, this);
      s.disconnected();
    }
    shared.connections.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException d && d.getCause() instanceof SSLException e) {
      LOG.debug("connection {} has no TLS in common: {}", processId, e.toString());
      var _ = ctx.close();
      return;
    }
    if (cause instanceof IOException) {
      LOG.debug("connection {} broke: {}", processId, cause.toString());
      var _ = ctx.close();
      return;
    }
    if (cause instanceof MillraceException e) {
      fail(e);
      return;
    }
    LOG.error("connection {} ends by a defect", processId, cause);
    fail(
        new MillraceException(
            cause instanceof OutOfMemoryError ? ErrorCode.OUT_OF_MEMORY : ErrorCode.INTERNAL_ERROR,
            cause instanceof OutOfMemoryError
                ? "out of memory"
                : "unexpected " + cause.getClass().getSimpleName() + ": " + cause.getMessage(),
            cause));
  }

  // --- from other threads

  void cancelIf(int key) {
    if (key == secret) {
      onLoop(
          () -> {
            WireSession s = session;
            if (s != null) {
              s.cancel();
            }
          });
    }
  }

  /** The session ends when its statement has. */
  void shutdown() {
    onLoop(
        () -> {
          shuttingDown = true;
          WireSession s = session;
          if (s != null) {
            s.shutdown();
          } else {
            fail(goingDown());
          }
        });
  }

  /** The running statement is cancelled. */
  void cancelAll() {
    onLoop(
        () -> {
          WireSession s = session;
          if (s != null) {
            s.cancel();
          }
        });
  }

  /** The connection ends now. */
  void kill() {
    onLoop(
        () -> {
          if (outlet.closed()) {
            var _ = channel.close();
          } else {
            fail(goingDown());
          }
        });
  }

  private static MillraceException goingDown() {
    return new MillraceException(
        ErrorCode.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
      return;
    }
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("connection {} has ended with its loop", processId, e);
    }
  }
}

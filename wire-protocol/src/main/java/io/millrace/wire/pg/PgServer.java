package io.millrace.wire.pg;

import io.millrace.common.error.MillraceException;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.SessionHandler;
import io.millrace.wire.net.AssemblyBudget;
import io.millrace.wire.net.EventLoops;
import io.millrace.wire.pg.auth.Authenticator;
import io.millrace.wire.pg.auth.LoginThrottle;
import io.millrace.wire.pg.codec.FrontendDecoder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running listener for PostgreSQL's protocol. Thread-safe. */
public final class PgServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PgServer.class);
  private static final Duration AFTER_CANCEL = Duration.ofSeconds(1);

  private final Channel listener;
  private final EventLoopGroup loops;
  private final Connections connections;

  private PgServer(Channel listener, EventLoopGroup loops, Connections connections) {
    this.listener = listener;
    this.loops = loops;
    this.connections = connections;
  }

  /**
   * Starts to listen.
   *
   * @throws MillraceException if the address cannot be bound
   */
  public static PgServer start(
      PgConfig config, SessionHandler handler, Authenticator authenticator, ProcessIds processIds) {
    EventLoops.Loops loops = EventLoops.start("pg-loop", config.eventLoops());
    var connections = new Connections(config.maxConnections());
    var shared =
        new PgConnection.Shared(
            config,
            handler,
            authenticator,
            connections,
            processIds,
            new SecureRandom(),
            new LoginThrottle(System::nanoTime));
    var budget = new AssemblyBudget(config.assemblyBytes());
    var bootstrap = new ServerBootstrap();
    EventLoops.options(bootstrap, loops);
    bootstrap.childHandler(
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            var decoder = new FrontendDecoder(config.maxMessageBytes(), budget);
            channel.pipeline().addLast(decoder, new PgConnection(shared, decoder, channel));
          }
        });
    return new PgServer(
        EventLoops.bind(bootstrap, loops, config.host(), config.port()),
        loops.group(),
        connections);
  }

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Lets so many clients in from now on; who is in stays. */
  public void limit(int clients) {
    connections.limit(clients);
  }

  /** Number of clients now. */
  public int sessions() {
    return connections.sessions();
  }

  /**
   * Ends gracefully: nobody is let in any more, sessions end with 57P01 when their statements have,
   * are cancelled after the grace period, and cut off a second later. Waits for all of that.
   */
  public void shutdown(Duration grace) {
    listener.close().awaitUninterruptibly();
    CompletableFuture<Void> empty = connections.close();
    connections.all().forEach(PgConnection::shutdown);
    if (!await(empty, grace)) {
      connections.all().forEach(PgConnection::cancelAll);
      if (!await(empty, AFTER_CANCEL)) {
        LOG.warn("cutting off {} sessions that did not end", connections.sessions());
        connections.all().forEach(PgConnection::kill);
        await(empty, AFTER_CANCEL);
      }
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static boolean await(CompletableFuture<Void> done, Duration time) {
    try {
      done.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends at once: statements are cancelled. */
  @Override
  public void close() {
    shutdown(Duration.ZERO);
  }
}

package io.millrace.wire.http;

import io.millrace.common.error.MillraceException;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.SessionHandler;
import io.millrace.wire.net.AssemblyBudget;
import io.millrace.wire.net.EventLoops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** A running HTTP listener. Thread-safe. */
public final class HttpServer implements AutoCloseable {
  private static final int MAX_LINE = 64 << 10;
  private static final int MAX_HEADERS = 16 << 10;
  private static final int MAX_PIECE = 8 << 10;

  private final Channel listener;
  private final EventLoopGroup loops;
  private final ChannelGroup channels;

  private HttpServer(Channel listener, EventLoopGroup loops, ChannelGroup channels) {
    this.listener = listener;
    this.loops = loops;
    this.channels = channels;
  }

  /**
   * Starts to listen.
   *
   * @throws MillraceException if the address cannot be bound
   */
  public static HttpServer start(
      HttpConfig config,
      SessionHandler handler,
      HealthSource health,
      MetricsSource metrics,
      ProcessIds processIds) {
    EventLoops.Loops loops = EventLoops.start("http-loop", 1);
    var channels = new DefaultChannelGroup(loops.group().next(), true);
    var shared =
        new HttpConnection.Shared(
            config, handler, health, metrics, processIds, JsonMapper.builder().build());
    var budget = new AssemblyBudget(config.assemblyBytes());
    var bootstrap = new ServerBootstrap();
    EventLoops.options(bootstrap, loops);
    bootstrap.childHandler(
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            if (channels.size() >= config.maxConnections()) {
              var _ = channel.close();
              return;
            }
            channels.add(channel);
            channel
                .pipeline()
                .addLast(
                    new HttpServerCodec(MAX_LINE, MAX_HEADERS, MAX_PIECE),
                    new RequestAssembler(config.maxBodyBytes(), budget),
                    new HttpConnection(shared, channel));
          }
        });
    return new HttpServer(
        EventLoops.bind(bootstrap, loops, config.host(), config.port()), loops.group(), channels);
  }

  /** The port that is listened on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Stops listening and closes every connection; statements that run are stopped. */
  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    channels.close().awaitUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}

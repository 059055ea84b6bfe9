package io.millrace.wire.net;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** Makes event loops on epoll where it is there, on NIO elsewhere. */
public final class EventLoops {
  private EventLoops() {}

  /** Loops with the given thread name and their kind of listening channel. */
  public record Loops(
      MultiThreadIoEventLoopGroup group, Class<? extends ServerChannel> channelType) {}

  /**
   * Options of every accepted connection: no delay, and a client that vanished without a word is
   * found out after two minutes.
   */
  public static void options(ServerBootstrap bootstrap, Loops loops) {
    bootstrap
        .group(loops.group())
        .channel(loops.channelType())
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
    if (loops.channelType() == EpollServerSocketChannel.class) {
      bootstrap
          .childOption(EpollChannelOption.TCP_KEEPIDLE, 60)
          .childOption(EpollChannelOption.TCP_KEEPINTVL, 15)
          .childOption(EpollChannelOption.TCP_KEEPCNT, 4);
    }
  }

  /** Binds, waiting for it. Ends the loops if that fails. */
  public static Channel bind(ServerBootstrap bootstrap, Loops loops, String host, int port) {
    ChannelFuture bound = bootstrap.bind(host, port).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      var _ = loops.group().shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw cannotListen(host, port, bound.cause());
    }
    return bound.channel();
  }

  private static MillraceException cannotListen(String host, int port, Throwable cause) {
    String place = "cannot listen on " + host + ":" + port + ": ";
    String reason = String.valueOf(cause.getMessage());
    if (!reason.contains("in use")) {
      return new MillraceException(ErrorCode.OBJECT_IN_USE, place + reason, cause);
    }
    return new MillraceException(
            ErrorCode.OBJECT_IN_USE, place + "the port is in use by another program", cause)
        .withHint("Stop that program, or choose another port.");
  }

  public static Loops start(String name, int threads) {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new Loops(
        new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, false), io),
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
  }
}

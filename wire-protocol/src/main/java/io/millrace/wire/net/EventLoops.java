package io.millrace.wire.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Makes event loops on epoll where it is there, on NIO elsewhere. */
public final class EventLoops {
  private EventLoops() {}

  /** Loops with the given thread name and their kind of listening channel. */
  public record Loops(
      MultiThreadIoEventLoopGroup group, Class<? extends ServerChannel> channelType) {}

  public static Loops start(String name, int threads) {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new Loops(
        new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, false), io),
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
  }
}

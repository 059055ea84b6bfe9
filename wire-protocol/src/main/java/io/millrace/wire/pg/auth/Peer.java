package io.millrace.wire.pg.auth;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a connection.
 *
 * @param certificate the server's own that the client was shown; null without TLS
 */
public record Peer(@Nullable SocketAddress address, @Nullable X509Certificate certificate) {
  public boolean encrypted() {
    return certificate != null;
  }

  /** Whether it is on this machine. */
  public boolean loopback() {
    return address instanceof InetSocketAddress i
        ? i.getAddress() != null && i.getAddress().isLoopbackAddress()
        : address != null;
  }
}

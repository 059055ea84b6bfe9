package io.millrace.wire.http;

import java.time.Duration;

/**
 * The settings of the HTTP listener.
 *
 * @param host the address to listen on
 * @param port the port; 0 = any free one
 * @param maxBodyBytes longer requests get 413
 * @param assemblyBytes what all connections together may hold in requests still arriving
 * @param maxConnections connections beyond this are closed
 * @param requestDeadline time for a whole request to arrive, from the opening of the connection or
 *     the last response
 */
public record HttpConfig(
    String host,
    int port,
    int maxBodyBytes,
    long assemblyBytes,
    int maxConnections,
    Duration requestDeadline) {
  /** The defaults on an address. */
  public static HttpConfig of(String host, int port) {
    return new HttpConfig(host, port, 16 << 20, 64L << 20, 1000, Duration.ofSeconds(60));
  }
}

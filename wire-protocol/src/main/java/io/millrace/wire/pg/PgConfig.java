package io.millrace.wire.pg;

import io.millrace.wire.net.Tls;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the listener.
 *
 * @param host the address to listen on
 * @param port the port; 0 = any free one
 * @param maxConnections clients beyond this get 53300
 * @param loginDeadline time within which a client must be let in
 * @param maxMessageBytes longer messages are refused with 54000
 * @param assemblyBytes what all connections together may hold in long messages still arriving
 * @param eventLoops number of loop threads
 * @param serverVersion what server_version reports
 * @param tls what clients that ask for TLS get; null refuses them
 * @param tlsRequired whether every client must
 */
public record PgConfig(
    String host,
    int port,
    int maxConnections,
    Duration loginDeadline,
    int maxMessageBytes,
    long assemblyBytes,
    int eventLoops,
    String serverVersion,
    @Nullable Tls tls,
    boolean tlsRequired) {

  /** PostgreSQL's version whose behaviour clients may expect. */
  public static final String SERVER_VERSION = "15.18";

  /** The defaults on an address. */
  public static PgConfig of(String host, int port) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new PgConfig(
        host,
        port,
        1000,
        Duration.ofSeconds(15),
        256 << 20,
        Math.max(320L << 20, Runtime.getRuntime().maxMemory() / 8),
        Math.clamp(cores, 1, 8),
        SERVER_VERSION,
        null,
        false);
  }

  public PgConfig withLimits(int connections, Duration deadline, int messageBytes) {
    return new PgConfig(
        host,
        port,
        connections,
        deadline,
        messageBytes,
        assemblyBytes,
        eventLoops,
        serverVersion,
        tls,
        tlsRequired);
  }

  public PgConfig withTls(@Nullable Tls offered, boolean required) {
    return new PgConfig(
        host,
        port,
        maxConnections,
        loginDeadline,
        maxMessageBytes,
        assemblyBytes,
        eventLoops,
        serverVersion,
        offered,
        required);
  }
}

package io.millrace.server.config;

import java.nio.file.Path;

/**
 * Prints what bin/millrace must know before it starts a server: {@code data_dir}, {@code host},
 * {@code pg_port}, {@code http_port}, one a line. Exit code 2 and the reason on stderr if the
 * configuration cannot be used.
 */
public final class PrintConfig {
  private PrintConfig() {}

  public static void main(String[] args) {
    try {
      Config config = Config.load(args);
      Path dir = config.data().dir().toAbsolutePath().normalize();
      System.out.printf(
          "data_dir=%s%nhost=%s%npg_port=%d%nhttp_port=%d%n",
          dir, config.server().host(), config.pg().port(), config.http().port());
    } catch (ConfigException e) {
      System.err.println("millrace: " + e.getMessage());
      System.exit(2);
    }
  }
}

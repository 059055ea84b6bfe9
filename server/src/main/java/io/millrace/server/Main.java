package io.millrace.server;

import io.millrace.common.error.MillraceException;
import io.millrace.server.config.Config;
import io.millrace.server.config.ConfigException;
import io.millrace.server.config.LogSetup;
import io.millrace.server.config.ReadyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server process. Exit codes: 0 stopped, 1 could not start, 2 wrong configuration. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Config config;
    try {
      config = Config.load(args);
    } catch (ConfigException e) {
      System.err.println("millrace: " + e.getMessage());
      System.exit(2);
      return;
    }
    System.exit(run(config, args));
  }

  private static int run(Config config, String... args) {
    Path data = config.data().dir();
    Logger log;
    MillraceServer server;
    try {
      Files.createDirectories(data);
      LogSetup.apply(config);
      log = LoggerFactory.getLogger(Main.class);
      server = MillraceServer.start(config, () -> Config.load(args));
    } catch (MillraceException e) {
      System.err.println("millrace: " + e.message());
      String hint = e.hint();
      if (hint != null) {
        System.err.println("hint: " + hint);
      }
      LoggerFactory.getLogger(Main.class).error("the server could not start", e);
      return 1;
    } catch (IOException e) {
      System.err.println(
          "millrace: the data folder \"" + data + "\" cannot be used: " + e.getMessage());
      return 1;
    }
    var stopped = new CountDownLatch(1);
    var stop =
        new Thread(
            () -> {
              log.info("stopping");
              removeReady(data, log);
              server.close();
              log.info("stopped");
              stopped.countDown();
            },
            "millrace-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      ReadyFile.write(data, server.host(), server.pgPort(), server.httpPort());
      stopped.await();
    } catch (IOException e) {
      log.error("the ready file could not be written", e);
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  private static void removeReady(Path data, Logger log) {
    try {
      ReadyFile.remove(data);
    } catch (IOException e) {
      log.warn("the ready file could not be removed", e);
    }
  }
}

package io.millrace.sqlness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** Where cases run: a server of our own, or one that is there already. */
interface Server extends AutoCloseable {
  String host();

  int port();

  /** Stops and starts it on the same data. */
  void restart() throws IOException, InterruptedException;

  @Override
  void close() throws IOException, InterruptedException;

  /** A server that somebody else started; it cannot be restarted. */
  record Running(String host, int port) implements Server {
    @Override
    public void restart() throws IOException {
      throw new IOException("a server given by --against cannot be restarted");
    }

    @Override
    public void close() {}
  }

  /** A child process with a data folder and free ports of its own. */
  final class Child implements Server {
    private static final Duration START = Duration.ofSeconds(90);

    private final Path data;
    private final List<String> classpath;
    private final String heap;
    private volatile Process process;
    private int port;

    Child(Path data, List<String> classpath) throws IOException, InterruptedException {
      this(data, classpath, "768m");
    }

    Child(Path data, List<String> classpath, String heap) throws IOException, InterruptedException {
      this.heap = heap;
      this.data = data;
      this.classpath = classpath;
      this.process = launch();
    }

    private Process launch() throws IOException, InterruptedException {
      Path ready = data.resolve("millrace.ready");
      Files.createDirectories(data);
      Files.deleteIfExists(ready);
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of(
              "-Xmx" + heap,
              "-XX:+UseCompactObjectHeaders",
              "--enable-native-access=ALL-UNNAMED",
              "--sun-misc-unsafe-memory-access=allow",
              "--add-opens=java.base/java.nio=ALL-UNNAMED",
              "-cp",
              String.join(System.getProperty("path.separator"), classpath),
              "io.millrace.server.Main",
              "--data",
              data.toString(),
              "--pg-port",
              "0",
              "--http-port",
              "0",
              "--set",
              "wal.segment_size=4MiB",
              "--set",
              "storage.reserve=1MiB"));
      Process p =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(data.resolve("server.out").toFile())
              .start();
      long deadline = System.nanoTime() + START.toNanos();
      while (!Files.exists(ready)) {
        if (p.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
          p.destroyForcibly();
          throw new IOException(
              "the server did not start:\n" + Files.readString(data.resolve("server.out")));
        }
      }
      var facts = new Properties();
      try (var in = Files.newBufferedReader(ready)) {
        facts.load(in);
      }
      port = Integer.parseInt(facts.getProperty("pg_port"));
      return p;
    }

    @Override
    public String host() {
      return "127.0.0.1";
    }

    @Override
    public int port() {
      return port;
    }

    private void stop() throws InterruptedException {
      process.destroy();
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }

    /** Ends it at once, as a power cut would. */
    void crash() {
      process.destroyForcibly();
    }

    /** Ends it at once, as a power cut would, and starts it on the same data. */
    void kill() throws IOException, InterruptedException {
      process.destroyForcibly().waitFor();
      process = launch();
    }

    @Override
    public void restart() throws IOException, InterruptedException {
      stop();
      process = launch();
    }

    @Override
    public void close() throws InterruptedException {
      stop();
    }
  }
}

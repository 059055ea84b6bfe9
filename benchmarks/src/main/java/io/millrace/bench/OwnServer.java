package io.millrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * A server of our own, started and stopped by bin/millrace as a user would: free ports, a folder
 * that goes away with it, also when the run is interrupted.
 */
final class OwnServer implements AutoCloseable {
  private final Path script;
  private final Path folder;
  private final Path data;
  private final Thread atExit = new Thread(this::stop, "stop-server");
  private final AtomicBoolean stopped = new AtomicBoolean();

  private OwnServer(Path script, Path folder) {
    this.script = script;
    this.folder = folder;
    this.data = folder.resolve("data");
  }

  static OwnServer start(Path script) throws IOException, InterruptedException {
    var server = new OwnServer(script, Files.createTempDirectory("millrace-bench"));
    Runtime.getRuntime().addShutdownHook(server.atExit);
    int code = server.millrace("start", "--pg-port", "0", "--http-port", "0");
    if (code != 0) {
      throw new IOException("the server did not start (exit code " + code + ")");
    }
    return server;
  }

  private int millrace(String command, String... options) throws IOException, InterruptedException {
    var line = new ArrayList<>(List.of(script.toString(), command, "--data", data.toString()));
    line.addAll(List.of(options));
    return new ProcessBuilder(line)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start()
        .waitFor();
  }

  Target target() throws IOException {
    var facts = new Properties();
    try (var in = Files.newBufferedReader(data.resolve("millrace.ready"))) {
      facts.load(in);
    }
    return new Target("127.0.0.1", Integer.parseInt(facts.getProperty("pg_port")));
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    stop();
  }

  private void stop() {
    if (!stopped.compareAndSet(false, true)) {
      return;
    }
    try {
      millrace("stop");
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(p);
        }
      }
    } catch (IOException e) {
      System.err.println(
          "bench: what is left in " + folder + " was not removed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

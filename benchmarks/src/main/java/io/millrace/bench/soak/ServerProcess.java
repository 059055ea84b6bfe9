package io.millrace.bench.soak;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server on a folder, started by bin/millrace, that can be stopped, killed and measured. */
final class ServerProcess {
  private final Path script;
  private final Path data;
  private final String heap;
  private volatile Facts facts = new Facts(0, 0, 0);

  /** What the server says of itself once it answers. */
  private record Facts(long pid, int pgPort, int httpPort) {}

  /** What the server holds, after a full collection. */
  record Measure(long heapBytes, long descriptors, long files, long diskBytes) {}

  ServerProcess(Path script, Path data, String heap) {
    this.script = script;
    this.data = data;
    this.heap = heap;
  }

  void start() throws IOException, InterruptedException {
    int code = millrace("start", "--pg-port", "0", "--http-port", "0");
    if (code != 0) {
      throw new IOException("the server did not start (exit code " + code + ")");
    }
    var ready = new Properties();
    try (var in = Files.newBufferedReader(data.resolve("millrace.ready"))) {
      ready.load(in);
    }
    facts =
        new Facts(
            Long.parseLong(ready.getProperty("pid")),
            Integer.parseInt(ready.getProperty("pg_port")),
            Integer.parseInt(ready.getProperty("http_port")));
  }

  void stop() throws IOException, InterruptedException {
    int code = millrace("stop");
    if (code != 0) {
      throw new IOException("the server did not stop (exit code " + code + ")");
    }
  }

  /** Kills it with SIGKILL and waits until it is gone. */
  void kill() throws IOException {
    ProcessHandle process = ProcessHandle.of(facts.pid).orElse(null);
    if (process == null) {
      throw new IOException("the server is gone by itself");
    }
    process.destroyForcibly();
    process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
  }

  boolean alive() {
    return ProcessHandle.of(facts.pid).map(ProcessHandle::isAlive).orElse(false);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:"
            + facts.pgPort
            + "/millrace?user=millrace&reWriteBatchedInserts=true&socketTimeout=120");
  }

  Measure measure() throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    int code =
        new ProcessBuilder(jcmd.toString(), Long.toString(facts.pid), "GC.run")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("no collection could be asked for (jcmd exit code " + code + ")");
    }
    long[] disk = disk();
    return new Measure(metric("millrace_heap_used_bytes"), descriptors(), disk[0], disk[1]);
  }

  private long metric(String name) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var uri = URI.create("http://127.0.0.1:" + facts.httpPort + "/metrics");
      String all =
          client
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      return all.lines()
          .filter(l -> l.startsWith(name + " "))
          .mapToLong(l -> (long) Double.parseDouble(l.substring(name.length() + 1)))
          .findFirst()
          .orElseThrow(() -> new IOException("the server tells no " + name));
    }
  }

  private long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(facts.pid), "fd"))) {
      return all.count();
    }
  }

  /** Files of the folder and their bytes; what vanishes meanwhile is not counted. */
  private long[] disk() throws IOException {
    long files = 0;
    long bytes = 0;
    try (Stream<Path> all = Files.walk(data)) {
      for (Path p : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        try {
          bytes += Files.size(p);
          files++;
        } catch (NoSuchFileException e) {
          continue; // compacted away between listing and asking
        }
      }
    } catch (java.io.UncheckedIOException e) {
      if (!(e.getCause() instanceof NoSuchFileException)) {
        throw e.getCause();
      }
    }
    return new long[] {files, bytes};
  }

  private int millrace(String command, String... options) throws IOException, InterruptedException {
    var line = new ArrayList<>(List.of(script.toString(), command, "--data", data.toString()));
    line.addAll(List.of(options));
    var builder =
        new ProcessBuilder(line)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("MILLRACE_HEAP", heap);
    return builder.start().waitFor();
  }
}

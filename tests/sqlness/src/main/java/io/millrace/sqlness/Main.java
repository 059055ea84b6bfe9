package io.millrace.sqlness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs SQL regression cases against a server. */
@Command(
    name = "sqlness",
    mixinStandardHelpOptions = true,
    description =
        "Runs SQL cases (.sql) and compares with what they should give (.result). Exit code 1 if a"
            + " case differs.")
public final class Main implements Callable<Integer> {
  @Option(
      names = "--cases",
      paramLabel = "DIR",
      description = "Folder of the cases.",
      required = true)
  private Path cases = Path.of("cases");

  @Option(
      names = "--against",
      paramLabel = "HOST:PORT",
      description = "A running server; without it one is started on a folder of its own.")
  private @Nullable String against;

  @Option(
      names = "--only",
      paramLabel = "GLOB",
      description = "Only cases whose path without .sql matches, such as flows/*.")
  private @Nullable String only;

  @Option(names = "--update", description = "Write what came out into the .result files.")
  private boolean update;

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Path scratch = Files.createTempDirectory("millrace-sqlness");
    try (Server server = server(scratch)) {
      return runAll(server) ? 0 : 1;
    } finally {
      remove(scratch);
    }
  }

  private Server server(Path scratch) throws Exception {
    String a = against;
    if (a != null) {
      int colon = a.lastIndexOf(':');
      return new Server.Running(a.substring(0, colon), Integer.parseInt(a.substring(colon + 1)));
    }
    String path = System.getProperty("java.class.path");
    return new Server.Child(
        scratch.resolve("data"), List.of(path.split(System.getProperty("path.separator"), -1)));
  }

  private boolean runAll(Server server) throws Exception {
    int passed = 0;
    int failed = 0;
    for (Path sql : Cases.find(cases, only)) {
      String actual = new CaseRunner(server).run(CaseFile.parse(Files.readString(sql)));
      Path result = Cases.result(sql);
      String expected = Files.exists(result) ? Files.readString(result) : "";
      if (actual.equals(expected)) {
        passed++;
        continue;
      }
      failed++;
      System.out.println("DIFFERS " + Cases.name(cases, sql));
      System.out.println(Difference.of(expected, actual));
      if (update) {
        Files.writeString(result, actual);
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    return failed == 0 || update;
  }

  static void remove(Path folder) throws Exception {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }
}

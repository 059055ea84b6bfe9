package io.millrace.bench;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The benchmark's command line. */
@Command(
    name = "bin/bench",
    sortOptions = false,
    customSynopsis = "bin/bench [OPTION]... | bin/bench --jmh [OPTION of JMH]...",
    description = {
      "Measures a server end to end over the wire: loads cpu measurements of many hosts by COPY and"
          + " INSERT, runs the fifteen query types of TSBS on them, looks single rows up, and times"
          + " how soon flows show what was inserted.",
      ""
    },
    footer = {
      "",
      "What is measured is named load-…, the query types, point-1, point-8, and flow-lag-…; queries"
          + " and lookups load the data first if no load was asked for.",
      "--jmh runs the benchmarks of single kernels instead; what follows it is for JMH.",
      "Exit codes: 0 done, 1 something failed or gave a wrong answer, 2 wrong usage, 3 no server."
    })
public final class Main implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final int NO_SERVER = 3;

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--scale", paramLabel = "HOSTS", description = "Hosts (${DEFAULT-VALUE}).")
  private int hosts = 100;

  @Option(names = "--hours", paramLabel = "N", description = "Hours of data (${DEFAULT-VALUE}).")
  private int hours = 24;

  @Option(
      names = "--step",
      paramLabel = "SECONDS",
      description = "Distance of a host's rows (${DEFAULT-VALUE}).")
  private int step = 10;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Everything random follows from it (${DEFAULT-VALUE}).")
  private long seed = 42;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Runs of each query type, after as many to warm up (${DEFAULT-VALUE}).")
  private int runs = 20;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long to look single rows up (${DEFAULT-VALUE}).")
  private int seconds = 5;

  @Option(
      names = "--only",
      paramLabel = "GLOB",
      description = "Only what matches, such as load-copy or double-groupby-*; can be repeated.")
  private List<String> only = List.of();

  @Option(
      names = "--against",
      paramLabel = "HOST:PORT",
      description =
          "A running server, whose table cpu is replaced; without it one is started on free ports"
              + " and a folder of its own, and stopped.")
  private @Nullable String against;

  @Option(
      names = "--millrace",
      paramLabel = "FILE",
      hidden = true,
      description = "The script that starts and stops a server.")
  private Path millrace = Path.of("bin", "millrace");

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  private final Report report = new Report(System.out);

  public static void main(String[] args) throws IOException {
    int kernels = List.of(args).indexOf("--jmh");
    if (kernels >= 0) {
      org.openjdk.jmh.Main.main(
          List.of(args).subList(kernels + 1, args.length).toArray(String[]::new));
      return;
    }
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    List<String> chosen = chosen();
    Target given = given();
    if (given != null) {
      return measure(given, chosen);
    }
    try (OwnServer server = OwnServer.start(millrace)) {
      return measure(server.target(), chosen);
    } catch (IOException e) {
      System.err.println("bench: " + e.getMessage());
      return NO_SERVER;
    }
  }

  private int measure(Target target, List<String> chosen) throws InterruptedException {
    try (var connection = target.connect()) {
      Target.number(connection, "SELECT 1");
    } catch (SQLException e) {
      System.err.println("bench: no server answers: " + e.getMessage());
      return NO_SERVER;
    }
    var data = new CpuData(hosts, hours, step, seed);
    report.note(
        "%,d hosts, %d hours, a row each %d s: %,d rows; seed %d"
            .formatted(hosts, hours, step, data.rows(), seed));
    report.heading();
    for (String name : chosen) {
      one(target, data, name);
    }
    if (report.clean()) {
      return 0;
    }
    System.err.println("bench: failed: " + String.join(", ", report.failures()));
    return FAILED;
  }

  private void one(Target target, CpuData data, String name) throws InterruptedException {
    try {
      if (name.startsWith("load-")) {
        new Load(target, data, report).run(name);
      } else if (name.startsWith("flow-lag-")) {
        new FlowLag(target, report).run(name, runs);
      } else if (name.startsWith("point-")) {
        int connections = Integer.parseInt(name.substring("point-".length()));
        new Reads(target, data, report, seed).points(name, connections, seconds);
      } else {
        new Reads(target, data, report, seed).query(name, runs);
      }
    } catch (SQLException | IOException e) {
      report.failed(name, String.valueOf(e.getMessage()));
    }
  }

  /** What --only lets through, with a load before whatever reads. */
  private List<String> chosen() {
    var all = new ArrayList<>(Load.NAMES);
    all.addAll(Queries.NAMES);
    all.addAll(List.of("point-1", "point-8"));
    all.addAll(FlowLag.NAMES);
    List<PathMatcher> globs = only.stream().map(Main::glob).toList();
    var chosen =
        new ArrayList<>(
            all.stream()
                .filter(n -> only.isEmpty() || globs.stream().anyMatch(g -> g.matches(Path.of(n))))
                .toList());
    if (chosen.isEmpty()) {
      throw wrong("--only " + String.join(", ", only) + " matches none of " + all);
    }
    boolean reads = chosen.stream().anyMatch(n -> !n.startsWith("flow-lag-"));
    if (reads && chosen.stream().noneMatch(n -> n.startsWith("load-"))) {
      chosen.addFirst("load-copy");
    }
    return chosen;
  }

  private static PathMatcher glob(String glob) {
    return FileSystems.getDefault().getPathMatcher("glob:" + glob);
  }

  private @Nullable Target given() {
    if (hosts < 1 || hours < 1 || step < 1 || runs < 1 || seconds < 1 || step > hours * 3600) {
      throw wrong("--scale, --hours, --step, --runs and --seconds must be positive");
    }
    if (against == null) {
      return null;
    }
    int colon = against.lastIndexOf(':');
    try {
      return new Target(
          against.substring(0, colon), Integer.parseInt(against.substring(colon + 1)));
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw wrong("--against wants HOST:PORT, not " + against);
    }
  }

  private ParameterException wrong(String message) {
    if (spec == null) {
      throw new IllegalStateException(message);
    }
    return new ParameterException(spec.commandLine(), message);
  }
}

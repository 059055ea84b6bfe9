package io.millrace.bench.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Many tables, several writers, compaction all the time and restarts at random moments, half of
 * them kills. After every restart each table is compared with what its writer knows. For the last
 * third of the time the server runs on, and what it holds is compared with what it held when that
 * third began.
 */
@Command(
    name = "bin/soak",
    sortOptions = false,
    description = "Runs a server under writes, compactions and restarts, and looks for what grows.")
public final class Soak implements Callable<Integer> {
  private static final double GROWTH = 1.3;
  private static final long HEAP_SLACK = 48L << 20;
  private static final long DESCRIPTOR_SLACK = 64;
  private static final long FILE_SLACK = 200;

  @Option(names = "--minutes", description = "How long (${DEFAULT-VALUE}).")
  private int minutes = 30;

  @Option(names = "--regions", description = "Tables of one region each (${DEFAULT-VALUE}).")
  private int regions = 24;

  @Option(names = "--writers", description = "Writers; each has its own tables (${DEFAULT-VALUE}).")
  private int writers = 8;

  @Option(names = "--seed", description = "What is random follows from it (${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(names = "--heap", description = "The server's heap (${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(names = "--millrace", hidden = true)
  private Path millrace = Path.of("bin", "millrace");

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  private final List<SoakTable> tables = new ArrayList<>();
  private final Queue<String> findings = new ConcurrentLinkedQueue<>();
  private final AtomicLong statements = new AtomicLong();
  private final AtomicLong stamp = new AtomicLong();
  private final AtomicLong compactions = new AtomicLong();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Soak()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("millrace-soak");
    var server = new ServerProcess(millrace, folder.resolve("data"), heap);
    var guard = new Thread(() -> end(server, folder), "end-soak");
    Runtime.getRuntime().addShutdownHook(guard);
    server.start();
    create(server);
    long begin = System.nanoTime();
    long all = Duration.ofMinutes(minutes).toNanos();
    var random = new Random(seed);
    int restarts = 0;
    while (System.nanoTime() - begin < all * 2 / 3 && findings.isEmpty()) {
      boolean kill = random.nextBoolean();
      work(server, Duration.ofSeconds(10 + random.nextInt(30)), kill, random.nextLong());
      if (!kill) {
        server.stop();
      }
      server.start();
      restarts++;
      checkAll(server, "restart " + restarts + (kill ? ", killed" : ", stopped"));
    }
    if (findings.isEmpty()) {
      runOn(server, begin, all, random);
    }
    findings.forEach(f -> System.out.println("FINDING " + f));
    System.out.printf(
        "%d restarts, %,d statements, %,d flushes and compactions asked for, %d findings%n",
        restarts, statements.get(), compactions.get(), findings.size());
    return findings.isEmpty() ? 0 : 1;
  }

  /** Without restarts to the end: nothing may grow. */
  private void runOn(ServerProcess server, long begin, long all, Random random)
      throws IOException, InterruptedException, SQLException {
    work(server, Duration.ofNanos(all / 12), false, random.nextLong());
    ServerProcess.Measure first = server.measure();
    print("third begins", first);
    while (System.nanoTime() - begin < all && findings.isEmpty()) {
      work(server, Duration.ofSeconds(60), false, random.nextLong());
      print("goes on", server.measure());
    }
    checkAll(server, "end");
    ServerProcess.Measure last = server.measure();
    grown("heap", first.heapBytes(), last.heapBytes(), HEAP_SLACK);
    grown("descriptors", first.descriptors(), last.descriptors(), DESCRIPTOR_SLACK);
    grown("files", first.files(), last.files(), FILE_SLACK);
    print("ends", last);
  }

  private void grown(String what, long first, long last, long slack) {
    if (last > first * GROWTH + slack) {
      findings.add(what + " grew from " + first + " to " + last);
    }
  }

  private static void print(String when, ServerProcess.Measure m) {
    System.out.printf(
        "%-14s heap %,d KiB, %d descriptors, %d files of %,d KiB%n",
        when, m.heapBytes() >> 10, m.descriptors(), m.files(), m.diskBytes() >> 10);
  }

  private void create(ServerProcess server) throws SQLException {
    try (Connection c = server.connect()) {
      for (int i = 0; i < regions; i++) {
        var table = new SoakTable(i);
        table.create(c);
        tables.add(table);
      }
    }
  }

  private void checkAll(ServerProcess server, String when) throws SQLException {
    try (Connection c = server.connect()) {
      for (SoakTable t : tables) {
        String wrong = t.check(c);
        if (!wrong.isEmpty()) {
          findings.add(when + ": " + wrong);
        }
      }
    }
    System.out.printf("%s: %,d statements so far%n", when, statements.get());
  }

  /** Lets writers and compactions run for a while; then kills the server or lets them finish. */
  private void work(ServerProcess server, Duration time, boolean kill, long random)
      throws InterruptedException, IOException {
    long until = System.nanoTime() + time.toNanos();
    var killed = new CountDownLatch(1);
    var threads = new ArrayList<Thread>();
    for (int w = 0; w < writers; w++) {
      int number = w;
      threads.add(
          Thread.ofPlatform()
              .name("writer-" + w)
              .start(() -> write(server, number, until, kill ? killed : null, random + number)));
    }
    threads.add(
        Thread.ofPlatform()
            .name("compactions")
            .start(() -> compact(server, until, kill ? killed : null, random - 1)));
    if (kill) {
      TimeUnit.NANOSECONDS.sleep(until - System.nanoTime());
      killed.countDown();
      server.kill();
    }
    for (Thread t : threads) {
      t.join();
    }
    if (!kill && !server.alive()) {
      findings.add("the server is gone by itself");
    }
  }

  private void write(
      ServerProcess server, int number, long until, @Nullable CountDownLatch killed, long seeds) {
    var random = new Random(seeds);
    try (Connection c = server.connect()) {
      while (goesOn(until, killed)) {
        int table = number + writers * random.nextInt((regions - number - 1) / writers + 1);
        tables.get(table).step(c, random, stamp.incrementAndGet());
        statements.incrementAndGet();
      }
    } catch (SQLException e) {
      failed("writer " + number, e, killed);
    }
  }

  private void compact(
      ServerProcess server, long until, @Nullable CountDownLatch killed, long seeds) {
    var random = new Random(seeds);
    try (Connection c = server.connect();
        Statement s = c.createStatement()) {
      while (goesOn(until, killed)) {
        String table = tables.get(random.nextInt(regions)).name();
        String what = random.nextInt(3) == 0 ? "compact_table" : "flush_table";
        s.execute("ADMIN " + what + "('" + table + "')");
        compactions.incrementAndGet();
      }
    } catch (SQLException e) {
      failed("compactions", e, killed);
    }
  }

  /** A run that ends by a kill goes on into it. */
  private static boolean goesOn(long until, @Nullable CountDownLatch killed) {
    return killed != null || System.nanoTime() < until;
  }

  private void failed(String who, SQLException e, @Nullable CountDownLatch killed) {
    if (killed == null || killed.getCount() > 0) {
      findings.add(who + ": " + e.getSQLState() + " " + e.getMessage());
    }
  }

  private void end(ServerProcess server, Path folder) {
    try {
      if (server.alive()) {
        server.stop();
      }
      if (!findings.isEmpty()) {
        System.out.println("the data is left in " + folder);
        return;
      }
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(p);
        }
      }
    } catch (IOException e) {
      System.err.println("bin/soak: " + folder + " was not removed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.millrace.wire;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session of a handful of statements, run by a virtual thread of its own: {@code SELECT n},
 * {@code SELECT $1, …} (echoes the parameters), {@code rows n}, {@code copy in}, {@code copy out
 * n}, {@code wait} (until cancelled), {@code fail}, {@code notice}, {@code throw} (on the loop),
 * and SET, BEGIN, COMMIT, ROLLBACK. {@code SELECT 1} in a simple query is answered on the loop when
 * nothing is waiting.
 */
public final class EchoSession implements WireSession {
  private static final Batch ONE = new Batch(List.of(ints(1)), 1);
  private static final List<ColumnInfo> ONE_COLUMN =
      List.of(ColumnInfo.of("?column?", SqlType.INT8));

  /** Opens echo sessions and counts what becomes of them. */
  public static final class Handler implements SessionHandler {
    public final AtomicInteger opened = new AtomicInteger();
    public final CountDownLatch firstDisconnected = new CountDownLatch(1);
    public final AtomicInteger disconnected = new AtomicInteger();
    public final Semaphore waiting = new Semaphore(0);
    public final AtomicInteger stalls = new AtomicInteger();
    public volatile @Nullable StartupInfo lastStartup;

    @Override
    public WireSession openSession(StartupInfo startup, Backend backend) {
      lastStartup = startup;
      if (startup.database().equals("nowhere")) {
        throw new MillraceException(
            ErrorCode.INVALID_CATALOG_NAME, "database \"nowhere\" does not exist");
      }
      opened.incrementAndGet();
      backend.parameterStatus("TimeZone", startup.settings().getOrDefault("TimeZone", "UTC"));
      return new EchoSession(this, backend);
    }
  }

  private record Portal(String sql, RawParameters parameters, Formats formats) {}

  private interface Task {
    void run() throws InterruptedException;
  }

  private final Handler handler;
  private final Backend backend;
  private final LinkedBlockingQueue<Task> inbox = new LinkedBlockingQueue<>();
  private final AtomicInteger pending = new AtomicInteger();
  private final Semaphore window = new Semaphore(0);
  private final Map<String, String> statements = new HashMap<>();
  private final Map<String, int[]> oids = new HashMap<>();
  private final Map<String, Portal> portals = new HashMap<>();
  private final Thread thread;
  private volatile boolean cancelled;
  private volatile boolean gone;
  private volatile boolean shuttingDown;
  private volatile boolean waiting;
  private TransactionStatus status = TransactionStatus.IDLE;
  private boolean skipping;
  private long copied = -1;
  private boolean copySimple;

  private EchoSession(Handler handler, Backend backend) {
    this.handler = handler;
    this.backend = backend;
    thread = Thread.ofVirtual().name("echo").start(this::loop);
  }

  private static Vector ints(long... values) {
    return new LongVector(SqlType.INT8, values, values.length, null);
  }

  private void loop() {
    try {
      while (!gone) {
        inbox.take().run();
        pending.decrementAndGet();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void post(Task task) {
    pending.incrementAndGet();
    inbox.add(task);
  }

  private void step(Task task) {
    post(
        () -> {
          if (!skipping) {
            try {
              task.run();
            } catch (MillraceException e) {
              backend.error(e);
              skipping = true;
            }
          }
        });
  }

  private void ready() {
    cancelled = false;
    backend.readyForQuery(status);
    if (shuttingDown) {
      goDown();
    }
  }

  private void goDown() {
    backend.fatal(
        new MillraceException(
            ErrorCode.ADMIN_SHUTDOWN, "terminating connection due to administrator command"));
  }

  @Override
  public void query(String sql) {
    if (sql.equals("SELECT 1") && pending.get() == 0) {
      backend.rowDescription(ONE_COLUMN, Formats.TEXT);
      backend.dataRows(
          backend.rowEncoder(List.of(SqlType.INT8), Formats.TEXT, SessionFormat.DEFAULT),
          ONE,
          0,
          1);
      backend.commandComplete("SELECT 1");
      backend.readyForQuery(status);
      return;
    }
    if (sql.equals("throw")) {
      throw new IllegalStateException("thrown by the session");
    }
    post(
        () -> {
          try {
            var portal = new Portal(sql, RawParameters.NONE, Formats.TEXT);
            describe(portal, true);
            run(portal, true);
          } catch (MillraceException e) {
            backend.error(e);
          }
          if (copied < 0) {
            ready();
          }
        });
  }

  @Override
  public void parse(String name, String sql, int[] parameterOids) {
    step(
        () -> {
          if (sql.equals("fail")) {
            throw failure();
          }
          statements.put(name, sql);
          oids.put(name, parameterOids);
          backend.parseComplete();
        });
  }

  @Override
  public void bind(
      String portal, String statement, RawParameters parameters, Formats resultFormats) {
    step(
        () -> {
          String sql = statements.get(statement);
          if (sql == null) {
            throw new MillraceException(
                ErrorCode.INVALID_SQL_STATEMENT_NAME,
                "prepared statement \"" + statement + "\" does not exist");
          }
          portals.put(portal, new Portal(sql, parameters, resultFormats));
          backend.bindComplete();
        });
  }

  @Override
  public void describeStatement(String name) {
    step(
        () -> {
          String sql = statements.getOrDefault(name, "");
          int n = (int) sql.chars().filter(c -> c == '$').count();
          int[] given = oids.getOrDefault(name, new int[0]);
          int[] types = new int[n];
          for (int i = 0; i < n; i++) {
            types[i] = i < given.length && given[i] != 0 ? given[i] : 25;
          }
          backend.parameterDescription(types);
          describe(new Portal(sql, RawParameters.NONE, Formats.TEXT), false);
        });
  }

  @Override
  public void describePortal(String name) {
    step(() -> describe(portal(name), false));
  }

  private Portal portal(String name) {
    Portal portal = portals.get(name);
    if (portal == null) {
      throw new MillraceException(
          ErrorCode.INVALID_CURSOR_NAME, "portal \"" + name + "\" does not exist");
    }
    return portal;
  }

  private static List<ColumnInfo> columns(String sql) {
    if (sql.startsWith("rows ")) {
      return List.of(ColumnInfo.of("n", SqlType.INT8), new ColumnInfo("t", SqlType.TEXT, 16385, 2));
    }
    if (sql.contains("$")) {
      int n = (int) sql.chars().filter(c -> c == '$').count();
      var columns = new ArrayList<ColumnInfo>();
      for (int i = 1; i <= n; i++) {
        columns.add(ColumnInfo.of("p" + i, SqlType.TEXT));
      }
      return columns;
    }
    return sql.startsWith("SELECT ") ? ONE_COLUMN : List.of();
  }

  private void describe(Portal portal, boolean simple) {
    List<ColumnInfo> columns = columns(portal.sql);
    if (!columns.isEmpty()) {
      portal.formats.checkResult(columns.size());
      backend.rowDescription(columns, portal.formats);
    } else if (!simple) {
      backend.noData();
    }
  }

  @Override
  public void execute(String portal, int maxRows) {
    step(
        () -> {
          Portal p = portal(portal);
          if (maxRows > 0 && p.sql.startsWith("rows ")) {
            long n = Long.parseLong(p.sql.substring(5));
            rows(p, Math.min(n, maxRows));
            if (n > maxRows) {
              portals.put(portal, new Portal("rows " + (n - maxRows), p.parameters, p.formats));
              backend.portalSuspended();
            } else {
              backend.commandComplete("SELECT " + n);
            }
          } else {
            run(p, false);
          }
        });
  }

  private static MillraceException failure() {
    return new MillraceException(ErrorCode.SYNTAX_ERROR, "syntax error at or near \"fail\"")
        .at(1)
        .withDetail("a detail")
        .withHint("a hint")
        .withWhere("a context")
        .about("public", "t", "c", "k");
  }

  private void run(Portal p, boolean simple) throws InterruptedException {
    String sql = p.sql.strip();
    String word = sql.split(" ")[0].toUpperCase(Locale.ROOT);
    switch (word) {
      case "" -> backend.emptyQueryResponse();
      case "SET" -> {
        String[] parts = sql.split("[ =']+");
        backend.parameterStatus(parts[1], parts[parts.length - 1]);
        backend.commandComplete("SET");
      }
      case "BEGIN" -> status(TransactionStatus.IN_TRANSACTION, word);
      case "COMMIT", "ROLLBACK" -> status(TransactionStatus.IDLE, word);
      case "SELECT" -> {
        if (sql.contains("$")) {
          echo(p);
        } else {
          long value = Long.parseLong(sql.substring(7).strip());
          send(p, List.of(SqlType.INT8), new Batch(List.of(ints(value)), 1));
        }
        backend.commandComplete("SELECT 1");
      }
      case "ROWS" -> {
        long n = Long.parseLong(sql.substring(5));
        rows(p, n);
        backend.commandComplete("SELECT " + n);
      }
      case "COPY" -> copy(sql, simple);
      case "FAIL" -> throw failure();
      case "NOTICE" -> {
        backend.notice(Notice.notice("a notice"));
        backend.commandComplete("NOTICE");
      }
      case "WAIT" -> {
        waiting = true;
        handler.waiting.release();
        while (!cancelled && !gone) {
          window.acquire();
        }
        waiting = false;
        throw new MillraceException(
            ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
      }
      default ->
          throw new MillraceException(
              ErrorCode.SYNTAX_ERROR, "syntax error at or near \"" + word + "\"");
    }
  }

  private void status(TransactionStatus next, String tag) {
    status = next;
    backend.commandComplete(tag);
  }

  private void echo(Portal p) throws InterruptedException {
    RawParameters given = p.parameters;
    var types = new ArrayList<SqlType>();
    var row = new ArrayList<@Nullable String>();
    for (int i = 0; i < given.count(); i++) {
      types.add(SqlType.TEXT);
      row.add(
          given.isNull(i)
              ? null
              : given.binary(i)
                  ? "binary:" + given.lengths()[i]
                  : new String(
                      given.bytes(),
                      given.offsets()[i],
                      given.lengths()[i],
                      StandardCharsets.UTF_8));
    }
    send(p, types, TestBatches.of(types, List.of(row)));
  }

  private void rows(Portal p, long n) throws InterruptedException {
    List<SqlType> types = List.of(SqlType.INT8, SqlType.TEXT);
    RowEncoder encoder = backend.rowEncoder(types, p.formats, SessionFormat.DEFAULT);
    for (long from = 0; from < n; from += 1000) {
      int count = (int) Math.min(1000, n - from);
      long[] values = new long[count];
      int[] codes = new int[count];
      for (int i = 0; i < count; i++) {
        values[i] = from + i + 1;
        codes[i] = (int) ((from + i) / 100 % 3) - 1;
      }
      var batch =
          new Batch(
              List.of(
                  ints(values), TestBatches.dictionary(SqlType.TEXT, List.of("one", "two"), codes)),
              count);
      send(encoder, batch);
    }
  }

  private void send(Portal p, List<SqlType> types, Batch batch) throws InterruptedException {
    send(backend.rowEncoder(types, p.formats, SessionFormat.DEFAULT), batch);
  }

  private void send(RowEncoder encoder, Batch batch) throws InterruptedException {
    int done = 0;
    while (done < batch.rows()) {
      if (cancelled) {
        throw new MillraceException(
            ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
      }
      done += backend.dataRows(encoder, batch, done, batch.rows() - done);
      while (!backend.ready()) {
        handler.stalls.incrementAndGet();
        window.acquire();
        if (cancelled) {
          break;
        }
      }
    }
  }

  private void copy(String sql, boolean simple) {
    if (sql.startsWith("copy out ")) {
      int n = Integer.parseInt(sql.substring(9));
      backend.copyOutResponse(1, false);
      byte[] data = "row\n".repeat(n).getBytes(StandardCharsets.UTF_8);
      int[] ends = new int[n];
      for (int i = 0; i < n; i++) {
        ends[i] = 4 * (i + 1);
      }
      int done = 0;
      while (done < n) {
        done += backend.copyOutRows(data, ends, done, n - done);
      }
      backend.copyDone();
      backend.commandComplete("COPY " + n);
    } else {
      copied = 0;
      copySimple = simple;
      backend.copyInResponse(2, false);
    }
  }

  @Override
  public void closeStatement(String name) {
    step(
        () -> {
          statements.remove(name);
          backend.closeComplete();
        });
  }

  @Override
  public void closePortal(String name) {
    step(
        () -> {
          portals.remove(name);
          backend.closeComplete();
        });
  }

  @Override
  public void flush() {
    step(backend::flush);
  }

  @Override
  public void sync() {
    post(
        () -> {
          if (copied < 0) {
            skipping = false;
            ready();
          }
        });
  }

  @Override
  public void copyData(byte[] data, int offset, int length) {
    post(
        () -> {
          if (copied >= 0) {
            copied += length;
          }
        });
  }

  @Override
  public void copyDone() {
    post(
        () -> {
          if (copied >= 0) {
            backend.commandComplete("COPY " + copied);
            endCopy();
          }
        });
  }

  private void endCopy() {
    copied = -1;
    if (copySimple) {
      ready();
    }
  }

  @Override
  public void copyFail(String message) {
    post(
        () -> {
          backend.error(
              new MillraceException(
                  ErrorCode.QUERY_CANCELED, "COPY from stdin failed: " + message));
          skipping = !copySimple;
          endCopy();
        });
  }

  @Override
  public void badMessage(char kind, MillraceException error) {
    post(
        () -> {
          if (kind == 'Q' || kind == 'F') {
            backend.error(error);
            ready();
          } else if (kind == 'd') {
            if (copied >= 0) {
              backend.error(error);
              skipping = !copySimple;
              endCopy();
            }
          } else if (!skipping) {
            backend.error(error);
            skipping = true;
          }
        });
  }

  @Override
  public void windowOpened() {
    window.release();
  }

  @Override
  public void cancel() {
    cancelled = true;
    window.release();
  }

  @Override
  public void shutdown() {
    shuttingDown = true;
    if (!waiting) {
      post(this::goDown);
    }
  }

  @Override
  public void disconnected() {
    gone = true;
    cancel();
    thread.interrupt();
    handler.disconnected.incrementAndGet();
    handler.firstDisconnected.countDown();
  }
}

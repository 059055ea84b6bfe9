package io.millrace.server.session;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.server.session.InboxMessage.Bad;
import io.millrace.server.statement.StatementExecutor;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Backend;
import io.millrace.wire.ColumnInfo;
import io.millrace.wire.Formats;
import io.millrace.wire.RawParameters;
import io.millrace.wire.RowEncoder;
import io.millrace.wire.TransactionStatus;
import io.millrace.wire.WireSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The protocol's rules without its bytes.
 *
 *   loop thread:   message ──► inbox ──► signal
 *   pool thread:   run(): continuations first, then, unless a statement is under way, one message
 *   engine thread: result ──► continuation ──► signal
 *
 * At most one run() is active at a time, so everything but the inbox, the continuations and the cancel
 * hook is plain state. A handler either answers at once or sets `busy` and goes on in a continuation.
 * After an error in the extended protocol everything up to Sync is skipped. A simple query message and the
 * extended messages up to Sync are one implicit transaction, committed at their end, unless BEGIN made it
 * explicit.
 */
/** One client's session. */
final class ClientSession implements WireSession {
  private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

  private final SessionServices services;
  private final Backend backend;
  private final SessionState state;
  private final StatementExecutor executor;
  private final Inbox inbox;
  private final Queue<Runnable> continuations = new ConcurrentLinkedQueue<>();
  private final AtomicInteger wanted = new AtomicInteger();
  private volatile boolean goingDown;
  private volatile boolean gone;

  private boolean busy;
  private boolean skipping;
  private boolean extended;
  private @Nullable CopyState copy;
  private @Nullable Portal running;
  private @Nullable Runnable onWindow;
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private final Map<String, Portal> portals = new HashMap<>();

  private record CopyState(
      SessionContext.CopyHandler handler, CompletableFuture<Outcome> outcome, boolean[] waiting) {}

  ClientSession(SessionServices services, Backend backend, SessionState state) {
    this.services = services;
    this.backend = backend;
    this.state = state;
    this.executor = services.executor();
    this.inbox = new Inbox(backend::pauseReading, backend::resumeReading);
    state.attach(this);
  }

  // ---- the loop's side

  private void offer(InboxMessage message) {
    inbox.add(message);
    signal();
  }

  private void signal() {
    if (wanted.getAndIncrement() == 0) {
      services.queries().execute(this::run);
    }
  }

  /** Runs the task after what runs now, in the session's order. */
  void serial(Runnable task) {
    continuations.add(task);
    signal();
  }

  @Override
  public void query(String sql) {
    offer(new InboxMessage.SimpleQuery(sql));
  }

  @Override
  public void parse(String name, String sql, int[] parameterOids) {
    offer(new InboxMessage.Parse(name, sql, parameterOids));
  }

  @Override
  public void bind(
      String portal, String statement, RawParameters parameters, Formats resultFormats) {
    offer(new InboxMessage.Bind(portal, statement, parameters, resultFormats));
  }

  @Override
  public void describeStatement(String name) {
    offer(new InboxMessage.DescribeStatement(name));
  }

  @Override
  public void describePortal(String name) {
    offer(new InboxMessage.DescribePortal(name));
  }

  @Override
  public void execute(String portal, int maxRows) {
    offer(new InboxMessage.Execute(portal, maxRows));
  }

  @Override
  public void closeStatement(String name) {
    offer(new InboxMessage.CloseStatement(name));
  }

  @Override
  public void closePortal(String name) {
    offer(new InboxMessage.ClosePortal(name));
  }

  @Override
  public void flush() {
    offer(new InboxMessage.Flush());
  }

  @Override
  public void sync() {
    offer(new InboxMessage.Sync());
  }

  @Override
  public void copyData(byte[] data, int offset, int length) {
    offer(new InboxMessage.CopyData(data, offset, length));
  }

  @Override
  public void copyDone() {
    offer(new InboxMessage.CopyDone());
  }

  @Override
  public void copyFail(String message) {
    offer(new InboxMessage.CopyFail(message));
  }

  @Override
  public void badMessage(char kind, MillraceException error) {
    offer(new Bad(kind, error));
  }

  @Override
  public void windowOpened() {
    serial(
        () -> {
          Portal p = running;
          if (p != null && p.query != null) {
            p.query.wake();
          }
          state.windowOpened();
          Runnable w = onWindow;
          if (w != null) {
            onWindow = null;
            w.run();
          }
        });
  }

  @Override
  public void cancel() {
    state.cancel(
        new MillraceException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request"));
  }

  @Override
  public void shutdown() {
    goingDown = true;
    serial(this::endIfIdle);
  }

  private void endIfIdle() {
    if (goingDown && !busy) {
      backend.fatal(
          new MillraceException(
              ErrorCode.ADMIN_SHUTDOWN, "terminating connection due to administrator command"));
    }
  }

  @Override
  public void disconnected() {
    gone = true;
    state.cancel(new MillraceException(ErrorCode.CONNECTION_FAILURE, "the client is gone"));
    serial(
        () -> {
          if (!busy) {
            release();
          }
        });
  }

  private void release() {
    closePortals(true);
    statements.clear();
    inbox.clear();
    state.close();
  }

  // ---- the pool's side

  private void run() {
    int missed = 1;
    while (missed != 0) {
      step();
      missed = wanted.addAndGet(-missed);
    }
  }

  private void step() {
    while (true) {
      Runnable c = continuations.poll();
      if (c != null) {
        guard(c);
        continue;
      }
      if (copy != null && !busyInCopy()) {
        InboxMessage m = inbox.take();
        if (m == null) {
          return;
        }
        guard(() -> copyMessage(m));
        continue;
      }
      if (busy) {
        return;
      }
      if (gone) {
        release();
        return;
      }
      InboxMessage m = inbox.take();
      if (m == null) {
        return;
      }
      guard(() -> handle(m));
    }
  }

  /**
   * A failure that no handler caught is a defect; the client hears of it and the session goes on.
   */
  private void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      statementFailed(toError(e));
    }
  }

  static MillraceException toError(Throwable failure) {
    Throwable f = failure;
    while (f instanceof CompletionException && f.getCause() != null) {
      f = f.getCause();
    }
    if (f instanceof MillraceException m) {
      return m;
    }
    if (f instanceof StackOverflowError) {
      return new MillraceException(ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", f)
          .withHint("Write the statement with fewer nested expressions.");
    }
    if (f instanceof OutOfMemoryError) {
      LOG.error("a statement found no memory", f);
      return new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory", f);
    }
    LOG.error("a statement failed by a defect", f);
    return new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + f, f);
  }

  private void handle(InboxMessage message) {
    if (skipping && !(message instanceof InboxMessage.Sync)) {
      return;
    }
    switch (message) {
      case InboxMessage.SimpleQuery(var sql) -> simpleQuery(sql);
      case InboxMessage.Parse p -> {
        extended = true;
        parseMessage(p);
      }
      case InboxMessage.Bind b -> {
        extended = true;
        bindMessage(b);
      }
      case InboxMessage.DescribeStatement(var name) -> {
        extended = true;
        describe(name);
      }
      case InboxMessage.DescribePortal(var name) -> {
        extended = true;
        describePortalNow(name);
      }
      case InboxMessage.Execute(var name, var maxRows) -> {
        extended = true;
        executeMessage(portal(name), maxRows);
      }
      case InboxMessage.CloseStatement(var name) -> {
        statements.remove(name);
        backend.closeComplete();
      }
      case InboxMessage.ClosePortal(var name) -> {
        Portal p = portals.remove(name);
        if (p != null) {
          p.close();
        }
        backend.closeComplete();
      }
      case InboxMessage.Flush() -> backend.flush();
      case InboxMessage.Sync() -> syncMessage();
      case InboxMessage.CopyData c -> {}
      case InboxMessage.CopyDone() -> {}
      case InboxMessage.CopyFail(var m) -> {}
      case Bad(var kind, var error) -> {
        if (kind == 'Q' || kind == 'F') {
          extended = false;
        } else {
          extended = true;
        }
        statementFailed(error);
      }
    }
  }

  // ---- simple protocol

  private void simpleQuery(String sql) {
    extended = false;
    List<Planner.StatementText> texts = services.planner().split(sql);
    portals.remove("");
    if (texts.isEmpty()) {
      backend.emptyQueryResponse();
      ready();
      return;
    }
    busy = true;
    nextStatement(texts, 0);
  }

  private void nextStatement(List<Planner.StatementText> texts, int index) {
    Planner.StatementText t = texts.get(index);
    boolean last = index == texts.size() - 1;
    state.begin(texts.size() == 1);
    state.setActiveQuery(t.text());
    try {
      PreparedStatement p = prepare(t.text(), List.of());
      if (!p.parameters().isEmpty()) {
        throw new MillraceException(ErrorCode.UNDEFINED_PARAMETER, "there is no parameter $1");
      }
      var portal = new Portal(p, literals(p), Formats.TEXT);
      if (p.columns() != null) {
        backend.rowDescription(infos(p.columns()), Formats.TEXT);
      }
      runPortal(
          portal,
          0,
          tag ->
              endStatement(
                  last,
                  () -> {
                    backend.commandComplete(tag);
                    if (last) {
                      ready();
                    } else {
                      nextStatement(texts, index + 1);
                    }
                  }),
          () -> {});
    } catch (RuntimeException | Error e) {
      MillraceException error = toError(e);
      statementFailed(
          error.position() > 0 && t.offset() > 0 ? error.at(error.position() + t.offset()) : error);
    }
  }

  /** Commits an implicit transaction after the last statement of a simple query, then goes on. */
  private void endStatement(boolean last, Runnable next) {
    if (!last || state.explicit()) {
      next.run();
      return;
    }
    var _ =
        state
            .commitImplicit()
            .whenComplete(
                (done, failure) ->
                    serial(
                        () -> {
                          if (failure != null) {
                            statementFailed(toError(failure));
                          } else {
                            next.run();
                          }
                        }));
  }

  private void ready() {
    busy = false;
    running = null;
    extended = false;
    state.reportSettings();
    backend.readyForQuery(state.status());
    if (goingDown && state.status() == TransactionStatus.IDLE) {
      endIfIdle();
    }
  }

  /** Ends the statement under way with an error. */
  void statementFailed(MillraceException error) {
    Portal p = running;
    running = null;
    copy = null;
    onWindow = null;
    busy = false;
    if (p != null) {
      p.close();
    }
    state.statementFailed();
    if (gone) {
      release();
      return;
    }
    backend.error(error);
    if (extended) {
      skipping = true;
      backend.flush();
    } else {
      ready();
    }
  }

  // ---- extended protocol

  private PreparedStatement prepare(String text, List<@Nullable SqlType> declared) {
    if (services.planner().split(text).isEmpty()) {
      return new PreparedStatement(text, null, declared, List.of(), null, 0);
    }
    Planner.Planned planned = services.planner().plan(text, state.planContext(declared));
    if (state.status() == TransactionStatus.FAILED && !endsTransaction(planned)) {
      throw new MillraceException(
          ErrorCode.IN_FAILED_SQL_TRANSACTION,
          "current transaction is aborted, commands ignored until end of transaction block");
    }
    return new PreparedStatement(
        text,
        planned,
        declared,
        planned.parameterTypes(),
        columns(planned),
        state.catalog().version());
  }

  private static boolean endsTransaction(Planner.Planned planned) {
    return planned instanceof Planner.PlannedUtility(var s)
        && (s instanceof Statement.Commit
            || s instanceof Statement.Rollback
            || s instanceof Statement.RollbackToSavepoint);
  }

  private @Nullable List<PlanTemplate.ResultColumn> columns(Planner.Planned planned) {
    return switch (planned) {
      case Planner.PlannedQuery q -> q.template().columns();
      case Planner.PlannedDml d -> d.plan().columns();
      case Planner.PlannedUtility u -> executor.describe(state, u);
    };
  }

  private static List<ColumnInfo> infos(List<PlanTemplate.ResultColumn> columns) {
    var out = new ArrayList<ColumnInfo>(columns.size());
    for (PlanTemplate.ResultColumn c : columns) {
      out.add(new ColumnInfo(c.name(), c.type(), c.tableOid(), c.attribute()));
    }
    return out;
  }

  private void parseMessage(InboxMessage.Parse m) {
    state.begin(false);
    if (services.planner().split(m.sql()).size() > 1) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
    }
    if (!m.name().isEmpty() && statements.containsKey(m.name())) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_PREPARED_STATEMENT,
          "prepared statement \"" + m.name() + "\" already exists");
    }
    var declared = new ArrayList<@Nullable SqlType>();
    for (int oid : m.parameterOids()) {
      declared.add(declaredType(oid));
    }
    statements.put(m.name(), prepare(m.sql(), declared));
    backend.parseComplete();
  }

  private static @Nullable SqlType declaredType(int oid) {
    if (oid == 0 || oid == 705) {
      return null;
    }
    SqlType t = SqlType.ofOid(oid);
    if (t == null) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_OBJECT,
          "type with OID " + Integer.toUnsignedString(oid) + " does not exist");
    }
    return t;
  }

  private PreparedStatement statement(String name) {
    PreparedStatement s = statements.get(name);
    if (s == null) {
      throw new MillraceException(
          ErrorCode.INVALID_SQL_STATEMENT_NAME,
          name.isEmpty()
              ? "unnamed prepared statement does not exist"
              : "prepared statement \"" + name + "\" does not exist");
    }
    return s;
  }

  private Portal portal(String name) {
    Portal p = portals.get(name);
    if (p == null) {
      throw new MillraceException(
          ErrorCode.INVALID_CURSOR_NAME, "portal \"" + name + "\" does not exist");
    }
    return p;
  }

  /** The statement planned again if the catalog has moved under it. */
  private PreparedStatement current(PreparedStatement s) {
    if (s.planned() == null || s.catalogVersion() == state.catalog().version()) {
      return s;
    }
    PreparedStatement again = prepare(s.text(), s.declared());
    List<PlanTemplate.ResultColumn> before = s.columns();
    List<PlanTemplate.ResultColumn> after = again.columns();
    boolean same = (before == null) == (after == null);
    if (before != null && after != null) {
      same = before.size() == after.size();
      for (int i = 0; same && i < before.size(); i++) {
        same =
            before.get(i).name().equals(after.get(i).name())
                && before.get(i).type().equals(after.get(i).type());
      }
    }
    if (!same) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
    }
    return again;
  }

  private void bindMessage(InboxMessage.Bind m) {
    state.begin(false);
    PreparedStatement known = statement(m.statement());
    if (state.status() == TransactionStatus.FAILED
        && known.planned() != null
        && !endsTransaction(known.planned())) {
      throw new MillraceException(
          ErrorCode.IN_FAILED_SQL_TRANSACTION,
          "current transaction is aborted, commands ignored until end of transaction block");
    }
    PreparedStatement s = current(known);
    if (s != known) {
      statements.put(m.statement(), s);
    }
    RawParameters raw = m.parameters();
    if (raw.count() != s.parameters().size()) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION,
          "bind message supplies "
              + raw.count()
              + " parameters, but prepared statement \""
              + m.statement()
              + "\" requires "
              + s.parameters().size());
    }
    List<Vector> values = parameters(raw, s);
    values.addAll(literals(s));
    if (s.columns() != null) {
      m.formats().checkResult(s.columns().size());
    }
    Portal old = portals.remove(m.portal());
    if (old != null) {
      if (!m.portal().isEmpty()) {
        portals.put(m.portal(), old);
        throw new MillraceException(
            ErrorCode.DUPLICATE_CURSOR, "cursor \"" + m.portal() + "\" already exists");
      }
      old.close();
    }
    portals.put(m.portal(), new Portal(s, values, m.formats()));
    backend.bindComplete();
  }

  private static List<Vector> literals(PreparedStatement s) {
    return switch (s.planned()) {
      case null -> List.of();
      case Planner.PlannedQuery q -> q.literals();
      case Planner.PlannedDml d -> d.literals();
      case Planner.PlannedUtility u -> List.of();
    };
  }

  /** One vector per parameter, or, for tuples of an INSERT, per place in the tuple. */
  private List<Vector> parameters(RawParameters raw, PreparedStatement s) {
    int rows = s.planned() instanceof Planner.PlannedDml d && d.tuples() > 0 ? d.tuples() : 1;
    int width = raw.count() / rows;
    var values = new ArrayList<Vector>(width + 8);
    for (int c = 0; c < width; c++) {
      SqlType type = s.parameters().get(c);
      VectorBuilder out = VectorBuilder.of(type, rows);
      TypeCodec codec = TypeCodecs.of(type);
      for (int i = c; i < raw.count(); i += width) {
        parameter(raw, i, codec, out);
      }
      values.add(out.build());
    }
    return values;
  }

  private void parameter(RawParameters raw, int i, TypeCodec codec, VectorBuilder out) {
    if (raw.isNull(i)) {
      out.appendNull();
    } else if (raw.binary(i)) {
      codec.parseBinary(raw.bytes(), raw.offsets()[i], raw.lengths()[i], out);
    } else {
      codec.parseText(
          raw.bytes(), raw.offsets()[i], raw.lengths()[i], out, state.settings().format());
    }
  }

  private void describe(String name) {
    PreparedStatement s = statement(name);
    int[] oids = new int[s.parameters().size()];
    for (int i = 0; i < oids.length; i++) {
      SqlType told = i < s.declared().size() ? s.declared().get(i) : null;
      oids[i] = told != null ? told.oid() : s.parameters().get(i).oid();
    }
    backend.parameterDescription(oids);
    if (s.columns() == null) {
      backend.noData();
    } else {
      backend.rowDescription(infos(s.columns()), Formats.TEXT);
    }
  }

  /** A portal made by Bind, or a cursor made by DECLARE. */
  private void describePortalNow(String name) {
    Portal p = portals.get(name);
    if (p == null) {
      List<PlanTemplate.ResultColumn> cursor = state.prepared().cursorColumns(name);
      if (cursor != null) {
        backend.rowDescription(infos(cursor), Formats.TEXT);
        return;
      }
      p = portal(name);
    }
    List<PlanTemplate.ResultColumn> columns = p.statement.columns();
    if (columns == null) {
      backend.noData();
    } else {
      backend.rowDescription(infos(columns), p.formats);
    }
  }

  private void executeMessage(Portal p, int maxRows) {
    state.begin(false);
    state.setActiveQuery(p.statement.text());
    busy = true;
    runPortal(
        p,
        maxRows,
        tag -> {
          busy = false;
          running = null;
          if (tag.isEmpty()) {
            backend.emptyQueryResponse();
          } else {
            backend.commandComplete(tag);
          }
        },
        () -> {
          busy = false;
          running = null;
          backend.portalSuspended();
        });
  }

  private void syncMessage() {
    extended = false;
    if (skipping) {
      skipping = false;
      closePortals(!state.explicit());
      ready();
      return;
    }
    if (state.explicit()) {
      ready();
      return;
    }
    busy = true;
    closePortals(true);
    endStatement(true, this::ready);
  }

  private void closePortals(boolean all) {
    if (all) {
      portals.values().forEach(Portal::close);
      portals.clear();
    }
  }

  /** All portals end with their transaction. */
  void transactionEnded() {
    Portal r = running;
    portals
        .values()
        .removeIf(
            p -> {
              if (p != r) {
                p.close();
              }
              return p != r;
            });
  }

  // ---- running portals

  private interface TagConsumer {
    void accept(String tag);
  }

  private void runPortal(Portal p, int maxRows, TagConsumer done, Runnable suspended) {
    running = p;
    switch (p.statement.planned()) {
      case null -> done.accept("");
      case Planner.PlannedQuery q -> runQuery(p, q, maxRows, done, suspended);
      case Planner.PlannedDml d -> runOther(p, d, maxRows, done, suspended);
      case Planner.PlannedUtility u -> runOther(p, u, maxRows, done, suspended);
    }
  }

  private void runQuery(
      Portal p, Planner.PlannedQuery q, int maxRows, TagConsumer done, Runnable suspended) {
    if (p.finished) {
      done.accept("SELECT 0");
      return;
    }
    long demand = maxRows <= 0 ? Long.MAX_VALUE : maxRows;
    StreamSink known = p.sink;
    if (known != null && p.query != null) {
      p.onEnd = end -> queryEnded(p, end, done, suspended);
      state.onCancel(p.query::cancel);
      state.startTimer();
      p.query.demand(demand);
      return;
    }
    List<SqlType> types = new ArrayList<>();
    for (PlanTemplate.ResultColumn c : q.template().columns()) {
      types.add(c.type());
    }
    RowEncoder encoder = backend.rowEncoder(types, p.formats, state.outputFormat());
    p.onEnd = end -> queryEnded(p, end, done, suspended);
    var sink =
        new StreamSink(
            backend,
            encoder,
            end -> serial(() -> p.onEnd.accept(end)),
            error -> serial(() -> queryFailed(p, error)));
    p.sink = sink;
    var query = services.queries().open(q.template(), state.queryContext(p.parameters), sink);
    p.query = query;
    state.onCancel(query::cancel);
    state.startTimer();
    query.demand(demand);
  }

  private void queryFailed(Portal p, MillraceException error) {
    state.onCancel(null);
    if (running == p) {
      statementFailed(error);
    } else {
      p.close();
    }
  }

  private void queryEnded(Portal p, StreamSink.End end, TagConsumer done, Runnable suspended) {
    if (running != p || p.sink == null) {
      return;
    }
    if (!p.sink.drain() && !backend.closed()) {
      onWindow = () -> queryEnded(p, end, done, suspended);
      if (backend.ready()) {
        Runnable again = onWindow;
        onWindow = null;
        again.run();
      }
      return;
    }
    state.onCancel(null);
    if (end == StreamSink.End.SUSPENDED) {
      p.sink.takeCount();
      suspended.run();
    } else {
      p.finished = true;
      long n = p.sink.takeCount();
      p.close();
      done.accept("SELECT " + n);
    }
  }

  private void runOther(
      Portal p, Planner.Planned planned, int maxRows, TagConsumer done, Runnable suspended) {
    Outcome known = p.outcome;
    if (known != null) {
      deliver(p, known, maxRows, done, suspended);
      return;
    }
    state.startTimer();
    CompletableFuture<Outcome> result;
    try {
      result = executor.execute(state, planned, p.statement.text(), p.parameters);
    } catch (RuntimeException | Error e) {
      state.onCancel(null);
      statementFailed(toError(e));
      return;
    }
    var _ =
        result.whenComplete(
            (outcome, failure) ->
                serial(
                    () -> {
                      state.onCancel(null);
                      if (failure != null) {
                        statementFailed(toError(failure));
                      } else {
                        p.outcome = outcome;
                        deliver(p, outcome, maxRows, done, suspended);
                      }
                    }));
  }

  private void deliver(
      Portal p, Outcome outcome, int maxRows, TagConsumer done, Runnable suspended) {
    if (!(outcome instanceof Outcome.Rows r)) {
      done.accept(outcome.tag());
      return;
    }
    RowEncoder encoder = p.encoder;
    if (encoder == null) {
      List<SqlType> types = new ArrayList<>();
      for (PlanTemplate.ResultColumn c : r.columns()) {
        types.add(c.type());
      }
      encoder = backend.rowEncoder(types, p.formats, state.outputFormat());
      p.encoder = encoder;
    }
    send(p, r, encoder, maxRows <= 0 ? Long.MAX_VALUE : maxRows, done, suspended);
  }

  private void send(
      Portal p,
      Outcome.Rows r,
      RowEncoder encoder,
      long allowed,
      TagConsumer done,
      Runnable suspended) {
    long left = allowed;
    while (p.batch < r.batches().size()) {
      if (left == 0) {
        suspended.run();
        return;
      }
      var b = r.batches().get(p.batch);
      int count = (int) Math.min(left, b.rows() - p.row);
      if (count > 0) {
        if (!backend.ready() && !backend.closed()) {
          long rest = left;
          onWindow = () -> send(p, r, encoder, rest, done, suspended);
          if (backend.ready()) {
            Runnable again = onWindow;
            onWindow = null;
            again.run();
          }
          return;
        }
        int taken = backend.dataRows(encoder, b, p.row, count);
        p.row += taken;
        left -= taken;
      }
      if (p.row == b.rows()) {
        p.batch++;
        p.row = 0;
      }
    }
    done.accept(r.tag());
  }

  // ---- COPY

  /** Gives COPY messages to the handler from now on. */
  CompletableFuture<Outcome> copyIn(SessionContext.CopyHandler handler) {
    var outcome = new CompletableFuture<Outcome>();
    copy = new CopyState(handler, outcome, new boolean[1]);
    return outcome;
  }

  private boolean busyInCopy() {
    CopyState c = copy;
    return c != null && c.waiting[0];
  }

  private void copyMessage(InboxMessage message) {
    CopyState c = copy;
    if (c == null) {
      return;
    }
    switch (message) {
      case InboxMessage.CopyData(var data, var offset, var length) -> {
        CompletableFuture<?> taken;
        try {
          taken = c.handler.data(data, offset, length);
        } catch (RuntimeException | Error e) {
          endCopy(c, null, toError(e));
          return;
        }
        if (taken.isDone() && !taken.isCompletedExceptionally()) {
          return;
        }
        c.waiting[0] = true;
        var _ =
            taken.whenComplete(
                (v, failure) ->
                    serial(
                        () -> {
                          c.waiting[0] = false;
                          if (failure != null) {
                            endCopy(c, null, toError(failure));
                          }
                        }));
      }
      case InboxMessage.CopyDone() -> {
        copy = null;
        CompletableFuture<Outcome> done;
        try {
          done = c.handler.done();
        } catch (RuntimeException | Error e) {
          c.outcome.completeExceptionally(toError(e));
          return;
        }
        var _ =
            done.whenComplete(
                (o, failure) -> {
                  if (failure != null) {
                    c.outcome.completeExceptionally(toError(failure));
                  } else {
                    c.outcome.complete(o);
                  }
                });
      }
      case InboxMessage.CopyFail(var text) ->
          endCopy(
              c,
              null,
              new MillraceException(ErrorCode.QUERY_CANCELED, "COPY from stdin failed: " + text));
      case Bad(var kind, var error) -> endCopy(c, null, error);
      case InboxMessage.Flush() -> {}
      case InboxMessage.Sync() -> {}
      case InboxMessage.SimpleQuery q -> endCopy(c, q, unexpected());
      case InboxMessage.Parse q -> endCopy(c, q, unexpected());
      case InboxMessage.Bind q -> endCopy(c, q, unexpected());
      case InboxMessage.DescribeStatement q -> endCopy(c, q, unexpected());
      case InboxMessage.DescribePortal q -> endCopy(c, q, unexpected());
      case InboxMessage.Execute q -> endCopy(c, q, unexpected());
      case InboxMessage.CloseStatement q -> endCopy(c, q, unexpected());
      case InboxMessage.ClosePortal q -> endCopy(c, q, unexpected());
    }
  }

  private static MillraceException unexpected() {
    return new MillraceException(
        ErrorCode.PROTOCOL_VIOLATION, "unexpected message type during COPY from stdin");
  }

  private void endCopy(CopyState c, @Nullable InboxMessage next, MillraceException error) {
    if (copy == c) {
      copy = null;
    }
    c.outcome.completeExceptionally(error);
    if (next != null) {
      serial(() -> guard(() -> handle(next)));
    }
  }
}

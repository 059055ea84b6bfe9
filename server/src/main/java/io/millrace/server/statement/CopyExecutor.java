package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.copy.BatchCopyParser;
import io.millrace.common.copy.CopyOptions;
import io.millrace.common.copy.CopyParser;
import io.millrace.common.copy.CopyWriter;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.storage.ParquetFiles;
import io.millrace.storage.ParquetReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * COPY FROM STDIN and TO STDOUT, and from and to files. What comes in is parsed into column vectors
 * as it arrives, completed with defaults, checked, and committed as one statement; what goes out is
 * written from a query's batches.
 */
final class CopyExecutor {
  private final StatementServices services;
  private final DmlSupport dml;
  private final InsertExecutor insert;
  private final CopyFolder folder;

  CopyExecutor(StatementServices services, DmlSupport dml, InsertExecutor insert) {
    this.services = services;
    this.dml = dml;
    this.insert = insert;
    folder = new CopyFolder(services.copyFolder());
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.Copy s) {
    String name = s.file();
    if (name != null) {
      CopyRange range = CopyRange.of(s.options());
      CompletableFuture<Long> rows =
          s.from() ? inFiles(session, s, name, range) : outFile(session, s, name, range);
      return Async.map(session, rows, n -> new Outcome.Done("COPY " + n));
    }
    return s.from() ? in(session, s) : out(session, s);
  }

  /** Every table of a database and its file in a folder, one after another, as one statement. */
  CompletableFuture<Outcome> database(SessionContext session, Statement.CopyDatabase s) {
    List<TableInfo> named = tables(session, s.database());
    CopyRange range = CopyRange.of(withForm(s.options()));
    String end = CopyFile.end(range.rest());
    var tables = new TreeMap<String, TableInfo>();
    for (TableInfo t : named) {
      String file = s.folder() + "/" + t.name() + end;
      if (!s.from() || folder.exists(file)) {
        tables.put(file, t);
      }
    }
    if (s.from() && tables.isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_FILE,
          "there are no files of tables in \"" + s.folder() + "\" that end with " + end);
    }
    CompletableFuture<Long> all = CompletableFuture.completedFuture(0L);
    for (Map.Entry<String, TableInfo> e : tables.entrySet()) {
      all =
          Async.then(
              session,
              all,
              n -> one(session, s, e.getKey(), e.getValue(), range, n).thenApply(rows -> n + rows));
    }
    return Async.map(session, all, n -> new Outcome.Done("COPY " + n));
  }

  /** The tables of a schema of that name, else those of a database's public. */
  private static List<TableInfo> tables(SessionContext session, Name name) {
    var catalog = session.catalog();
    String own = session.database();
    boolean isSchema = catalog.schemas(own).stream().anyMatch(x -> x.name().equals(name.text()));
    String database =
        isSchema
            ? own
            : catalog
                .database(name.text())
                .orElseThrow(
                    () ->
                        new MillraceException(
                                ErrorCode.INVALID_CATALOG_NAME,
                                "database \"" + name.text() + "\" does not exist")
                            .at(name.position()))
                .name();
    String schema = isSchema ? name.text() : "public";
    return catalog.tables(database).stream().filter(t -> t.schema().equals(schema)).toList();
  }

  /** One table of a database; times bound those that have a TIME INDEX. */
  private CompletableFuture<Long> one(
      SessionContext session,
      Statement.CopyDatabase s,
      String file,
      TableInfo t,
      CopyRange range,
      long before) {
    var one =
        new Statement.Copy(
            new QualifiedName(List.of(t.database(), t.schema(), t.name()), 0),
            List.of(),
            null,
            s.from(),
            file,
            s.options(),
            null);
    CopyRange mine = t.timeIndex().isPresent() ? range : range.unbounded();
    if (!s.from()) {
      return outFile(session, one, file, mine);
    }
    return before >= range.limit()
        ? CompletableFuture.completedFuture(0L)
        : inFile(session, one, CopyFile.of(file, range.rest()), mine.lessThan(before));
  }

  /** Databases go as Parquet unless another form is said. */
  private static List<Option> withForm(List<Option> given) {
    if (given.stream().anyMatch(o -> o.key().equalsIgnoreCase("format"))) {
      return given;
    }
    var out = new ArrayList<>(given);
    out.add(new Option("format", "parquet", 0));
    return out;
  }

  private static List<CopyOptions.Option> options(List<Option> given) {
    var out = new ArrayList<CopyOptions.Option>();
    for (Option o : given) {
      String v = o.value();
      List<String> columns =
          v == null || !o.key().startsWith("force_")
              ? List.of()
              : List.of(v.split("\\s*,\\s*", -1));
      out.add(new CopyOptions.Option(o.key(), v, columns));
    }
    return out;
  }

  /** The named columns, or all. */
  private static List<TableInfo.Column> columns(TableInfo table, List<Name> names) {
    if (names.isEmpty()) {
      return table.columns().stream().filter(c -> !c.isComputed()).toList();
    }
    var out = new ArrayList<TableInfo.Column>();
    var seen = new HashSet<String>();
    for (Name n : names) {
      if (!seen.add(n.text())) {
        throw new MillraceException(
                ErrorCode.DUPLICATE_COLUMN, "column \"" + n.text() + "\" specified more than once")
            .at(n.position());
      }
      out.add(
          table
              .column(n.text())
              .orElseThrow(
                  () ->
                      Names.hinted(
                          new MillraceException(
                                  ErrorCode.UNDEFINED_COLUMN,
                                  "column \""
                                      + n.text()
                                      + "\" of relation \""
                                      + table.name()
                                      + "\" does not exist")
                              .at(n.position()),
                          n.text(),
                          table.columns().stream().map(TableInfo.Column::name).toList())));
    }
    return out;
  }

  // ---- in

  private CompletableFuture<Outcome> in(SessionContext session, Statement.Copy s) {
    TableInfo table = target(session, s);
    In handler = new In(session, s, table, columns(table, s.columns()), s.options(), ALL, null);
    boolean binary =
        switch (handler.format) {
          case BINARY, ARROW -> true;
          case TEXT, CSV -> false;
        };
    session.backend().copyInResponse(handler.names.size(), binary);
    CompletableFuture<Outcome> result = session.copyIn(handler);
    var _ = result.whenComplete((o, failure) -> handler.releaseMemory());
    session.onCancel(result::completeExceptionally);
    return result;
  }

  /** The file, or the files of a folder one after another. */
  private CompletableFuture<Long> inFiles(
      SessionContext session, Statement.Copy s, String name, CopyRange range) {
    CompletableFuture<Long> all = CompletableFuture.completedFuture(0L);
    for (String file : folder.files(name, range.pattern())) {
      CopyFile form = CopyFile.of(file, range.rest());
      all =
          Async.then(
              session,
              all,
              n ->
                  n >= range.limit()
                      ? CompletableFuture.completedFuture(n)
                      : inFile(session, s, form, range.lessThan(n)).thenApply(rows -> n + rows));
    }
    return all;
  }

  private CompletableFuture<Long> inFile(
      SessionContext session, Statement.Copy s, CopyFile file, CopyRange range) {
    TableInfo table = target(session, s);
    List<TableInfo.Column> columns = columns(table, s.columns());
    Path path = folder.existing(file.name());
    if (file.form() == CopyFile.Form.PARQUET) {
      ParquetReader reader = ParquetFiles.open(path);
      try {
        List<TableInfo.Column> there = s.columns().isEmpty() ? among(columns, reader) : columns;
        var handler = new In(session, s, table, there, file.options(), range, reader);
        return pumped(session, handler, new CopyParquetReader(handler, reader));
      } catch (RuntimeException e) {
        reader.close();
        throw e;
      }
    }
    var handler = new In(session, s, table, columns, file.options(), range, null);
    JsonLines json = file.json() ? new JsonLines(table.name(), handler.names) : null;
    return pumped(session, handler, new CopyFileReader(handler, path, file, json));
  }

  private CompletableFuture<Long> pumped(SessionContext session, In handler, CopySource source) {
    var pump = new CopyPump(session, handler, source);
    session.onCancel(pump::cancel);
    CompletableFuture<Long> result = pump.start().thenApply(o -> handler.rows);
    var _ =
        result.whenComplete(
            (o, failure) -> {
              source.close();
              handler.releaseMemory();
            });
    return result;
  }

  /** Columns of the table that the file has, by name; the others get their defaults. */
  private static List<TableInfo.Column> among(
      List<TableInfo.Column> columns, ParquetReader reader) {
    List<TableInfo.Column> there =
        columns.stream().filter(c -> reader.names().contains(c.name())).toList();
    if (there.isEmpty()) {
      throw new MillraceException(
          ErrorCode.BAD_COPY_FILE_FORMAT, "the file has none of the table's columns");
    }
    return there;
  }

  private static TableInfo target(SessionContext session, Statement.Copy s) {
    DmlSupport.requireWritable(session, "COPY FROM");
    var target = s.table();
    if (target == null) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, "COPY FROM needs a table");
    }
    return Names.table(session, target);
  }

  private static DmlPlan.Insert plan(TableInfo table) {
    return new DmlPlan.Insert(
        table,
        EMPTY,
        List.of(), // checked as the lines come, to say which one is wrong
        Optional.empty(),
        false,
        Optional.empty());
  }

  /** What COPY FROM wants of rows; null = all of them. */
  private @Nullable Expr filter(
      Statement.Copy s, TableInfo table, CopyRange range, Planner.PlanContext context) {
    var where = s.where();
    String times = range.condition(table);
    if (where == null) {
      return times == null ? null : services.planner().planCheck(times, table, context);
    }
    String text = times == null ? where.text() : "(" + where.text() + ") AND " + times;
    return services.planner().planCheck(text, table, context);
  }

  private static final CopyRange ALL = CopyRange.of(List.of());

  private static final PlanTemplate EMPTY =
      new PlanTemplate(
          new PhysicalPlan.Values(List.of(), List.of()), List.of(), List.of(), List.of(), Map.of());

  /** One COPY FROM, of STDIN or a file. */
  private final class In implements CopyRows {
    private final SessionContext session;
    private final TableInfo table;
    private final DmlPlan.Insert plan;
    private final List<DmlPlan.Check> checks;
    private final boolean stages;
    private final CopyParser parser;
    private final long limit;
    private final CopyOptions.Format format;
    private final List<String> names;

    /** What rows must be; null = anything. */
    private final @Nullable Expr filter;

    private final int[] places;
    private final List<Expr> defaults;

    /** GENERATED … STORED columns by place. */
    private final Map<Integer, Expr> computed = new LinkedHashMap<>();

    private final EvalContext evalContext;
    private final List<Batch> batches = new ArrayList<>();

    private final InsertExecutor.Pieces keyed;

    /** Lines of a piece's rows, where errors of keys will ask for them. */
    private long[] lines = new long[0];

    private int pieceRows;

    private final AtomicLong charged = new AtomicLong();
    private long bytes;
    private long rows;

    /** The last piece being written ahead; the next is parsed meanwhile. */
    private CompletableFuture<Boolean> staging = CompletableFuture.completedFuture(true);

    In(
        SessionContext session,
        Statement.Copy s,
        TableInfo table,
        List<TableInfo.Column> columns,
        List<Option> given,
        CopyRange range,
        @Nullable ParquetReader reader) {
      Planner.PlanContext context = session.planContext(List.of());
      this.session = session;
      this.filter = filter(s, table, range, context);
      this.limit = range.limit();
      this.table = table;
      this.plan = plan(table);
      this.checks = services.planner().planChecks(table, context);
      this.stages = InsertExecutor.stages(plan);
      this.keyed = insert.new Pieces(session, plan, List.of());
      this.evalContext = dml.evalContext(session);
      this.names = columns.stream().map(TableInfo.Column::name).toList();
      CopyOptions options = CopyOptions.parse(options(given), true, names);
      this.format = options.format();
      this.parser = parser(options, columns.stream().map(TableInfo.Column::type).toList(), reader);
      this.places = new int[table.columns().size()];
      boolean complete = true;
      for (int i = 0; i < places.length; i++) {
        places[i] = names.indexOf(table.columns().get(i).name());
        complete &= places[i] >= 0;
      }
      for (int i = 0; i < places.length; i++) {
        TableInfo.Column c = table.columns().get(i);
        if (!c.isComputed()) {
          continue;
        }
        if (places[i] >= 0) {
          throw new MillraceException(
                  ErrorCode.INVALID_COLUMN_REFERENCE,
                  "column \"" + c.name() + "\" is a generated column")
              .withDetail("Generated columns cannot be used in COPY.");
        }
        computed.put(
            i,
            services
                .planner()
                .planGenerated(c.defaultSql().orElseThrow(), table, c.type(), context));
      }
      this.defaults = complete ? List.of() : services.planner().planDefaults(table, context);
    }

    private CopyParser parser(
        CopyOptions options, List<SqlType> types, @Nullable ParquetReader reader) {
      var form = session.settings().format();
      return reader == null
          ? CopyParser.of(
              options,
              table.name(),
              names,
              types,
              form,
              session.transaction()::startMicros,
              Batch.ROWS)
          : new BatchCopyParser(
              table.name(),
              reader.names(),
              reader.types(),
              names,
              types,
              form,
              session.transaction()::startMicros,
              Batch.ROWS);
    }

    @Override
    public boolean satisfied() {
      return rows >= limit;
    }

    @Override
    public CompletableFuture<?> rows(Batch batch) {
      var columnar = (BatchCopyParser) parser;
      columnar.put(batch);
      boolean more;
      do {
        keep();
        more = columnar.more();
      } while (more || parser.rows() > 0);
      return piece();
    }

    @Override
    public CompletableFuture<?> data(byte[] data, int offset, int length) {
      feed(data, offset, length);
      return piece();
    }

    /** Writes a piece ahead once it is large enough. */
    private CompletableFuture<?> piece() {
      if (bytes < dml.pieceBytes()) {
        return CompletableFuture.completedFuture(null);
      }
      List<Batch> full = List.copyOf(batches);
      RowChecks.Origin origin = origin();
      long piece = bytes;
      batches.clear();
      bytes = 0;
      CompletableFuture<Boolean> before = staging;
      staging =
          Async.then(
                  session,
                  before,
                  v ->
                      stages
                          ? insert.stage(session, plan, full, List.of())
                          : keyed.add(full, origin))
              .whenComplete((v, failure) -> release(piece));
      return before;
    }

    /** Says of rows of the piece at hand in which lines they were; the next piece begins. */
    private RowChecks.Origin origin() {
      long[] mine = lines;
      lines = new long[0];
      pieceRows = 0;
      return (e, row) -> e.withWhere(CopyParser.where(table.name(), mine[row]));
    }

    private void feed(byte[] data, int offset, int length) {
      int at = offset;
      int end = offset + length;
      while (at < end) {
        at += parser.feed(data, at, end - at);
        if (parser.full()) {
          keep();
        } else if (at < end && parser.rows() == 0) {
          break;
        }
      }
    }

    void releaseMemory() {
      services.writeMemory().release(charged.getAndSet(0));
    }

    /** Gives back what a piece was charged, unless all has been. */
    private void release(long piece) {
      long before = charged.getAndUpdate(c -> Math.max(0, c - piece));
      services.writeMemory().release(Math.min(before, piece));
    }

    private void keep() {
      if (parser.rows() == 0) {
        return;
      }
      Batch all = complete(parser.take());
      int[] wanted = wanted(all);
      Batch b = wanted == null ? all : taken(all, wanted);
      keepLines(b.rows(), wanted);
      if (b.rows() == 0) {
        return;
      }
      rows += b.rows();
      long size = b.byteSize();
      services.writeMemory().reserve(size);
      bytes += size;
      charged.addAndGet(size);
      if (bytes > services.memoryPerQuery()) {
        throw new MillraceException(
                ErrorCode.OUT_OF_MEMORY,
                "COPY of table \""
                    + table.name()
                    + "\" needs more than "
                    + services.memoryPerQuery()
                    + " bytes of memory")
            .withHint("Send the rows in several COPY statements, or raise query.memory_per_query.");
      }
      RowChecks.Origin origin =
          (e, row) -> e.withWhere(parser.where(wanted == null ? row : wanted[row]));
      RowChecks.notNull(table, b, evalContext.format(), origin);
      RowChecks.checks(table, checks, b, List.of(), services.evaluator(), evalContext, origin);
      batches.add(b);
    }

    /** The rows that are taken; null = all. */
    private int @Nullable [] wanted(Batch all) {
      int[] holding = holding(all);
      long room = limit - rows;
      int n = holding == null ? all.rows() : holding.length;
      if (n <= room) {
        return holding;
      }
      return Arrays.copyOf(
          holding == null ? IntStream.range(0, (int) room).toArray() : holding, (int) room);
    }

    private int @Nullable [] holding(Batch all) {
      if (filter == null) {
        return null;
      }
      var holds =
          (BoolVector) services.evaluator().compile(filter, List.of(), evalContext).evaluate(all);
      int[] out = new int[all.rows()];
      int n = 0;
      for (int i = 0; i < out.length; i++) {
        int at = holds.length() == out.length ? i : 0;
        if (!holds.isNull(at) && holds.get(at)) {
          out[n++] = i;
        }
      }
      return Arrays.copyOf(out, n);
    }

    private static Batch taken(Batch all, int[] rows) {
      var out = new ArrayList<Vector>(all.columns().size());
      for (Vector v : all.columns()) {
        out.add(v.take(rows, rows.length));
      }
      return new Batch(out, rows.length);
    }

    private void keepLines(int count, int @Nullable [] wanted) {
      if (stages) {
        return;
      }
      int at = pieceRows;
      pieceRows += count;
      if (at + count > lines.length) {
        lines = Arrays.copyOf(lines, Math.max(at + count, 2 * lines.length));
      }
      for (int i = 0; i < count; i++) {
        lines[at + i] = parser.line(wanted == null ? i : wanted[i]);
      }
    }

    /** The table's columns in order: those of the data, and defaults for the rest. */
    private Batch complete(Batch given) {
      Batch whole = withDefaults(given);
      if (computed.isEmpty()) {
        return whole;
      }
      var out = new ArrayList<>(whole.columns());
      computed.forEach(
          (place, e) ->
              out.set(
                  place, services.evaluator().compile(e, List.of(), evalContext).evaluate(whole)));
      return new Batch(out, whole.rows());
    }

    private Batch withDefaults(Batch given) {
      var out = new ArrayList<Vector>(places.length);
      for (int i = 0; i < places.length; i++) {
        if (places[i] >= 0) {
          out.add(given.column(places[i]));
        } else {
          Vector one =
              services
                  .evaluator()
                  .compile(defaults.get(i), List.of(), evalContext)
                  .evaluate(new Batch(List.of(), given.rows()));
          out.add(one.length() == given.rows() ? one : repeat(one, given.rows()));
        }
      }
      return new Batch(out, given.rows());
    }

    private static Vector repeat(Vector one, int rows) {
      VectorBuilder b = VectorBuilder.of(one.type(), rows);
      for (int i = 0; i < rows; i++) {
        b.append(one, 0);
      }
      return b.build();
    }

    @Override
    public CompletableFuture<Outcome> done() {
      if (!satisfied()) {
        parser.finish();
      }
      keep();
      return Async.then(
              session,
              staging,
              v -> {
                releaseMemory(); // the transaction's buffer takes them over, and is charged
                return insert.write(session, plan, batches, List.of(), origin());
              })
          .thenApply(o -> new Outcome.Done("COPY " + rows));
    }
  }

  // ---- out

  private CompletableFuture<Long> outFile(
      SessionContext session, Statement.Copy s, String name, CopyRange range) {
    CopyFile file = CopyFile.of(name, range.rest());
    Planner.PlanContext context = session.planContext(List.of());
    Planner.PlannedQuery query;
    if (file.json()) {
      var source = s.query();
      query =
          services
              .planner()
              .planQuery(
                  "SELECT row_to_json(copied)::text FROM ("
                      + (source == null ? select(session, s, range) : source.text())
                      + "\n) AS copied",
                  context);
    } else {
      query = query(session, s, range, context);
    }
    if (s.query() != null && range.bounded()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "start_time and end_time are for COPY of a table");
    }
    var out =
        new CopyFileWriter(
            file,
            folder.target(file.name()),
            Integer.toString(session.processId()),
            form(session, query, file));
    QueryEngine.Query running;
    try {
      running =
          services.queries().open(query.template(), session.queryContext(query.literals()), out);
    } catch (RuntimeException e) {
      out.discard();
      throw e;
    }
    out.onFailure(running::cancel);
    session.onCancel(running::cancel);
    running.demand(Long.MAX_VALUE);
    return Async.<Void, Long>map(
            session,
            out.done(),
            v -> {
              running.close();
              return out.publish();
            })
        .whenComplete(
            (o, failure) -> {
              if (failure != null) {
                out.discard();
              }
            });
  }

  /** What the rows of a file become. */
  private static CopyFileWriter.Form form(
      SessionContext session, Planner.PlannedQuery query, CopyFile file) {
    return switch (file.form()) {
      case JSON -> new CopyFileWriter.Lines();
      case ROWS -> new CopyFileWriter.Rows(writer(session, query, file.options()));
      case PARQUET -> {
        List<PlanTemplate.ResultColumn> columns = query.template().columns();
        var names = new ArrayList<String>();
        for (PlanTemplate.ResultColumn c : columns) {
          if (names.contains(c.name())) {
            throw new MillraceException(
                ErrorCode.DUPLICATE_COLUMN, "column \"" + c.name() + "\" specified more than once");
          }
          names.add(c.name());
        }
        yield new CopyFileWriter.Parquet(
            names, columns.stream().map(PlanTemplate.ResultColumn::type).toList());
      }
    };
  }

  private Planner.PlannedQuery query(
      SessionContext session, Statement.Copy s, CopyRange range, Planner.PlanContext context) {
    var source = s.query();
    return source != null
        ? services.planner().planQuery(source, context)
        : services.planner().planQuery(select(session, s, range), context);
  }

  private static CopyWriter writer(
      SessionContext session, Planner.PlannedQuery query, List<Option> given) {
    List<PlanTemplate.ResultColumn> columns = query.template().columns();
    List<String> names = columns.stream().map(PlanTemplate.ResultColumn::name).toList();
    List<SqlType> types = columns.stream().map(PlanTemplate.ResultColumn::type).toList();
    CopyOptions options = CopyOptions.parse(options(given), false, names);
    return new CopyWriter(options, names, types, session.settings().format());
  }

  /** The query that gives the rows of the statement's table. */
  private static String select(SessionContext session, Statement.Copy s, CopyRange range) {
    var target = s.table();
    if (target != null) {
      if (Names.findTable(session, target).isEmpty()
          && Names.findView(session, target).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "cannot copy from view \"" + target.name() + "\"")
            .withHint("Try the COPY (SELECT ...) TO variant.");
      }
      TableInfo table = Names.table(session, target);
      String list =
          String.join(
              ", ",
              columns(table, s.columns()).stream()
                  .map(c -> '"' + c.name().replace("\"", "\"\"") + '"')
                  .toList());
      String name =
          String.join(
              ".",
              List.of(table.database(), table.schema(), table.name()).stream()
                  .map(n -> '"' + n.replace("\"", "\"\"") + '"')
                  .toList());
      String times = range.condition(table);
      return "SELECT " + list + " FROM " + name + (times == null ? "" : " WHERE " + times);
    }
    throw new MillraceException(ErrorCode.SYNTAX_ERROR, "COPY TO needs a table or a query");
  }

  private CompletableFuture<Outcome> out(SessionContext session, Statement.Copy s) {
    Planner.PlannedQuery query = query(session, s, ALL, session.planContext(List.of()));
    CopyWriter writer = writer(session, query, s.options());
    boolean binary = writer.isBinary();
    int columns = query.template().columns().size();
    session.backend().copyOutResponse(columns, binary || writer.byBatch());
    var out = new Out(session, writer);
    out.start(binary);
    QueryEngine.Query running =
        services.queries().open(query.template(), session.queryContext(query.literals()), out);
    session.onCancel(running::cancel);
    session.onWindow(running::wake);
    running.demand(Long.MAX_VALUE);
    return Async.map(
        session,
        out.done,
        v -> {
          session.onWindow(null);
          running.close();
          out.finish();
          return new Outcome.Done("COPY " + out.rows);
        });
  }

  /** Rows of a running query as COPY data. */
  private static final class Out implements QueryEngine.ResultSink {
    private final SessionContext session;
    private final CopyWriter writer;
    private final ByteSink bytes = new ByteSink(64 << 10);
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private long rows;

    Out(SessionContext session, CopyWriter writer) {
      this.session = session;
      this.writer = writer;
    }

    /** A header line is a message of its own; the binary signature goes with the first row. */
    void start(boolean binary) {
      writer.begin(bytes);
      if (!binary) {
        send();
      }
    }

    private void send() {
      if (bytes.position() > 0) {
        session.backend().copyOutData(bytes.array(), 0, bytes.position());
        bytes.clear();
      }
    }

    @Override
    public boolean ready() {
      return session.backend().ready();
    }

    @Override
    public void rows(Batch batch, int from, int count) {
      if (writer.byBatch()) {
        writer.batch(batch, from, count, bytes);
        send();
        rows += count;
        return;
      }
      int[] ends = new int[count];
      int first = 0;
      for (int r = 0; r < count; r++) {
        writer.row(batch, from + r, bytes);
        ends[r - first] = bytes.position();
        if (bytes.position() > 32 << 10 || r == count - 1) {
          flushRows(ends, r - first + 1);
          first = r + 1;
        }
      }
      rows += count;
    }

    private void flushRows(int[] ends, int count) {
      int sent = 0;
      while (sent < count) {
        sent += session.backend().copyOutRows(bytes.array(), ends, sent, count - sent);
        if (session.backend().closed()) {
          break;
        }
      }
      bytes.clear();
    }

    void finish() {
      writer.end(bytes);
      send();
      session.backend().copyDone();
    }

    @Override
    public void suspended() {}

    @Override
    public void completed() {
      done.complete(null);
    }

    @Override
    public void failed(MillraceException error) {
      done.completeExceptionally(error);
    }
  }
}

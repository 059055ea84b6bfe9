package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.server.config.ConfigReload;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.storage.GarbageReport;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.SstInfo;
import io.millrace.storage.Truncation;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** ADMIN functions. Each gives one row with one number. */
final class AdminExecutor {
  private static final List<String> KNOWN =
      List.of(
          "build_index",
          "collect_garbage",
          "compact_region",
          "compact_table",
          "drop_damaged_sst",
          "flush_flow",
          "flush_region",
          "flush_table",
          "kill",
          "reload_config",
          "truncate_unflushed");

  private static final Pattern COMPACTED =
      Pattern.compile("(?i)\\d+|window\\s*=\\s*\\d+|(start|end)_time\\s*=\\s*\\S.*");

  /** What changes no rows: these give 0. */
  private static final Set<String> COUNTLESS =
      Set.of("build_index", "compact_region", "compact_table", "flush_region", "flush_table");

  /** Files younger than this stay: somebody may be about to use them. */
  private static final long HOUR = 3_600_000_000L;

  private final StatementServices services;
  private final DmlSupport dml;

  AdminExecutor(StatementServices services, DmlSupport dml) {
    this.services = services;
    this.dml = dml;
  }

  List<PlanTemplate.ResultColumn> describe(Statement.Admin s) {
    return List.of(
        new PlanTemplate.ResultColumn(s.function().toLowerCase(Locale.ROOT), SqlType.INT8, 0, 0));
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.Admin s) {
    List<String> arguments = arguments(session, s.arguments());
    String function = s.function().toLowerCase(Locale.ROOT);
    CompletableFuture<Long> result =
        switch (function) {
          case "flush_table" ->
              services.tables().flush(Names.table(session, Names.parse(one(s, arguments))));
          case "flush_region" ->
              services
                  .engine()
                  .request(new RegionRequest.Flush(region(one(s, arguments)), "manual"))
                  .thenApply(r -> r.rows());
          case "compact_table" ->
              services
                  .tables()
                  .compact(
                      Names.table(session, Names.parse(upToThree(s, arguments))),
                      strict(arguments));
          case "compact_region" ->
              services
                  .engine()
                  .request(
                      new RegionRequest.Compact(region(upToThree(s, arguments)), strict(arguments)))
                  .thenApply(r -> r.rows());
          case "build_index" ->
              services.tables().buildIndex(Names.table(session, Names.parse(one(s, arguments))));
          case "drop_damaged_sst" -> {
            DmlSupport.requireWritable(session, "drop_damaged_sst");
            yield dropDamaged(session, one(s, arguments));
          }
          case "collect_garbage" ->
              services
                  .engine()
                  .collectGarbage(arguments.isEmpty() ? HOUR : seconds(one(s, arguments)))
                  .thenApply(GarbageReport::files);
          case "truncate_unflushed" -> {
            TableInfo table = Names.table(session, Names.parse(one(s, arguments)));
            DmlSupport.requireWritable(session, "truncate_unflushed");
            yield services
                .tables()
                .truncate(table, new Truncation.Unflushed())
                .whenComplete((_, _) -> services.writer().truncated(table));
          }
          case "flush_flow" ->
              services.flows().flush(Names.flow(session, Names.parse(one(s, arguments))));
          case "reload_config" -> {
            if (!arguments.isEmpty()) {
              throw new MillraceException(
                  ErrorCode.UNDEFINED_FUNCTION, "reload_config takes no arguments");
            }
            yield CompletableFuture.completedFuture(reload(session));
          }
          case "kill" -> {
            boolean found = services.registry().cancel(Integer.parseInt(one(s, arguments)));
            yield CompletableFuture.completedFuture(found ? 1L : 0L);
          }
          default ->
              throw Names.hinted(
                  new MillraceException(
                          ErrorCode.UNDEFINED_FUNCTION,
                          "ADMIN function \"" + s.function() + "\" does not exist")
                      .withHint("Known functions: " + String.join(", ", KNOWN) + "."),
                  function,
                  KNOWN);
        };
    List<PlanTemplate.ResultColumn> columns = describe(s);
    return result.thenApply(
        rows -> {
          long n = COUNTLESS.contains(function) ? 0 : rows;
          var b = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, 1);
          b.append(n);
          return new Outcome.Rows(columns, List.of(new Batch(List.of(b.build()), 1)), "ADMIN");
        });
  }

  /** The number of keys that took effect; what waits for a restart is told. */
  private long reload(SessionContext session) {
    ConfigReload.Result result = services.reload().reload();
    if (!result.applied().isEmpty()) {
      session.notice(Notice.notice("taken: " + String.join(", ", result.applied())));
    }
    if (!result.waiting().isEmpty()) {
      session.notice(
          Notice.warning(
              ErrorCode.WARNING,
              "changed, but taken at the next start only: " + String.join(", ", result.waiting())));
    }
    return result.applied().size();
  }

  private static String one(Statement.Admin s, List<String> arguments) {
    if (arguments.size() != 1) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_FUNCTION,
          s.function() + " takes one argument, but got " + arguments.size());
    }
    return arguments.getFirst();
  }

  /**
   * A compaction's table or region. Its third argument, times between which files are to be merged,
   * is checked; merged is all, which covers them.
   */
  private static String upToThree(Statement.Admin s, List<String> arguments) {
    if (arguments.size() == 3) {
      for (String pair : arguments.get(2).split(",", -1)) {
        if (!COMPACTED.matcher(pair.strip()).matches()) {
          throw new MillraceException(
                  ErrorCode.INVALID_PARAMETER_VALUE,
                  "invalid compaction option \"" + pair.strip() + "\"")
              .withHint("Allowed: start_time=…, end_time=…, window=seconds.");
        }
      }
    }
    if (arguments.size() == 2 || arguments.size() == 3) {
      return arguments.getFirst();
    }
    return one(s, arguments);
  }

  /** The second argument of compactions: how files are cut. */
  private static boolean strict(List<String> arguments) {
    String mode = arguments.size() < 2 ? "regular" : arguments.get(1);
    return switch (mode) {
      case "regular" -> false;
      case "strict_window", "swcs" -> true;
      default ->
          throw new MillraceException(
                  ErrorCode.INVALID_PARAMETER_VALUE, "invalid compaction \"" + mode + "\"")
              .withHint("Allowed: regular, strict_window.");
    };
  }

  /** Accepts the loss of a file; which region has it is asked of all. */
  private CompletableFuture<Long> dropDamaged(SessionContext session, String fileId) {
    for (RegionId id : services.engine().regions()) {
      for (SstInfo f : services.engine().files(id)) {
        if (f.fileId().equals(fileId)) {
          return services
              .engine()
              .request(new RegionRequest.DropDamaged(id, fileId))
              .thenApply(r -> r.rows())
              .whenComplete((_, e) -> told(session, id, e));
        }
      }
    }
    throw new MillraceException(ErrorCode.UNDEFINED_OBJECT, "there is no file \"" + fileId + "\"")
        .withHint("information_schema.ssts_manifest lists the files.");
  }

  /** Flows over the table learn that rows may be missing. */
  private void told(SessionContext session, RegionId region, @Nullable Throwable error) {
    if (error == null) {
      session.catalog().table(region.table()).ifPresent(services.writer()::truncated);
    }
  }

  private static long seconds(String text) {
    try {
      return Math.multiplyExact(Long.parseLong(text), 1_000_000L);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "\"" + text + "\" is no number of seconds", e);
    }
  }

  private static RegionId region(String text) {
    try {
      return new RegionId(Long.parseUnsignedLong(text));
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "\"" + text + "\" is not a region id", e);
    }
  }

  /** Arguments as text, evaluated without input. */
  private List<String> arguments(SessionContext session, List<ParsedExpression> given) {
    Planner.PlanContext context = session.planContext(List.of());
    var out = new ArrayList<String>();
    for (ParsedExpression e : given) {
      Expr expr = services.planner().planExpression(e, context);
      Vector v = services.evaluator().constant(expr, List.of(), dml.evalContext(session));
      out.add(
          v instanceof BytesColumn b && !v.isNull(0)
              ? b.string(0)
              : RowText.value(v, 0, session.settings().format()));
    }
    return out;
  }
}

package io.millrace.sql.plan;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.ManualClock;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.QueryEngines;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner.PlanContext;
import io.millrace.sql.plan.Planner.Planned;
import io.millrace.sql.plan.Planner.PlannedDml;
import io.millrace.sql.plan.Planner.PlannedQuery;
import io.millrace.sql.rule.Optimizer;
import io.millrace.sql.rule.TableStatistics;
import io.millrace.sql.semantics.Semantics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Plans statements over {@link TestTables} and runs them. */
final class SqlFixture implements AutoCloseable {
  final TestTables tables;
  final MillPlanner planner;
  private final QueryEngine engine;
  final List<SystemRelation> systemRelations = new ArrayList<>();

  SqlFixture(TestTables tables) {
    this(tables, true);
  }

  SqlFixture(TestTables tables, boolean decorrelate) {
    this(tables, decorrelate, TableStatistics.NONE);
  }

  SqlFixture(TestTables tables, boolean decorrelate, TableStatistics statistics) {
    this.tables = tables;
    FunctionRegistry functions = FunctionRegistry.builder().build();
    var clock = new ManualClock(1_700_000_000_000_000L);
    planner =
        new MillPlanner(
            new MillPlanner.Services(
                new StatementParser(),
                Semantics.loadAll(),
                new SystemRelations() {
                  @Override
                  public Optional<SystemRelation> find(String schema, String name) {
                    return systemRelations.stream()
                        .filter(r -> r.schema().equals(schema) && r.name().equals(name))
                        .findFirst();
                  }

                  @Override
                  public Collection<SystemRelation> all() {
                    return systemRelations;
                  }
                },
                functions,
                clock,
                statistics,
                MillPlanner.Services.DEFAULT_PLAN_CACHE_BYTES),
            new Optimizer(decorrelate, statistics));
    try {
      engine =
          QueryEngines.create(
              new QueryEngines.Services(
                  tables.regions(),
                  functions,
                  (_, _, _, _, _) -> () -> null,
                  clock,
                  (_, _) -> () -> {},
                  () -> new SplittableRandom(7)),
              new QueryEngines.Limits(
                  2, 64L << 20, 256L << 20, Files.createTempDirectory("plan"), 1L << 30));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  PlanContext context(SqlType... declared) {
    return new PlanContext(
        tables.catalog(), "millrace", "user", List.of("public"), Map.of(), List.of(declared));
  }

  Planned plan(String sql) {
    return planner.plan(sql, context());
  }

  /** The plan's lines, joined. */
  String explain(String sql) {
    PlanTemplate t =
        switch (plan(sql)) {
          case PlannedQuery q -> q.template();
          case PlannedDml d -> d.plan().source();
          case Planner.PlannedUtility u -> throw new AssertionError(u);
        };
    return String.join("\n", planner.explain(t, false));
  }

  /** Rows as text, fields parted by '|'. */
  List<String> rows(String sql) {
    return switch (plan(sql)) {
      case PlannedQuery q -> run(q.template(), q.literals());
      case PlannedDml d -> run(d.plan().source(), d.literals());
      case Planner.PlannedUtility u -> throw new AssertionError(u);
    };
  }

  DmlPlan dml(String sql) {
    return ((PlannedDml) plan(sql)).plan();
  }

  List<String> run(PlanTemplate template, List<Vector> parameters) {
    var out = new ArrayList<String>();
    var end = new CompletableFuture<Void>();
    var sink =
        new QueryEngine.ResultSink() {
          @Override
          public boolean ready() {
            return true;
          }

          @Override
          public void rows(Batch batch, int from, int count) {
            for (int i = from; i < from + count; i++) {
              out.add(row(batch, i));
            }
          }

          @Override
          public void suspended() {}

          @Override
          public void completed() {
            end.complete(null);
          }

          @Override
          public void failed(MillraceException error) {
            end.completeExceptionally(error);
          }
        };
    QueryEngine.Query q =
        engine.open(
            template,
            new QueryEngine.QueryContext(
                tables.catalog(),
                parameters,
                SessionFormat.DEFAULT,
                1_700_000_000_000_000L,
                1_700_000_000_000_000L,
                null,
                Map.of(),
                new QueryEngine.SessionInfo("millrace", "user", List.of("public"), 1, Map.of()),
                false),
            sink);
    q.demand(Long.MAX_VALUE);
    try {
      end.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw e;
    } finally {
      q.close();
    }
    return out;
  }

  private static String row(Batch b, int i) {
    var s = new StringBuilder();
    for (Vector v : b.columns()) {
      if (!s.isEmpty() || v != b.column(0)) {
        s.append('|');
      }
      if (!v.isNull(i)) {
        var sink = new ByteSink(32);
        TypeCodecs.of(v.type()).writeText(v, i, sink, SessionFormat.DEFAULT);
        s.append(new String(sink.toByteArray(), StandardCharsets.UTF_8));
      }
    }
    return s.toString();
  }

  @Override
  public void close() {
    engine.close();
  }
}

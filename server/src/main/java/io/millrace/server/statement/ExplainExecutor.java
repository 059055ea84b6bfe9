package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** EXPLAIN [ANALYZE] of queries and data changes. */
final class ExplainExecutor {
  private final StatementServices services;

  ExplainExecutor(StatementServices services) {
    this.services = services;
  }

  static List<PlanTemplate.ResultColumn> describe() {
    return TextRows.columns("QUERY PLAN");
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.Explain s, String text) {
    Planner.Planned planned =
        services.planner().plan(s.statement(), text, session.planContext(List.of()));
    return switch (planned) {
      case Planner.PlannedQuery q -> explain(session, s, q.template(), q.literals());
      case Planner.PlannedDml d -> {
        if (s.analyze()) {
          yield analyzeChange(session, s, d, head(d.plan()));
        }
        var out = new ArrayList<String>();
        steps(d.plan(), s.verbose(), out);
        yield CompletableFuture.completedFuture(lines(out, s.format()));
      }
      case Planner.PlannedUtility u ->
          CompletableFuture.completedFuture(lines(List.of("Utility Statement"), s.format()));
    };
  }

  private static String head(DmlPlan plan) {
    return switch (plan) {
      case DmlPlan.Insert i -> "Insert on " + i.table().name();
      case DmlPlan.Update u -> "Update on " + u.table().name();
      case DmlPlan.Delete x -> "Delete on " + x.table().name();
      case DmlPlan.Merge m -> "Merge on " + m.table().name();
      case DmlPlan.Locking l ->
          l.tables().stream()
              .map(DmlPlan.LockedTable::name)
              .collect(java.util.stream.Collectors.joining(", ", "LockRows of ", ""));
      case DmlPlan.Read r -> "Result";
      case DmlPlan.Steps s -> head(s.last());
    };
  }

  private void steps(DmlPlan plan, boolean verbose, List<String> out) {
    if (plan instanceof DmlPlan.Steps all) {
      for (int i = 0; i < all.steps().size(); i++) {
        if (i < all.steps().size() - 1) {
          out.add("Step " + (i + 1));
        }
        steps(all.steps().get(i), verbose, out);
      }
      return;
    }
    String indent = plan instanceof DmlPlan.Read ? "" : "  ";
    if (!indent.isEmpty()) {
      out.add(head(plan));
    }
    services.planner().explain(plan.source(), verbose).forEach(l -> out.add(indent + l));
  }

  private CompletableFuture<Outcome> explain(
      SessionContext session, Statement.Explain s, PlanTemplate template, List<Vector> parameters) {
    if (!s.analyze()) {
      return CompletableFuture.completedFuture(
          lines(services.planner().explain(template, s.verbose()), s.format()));
    }
    var done = new CompletableFuture<Void>();
    var sink =
        new QueryEngine.ResultSink() {
          @Override
          public boolean ready() {
            return true;
          }

          @Override
          public void rows(Batch batch, int from, int count) {}

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
        };
    QueryEngine.Query query =
        services.queries().open(template, session.queryContext(parameters), sink);
    session.onCancel(query::cancel);
    query.demand(Long.MAX_VALUE);
    return Async.map(
        session,
        done,
        v -> {
          QueryEngine.ExecutionProfile profile = query.profile();
          query.close();
          return lines(analyzed(profile), s.format());
        });
  }

  /** Runs the change, as EXPLAIN ANALYZE does: its rows are written, those of RETURNING dropped. */
  private CompletableFuture<Outcome> analyzeChange(
      SessionContext session, Statement.Explain s, Planner.PlannedDml d, String head) {
    var profiles = new CopyOnWriteArrayList<QueryEngine.ExecutionProfile>();
    var dml = new DmlSupport(services, profiles::add);
    var uniques = new UniqueKeys(dml);
    var change = new ChangeExecutor(dml, uniques);
    long start = services.clock().monotonicNanos();
    CompletableFuture<Outcome> done =
        new StepExecutor(dml, new InsertExecutor(dml, uniques), change)
            .run(session, d.plan(), d.literals());
    return Async.map(
        session,
        done,
        outcome -> {
          long nanos = services.clock().monotonicNanos() - start;
          var out = new ArrayList<String>();
          out.add(
              String.format(
                  Locale.ROOT,
                  "%s (actual time=%.3f ms rows=%s)",
                  head,
                  nanos / 1e6,
                  count(outcome)));
          if (!profiles.isEmpty()) {
            out.addAll(operators(profiles.getLast(), 1));
          }
          out.add(executionTime(nanos));
          return lines(out, s.format());
        });
  }

  /** The number at the end of the statement's tag. */
  private static String count(Outcome outcome) {
    String tag = outcome.tag();
    return tag.substring(tag.lastIndexOf(' ') + 1);
  }

  private static String executionTime(long nanos) {
    return String.format(Locale.ROOT, "Execution Time: %.3f ms", nanos / 1e6);
  }

  private static List<String> analyzed(QueryEngine.ExecutionProfile profile) {
    List<String> out = operators(profile, 0);
    out.add(executionTime(profile.totalNanos()));
    return out;
  }

  private static List<String> operators(QueryEngine.ExecutionProfile profile, int under) {
    var out = new ArrayList<String>();
    for (QueryEngine.OperatorProfile p : profile.operators()) {
      int depth = p.depth() + under;
      String indent = "  ".repeat(depth);
      out.add(
          String.format(
              Locale.ROOT,
              "%s%s%s (actual time=%.3f ms rows=%d memory=%dkB)",
              indent,
              depth == 0 ? "" : "->  ",
              p.name(),
              p.nanos() / 1e6,
              p.rows(),
              (p.peakBytes() + 1023) / 1024));
      if (!p.extra().isEmpty()) {
        out.add(indent + "      " + p.extra());
      }
    }
    return out;
  }

  private static Outcome lines(List<String> lines, String format) {
    var rows = new TextRows("QUERY PLAN");
    if (format.equalsIgnoreCase("json")) {
      var json = new StringBuilder("[\n  {\n    \"Plan\": [\n");
      for (int i = 0; i < lines.size(); i++) {
        json.append("      ")
            .append(quote(lines.get(i)))
            .append(i + 1 < lines.size() ? ",\n" : "\n");
      }
      rows.row(json.append("    ]\n  }\n]").toString());
    } else {
      lines.forEach(rows::row);
    }
    return rows.done("EXPLAIN");
  }

  private static String quote(String s) {
    return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}

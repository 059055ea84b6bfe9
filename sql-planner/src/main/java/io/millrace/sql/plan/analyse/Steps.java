package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.sql.plan.analyse.Scope.Link;
import io.millrace.sql.plan.rel.Recurse;
import io.millrace.sql.plan.rel.Shared;
import io.millrace.sql.plan.rel.SharedScan;
import io.millrace.sql.plan.rel.StepRows;
import io.millrace.sql.plan.rel.WorkTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.jspecify.annotations.Nullable;

/**
 * What one statement does before its own query: data changes in WITH, queries with locks. Each runs
 * once; its rows are read through {@link StepRows}.
 */
final class Steps {
  private final Session session;
  private final List<Analysed.Step> steps = new ArrayList<>();

  /** Definitions of WITH in reach, by their share's id. */
  private final Map<Integer, RelNode> shared = new HashMap<>();

  Steps(Session session) {
    this.session = session;
  }

  List<Analysed.Step> all() {
    return List.copyOf(steps);
  }

  void define(int shareId, RelNode definition) {
    shared.put(shareId, definition);
  }

  /** Adds a step that gives no rows. */
  void add(Analysed body) {
    steps.add(new Analysed.Step(body, List.of()));
  }

  /** Adds a step; what stands for its rows. */
  Output add(Analysed body, List<Output.Column> columns) {
    List<SqlType> types = columns.stream().map(Output.Column::type).toList();
    List<String> names = columns.stream().map(Output.Column::name).toList();
    steps.add(new Analysed.Step(body, types));
    var rows =
        new StepRows(
            session.cluster,
            steps.size() - 1,
            session.types.row(types, OutputNames.distinct(names)));
    return new Output(rows, columns);
  }

  /** Analyses a part that is run once, so that it must not read rows of a query around it. */
  static <T> T alone(@Nullable Link outer, int position, String what, Supplier<T> part) {
    Map<Link, Boolean> before = new HashMap<>();
    for (Link l = outer; l != null; l = l.scope.outer()) {
      before.put(l, l.used);
      l.used = false;
    }
    T out = part.get();
    boolean correlated = false;
    for (var l : before.entrySet()) {
      correlated |= l.getKey().used;
      l.getKey().used = l.getValue();
    }
    if (correlated) {
      throw Problems.unsupported(
          position,
          what + " in a query that reads columns of the query around it is not supported");
    }
    return out;
  }

  /** The tree of a step with the definitions that it reads but does not have. */
  RelNode complete(RelNode root, int position) {
    RelNode out = root;
    while (true) {
      var missing = new TreeSet<Integer>();
      var reads = new Reads();
      reads.go(out);
      missing.addAll(reads.scanned);
      missing.removeAll(reads.defined);
      if (!reads.recursions.containsAll(reads.works)) {
        throw Problems.unsupported(
            position, "FOR UPDATE/SHARE in a recursive query is not implemented");
      }
      if (missing.isEmpty()) {
        return out;
      }
      // The newest first: it may read older ones.
      int id = missing.last();
      out = new Shared(id, java.util.Objects.requireNonNull(shared.get(id)), out);
    }
  }

  /** Which shares and working tables a tree reads, and which it has. */
  private static final class Reads extends RelVisitor {
    final Set<Integer> scanned = new HashSet<>();
    final Set<Integer> defined = new HashSet<>();
    final Set<Integer> works = new HashSet<>();
    final Set<Integer> recursions = new HashSet<>();

    @Override
    public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
      switch (node) {
        case SharedScan s -> scanned.add(s.shareId());
        case Shared s -> defined.add(s.shareId());
        case WorkTable w -> works.add(w.workTable());
        case Recurse r -> recursions.add(r.workTable());
        default -> {}
      }
      node.accept(
          new RexShuttle() {
            @Override
            public org.apache.calcite.rex.RexNode visitSubQuery(RexSubQuery sub) {
              Reads.this.visit(sub.rel, 0, null);
              return super.visitSubQuery(sub);
            }
          });
      super.visit(node, ordinal, parent);
    }
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * Makes operators of a plan. What depends on values that are known only now is decided here: top-N
 * or sort, empty scans, readers. If making one fails, the operators made before it are closed.
 */
/** Turns plans into operators. */
public final class PlanCompiler {
  private final Execution run;

  public PlanCompiler(Execution run) {
    this.run = run;
  }

  public Operator compile(PhysicalPlan plan) {
    return operator(plan).counted(run.shared().stats(plan));
  }

  private BaseOperator operator(PhysicalPlan plan) {
    return switch (plan) {
      case PhysicalPlan.TableScan p -> new TableScanOperator(run, p);
      case PhysicalPlan.SystemScan p -> new SimpleOperators.SystemScan(run, p);
      case PhysicalPlan.Values p -> values(p);
      case PhysicalPlan.ParamRows p -> new SimpleOperators.ParamRows(run, p);
      case PhysicalPlan.Filter p ->
          over(
              p.input(),
              in ->
                  new SimpleOperators.Filter(
                      run, SleepOperator.over(run, in, List.of(p.condition())), p.condition()));
      case PhysicalPlan.Project p ->
          over(
              p.input(),
              in ->
                  new SimpleOperators.Project(
                      run, SleepOperator.over(run, in, p.exprs()), p.exprs()));
      case PhysicalPlan.ProjectSet p ->
          over(p.input(), in -> new SetOperators.ProjectSet(run, p, in));
      case PhysicalPlan.TableFunction p -> {
        PhysicalPlan input = p.input();
        yield input == null
            ? new SetOperators.TableFunction(run, p, asleep(p.calls()))
            : over(input, in -> new SetOperators.TableFunction(run, p, in));
      }
      case PhysicalPlan.Aggregate p -> aggregate(p, false);
      case PhysicalPlan.RangeSelect p -> new RangeCompiler(run, this, p).compile();
      case PhysicalPlan.GapFill p -> new GapCompiler(run, this, p).compile();
      case PhysicalPlan.Join p ->
          over(
              p.left(),
              left ->
                  over(
                      p.right(),
                      right ->
                          new JoinOperator(
                              run,
                              new JoinOperator.Spec(
                                  p.joinType(),
                                  p.left().types(),
                                  p.right().types(),
                                  p.leftKeys(),
                                  p.rightKeys(),
                                  p.nullSafe(),
                                  p.residual()),
                              left,
                              right)));
      case PhysicalPlan.Correlate p ->
          over(
              p.left(),
              left ->
                  new CorrelateOperator(
                      run,
                      p,
                      left,
                      values ->
                          new PlanCompiler(run.with(run.exprs().with(p.firstParam(), values)))
                              .compile(p.right())));
      case PhysicalPlan.SingleRow p ->
          over(p.input(), in -> new SimpleOperators.SingleRow(run, in, p.types()));
      case PhysicalPlan.Sort p ->
          p.keys().isEmpty()
              ? operator(p.input())
              : over(p.input(), in -> new SortOperator(run, in, p.types(), p.keys()));
      case PhysicalPlan.Limit p -> limit(p);
      case PhysicalPlan.DistinctOn p ->
          over(p.input(), in -> new SimpleOperators.DistinctOn(run, in, p.keys()));
      case PhysicalPlan.UnionAll p -> {
        var inputs = new ArrayList<Supplier<Operator>>();
        for (PhysicalPlan i : p.inputs()) {
          inputs.add(() -> compile(i));
        }
        yield new SimpleOperators.UnionAll(run, inputs);
      }
      case PhysicalPlan.SetOp p ->
          over(
              p.left(),
              left -> over(p.right(), right -> new SimpleOperators.SetOp(run, p, left, right)));
      case PhysicalPlan.Window p -> window(p);
      case PhysicalPlan.Recurse p ->
          over(p.seed(), seed -> new RecurseOperator(run, p, seed, () -> compile(p.step())));
      case PhysicalPlan.WorkTable p -> new SimpleOperators.WorkTable(run, p.id());
      case PhysicalPlan.Shared p -> {
        Operator definition = compile(p.definition());
        run.shared()
            .define(
                p.id(),
                new SharedRows(
                    definition, new BatchBuffer(p.definition().types(), run.memory(), run.temp())));
        yield operator(p.input());
      }
      case PhysicalPlan.SharedScan p -> new SimpleOperators.SharedScan(run, p.id());
    };
  }

  /**
   * Filters, projections and the first half of the aggregation go with the partitions of a scan
   * that is worth sharing.
   *
   * @param unfinished gives keys and states instead of results
   */
  BaseOperator aggregate(PhysicalPlan.Aggregate p, boolean unfinished) {
    var between = new ArrayList<PhysicalPlan>();
    PhysicalPlan at = p.input();
    while (PartialAggregate.possible(p)) {
      if (at instanceof PhysicalPlan.Filter f && !Volatile.any(List.of(f.condition()))) {
        between.addFirst(f);
        at = f.input();
      } else if (at instanceof PhysicalPlan.Project q && !Volatile.any(q.exprs())) {
        between.addFirst(q);
        at = q.input();
      } else {
        break;
      }
    }
    if (!(at instanceof PhysicalPlan.TableScan scan)
        || !PartialAggregate.possible(p)
        || run.tasks().threads() < 2) {
      return over(
          p.input(), in -> new AggregateOperator(run, p, in, Grouping.Role.WHOLE, unfinished));
    }
    ScanGroups.Shape shape = ScanGroups.Shape.of(run, p, between);
    var source =
        new TableScanOperator(run, scan, partition -> partial(p, shape, partition, between));
    try {
      if (source.shared()) {
        return new AggregateOperator(run, p, source, Grouping.Role.FINAL, unfinished);
      }
      Operator in = source.counted(run.shared().stats(scan));
      return new AggregateOperator(run, p, through(in, between), Grouping.Role.WHOLE, unfinished);
    } catch (RuntimeException | Error e) {
      source.close();
      throw e;
    }
  }

  /** The first half of an aggregation over one partition. */
  private Operator partial(
      PhysicalPlan.Aggregate p,
      ScanGroups.@Nullable Shape shape,
      Operator partition,
      List<PhysicalPlan> between) {
    return shape != null && partition instanceof TableScanOperator.Partition rows
        ? new PartialAggregate(run, p, rows, new ScanGroups(run, shape, rows))
        : new PartialAggregate(run, p, through(partition, between));
  }

  private Operator through(Operator source, List<PhysicalPlan> between) {
    Operator out = source;
    for (PhysicalPlan b : between) {
      BaseOperator next =
          switch (b) {
            case PhysicalPlan.Filter f -> new SimpleOperators.Filter(run, out, f.condition());
            case PhysicalPlan.Project q -> new SimpleOperators.Project(run, out, q.exprs());
            default -> throw new IllegalStateException(b.getClass().getSimpleName());
          };
      out = next.counted(run.shared().stats(b));
    }
    return out;
  }

  private interface Maker {
    BaseOperator make(Operator input);
  }

  private BaseOperator values(PhysicalPlan.Values p) {
    List<Expr> all = p.rows().stream().flatMap(List::stream).toList();
    Operator asleep = asleep(all);
    BaseOperator values = new SimpleOperators.Values(run, p);
    return asleep == null ? values : new SimpleOperators.After(run, asleep, values);
  }

  /** One row without columns that comes after the sleep of such calls; null if none sleeps. */
  private @Nullable Operator asleep(List<Expr> calls) {
    if (SleepOperator.Calls.of(calls).none()) {
      return null;
    }
    var once = new PhysicalPlan.Values(List.of(), List.of(List.of()));
    return SleepOperator.over(run, new SimpleOperators.Values(run, once), calls);
  }

  private BaseOperator over(PhysicalPlan input, Maker maker) {
    Operator in = compile(input);
    try {
      return maker.make(in);
    } catch (RuntimeException | Error e) {
      in.close();
      throw e;
    }
  }

  private BaseOperator window(PhysicalPlan.Window p) {
    var keys = new ArrayList<PhysicalPlan.SortKey>();
    for (int c : p.partitionBy()) {
      keys.add(
          new PhysicalPlan.SortKey(new Expr.Column(c, p.input().types().get(c)), false, false));
    }
    keys.addAll(p.orderBy());
    boolean sorted =
        keys.isEmpty() || (p.input() instanceof PhysicalPlan.Sort s && startsWith(s.keys(), keys));
    return over(
        p.input(),
        in ->
            new WindowOperator(
                run, p, sorted ? in : new SortOperator(run, in, p.input().types(), keys)));
  }

  private static boolean startsWith(
      List<PhysicalPlan.SortKey> have, List<PhysicalPlan.SortKey> wanted) {
    return have.size() >= wanted.size() && have.subList(0, wanted.size()).equals(wanted);
  }

  private BaseOperator limit(PhysicalPlan.Limit p) {
    long limit = count(p.limit(), Long.MAX_VALUE, "LIMIT", ErrorCode.INVALID_ROW_COUNT_IN_LIMIT);
    long offset = count(p.offset(), 0, "OFFSET", ErrorCode.INVALID_ROW_COUNT_IN_OFFSET);
    if (p.ties().isEmpty() && limit <= TopNOperator.MAX && offset <= TopNOperator.MAX - limit) {
      if (p.input() instanceof PhysicalPlan.Sort s && !s.keys().isEmpty()) {
        return topN(s, (int) (limit + offset), (int) offset);
      }
      if (p.input() instanceof PhysicalPlan.Project q
          && q.input() instanceof PhysicalPlan.Sort s
          && !s.keys().isEmpty()) {
        Operator top = topN(s, (int) (limit + offset), (int) offset).counted(run.shared().stats(s));
        try {
          return new SimpleOperators.Project(run, top, q.exprs());
        } catch (RuntimeException | Error e) {
          top.close();
          throw e;
        }
      }
    }
    return over(p.input(), in -> new SimpleOperators.Limit(run, in, limit, offset, p.ties()));
  }

  private BaseOperator topN(PhysicalPlan.Sort s, int wanted, int skip) {
    return over(s.input(), in -> new TopNOperator(run, in, s.types(), s.keys(), wanted, skip));
  }

  private long count(@Nullable Expr e, long none, String what, ErrorCode negative) {
    if (e == null) {
      return none;
    }
    Vector v = run.exprs().constant(e);
    long n = TableScanOperator.longValue(v, none);
    if (n < 0) {
      throw new MillraceException(negative, what + " must not be negative");
    }
    return n;
  }
}

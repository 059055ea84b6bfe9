package io.millrace.sql.exec.driver;

import static io.millrace.sql.exec.driver.TestEngine.batches;
import static io.millrace.sql.exec.driver.TestEngine.col;
import static io.millrace.sql.exec.driver.TestEngine.lit;
import static io.millrace.sql.exec.driver.TestEngine.values;
import static io.millrace.sql.exec.driver.TestEngine.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import io.millrace.sql.physical.PhysicalPlan.Frame;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import io.millrace.sql.physical.PlanTemplate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorsTest {
  private static final SqlType INT4 = SqlType.INT4;
  private static final SqlType INT8 = SqlType.INT8;
  private static final SqlType TEXT = SqlType.TEXT;

  @TempDir Path temp;
  private TestEngine engine;

  @BeforeEach
  void start() {
    engine = new TestEngine(temp);
  }

  @AfterEach
  void stop() {
    engine.close();
  }

  private static List<@Nullable Object> row(@Nullable Object... v) {
    return new ArrayList<>(Arrays.asList(v));
  }

  private static Expr inverse(Expr e) {
    return new Expr.Call(new FunctionId("test_inverse(int4)"), INT4, List.of(e), true, 'i');
  }

  private static Expr eq(Expr a, Expr b) {
    return new Expr.Compare(Expr.Op.EQ, a, b);
  }

  @Test
  void armsOfCaseThatAreNotReachedRaiseNoErrors() {
    var in =
        values(List.of(INT4), row(0).toArray(), row(5).toArray(), row((Object) null).toArray());
    Expr c = col(0, INT4);
    var plan =
        new PhysicalPlan.Project(
            in,
            List.of(
                new Expr.Case(INT4, List.of(new Expr.When(eq(c, lit(0)), lit(-1))), inverse(c)),
                new Expr.Coalesce(INT4, List.of(c, inverse(lit(50)))),
                new Expr.Or(List.of(eq(c, lit(0)), eq(inverse(c), lit(20)))),
                new Expr.And(
                    List.of(new Expr.Compare(Expr.Op.NE, c, lit(0)), eq(inverse(c), lit(20))))));
    assertThat(engine.run(plan))
        .containsExactly(row(-1, 0, true, false), row(20, 5, true, true), row(null, 2, null, null));
  }

  @Test
  void constantsThatFailAreFoundOnlyByRowsThatReachThem() {
    var none =
        new PhysicalPlan.Filter(values(List.of(INT4), new Object[] {1}), lit(SqlType.BOOL, false));
    assertThat(engine.run(new PhysicalPlan.Project(none, List.of(inverse(lit(0)))))).isEmpty();
    var one = values(List.of(INT4), new Object[] {1});
    assertThatThrownBy(() -> engine.run(new PhysicalPlan.Project(one, List.of(inverse(lit(0))))))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO));
    engine.assertClean();
  }

  @Test
  void expressionsAloneTakeBatchesOfAnySize() {
    int n = 40_000;
    Object[] numbers = new Object[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = i % 3;
    }
    var batch = new Batch(List.of(vector(INT4, numbers)), n);
    Expr c = col(0, INT4);
    var e =
        new Expr.Case(
            TEXT, List.of(new Expr.When(eq(c, lit(1)), lit(TEXT, "one"))), lit(TEXT, "other"));
    FunctionRegistry functions = FunctionRegistry.builder().build();
    var context = TestEngine.evaluation();
    var v = new ExprEvaluator(functions).compile(e, List.of(), context).evaluate(batch);
    assertThat(v.length()).isEqualTo(n);
    for (int i = 0; i < n; i++) {
      assertThat(TestEngine.value(v, i)).isEqualTo(i % 3 == 1 ? "one" : "other");
    }
  }

  @Test
  void membershipFollowsThreeValuedLogic() {
    var in = values(List.of(INT4), new Object[] {1}, new Object[] {2}, new Object[] {null});
    Expr c = col(0, INT4);
    var array = lit(SqlType.arrayOf(INT4), List.of(1, 3));
    Expr op = eq(col(0, INT4), col(1, INT4));
    var plan =
        new PhysicalPlan.Project(
            in,
            List.of(
                new Expr.In(c, List.of(lit(1), lit(7)), false),
                new Expr.In(c, List.of(lit(1), lit(INT4, null)), false),
                new Expr.In(c, List.of(lit(1), lit(INT4, null)), true),
                new Expr.Quantified(c, array, op, false),
                new Expr.Quantified(
                    c, new Expr.ArrayOf(SqlType.arrayOf(INT4), List.of(c, lit(2))), op, true),
                new Expr.Subscript(array, List.of(c), INT4)));
    assertThat(engine.run(plan))
        .containsExactly(
            row(true, true, false, true, false, 1),
            row(false, null, null, false, true, 3),
            row(null, null, null, null, null, null));
  }

  @Test
  void initsAreEvaluatedOnceAndConjunctsAreFilled() {
    List<SqlType> types = List.of(INT4, INT8);
    var scan =
        engine.table(1, types, batches(types, List.of(row(1, 10L), row(2, 20L), row(3, 30L)), 2));
    var filtered =
        new PhysicalPlan.TableScan(
            scan.table(),
            1,
            "t",
            List.of(1),
            List.of(INT8),
            List.of(new ScanConjunct(0, ScanConjunct.Kind.GE, List.of(new Expr.Param(1, INT4)))),
            PhysicalPlan.ScanOrder.ANY,
            null,
            false);
    var template =
        new PlanTemplate(
            filtered,
            List.of(),
            List.of(INT4),
            List.of(inverse(new Expr.Param(0, INT4))),
            Map.of());
    assertThat(engine.run(template, vector(INT4, 50))).containsExactly(row(20L), row(30L));
    assertThat(engine.run(template, vector(INT4, (Object) null))).isEmpty();
  }

  private PhysicalPlan.Join join(
      JoinType type, PhysicalPlan l, PhysicalPlan r, @Nullable Expr res) {
    return new PhysicalPlan.Join(
        type, l, r, List.of(col(0, INT4)), List.of(col(0, INT4)), List.of(false), res);
  }

  @Test
  void joinsTreatNullsAsSqlDoes() {
    var l = values(List.of(INT4), new Object[] {1}, new Object[] {2}, new Object[] {null});
    var r = values(List.of(INT4), new Object[] {2}, new Object[] {null});
    var full = values(List.of(INT4), new Object[] {2}, new Object[] {3});
    var none = new PhysicalPlan.Filter(r, lit(SqlType.BOOL, false));
    assertThat(engine.run(join(JoinType.NULL_AWARE_ANTI, l, r, null))).isEmpty();
    assertThat(engine.run(join(JoinType.NULL_AWARE_ANTI, l, full, null))).containsExactly(row(1));
    assertThat(engine.run(join(JoinType.NULL_AWARE_ANTI, l, none, null)))
        .containsExactly(row(1), row(2), row((Object) null));
    assertThat(engine.run(join(JoinType.LEFT_MARK, l, r, null)))
        .containsExactly(row(1, null), row(2, true), row(null, null));
    assertThat(engine.run(join(JoinType.LEFT_MARK, l, full, null)))
        .containsExactly(row(1, false), row(2, true), row(null, null));
    assertThat(engine.run(join(JoinType.LEFT_MARK, l, none, null)))
        .containsExactly(row(1, false), row(2, false), row(null, false));
    assertThat(engine.run(join(JoinType.FULL, l, full, null)))
        .containsExactlyInAnyOrder(row(1, null), row(2, 2), row(null, null), row(null, 3));
    assertThat(engine.run(join(JoinType.ANTI, l, r, null)))
        .containsExactly(row(1), row((Object) null));
  }

  @Test
  void setOperationsCount() {
    var l =
        values(
            List.of(INT4),
            new Object[] {1},
            new Object[] {1},
            new Object[] {2},
            new Object[] {null});
    var r = values(List.of(INT4), new Object[] {1}, new Object[] {null}, new Object[] {3});
    assertThat(engine.run(new PhysicalPlan.SetOp(l, r, true, true)))
        .containsExactlyInAnyOrder(row(1), row((Object) null));
    assertThat(engine.run(new PhysicalPlan.SetOp(l, r, false, true)))
        .containsExactlyInAnyOrder(row(1), row(2));
    assertThat(engine.run(new PhysicalPlan.SetOp(l, r, false, false))).containsExactly(row(2));
  }

  @Test
  void limitsSortsAndOffsets() {
    var rows = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < 20_000; i++) {
      rows.add(row((i * 7919) % 20_000, "v" + i % 10));
    }
    List<SqlType> types = List.of(INT4, TEXT);
    var scan = engine.table(1, types, batches(types, rows, 3000));
    var sort =
        new PhysicalPlan.Sort(
            scan,
            List.of(
                new SortKey(col(1, TEXT), true, false), new SortKey(col(0, INT4), false, false)));
    var top = new PhysicalPlan.Limit(sort, lit(INT8, 3L), lit(INT8, 2L));
    var expected =
        rows.stream()
            .filter(r -> "v9".equals(r.get(1)))
            .sorted((a, b) -> Integer.compare((Integer) a.get(0), (Integer) b.get(0)))
            .skip(2)
            .limit(3)
            .toList();
    assertThat(engine.run(top)).isEqualTo(expected);
    assertThat(engine.run(new PhysicalPlan.Limit(sort, lit(INT8, 100_000L), lit(INT8, 19_999L))))
        .hasSize(1);
    assertThatThrownBy(() -> engine.run(new PhysicalPlan.Limit(scan, lit(INT8, -1L), null)))
        .hasMessage("LIMIT must not be negative");
  }

  @Test
  void aggregatesWithFilterDistinctOrderAndGroupingSets() {
    var in =
        values(
            List.of(INT4, TEXT, INT8),
            new Object[] {1, "b", 10L},
            new Object[] {1, "a", 20L},
            new Object[] {2, "b", 30L},
            new Object[] {2, "b", null},
            new Object[] {null, "c", 50L});
    Expr x = col(2, INT8);
    var calls =
        List.of(
            new AggregateCall(
                new FunctionId("test_count()"), INT8, List.of(), false, null, List.of(), List.of()),
            new AggregateCall(
                new FunctionId("test_sum(int8)"),
                INT8,
                List.of(x),
                false,
                new Expr.Compare(Expr.Op.GT, x, lit(INT8, 10L)),
                List.of(),
                List.of()),
            new AggregateCall(
                new FunctionId("test_concat(text)"),
                TEXT,
                List.of(col(1, TEXT)),
                true,
                null,
                List.of(new SortKey(col(1, TEXT), false, false)),
                List.of()),
            new AggregateCall(
                new FunctionId("grouping(int4)"),
                INT4,
                List.of(col(0, INT4)),
                false,
                null,
                List.of(),
                List.of()));
    var plan =
        new PhysicalPlan.Aggregate(
            in, List.of(0), List.of(List.of(0), List.<Integer>of()), calls, false);
    assertThat(engine.run(plan))
        .containsExactlyInAnyOrder(
            row(1, 2L, 20L, "a,b,", 0),
            row(2, 2L, 30L, "b,", 0),
            row(null, 1L, 50L, "c,", 0),
            row(null, 5L, 100L, "a,b,c,", 1));
    var none = new PhysicalPlan.Filter(in, lit(SqlType.BOOL, false));
    assertThat(
            engine.run(
                new PhysicalPlan.Aggregate(
                    none, List.of(), List.of(List.<Integer>of()), calls.subList(0, 2), false)))
        .containsExactly(row(0L, null));
    assertThat(
            engine.run(
                new PhysicalPlan.Aggregate(
                    none, List.of(0), List.of(List.of(0)), calls.subList(0, 2), false)))
        .isEmpty();
  }

  @Test
  void setReturningFunctions() {
    var in = values(List.of(INT4), new Object[] {2}, new Object[] {0}, new Object[] {1});
    Expr call =
        new Expr.Call(new FunctionId("test_series(int4)"), INT4, List.of(col(0, INT4)), true, 'i');
    assertThat(
            engine.run(
                new PhysicalPlan.TableFunction(
                    in, List.of(call), true, true, List.of(INT4, INT4, INT8))))
        .containsExactly(row(2, 1, 1L), row(2, 2, 2L), row(0, null, null), row(1, 1, 1L));
    Expr three =
        new Expr.Call(new FunctionId("test_series(int4)"), INT4, List.of(lit(3)), true, 'i');
    assertThat(
            engine.run(
                new PhysicalPlan.ProjectSet(
                    in,
                    List.of(
                        new PhysicalPlan.ProjectSet.SetItem(col(0, INT4), false),
                        new PhysicalPlan.ProjectSet.SetItem(call, true),
                        new PhysicalPlan.ProjectSet.SetItem(three, true)))))
        .hasSize(9)
        .startsWith(row(2, 1, 1), row(2, 2, 2), row(2, null, 3));
    Expr many =
        new Expr.Call(new FunctionId("test_series(int4)"), INT4, List.of(lit(10_000)), true, 'i');
    assertThat(
            engine.run(
                new PhysicalPlan.TableFunction(null, List.of(many), false, false, List.of(INT4))))
        .hasSize(10_000);
  }

  @Test
  void recursionSharingAndCorrelation() {
    var seed = values(List.of(INT4), new Object[] {100});
    var step =
        new PhysicalPlan.Project(
            new PhysicalPlan.Filter(
                new PhysicalPlan.WorkTable(1, List.of(INT4)),
                new Expr.Compare(Expr.Op.GT, col(0, INT4), lit(1))),
            List.of(inverse(col(0, INT4))));
    // 100 -> 1
    assertThat(engine.run(new PhysicalPlan.Recurse(1, seed, step, false)))
        .containsExactly(row(100), row(1));
    // UNION: 20 -> 5 -> 20 is not new.
    var cycle =
        new PhysicalPlan.Recurse(
            1,
            values(List.of(INT4), new Object[] {20}),
            new PhysicalPlan.Project(
                new PhysicalPlan.WorkTable(1, List.of(INT4)), List.of(inverse(col(0, INT4)))),
            true);
    assertThat(engine.run(cycle)).containsExactly(row(20), row(5));
    var shared =
        new PhysicalPlan.Shared(
            9,
            seed,
            join(
                JoinType.INNER,
                new PhysicalPlan.SharedScan(9, List.of(INT4)),
                new PhysicalPlan.SharedScan(9, List.of(INT4)),
                null));
    assertThat(engine.run(shared)).containsExactly(row(100, 100));
    List<SqlType> types = List.of(INT4, INT8);
    var scan =
        engine.table(1, types, batches(types, List.of(row(1, 10L), row(1, 11L), row(2, 20L)), 2));
    var inner =
        new PhysicalPlan.TableScan(
            scan.table(),
            1,
            "t",
            List.of(1),
            List.of(INT8),
            List.of(new ScanConjunct(0, ScanConjunct.Kind.EQ, List.of(new Expr.Param(0, INT4)))),
            PhysicalPlan.ScanOrder.ANY,
            null,
            false);
    var left = values(List.of(INT4), new Object[] {1}, new Object[] {3}, new Object[] {null});
    assertThat(engine.run(new PhysicalPlan.Correlate(JoinType.LEFT, left, inner, 0, List.of(0))))
        .containsExactly(row(1, 10L), row(1, 11L), row(3, null), row(null, null));
    assertThat(
            engine.run(new PhysicalPlan.Correlate(JoinType.LEFT_MARK, left, inner, 0, List.of(0))))
        .containsExactly(row(1, true), row(3, false), row(null, false));
    assertThatThrownBy(() -> engine.run(new PhysicalPlan.SingleRow(scan)))
        .hasMessage("more than one row returned by a subquery used as an expression");
    engine.assertClean();
  }

  private static Frame frame(
      Frame.Mode mode,
      Frame.Bound start,
      @Nullable Object so,
      Frame.Bound end,
      @Nullable Object eo) {
    return new Frame(
        mode,
        start,
        so == null ? null : lit(INT8, so),
        end,
        eo == null ? null : lit(INT8, eo),
        Frame.Exclude.NO_OTHERS);
  }

  @Test
  void windowsOverPartitionsAndPeers() {
    var in =
        values(
            List.of(INT4, INT8),
            new Object[] {2, 5L},
            new Object[] {1, 1L},
            new Object[] {1, 4L},
            new Object[] {1, 1L},
            new Object[] {1, 7L});
    var sum = new FunctionId("test_sum(int8)");
    var plan =
        new PhysicalPlan.Window(
            in,
            List.of(0),
            List.of(new SortKey(col(1, INT8), false, false)),
            List.of(
                new PhysicalPlan.WindowCall(
                    new FunctionId("test_row_number()"),
                    INT8,
                    List.of(),
                    null,
                    false,
                    frame(
                        Frame.Mode.RANGE,
                        Frame.Bound.UNBOUNDED_PRECEDING,
                        null,
                        Frame.Bound.CURRENT_ROW,
                        null)),
                new PhysicalPlan.WindowCall(
                    sum,
                    INT8,
                    List.of(col(1, INT8)),
                    null,
                    true,
                    frame(
                        Frame.Mode.RANGE,
                        Frame.Bound.UNBOUNDED_PRECEDING,
                        null,
                        Frame.Bound.CURRENT_ROW,
                        null)),
                new PhysicalPlan.WindowCall(
                    sum,
                    INT8,
                    List.of(col(1, INT8)),
                    null,
                    true,
                    frame(Frame.Mode.RANGE, Frame.Bound.PRECEDING, 3L, Frame.Bound.FOLLOWING, 0L)),
                new PhysicalPlan.WindowCall(
                    sum,
                    INT8,
                    List.of(col(1, INT8)),
                    null,
                    true,
                    frame(
                        Frame.Mode.GROUPS,
                        Frame.Bound.PRECEDING,
                        1L,
                        Frame.Bound.CURRENT_ROW,
                        null))));
    assertThat(engine.run(plan))
        .containsExactly(
            row(1, 1L, 1L, 2L, 2L, 2L),
            row(1, 1L, 2L, 2L, 2L, 2L),
            row(1, 4L, 3L, 6L, 6L, 6L),
            row(1, 7L, 4L, 13L, 11L, 11L),
            row(2, 5L, 1L, 5L, 5L, 5L));
  }
}

package io.millrace.sql.exec.driver;

import static io.millrace.sql.exec.driver.TestEngine.batches;
import static io.millrace.sql.exec.driver.TestEngine.col;
import static io.millrace.sql.exec.driver.TestEngine.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.QueryEngine.Query;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverTest {
  private static final SqlType INT4 = SqlType.INT4;
  private static final SqlType INT8 = SqlType.INT8;

  @TempDir Path temp;

  private static PhysicalPlan series(int n) {
    return new PhysicalPlan.TableFunction(
        null,
        List.of(
            new Expr.Call(new FunctionId("test_series(int4)"), INT4, List.of(lit(n)), true, 'i')),
        false,
        false,
        List.of(INT4));
  }

  private static PhysicalPlan.TableScan numbers(TestEngine e, int n) {
    var rows = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < n; i++) {
      rows.add(List.of(i));
    }
    return e.table(1, List.of(INT4), batches(List.of(INT4), rows, 1000));
  }

  @Test
  void demandSuspendsAndResumes() {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(numbers(e, 3000)), e.context(), sink);
      q.demand(10);
      TestEngine.get(sink.suspended);
      assertThat(sink.rows).hasSize(10);
      sink.suspended = new CompletableFuture<>();
      q.demand(2990);
      // Exactly all rows: suspended all the same, completed by the next demand.
      TestEngine.get(sink.suspended);
      assertThat(sink.rows).hasSize(3000);
      assertThat(sink.end).isNotDone();
      q.demand(1);
      assertThat(sink.await()).hasSize(3000);
      assertThat(sink.rows.get(2999)).containsExactly(2999);
      e.assertClean();
    }
  }

  @Test
  void aClosedWindowParksUntilWoken() throws Exception {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      sink.ready = false;
      Query q = e.engine.open(TestEngine.template(series(5000)), e.context(), sink);
      q.demand(Long.MAX_VALUE);
      var others = new ArrayList<CompletableFuture<Void>>();
      for (int i = 0; i < 4; i++) {
        var f = new CompletableFuture<Void>();
        e.engine.execute(() -> f.complete(null));
        others.add(f);
      }
      for (var f : others) {
        f.get(10, TimeUnit.SECONDS);
      }
      assertThat(sink.count).isZero();
      sink.ready = true;
      q.wake();
      assertThat(sink.await()).hasSize(5000);
      e.assertClean();
    }
  }

  @Test
  void aSuspendedQueryIsSpooledAndItsSnapshotReleased() throws Exception {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(numbers(e, 30_000)), e.context(), sink);
      q.demand(10);
      TestEngine.get(sink.suspended);
      awaitTrue(() -> !e.scheduler.tasks.isEmpty());
      assertThat(e.regions.openSnapshots).hasValue(1);
      assertThat(e.scheduler.tasks.peek().delay()).isEqualTo(2_000_000L);
      e.scheduler.fire();
      awaitTrue(() -> e.regions.openSnapshots.get() == 0);
      assertThat(e.engine.tempFiles().bytes()).isPositive();
      sink.suspended = new CompletableFuture<>();
      q.demand(5);
      TestEngine.get(sink.suspended);
      q.demand(Long.MAX_VALUE);
      assertThat(sink.await()).hasSize(30_000);
      for (int i = 0; i < 30_000; i++) {
        assertThat(sink.rows.get(i).getFirst()).isEqualTo(i);
      }
      e.assertClean();
    }
  }

  @Test
  void aSpoolBeyondItsQuotaFailsAtTheNextDemand() {
    try (var e = new TestEngine(temp, 64 << 20, 50_000, 2)) {
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(numbers(e, 30_000)), e.context(), sink);
      q.demand(10);
      TestEngine.get(sink.suspended);
      awaitTrue(() -> !e.scheduler.tasks.isEmpty());
      e.scheduler.fire();
      awaitTrue(() -> e.regions.openSnapshots.get() == 0);
      assertThat(sink.end).isNotDone();
      q.demand(Long.MAX_VALUE);
      assertThatThrownBy(sink::await)
          .isInstanceOfSatisfying(
              MillraceException.class,
              x -> assertThat(x.code()).isEqualTo(ErrorCode.CONFIGURATION_LIMIT_EXCEEDED));
      e.assertClean();
    }
  }

  static void awaitTrue(java.util.function.BooleanSupplier c) {
    long give = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!c.getAsBoolean()) {
      if (System.nanoTime() > give) {
        throw new AssertionError("never");
      }
      Thread.onSpinWait();
    }
  }

  private static PhysicalPlan endless() {
    var none =
        new PhysicalPlan.Join(
            JoinType.INNER,
            series(1_000_000),
            series(1_000_000),
            List.of(),
            List.of(),
            List.of(),
            lit(SqlType.BOOL, false));
    return none;
  }

  @Test
  void aRunningQueryIsCancelledWithinAHundredMilliseconds() {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(endless()), e.context(), sink);
      q.demand(Long.MAX_VALUE);
      awaitTrue(() -> e.engine.memory().used() > 0);
      long t = System.nanoTime();
      q.cancel(
          new MillraceException(
              ErrorCode.QUERY_CANCELED, "canceling statement due to user request"));
      assertThatThrownBy(sink::await).hasMessage("canceling statement due to user request");
      // Generous for a loaded machine; the slice is 10 ms.
      assertThat(System.nanoTime() - t).isLessThan(1_000_000_000L);
      e.assertClean();
    }
  }

  @Test
  void aParkedQueryIsCancelledOrClosedAtOnce() {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(numbers(e, 30_000)), e.context(), sink);
      q.demand(10);
      TestEngine.get(sink.suspended);
      q.cancel(new MillraceException(ErrorCode.QUERY_CANCELED, "gone"));
      assertThatThrownBy(sink::await).hasMessage("gone");
      e.assertClean();
      var second = new TestEngine.Sink();
      Query p = e.engine.open(TestEngine.template(numbers(e, 30_000)), e.context(), second);
      p.close();
      p.close();
      e.assertClean();
      assertThat(second.end).isNotDone();
    }
  }

  @Test
  void shortQueriesOvertakeLongOnes() {
    try (var e = new TestEngine(temp, 256 << 20, 1 << 30, 1)) {
      var slow = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(endless()), e.context(), slow);
      q.demand(Long.MAX_VALUE);
      for (int i = 0; i < 20; i++) {
        var sink = new TestEngine.Sink();
        Query s = e.engine.open(TestEngine.template(series(3)), e.context(), sink);
        s.demand(Long.MAX_VALUE);
        assertThat(sink.await()).hasSize(3);
      }
      assertThat(slow.end).isNotDone();
      q.close();
      e.assertClean();
    }
  }

  @Test
  void manyMoreQueriesThanPermitsAllEnd() {
    try (var e = new TestEngine(temp)) {
      var sinks = new ArrayList<TestEngine.Sink>();
      var scan = numbers(e, 2000);
      for (int i = 0; i < 200; i++) {
        var sink = new TestEngine.Sink();
        sinks.add(sink);
        Query q = e.engine.open(TestEngine.template(scan), e.context(), sink);
        // Every third one is suspended for good and must not keep a permit.
        q.demand(i % 3 == 0 ? 1 : Long.MAX_VALUE);
        if (i % 3 == 0) {
          sink.end.complete(null);
        }
      }
      sinks.forEach(TestEngine.Sink::await);
    }
  }

  @Test
  void partitionsAreReadByProducersInParallel() {
    try (var e = new TestEngine(temp)) {
      e.regions.partitions = 4;
      var scan = numbers(e, 100_000);
      var rows =
          e.run(new PhysicalPlan.Sort(scan, List.of(new SortKey(col(0, INT4), false, false))));
      assertThat(rows).hasSize(100_000);
      for (int i = 0; i < rows.size(); i++) {
        assertThat(rows.get(i).getFirst()).isEqualTo(i);
      }
      // A consumer that goes away leaves producers behind that must end.
      var sink = new TestEngine.Sink();
      Query q = e.engine.open(TestEngine.template(scan), e.context(), sink);
      q.demand(10);
      TestEngine.get(sink.suspended);
      q.close();
      e.assertClean();
      assertThat(e.run(new PhysicalPlan.Limit(scan, lit(INT8, 5L), null))).hasSize(5);
    }
  }

  @Test
  void aQueryBeyondItsMemoryFailsWith53200AndHarmsNobody() {
    try (var e = new TestEngine(temp, 1 << 20, 1 << 30, 2)) {
      var cross =
          new PhysicalPlan.Join(
              JoinType.INNER, series(1), series(2_000_000), List.of(), List.of(), List.of(), null);
      assertThatThrownBy(() -> e.run(cross))
          .isInstanceOfSatisfying(
              MillraceException.class, x -> assertThat(x.sqlState()).isEqualTo("53200"));
      e.assertClean();
      assertThat(e.run(series(10))).hasSize(10);
    }
  }

  /** Plans that come upon the number in the last of many rows: alone, and read by producers. */
  private static List<PhysicalPlan> failingAt(TestEngine e, int number) {
    var rows = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < 20_000; i++) {
      rows.add(List.of(10));
    }
    rows.add(List.of(number));
    List<Batch> some = batches(List.of(INT4), rows.subList(0, 20_000), 1000);
    List<Batch> all = batches(List.of(INT4), rows, 1000);
    Expr call =
        new Expr.Call(new FunctionId("test_error(int4)"), INT4, List.of(col(0, INT4)), true, 'i');
    PhysicalPlan one = new PhysicalPlan.Project(e.table(1, List.of(INT4), all), List.of(call));
    PhysicalPlan many =
        new PhysicalPlan.Project(e.table(2, List.of(INT4), some, all, some), List.of(call));
    return List.of(
        one, many, new PhysicalPlan.Sort(many, List.of(new SortKey(col(0, INT4), false, false))));
  }

  @Test
  void anErrorThatIsNoExceptionEndsItsQueryAndHarmsNobody() {
    var codes =
        List.of(ErrorCode.OUT_OF_MEMORY, ErrorCode.STATEMENT_TOO_COMPLEX, ErrorCode.INTERNAL_ERROR);
    try (var e = new TestEngine(temp)) {
      for (int number = 1; number <= codes.size(); number++) {
        ErrorCode code = codes.get(number - 1);
        for (PhysicalPlan plan : failingAt(e, number)) {
          assertThatThrownBy(() -> e.run(plan))
              .isInstanceOfSatisfying(
                  MillraceException.class, x -> assertThat(x.code()).isEqualTo(code));
          e.assertClean();
        }
        for (PhysicalPlan plan : failingAt(e, 10)) {
          assertThat(e.run(plan)).hasSizeGreaterThan(20_000);
          e.assertClean();
        }
      }
    }
  }

  @Test
  void profilesCountRowsPerNode() {
    try (var e = new TestEngine(temp)) {
      var sink = new TestEngine.Sink();
      var plan =
          new PhysicalPlan.Filter(
              numbers(e, 3000), new Expr.Compare(Expr.Op.LT, col(0, INT4), lit(7)));
      Query q = e.engine.open(TestEngine.template(plan), e.context(), sink);
      q.demand(Long.MAX_VALUE);
      sink.await();
      var p = q.profile();
      assertThat(p.operators()).hasSize(2);
      assertThat(p.operators().get(0).name()).isEqualTo("Filter");
      assertThat(p.operators().get(0).rows()).isEqualTo(7);
      assertThat(p.operators().get(1).depth()).isEqualTo(1);
      assertThat(p.operators().get(1).rows()).isEqualTo(3000);
      assertThat(p.operators().get(1).extra()).contains("memtables=1");
    }
  }
}

package io.millrace.storage.engine;

import static io.millrace.storage.engine.Door.put;
import static io.millrace.storage.engine.Door.row;
import static io.millrace.storage.engine.Door.scan;
import static io.millrace.storage.engine.Door.write;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.LongVector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.ScanRequest.Order;
import io.millrace.storage.VirtualColumns;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a scan gives: rows, columns, order, deleted rows, last rows, and what it does not read. */
class ScanTest {
  private static final RegionId A = region(1);

  /** Two files apart in time, and rows in memory. */
  private static SimEngine filled() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, row(1, 10, 1L), row(2, 10, 2L), row(1, 20, 3L)));
    sim.flush(A);
    sim.commit(put(A, row(1, 1000, 4L), row(2, 1000, 5L)));
    sim.flush(A);
    sim.commit(put(A, row(1, 20, 6L), row(3, 2000, 7L)));
    return sim;
  }

  private static ColumnPredicate v(ColumnPredicate.Op op, long value) {
    return new ColumnPredicate.Compare(
        Fixture.V, op, new LongVector(SqlType.INT8, new long[] {value}, 1, null));
  }

  @Test
  void theNewestVersionOfEachKeyComesInKeyOrder() {
    assertThat(scan(A).rows(filled().engine()))
        .containsExactly("1,10,1", "1,20,6", "1,1000,4", "2,10,2", "2,1000,5", "3,2000,7");
  }

  @Test
  void rowsComeInTheOrderAskedFor() {
    SimEngine sim = filled();
    List<String> up = scan(A).columns(Fixture.TS).order(Order.TIME_ASC).rows(sim.engine());
    assertThat(up).containsExactly("10", "10", "20", "1000", "1000", "2000");
    List<String> down = scan(A).columns(Fixture.TS).order(Order.TIME_DESC).rows(sim.engine());
    assertThat(down).isEqualTo(up.reversed());
  }

  @Test
  void columnsComeAsAskedForVirtualOnesToo() {
    SimEngine sim = filled();
    assertThat(scan(A).columns(Fixture.V, Fixture.K).times(1000, 1000).rows(sim.engine()))
        .containsExactly("4,1", "5,2");
    assertThat(scan(A).columns(Fixture.TS).times(10, 10).rows(sim.engine()))
        .containsExactly("10", "10");
    assertThat(
            scan(A)
                .columns(Fixture.K, VirtualColumns.SEQUENCE)
                .times(2000, 2000)
                .rows(sim.engine()))
        .containsExactly("3,7");
    assertThat(scan(A).columns().rows(sim.engine())).hasSize(6);
  }

  @Test
  void predicatesOnFieldsAreAppliedToTheVisibleVersion() {
    SimEngine sim = filled();
    assertThat(scan(A).where(v(ColumnPredicate.Op.LE, 3)).rows(sim.engine()))
        .containsExactly("1,10,1", "2,10,2");
    assertThat(
            scan(A)
                .where(v(ColumnPredicate.Op.GT, 3), v(ColumnPredicate.Op.LT, 7))
                .rows(sim.engine()))
        .containsExactly("1,20,6", "1,1000,4", "2,1000,5");
  }

  @Test
  void filesOutsideTheTimesAreNotRead() {
    SimEngine sim = filled();
    var statistics = scan(A).times(900, 1100).statistics(sim.engine());
    assertThat(statistics.files()).isEqualTo(1);
    assertThat(statistics.filesPruned()).isEqualTo(1);
    assertThat(scan(A).times(3000, 4000).statistics(sim.engine()).filesPruned()).isEqualTo(2);
    assertThat(scan(A).times(3000, 4000).rows(sim.engine())).isEmpty();
  }

  @Test
  void deletedRowsCanBeSeenWithTheirOperation() {
    SimEngine sim = filled();
    sim.commit(write(A, OpType.DELETE, row(2, 10, null)));
    assertThat(scan(A).times(10, 10).rows(sim.engine())).containsExactly("1,10,1");
    var all = scan(A).columns(Fixture.K, VirtualColumns.OP_TYPE).times(10, 10).keepDeletes();
    assertThat(all.rows(sim.engine())).containsExactlyInAnyOrder("1,1", "2,0", "2,1");
    sim.flush(A);
    assertThat(all.rows(sim.engine())).containsExactlyInAnyOrder("1,1", "2,0", "2,1");
  }

  @Test
  void lastRowsAreOnePerSeriesAndSkipDeletedOnes() {
    SimEngine sim = filled();
    assertThat(scan(A).lastRows().rows(sim.engine()))
        .containsExactlyInAnyOrder("1,1000,4", "2,1000,5", "3,2000,7");
    sim.commit(write(A, OpType.DELETE, row(1, 1000, null), row(3, 2000, null)));
    assertThat(scan(A).lastRows().rows(sim.engine()))
        .containsExactlyInAnyOrder("1,20,6", "2,1000,5");
    sim.flush(A);
    assertThat(scan(A).lastRows().rows(sim.engine()))
        .containsExactlyInAnyOrder("1,20,6", "2,1000,5");
  }

  @Test
  void aLimitGivesAtLeastSoManyRows() {
    assertThat(scan(A).limit(2).rows(filled().engine())).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void partitionsTogetherGiveEveryRowOnce() {
    var sim = new SimEngine(2).with(A);
    var expected = new ArrayList<String>();
    for (int part = 0; part < 4; part++) {
      var rows = new Door.Row[500];
      for (int i = 0; i < rows.length; i++) {
        int k = i % 50;
        long ts = part * 1000L + i / 50;
        rows[i] = row(k, ts, (long) i);
        expected.add(k + "," + ts + "," + i);
      }
      sim.commit(put(A, rows));
      if (part < 3) {
        sim.flush(A);
      }
    }
    for (int n : new int[] {1, 2, 8}) {
      assertThat(scan(A).order(Order.ANY).partitions(n).rows(sim.engine()))
          .containsExactlyInAnyOrderElementsOf(expected);
      List<String> keys =
          scan(A).columns(Fixture.K).order(Order.KEY).partitions(n).rows(sim.engine());
      assertThat(keys).isSortedAccordingTo(Comparator.comparingInt(Integer::parseInt));
    }
  }
}

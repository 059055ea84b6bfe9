package io.millrace.storage.engine;

import static io.millrace.storage.engine.Door.put;
import static io.millrace.storage.engine.Door.row;
import static io.millrace.storage.engine.Door.scan;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.WriteGroup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Columns come and go; files and log entries of before are read by column id. */
class AlterTest {
  private static final RegionId A = region(1);
  private static final int W = 4;

  private static TableSchema schema(int version, Integer... fields) {
    var columns = new ArrayList<>(Fixture.SCHEMA.columns().subList(0, 2));
    for (int id : fields) {
      columns.add(new ColumnSchema(id, "c" + id, SqlType.INT8, SemanticType.FIELD, true, null));
    }
    return new TableSchema(version, columns, List.of(Fixture.K), Fixture.TS);
  }

  private static void alter(SimEngine sim, TableSchema to) {
    sim.request(new RegionRequest.Alter(List.of(A), to, RegionOptions.DEFAULT));
  }

  /** One row with V and W. */
  private static RegionWrite both(int version, int k, long v, long w) {
    return new RegionWrite(
        A,
        version,
        OpType.PUT,
        List.of(Fixture.K, Fixture.TS, Fixture.V, W),
        new Batch(
            List.of(
                new IntVector(SqlType.INT4, new int[] {k}, 1, null),
                new LongVector(SqlType.TIMESTAMP, new long[1], 1, null),
                new LongVector(SqlType.INT8, new long[] {v}, 1, null),
                new LongVector(SqlType.INT8, new long[] {w}, 1, null)),
            1));
  }

  private static List<String> rows(SimEngine sim, Integer... columns) {
    return scan(A).columns(columns).rows(sim.engine());
  }

  @Test
  void anAddedColumnIsNullInOlderRowsInFilesInMemoryAndInTheLog() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, row(1, 0, 1L)));
    sim.flush(A);
    sim.commit(put(A, row(2, 0, 2L)));
    alter(sim, schema(2, Fixture.V, W));
    sim.commit(both(2, 3, 3, 30));
    List<String> expected = List.of("1,1,-", "2,2,-", "3,3,30");
    assertThat(rows(sim, Fixture.K, Fixture.V, W)).isEqualTo(expected);
    sim.crash();
    assertThat(rows(sim, Fixture.K, Fixture.V, W)).isEqualTo(expected);
    sim.engine().openGate();
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(rows(sim, Fixture.K, Fixture.V, W)).isEqualTo(expected);
  }

  @Test
  void aDroppedColumnDoesNotComeBackWithANewOne() {
    var sim = new SimEngine(2).with(A);
    sim.commit(put(A, row(1, 0, 1L)));
    sim.flush(A);
    sim.commit(put(A, row(2, 0, 2L)));
    alter(sim, schema(2));
    alter(sim, schema(3, W));
    assertThat(rows(sim, Fixture.K, W)).containsExactly("1,-", "2,-");
    sim.crash();
    assertThat(rows(sim, Fixture.K, W)).containsExactly("1,-", "2,-");
  }

  @Test
  void aWriterWithTheOlderSchemaIsUnderstoodOneWithANewerMustWait() {
    var sim = new SimEngine(3).with(A);
    alter(sim, schema(2, Fixture.V, W));
    sim.commit(put(A, row(1, 0, 1L)));
    assertThat(rows(sim, Fixture.K, Fixture.V, W)).containsExactly("1,1,-");
    assertThat(sim.failure(sim.engine().commit(WriteGroup.of(List.of(both(3, 1, 1, 1))))))
        .isEqualTo(ErrorCode.REGION_NOT_READY);
  }

  @Test
  void theSameAlterAgainChangesNothingAndAnOlderOneIsRefused() {
    var sim = new SimEngine(4).with(A);
    alter(sim, schema(2, Fixture.V, W));
    long sequence = sim.engine().committedSequence(A);
    alter(sim, schema(2, Fixture.V, W));
    assertThat(sim.engine().committedSequence(A)).isEqualTo(sequence);
    var older = new RegionRequest.Alter(List.of(A), Fixture.SCHEMA, RegionOptions.DEFAULT);
    assertThat(sim.failure(sim.engine().request(older))).isEqualTo(ErrorCode.INTERNAL_ERROR);
  }

  @Test
  void optionsChangeAndStayChanged() {
    var sim = new SimEngine(5).with(A);
    var options = Door.options(false, RegionOptions.MergeMode.LAST_NON_NULL);
    sim.request(new RegionRequest.Alter(List.of(A), Fixture.schema(2), options));
    sim.crash();
    assertThat(sim.engine().info(A).options()).isEqualTo(options);
    assertThat(sim.engine().info(A).schema().version()).isEqualTo(2);
  }

  /** Old files know bounds of the old values, which are those of other times now. */
  @Test
  void boundsOfPagesAreOfNoUseWhereValuesHaveChangedWithTheType() {
    var sim = new SimEngine(6);
    sim.request(new RegionRequest.Create(A, moments(1, SqlType.TIMESTAMP), RegionOptions.DEFAULT));
    sim.commit(
        new RegionWrite(
            A,
            1,
            OpType.PUT,
            List.of(Fixture.K, Fixture.TS, Fixture.V),
            new Batch(
                List.of(
                    new IntVector(SqlType.INT4, new int[] {1}, 1, null),
                    new LongVector(SqlType.TIMESTAMP, new long[1], 1, null),
                    new LongVector(SqlType.TIMESTAMP, new long[] {5_000}, 1, null)),
                1)));
    sim.flush(A);
    alter(sim, moments(2, SqlType.TIMESTAMP_NS));
    var wanted =
        new ColumnPredicate.Compare(
            Fixture.V,
            ColumnPredicate.Op.EQ,
            new LongVector(SqlType.TIMESTAMP_NS, new long[] {5_000_000}, 1, null));
    List<String> rows =
        scan(A).columns(Fixture.K).where(wanted).order(ScanRequest.Order.ANY).rows(sim.engine());
    assertThat(rows).containsExactly("1");
  }

  private static TableSchema moments(int version, SqlType type) {
    var columns = new ArrayList<>(Fixture.SCHEMA.columns().subList(0, 2));
    columns.add(new ColumnSchema(Fixture.V, "v", type, SemanticType.FIELD, true, null));
    return new TableSchema(version, columns, List.of(Fixture.K), Fixture.TS);
  }
}

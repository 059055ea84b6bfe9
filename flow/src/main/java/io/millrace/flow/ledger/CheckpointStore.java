package io.millrace.flow.ledger;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.FlowId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.WriteGroup.Precondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Checkpoints in their table. */
public final class CheckpointStore {
  private static final List<String> COLUMNS =
      List.of("epoch", "incarnations", "versions", "dirty", "evaluated");
  private final RegionEngine engine;
  private final TableInfo table;

  public CheckpointStore(RegionEngine engine, TableInfo table) {
    this.engine = engine;
    this.table = table;
  }

  public Optional<Checkpoint> load(FlowId flow) {
    var found = new AtomicReference<Optional<Checkpoint>>(Optional.empty());
    Tables.scan(
        engine,
        table,
        COLUMNS.stream().map(c -> Tables.id(table, c)).toList(),
        List.of(
            new ColumnPredicate.Compare(
                Tables.id(table, "flow_id"),
                ColumnPredicate.Op.EQ,
                longs(SqlType.INT8, flow.value()))),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        b ->
            found.set(
                Optional.of(
                    new Checkpoint(
                        ((LongVector) b.column(0)).get(0),
                        Checkpoint.decode(((BytesColumn) b.column(1)).string(0)),
                        Checkpoint.decode(((BytesColumn) b.column(2)).string(0)),
                        Checkpoint.decodeRanges(((BytesColumn) b.column(3)).string(0)),
                        ((LongVector) b.column(4)).get(0)))));
    return found.get();
  }

  private static Vector longs(SqlType type, long v) {
    var b = (VectorBuilder.Longs) VectorBuilder.of(type, 1);
    b.append(v);
    return b.build();
  }

  private static Vector text(String v) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 1);
    b.append(v);
    return b.build();
  }

  private static Batch key(FlowId flow) {
    return new Batch(List.of(longs(SqlType.INT8, flow.value()), longs(SqlType.TIMESTAMP, 0)), 1);
  }

  public TableWrite put(FlowId flow, Checkpoint c) {
    return new TableWrite(
        table,
        OpType.PUT,
        List.of(
            Tables.id(table, "flow_id"),
            Tables.id(table, "ts"),
            Tables.id(table, "epoch"),
            Tables.id(table, "incarnations"),
            Tables.id(table, "versions"),
            Tables.id(table, "dirty"),
            Tables.id(table, "evaluated")),
        new Batch(
            List.of(
                longs(SqlType.INT8, flow.value()),
                longs(SqlType.TIMESTAMP, 0),
                longs(SqlType.INT8, c.epoch()),
                text(Checkpoint.encode(c.incarnations())),
                text(Checkpoint.encode(c.versions())),
                text(Checkpoint.encodeRanges(c.dirty())),
                longs(SqlType.INT8, c.evaluationMicros())),
            1));
  }

  public TableWrite delete(FlowId flow) {
    return new TableWrite(
        table,
        OpType.DELETE,
        List.of(Tables.id(table, "flow_id"), Tables.id(table, "ts")),
        key(flow));
  }

  /** Flows of which there is a checkpoint. */
  public List<FlowId> flows() {
    var out = new ArrayList<FlowId>();
    Tables.scan(
        engine,
        table,
        List.of(Tables.id(table, "flow_id")),
        List.of(),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        b -> {
          for (int r = 0; r < b.rows(); r++) {
            out.add(new FlowId((int) ((LongVector) b.column(0)).get(r)));
          }
        });
    return out;
  }

  /** What is stored is the checkpoint that a task started from: epoch, V and D. */
  public Precondition unchanged(FlowId flow, Checkpoint from) {
    return new Precondition(
        table.regions().getFirst(),
        key(flow),
        List.of(Tables.id(table, "epoch"), Tables.id(table, "versions"), Tables.id(table, "dirty")),
        new Batch(
            List.of(
                longs(SqlType.INT8, from.epoch()),
                text(Checkpoint.encode(from.versions())),
                text(Checkpoint.encodeRanges(from.dirty()))),
            1));
  }
}

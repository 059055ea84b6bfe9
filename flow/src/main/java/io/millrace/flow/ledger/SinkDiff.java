package io.millrace.flow.ledger;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/*
 * The difference between what a flow's sink holds of it and what it should hold, over ranges of windows:
 *
 *   result rows (key, columns)   key not in ledger, or hash differs   → put sink, put ledger
 *   ledger rows of the ranges    key not in result                    → delete sink, delete ledger
 *
 * In a sink whose rows have fields of others too (last_non_null), what goes is cleared, not deleted.
 * The ledger is read, never the sink, so rows of other flows and of users are not touched. Rows that are
 * as they were are not written.
 */
/** Collects the writes of one evaluation. */
public final class SinkDiff {
  /**
   * How result rows become sink rows.
   *
   * @param keyIds sink column ids of the key: tags in key order, then the time index
   * @param columnIds sink column ids of the flow's columns that are not key
   * @param shared whether the rows have fields that are not this flow's
   * @param updateAtId sink column of the evaluation time; -1 none
   * @param updateAtType its type
   */
  public record Shape(
      TableInfo sink,
      TableInfo ledger,
      List<Integer> keyIds,
      List<Integer> columnIds,
      boolean shared,
      int updateAtId,
      SqlType updateAtType) {}

  private final Shape shape;
  private final RegionEngine engine;
  private final RowIndex wanted;
  private final boolean windowIsTime;

  /**
   * @param windowIsTime whether the sink's time index is the window's start, so that ledger ranges
   *     are time ranges
   */
  public SinkDiff(Shape shape, RegionEngine engine, boolean windowIsTime) {
    this.shape = shape;
    this.engine = engine;
    this.windowIsTime = windowIsTime;
    this.wanted = new RowIndex(shape.keyIds().size());
  }

  /**
   * Adds result rows: key columns, then the other columns, then the window's start as int8 (0 where
   * the plan has no windows).
   */
  public void add(Batch rows) {
    if (rows.rows() > 0) {
      wanted.add(rows);
    }
  }

  /** The writes, sink first; empty if nothing changes. */
  public record Changes(List<TableWrite> writes, long sinkRows) {}

  public Changes changes(List<TimeRange> ranges, long evaluationMicros) {
    int keyWidth = shape.keyIds().size();
    boolean[] same = new boolean[wanted.size()];
    long[] hashes = new long[wanted.size()];
    for (int n = 0; n < hashes.length; n++) {
      same[n] = wanted.superseded(n);
      hashes[n] = hash(wanted.batch(n), wanted.row(n));
    }
    var gone = new ArrayList<Batch>();
    List<Integer> ledgerIds = new ArrayList<>(shape.ledger().storage().tagIds());
    ledgerIds.add(shape.ledger().storage().timeIndexId());
    int hashId = Tables.id(shape.ledger(), "hash");
    var read = new ArrayList<>(ledgerIds);
    read.add(hashId);
    for (TimeRange r : ranges) {
      Tables.scan(
          engine,
          shape.ledger(),
          read,
          windowPredicates(r),
          minTime(r),
          maxTime(r),
          b -> {
            int[] vanished = new int[b.rows()];
            int v = 0;
            var hash = (LongVector) b.column(keyWidth);
            for (int i = 0; i < b.rows(); i++) {
              int n = wanted.last(b, i);
              if (n < 0) {
                vanished[v++] = i;
              } else {
                same[n] = hash.get(i) == hashes[n];
              }
            }
            if (v > 0) {
              gone.add(new Batch(b.columns().subList(0, keyWidth), b.rows()).take(vanished, v));
            }
          });
    }
    return writes(same, hashes, gone, ledgerIds, evaluationMicros);
  }

  private long hash(Batch b, int row) {
    int keyWidth = shape.keyIds().size();
    return RowIndex.hash(b.columns().subList(keyWidth, keyWidth + shape.columnIds().size()), row);
  }

  private long minTime(TimeRange r) {
    return windowIsTime && r.from() != Long.MIN_VALUE ? inUnit(r.from()) : Long.MIN_VALUE;
  }

  private long maxTime(TimeRange r) {
    return windowIsTime && r.to() != Long.MAX_VALUE ? inUnit(r.to()) - 1 : Long.MAX_VALUE;
  }

  private long inUnit(long micros) {
    return shape.ledger().storage().timeIndex().type().kind() == TypeKind.TIMESTAMP_NS
        ? TimeRange.nanos(micros)
        : micros;
  }

  private List<ColumnPredicate> windowPredicates(TimeRange r) {
    if (windowIsTime) {
      return List.of();
    }
    int id = Tables.id(shape.ledger(), "window_start");
    var out = new ArrayList<ColumnPredicate>();
    if (r.from() != Long.MIN_VALUE) {
      out.add(new ColumnPredicate.Compare(id, ColumnPredicate.Op.GE, constant(r.from(), 1)));
    }
    if (r.to() != Long.MAX_VALUE) {
      out.add(new ColumnPredicate.Compare(id, ColumnPredicate.Op.LT, constant(r.to(), 1)));
    }
    return out;
  }

  private static Vector constant(long value, int rows) {
    return constant(SqlType.INT8, value, rows);
  }

  private static Vector constant(SqlType type, long value, int rows) {
    long[] v = new long[rows];
    Arrays.fill(v, value);
    return new LongVector(type, v, rows, null);
  }

  private TableWrite vanished(Batch keys) {
    if (!shape.shared()) {
      return new TableWrite(shape.sink(), OpType.DELETE, shape.keyIds(), keys);
    }
    var ids = new ArrayList<>(shape.keyIds());
    var columns = new ArrayList<>(keys.columns());
    for (int id : shape.columnIds()) {
      ids.add(id);
      columns.add(nulls(type(id), keys.rows()));
    }
    return new TableWrite(shape.sink(), OpType.CLEAR, ids, new Batch(columns, keys.rows()));
  }

  private SqlType type(int sinkColumnId) {
    TableSchema sink = shape.sink().storage();
    return sink.columns().get(sink.indexOf(sinkColumnId)).type();
  }

  private static Vector nulls(SqlType type, int rows) {
    VectorBuilder b = VectorBuilder.of(type, rows);
    for (int i = 0; i < rows; i++) {
      b.appendNull();
    }
    return b.build();
  }

  private Changes writes(
      boolean[] same,
      long[] hashes,
      List<Batch> gone,
      List<Integer> ledgerIds,
      long evaluationMicros) {
    var out = new ArrayList<TableWrite>();
    long rows = 0;
    int keyWidth = shape.keyIds().size();
    int width = keyWidth + shape.columnIds().size();
    for (Batch b : gone) {
      out.add(vanished(b));
      out.add(new TableWrite(shape.ledger(), OpType.DELETE, ledgerIds, b));
      rows += b.rows();
    }
    for (int from = 0; from < hashes.length; from += Batch.ROWS) {
      int to = Math.min(hashes.length, from + Batch.ROWS);
      var builders = new ArrayList<VectorBuilder>();
      var ledgerHash = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, 64);
      int n = 0;
      for (int i = from; i < to; i++) {
        if (same[i]) {
          continue;
        }
        Batch b = wanted.batch(i);
        if (builders.isEmpty()) {
          for (Vector v : b.columns()) {
            builders.add(VectorBuilder.of(v.type(), 64));
          }
        }
        for (int c = 0; c < b.width(); c++) {
          builders.get(c).append(b.column(c), wanted.row(i));
        }
        ledgerHash.append(hashes[i]);
        n++;
      }
      if (n == 0) {
        continue;
      }
      List<Vector> vectors = builders.stream().map(VectorBuilder::build).toList();
      var sinkIds = new ArrayList<>(shape.keyIds());
      sinkIds.addAll(shape.columnIds());
      var sinkColumns = new ArrayList<>(vectors.subList(0, width));
      if (shape.updateAtId() >= 0) {
        sinkIds.add(shape.updateAtId());
        sinkColumns.add(constant(shape.updateAtType(), evaluationMicros / 1000 * 1000, n));
      }
      out.add(new TableWrite(shape.sink(), OpType.PUT, sinkIds, new Batch(sinkColumns, n)));
      var ledgerColumnIds = new ArrayList<>(ledgerIds);
      ledgerColumnIds.add(Tables.id(shape.ledger(), "window_start"));
      ledgerColumnIds.add(Tables.id(shape.ledger(), "hash"));
      var ledgerColumns = new ArrayList<>(vectors.subList(0, keyWidth));
      ledgerColumns.add(vectors.get(width));
      ledgerColumns.add(ledgerHash.build());
      out.add(
          new TableWrite(shape.ledger(), OpType.PUT, ledgerColumnIds, new Batch(ledgerColumns, n)));
      rows += n;
    }
    return new Changes(out, rows);
  }
}

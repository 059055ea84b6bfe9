package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.ScanRequest;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Every type through memtable and file. */
@NullUnmarked // rows hold nulls
class AllTypesTest {
  private static final List<SqlType> TYPES =
      List.of(
          SqlType.BOOL,
          SqlType.INT2,
          SqlType.INT4,
          SqlType.INT8,
          SqlType.FLOAT4,
          SqlType.FLOAT8,
          SqlType.NUMERIC,
          SqlType.numeric(12, 2),
          SqlType.TEXT,
          SqlType.varchar(20),
          SqlType.BPCHAR,
          SqlType.NAME,
          SqlType.CHAR,
          SqlType.BYTEA,
          SqlType.DATE,
          SqlType.TIME,
          SqlType.TIMETZ,
          SqlType.TIMESTAMP,
          SqlType.TIMESTAMP_NS,
          SqlType.TIMESTAMPTZ,
          SqlType.INTERVAL,
          SqlType.UUID,
          SqlType.JSON,
          SqlType.JSONB,
          SqlType.OID,
          SqlType.REGCLASS,
          SqlType.arrayOf(SqlType.INT4),
          SqlType.arrayOf(SqlType.TEXT),
          SqlType.arrayOf(SqlType.NUMERIC),
          SqlType.record(
              List.of(
                  new SqlType.Field("a b", SqlType.INT4),
                  new SqlType.Field("c", SqlType.arrayOf(SqlType.FLOAT8)))));

  static TableSchema schema() {
    var columns = new ArrayList<ColumnSchema>();
    columns.add(new ColumnSchema(1, "k", SqlType.INT8, SemanticType.TAG, true, null));
    columns.add(
        new ColumnSchema(2, "ts", SqlType.TIMESTAMPTZ, SemanticType.TIMESTAMP, false, null));
    for (int i = 0; i < TYPES.size(); i++) {
      columns.add(new ColumnSchema(3 + i, "c" + i, TYPES.get(i), SemanticType.FIELD, true, null));
    }
    return new TableSchema(1, columns, List.of(1), 2);
  }

  static void random(Random r, SqlType t, VectorBuilder b, boolean few) {
    if (r.nextInt(8) == 0) {
      b.appendNull();
      return;
    }
    switch (b) {
      case VectorBuilder.Bools x -> x.append(r.nextBoolean());
      case VectorBuilder.Ints x ->
          x.append(
              t.kind() == TypeKind.INT2
                  ? r.nextInt(65536) - 32768
                  : few ? r.nextInt(5) : r.nextInt());
      case VectorBuilder.Longs x -> x.append(few ? r.nextInt(1000) : r.nextLong());
      case VectorBuilder.Floats x ->
          x.append(
              few
                  ? r.nextInt(4) == 0 ? Float.NaN : r.nextInt(6)
                  : Float.intBitsToFloat(r.nextInt()));
      case VectorBuilder.Doubles x ->
          x.append(
              few ? r.nextInt(4) == 0 ? -0d : r.nextInt(6) : Double.longBitsToDouble(r.nextLong()));
      case VectorBuilder.Bytes x -> {
        byte[] bytes = new byte[t.kind() == TypeKind.UUID ? 16 : r.nextInt(20)];
        r.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = (byte) ((few ? 'a' + (bytes[i] & 1) : bytes[i]) & 0x7f);
        }
        x.append(bytes);
      }
      case VectorBuilder.Numerics x -> {
        switch (r.nextInt(few ? 2 : 6)) {
          case 0 -> x.append(r.nextInt(1000) - 500, 2);
          case 1 -> x.append(r.nextInt(1000), 0);
          case 2 -> x.append(r.nextLong(), r.nextInt(20));
          case 3 -> x.append(new BigDecimal(new BigInteger(200, r), 30));
          case 4 -> x.appendSpecial(NumericVector.NAN);
          default -> x.appendSpecial(NumericVector.NEGATIVE_INFINITY);
        }
      }
      case VectorBuilder.Intervals x -> x.append(r.nextInt(), r.nextInt(), r.nextLong());
      case VectorBuilder.ArrayRows x -> {
        int n = r.nextInt(4);
        for (int i = 0; i < n; i++) {
          random(r, t.elementType(), x.elements(), few);
        }
        x.endRow(n == 2 && r.nextBoolean() ? new int[] {1, 1, 2, -3} : null);
      }
      case VectorBuilder.Records x -> {
        for (int i = 0; i < t.fields().size(); i++) {
          random(r, t.fields().get(i).type(), x.child(i), few);
        }
        x.endRow();
      }
    }
  }

  private static TestRegion filled(Random r, int rows, boolean few) {
    var region = new TestRegion(schema(), RegionOptions.DEFAULT);
    fill(region, r, rows, few);
    return region;
  }

  static void fill(TestRegion region, Random r, int rows, boolean few) {
    int left = rows;
    int at = 0;
    while (left > 0) {
      int n = Math.min(left, 1 + r.nextInt(3000));
      var columns = new ArrayList<Vector>();
      var ids = new ArrayList<Integer>();
      for (ColumnSchema c : region.schema.columns()) {
        VectorBuilder b = VectorBuilder.of(c.type(), n);
        for (int i = 0; i < n; i++) {
          if (c.id() == 1) {
            TestRegion.append(b, (at + i) % 7 == 0 ? null : (long) ((at + i) % 7));
          } else if (c.id() == 2) {
            TestRegion.append(b, (long) (at + i));
          } else {
            random(r, c.type(), b, few);
          }
        }
        ids.add(c.id());
        columns.add(b.build());
      }
      region.write(OpType.PUT, ids, new Batch(columns, n));
      at += n;
      left -= n;
    }
  }

  static List<Vector> table(TestRegion region, ScanRequest.Order order) {
    List<Integer> ids = region.schema.columns().stream().map(ColumnSchema::id).toList();
    var request =
        new ScanRequest(
            TestRegion.ID,
            ids,
            List.of(),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            -1,
            order,
            0,
            null,
            ScanRequest.RowSelector.ALL,
            false,
            1);
    List<Batch> batches = region.scan(request);
    var out = new ArrayList<Vector>();
    int n = batches.size();
    int[] from = new int[n];
    int[] count = batches.stream().mapToInt(Batch::rows).toArray();
    for (int c = 0; c < ids.size(); c++) {
      Vector[] v = new Vector[n];
      for (int i = 0; i < n; i++) {
        v[i] = batches.get(i).column(c);
      }
      out.add(VectorConcat.concat(region.schema.columns().get(c).type(), v, from, count, n));
    }
    return out;
  }

  private static void same(List<Vector> a, List<Vector> b) {
    for (int c = 0; c < a.size(); c++) {
      Vector x = a.get(c);
      Vector y = b.get(c);
      assertThat(y.length()).isEqualTo(x.length());
      for (int i = 0; i < x.length(); i++) {
        if (!x.same(i, y, i)) {
          throw new AssertionError("column " + c + " " + x.type() + " row " + i);
        }
        if (x instanceof NumericVector p && !p.isNull(i) && p.special(i) == 0) {
          assertThat(((NumericVector) y).get(i)).isEqualTo(p.get(i));
        }
      }
    }
  }

  @Test
  void everyTypeComesBackFromAFile() {
    for (boolean few : new boolean[] {false, true}) {
      for (int rows : new int[] {1, 300, 25_000}) {
        long seed = Long.getLong("millrace.seed", 20_261_130) + rows;
        try (TestRegion region = filled(new Random(seed), rows, few)) {
          List<Vector> before = table(region, ScanRequest.Order.KEY);
          assertThat(before.getFirst().length()).isEqualTo(rows);
          region.flush(List.of(), false);
          same(before, table(region, ScanRequest.Order.KEY));
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + "L rows " + rows + " few " + few, e);
        }
      }
    }
  }

  @Test
  void aDamagedFileIsAnErrorThatNamesIt() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var r = new Random(seed);
    for (int round = 0; round < 25; round++) {
      try (TestRegion region = filled(new Random(42), 500, true)) {
        List<Vector> before = table(region, ScanRequest.Order.KEY);
        region.flush(List.of(), false);
        String id = region.files().getFirst().fileId();
        byte[] b = region.store.files.get(id).clone();
        int at = r.nextInt(b.length);
        b[at] ^= (byte) (1 << r.nextInt(8));
        region.store.files.put(id, b);
        try {
          same(before, table(region, ScanRequest.Order.KEY));
        } catch (MillraceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.DATA_CORRUPTED);
          assertThat(e.message()).contains(id);
        }
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + "L round " + round, e);
      }
    }
  }

  @Test
  void aCutFileIsAnErrorThatNamesIt() {
    try (TestRegion region = filled(new Random(42), 500, true)) {
      region.flush(List.of(), false);
      String id = region.files().getFirst().fileId();
      byte[] b = region.store.files.get(id);
      region.store.files.put(id, java.util.Arrays.copyOf(b, b.length - 1));
      assertThatThrownBy(() -> table(region, ScanRequest.Order.KEY))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining(id);
    }
  }

  @Test
  void aColumnAddedLaterHasItsDefaultInOldRows() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      var keys =
          new Batch(
              List.of(
                  TestRegion.vector(SqlType.TEXT, "a", "b"),
                  TestRegion.vector(SqlType.TIMESTAMP, 1, 2)),
              2);
      region.write(OpType.PUT, List.of(1, 2), keys);
      region.flush(List.of(), false);
      region.write(
          OpType.PUT,
          List.of(1, 2),
          new Batch(
              List.of(
                  TestRegion.vector(SqlType.TEXT, "c"), TestRegion.vector(SqlType.TIMESTAMP, 3)),
              1));
      var columns = new ArrayList<>(TestRegion.cpu().columns());
      columns.removeIf(c -> c.id() == 4);
      columns.add(new ColumnSchema(9, "x", SqlType.INT4, SemanticType.FIELD, false, "17"));
      columns.add(new ColumnSchema(10, "y", SqlType.DATE, SemanticType.FIELD, true, null));
      region.schema = new TableSchema(2, columns, List.of(1), 2);
      region.freeze();
      var seen = new TreeSet<String>();
      for (int round = 0; round < 2; round++) {
        for (Batch b : region.scan(ScanRequest.all(TestRegion.ID, List.of(1, 9, 10)))) {
          for (int i = 0; i < b.rows(); i++) {
            assertThat(((io.millrace.common.batch.IntVector) b.column(1)).get(i)).isEqualTo(17);
            assertThat(b.column(2).isNull(i)).isTrue();
            seen.add(((io.millrace.common.batch.BytesColumn) b.column(0)).string(i) + round);
          }
        }
        region.flush(List.of(), false);
      }
      assertThat(seen).containsExactly("a0", "a1", "b0", "b1", "c0", "c1");
    }
  }
}

package io.millrace.storage.sst.index;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Last rows of series: column 1 a tag, 2 the time, 3 a field; row i has time 10·i, field i. */
class SeriesRowsTest {
  /** Hosts a, b, ... in turn, of so many rows each, in pages of 100 rows. */
  private static List<Vector> hosts(int... rows) {
    var all = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 100);
    int n = 0;
    var out = new ArrayList<Vector>();
    for (int h = 0; h < rows.length; h++) {
      for (int i = 0; i < rows[h]; i++) {
        all.append(String.valueOf((char) ('a' + h)));
        if (++n % 100 == 0) {
          out.add(all.build());
          all = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 100);
        }
      }
    }
    if (n % 100 != 0) {
      out.add(all.build());
    }
    return out;
  }

  private static List<Vector> longs(SqlType type, int rows, int times) {
    var out = new ArrayList<Vector>();
    for (int from = 0; from < rows; from += 100) {
      long[] v = new long[Math.min(100, rows - from)];
      for (int i = 0; i < v.length; i++) {
        v[i] = (long) times * (from + i);
      }
      out.add(new LongVector(type, v, v.length, null));
    }
    return out;
  }

  @Test
  void theLastRowOfEachSeriesIsKept() {
    var c = new SeriesRows.Collector(List.of(1, 2));
    c.column(2, longs(SqlType.TIMESTAMP, 350, 10));
    c.column(1, hosts(100, 1, 149, 100));
    c.column(3, longs(SqlType.INT8, 350, 1));
    SeriesRows r = SeriesRows.read(requireNonNull(c.blob()));
    assertThat(r.tags()).isEqualTo(1);
    assertThat(r.ids()).containsExactly(1, 2, 3);
    int[] last = {99, 100, 249, 349};
    assertThat(r.rows().rows()).isEqualTo(4);
    for (int s = 0; s < 4; s++) {
      assertThat(r.last(s)).isEqualTo(last[s]);
      assertThat(((BytesColumn) requireNonNull(r.column(1))).string(s))
          .isEqualTo("" + "abcd".charAt(s));
      assertThat(((LongVector) requireNonNull(r.column(2))).get(s)).isEqualTo(10L * last[s]);
      assertThat(((LongVector) requireNonNull(r.column(3))).get(s)).isEqualTo(last[s]);
    }
    assertThat(r.column(4)).isNull();
  }

  @Test
  void columnsBeforeTheKeysAreLeftOut() {
    var c = new SeriesRows.Collector(List.of(1, 2));
    c.column(3, longs(SqlType.INT8, 200, 1));
    c.column(1, hosts(200));
    c.column(2, longs(SqlType.TIMESTAMP, 200, 10));
    assertThat(SeriesRows.read(requireNonNull(c.blob())).ids()).containsExactly(1, 2);
  }

  @Test
  void shortSeriesAreNotWorthIt() {
    var c = new SeriesRows.Collector(List.of(1, 2));
    c.column(1, hosts(64, 63));
    c.column(2, longs(SqlType.TIMESTAMP, 127, 10));
    assertThat(c.blob()).isNull();
  }

  @Test
  void theFormatIsKept() {
    var c = new SeriesRows.Collector(List.of(1, 2));
    c.column(1, hosts(64, 64));
    c.column(2, longs(SqlType.TIMESTAMP, 128, 10));
    c.column(3, longs(SqlType.INT8, 128, 1));
    assertThat(HexFormat.of().formatHex(requireNonNull(c.blob())))
        .isEqualTo(
            "010103010203020400190000000100000001000000616200da0800007602000000000000f6040000"
                + "00000000001400003f000000000000007f00000000000000001700003f0000007f000000");
  }
}

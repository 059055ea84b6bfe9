package io.millrace.storage.commit;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.VectorCodec;
import java.util.Arrays;

/**
 * A key in a form in which equal keys have equal bytes: −0.0 as 0.0, one NaN, numerics without
 * trailing zeros.
 */
record KeyBytes(RegionId region, byte[] bytes) {
  static KeyBytes of(RegionId region, Batch keys, int row) {
    var w = new ByteWriter(64);
    for (Vector v : keys.columns()) {
      if (v.isNull(row)) {
        w.u1(0);
      } else {
        w.u1(1);
        value(w, v, row);
      }
    }
    return new KeyBytes(region, w.toBytes());
  }

  private static void value(ByteWriter w, Vector v, int row) {
    switch (v) {
      case BoolVector b -> w.u1(b.get(row) ? 1 : 0);
      case IntVector i -> w.i4(i.get(row));
      case LongVector l -> w.i8(l.get(row));
      case FloatVector f -> w.i4(Float.floatToIntBits(f.get(row) + 0.0f));
      case DoubleVector d -> w.i8(Double.doubleToLongBits(d.get(row) + 0.0));
      case BytesColumn b -> {
        int n = b.size(row);
        w.i4(n).bytes(b.data(row), b.start(row), n);
      }
      case NumericVector n -> {
        w.u1(n.special(row));
        if (n.special(row) == NumericVector.FINITE) {
          w.text(n.get(row).stripTrailingZeros().toString());
        }
      }
      default -> VectorCodec.write(w, v.slice(row, 1), 1);
    }
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof KeyBytes k && region.equals(k.region) && Arrays.equals(bytes, k.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes) * 31 + region.hashCode();
  }
}

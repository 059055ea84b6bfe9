package io.millrace.sql.exec.spill;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@link BatchEncoder} wrote. */
final class BatchDecoder {
  private final ByteBuffer in;

  BatchDecoder(ByteBuffer in) {
    this.in = in;
  }

  Batch decode(List<SqlType> types) {
    int rows = in.getInt();
    var out = new ArrayList<Vector>(types.size());
    for (SqlType t : types) {
      out.add(get(t, rows));
    }
    return new Batch(out, rows);
  }

  private int[] ints(int n) {
    int[] a = new int[n];
    in.asIntBuffer().get(a);
    in.position(in.position() + n * 4);
    return a;
  }

  private long[] longs(int n) {
    long[] a = new long[n];
    in.asLongBuffer().get(a);
    in.position(in.position() + n * 8);
    return a;
  }

  private byte[] bytes(int n) {
    byte[] a = new byte[n];
    in.get(a);
    return a;
  }

  private Vector get(SqlType type, int n) {
    long[] valid = in.get() == 0 ? null : longs(Bits.words(n));
    return switch (type.layout()) {
      case BOOL -> {
        boolean[] v = new boolean[n];
        for (int i = 0; i < n; i++) {
          v[i] = in.get() != 0;
        }
        yield new BoolVector(type, v, n, valid);
      }
      case INT -> new IntVector(type, ints(n), n, valid);
      case LONG -> new LongVector(type, longs(n), n, valid);
      case FLOAT -> {
        float[] v = new float[n];
        in.asFloatBuffer().get(v);
        in.position(in.position() + n * 4);
        yield new FloatVector(type, v, n, valid);
      }
      case DOUBLE -> {
        double[] v = new double[n];
        in.asDoubleBuffer().get(v);
        in.position(in.position() + n * 8);
        yield new DoubleVector(type, v, n, valid);
      }
      case BYTES -> in.get() == 0 ? plain(type, n, valid) : dict(type, n, valid);
      case NUMERIC -> numeric(type, n, valid);
      case INTERVAL -> new IntervalVector(type, ints(n), ints(n), longs(n), n, valid);
      case ARRAY -> array(type, n, valid);
      case RECORD -> {
        var children = new ArrayList<Vector>();
        for (SqlType.Field f : type.fields()) {
          children.add(get(f.type(), n));
        }
        yield new RecordVector(type, children, n, valid);
      }
    };
  }

  private Vector plain(SqlType type, int n, long @Nullable [] valid) {
    int[] o = offsets(n);
    return new BytesVector(type, o, bytes(o[n]), n, valid);
  }

  private int[] offsets(int n) {
    int base = in.getInt();
    int[] o = ints(n + 1);
    for (int i = 0; i <= n; i++) {
      o[i] -= base;
    }
    return o;
  }

  private Vector dict(SqlType type, int n, long @Nullable [] valid) {
    int size = in.getInt();
    int[] o = ints(size + 1);
    byte[] data = bytes(o[size]);
    return new DictVector(
        type, ints(n), new DictVector.FixedDictionary(o, data, size, false), n, valid);
  }

  private Vector numeric(SqlType type, int n, long @Nullable [] valid) {
    if (in.get() == 0) {
      int scale = in.getInt();
      return new NumericVector(type, longs(n), scale, null, null, null, n, valid);
    }
    var b = (VectorBuilder.Numerics) VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      byte kind = in.get();
      switch (kind) {
        case 16 -> {
          byte scale = in.get();
          b.append(in.getLong(), scale);
        }
        case 17 -> {
          int scale = in.getInt();
          b.append(new BigDecimal(new BigInteger(bytes(in.getInt())), scale));
        }
        default -> b.appendSpecial(kind);
      }
      if (valid != null && !Bits.get(valid, i)) {
        b.setNull(i);
      }
    }
    return b.build();
  }

  private Vector array(SqlType type, int n, long @Nullable [] valid) {
    int[] o = offsets(n);
    int @Nullable [] @Nullable [] shapes = null;
    if (in.get() != 0) {
      shapes = new int[n][];
      for (int i = 0; i < n; i++) {
        int length = in.getInt();
        shapes[i] = length < 0 ? null : ints(length);
      }
    }
    return new ArrayVector(type, o, get(type.elementType(), o[n]), shapes, n, valid);
  }
}

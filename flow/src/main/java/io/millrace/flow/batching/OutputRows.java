package io.millrace.flow.batching;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Turns a plan's extended output into rows for the diff: sink key, other columns, window start. One
 * evaluation's.
 */
final class OutputRows {
  private final FlowPlan plan;
  private final SinkPlan.Mapping mapping;
  private final SessionFormat format;

  /** How often a row of a bag was seen: the second of equal rows is another row than the first. */
  private final Map<ByteBuffer, Integer> equals = new HashMap<>();

  OutputRows(FlowPlan plan, SinkPlan.Mapping mapping, SessionFormat format) {
    this.plan = plan;
    this.mapping = mapping;
    this.format = format;
  }

  Batch convert(Batch b) {
    var out = new ArrayList<Vector>();
    int n = 0;
    for (SinkPlan.Source s : mapping.keys()) {
      out.add(canonical(column(b, s, mapping.types().get(n++))));
    }
    for (SinkPlan.Source s : mapping.columns()) {
      out.add(column(b, s, mapping.types().get(n++)));
    }
    out.add(windowStart(b));
    return new Batch(out, b.rows());
  }

  private Vector column(Batch b, SinkPlan.Source source, SqlType type) {
    return switch (source) {
      case SinkPlan.Source.Output(int place) -> as(b.column(place), type);
      case SinkPlan.Source.Epoch e -> new LongVector(type, new long[b.rows()], b.rows(), null);
      case SinkPlan.Source.KeyHash h -> keyHash(b, type);
    };
  }

  private Vector as(Vector v, SqlType type) {
    if (v.type().sameKind(type)) {
      return v.withType(type);
    }
    if (v.type().kind() == TypeKind.TIMESTAMP && type.kind() == TypeKind.TIMESTAMP_NS) {
      return scaled((LongVector) v, type, 1000, 1);
    }
    if (v.type().kind() == TypeKind.TIMESTAMP_NS && type.kind().isTimestamp()) {
      return scaled((LongVector) v, type, 1, 1000);
    }
    if (v.type().kind().isTimestamp() && type.kind().isTimestamp()) {
      return v.withType(type);
    }
    TypeCodec from = TypeCodecs.of(v.type());
    TypeCodec to = TypeCodecs.of(type);
    VectorBuilder out = VectorBuilder.of(type, v.length());
    var text = new ByteSink(64);
    for (int r = 0; r < v.length(); r++) {
      if (v.isNull(r)) {
        out.appendNull();
        continue;
      }
      text.clear();
      from.writeText(v, r, text, format);
      to.parseText(text.array(), 0, text.position(), out, format);
    }
    return out.build();
  }

  private static Vector scaled(LongVector v, SqlType type, long times, long by) {
    long[] out = new long[v.length()];
    for (int i = 0; i < out.length; i++) {
      out[i] = Math.floorDiv(v.get(i) * times, by);
    }
    return new LongVector(type, out, out.length, v.validity());
  }

  /** Keys are equal where PostgreSQL says so: −0.0 becomes 0.0 and every NaN the same one. */
  private static Vector canonical(Vector v) {
    if (v instanceof io.millrace.common.batch.DoubleVector d) {
      double[] out = Arrays.copyOf(d.values(), d.length());
      for (int i = 0; i < out.length; i++) {
        out[i] = Double.isNaN(out[i]) ? Double.NaN : out[i] + 0.0;
      }
      return new io.millrace.common.batch.DoubleVector(d.type(), out, out.length, d.validity());
    }
    return v;
  }

  private Vector keyHash(Batch b, SqlType type) {
    MessageDigest digest = sha256();
    var codecs = new ArrayList<TypeCodec>();
    for (int k : plan.key()) {
      codecs.add(TypeCodecs.of(b.column(k).type()));
    }
    var out = (VectorBuilder.Bytes) VectorBuilder.of(type, b.rows());
    var bytes = new ByteSink(256);
    for (int r = 0; r < b.rows(); r++) {
      bytes.clear();
      for (int i = 0; i < codecs.size(); i++) {
        Vector v = canonical(b.column(plan.key().get(i)));
        if (v.isNull(r)) {
          bytes.putInt(-1);
          continue;
        }
        int at = bytes.position();
        bytes.putInt(0);
        codecs.get(i).writeBinary(v, r, bytes);
        bytes.setInt(at, bytes.position() - at - 4);
      }
      if (plan.bag()) {
        byte[] row = Arrays.copyOf(bytes.array(), bytes.position());
        bytes.putInt(equals.merge(ByteBuffer.wrap(row), 1, Integer::sum));
      }
      digest.update(bytes.array(), 0, bytes.position());
      out.append(digest.digest(), 0, 16);
    }
    return out.build();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private Vector windowStart(Batch b) {
    long[] out = new long[b.rows()];
    if (plan.windowPlace() >= 0) {
      Vector v = b.column(plan.windowPlace());
      for (int r = 0; r < out.length; r++) {
        out[r] =
            v instanceof IntVector days && plan.window().isPresent()
                ? startOfDate(days.get(r))
                : micros(v, r);
      }
    }
    return new LongVector(SqlType.INT8, out, out.length, null);
  }

  /** Infinite dates are infinite times. */
  private long startOfDate(int day) {
    return switch (day) {
      case Integer.MAX_VALUE -> Long.MAX_VALUE;
      case Integer.MIN_VALUE -> Long.MIN_VALUE;
      default -> plan.window().orElseThrow().startOfDate(day);
    };
  }

  static long micros(Vector v, int row) {
    return switch (v) {
      case LongVector l ->
          v.type().kind() == TypeKind.TIMESTAMP_NS ? Math.floorDiv(l.get(row), 1000L) : l.get(row);
      case IntVector i -> i.get(row) * 86_400_000_000L;
      default -> throw new IllegalStateException("a window of type " + v.type());
    };
  }
}

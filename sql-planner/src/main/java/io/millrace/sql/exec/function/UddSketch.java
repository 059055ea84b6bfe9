package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * UDDSketch (Epicoco, Melle, Cafaro, Pulimeno: "UDDSketch: Accurate Tracking of Quantiles in Data
 * Streams"): values are counted in buckets that grow by a factor gamma = (1 + e) / (1 - e), so that
 * the middle of a bucket is within the relative error e of all its values. When there are more
 * buckets than asked for, every two neighbours become one: gamma is squared, e grows to 2e / (1 +
 * e²), uniformly over all quantiles. Two sketches of one initial error always merge: the finer one
 * is collapsed until both agree.
 *
 * <p>Form: magic 'U', version, buckets allowed, initial error, collapses, the count of zeros, then
 * the numbers of positive and negative buckets and all of them as (index, count).
 */
final class UddSketch {
  private static final byte MAGIC = 'U';
  private static final byte VERSION = 1;
  private static final int HEADER = 2 + 4 + 8 + 4 + 8 + 4 + 4;
  private static final int BUCKET = 4 + 8;
  private static final int MAX_BUCKETS = 1 << 20;

  private final int limit;
  private final double initialError;
  private int collapses;
  private double gamma;
  private long zeros;
  private long count;
  private TreeMap<Integer, Long> positive = new TreeMap<>();
  private TreeMap<Integer, Long> negative = new TreeMap<>();

  UddSketch(long limit, double error) {
    if (limit < 2 || limit > MAX_BUCKETS) {
      throw Errors.invalidParameter(
          "the number of buckets must be between 2 and " + MAX_BUCKETS + ", not " + limit);
    }
    if (!(error > 0 && error < 1)) {
      throw Errors.invalidParameter("the error must be between 0 and 1, not " + error);
    }
    this.limit = (int) limit;
    initialError = error;
    gamma = (1 + error) / (1 - error);
  }

  long count() {
    return count;
  }

  /** Counts a value; NaN and the infinities lie in no bucket and are left out. */
  void add(double v) {
    if (Double.isNaN(v) || Double.isInfinite(v)) {
      return;
    }
    count++;
    if (v == 0) {
      zeros++;
      return;
    }
    (v > 0 ? positive : negative).merge(index(Math.abs(v)), 1L, Long::sum);
    shrink();
  }

  private int index(double v) {
    return (int) Math.ceil(Math.log(v) / Math.log(gamma));
  }

  private void shrink() {
    while (positive.size() + negative.size() > limit) {
      collapse();
    }
  }

  private void collapse() {
    positive = halved(positive);
    negative = halved(negative);
    gamma *= gamma;
    collapses++;
  }

  /** Buckets 2k - 1 and 2k become bucket k of the squared gamma. */
  private static TreeMap<Integer, Long> halved(TreeMap<Integer, Long> buckets) {
    var out = new TreeMap<Integer, Long>();
    buckets.forEach((k, n) -> out.merge(Math.ceilDiv(k, 2), n, Long::sum));
    return out;
  }

  void merge(UddSketch other) {
    if (initialError != other.initialError) {
      throw Errors.invalidParameter(
          "states of uddsketch with errors "
              + initialError
              + " and "
              + other.initialError
              + " cannot be merged");
    }
    while (collapses < other.collapses) {
      collapse();
    }
    TreeMap<Integer, Long> plus = other.positive;
    TreeMap<Integer, Long> minus = other.negative;
    for (int k = other.collapses; k < collapses; k++) {
      plus = halved(plus);
      minus = halved(minus);
    }
    plus.forEach((k, n) -> positive.merge(k, n, Long::sum));
    minus.forEach((k, n) -> negative.merge(k, n, Long::sum));
    zeros += other.zeros;
    count += other.count;
    shrink();
  }

  /** percentile_disc: the first value that p of all values do not exceed. Not for empty ones. */
  double quantile(double p) {
    long rank = Math.max(1, (long) Math.ceil(p * count));
    long seen = 0;
    for (Map.Entry<Integer, Long> e : negative.descendingMap().entrySet()) {
      seen += e.getValue();
      if (seen >= rank) {
        return -middle(e.getKey());
      }
    }
    seen += zeros;
    if (seen >= rank) {
      return 0;
    }
    for (Map.Entry<Integer, Long> e : positive.entrySet()) {
      seen += e.getValue();
      if (seen >= rank) {
        return middle(e.getKey());
      }
    }
    throw new IllegalStateException("rank " + rank + " of " + count);
  }

  private double middle(int bucket) {
    return 2 * Math.pow(gamma, bucket) / (gamma + 1);
  }

  long byteSize() {
    return 120 + 64L * (positive.size() + negative.size());
  }

  byte[] write() {
    ByteBuffer out =
        ByteBuffer.allocate(HEADER + BUCKET * (positive.size() + negative.size()))
            .put(MAGIC)
            .put(VERSION)
            .putInt(limit)
            .putDouble(initialError)
            .putInt(collapses)
            .putLong(zeros)
            .putInt(positive.size())
            .putInt(negative.size());
    positive.forEach((k, n) -> out.putInt(k).putLong(n));
    negative.forEach((k, n) -> out.putInt(k).putLong(n));
    return out.array();
  }

  static UddSketch read(byte[] state) {
    ByteBuffer in = ByteBuffer.wrap(state);
    if (state.length < HEADER || in.get() != MAGIC || in.get() != VERSION) {
      throw invalid();
    }
    var out = new UddSketch(in.getInt(), in.getDouble());
    int collapses = in.getInt();
    long zeros = in.getLong();
    int plus = in.getInt();
    int minus = in.getInt();
    boolean sized =
        plus >= 0
            && minus >= 0
            && plus + (long) minus <= out.limit
            && state.length == HEADER + BUCKET * (plus + minus);
    if (!sized || zeros < 0 || collapses < 0 || collapses > 64) {
      throw invalid();
    }
    for (int k = 0; k < collapses; k++) {
      out.collapse();
    }
    out.zeros = zeros;
    out.count = zeros + fill(in, plus, out.positive) + fill(in, minus, out.negative);
    return out;
  }

  private static long fill(ByteBuffer in, int count, TreeMap<Integer, Long> buckets) {
    long total = 0;
    for (int k = 0; k < count; k++) {
      int bucket = in.getInt();
      long n = in.getLong();
      if (n <= 0) {
        throw invalid();
      }
      buckets.put(bucket, n);
      total += n;
    }
    return total;
  }

  private static MillraceException invalid() {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE, "the value is not a state of uddsketch");
  }
}

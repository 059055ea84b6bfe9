package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.WindowKernel.Partition;
import java.util.Arrays;

/**
 * How unusual a row's value is among those of its frame, 0 for usual ones.
 *
 * <ul>
 *   <li>anomaly_score_zscore: distance from the mean in (population) standard deviations; from two
 *       values on;
 *   <li>anomaly_score_mad: distance from the median in median absolute deviations, times 0.6745 so
 *       that it compares with a z-score; from three values on;
 *   <li>anomaly_score_iqr(x, k): how many interquartile ranges x lies outside of the fences q1 - k
 *       · iqr and q3 + k · iqr; from three values on.
 * </ul>
 *
 * NULLs are not among the values and have no score. Where all values are alike any other one is
 * infinitely far away. Costs: a frame is read anew for each row.
 */
final class AnomalyScores {
  private static final double MAD_TO_SIGMA = 0.6745;

  private AnomalyScores() {}

  private interface Score {
    double of(double x, double[] frame, int count, int row);
  }

  static void register(FunctionRegistry.Builder b) {
    b.window(
        "anomaly_score_zscore(float8)",
        (_, _) -> (p, c) -> scores(p, c, 2, (x, f, n, _) -> zscore(x, f, n)));
    b.window(
        "anomaly_score_mad(float8)",
        (_, _) -> (p, c) -> scores(p, c, 3, (x, f, n, _) -> mad(x, f, n)));
    b.window(
        "anomaly_score_iqr(float8,float8)",
        (_, _) ->
            (p, c) ->
                scores(
                    p,
                    c,
                    3,
                    (x, f, n, row) -> iqr(x, f, n, ((DoubleVector) p.args().get(1)).get(row))));
  }

  private static Vector scores(Partition p, EvalContext c, int least, Score score) {
    var in = (DoubleVector) p.args().getFirst();
    double[] out = new double[p.rows()];
    long[] validity = new long[(p.rows() + 63) / 64];
    double[] frame = new double[p.rows()];
    long read = 0;
    for (int i = 0; i < p.rows(); i++) {
      int count = 0;
      for (int k = p.frameStart()[i]; k < p.frameEnd()[i]; k++) {
        if (!in.isNull(k) && !WindowKernels.excluded(p, i, k)) {
          frame[count++] = in.get(k);
        }
      }
      read += count;
      if (read >= 1024) {
        c.check().run();
        read = 0;
      }
      if (count >= least && !SetKernels.anyNull(p.args(), i)) {
        out[i] = score.of(in.get(i), frame, count, i);
        validity[i >> 6] |= 1L << (i & 63);
      }
    }
    return new DoubleVector(SqlType.FLOAT8, out, p.rows(), validity);
  }

  private static double zscore(double x, double[] frame, int n) {
    double mean = 0;
    double squares = 0;
    for (int k = 0; k < n; k++) {
      double d = frame[k] - mean;
      mean += d / (k + 1);
      squares += d * (frame[k] - mean);
    }
    return relative(Math.abs(x - mean), Math.sqrt(squares / n));
  }

  private static double mad(double x, double[] frame, int n) {
    double median = quantile(frame, n, 0.5);
    double[] distances = new double[n];
    for (int k = 0; k < n; k++) {
      distances[k] = Math.abs(frame[k] - median);
    }
    return relative(MAD_TO_SIGMA * Math.abs(x - median), quantile(distances, n, 0.5));
  }

  private static double iqr(double x, double[] frame, int n, double k) {
    if (!(k >= 0)) {
      throw Errors.invalidParameter(
          "the multiplier of the interquartile range must not be negative");
    }
    double q1 = quantile(frame, n, 0.25);
    double q3 = quantile(frame, n, 0.75);
    double range = q3 - q1;
    return relative(Math.max(0, Math.max(q1 - k * range - x, x - q3 - k * range)), range);
  }

  private static double relative(double distance, double unit) {
    return distance == 0 ? 0 : distance / unit;
  }

  /** Interpolated between the two nearest; sorts the values. */
  private static double quantile(double[] values, int n, double p) {
    Arrays.sort(values, 0, n);
    double at = p * (n - 1);
    int low = (int) at;
    return low + 1 < n ? values[low] + (at - low) * (values[low + 1] - values[low]) : values[low];
  }
}

package io.millrace.sql.exec.function;

import java.util.Arrays;

/**
 * A merging t-digest (Dunning, "Computing Extremely Accurate Quantiles Using t-Digests"): values
 * are summed up in centroids of a mean and a weight that are small near both ends and large in the
 * middle (scale function k1), so that extreme quantiles stay exact. Values wait in a buffer; when
 * it is full they are sorted into the centroids in one pass. Up to {@link #BUFFER} values it is
 * exact.
 */
final class TDigest {
  private static final int COMPRESSION = 500;
  private static final int BUFFER = 2_048;

  private double[] means = new double[16];
  private double[] weights = new double[16];
  private int size;
  private double total;
  private double min = Double.POSITIVE_INFINITY;
  private double max = Double.NEGATIVE_INFINITY;
  private boolean sorted = true;

  void add(double value, double weight) {
    if (size == means.length) {
      room();
    }
    means[size] = value;
    weights[size++] = weight;
    total += weight;
    sorted = false;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }

  private void room() {
    if (size >= BUFFER) {
      compress();
    }
    if (size >= means.length / 2) {
      means = Arrays.copyOf(means, means.length * 2);
      weights = Arrays.copyOf(weights, weights.length * 2);
    }
  }

  double total() {
    return total;
  }

  /** Merges what {@link #state} gave. */
  void merge(double[] state) {
    for (int k = 2; k + 1 < state.length; k += 2) {
      add(state[k], state[k + 1]);
    }
    min = Math.min(min, state[0]);
    max = Math.max(max, state[1]);
  }

  /** Smallest and largest value, then all centroids: mean, weight. */
  double[] state() {
    if (size > BUFFER) {
      compress();
    }
    double[] out = new double[2 + 2 * size];
    out[0] = min;
    out[1] = max;
    for (int k = 0; k < size; k++) {
      out[2 + 2 * k] = means[k];
      out[3 + 2 * k] = weights[k];
    }
    return out;
  }

  private void sort() {
    if (sorted) {
      return;
    }
    Integer[] order = new Integer[size];
    Arrays.setAll(order, k -> k);
    double[] m = means;
    Arrays.sort(order, (a, b) -> Double.compare(m[a], m[b]));
    double[] sortedMeans = new double[means.length];
    double[] sortedWeights = new double[means.length];
    for (int k = 0; k < size; k++) {
      sortedMeans[k] = means[order[k]];
      sortedWeights[k] = weights[order[k]];
    }
    means = sortedMeans;
    weights = sortedWeights;
    sorted = true;
  }

  private void compress() {
    sort();
    int out = 0;
    double before = 0;
    double limit = total * end(0);
    for (int k = 1; k < size; k++) {
      if (before + weights[out] + weights[k] <= limit) {
        weights[out] += weights[k];
        means[out] += (means[k] - means[out]) * weights[k] / weights[out];
      } else {
        before += weights[out];
        limit = total * end(before / total);
        out++;
        means[out] = means[k];
        weights[out] = weights[k];
      }
    }
    size = out + 1;
  }

  /** How far a centroid may reach that begins at q: one step of k1(q) = c / 2π · asin(2q - 1). */
  private static double end(double q) {
    double k = COMPRESSION / (2 * Math.PI) * Math.asin(2 * q - 1) + 1;
    return k >= COMPRESSION / 4.0 ? 1 : (Math.sin(k * 2 * Math.PI / COMPRESSION) + 1) / 2;
  }

  /**
   * The value at p of the way through the weights, interpolated between the middles of centroids.
   * Only for digests of some weight.
   */
  double quantile(double p) {
    sort();
    double rank = p * total;
    double before = 0;
    int k = 0;
    while (k < size - 1 && before + weights[k] < rank) {
      before += weights[k++];
    }
    if (p == 0 || p == 1) {
      return p == 0 ? min : max;
    }
    double step;
    if (size == 1) {
      return means[0];
    } else if (k == 0) {
      step = means[1] - means[0];
    } else if (k == size - 1) {
      step = means[k] - means[k - 1];
    } else {
      step = (means[k + 1] - means[k - 1]) / 2;
    }
    double value = means[k] + ((rank - before) / weights[k] - 0.5) * step;
    double low = k == 0 ? min : means[k - 1];
    double high = k == size - 1 ? max : means[k + 1];
    return Math.clamp(value, low, high);
  }

  long byteSize() {
    return 80 + 16L * means.length;
  }
}

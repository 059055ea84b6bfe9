package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;

/** round, trunc and format of floats to decimal places: what PostgreSQL has for numeric only. */
final class DecimalPlaces {
  private static final int MOST = 400;
  private static final int MOST_SHOWN = 30;

  private DecimalPlaces() {}

  static void register(FunctionRegistry.Builder b) {
    b.simple("round(float8,int4)", (a, n, _) -> cut(a, n, RoundingMode.HALF_UP));
    b.simple("trunc(float8,int4)", (a, n, _) -> cut(a, n, RoundingMode.DOWN));
    b.simple(
        "format(numeric,int4)",
        (a, n, _) ->
            Build.text(
                SqlType.TEXT,
                a,
                n,
                i ->
                    switch (Args.numerics(a, 0).special(i)) {
                      case NumericVector.NAN -> "NaN";
                      case NumericVector.POSITIVE_INFINITY -> "Infinity";
                      case NumericVector.NEGATIVE_INFINITY -> "-Infinity";
                      default -> grouped(Args.numerics(a, 0).get(i), Args.ints(a, 1)[i]);
                    }));
    b.simple(
        "format(float8,int4)",
        (a, n, _) ->
            Build.text(
                SqlType.TEXT,
                a,
                n,
                i -> {
                  double x = Args.doubles(a, 0)[i];
                  return Double.isNaN(x) || Double.isInfinite(x)
                      ? Double.toString(x)
                      : grouped(BigDecimal.valueOf(x), Args.ints(a, 1)[i]);
                }));
  }

  private static Vector cut(List<Vector> a, int n, RoundingMode mode) {
    double[] in = Args.doubles(a, 0);
    int[] places = Args.ints(a, 1);
    long[] validity = Args.validity(a, n);
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = cut(in[i], places[i], mode);
      }
    }
    return new DoubleVector(SqlType.FLOAT8, out, n, validity);
  }

  private static double cut(double x, int places, RoundingMode mode) {
    return Double.isNaN(x) || Double.isInfinite(x)
        ? x
        : BigDecimal.valueOf(x).setScale(Math.clamp(places, -MOST, MOST), mode).doubleValue();
  }

  /** With commas between thousands, as MySQL's format. */
  private static String grouped(BigDecimal x, int places) {
    int shown = Math.clamp(places, 0, MOST_SHOWN);
    var format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT));
    format.setMinimumFractionDigits(shown);
    return format.format(x.setScale(shown, RoundingMode.HALF_UP));
  }
}

package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.List;

/**
 * Geohashes: the bits of longitude and latitude, each halving its range, taken turn by turn and
 * written five at a time. A hash of n characters names a cell; its neighbours are the cells one
 * step aside, across the 180th meridian too, but not across the poles.
 */
final class GeohashKernels {
  private static final String ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz";
  private static final int MAX_LENGTH = 12;

  /** Steps of latitude and longitude: north, then counter-clockwise. */
  private static final int[][] AROUND = {
    {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}, {0, 1}, {1, 1}
  };

  private GeohashKernels() {}

  static void register(FunctionRegistry.Builder b) {
    b.simple(
        "geohash(float8,float8,int8)",
        (a, n, _) -> Build.text(SqlType.TEXT, a, n, i -> encode(a, i)));
    b.simple("geohash_neighbours(float8,float8,int8)", GeohashKernels::neighbours);
    b.simple("geohash_decode(text)", GeohashKernels::decode);
  }

  private static String encode(List<Vector> a, int i) {
    return encode(
        latitude(Args.doubles(a, 0)[i]),
        longitude(Args.doubles(a, 1)[i]),
        length(Args.longs(a, 2)[i]));
  }

  private static double latitude(double x) {
    return inside(x, 90, "latitude");
  }

  private static double longitude(double x) {
    return inside(x, 180, "longitude");
  }

  private static double inside(double x, int limit, String what) {
    if (!(x >= -limit && x <= limit)) {
      throw Errors.invalidParameter(what + " " + x + " is not between " + -limit + " and " + limit);
    }
    return x;
  }

  private static int length(long n) {
    if (n < 1 || n > MAX_LENGTH) {
      throw Errors.invalidParameter(
          "the length of a geohash must be between 1 and " + MAX_LENGTH + ", not " + n);
    }
    return (int) n;
  }

  private static int longitudeBits(int length) {
    return (5 * length + 1) / 2;
  }

  /** Which of 2^bits equal parts of [-limit, limit] a coordinate lies in. */
  private static long cell(double x, int limit, int bits) {
    long cells = 1L << bits;
    return Math.min(cells - 1, (long) Math.floor((x + limit) / (2.0 * limit) * cells));
  }

  private static String encode(double lat, double lon, int length) {
    int bits = longitudeBits(length);
    return write(cell(lat, 90, 5 * length - bits), cell(lon, 180, bits), length);
  }

  private static String write(long lat, long lon, int length) {
    int lonLeft = longitudeBits(length);
    int latLeft = 5 * length - lonLeft;
    var out = new StringBuilder(length);
    boolean east = true;
    for (int k = 0; k < length; k++) {
      int character = 0;
      for (int bit = 0; bit < 5; bit++) {
        long next = east ? lon >>> --lonLeft & 1 : lat >>> --latLeft & 1;
        character = character << 1 | (int) next;
        east = !east;
      }
      out.append(ALPHABET.charAt(character));
    }
    return out.toString();
  }

  private static Vector neighbours(List<Vector> a, int n, EvalContext context) {
    return Build.arrays(
        SqlType.arrayOf(SqlType.TEXT),
        a,
        n,
        (i, out) -> {
          int length = length(Args.longs(a, 2)[i]);
          int bits = longitudeBits(length);
          long rows = 1L << (5 * length - bits);
          long lat = cell(latitude(Args.doubles(a, 0)[i]), 90, 5 * length - bits);
          long lon = cell(longitude(Args.doubles(a, 1)[i]), 180, bits);
          for (int[] step : AROUND) {
            long row = lat + step[0];
            if (row >= 0 && row < rows) {
              long column = Math.floorMod(lon + step[1], 1L << bits);
              ((VectorBuilder.Bytes) out.elements()).append(write(row, column, length));
            }
          }
          out.endRow(null);
        });
  }

  /** Latitude and longitude of a cell's middle. */
  private static Vector decode(List<Vector> a, int n, EvalContext context) {
    return Build.arrays(
        SqlType.arrayOf(SqlType.FLOAT8),
        a,
        n,
        (i, out) -> {
          double[] middle = decode(TextKernels.str(a, 0, i));
          ((VectorBuilder.Doubles) out.elements()).append(middle[0]);
          ((VectorBuilder.Doubles) out.elements()).append(middle[1]);
          out.endRow(null);
        });
  }

  private static double[] decode(String hash) {
    double[] low = {-90, -180};
    double[] high = {90, 180};
    int axis = 1;
    for (int k = 0; k < hash.length(); k++) {
      int character = ALPHABET.indexOf(Character.toLowerCase(hash.charAt(k)));
      if (character < 0) {
        throw invalid(hash);
      }
      for (int bit = 4; bit >= 0; bit--) {
        double middle = (low[axis] + high[axis]) / 2;
        ((character >> bit & 1) == 1 ? low : high)[axis] = middle;
        axis = 1 - axis;
      }
    }
    if (hash.isEmpty() || hash.length() > MAX_LENGTH) {
      throw invalid(hash);
    }
    return new double[] {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
  }

  private static MillraceException invalid(String hash) {
    return new MillraceException(
        ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid geohash: \"" + hash + "\"");
  }
}

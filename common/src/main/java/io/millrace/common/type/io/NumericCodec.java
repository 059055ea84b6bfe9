package io.millrace.common.type.io;

import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * numeric. The binary form is groups of four decimal digits: count, weight of the first group, sign
 * or mark, display scale, groups; zero groups at both ends are left out.
 */
final class NumericCodec implements TypeCodec {
  private static final int NEGATIVE = 0x4000;
  private static final int NAN = 0xC000;
  private static final int POSITIVE_INFINITY = 0xD000;
  private static final int NEGATIVE_INFINITY = 0xF000;
  private static final BigInteger BASE = BigInteger.valueOf(10000);

  private final int typmod;

  NumericCodec(SqlType type) {
    typmod = type.typmod();
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    NumericText.write((NumericVector) v, row, out);
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    NumericText.parse(b, off, len, typmod, (VectorBuilder.Numerics) out);
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var n = (NumericVector) v;
    switch (n.special(row)) {
      case NumericVector.NAN -> writeHeader(out, 0, 0, NAN, 0);
      case NumericVector.POSITIVE_INFINITY -> writeHeader(out, 0, 0, POSITIVE_INFINITY, 0);
      case NumericVector.NEGATIVE_INFINITY -> writeHeader(out, 0, 0, NEGATIVE_INFINITY, 0);
      default -> {
        BigDecimal big = n.big(row);
        long u = big == null ? n.unscaled()[row] : 0;
        int scale = big == null ? n.scale(row) : big.scale();
        int pad = (4 - scale % 4) % 4;
        long factor = NumericText.power(pad);
        if (big == null && Math.abs(u) < Long.MAX_VALUE / 10000 && u != Long.MIN_VALUE) {
          writeLong(u * factor, scale, (scale + pad) / 4, out);
        } else {
          writeBig(n.get(row), out);
        }
      }
    }
  }

  private static void writeHeader(ByteSink out, int digits, int weight, int sign, int scale) {
    out.putShort(digits);
    out.putShort(weight);
    out.putShort(sign);
    out.putShort(scale);
  }

  /** A value of whole groups, {@code fraction} of them after the point. */
  private static void writeLong(long value, int scale, int fraction, ByteSink out) {
    long u = Math.abs(value);
    int groups = 0;
    int low = 0;
    if (u != 0) {
      while (u % 10000 == 0) {
        u /= 10000;
        low++;
      }
      for (long t = u; t != 0; t /= 10000) {
        groups++;
      }
    }
    int weight = groups == 0 ? 0 : groups + low - fraction - 1;
    writeHeader(out, groups, weight, value < 0 ? NEGATIVE : 0, scale);
    int at = out.position() + groups * 2;
    out.ensure(groups * 2);
    out.position(at);
    for (int i = 1; i <= groups; i++) {
      out.setShort(at - 2 * i, (int) (u % 10000));
      u /= 10000;
    }
  }

  private static void writeBig(BigDecimal v, ByteSink out) {
    int scale = Math.max(0, v.scale());
    int fraction = (scale + 3) / 4;
    BigInteger u = v.setScale(fraction * 4, RoundingMode.UNNECESSARY).unscaledValue().abs();
    String digits = u.toString();
    int lead = (4 - digits.length() % 4) % 4;
    digits = "0".repeat(lead) + digits;
    int groups = digits.length() / 4;
    int last = groups;
    while (last > 0 && digits.startsWith("0000", (last - 1) * 4)) {
      last--;
    }
    int weight = last == 0 ? 0 : groups - fraction - 1;
    writeHeader(out, last, weight, v.signum() < 0 ? NEGATIVE : 0, scale);
    for (int i = 0; i < last; i++) {
      out.putShort(Integer.parseInt(digits, i * 4, i * 4 + 4, 10));
    }
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    var numerics = (VectorBuilder.Numerics) out;
    if (len < 8) {
      Problems.requireLength(len, 8);
    }
    int groups = ByteSink.getShort(b, off) & 0xffff;
    int weight = ByteSink.getShort(b, off + 2);
    int sign = ByteSink.getShort(b, off + 4) & 0xffff;
    int scale = ByteSink.getShort(b, off + 6) & 0xffff;
    Problems.requireLength(len, 8 + 2 * groups);
    switch (sign) {
      case NAN -> numerics.appendSpecial(NumericVector.NAN);
      case POSITIVE_INFINITY, NEGATIVE_INFINITY -> {
        byte mark =
            sign == NEGATIVE_INFINITY
                ? NumericVector.NEGATIVE_INFINITY
                : NumericVector.POSITIVE_INFINITY;
        NumericText.checkSpecial(mark, typmod);
        numerics.appendSpecial(mark);
      }
      case 0, NEGATIVE -> {
        if ((scale & 0x3fff) != scale) {
          throw Problems.binary("invalid scale in external \"numeric\" value");
        }
        append(b, off + 8, groups, weight, sign != 0, scale, numerics);
      }
      default -> throw Problems.binary("invalid sign in external \"numeric\" value");
    }
  }

  private void append(
      byte[] b,
      int at,
      int groups,
      int weight,
      boolean negative,
      int scale,
      VectorBuilder.Numerics out) {
    long small = 0;
    BigInteger large = null;
    for (int i = 0; i < groups; i++) {
      int d = ByteSink.getShort(b, at + 2 * i);
      if (d < 0 || d > 9999) {
        throw Problems.binary("invalid digit in external \"numeric\" value");
      }
      if (large == null && small > (Long.MAX_VALUE - 9999) / 10000) {
        large = BigInteger.valueOf(small);
      }
      if (large == null) {
        small = small * 10000 + d;
      } else {
        large = large.multiply(BASE).add(BigInteger.valueOf(d));
      }
    }
    BigInteger unscaled = large == null ? BigInteger.valueOf(small) : large;
    var v = new BigDecimal(negative ? unscaled.negate() : unscaled, (groups - 1 - weight) * 4);
    out.append(NumericText.fit(v.setScale(scale, RoundingMode.DOWN), typmod));
  }
}

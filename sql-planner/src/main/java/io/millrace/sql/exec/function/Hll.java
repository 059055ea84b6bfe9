package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.ByteBuffer;

/**
 * HyperLogLog: 4,096 registers hold the longest run of leading zeros seen among the hashes that
 * fell to them; the harmonic mean of all gives the number of distinct values within about 1.6 %.
 * While few registers are set, counting the empty ones is better (linear counting) and exact in
 * practice.
 *
 * <p>Form: magic 'H', version, then either 1 and all registers, or 0 and (register, run) triples of
 * bytes. Merging takes the larger of each register, so it is commutative, associative, idempotent.
 */
final class Hll {
  private static final int BITS = 12;
  private static final int SIZE = 1 << BITS;
  private static final byte MAGIC = 'H';
  private static final byte VERSION = 1;
  private static final byte SPARSE = 0;
  private static final byte DENSE = 1;
  private static final int HEADER = 3;

  private final byte[] registers = new byte[SIZE];

  void add(long hash) {
    long h = hash * 0x9E3779B97F4A7C15L;
    h ^= h >>> 32;
    h *= 0xD6E8FEB86659FD93L;
    h ^= h >>> 29;
    int at = (int) (h >>> (64 - BITS));
    byte run = (byte) (Long.numberOfLeadingZeros(h << BITS | 1L << (BITS - 1)) + 1);
    registers[at] = (byte) Math.max(registers[at], run);
  }

  void merge(Hll other) {
    for (int k = 0; k < SIZE; k++) {
      registers[k] = (byte) Math.max(registers[k], other.registers[k]);
    }
  }

  long estimate() {
    double sum = 0;
    int zeros = 0;
    for (byte x : registers) {
      sum += 1.0 / (1L << x);
      zeros += x == 0 ? 1 : 0;
    }
    double raw = 0.7213 / (1 + 1.079 / SIZE) * SIZE * SIZE / sum;
    return Math.round(
        raw <= 2.5 * SIZE && zeros > 0 ? SIZE * Math.log((double) SIZE / zeros) : raw);
  }

  long byteSize() {
    return SIZE + 32L;
  }

  byte[] write() {
    int set = 0;
    for (byte x : registers) {
      set += x == 0 ? 0 : 1;
    }
    if (3 * set >= SIZE) {
      return ByteBuffer.allocate(HEADER + SIZE)
          .put(MAGIC)
          .put(VERSION)
          .put(DENSE)
          .put(registers)
          .array();
    }
    ByteBuffer out = ByteBuffer.allocate(HEADER + 3 * set).put(MAGIC).put(VERSION).put(SPARSE);
    for (int k = 0; k < SIZE; k++) {
      if (registers[k] != 0) {
        out.putShort((short) k).put(registers[k]);
      }
    }
    return out.array();
  }

  static Hll read(byte[] state) {
    var out = new Hll();
    if (state.length < HEADER || state[0] != MAGIC || state[1] != VERSION) {
      throw invalid();
    }
    if (state[2] == DENSE && state.length == HEADER + SIZE) {
      System.arraycopy(state, HEADER, out.registers, 0, SIZE);
      for (byte x : out.registers) {
        checkRun(x);
      }
      return out;
    }
    if (state[2] != SPARSE || (state.length - HEADER) % 3 != 0) {
      throw invalid();
    }
    ByteBuffer in = ByteBuffer.wrap(state, HEADER, state.length - HEADER);
    while (in.hasRemaining()) {
      int at = in.getShort();
      if (at < 0 || at >= SIZE) {
        throw invalid();
      }
      out.registers[at] = checkRun(in.get());
    }
    return out;
  }

  private static byte checkRun(byte run) {
    if (run < 0 || run > 64 - BITS + 1) {
      throw invalid();
    }
    return run;
  }

  private static MillraceException invalid() {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE, "the value is not a state of hll");
  }
}

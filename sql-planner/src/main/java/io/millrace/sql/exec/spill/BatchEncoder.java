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
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;

/*
 * A batch as bytes, big-endian: rows, then each column: 1 if it has a validity bitmap and the
 * bitmap, then its arrays in the order of its layout. Bytes columns: 0 and lengths with bytes, or 1
 * and the entries that are used, with codes into them.
 */
/** Writes batches into one buffer that grows. */
final class BatchEncoder {
  private ByteBuffer out = ByteBuffer.allocate(1 << 14);

  ByteBuffer encode(Batch batch) {
    out.clear();
    if (out.capacity() > 4 << 20) {
      out = ByteBuffer.allocate(1 << 14);
    }
    need(4).putInt(batch.rows());
    for (Vector v : batch.columns()) {
      put(v);
    }
    return out.flip();
  }

  private ByteBuffer need(int n) {
    if (out.remaining() < n) {
      int size = Math.max(Math.addExact(out.position(), n), out.capacity() * 2);
      ByteBuffer b = ByteBuffer.allocate(size);
      out.flip();
      b.put(out);
      out = b;
    }
    return out;
  }

  private void ints(int[] a, int from, int n) {
    need(n * 4).asIntBuffer().put(a, from, n);
    out.position(out.position() + n * 4);
  }

  private void longs(long[] a, int n) {
    need(n * 8).asLongBuffer().put(a, 0, n);
    out.position(out.position() + n * 8);
  }

  private void put(Vector v) {
    int n = v.length();
    long[] valid = v.validity();
    need(1).put((byte) (valid == null ? 0 : 1));
    if (valid != null) {
      longs(valid, Bits.words(n));
    }
    switch (v) {
      case BoolVector b -> {
        need(n);
        for (int i = 0; i < n; i++) {
          out.put((byte) (b.values()[i] ? 1 : 0));
        }
      }
      case IntVector b -> ints(b.values(), 0, n);
      case LongVector b -> longs(b.values(), n);
      case FloatVector b -> {
        need(n * 4).asFloatBuffer().put(b.values(), 0, n);
        out.position(out.position() + n * 4);
      }
      case DoubleVector b -> {
        need(n * 8).asDoubleBuffer().put(b.values(), 0, n);
        out.position(out.position() + n * 8);
      }
      case BytesVector b -> {
        need(1).put((byte) 0);
        int from = b.offsets()[0];
        int bytes = b.offsets()[n] - from;
        need(4).putInt(from);
        ints(b.offsets(), 0, n + 1);
        need(bytes).put(b.data(), from, bytes);
      }
      case DictVector b -> putDict(b, n);
      case NumericVector b -> putNumeric(b, n);
      case IntervalVector b -> {
        ints(b.months(), 0, n);
        ints(b.days(), 0, n);
        longs(b.micros(), n);
      }
      case ArrayVector b -> {
        int from = b.offsets()[0];
        int count = b.offsets()[n] - from;
        need(4).putInt(from);
        ints(b.offsets(), 0, n + 1);
        boolean shaped = false;
        for (int i = 0; i < n; i++) {
          shaped |= b.shape(i) != null;
        }
        need(1).put((byte) (shaped ? 1 : 0));
        if (shaped) {
          for (int i = 0; i < n; i++) {
            int[] s = b.shape(i);
            need(4).putInt(s == null ? -1 : s.length);
            if (s != null) {
              ints(s, 0, s.length);
            }
          }
        }
        put(b.elements().slice(from, count));
      }
      case RecordVector b -> {
        for (Vector c : b.children()) {
          put(c.length() == n ? c : c.slice(0, n));
        }
      }
    }
  }

  private void putDict(DictVector b, int n) {
    var local = new HashMap<Integer, Integer>();
    int[] entries = new int[16];
    int[] codes = new int[n];
    int bytes = 0;
    int last = -1;
    int lastLocal = 0;
    for (int i = 0; i < n; i++) {
      if (b.isNull(i)) {
        continue;
      }
      int c = b.codes()[i];
      if (c != last) {
        Integer known = local.get(c);
        if (known == null) {
          known = local.size();
          local.put(c, known);
          if (known == entries.length) {
            entries = Arrays.copyOf(entries, known * 2);
          }
          entries[known] = c;
          bytes += b.dictionary().end(c) - b.dictionary().start(c);
        }
        last = c;
        lastLocal = known;
      }
      codes[i] = lastLocal;
    }
    need(1).put((byte) 1);
    int size = Math.max(1, local.size());
    need(4).putInt(size);
    need((size + 1) * 4 + bytes);
    int at = 0;
    out.putInt(0);
    for (int e = 0; e < size; e++) {
      if (e < local.size()) {
        at += b.dictionary().end(entries[e]) - b.dictionary().start(entries[e]);
      }
      out.putInt(at);
    }
    for (int e = 0; e < local.size(); e++) {
      int c = entries[e];
      int from = b.dictionary().start(c);
      out.put(b.dictionary().data(c), from, b.dictionary().end(c) - from);
    }
    ints(codes, 0, n);
  }

  private void putNumeric(NumericVector b, int n) {
    if (b.isPlain()) {
      need(5).put((byte) 0).putInt(b.uniformScale());
      longs(b.unscaled(), n);
      return;
    }
    need(1).put((byte) 1);
    for (int i = 0; i < n; i++) {
      byte special = b.special(i);
      BigDecimal big = b.big(i);
      if (special != NumericVector.FINITE) {
        need(1).put(special);
      } else if (big == null) {
        need(10).put((byte) 16).put((byte) b.scale(i)).putLong(b.unscaled()[i]);
      } else {
        byte[] u = big.unscaledValue().toByteArray();
        need(9 + u.length).put((byte) 17).putInt(big.scale()).putInt(u.length).put(u);
      }
    }
  }
}

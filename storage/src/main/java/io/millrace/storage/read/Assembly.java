package io.millrace.storage.read;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.SqlType;
import io.millrace.storage.OpType;
import io.millrace.storage.VirtualColumns;
import io.millrace.storage.memtable.ColumnSets;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rows picked from chunks by a merge, as runs; columns are put together when asked for. A row that
 * is folded from several versions of its key is an entry of its own with a {@link Folded}. One
 * thread.
 */
final class Assembly {
  /**
   * A row folded from versions, newest first.
   *
   * @param op the operation of the result
   * @param cleared the encoded ids of its cleared columns; null = none
   */
  record Folded(Chunk[] chunks, int[] rows, byte op, byte @Nullable [] cleared) {}

  private final ReadSchema schema;
  private Chunk[] chunks = new Chunk[64];
  private int[] from = new int[64];
  private int[] count = new int[64];
  private @Nullable Folded[] folded = new Folded[64];
  private int entries;
  private int rows;
  private boolean anyFolded;

  Assembly(ReadSchema schema) {
    this.schema = schema;
  }

  int rows() {
    return rows;
  }

  void run(Chunk c, int first, int n) {
    if (n == 0) {
      return;
    }
    int e = entries - 1;
    if (e >= 0 && chunks[e] == c && folded[e] == null && from[e] + count[e] == first) {
      count[e] += n;
    } else {
      push(c, first, n, null);
    }
    rows += n;
  }

  void fold(Folded f) {
    push(f.chunks[0], f.rows[0], 1, f);
    anyFolded = true;
    rows++;
  }

  private void push(Chunk c, int first, int n, @Nullable Folded f) {
    if (entries == chunks.length) {
      int cap = entries * 2;
      chunks = Arrays.copyOf(chunks, cap);
      from = Arrays.copyOf(from, cap);
      count = Arrays.copyOf(count, cap);
      folded = Arrays.copyOf(folded, cap);
    }
    chunks[entries] = c;
    from[entries] = first;
    count[entries] = n;
    folded[entries] = f;
    entries++;
  }

  /** The rows at the positions, ascending. */
  Assembly narrow(int[] positions, int n) {
    var out = new Assembly(schema);
    int e = 0;
    int start = 0;
    for (int i = 0; i < n; i++) {
      int p = positions[i];
      while (p >= start + count[e]) {
        start += count[e];
        e++;
      }
      Folded f = folded[e];
      if (f != null) {
        out.fold(f);
      } else {
        out.run(chunks[e], from[e] + p - start, 1);
      }
    }
    return out;
  }

  /** The rows at the positions, in any order. */
  Assembly pick(int[] positions, int n) {
    int[] starts = new int[entries];
    for (int e = 1; e < entries; e++) {
      starts[e] = starts[e - 1] + count[e - 1];
    }
    var out = new Assembly(schema);
    for (int i = 0; i < n; i++) {
      int at = Arrays.binarySearch(starts, positions[i]);
      int e = at >= 0 ? at : -at - 2;
      Folded f = folded[e];
      if (f != null) {
        out.fold(f);
      } else {
        out.run(chunks[e], from[e] + positions[i] - starts[e], 1);
      }
    }
    return out;
  }

  /** Appends another assembly's rows. */
  void addAll(Assembly other) {
    for (int e = 0; e < other.entries; e++) {
      Folded f = other.folded[e];
      if (f != null) {
        fold(f);
      } else {
        run(other.chunks[e], other.from[e], other.count[e]);
      }
    }
  }

  Vector column(int columnId) {
    if (columnId == VirtualColumns.OP_TYPE) {
      int[] out = new int[rows];
      byte[] ops = ops();
      for (int i = 0; i < rows; i++) {
        out[i] = ops[i];
      }
      return new IntVector(SqlType.INT4, out, rows, null);
    }
    if (columnId == ReadSchema.CLEARED) {
      Vector c = cleared();
      return c == null ? ReadSchema.nulls(SqlType.BYTEA, rows) : c;
    }
    boolean resolve = anyFolded && columnId != VirtualColumns.SEQUENCE && !schema.isKey(columnId);
    var loaded = new IdentityHashMap<Chunk, Vector>();
    @Nullable Vector[] sources = new Vector[entries];
    int[] first = from;
    if (resolve) {
      first = from.clone();
    }
    Chunk last = null;
    Vector lastVector = null;
    for (int e = 0; e < entries; e++) {
      Folded f = resolve ? folded[e] : null;
      Chunk c = chunks[e];
      if (f != null) {
        int v = version(f, columnId, loaded);
        if (v < 0) {
          continue;
        }
        c = f.chunks[v];
        first[e] = f.rows[v];
      }
      if (c != last) {
        lastVector = loaded.computeIfAbsent(c, k -> schema.column(k, columnId));
        last = c;
      }
      sources[e] = lastVector;
    }
    return VectorConcat.concat(schema.type(columnId), sources, first, count, entries);
  }

  /** Which version gives a folded row's field; -1 = NULL. */
  private int version(Folded f, int columnId, IdentityHashMap<Chunk, Vector> loaded) {
    for (int v = 0; v < f.chunks.length; v++) {
      Chunk c = f.chunks[v];
      int row = f.rows[v];
      byte[] ops = c.op();
      byte op = ops == null ? OpType.PUT.code() : ops[row];
      if (op == OpType.DELETE.code()) {
        return -1;
      }
      if (op != OpType.CLEAR.code()) {
        Vector vec = loaded.computeIfAbsent(c, k -> schema.column(k, columnId));
        if (!vec.isNull(row)) {
          return v;
        }
        if (op == OpType.REPLACE.code() || schema.lastRow) {
          return -1;
        }
      }
      if (cleared(c, row, columnId)) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean cleared(Chunk c, int row, int columnId) {
    Vector v = c.field(ReadSchema.CLEARED);
    if (v == null || v.isNull(row)) {
      return false;
    }
    var b = (BytesColumn) v;
    return ColumnSets.contains(b.data(row), b.start(row), b.end(row), columnId);
  }

  /** Bits of the rows whose keys are known not to have been in the region before. */
  long[] knownNew() {
    long[] out = new long[Bits.words(Math.max(1, rows))];
    int at = 0;
    for (int e = 0; e < entries; e++) {
      for (int i = 0; i < count[e]; i++, at++) {
        if (folded[e] == null && chunks[e].knownNew(from[e] + i)) {
          Bits.set(out, at);
        }
      }
    }
    return out;
  }

  byte[] ops() {
    byte[] out = new byte[rows];
    int at = 0;
    for (int e = 0; e < entries; e++) {
      Folded f = folded[e];
      if (f != null) {
        out[at++] = f.op;
        continue;
      }
      byte[] ops = chunks[e].op();
      if (ops == null) {
        Arrays.fill(out, at, at + count[e], OpType.PUT.code());
      } else {
        System.arraycopy(ops, from[e], out, at, count[e]);
      }
      at += count[e];
    }
    return out;
  }

  LongVector sequences() {
    return (LongVector) column(VirtualColumns.SEQUENCE);
  }

  /** Encoded sets of cleared columns; null if there are none. */
  @Nullable Vector cleared() {
    boolean any = false;
    for (int e = 0; e < entries && !any; e++) {
      Folded f = folded[e];
      any = f != null ? f.cleared != null : chunks[e].field(ReadSchema.CLEARED) != null;
    }
    if (!any) {
      return null;
    }
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, rows);
    for (int e = 0; e < entries; e++) {
      Folded f = folded[e];
      if (f != null) {
        byte[] set = f.cleared;
        if (set == null) {
          b.appendNull();
        } else {
          b.append(set);
        }
        continue;
      }
      Vector v = chunks[e].field(ReadSchema.CLEARED);
      for (int i = 0; i < count[e]; i++) {
        if (v == null) {
          b.appendNull();
        } else {
          b.append(v, from[e] + i);
        }
      }
    }
    return b.build();
  }
}

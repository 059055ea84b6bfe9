package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.OpType;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of one source in key order; columns are loaded when asked for. One thread.
 *
 * <p>{@code minTime}, {@code maxTime}, {@code minSequence} and {@code maxSequence} bound the rows
 * without loading them. {@code unique} says that no key occurs twice in the source.
 */
abstract class Chunk {
  final int rows;
  long minTime = Long.MIN_VALUE;
  long maxTime = Long.MAX_VALUE;
  long minSequence;
  long maxSequence = Long.MAX_VALUE;
  boolean unique;

  /** No key of it was in the region before. */
  boolean fresh;

  Chunk(int rows) {
    this.rows = rows;
  }

  /** A tag, by place in the key; null if the source is older than the tag. */
  abstract @Nullable Vector tag(int tag);

  /** Times of rows [0, rows). */
  abstract long[] time();

  abstract long[] sequence();

  /** Operation codes; null if all rows are PUTs. */
  abstract byte @Nullable [] op();

  /** A field or {@link ReadSchema#CLEARED}; null if the source has no such column. */
  abstract @Nullable Vector field(int columnId);

  /** Whether the row's key is known not to have been in the region before. */
  boolean knownNew(int row) {
    return fresh;
  }

  /** The rows at the positions (ascending). */
  Chunk narrow(int[] positions, int count) {
    return new Taken(this, positions, count);
  }

  final void bounds(long fromTime, long toTime, long fromSequence, long toSequence) {
    minTime = fromTime;
    maxTime = toTime;
    minSequence = fromSequence;
    maxSequence = toSequence;
  }

  /** Nothing: some work was done and gave no rows. */
  static final class Empty extends Chunk {
    Empty() {
      super(0);
    }

    @Override
    Vector tag(int tag) {
      throw new IllegalStateException("empty chunk");
    }

    @Override
    long[] time() {
      return new long[0];
    }

    @Override
    long[] sequence() {
      return new long[0];
    }

    @Override
    byte @Nullable [] op() {
      return null;
    }

    @Override
    @Nullable Vector field(int columnId) {
      return null;
    }
  }

  static byte @Nullable [] normal(byte[] ops, int rows, boolean lastRow) {
    boolean puts = true;
    for (int i = 0; i < rows; i++) {
      if (lastRow && ops[i] == OpType.REPLACE.code()) {
        ops[i] = OpType.PUT.code();
      }
      puts &= ops[i] == OpType.PUT.code();
    }
    return puts ? null : ops;
  }

  /** Rows of a memtable part. */
  static final class Mem extends Chunk {
    private final MemPart part;
    private final ReadSchema schema;
    private final io.millrace.common.type.TableSchema stored;
    private final int[] order;
    private final int from;
    private long @Nullable [] time;
    private long @Nullable [] sequence;
    private byte @Nullable [] ops;
    private boolean opsLoaded;
    private final Map<Integer, Vector> loaded = new HashMap<>();

    Mem(
        MemPart part,
        ReadSchema schema,
        io.millrace.common.type.TableSchema stored,
        int[] order,
        int from,
        int rows) {
      super(rows);
      this.part = part;
      this.schema = schema;
      this.stored = stored;
      this.order = order;
      this.from = from;
    }

    @Override
    @Nullable Vector tag(int tag) {
      int at = stored.tagIds().indexOf(schema.tagIds.get(tag));
      return at < 0
          ? null
          : loaded.computeIfAbsent(schema.tagIds.get(tag), id -> part.tag(at, order, from, rows));
    }

    @Override
    long[] time() {
      long[] t = time;
      if (t == null) {
        t = part.times(order, from, rows);
        time = t;
      }
      return t;
    }

    @Override
    long[] sequence() {
      long[] s = sequence;
      if (s == null) {
        s = part.sequences(order, from, rows);
        sequence = s;
      }
      return s;
    }

    @Override
    byte @Nullable [] op() {
      if (!opsLoaded) {
        byte[] o = part.ops(order, from, rows);
        ops = o == null ? null : normal(o, rows, schema.lastRow);
        opsLoaded = true;
      }
      return ops;
    }

    @Override
    @Nullable Vector field(int columnId) {
      if (columnId == ReadSchema.CLEARED) {
        return loaded.computeIfAbsent(columnId, id -> part.cleared(order, from, rows));
      }
      int at = stored.indexOf(columnId);
      return at < 0
          ? null
          : loaded.computeIfAbsent(columnId, id -> part.field(at, order, from, rows));
    }

    @Override
    boolean knownNew(int row) {
      return part.knownNew(order[from + row]);
    }

    @Override
    Chunk narrow(int[] positions, int count) {
      int[] rowsOf = new int[count];
      for (int i = 0; i < count; i++) {
        rowsOf[i] = order[from + positions[i]];
      }
      var c = new Mem(part, schema, stored, rowsOf, 0, count);
      c.bounds(minTime, maxTime, minSequence, maxSequence);
      c.unique = unique;
      return c;
    }
  }

  /** A block of a file. */
  static final class Block extends Chunk {
    private final SstFile file;
    private final ReadSchema schema;
    private final int group;
    private final int block;
    private final boolean plainOps;
    private final ScanCounters counters;
    private final SstFile.Reader reader;
    private byte @Nullable [] ops;
    private boolean opsLoaded;
    private long @Nullable [] time;
    private long @Nullable [] sequence;

    /**
     * @param reader of the one thread that reads the chunk
     */
    Block(
        SstFile file,
        SstFile.Reader reader,
        ReadSchema schema,
        int group,
        int block,
        boolean plainOps,
        ScanCounters counters) {
      super(file.blockRows(group, block));
      this.file = file;
      this.reader = reader;
      this.schema = schema;
      this.group = group;
      this.block = block;
      this.plainOps = plainOps;
      this.counters = counters;
    }

    private @Nullable Vector load(int columnId) {
      if (!file.has(columnId)) {
        return null;
      }
      Vector v = reader.block(columnId, group, block);
      counters.page(reader.wasCached());
      return v;
    }

    private Vector require(int columnId) {
      Vector v = load(columnId);
      if (v == null) {
        throw new IllegalStateException("file " + file.fileId() + " lacks column " + columnId);
      }
      return v;
    }

    @Override
    @Nullable Vector tag(int tag) {
      return load(schema.tagIds.get(tag));
    }

    @Override
    long[] time() {
      long[] t = time;
      if (t == null) {
        t = ReadSchema.times(require(schema.timeId));
        time = t;
      }
      return t;
    }

    @Override
    long[] sequence() {
      long[] s = sequence;
      if (s == null) {
        s = ((LongVector) require(SstFile.SEQUENCE_ID)).values();
        sequence = s;
      }
      return s;
    }

    @Override
    byte @Nullable [] op() {
      if (!opsLoaded && !plainOps) {
        var v = (IntVector) require(SstFile.OP_TYPE_ID);
        byte[] o = new byte[rows];
        for (int i = 0; i < rows; i++) {
          o[i] = (byte) v.get(i);
        }
        ops = normal(o, rows, schema.lastRow);
      }
      opsLoaded = true;
      return ops;
    }

    @Override
    @Nullable Vector field(int columnId) {
      return load(columnId);
    }
  }

  /** Some rows of a chunk. */
  static final class Taken extends Chunk {
    private final Chunk base;
    private int @Nullable [] positions;
    private long @Nullable [] time;
    private long @Nullable [] sequence;
    private byte @Nullable [] ops;
    private boolean opsLoaded;
    private final Map<Integer, Vector> loaded = new HashMap<>();
    private final @Nullable Runs runs;

    Taken(Chunk base, int[] positions, int count) {
      super(count);
      this.base = base;
      this.positions = positions;
      this.runs = Runs.of(positions, count);
      likeBase();
    }

    Taken(Chunk base, Runs runs) {
      super(runs.rows());
      this.base = base;
      this.runs = runs;
      likeBase();
    }

    private void likeBase() {
      bounds(base.minTime, base.maxTime, base.minSequence, base.maxSequence);
      unique = base.unique;
    }

    /** The chunk that these are rows of. */
    Chunk base() {
      return base;
    }

    /** The rows as runs; null if they are too scattered. */
    @Nullable Runs runs() {
      return runs;
    }

    private int[] positions() {
      int[] p = positions;
      if (p == null) {
        p = Objects.requireNonNull(runs).positions();
        positions = p;
      }
      return p;
    }

    @Override
    boolean knownNew(int row) {
      return base.knownNew(positions()[row]);
    }

    private Vector take(Vector v) {
      Runs r = runs;
      return r == null ? v.take(positions(), rows) : r.take(v, rows);
    }

    private long[] take(long[] v) {
      Runs r = runs;
      if (r != null) {
        return r.take(v, rows);
      }
      long[] out = new long[rows];
      int[] at = positions();
      for (int i = 0; i < rows; i++) {
        out[i] = v[at[i]];
      }
      return out;
    }

    @Override
    @Nullable Vector tag(int tag) {
      Vector have = loaded.get(-100 - tag);
      if (have != null) {
        return have;
      }
      Vector v = base.tag(tag);
      if (v == null) {
        return null;
      }
      Vector t = take(v);
      loaded.put(-100 - tag, t);
      return t;
    }

    @Override
    long[] time() {
      long[] t = time;
      if (t == null) {
        t = take(base.time());
        time = t;
      }
      return t;
    }

    @Override
    long[] sequence() {
      long[] s = sequence;
      if (s == null) {
        s = take(base.sequence());
        sequence = s;
      }
      return s;
    }

    @Override
    byte @Nullable [] op() {
      if (!opsLoaded) {
        byte[] o = base.op();
        if (o != null) {
          byte[] out = new byte[rows];
          int[] at = positions();
          for (int i = 0; i < rows; i++) {
            out[i] = o[at[i]];
          }
          ops = normal(out, rows, false);
        }
        opsLoaded = true;
      }
      return ops;
    }

    @Override
    @Nullable Vector field(int columnId) {
      Vector have = loaded.get(columnId);
      if (have != null) {
        return have;
      }
      Vector v = base.field(columnId);
      if (v == null) {
        return null;
      }
      Vector t = take(v);
      loaded.put(columnId, t);
      return t;
    }

    @Override
    Chunk narrow(int[] at, int count) {
      int[] composed = new int[count];
      int[] mine = positions();
      for (int i = 0; i < count; i++) {
        composed[i] = mine[at[i]];
      }
      return new Taken(base, composed, count);
    }
  }

  /** n positions from one on. */
  static int[] range(int from, int n) {
    int[] at = new int[n];
    for (int i = 0; i < n; i++) {
      at[i] = from + i;
    }
    return at;
  }

  static int[] identity(int n) {
    return range(0, n);
  }
}

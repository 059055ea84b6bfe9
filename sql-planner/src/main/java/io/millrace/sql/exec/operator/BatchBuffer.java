package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.memory.OperatorMemory;
import io.millrace.sql.exec.memory.QueryMemory;
import io.millrace.sql.exec.memory.Revocable;
import io.millrace.sql.exec.spill.SpillFile;
import io.millrace.sql.exec.spill.TempSpace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Batches kept in order for any number of readers. They are in memory until the budget says no;
 * then everything goes to a temporary file, and readers go on from there at the same row.
 */
/** A list of batches that moves to disk when memory is short. */
final class BatchBuffer implements Revocable, AutoCloseable {
  private final List<SqlType> types;
  private final TempSpace temp;
  private final OperatorMemory memory;
  private final List<Batch> batches = new ArrayList<>();
  private @Nullable SpillFile file;
  private long rows;
  private volatile boolean revoked;

  BatchBuffer(List<SqlType> types, QueryMemory query, TempSpace temp) {
    this.types = List.copyOf(types);
    this.temp = temp;
    this.memory = new OperatorMemory(query);
    query.register(this);
  }

  long rows() {
    return rows;
  }

  List<SqlType> types() {
    return types;
  }

  long bytes() {
    return memory.reserved();
  }

  boolean spilled() {
    return file != null;
  }

  @Override
  public long revocableBytes() {
    return memory.reserved();
  }

  @Override
  public void revoke() {
    revoked = true;
  }

  void add(Batch batch) {
    if (batch.rows() == 0) {
      return;
    }
    rows += batch.rows();
    SpillFile f = file;
    if (f == null) {
      Batch kept = RowPages.compact(batch);
      if (!revoked && memory.tryReserve(kept.byteSize())) {
        batches.add(kept);
        return;
      }
      f = temp.create();
      file = f;
      for (Batch b : batches) {
        f.write(b);
      }
      batches.clear();
      memory.close();
    }
    f.write(batch);
  }

  Reader reader() {
    return new Reader();
  }

  /** Reads from the first batch on; batches added meanwhile are seen. */
  final class Reader {
    private int next;
    private long rowsRead;
    private SpillFile.@Nullable Reader fromFile;

    /** The next batch; null where there is none yet. */
    @Nullable Batch next() {
      SpillFile f = file;
      if (f == null) {
        if (next == batches.size()) {
          return null;
        }
        Batch b = batches.get(next++);
        rowsRead += b.rows();
        return b;
      }
      SpillFile.Reader r = fromFile;
      long skip = 0;
      if (r == null) {
        r = f.reader(types);
        fromFile = r;
        skip = rowsRead;
      }
      while (true) {
        Batch b = r.next();
        if (b == null) {
          return null;
        }
        if (skip >= b.rows()) {
          skip -= b.rows();
          continue;
        }
        Batch out = b.slice((int) skip, b.rows() - (int) skip);
        rowsRead += out.rows();
        return out;
      }
    }
  }

  @Override
  public void close() {
    memory.query().unregister(this);
    batches.clear();
    memory.close();
    if (file != null) {
      file.close();
    }
  }
}

package io.millrace.sql.write;

import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.CommitResult;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** The writer over a region engine. Thread-safe. */
public final class RegionTableWriter implements TableWriter {
  private final RegionEngine engine;
  private final List<CommitListener> listeners = new CopyOnWriteArrayList<>();

  public RegionTableWriter(RegionEngine engine) {
    this.engine = engine;
  }

  @Override
  public CompletableFuture<CommitResult> commit(
      List<TableWrite> writes, List<WriteGroup.Precondition> preconditions) {
    var parts = new ArrayList<RegionWrite>(writes.size());
    for (TableWrite w : writes) {
      if (w.rows().rows() > 0) {
        parts.addAll(route(w));
      }
    }
    return engine
        .commit(new WriteGroup(parts, preconditions))
        .thenApply(
            result -> {
              for (CommitListener l : listeners) {
                l.committed(writes, result);
              }
              return result;
            });
  }

  @Override
  public List<RegionWrite> route(TableWrite write) {
    TableInfo t = write.table();
    return List.of(
        new RegionWrite(
            t.regions().getFirst(),
            t.storage().version(),
            write.op(),
            write.columnIds(),
            write.rows()));
  }

  @Override
  public void addListener(CommitListener listener) {
    listeners.add(listener);
  }

  @Override
  public void truncated(TableInfo table) {
    for (CommitListener l : listeners) {
      l.truncated(table);
    }
  }
}

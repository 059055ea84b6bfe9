package io.millrace.sql.write;

import io.millrace.common.batch.Batch;
import io.millrace.common.id.RegionId;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.CommitResult;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

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
    return commit(List.of(), writes, preconditions);
  }

  @Override
  public CompletableFuture<List<StagedWrite>> stage(List<TableWrite> writes) {
    var tables = new HashMap<RegionId, TableInfo>();
    var parts = new LinkedHashMap<RegionId, List<RegionWrite>>();
    for (TableWrite w : writes) {
      for (RegionWrite r : route(w)) {
        if (r.rows().rows() > 0) {
          tables.put(r.region(), w.table());
          parts.computeIfAbsent(r.region(), _ -> new ArrayList<>()).add(r);
        }
      }
    }
    var all = new ArrayList<CompletableFuture<StagedWrite>>();
    parts.forEach(
        (region, rows) -> {
          TableInfo table = Objects.requireNonNull(tables.get(region));
          all.add(engine.stage(region, rows).thenApply(s -> new StagedWrite(table, s)));
        });
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .handle((_, failure) -> staged(all, failure));
  }

  /** All or nothing. */
  private List<StagedWrite> staged(
      List<CompletableFuture<StagedWrite>> all, @Nullable Throwable failure) {
    if (failure == null) {
      return all.stream().map(CompletableFuture::resultNow).toList();
    }
    for (CompletableFuture<StagedWrite> f : all) {
      if (!f.isCompletedExceptionally()) {
        engine.discard(f.resultNow().rows());
      }
    }
    throw failure instanceof CompletionException c ? c : new CompletionException(failure);
  }

  @Override
  public void discard(List<StagedWrite> staged) {
    for (StagedWrite s : staged) {
      engine.discard(s.rows());
    }
  }

  @Override
  public CompletableFuture<CommitResult> commit(
      List<StagedWrite> staged,
      List<TableWrite> writes,
      List<WriteGroup.Precondition> preconditions) {
    var parts = new ArrayList<RegionWrite>(writes.size());
    for (TableWrite w : writes) {
      if (w.rows().rows() > 0) {
        parts.addAll(route(w));
      }
    }
    return engine
        .commit(
            new WriteGroup(parts, preconditions, staged.stream().map(StagedWrite::rows).toList()))
        .thenApply(
            result -> {
              List<TableWrite> told = told(staged, writes);
              for (CommitListener l : listeners) {
                l.committed(told, result);
              }
              return result;
            });
  }

  /** The writes, and an empty one for every table with staged rows. */
  private static List<TableWrite> told(List<StagedWrite> staged, List<TableWrite> writes) {
    if (staged.isEmpty()) {
      return writes;
    }
    var out = new ArrayList<TableWrite>();
    for (StagedWrite s : staged) {
      out.add(new TableWrite(s.table(), OpType.PUT, List.of(), new Batch(List.of(), 0)));
    }
    out.addAll(writes);
    return out;
  }

  @Override
  public List<RegionWrite> route(TableWrite write) {
    return RowRouter.route(write);
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

package io.millrace.storage.read;

import io.millrace.common.id.RegionId;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.index.SideCar;
import io.millrace.storage.sst.index.SideCars;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open SSTs: opened by the first reader, kept for the next, closed when forgotten, or when
 * there are too many and nobody reads them. Any thread.
 */
final class OpenFiles implements AutoCloseable {
  private static final int MAX_IDLE = 512;

  private static final class Entry {
    final SstFile file;
    int readers;
    boolean forgotten;

    Entry(SstFile file) {
      this.file = file;
    }
  }

  private final SstStore store;
  private final PageCache cache;
  private final SideCars sideCars;
  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  OpenFiles(SstStore store, PageCache cache, SideCars sideCars) {
    this.store = store;
    this.cache = cache;
    this.sideCars = sideCars;
  }

  /** A staged file is another one before and after its commit: its rows have other sequences. */
  private static String key(SstMeta meta) {
    return meta.uniform() == 0 ? meta.fileId() : meta.fileId() + "@" + meta.uniform();
  }

  private SstFile acquire(RegionId region, SstMeta meta) {
    synchronized (entries) {
      Entry e = entries.get(key(meta));
      if (e != null) {
        e.readers++;
        return e.file;
      }
    }
    var in = store.open(region, meta.fileId());
    SstFile opened;
    try {
      opened = SstFile.open(in, meta, cache);
    } catch (RuntimeException e) {
      in.close();
      throw e;
    }
    SstFile unused = null;
    SstFile result;
    synchronized (entries) {
      Entry e = entries.get(key(meta));
      if (e != null) {
        unused = opened;
      } else {
        e = new Entry(opened);
        entries.put(key(meta), e);
      }
      e.readers++;
      result = e.file;
    }
    if (unused != null) {
      unused.close();
    }
    closeIdle();
    return result;
  }

  private void closeIdle() {
    var idle = new ArrayList<SstFile>();
    synchronized (entries) {
      if (entries.size() <= MAX_IDLE) {
        return;
      }
      int excess = entries.size() - MAX_IDLE;
      var it = entries.values().iterator();
      while (it.hasNext() && excess > 0) {
        Entry e = it.next();
        if (e.readers == 0) {
          idle.add(e.file);
          it.remove();
          excess--;
        }
      }
    }
    idle.forEach(SstFile::close);
  }

  private void release(String key, SstFile file) {
    boolean last;
    synchronized (entries) {
      Entry e = entries.get(key);
      if (e == null || e.file != file) {
        return;
      }
      e.readers--;
      last = e.readers == 0 && e.forgotten;
      if (last) {
        entries.remove(key);
      }
    }
    if (last) {
      file.close();
    }
  }

  void forget(String fileId) {
    sideCars.forget(fileId);
    var idle = new ArrayList<SstFile>();
    synchronized (entries) {
      entries
          .entrySet()
          .removeIf(
              x -> {
                boolean named = x.getKey().equals(fileId) || x.getKey().startsWith(fileId + "@");
                if (!named) {
                  return false;
                }
                Entry e = x.getValue();
                e.forgotten = true;
                if (e.readers == 0) {
                  idle.add(e.file);
                }
                return e.readers == 0;
              });
    }
    idle.forEach(SstFile::close);
  }

  @Override
  public void close() {
    List<Entry> all;
    synchronized (entries) {
      all = List.copyOf(entries.values());
      entries.clear();
    }
    for (Entry e : all) {
      e.file.close();
    }
  }

  Lease lease(RegionId region) {
    return new Lease(region);
  }

  /** The files one scan uses; opened when first asked for, by any of its threads. */
  final class Lease implements AutoCloseable {
    private final RegionId region;
    private final Map<String, SstFile> held = new HashMap<>();
    private boolean closed;

    private Lease(RegionId region) {
      this.region = region;
    }

    synchronized SstFile file(SstMeta meta) {
      if (closed) {
        throw new IllegalStateException("read after close");
      }
      SstFile f = held.get(key(meta));
      if (f == null) {
        f = acquire(region, meta);
        held.put(key(meta), f);
      }
      return f;
    }

    /** The indexes of a file; null if there are none that can be used. */
    @Nullable SideCar sideCar(SstMeta meta) {
      return sideCars.of(region, meta);
    }

    @Override
    public synchronized void close() {
      closed = true;
      held.forEach(OpenFiles.this::release);
      held.clear();
    }
  }
}

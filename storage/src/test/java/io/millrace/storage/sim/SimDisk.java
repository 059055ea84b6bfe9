package io.millrace.storage.sim;

import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LogFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory. What a log file got since its last force is lost in a crash, sector by sector,
 * by chance; a force that failed leaves its sectors marked as forced, so that only writing them
 * again helps. Objects are there whole once committed. Every call counts; the n-th can be made to
 * fail, and the disk can be full.
 */
public final class SimDisk {
  private static final int SECTOR = 512;

  private static final class Content {
    private byte[] now;
    private byte[] forced;
    private final BitSet skipped = new BitSet();

    Content(int size) {
      now = new byte[size];
      forced = new byte[size];
    }

    void written(long position, int count) {
      int first = (int) (position / SECTOR);
      skipped.clear(first, (int) ((position + count + SECTOR - 1) / SECTOR));
    }

    void forced() {
      byte[] next = now.clone();
      for (int s = skipped.nextSetBit(0); s >= 0; s = skipped.nextSetBit(s + 1)) {
        int from = s * SECTOR;
        int to = Math.min(from + SECTOR, Math.min(next.length, forced.length));
        if (from < to) {
          System.arraycopy(forced, from, next, from, to - from);
        }
      }
      forced = next;
    }

    void forceFailed() {
      for (int from = 0; from < now.length; from += SECTOR) {
        int to = Math.min(now.length, from + SECTOR);
        if (to > forced.length || !Arrays.equals(now, from, to, forced, from, to)) {
          skipped.set(from / SECTOR);
        }
      }
    }
  }

  private final Map<String, Content> logs = new TreeMap<>();
  private final Map<String, byte[]> objects = new TreeMap<>();
  private final Map<String, byte[]> aside = new TreeMap<>();
  private long calls;
  private long failAt = -1;
  private @Nullable String failWith;
  private boolean full;
  private long dieAt = -1;
  private long capacity = Long.MAX_VALUE;
  private boolean forceFails;
  private int generation;

  /** Calls so far. */
  public long calls() {
    return calls;
  }

  /** Makes the call with that number fail, once. */
  public void failCall(long number, String message) {
    failAt = number;
    failWith = message;
  }

  /** Whether writing finds no space. */
  public void full(boolean yes) {
    full = yes;
  }

  /** The machine stops at the call with that number. */
  public void dieAt(long number) {
    dieAt = number;
  }

  /** Bytes that the disk can hold. */
  public void capacity(long bytes) {
    capacity = bytes;
  }

  /** Bytes that it holds. */
  public long used() {
    long n = 0;
    for (Content c : logs.values()) {
      n += c.now.length;
    }
    for (byte[] b : objects.values()) {
      n += b.length;
    }
    return n;
  }

  /** Whether forcing a log file fails. */
  public void forceFails(boolean yes) {
    forceFails = yes;
  }

  /** The machine stops: what is not forced may be lost, and old handles are dead. */
  public void crash(RandomGenerator random) {
    generation++;
    for (Content c : logs.values()) {
      int from = 0;
      boolean all = random.nextInt(4) == 0;
      while (from < c.now.length) {
        int to = Math.min(c.now.length, from + SECTOR);
        if (!all && from < c.forced.length && random.nextBoolean()) {
          int upTo = Math.min(to, c.forced.length);
          System.arraycopy(c.forced, from, c.now, from, upTo - from);
        }
        from = to;
      }
      c.forced = c.now.clone();
      c.skipped.clear();
    }
  }

  /** The names of the log's files, those of summaries aside. */
  public List<String> logNames() {
    return logs.keySet().stream().filter(n -> !n.endsWith(".sum")).toList();
  }

  /** Takes the summaries of all segments away. */
  public void removeSummaries() {
    logs.keySet().removeIf(n -> n.endsWith(".sum"));
  }

  /** The names of what was kept aside. */
  public List<String> asideNames() {
    return List.copyOf(aside.keySet());
  }

  /** The bytes of a log file, to be damaged. */
  public byte[] log(String name) {
    Content c = logs.get(name);
    if (c == null) {
      throw new IllegalArgumentException(name);
    }
    c.forced = c.now;
    return c.now;
  }

  /** Puts a log file there. */
  public void putLog(String name, byte[] data) {
    Content c = new Content(0);
    c.now = data.clone();
    c.forced = c.now;
    logs.put(name, c);
  }

  public void removeLog(String name) {
    logs.remove(name);
  }

  public void truncateLog(String name, int size) {
    byte[] b = Arrays.copyOf(log(name), size);
    Content c = new Content(0);
    c.now = b;
    c.forced = b;
    logs.put(name, c);
  }

  /** Keys of all objects. */
  /** Puts an object there behind the engine's back, as a tool would. */
  public void putObject(String key, byte[] data) {
    objects.put(key, data.clone());
  }

  public byte[] object(String key) {
    return objects.get(key).clone();
  }

  public List<String> objectKeys() {
    return List.copyOf(objects.keySet());
  }

  private void call(int mine, boolean writes) throws IOException {
    if (mine != generation) {
      throw new IOException("the machine has stopped");
    }
    calls++;
    if (calls == failAt) {
      throw new IOException(failWith);
    }
    if (calls == dieAt) {
      generation++;
      throw new IOException("the machine has stopped");
    }
    if (full && writes) {
      throw new IOException("No space left on device");
    }
  }

  private void room(long bytes) throws IOException {
    if (capacity != Long.MAX_VALUE && used() + bytes > capacity) {
      throw new IOException("No space left on device");
    }
  }

  /** The log's folder, until the next crash. */
  public LogFiles logFiles() {
    int mine = generation;
    return new LogFiles() {
      @Override
      public List<String> list() throws IOException {
        call(mine, false);
        return List.copyOf(logs.keySet());
      }

      @Override
      public LogFile create(String name, long size) throws IOException {
        call(mine, true);
        room(size);
        logs.put(name, new Content((int) size));
        return new SimLog(name, mine);
      }

      @Override
      public LogFile open(String name) throws IOException {
        call(mine, false);
        content(name);
        return new SimLog(name, mine);
      }

      @Override
      public void rename(String from, String to) throws IOException {
        call(mine, false);
        logs.put(to, content(from));
        logs.remove(from);
      }

      @Override
      public void delete(String name) throws IOException {
        call(mine, false);
        logs.remove(name);
      }

      @Override
      public void keepAside(String name, byte[] data, int from, int count) throws IOException {
        call(mine, true);
        aside.put(name, Arrays.copyOfRange(data, from, from + count));
      }

      @Override
      public long usableSpace() throws IOException {
        call(mine, false);
        return full ? 0 : capacity == Long.MAX_VALUE ? 1L << 40 : capacity - used();
      }

      @Override
      public long totalSpace() {
        return Math.min(capacity, 1L << 40);
      }
    };
  }

  private Content content(String name) throws IOException {
    Content c = logs.get(name);
    if (c == null) {
      throw new FileNotFoundException(name);
    }
    return c;
  }

  private final class SimLog implements LogFiles.LogFile {
    private final Content content;
    private final int mine;

    SimLog(String name, int mine) throws IOException {
      this.content = content(name);
      this.mine = mine;
    }

    @Override
    public long size() throws IOException {
      call(mine, false);
      return content.now.length;
    }

    @Override
    public void write(ByteBuffer data, long position) throws IOException {
      call(mine, false);
      int n = data.remaining();
      if (position + n > content.now.length) {
        content.now = Arrays.copyOf(content.now, (int) position + n);
      }
      if (content.now == content.forced) {
        content.now = content.now.clone();
      }
      data.get(content.now, (int) position, n);
      content.written(position, n);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      call(mine, false);
      int n = (int) Math.max(0, Math.min(into.remaining(), content.now.length - position));
      into.put(content.now, (int) position, n);
      return n;
    }

    @Override
    public void force() throws IOException {
      try {
        call(mine, false);
        if (forceFails) {
          throw new IOException("Input/output error");
        }
      } catch (IOException e) {
        if (mine == generation) {
          content.forceFailed();
        }
        throw e;
      }
      content.forced();
    }

    @Override
    public void truncate(long size) throws IOException {
      call(mine, false);
      content.now = Arrays.copyOf(content.now, (int) size);
    }

    @Override
    public void close() {}
  }

  /** The object store, until the next crash. */
  public ObjectStore objectStore() {
    int mine = generation;
    return new ObjectStore() {
      private byte[] bytes(String key) throws IOException {
        byte[] b = objects.get(key);
        if (b == null) {
          throw new FileNotFoundException(key);
        }
        return b;
      }

      @Override
      public byte[] get(String key) throws IOException {
        call(mine, false);
        return bytes(key).clone();
      }

      @Override
      public ObjectReader open(String key) throws IOException {
        call(mine, false);
        byte[] b = bytes(key);
        return new ObjectReader() {
          @Override
          public long size() {
            return b.length;
          }

          @Override
          public void read(long position, byte[] into, int at, int count) throws IOException {
            call(mine, false);
            System.arraycopy(b, (int) position, into, at, count);
          }

          @Override
          public void close() {}
        };
      }

      @Override
      public void put(String key, byte[] data) throws IOException {
        call(mine, true);
        room(data.length);
        objects.put(key, data.clone());
      }

      @Override
      public ObjectWriter create(String key) throws IOException {
        call(mine, true);
        return new SimWriter(key, mine);
      }

      @Override
      public List<String> list(String prefix) throws IOException {
        call(mine, false);
        var out = new ArrayList<String>();
        for (String k : objects.keySet()) {
          if (k.startsWith(prefix)) {
            out.add(k);
          }
        }
        return out;
      }

      @Override
      public List<ObjectInfo> entries(String prefix) throws IOException {
        var out = new ArrayList<ObjectInfo>();
        for (String k : list(prefix)) {
          out.add(new ObjectInfo(k, bytes(k).length, 0));
        }
        return out;
      }

      @Override
      public void removeUnfinished() {}

      @Override
      public void delete(String key) throws IOException {
        call(mine, false);
        objects.remove(key);
      }
    };
  }

  private final class SimWriter implements ObjectStore.ObjectWriter {
    private final String key;
    private final int mine;
    private byte[] data = new byte[1024];
    private int size;

    SimWriter(String key, int mine) {
      this.key = key;
      this.mine = mine;
    }

    @Override
    public long position() {
      return size;
    }

    @Override
    public void write(byte[] source, int from, int count) throws IOException {
      call(mine, true);
      if (size + count > data.length) {
        data = Arrays.copyOf(data, Math.max(size + count, data.length * 2));
      }
      System.arraycopy(source, from, data, size, count);
      size += count;
    }

    @Override
    public void commit() throws IOException {
      call(mine, true);
      room(size);
      objects.put(key, Arrays.copyOf(data, size));
    }

    @Override
    public void close() {}
  }
}

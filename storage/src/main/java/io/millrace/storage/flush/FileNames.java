package io.millrace.storage.flush;

import io.millrace.common.id.RegionId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Names new files of regions, and numbers the runs they form; no name comes twice. */
public final class FileNames {
  private final AtomicLong count = new AtomicLong();

  /** The names of one job. */
  public Taken of(RegionId region, long incarnation) {
    return new Taken(region, incarnation);
  }

  /** Gives names and remembers them. One thread. */
  public final class Taken implements Supplier<String> {
    private final RegionId region;
    private final long incarnation;
    private final List<String> names = new ArrayList<>();

    private Taken(RegionId region, long incarnation) {
      this.region = region;
      this.incarnation = incarnation;
    }

    @Override
    public String get() {
      String name = String.format("%x-%x-%x", region.value(), incarnation, count.incrementAndGet());
      names.add(name);
      return name;
    }

    /** Number for a run of files that share no key. */
    public long run() {
      return incarnation << 32 | count.incrementAndGet() & 0xffff_ffffL;
    }

    /** All names given. */
    public List<String> taken() {
      return List.copyOf(names);
    }
  }
}

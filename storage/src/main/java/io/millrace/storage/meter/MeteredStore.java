package io.millrace.storage.meter;

import io.millrace.common.id.RegionId;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.SstStore;
import java.util.function.LongConsumer;

/** A store whose reads and writes are charged to a budget. */
public final class MeteredStore implements SstStore {
  private final SstStore store;
  private final LongConsumer charge;

  private MeteredStore(SstStore store, LongConsumer charge) {
    this.store = store;
    this.charge = charge;
  }

  /** For flushes: they never wait. */
  public static SstStore forFlush(SstStore store, IoBudget budget) {
    return new MeteredStore(store, budget::flush);
  }

  /**
   * For one compaction.
   *
   * @param urgent it does not give way to readers
   */
  public static SstStore forCompaction(SstStore store, IoBudget budget, boolean urgent) {
    return new MeteredStore(store, budget.worker(urgent)::use);
  }

  @Override
  public SstInput open(RegionId region, String fileId) {
    SstInput in = store.open(region, fileId);
    return new SstInput() {
      @Override
      public long length() {
        return in.length();
      }

      @Override
      public void read(long position, byte[] target, int from, int count) {
        charge.accept(count);
        in.read(position, target, from, count);
      }

      @Override
      public void close() {
        in.close();
      }
    };
  }

  @Override
  public SstOutput create(RegionId region, String fileId) {
    SstOutput out = store.create(region, fileId);
    return new SstOutput() {
      @Override
      public void write(byte[] source, int from, int count) {
        charge.accept(count);
        out.write(source, from, count);
      }

      @Override
      public void finish() {
        out.finish();
      }

      @Override
      public void close() {
        out.close();
      }
    };
  }
}

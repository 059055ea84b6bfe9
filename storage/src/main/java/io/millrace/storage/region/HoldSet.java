package io.millrace.storage.region;

import io.millrace.common.id.RegionId;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.read.HoldPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A region's holds. Placing reads the committed sequence under the same lock under which a flush
 * takes its list, so that a hold that a flush did not see lies above everything it folds.
 */
public final class HoldSet {
  private final RegionId region;
  private final List<Placed> holds = new ArrayList<>();

  public HoldSet(RegionId region) {
    this.region = region;
  }

  private final class Placed implements Hold {
    private final String owner;
    private final HoldKind kind;
    private final long sequence;

    Placed(String owner, HoldKind kind, long sequence) {
      this.owner = owner;
      this.kind = kind;
      this.sequence = sequence;
    }

    @Override
    public RegionId region() {
      return region;
    }

    @Override
    public String owner() {
      return owner;
    }

    @Override
    public HoldKind kind() {
      return kind;
    }

    @Override
    public long sequence() {
      return sequence;
    }

    @Override
    public void close() {
      synchronized (HoldSet.this) {
        holds.remove(this);
      }
    }
  }

  public synchronized Hold place(String owner, HoldKind kind, LongSupplier committed) {
    var hold = new Placed(owner, kind, committed.getAsLong());
    holds.add(hold);
    return hold;
  }

  /** The holds as a fold needs them. */
  public synchronized List<HoldPoint> points() {
    var out = new ArrayList<HoldPoint>(holds.size());
    for (Placed h : holds) {
      out.add(new HoldPoint(h.sequence, h.kind));
    }
    return out;
  }

  /** Whether old rows as of the sequence are kept by a hold. */
  public synchronized boolean holdsRows(long sequence) {
    for (Placed h : holds) {
      if (h.sequence == sequence && h.kind == HoldKind.ROWS) {
        return true;
      }
    }
    return false;
  }

  /** The least sequence held; the given one if nothing is held. */
  public synchronized long least(long otherwise) {
    long least = otherwise;
    for (Placed h : holds) {
      least = Math.min(least, h.sequence);
    }
    return least;
  }
}

package io.millrace.storage.sst.index;

import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.IndexKind;
import io.millrace.storage.sst.puffin.PuffinBlob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/** What there is in an index file; its parts are read when asked for. Any thread. */
public final class SideCar {
  private final SideCars owner;
  private final SideCars.Name name;
  private final Contents contents;

  /** The footer, as it is cached. */
  record Contents(List<PuffinBlob> blobs, Map<SideCarFormat.Place, Integer> places)
      implements IndexBlock {
    static Contents of(List<PuffinBlob> blobs) {
      var places = new HashMap<SideCarFormat.Place, Integer>();
      for (int i = 0; i < blobs.size(); i++) {
        SideCarFormat.Place p = SideCarFormat.place(blobs.get(i));
        if (p != null) {
          places.put(p, i);
        }
      }
      return new Contents(blobs, places);
    }

    @Override
    public long bytes() {
      return 100 + 500L * blobs.size();
    }
  }

  SideCar(SideCars owner, SideCars.Name name, Contents contents) {
    this.owner = owner;
    this.name = name;
    this.contents = contents;
  }

  /** The Bloom filters of keys; null without. */
  public @Nullable KeyBloom keyBloom() {
    for (PuffinBlob b : contents.blobs) {
      if (b.type().equals(SideCarFormat.type(IndexKind.KEY_BLOOM))) {
        return new KeyBloom(this, b.fields());
      }
    }
    return null;
  }

  @Nullable GroupBloom groupBloom(int group) {
    return (GroupBloom)
        block(new SideCarFormat.Place(IndexKind.KEY_BLOOM, 0, group), GroupBloom::read);
  }

  /** The last rows of the series in a row group; null if they are not there. */
  public @Nullable SeriesRows series(int group) {
    String wanted = Integer.toString(group);
    for (int i = 0; i < contents.blobs.size(); i++) {
      PuffinBlob b = contents.blobs.get(i);
      if (b.type().equals(SeriesRows.TYPE)
          && wanted.equals(b.properties().get(SideCarFormat.GROUP))) {
        return (SeriesRows) owner.block(name, i, b, SeriesRows::read);
      }
    }
    return null;
  }

  /** Whether nothing of it has been found damaged. */
  public boolean usable() {
    return owner.usable(name);
  }

  /** Whether there is an index of the kind on the column. */
  public boolean has(IndexKind kind, int columnId, int group) {
    return contents.places.containsKey(new SideCarFormat.Place(kind, columnId, group));
  }

  /**
   * The rows of a row group that can satisfy a predicate, by the index of that kind on its column;
   * null if it cannot tell.
   */
  public @Nullable RoaringBitmap rows(IndexKind kind, int group, ColumnPredicate p) {
    var place = new SideCarFormat.Place(kind, p.columnId(), group);
    return switch (kind) {
      case KEY_BLOOM -> null;
      case INVERTED ->
          block(place, InvertedIndex::read) instanceof InvertedIndex x ? x.rows(p) : null;
      case SKIPPING ->
          block(place, SkippingIndex::read) instanceof SkippingIndex x ? x.rows(p) : null;
      case FULLTEXT ->
          p instanceof ColumnPredicate.Text t
                  && block(place, FullTextIndex::read) instanceof FullTextIndex x
              ? x.rows(t.match())
              : null;
    };
  }

  /** A part; null if it is not there or cannot be read. */
  private @Nullable IndexBlock block(SideCarFormat.Place place, Decoder decoder) {
    Integer at = contents.places.get(place);
    return at == null ? null : owner.block(name, at, contents.blobs.get(at), decoder);
  }

  /** From a blob's bytes. */
  interface Decoder {
    IndexBlock decode(byte[] blob);
  }
}

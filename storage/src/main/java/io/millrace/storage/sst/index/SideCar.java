package io.millrace.storage.sst.index;

import io.millrace.storage.IndexKind;
import io.millrace.storage.sst.puffin.PuffinBlob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.storage.sst.index.KeyBloom;
import io.millrace.storage.sst.index.KeyHash;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the key Bloom filters of a file leave of the keys of a list. The keys are hashed once per
 * file, when a row group's pages may have some of them. One thread.
 */
final class KeyBlooms {
  private final Source.File file;
  private final KeyList keys;
  private @Nullable KeyBloom bloom;
  private long[] hashes = new long[0];
  private boolean ready;

  KeyBlooms(Source.File file, KeyList keys) {
    this.file = file;
    this.keys = keys;
  }

  private void prepare() {
    ready = true;
    KeyBloom b = file.keyBloom();
    if (b != null) {
      var tags = new ArrayList<Vector>();
      for (int id : b.tagIds()) {
        tags.add(keys.tags.get(file.schema.tagIndex(id)));
      }
      hashes = KeyHash.of(tags, keys.times, keys.rows);
      bloom = b;
    }
  }

  /** Those of the keys (by place in the list) that the row group may have. */
  int[] left(int group, int[] wanted) {
    if (wanted.length > 0 && !ready) {
      prepare();
    }
    KeyBloom b = bloom;
    if (b == null || wanted.length == 0) {
      return wanted;
    }
    int n = 0;
    int[] out = new int[wanted.length];
    for (int k : wanted) {
      if (b.mightContain(group, hashes[k])) {
        out[n++] = k;
      }
    }
    return n == out.length ? out : Arrays.copyOf(out, n);
  }
}

package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.storage.sst.index.KeyBloom;
import io.millrace.storage.sst.index.KeyHash;
import java.util.ArrayList;
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
        tags.add(keys.tags.get(file.schema.tagIndex(id)).take(keys.series, keys.rows));
      }
      hashes = KeyHash.of(tags, keys.times, keys.rows);
      bloom = b;
    }
  }

  /**
   * Keeps of the first n wanted keys (by place in the list) those that the row group may have;
   * gives their number. The others are noted in the hits.
   */
  int left(int group, int[] wanted, int n, KeyHits hits) {
    if (n > 0 && !ready) {
      prepare();
    }
    KeyBloom b = bloom;
    if (b == null || n == 0) {
      return n;
    }
    int m = 0;
    for (int i = 0; i < n; i++) {
      int k = wanted[i];
      if (b.mightContain(group, hashes[k])) {
        wanted[m++] = k;
      } else {
        hits.deny(k);
      }
    }
    return m;
  }
}

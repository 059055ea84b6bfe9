package io.millrace.storage.sst.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.id.RegionId;
import io.millrace.storage.read.MemoryStore;
import io.millrace.storage.sst.SstInput;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PuffinTest {
  private static final RegionId REGION = new RegionId(1);
  private static final byte[] ZEROS = new byte[10_000];
  private static final byte[] TEXT = "blob".getBytes(StandardCharsets.UTF_8);

  private final MemoryStore store = new MemoryStore();

  private PuffinWriter.Finished write() {
    try (var w = new PuffinWriter(store.create(REGION, "f.puffin"))) {
      w.add("a-v1", List.of(3, 4), Map.of("row-group", "0"), ZEROS, true);
      w.add("b-v1", List.of(5), Map.of(), TEXT, true);
      return w.finish(Map.of("created-by", "test"));
    }
  }

  private List<PuffinBlob> blobs(PuffinWriter.Finished f) {
    try (SstInput in = store.open(REGION, "f.puffin")) {
      return PuffinReader.blobs(in, f.bytes(), f.footerLength(), f.footerCrc());
    }
  }

  @Test
  void givesBackWhatWasWritten() {
    List<PuffinBlob> blobs = blobs(write());
    assertThat(blobs).extracting(PuffinBlob::type).containsExactly("a-v1", "b-v1");
    assertThat(blobs.getFirst().fields()).containsExactly(3, 4);
    assertThat(blobs.getFirst().properties()).containsEntry("row-group", "0");
    try (SstInput in = store.open(REGION, "f.puffin")) {
      assertThat(PuffinReader.read(in, blobs.get(0))).isEqualTo(ZEROS);
      assertThat(PuffinReader.read(in, blobs.get(1))).isEqualTo(TEXT);
    }
  }

  @Test
  void compressesOnlyWhatBecomesSmaller() {
    List<PuffinBlob> blobs = blobs(write());
    assertThat(blobs.get(0).compressed()).isTrue();
    assertThat(blobs.get(0).length()).isLessThan(100);
    assertThat(blobs.get(1).compressed()).isFalse();
  }

  /** Magic at both ends, and the footer's length before the flags, as the specification has it. */
  @Test
  void laysTheFileOutAsThePuffinSpecificationSays() {
    PuffinWriter.Finished f = write();
    byte[] b = store.files.get("f.puffin");
    assertThat(b).hasSize((int) f.bytes()).startsWith("PFA1".getBytes(StandardCharsets.US_ASCII));
    assertThat(b).endsWith("PFA1".getBytes(StandardCharsets.US_ASCII));
    int footer = b.length - f.footerLength();
    assertThat(new String(b, footer, 5, StandardCharsets.US_ASCII)).isEqualTo("PFA1{");
    assertThat(new byte[] {b[b.length - 8], b[b.length - 7], b[b.length - 6], b[b.length - 5]})
        .containsOnly(0);
  }

  @Test
  void noticesEveryFlippedBit() {
    PuffinWriter.Finished f = write();
    byte[] good = store.files.get("f.puffin");
    for (int i = 4; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      store.files.put("f.puffin", bad);
      assertThatThrownBy(
              () -> {
                List<PuffinBlob> blobs = blobs(f);
                try (SstInput in = store.open(REGION, "f.puffin")) {
                  for (PuffinBlob x : blobs) {
                    PuffinReader.read(in, x);
                  }
                }
              })
          .as("byte " + i)
          .isInstanceOf(RuntimeException.class);
    }
  }
}

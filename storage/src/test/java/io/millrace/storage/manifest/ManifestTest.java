package io.millrace.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.FileOptions;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The manifest and its formats. With -Dgolden.write=FOLDER the files are written anew. */
class ManifestTest {
  private static final RegionId REGION = RegionId.of(new TableId(7), 3);
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, false, null),
              new ColumnSchema(2, "ts", SqlType.TIMESTAMPTZ, SemanticType.TIMESTAMP, false, null),
              new ColumnSchema(
                  3, "v", SqlType.arrayOf(SqlType.FLOAT8), SemanticType.FIELD, true, "{}")),
          List.of(1),
          2);

  private static SstMeta file(String id, long min, long max) {
    return new SstMeta(
        id, 1, 100, 5000, -5, 5, min, max, 0, true, false, false, 0, 0, 1, 300, 0x12345678);
  }

  private static List<ManifestAction> history() {
    return List.of(
        new ManifestAction.Create(SCHEMA, RegionOptions.DEFAULT, 4),
        new ManifestAction.Incarnation(1, 0),
        new ManifestAction.Edit(List.of(file("a", 1, 10)), List.of(), 10, 50, 3, 7),
        new ManifestAction.Truncate(11),
        new ManifestAction.Edit(
            List.of(file("b", 12, 20), file("c", 12, 20)), List.of(), 20, 60, 0, 0),
        new ManifestAction.Edit(List.of(), List.of("b"), 20, 60, 0, 0),
        new ManifestAction.Change(SCHEMA, RegionOptions.DEFAULT),
        new ManifestAction.Event(new RegionEvent.ResetRange(21, 0, 100)),
        new ManifestAction.Event(new RegionEvent.Expired(22, -100)),
        new ManifestAction.ForgetEvents(11));
  }

  private static void check(ManifestState s) {
    assertThat(s.schema()).isEqualTo(SCHEMA);
    assertThat(s.options()).isEqualTo(RegionOptions.DEFAULT);
    assertThat(s.files()).containsExactly(file("c", 12, 20));
    assertThat(s.flushedSequence()).isEqualTo(20);
    assertThat(s.flushedPosition()).isEqualTo(60);
    assertThat(s.incarnation()).isEqualTo(1);
    assertThat(s.feedStartKeys()).isEqualTo(11);
    assertThat(s.feedStartRows()).isEqualTo(11);
    assertThat(s.events())
        .containsExactly(new RegionEvent.ResetRange(21, 0, 100), new RegionEvent.Expired(22, -100));
    assertThat(s.removed()).isFalse();
  }

  /** What version 2 brought. */
  private static List<ManifestAction> history2() {
    var all = new ArrayList<>(history());
    var options =
        new RegionOptions(
            RegionOptions.KeyMode.TIME_INDEX,
            false,
            RegionOptions.MergeMode.LAST_NON_NULL,
            7,
            true,
            9,
            new CompactionOptions(3_600_000_000L, 8, 1 << 20));
    all.add(new ManifestAction.Change(SCHEMA, options));
    all.add(
        new ManifestAction.Edit(
            List.of(file("d", 21, 30).withRun(5L << 32), file("e", 21, 30).withRun(5L << 32)),
            List.of("c"),
            0,
            0,
            0,
            0));
    all.add(new ManifestAction.Window(86_400_000_000L));
    all.add(new ManifestAction.Expire(-6));
    all.add(
        new ManifestAction.Edit(List.of(file("f", 1, 1).withUniform(40)), List.of(), 0, 0, 0, 0));
    all.add(new ManifestAction.Settled(70));
    return all;
  }

  private static byte[] golden(String name, byte[] written) throws IOException {
    String folder = System.getProperty("golden.write");
    if (folder != null) {
      Files.write(Path.of(folder, name), written);
    }
    return golden(name);
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = ManifestTest.class.getResourceAsStream("/golden/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private static ManifestState state(List<ManifestAction> h) {
    ManifestState s = ManifestState.created(REGION, (ManifestAction.Create) h.getFirst());
    for (ManifestAction a : h.subList(1, h.size())) {
      s = s.apply(a);
    }
    return s;
  }

  @Test
  void versionOneIsReadAsItAlwaysWas() throws IOException {
    assertThat(ManifestCodec.parseActions(golden("manifest-actions-v1"), REGION, "x"))
        .isEqualTo(history());
    check(ManifestCodec.parseCheckpoint(golden("manifest-checkpoint-v1"), REGION, "x"));
  }

  @Test
  void versionTwoIsReadAsItAlwaysWas() throws IOException {
    byte[] actions = golden("manifest-actions-v2");
    byte[] checkpoint = golden("manifest-checkpoint-v2");
    assertThat(ManifestCodec.parseActions(actions, REGION, "x")).isEqualTo(history2());
    ManifestState s = ManifestCodec.parseCheckpoint(checkpoint, REGION, "x");
    assertThat(s).isEqualTo(state(history2()));
    assertThat(s.window()).isEqualTo(86_400_000_000L);
    assertThat(s.expiredBelow()).isEqualTo(-6);
    assertThat(s.settledPosition()).isEqualTo(70);
    assertThat(s.files().subList(0, 2)).allMatch(f -> f.run() == 5L << 32);
    assertThat(s.files().getLast().uniform()).isEqualTo(40);
  }

  /** What version 3 brought: side-cars, range deletes, files that were added, index options. */
  private static List<ManifestAction> history3() {
    var all = new ArrayList<>(history2());
    var index =
        new SideCarMeta(
            2, 4711, 300, -5, List.of(new SideCarMeta.Part(IndexKind.KEY_BLOOM, 0, 100, 0)));
    var column = new ColumnIndex(3, IndexKind.SKIPPING, 1024, 0.05, true);
    all.add(
        new ManifestAction.Change(
            SCHEMA,
            RegionOptions.DEFAULT.withIndex(new IndexOptions(true, false, List.of(column)))));
    all.add(
        new ManifestAction.Edit(
            List.of(file("g", 41, 50).withIndex(index)), List.of(), 50, 80, 0, 0));
    all.add(new ManifestAction.Event(new RegionEvent.FilesAdded(51, -5, 5)));
    for (long sequence : new long[] {52, 53, 54}) {
      var what = new RangeDelete(List.of(), List.of(), -10, 10 * sequence, 49);
      all.add(new ManifestAction.DeleteRange(new Rectangle(what, sequence, 51)));
    }
    all.add(new ManifestAction.CleanedRange(53, List.of("g")));
    all.add(new ManifestAction.ForgetRange(54));
    return all;
  }

  @Test
  void versionThreeIsReadAsItAlwaysWas() throws IOException {
    byte[] actions = golden("manifest-actions-v3", ManifestCodec.actions(REGION, 1, history3()));
    byte[] checkpoint =
        golden("manifest-checkpoint-v3", ManifestCodec.checkpoint(state(history3()), 9));
    assertThat(ManifestCodec.parseActions(actions, REGION, "x")).isEqualTo(history3());
    ManifestState s = ManifestCodec.parseCheckpoint(checkpoint, REGION, "x");
    assertThat(s).isEqualTo(state(history3()));
    assertThat(s.ranges()).hasSize(2);
    assertThat(s.files().getLast().index()).isNotNull();
    assertThat(s.events()).contains(new RegionEvent.FilesAdded(51, -5, 5));
    assertThat(ManifestCodec.checkpoint(s, 9)).as("what is written today").isEqualTo(checkpoint);
  }

  /** All options of a region away from their defaults. */
  private static List<ManifestAction> history3Options() {
    var column = new ColumnIndex(3, IndexKind.INVERTED, 512, 0.01, false);
    var options =
        new RegionOptions(
            RegionOptions.KeyMode.ROW_ID,
            true,
            RegionOptions.MergeMode.LAST_NON_NULL,
            3_600_000_000L,
            true,
            1 << 20,
            new CompactionOptions(7_200_000_000L, 6, 1L << 28),
            new IndexOptions(false, true, List.of(column)),
            new FileOptions(90_000_000L, 4_096));
    return List.of(
        new ManifestAction.Create(SCHEMA, RegionOptions.DEFAULT, 4),
        new ManifestAction.Change(SCHEMA, options));
  }

  @Test
  void optionsOfVersionThreeAreReadAsTheyAlwaysWere() throws IOException {
    byte[] actions =
        golden("manifest-options-v3", ManifestCodec.actions(REGION, 1, history3Options()));
    assertThat(ManifestCodec.parseActions(actions, REGION, "x")).isEqualTo(history3Options());
    assertThat(ManifestCodec.actions(REGION, 1, history3Options()))
        .as("what is written today")
        .isEqualTo(actions);
  }

  @Test
  void indexFilesAndIndexOptionsComeBack() {
    var index =
        new SideCarMeta(
            2,
            4711,
            300,
            -5,
            List.of(
                new SideCarMeta.Part(IndexKind.KEY_BLOOM, 0, 100, 0),
                new SideCarMeta.Part(IndexKind.INVERTED, 3, 200, -7)));
    var options =
        RegionOptions.DEFAULT.withIndex(
            new IndexOptions(
                true, false, List.of(new ColumnIndex(3, IndexKind.SKIPPING, 1024, 0.05, true))));
    List<ManifestAction> history =
        List.of(
            new ManifestAction.Create(SCHEMA, options, 4),
            new ManifestAction.Edit(
                List.of(file("g", 1, 5).withIndex(index), file("h", 6, 9)),
                List.of(),
                10,
                50,
                3,
                7));
    byte[] actions = ManifestCodec.actions(REGION, 1, history);
    assertThat(ManifestCodec.parseActions(actions, REGION, "x")).isEqualTo(history);
    byte[] checkpoint = ManifestCodec.checkpoint(state(history), 9);
    assertThat(ManifestCodec.parseCheckpoint(checkpoint, REGION, "x")).isEqualTo(state(history));
  }

  @Test
  void theStateIsTheSameAfterLoadingWithAndWithoutCheckpoint() {
    ObjectStore store = new SimDisk().objectStore();
    RegionManifest m =
        RegionManifest.create(store, REGION, (ManifestAction.Create) history().getFirst());
    for (ManifestAction a : history().subList(1, history().size())) {
      m.commit(List.of(a));
    }
    check(Objects.requireNonNull(RegionManifest.load(store, REGION)).state());
    for (int i = 0; i < 40; i++) {
      m.commit(List.of(new ManifestAction.Incarnation(1, 0)));
    }
    check(Objects.requireNonNull(RegionManifest.load(store, REGION)).state());
    assertThat(RegionManifest.list(store)).containsExactly(REGION);
  }

  @Test
  void aDamagedOrMissingFileIsNamed() throws IOException {
    ObjectStore store = new SimDisk().objectStore();
    RegionManifest m =
        RegionManifest.create(store, REGION, (ManifestAction.Create) history().getFirst());
    m.commit(List.of(new ManifestAction.Incarnation(1, 0)));
    m.commit(List.of(new ManifestAction.Incarnation(2, 0)));
    String second = store.list("regions/").get(1);
    byte[] data = store.get(second);
    data[20] ^= 1;
    store.put(second, data);
    assertThatThrownBy(() -> RegionManifest.load(store, REGION))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.DATA_CORRUPTED);
              assertThat(e.message()).contains(second);
            });
    store.delete(second);
    assertThatThrownBy(() -> RegionManifest.load(store, REGION)).hasMessageContaining("is missing");
  }

  @Test
  void aFailedCommitChangesNothingAndTheNextOneTakesItsPlace() {
    var disk = new SimDisk();
    ObjectStore store = disk.objectStore();
    RegionManifest m =
        RegionManifest.create(store, REGION, (ManifestAction.Create) history().getFirst());
    disk.full(true);
    assertThatThrownBy(() -> m.commit(List.of(new ManifestAction.Incarnation(5, 0))))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
    assertThat(m.state().incarnation()).isZero();
    disk.full(false);
    m.commit(List.of(new ManifestAction.Incarnation(2, 0)));
    assertThat(Objects.requireNonNull(RegionManifest.load(store, REGION)).state().incarnation())
        .isEqualTo(2);
  }
}

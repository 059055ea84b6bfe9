package io.millrace.sql.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredCatalogTest {
  @TempDir Path dir;

  private StoredCatalog open() {
    return new StoredCatalog(FileKvBackend.open(dir), Runnable::run);
  }

  private static TableInfo table(TableId id, int oid, String name) {
    return new TableInfo(
        id,
        oid,
        1,
        "millrace",
        "public",
        name,
        List.of(
            new TableInfo.Column(
                1,
                "ts",
                1,
                SqlType.TIMESTAMP,
                "timestamp(3)",
                false,
                Optional.of("now()"),
                Optional.empty(),
                ""),
            new TableInfo.Column(
                2,
                "a",
                2,
                SqlType.arrayOf(SqlType.numeric(10, 2)),
                "numeric(10,2)[]",
                true,
                Optional.empty(),
                Optional.of("c"),
                "")),
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null)),
            List.of(),
            1),
        RegionOptions.DEFAULT,
        List.of(RegionId.of(id, 0)),
        List.of(
            new TableInfo.Constraint(
                7, "t_check", 'c', List.of(2), Optional.of("a > 0"), Optional.empty())),
        Map.of("ttl", "7d"),
        Optional.empty(),
        5,
        false);
  }

  @Test
  void everythingPutIsThereAfterReopening() {
    StoredCatalog c = open();
    TableInfo t = table(c.nextTableId(), c.nextOid(), "cpu");
    var f =
        new FlowInfo(
            c.nextFlowId(),
            c.nextOid(),
            1,
            "millrace",
            "public",
            "f",
            "millrace",
            "public",
            "sink",
            Optional.of(t.id()),
            List.of(t.id()),
            List.of("cpu"),
            "SELECT 1",
            "CREATE FLOW",
            OptionalLong.of(5),
            OptionalLong.empty(),
            Optional.empty(),
            Map.of(),
            Map.of("TimeZone", "UTC"),
            1,
            2,
            List.of(
                new FlowInfo.BoundTable(
                    t.id(),
                    "millrace",
                    "public",
                    "cpu",
                    List.of(new FlowInfo.BoundColumn(1, "host")))));
    c.change(
            s ->
                CatalogChange.of(
                    new CatalogChange.Action.PutTable(t), new CatalogChange.Action.PutFlow(f)))
        .join();
    StoredCatalog again = open();
    assertThat(again.snapshot().table("millrace", "public", "cpu")).contains(t);
    assertThat(again.snapshot().flows()).containsExactly(f);
    assertThat(again.snapshot().database("postgres")).map(DatabaseInfo::name).contains("millrace");
    assertThat(again.nextTableId().value()).isGreaterThan(t.id().value());
    assertThat(again.nextOid()).isGreaterThan(f.oid());
  }

  @Test
  void aTornLastRecordIsAsIfItHadNeverBeen() throws Exception {
    StoredCatalog c = open();
    TableInfo a = table(c.nextTableId(), c.nextOid(), "a");
    TableInfo b = table(c.nextTableId(), c.nextOid(), "b");
    c.change(s -> CatalogChange.of(new CatalogChange.Action.PutTable(a))).join();
    Path file = dir.resolve("catalog.log");
    long before = Files.size(file);
    c.change(s -> CatalogChange.of(new CatalogChange.Action.PutTable(b))).join();
    byte[] all = Files.readAllBytes(file);
    for (int cut = (int) before; cut < all.length; cut += 7) {
      Files.write(file, java.util.Arrays.copyOf(all, cut), StandardOpenOption.TRUNCATE_EXISTING);
      assertThat(open().snapshot().tables("millrace")).containsExactly(a);
    }
  }

  @Test
  void damageBeforeTheLastRecordIsReported() throws Exception {
    StoredCatalog c = open();
    for (String n : List.of("a", "b", "c")) {
      TableInfo t = table(c.nextTableId(), c.nextOid(), n);
      c.change(s -> CatalogChange.of(new CatalogChange.Action.PutTable(t))).join();
    }
    Path file = dir.resolve("catalog.log");
    byte[] all = Files.readAllBytes(file);
    all[60] ^= 1;
    Files.write(file, all);
    assertThatThrownBy(this::open)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("damaged at byte");
  }

  @Test
  void aRefusedChangeChangesNothing() {
    StoredCatalog c = open();
    long version = c.snapshot().version();
    assertThat(
            c.change(
                s -> {
                  throw new IllegalStateException("no");
                }))
        .isCompletedExceptionally();
    assertThat(c.snapshot().version()).isEqualTo(version);
  }
}

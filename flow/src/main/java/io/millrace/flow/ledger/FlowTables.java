package io.millrace.flow.ledger;

import io.millrace.common.id.FlowId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableDefinition.ColumnDefinition;
import io.millrace.sql.ddl.TableProcedures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The hidden tables of flows, ordinary last_row tables. {@code __flow_checkpoint}: one row per
 * flow. {@code __flow_ledger_ID}: one row per sink row of a flow, keyed as the sink is, with the
 * start of its window and a hash of the flow's columns.
 */
public final class FlowTables {
  static final String CHECKPOINT = "__flow_checkpoint";
  private static final String LEDGER = "__flow_ledger_";

  private final Catalog catalog;
  private final TableProcedures tables;

  public FlowTables(Catalog catalog, TableProcedures tables) {
    this.catalog = catalog;
    this.tables = tables;
  }

  private static ColumnDefinition column(String name, SqlType type, boolean notNull) {
    return new ColumnDefinition(
        name, type, type.sqlName(), notNull, Optional.empty(), Optional.empty(), "");
  }

  private static TableDefinition definition(
      String name, List<ColumnDefinition> columns, List<String> key, String time) {
    return new TableDefinition(
        Catalog.DEFAULT_DATABASE,
        Catalog.DEFAULT_SCHEMA,
        name,
        columns,
        key,
        Optional.of(time),
        List.of(),
        Map.of(),
        Optional.empty(),
        true);
  }

  /** The checkpoint table, made on first use. */
  public CompletableFuture<TableInfo> checkpoints() {
    return existingOr(
        CHECKPOINT,
        definition(
            CHECKPOINT,
            List.of(
                column("flow_id", SqlType.INT8, true),
                column("ts", SqlType.TIMESTAMP, true),
                column("epoch", SqlType.INT8, true),
                column("incarnations", SqlType.TEXT, true),
                column("versions", SqlType.TEXT, true),
                column("dirty", SqlType.TEXT, true),
                column("evaluated", SqlType.INT8, true)),
            List.of("flow_id"),
            "ts"));
  }

  static String ledgerName(FlowId flow) {
    return LEDGER + flow.value();
  }

  /**
   * The ledger of a flow, made on first use.
   *
   * @param tagTypes types of the sink's tags, in key order
   * @param timeType type of the sink's time index
   */
  public CompletableFuture<TableInfo> ledger(
      FlowId flow, List<SqlType> tagTypes, SqlType timeType) {
    var columns = new ArrayList<ColumnDefinition>();
    var key = new ArrayList<String>();
    for (int i = 0; i < tagTypes.size(); i++) {
      columns.add(column("k" + i, tagTypes.get(i), false));
      key.add("k" + i);
    }
    columns.add(column("t", timeType, true));
    columns.add(column("window_start", SqlType.INT8, true));
    columns.add(column("hash", SqlType.INT8, true));
    return existingOr(ledgerName(flow), definition(ledgerName(flow), columns, key, "t"));
  }

  private CompletableFuture<TableInfo> existingOr(String name, TableDefinition definition) {
    Optional<TableInfo> there = find(name);
    return there.map(CompletableFuture::completedFuture).orElseGet(() -> tables.create(definition));
  }

  private Optional<TableInfo> find(String name) {
    return catalog.snapshot().table(Catalog.DEFAULT_DATABASE, Catalog.DEFAULT_SCHEMA, name);
  }

  /** The ledger of a flow, if there is one. */
  public Optional<TableInfo> findLedger(FlowId flow) {
    return find(ledgerName(flow));
  }

  /** Flows of which there is a ledger. */
  public List<FlowId> ledgers() {
    return catalog.snapshot().hiddenTables().stream()
        .map(TableInfo::name)
        .filter(n -> n.startsWith(LEDGER))
        .map(n -> new FlowId(Integer.parseInt(n.substring(LEDGER.length()))))
        .toList();
  }

  /** Removes a flow's ledger. */
  public CompletableFuture<Void> dropLedger(FlowId flow) {
    return findLedger(flow)
        .map(t -> tables.drop(List.of(t.id())))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }
}

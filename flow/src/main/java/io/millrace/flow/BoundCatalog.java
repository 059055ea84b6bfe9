package io.millrace.flow;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.FlowInfo.BoundColumn;
import io.millrace.sql.catalog.FlowInfo.BoundTable;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A catalog in which a flow's sources have the names and columns that they had at CREATE FLOW, so
 * that the query's text still means them: a flow is bound by column id.
 */
record BoundCatalog(CatalogSnapshot catalog, List<BoundTable> bound) implements CatalogSnapshot {
  @Override
  public Optional<TableInfo> table(String database, String schema, String name) {
    return bound.stream()
        .filter(
            b ->
                b.name().equals(name) && b.schema().equals(schema) && b.database().equals(database))
        .findFirst()
        .flatMap(b -> catalog.table(b.id()).map(t -> asBound(t, b)))
        .or(() -> catalog.table(database, schema, name));
  }

  private static TableInfo asBound(TableInfo t, BoundTable b) {
    var columns = new ArrayList<TableInfo.Column>();
    for (BoundColumn c : b.columns()) {
      t.columnById(c.id()).ifPresent(now -> columns.add(named(now, c.name())));
    }
    return t.edit()
        .database(b.database())
        .schema(b.schema())
        .name(b.name())
        .columns(columns)
        .build();
  }

  private static TableInfo.Column named(TableInfo.Column c, String name) {
    return new TableInfo.Column(
        c.id(),
        name,
        c.attnum(),
        c.type(),
        c.declaredType(),
        c.nullable(),
        c.defaultSql(),
        c.comment(),
        c.generated());
  }

  @Override
  public long version() {
    return catalog.version();
  }

  @Override
  public Collection<DatabaseInfo> databases() {
    return catalog.databases();
  }

  @Override
  public Optional<DatabaseInfo> database(String name) {
    return catalog.database(name);
  }

  @Override
  public Collection<SchemaInfo> schemas(String database) {
    return catalog.schemas(database);
  }

  @Override
  public Optional<TableInfo> table(TableId id) {
    return catalog.table(id);
  }

  @Override
  public Collection<TableInfo> tables(String database) {
    return catalog.tables(database);
  }

  @Override
  public Collection<TableInfo> hiddenTables() {
    return catalog.hiddenTables();
  }

  @Override
  public Optional<ViewInfo> view(String database, String schema, String name) {
    return catalog.view(database, schema, name);
  }

  @Override
  public Collection<ViewInfo> views(String database) {
    return catalog.views(database);
  }

  @Override
  public Optional<FlowInfo> flow(String database, String schema, String name) {
    return catalog.flow(database, schema, name);
  }

  @Override
  public Optional<FlowInfo> flow(FlowId id) {
    return catalog.flow(id);
  }

  @Override
  public Collection<FlowInfo> flows() {
    return catalog.flows();
  }
}

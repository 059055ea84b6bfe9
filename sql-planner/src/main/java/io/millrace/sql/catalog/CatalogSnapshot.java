package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.Collection;
import java.util.Optional;

/** The catalog at one version: immutable; a statement takes one at its start. Names are exact. */
public interface CatalogSnapshot {
  /** Grows with every change. */
  long version();

  Collection<DatabaseInfo> databases();

  /** The database that a client's name means (aliases of the default one resolved). */
  Optional<DatabaseInfo> database(String name);

  Collection<SchemaInfo> schemas(String database);

  Optional<TableInfo> table(String database, String schema, String name);

  Optional<TableInfo> table(TableId id);

  /** Visible tables, hidden ones excluded. */
  Collection<TableInfo> tables(String database);

  Collection<TableInfo> hiddenTables();

  Optional<ViewInfo> view(String database, String schema, String name);

  Collection<ViewInfo> views(String database);

  Optional<FlowInfo> flow(String database, String schema, String name);

  Optional<FlowInfo> flow(FlowId id);

  Collection<FlowInfo> flows();
}

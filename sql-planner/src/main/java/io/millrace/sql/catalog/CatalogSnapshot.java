package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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

  default Optional<SequenceInfo> sequence(String database, String schema, String name) {
    return sequences(database).stream()
        .filter(s -> s.schema().equals(schema) && s.name().equals(name))
        .findFirst();
  }

  default Optional<SequenceInfo> sequence(int oid) {
    return Optional.empty();
  }

  default Collection<SequenceInfo> sequences(String database) {
    return List.of();
  }

  default Optional<UserType> type(String database, String schema, String name) {
    return types(database).stream()
        .filter(t -> t.schema().equals(schema) && t.name().equals(name))
        .findFirst();
  }

  /** The type of an oid: its own or that of the array over it. */
  default Optional<UserType> type(int oid) {
    return Optional.empty();
  }

  default Collection<UserType> types(String database) {
    return List.of();
  }

  /** Roles that were made or changed; {@link RoleInfo#OWNER} is there without. */
  default Collection<RoleInfo> roles() {
    return List.of();
  }

  default Optional<RoleInfo> role(String name) {
    return roles().stream().filter(r -> r.name().equals(name)).findFirst();
  }

  /** Comments on everything but tables and their columns, which carry theirs. */
  default Map<CommentKey, String> comments() {
    return Map.of();
  }

  /** The catalog as it would be after a change, for planning ahead of it. */
  default CatalogSnapshot preview(CatalogChange change) {
    throw new UnsupportedOperationException("preview");
  }
}

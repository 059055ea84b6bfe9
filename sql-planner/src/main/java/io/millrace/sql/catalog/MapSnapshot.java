package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A catalog version as maps by identity and by name. */
final class MapSnapshot implements CatalogSnapshot {
  static final MapSnapshot EMPTY = new MapSnapshot(0, new Maps(), new AtomicLong());

  private record Name(String database, String schema, String name) {}

  /** Entries by identity; tree maps, so that listings come in order of creation. */
  private static final class Maps {
    final Map<Integer, DatabaseInfo> databases = new TreeMap<>();
    final Map<Integer, SchemaInfo> schemas = new TreeMap<>();
    final Map<Integer, TableInfo> tables = new TreeMap<>();
    final Map<Integer, ViewInfo> views = new TreeMap<>();
    final Map<Integer, FlowInfo> flows = new TreeMap<>();
    final Map<Integer, SequenceInfo> sequences = new TreeMap<>();
    final Map<Integer, UserType> types = new TreeMap<>();
    final Map<String, RoleInfo> roles = new TreeMap<>();
    final Map<CommentKey, String> comments = new HashMap<>();

    Maps copy() {
      var m = new Maps();
      m.databases.putAll(databases);
      m.schemas.putAll(schemas);
      m.tables.putAll(tables);
      m.views.putAll(views);
      m.flows.putAll(flows);
      m.sequences.putAll(sequences);
      m.types.putAll(types);
      m.roles.putAll(roles);
      m.comments.putAll(comments);
      return m;
    }
  }

  private final long version;
  private final Maps maps;
  private final AtomicLong previews;
  private final Map<Name, TableInfo> tablesByName;
  private final Map<Name, ViewInfo> viewsByName;
  private final Map<Name, FlowInfo> flowsByName;
  private final Map<Name, SequenceInfo> sequencesByName;
  private final Map<Name, UserType> typesByName;
  private final Map<Integer, UserType> typesByOid = new HashMap<>();
  private final Map<String, List<TableInfo>> tablesByDatabase = new HashMap<>();

  private MapSnapshot(long version, Maps maps, AtomicLong previews) {
    this.version = version;
    this.maps = maps;
    this.previews = previews;
    this.tablesByName =
        index(maps.tables.values(), t -> new Name(t.database(), t.schema(), t.name()));
    this.viewsByName =
        index(maps.views.values(), v -> new Name(v.database(), v.schema(), v.name()));
    this.flowsByName =
        index(maps.flows.values(), f -> new Name(f.database(), f.schema(), f.name()));
    this.sequencesByName =
        index(maps.sequences.values(), s -> new Name(s.database(), s.schema(), s.name()));
    this.typesByName =
        index(maps.types.values(), t -> new Name(t.database(), t.schema(), t.name()));
    for (UserType t : maps.types.values()) {
      typesByOid.put(t.oid(), t);
      typesByOid.put(t.arrayOid(), t);
    }
    for (TableInfo t : maps.tables.values()) {
      if (!t.hidden()) {
        tablesByDatabase.computeIfAbsent(t.database(), d -> new ArrayList<>()).add(t);
      }
    }
  }

  private static <K, T> Map<K, T> index(Collection<T> values, Function<T, K> key) {
    var out = new HashMap<K, T>();
    for (T v : values) {
      out.put(key.apply(v), v);
    }
    return out;
  }

  private Builder changed(CatalogChange change) {
    var b = new Builder(this);
    for (CatalogChange.Action a : change.actions()) {
      switch (a) {
        case CatalogChange.Action.PutTable(var t) -> b.put(t);
        case CatalogChange.Action.RemoveTable(var id) -> b.maps.tables.remove(id.value());
        case CatalogChange.Action.PutFlow(var f) -> b.put(f);
        case CatalogChange.Action.RemoveFlow(var id) -> b.maps.flows.remove(id.value());
        case CatalogChange.Action.PutView(var v) -> b.put(v);
        case CatalogChange.Action.RemoveView(var oid) -> b.maps.views.remove(oid);
        case CatalogChange.Action.PutSchema(var s) -> b.put(s);
        case CatalogChange.Action.RemoveSchema(var oid) -> b.maps.schemas.remove(oid);
        case CatalogChange.Action.PutDatabase(var d) -> b.put(d);
        case CatalogChange.Action.RemoveDatabase(var oid) -> b.maps.databases.remove(oid);
        case CatalogChange.Action.PutSequence(var s) -> b.put(s);
        case CatalogChange.Action.RemoveSequence(var oid) -> b.maps.sequences.remove(oid);
        case CatalogChange.Action.PutType(var t) -> b.put(t);
        case CatalogChange.Action.RemoveType(var oid) -> b.maps.types.remove(oid);
        case CatalogChange.Action.PutRole(var r) -> b.put(r);
        case CatalogChange.Action.RemoveRole(var name) -> b.maps.roles.remove(name);
        case CatalogChange.Action.PutComment(var key, var text) -> b.put(key, text);
        case CatalogChange.Action.RemoveComment(var key) -> b.maps.comments.remove(key);
      }
    }
    return b;
  }

  MapSnapshot with(CatalogChange change) {
    return changed(change).build();
  }

  /**
   * Versions of previews are below zero and never the same, so that no plan outlives its preview.
   */
  @Override
  public CatalogSnapshot preview(CatalogChange change) {
    return new MapSnapshot(previews.decrementAndGet(), changed(change).maps, previews);
  }

  /** Collects entries. */
  static final class Builder {
    private final long version;
    private final Maps maps;
    private final AtomicLong previews;

    Builder(MapSnapshot from) {
      version = from.version + 1;
      maps = from.maps.copy();
      previews = from == EMPTY ? new AtomicLong() : from.previews;
    }

    void put(DatabaseInfo d) {
      maps.databases.put(d.oid(), d);
    }

    void put(SchemaInfo s) {
      maps.schemas.put(s.oid(), s);
    }

    void put(TableInfo t) {
      maps.tables.put(t.id().value(), t);
    }

    void put(ViewInfo v) {
      maps.views.put(v.oid(), v);
    }

    void put(FlowInfo f) {
      maps.flows.put(f.id().value(), f);
    }

    void put(SequenceInfo s) {
      maps.sequences.put(s.oid(), s);
    }

    void put(UserType t) {
      maps.types.put(t.oid(), t);
    }

    void put(RoleInfo r) {
      maps.roles.put(r.name(), r);
    }

    void put(CommentKey key, String text) {
      maps.comments.put(key, text);
    }

    MapSnapshot build() {
      return new MapSnapshot(version, maps, previews);
    }
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public Collection<DatabaseInfo> databases() {
    return maps.databases.values();
  }

  @Override
  public Optional<DatabaseInfo> database(String name) {
    Optional<DatabaseInfo> exact =
        maps.databases.values().stream().filter(d -> d.name().equals(name)).findFirst();
    return exact.isPresent() || !(name.equals("postgres") || name.equals("public"))
        ? exact
        : database(Catalog.DEFAULT_DATABASE);
  }

  @Override
  public Collection<SchemaInfo> schemas(String database) {
    return maps.schemas.values().stream().filter(s -> s.database().equals(database)).toList();
  }

  @Override
  public Optional<TableInfo> table(String database, String schema, String name) {
    return Optional.ofNullable(tablesByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<TableInfo> table(TableId id) {
    return Optional.ofNullable(maps.tables.get(id.value()));
  }

  @Override
  public Collection<TableInfo> tables(String database) {
    return tablesByDatabase.getOrDefault(database, List.of());
  }

  @Override
  public Collection<TableInfo> hiddenTables() {
    return maps.tables.values().stream().filter(TableInfo::hidden).toList();
  }

  @Override
  public Optional<ViewInfo> view(String database, String schema, String name) {
    return Optional.ofNullable(viewsByName.get(new Name(database, schema, name)));
  }

  @Override
  public Collection<ViewInfo> views(String database) {
    return maps.views.values().stream().filter(v -> v.database().equals(database)).toList();
  }

  @Override
  public Optional<FlowInfo> flow(String database, String schema, String name) {
    return Optional.ofNullable(flowsByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<FlowInfo> flow(FlowId id) {
    return Optional.ofNullable(maps.flows.get(id.value()));
  }

  @Override
  public Collection<FlowInfo> flows() {
    return maps.flows.values();
  }

  @Override
  public Optional<SequenceInfo> sequence(String database, String schema, String name) {
    return Optional.ofNullable(sequencesByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<SequenceInfo> sequence(int oid) {
    return Optional.ofNullable(maps.sequences.get(oid));
  }

  @Override
  public Collection<SequenceInfo> sequences(String database) {
    return maps.sequences.values().stream().filter(s -> s.database().equals(database)).toList();
  }

  @Override
  public Optional<UserType> type(String database, String schema, String name) {
    return Optional.ofNullable(typesByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<UserType> type(int oid) {
    return Optional.ofNullable(typesByOid.get(oid));
  }

  @Override
  public Collection<UserType> types(String database) {
    return maps.types.values().stream().filter(t -> t.database().equals(database)).toList();
  }

  @Override
  public Collection<RoleInfo> roles() {
    return maps.roles.values();
  }

  @Override
  public Optional<RoleInfo> role(String name) {
    return Optional.ofNullable(maps.roles.get(name));
  }

  @Override
  public Map<CommentKey, String> comments() {
    return Collections.unmodifiableMap(maps.comments);
  }
}

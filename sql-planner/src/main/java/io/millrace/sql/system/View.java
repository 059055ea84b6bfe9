package io.millrace.sql.system;

import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The catalog at one version as one database sees it: relations, indexes and row types by oid and
 * by name. What is computed from it alone is kept in {@link #blocks} and goes with it.
 *
 * @see SystemCatalog#view
 */
final class View {
  private final CatalogSnapshot snapshot;
  private final String database;
  private final String alias;
  private final SystemRels system;
  private final Map<String, Integer> namespaces = new LinkedHashMap<>();
  private final Map<Integer, String> namespaceNames = new HashMap<>();
  private final List<Rel> user = new ArrayList<>();
  private final Map<Integer, Rel> byOid = new HashMap<>();
  private final Map<Integer, Rel.Index> indexByOid = new HashMap<>();
  private final Map<String, List<Rel>> byName = new HashMap<>();
  private final Map<String, List<Rel.Index>> indexByName = new HashMap<>();
  private final Map<Integer, Rel> byType = new HashMap<>();
  private final Map<Integer, Owned> constraints = new HashMap<>();
  private final Map<Integer, UserType> types = new HashMap<>();
  private final Set<Integer> referenced = new HashSet<>();

  /** Materialised parts of relations by part. */
  final Map<Part, Materialised> blocks = new ConcurrentHashMap<>();

  /** A constraint and its table. */
  record Owned(Rel rel, TableInfo.Constraint constraint) {}

  /** The relations that are computed, known to every view. */
  record SystemRels(List<Rel> all, Map<Integer, Rel> byOid, Map<String, List<Rel>> byName) {
    static SystemRels of(List<Rel> rels) {
      var byOid = new HashMap<Integer, Rel>();
      var byName = new HashMap<String, List<Rel>>();
      for (Rel r : rels) {
        byOid.put(r.oid(), r);
        byOid.put(Oids.rowType(r.oid()), r);
        byOid.put(Oids.rowTypeArray(r.oid()), r);
        byName.computeIfAbsent(r.name(), _ -> new ArrayList<>()).add(r);
      }
      return new SystemRels(List.copyOf(rels), byOid, byName);
    }
  }

  View(CatalogSnapshot snapshot, String database, String alias, SystemRels system) {
    this.snapshot = snapshot;
    this.database = database;
    this.alias = alias;
    this.system = system;
    namespaces.put("pg_catalog", Oids.PG_CATALOG);
    namespaces.put("information_schema", Oids.INFORMATION_SCHEMA);
    for (SchemaInfo s : snapshot.schemas(database)) {
      namespaces.put(s.name(), s.oid());
    }
    namespaces.forEach((n, o) -> namespaceNames.put(o, n));
    for (TableInfo t : snapshot.tables(database)) {
      add(Rel.of(t, namespace(t.schema())));
    }
    for (Rel r : user) {
      refer(r);
    }
    for (ViewInfo v : snapshot.views(database)) {
      add(Rel.of(v, namespace(v.schema())));
    }
    for (SequenceInfo s : snapshot.sequences(database)) {
      add(Rel.of(s, namespace(s.schema())));
    }
    for (UserType t : snapshot.types(database)) {
      types.put(t.oid(), t);
      types.put(t.arrayOid(), t);
    }
  }

  private void refer(Rel r) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    for (TableInfo.Constraint c : t.constraints()) {
      c.foreignKey().ifPresent(f -> referenced.add(Sql.reference(this, r, f)));
    }
  }

  private int namespace(String schema) {
    return namespaces.getOrDefault(schema, 0);
  }

  private void add(Rel r) {
    user.add(r);
    byOid.put(r.oid(), r);
    byType.put(Oids.rowType(r.oid()), r);
    byType.put(Oids.rowTypeArray(r.oid()), r);
    byName.computeIfAbsent(r.name(), _ -> new ArrayList<>()).add(r);
    for (Rel.Index x : r.indexes()) {
      byOid.put(x.oid(), r);
      indexByOid.put(x.oid(), x);
      byName.computeIfAbsent(x.name(), _ -> new ArrayList<>()).add(r);
      indexByName.computeIfAbsent(x.name(), _ -> new ArrayList<>()).add(x);
    }
    TableInfo t = r.table();
    if (t != null) {
      for (TableInfo.Constraint c : t.constraints()) {
        constraints.put(c.oid(), new Owned(r, c));
      }
    }
  }

  /** Whether a table has a foreign key or is referred to by one. */
  boolean hasForeignKey(TableInfo t) {
    return t.constraints().stream().anyMatch(x -> x.kind() == 'f') || referenced.contains(t.oid());
  }

  /** The type that a user made, by its oid or that of the array over it. */
  @Nullable UserType userType(int oid) {
    return types.get(oid);
  }

  /** The types that users made. */
  Collection<UserType> userTypes() {
    return snapshot.types(database);
  }

  CatalogSnapshot snapshot() {
    return snapshot;
  }

  /** The database as the catalog names it. */
  String database() {
    return database;
  }

  /** The database as the session names it. */
  String alias() {
    return alias;
  }

  int databaseOid() {
    return snapshot.database(database).map(d -> d.oid()).orElse(0);
  }

  List<Rel> user() {
    return user;
  }

  List<Rel> system() {
    return system.all();
  }

  Map<String, Integer> namespaces() {
    return namespaces;
  }

  @Nullable String namespaceName(int oid) {
    return namespaceNames.get(oid);
  }

  /** The user relation with that oid, or the owner of the index with it. */
  @Nullable Rel userRel(int oid) {
    return byOid.get(oid);
  }

  @Nullable Rel rel(int oid) {
    Rel r = byOid.get(oid);
    return r == null ? system.byOid().get(oid) : r;
  }

  Rel.@Nullable Index index(int oid) {
    return indexByOid.get(oid);
  }

  @Nullable Owned constraint(int oid) {
    return constraints.get(oid);
  }

  /** User relations of that name, and owners of indexes of it. */
  Collection<Rel> userRels(String name) {
    return byName.getOrDefault(name, List.of());
  }

  /** The user relation with that row type or the array over it. */
  @Nullable Rel userRowType(int oid) {
    return byType.get(oid);
  }

  /** A relation with that row type (or array over it), system ones included. */
  @Nullable Rel rowType(int oid) {
    Rel r = byType.get(oid);
    if (r != null) {
      return r;
    }
    Rel s = system.byOid().get(oid);
    return s != null && s.oid() != oid ? s : null;
  }

  /** The oid of a relation or index in a schema; 0 if there is none. */
  int find(String schema, String name) {
    for (Rel r : userRels(name)) {
      if (r.schema().equals(schema) && r.name().equals(name)) {
        return r.oid();
      }
    }
    for (Rel r : system.byName().getOrDefault(name, List.of())) {
      if (r.schema().equals(schema)) {
        return r.oid();
      }
    }
    for (Rel.Index x : indexByName.getOrDefault(name, List.of())) {
      Rel r = byOid.get(x.oid());
      if (r != null && r.schema().equals(schema)) {
        return x.oid();
      }
    }
    return 0;
  }

  /** The name of a relation or index; null if there is none. */
  @Nullable String name(int oid) {
    Rel.Index x = indexByOid.get(oid);
    if (x != null) {
      return x.name();
    }
    Rel r = rel(oid);
    return r == null || r.oid() != oid ? null : r.name();
  }
}

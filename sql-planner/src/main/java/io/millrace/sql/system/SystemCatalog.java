package io.millrace.sql.system;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.OidNames;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.SystemTables;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.semantics.Semantics;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.RegionEngine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The system relations: their definitions for the planner, their rows for scans, and the functions
 * over the catalog. Order at start: {@link #register} into the registry, {@link #describe} with the
 * semantics made of it, {@link #connect} when sessions and flows are there.
 */
public final class SystemCatalog implements SystemRelations, SystemTables {
  private final Map<String, Relation> relations = new LinkedHashMap<>();
  private final View.SystemRels systemRels;
  private final Map<String, View> views = new ConcurrentHashMap<>();
  private final SettingDefinitions settings;
  private final RegionEngine engine;
  private volatile SystemSources sources = SystemSources.NONE;
  private volatile @Nullable BuiltIns builtIns;

  public SystemCatalog(SettingDefinitions settings, RegionEngine engine) {
    this.settings = settings;
    this.engine = engine;
    Map<String, List<Part>> parts = new LinkedHashMap<>();
    PgCatalog.parts(parts);
    PgStatistics.parts(parts);
    InformationSchema.parts(parts);
    OwnRelations.parts(parts);
    var rels = new ArrayList<Rel>();
    var shapes = new ArrayList<>(Resources.shapes());
    shapes.addAll(OwnRelations.shapes());
    for (Resources.Shape s : shapes) {
      SystemRelation d = s.definition();
      String name = d.schema() + "." + d.name();
      relations.put(name, new Relation(d, parts.getOrDefault(name, List.of())));
      parts.remove(name);
      rels.add(s.rel());
    }
    if (!parts.isEmpty()) {
      throw new IllegalStateException("rows for unknown relations: " + parts.keySet());
    }
    systemRels = View.SystemRels.of(rels);
  }

  /** Adds the functions over the catalog and the session. */
  public void register(FunctionRegistry.Builder registry) {
    CatalogFunctions.register(registry, this);
    RegTypes.register(registry, this);
    SessionFunctions.register(registry, this);
    SequenceFunctions.register(registry, this);
  }

  /** Says which functions and operators there are; once, at start. */
  public void describe(Semantics semantics) {
    builtIns = new BuiltIns(semantics);
  }

  /** Says where sessions and flows are seen; once, at start. */
  public void connect(SystemSources newSources) {
    sources = newSources;
  }

  /** Names for the reg types in results, as the session's search path shows them. */
  public OidNames names(CatalogSnapshot snapshot, QueryEngine.SessionInfo session) {
    return (kind, oid) ->
        RegTypes.output(
            new RegTypes.Lookup(view(snapshot, session), builtIns(), session), kind, oid);
  }

  SystemSources sources() {
    return sources;
  }

  SettingDefinitions settings() {
    return settings;
  }

  RegionEngine engine() {
    return engine;
  }

  BuiltIns builtIns() {
    BuiltIns b = builtIns;
    if (b == null) {
      b = new BuiltIns(Semantics.loadAll());
      builtIns = b;
    }
    return b;
  }

  /** The catalog as the session's database sees it; kept until the catalog changes. */
  View view(CatalogSnapshot snapshot, QueryEngine.SessionInfo session) {
    String alias = session.database();
    View v = views.get(alias);
    if (v != null && v.snapshot() == snapshot) {
      return v;
    }
    String database = snapshot.database(alias).map(DatabaseInfo::name).orElse(alias);
    View made = new View(snapshot, database, alias, systemRels);
    if (v == null || v.snapshot().version() <= snapshot.version()) {
      views.put(alias, made);
    }
    return made;
  }

  @Override
  public Optional<SystemRelation> find(String schema, String name) {
    return Optional.ofNullable(relations.get(schema + "." + name)).map(Relation::definition);
  }

  @Override
  public Collection<SystemRelation> all() {
    return relations.values().stream().map(Relation::definition).toList();
  }

  @Override
  public Rows open(
      String schema,
      String relation,
      List<Integer> columns,
      List<Condition> conditions,
      QueryEngine.QueryContext context) {
    Relation r = relations.get(schema + "." + relation);
    if (r == null) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_TABLE, "relation \"" + schema + "." + relation + "\" does not exist");
    }
    var scan =
        new ScanContext(
            view(context.catalog(), context.session()),
            context.session(),
            settings,
            engine,
            sources,
            builtIns());
    int[] places = columns.stream().mapToInt(Integer::intValue).toArray();
    return new Batches(r.scan(scan, conditions), places);
  }

  /** Batches cut into the sizes that scans give. */
  private static final class Batches implements Rows {
    private final List<Batch> batches;
    private final int[] places;
    private int batch;
    private int at;

    Batches(List<Batch> batches, int[] places) {
      this.batches = batches;
      this.places = places;
    }

    @Override
    public @Nullable Batch next() {
      while (batch < batches.size()) {
        Batch b = batches.get(batch);
        if (at < b.rows()) {
          int n = Math.min(Batch.ROWS, b.rows() - at);
          Batch projected = b.project(places);
          Batch out = n == b.rows() ? projected : projected.slice(at, n);
          at += n;
          return out;
        }
        batch++;
        at = 0;
      }
      return null;
    }
  }
}

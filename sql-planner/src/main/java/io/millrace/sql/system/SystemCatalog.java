package io.millrace.sql.system;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.SystemTables;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.RegionEngine;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The system relations: their definitions for the planner, their rows for scans. */
public final class SystemCatalog implements SystemRelations, SystemTables {
  private final Map<String, Relation> relations = new LinkedHashMap<>();
  private final SettingDefinitions settings;
  private final RegionEngine engine;
  private volatile SystemSources sources = SystemSources.NONE;

  public SystemCatalog(SettingDefinitions settings, RegionEngine engine) {
    this.settings = settings;
    this.engine = engine;
    for (Relation r : InformationSchema.relations()) {
      add(r);
    }
  }

  private void add(Relation r) {
    relations.put(r.definition().schema() + "." + r.definition().name(), r);
  }

  /** Says where sessions and flows are seen; once, at start. */
  public void connect(SystemSources newSources) {
    sources = newSources;
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
            context.catalog(),
            context
                .catalog()
                .database(context.session().database())
                .map(DatabaseInfo::name)
                .orElse(context.session().database()),
            context.session(),
            settings,
            engine,
            sources);
    int[] places = columns.stream().mapToInt(Integer::intValue).toArray();
    return new OneBatch(r, scan, places);
  }

  /** A relation's rows, built when asked for. */
  private static final class OneBatch implements Rows {
    private final Relation relation;
    private final ScanContext context;
    private final int[] places;
    private @Nullable Batch all;
    private int at;

    OneBatch(Relation relation, ScanContext context, int[] places) {
      this.relation = relation;
      this.context = context;
      this.places = places;
    }

    @Override
    public @Nullable Batch next() {
      Batch b = all;
      if (b == null) {
        List<SqlType> types =
            relation.definition().columns().stream().map(SystemRelation.Column::type).toList();
        var sink = new RowSink(types);
        relation.filler().fill(context, sink);
        b = sink.build().project(places);
        all = b;
      }
      if (at >= b.rows()) {
        return null;
      }
      int n = Math.min(Batch.ROWS, b.rows() - at);
      Batch out = b.slice(at, n);
      at += n;
      return out;
    }
  }
}

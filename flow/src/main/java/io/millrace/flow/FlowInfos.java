package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.flow.batching.FlowPlan;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import java.util.Map;
import java.util.Optional;

/** Flow definitions with something changed. */
final class FlowInfos {
  private FlowInfos() {}

  /** Bound to sink and sources, with the identity of another one, and a version later than both. */
  static FlowInfo bound(
      FlowInfo f, FlowInfo identity, TableId sink, FlowPlan plan, CatalogSnapshot catalog) {
    return new FlowInfo(
        identity.id(),
        identity.oid(),
        Math.max(identity.version(), f.version()) + 1,
        f.database(),
        f.schema(),
        f.name(),
        f.sinkDatabase(),
        f.sinkSchema(),
        f.sinkTable(),
        Optional.of(sink),
        plan.sources(),
        plan.sources().stream().map(t -> table(catalog, t).name()).toList(),
        f.query(),
        f.rawSql(),
        f.expireAfterMicros(),
        f.evalIntervalMicros(),
        f.comment(),
        f.options(),
        f.sessionSettings(),
        f.createdMicros(),
        f.updatedMicros(),
        plan.sources().stream().map(t -> bound(catalog, t)).toList());
  }

  private static FlowInfo.BoundTable bound(CatalogSnapshot catalog, TableId id) {
    TableInfo t = table(catalog, id);
    return new FlowInfo.BoundTable(
        id,
        t.database(),
        t.schema(),
        t.name(),
        t.columns().stream().map(c -> new FlowInfo.BoundColumn(c.id(), c.name())).toList());
  }

  private static TableInfo table(CatalogSnapshot catalog, TableId id) {
    return catalog
        .table(id)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNDEFINED_TABLE, "a source of the flow was dropped meanwhile"));
  }

  static FlowInfo withOptions(FlowInfo f, Map<String, String> options) {
    return altered(f, f.version(), place(f), f.comment(), options, f.updatedMicros());
  }

  static Place place(FlowInfo f) {
    return new Place(f.database(), f.schema(), f.name());
  }

  /** As ALTER FLOW changes it. */
  static FlowInfo altered(
      FlowInfo f,
      int version,
      Place name,
      Optional<String> comment,
      Map<String, String> options,
      long updatedMicros) {
    return new FlowInfo(
        f.id(),
        f.oid(),
        version,
        name.database(),
        name.schema(),
        name.name(),
        f.sinkDatabase(),
        f.sinkSchema(),
        f.sinkTable(),
        f.sinkId(),
        f.sources(),
        f.sourceNames(),
        f.query(),
        f.rawSql(),
        f.expireAfterMicros(),
        f.evalIntervalMicros(),
        comment,
        options,
        f.sessionSettings(),
        f.createdMicros(),
        updatedMicros,
        f.bound());
  }
}

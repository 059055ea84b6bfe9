package io.millrace.flow;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Source table → flows, per kind of flow, and flow → its kind and sources. Immutable; swapped as a
 * whole.
 *
 * @param streaming flows of a table that want to hear of every commit at once
 * @param batching flows of a table that are evaluated at their distance
 */
record SourceTables(
    Map<TableId, Set<FlowId>> streaming,
    Map<TableId, Set<FlowId>> batching,
    Map<FlowId, Route> routes) {
  static final SourceTables EMPTY = new SourceTables(Map.of(), Map.of(), Map.of());

  /** A flow's way in. */
  record Route(FlowKind kind, List<TableId> sources) {
    Route {
      sources = List.copyOf(sources);
    }
  }

  boolean isEmpty() {
    return routes.isEmpty();
  }

  Set<FlowId> streaming(TableId table) {
    return streaming.getOrDefault(table, Set.of());
  }

  Set<FlowId> batching(TableId table) {
    return batching.getOrDefault(table, Set.of());
  }

  SourceTables with(FlowId flow, Route route) {
    var all = new HashMap<>(routes);
    all.put(flow, route);
    return of(all);
  }

  SourceTables without(FlowId flow) {
    var all = new HashMap<>(routes);
    all.remove(flow);
    return of(all);
  }

  private static SourceTables of(Map<FlowId, Route> routes) {
    return new SourceTables(
        tables(routes, FlowKind.STREAMING), tables(routes, FlowKind.BATCHING), Map.copyOf(routes));
  }

  private static Map<TableId, Set<FlowId>> tables(Map<FlowId, Route> routes, FlowKind kind) {
    var out = new HashMap<TableId, Set<FlowId>>();
    routes.forEach(
        (flow, route) -> {
          if (route.kind() == kind) {
            route.sources().forEach(t -> out.computeIfAbsent(t, x -> new HashSet<>()).add(flow));
          }
        });
    out.replaceAll((t, flows) -> Set.copyOf(flows));
    return Map.copyOf(out);
  }
}

package io.millrace.flow;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Source table → flows. Immutable; swapped as a whole. */
record SourceTables(Map<TableId, Set<FlowId>> flowsOf) {
  static final SourceTables EMPTY = new SourceTables(Map.of());

  Set<FlowId> flows(TableId table) {
    return flowsOf.getOrDefault(table, Set.of());
  }

  SourceTables with(FlowId flow, Iterable<TableId> sources) {
    var out = new HashMap<>(flowsOf);
    for (TableId t : sources) {
      var set = new HashSet<>(out.getOrDefault(t, Set.of()));
      set.add(flow);
      out.put(t, Set.copyOf(set));
    }
    return new SourceTables(Map.copyOf(out));
  }

  SourceTables without(FlowId flow) {
    var out = new HashMap<TableId, Set<FlowId>>();
    flowsOf.forEach(
        (t, f) -> {
          var set = new HashSet<>(f);
          set.remove(flow);
          if (!set.isEmpty()) {
            out.put(t, Set.copyOf(set));
          }
        });
    return new SourceTables(Map.copyOf(out));
  }
}

package io.millrace.sql.system;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.exec.SystemTables.Condition;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A system relation and the parts that its rows come from. A scan takes every part through its
 * access path: fixed and kept rows by hash indexes, rows of user relations by the maps of the
 * {@link View}, so that a condition on an oid or a name touches only what it names.
 */
final class Relation {
  private final SystemRelation definition;
  private final List<SqlType> types;
  private final List<Part> parts;
  private final Map<Part, Materialised> fixed = new ConcurrentHashMap<>();

  /** Puts rows into the sink. */
  @FunctionalInterface
  interface Filler {
    void fill(ScanContext context, RowSink out);
  }

  /** Puts the rows of one relation into the sink. */
  @FunctionalInterface
  interface RelFiller {
    void fill(ScanContext context, Rel rel, RowSink out);
  }

  Relation(SystemRelation definition, List<Part> parts) {
    this.definition = definition;
    this.types = definition.columns().stream().map(SystemRelation.Column::type).toList();
    this.parts = List.copyOf(parts);
  }

  SystemRelation definition() {
    return definition;
  }

  /** The rows that can meet the conditions, in pieces. */
  List<Batch> scan(ScanContext context, List<Condition> conditions) {
    var out = new ArrayList<Batch>();
    for (Part p : parts) {
      Batch b =
          switch (p) {
            case Part.Fixed x ->
                fixed.computeIfAbsent(x, _ -> fill(context, x.filler())).rows(conditions);
            case Part.Kept x ->
                context
                    .view()
                    .blocks
                    .computeIfAbsent(x, _ -> fill(context, x.filler()))
                    .rows(conditions);
            case Part.Fresh x -> fill(context, x.filler()).rows(List.of());
            case Part.PerRelation x -> perRelation(context, x, conditions);
          };
      if (b.rows() > 0) {
        out.add(b);
      }
    }
    return out;
  }

  private Materialised fill(ScanContext context, Filler filler) {
    var sink = new RowSink(types);
    filler.fill(context, sink);
    return new Materialised(sink.build());
  }

  private Batch perRelation(ScanContext context, Part.PerRelation p, List<Condition> conditions) {
    for (Condition c : conditions) {
      Part.Key key = p.paths().get(definition.columns().get(c.column()).name());
      if (key != null && (c.kind() == ScanConjunct.Kind.EQ || c.kind() == ScanConjunct.Kind.IN)) {
        return fill(context, p, found(context.view(), key, c)).rows(List.of());
      }
    }
    if (!p.kept()) {
      return fill(context, p, context.view().user()).rows(List.of());
    }
    View view = context.view();
    return view.blocks.computeIfAbsent(p, _ -> fill(context, p, view.user())).rows(conditions);
  }

  private Materialised fill(ScanContext context, Part.PerRelation p, Iterable<Rel> rels) {
    return fill(context, (c, out) -> rels.forEach(r -> p.filler().fill(c, r, out)));
  }

  private static Set<Rel> found(View view, Part.Key key, Condition c) {
    var out = new LinkedHashSet<Rel>();
    for (int i = 0; i < c.values().length(); i++) {
      Object k = Materialised.key(c.values(), i);
      if (k instanceof Integer oid) {
        add(out, key == Part.Key.TYPE_OID ? view.userRowType(oid) : view.userRel(oid));
      } else if (k instanceof String name) {
        out.addAll(view.userRels(name));
        if (key == Part.Key.TYPE_NAME && name.startsWith("_")) {
          out.addAll(view.userRels(name.substring(1)));
        }
      }
    }
    return out;
  }

  private static void add(Set<Rel> to, @Nullable Rel r) {
    if (r != null) {
      to.add(r);
    }
  }
}

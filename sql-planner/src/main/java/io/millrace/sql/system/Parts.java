package io.millrace.sql.system;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Collects the parts of one schema's relations. */
final class Parts {
  private final Map<String, List<Part>> to;
  private final String schema;

  Parts(Map<String, List<Part>> to, String schema) {
    this.to = to;
    this.schema = schema;
  }

  private Parts add(String relation, Part part) {
    to.computeIfAbsent(schema + "." + relation, _ -> new ArrayList<>()).add(part);
    return this;
  }

  /** Rows that never change. */
  Parts fixed(String relation, Relation.Filler filler) {
    return add(relation, new Part.Fixed(filler));
  }

  /** The rows that come as a resource. */
  Parts resource(String relation) {
    return fixed(relation, (c, out) -> c.builtIns().rows(relation).forEach(out::textRow));
  }

  /** Rows that change with the catalog only. */
  Parts kept(String relation, Relation.Filler filler) {
    return add(relation, new Part.Kept(filler));
  }

  Parts fresh(String relation, Relation.Filler filler) {
    return add(relation, new Part.Fresh(filler));
  }

  /** Rows of user relations that change with the catalog only. */
  Parts relations(String relation, Map<String, Part.Key> paths, Relation.RelFiller filler) {
    return add(relation, new Part.PerRelation(filler, paths, true));
  }

  /** Rows of user relations with figures that always change. */
  Parts figures(String relation, Map<String, Part.Key> paths, Relation.RelFiller filler) {
    return add(relation, new Part.PerRelation(filler, paths, false));
  }

  /** Rows of all relations: those of system relations never change. */
  Parts everything(String relation, Map<String, Part.Key> paths, Relation.RelFiller filler) {
    system(relation, filler);
    return relations(relation, paths, filler);
  }

  /** Rows of system relations. */
  Parts system(String relation, Relation.RelFiller filler) {
    return fixed(relation, (c, out) -> c.view().system().forEach(r -> filler.fill(c, r, out)));
  }
}

package io.millrace.flow.batching;

import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Columns of a plan's output in which no two of its rows agree, where that can be told. */
final class OutputKeys {
  private OutputKeys() {}

  static Optional<List<Integer>> of(PhysicalPlan plan, CatalogSnapshot catalog) {
    return switch (plan) {
      case PhysicalPlan.TableScan s -> scan(s, catalog);
      case PhysicalPlan.Filter f -> of(f.input(), catalog);
      case PhysicalPlan.Sort s -> of(s.input(), catalog);
      case PhysicalPlan.Limit l -> of(l.input(), catalog);
      case PhysicalPlan.Window w -> of(w.input(), catalog);
      case PhysicalPlan.SingleRow s -> Optional.of(List.of());
      case PhysicalPlan.Project p -> of(p.input(), catalog).flatMap(k -> shown(p.exprs(), k));
      case PhysicalPlan.DistinctOn d -> Optional.of(d.keys());
      case PhysicalPlan.Aggregate a -> aggregate(a);
      case PhysicalPlan.GapFill g ->
          Optional.of(IntStream.rangeClosed(0, g.keys().size()).boxed().toList());
      case PhysicalPlan.RangeSelect r ->
          Optional.of(IntStream.rangeClosed(0, r.keys().size()).boxed().toList());
      case PhysicalPlan.SetOp s ->
          s.all()
              ? Optional.empty()
              : Optional.of(IntStream.range(0, s.types().size()).boxed().toList());
      default -> Optional.empty();
    };
  }

  private static Optional<List<Integer>> scan(PhysicalPlan.TableScan s, CatalogSnapshot catalog) {
    Optional<TableInfo> t = catalog.table(s.table()).filter(x -> !x.appendMode());
    if (t.isEmpty()) {
      return Optional.empty();
    }
    var ids = new ArrayList<>(t.get().storage().tagIds());
    ids.add(t.get().storage().timeIndexId());
    List<Integer> places = ids.stream().map(s.columnIds()::indexOf).toList();
    return places.contains(-1) ? Optional.empty() : Optional.of(places);
  }

  private static Optional<List<Integer>> shown(List<Expr> exprs, List<Integer> key) {
    var out = new ArrayList<Integer>();
    for (int k : key) {
      int at = 0;
      while (at < exprs.size() && !(exprs.get(at) instanceof Expr.Column c && c.index() == k)) {
        at++;
      }
      if (at == exprs.size()) {
        return Optional.empty();
      }
      out.add(at);
    }
    return Optional.of(out);
  }

  private static Optional<List<Integer>> aggregate(PhysicalPlan.Aggregate a) {
    boolean plain =
        a.groupingSets().isEmpty()
            || (a.groupingSets().size() == 1
                && a.groupingSets().getFirst().size() == a.keys().size());
    return plain
        ? Optional.of(IntStream.range(0, a.keys().size()).boxed().toList())
        : Optional.empty();
  }
}

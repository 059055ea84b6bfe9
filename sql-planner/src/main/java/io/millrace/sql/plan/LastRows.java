package io.millrace.sql.plan;

import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds plans that only look at the newest row of each series, for which storage has a way of its
 * own. A series is a combination of the tags. Rows may be grouped by some of them: the newest row
 * of such a group is the newest of one of its series, so what groups them stays, over few rows. No
 * condition may be on anything but tags (one on time or a field would ask for the newest of some
 * rows).
 */
final class LastRows {
  private LastRows() {}

  /** GROUP BY tags where every call takes the value of the newest row. */
  static PhysicalPlan aggregate(PhysicalPlan.Aggregate a, Map<TableId, TableInfo> tables) {
    if (a.calls().isEmpty() || a.groupingSets().size() != 1) {
      return a;
    }
    Source source = source(a.input(), tables);
    if (source == null || !source.groupsSeries(a.keys())) {
      return a;
    }
    for (PhysicalPlan.AggregateCall c : a.calls()) {
      if (!takesNewest(c, source)) {
        return a;
      }
    }
    return new PhysicalPlan.Aggregate(
        source.lastRows(a.input()), a.keys(), a.groupingSets(), a.calls(), a.ordered());
  }

  private static boolean takesNewest(PhysicalPlan.AggregateCall c, Source source) {
    if (c.distinct() || c.filter() != null) {
      return false;
    }
    String name = c.function().signature();
    int open = name.indexOf('(');
    String base = open < 0 ? name : name.substring(0, open);
    if (base.equals("max") && c.orderBy().isEmpty() && c.args().size() == 1) {
      return source.isTime(c.args().get(0));
    }
    boolean last = base.equals("last_value") || base.equals("last");
    if (c.args().size() == 2) {
      return last && c.orderBy().isEmpty() && source.isTime(c.args().get(1));
    }
    if (c.orderBy().size() != 1 || !source.isTime(c.orderBy().get(0).expr())) {
      return false;
    }
    boolean descending = c.orderBy().get(0).descending();
    boolean first = base.equals("first_value") || base.equals("first");
    return descending ? first : last;
  }

  /** DISTINCT ON (tags) … ORDER BY tags, time DESC. */
  static PhysicalPlan distinctOn(PhysicalPlan.DistinctOn d, Map<TableId, TableInfo> tables) {
    if (!(d.input() instanceof PhysicalPlan.Sort s)) {
      return d;
    }
    Source source = source(s.input(), tables);
    if (source == null
        || !source.groupsSeries(d.keys())
        || s.keys().size() != d.keys().size() + 1) {
      return d;
    }
    var sorted = new HashSet<Integer>();
    for (PhysicalPlan.SortKey k : s.keys().subList(0, d.keys().size())) {
      if (!(k.expr() instanceof Expr.Column c)) {
        return d;
      }
      sorted.add(c.index());
    }
    PhysicalPlan.SortKey last = s.keys().get(s.keys().size() - 1);
    if (!sorted.equals(Set.copyOf(d.keys())) || !last.descending() || !source.isTime(last.expr())) {
      return d;
    }
    var sort = new PhysicalPlan.Sort(source.lastRows(s.input()), s.keys());
    return source.areSeries(d.keys()) ? sort : new PhysicalPlan.DistinctOn(sort, d.keys());
  }

  /**
   * A scan, perhaps below a projection.
   *
   * @param projected what the columns above the scan are; null without projection
   */
  private record Source(
      PhysicalPlan.TableScan scan, TableInfo table, @Nullable List<Expr> projected) {
    private int columnId(Expr e) {
      Expr own = e;
      if (projected != null) {
        own = e instanceof Expr.Column c ? projected.get(c.index()) : e;
      }
      return own instanceof Expr.Column c ? scan.columnIds().get(c.index()) : Integer.MIN_VALUE;
    }

    boolean isTime(Expr e) {
      return columnId(e) == table.storage().timeIndexId();
    }

    private Set<Integer> ids(List<Integer> columns) {
      var ids = new HashSet<Integer>();
      for (int c : columns) {
        ids.add(columnId(new Expr.Column(c, SqlType.TEXT)));
      }
      return ids;
    }

    /** Whether each group of those columns is made of whole series. */
    boolean groupsSeries(List<Integer> columns) {
      Set<Integer> ids = ids(columns);
      return !ids.isEmpty() && table.storage().tagIds().containsAll(ids);
    }

    /** Whether each group of those columns is one series, which one region has. */
    boolean areSeries(List<Integer> columns) {
      List<Integer> tags = table.storage().tagIds();
      PartitionRule rule = table.partitions();
      return ids(columns).containsAll(tags) && (rule == null || tags.containsAll(rule.columnIds()));
    }

    PhysicalPlan lastRows(PhysicalPlan over) {
      var last =
          new PhysicalPlan.TableScan(
              scan.table(),
              scan.tableVersion(),
              scan.name(),
              scan.columnIds(),
              scan.types(),
              scan.conjuncts(),
              scan.order(),
              scan.limit(),
              true);
      return over instanceof PhysicalPlan.Project p
          ? new PhysicalPlan.Project(last, p.exprs())
          : last;
    }
  }

  private static @Nullable Source source(PhysicalPlan plan, Map<TableId, TableInfo> tables) {
    List<Expr> projected = null;
    PhysicalPlan at = plan;
    if (at instanceof PhysicalPlan.Project p) {
      projected = p.exprs();
      at = p.input();
    }
    if (!(at instanceof PhysicalPlan.TableScan scan) || scan.limit() != null) {
      return null;
    }
    TableInfo table = tables.get(scan.table());
    if (table == null || table.appendMode()) {
      return null;
    }
    var tags = new ArrayList<>(table.storage().tagIds());
    for (PhysicalPlan.ScanConjunct c : scan.conjuncts()) {
      if (!tags.contains(c.columnId())) {
        return null;
      }
    }
    return new Source(scan, table, projected);
  }
}

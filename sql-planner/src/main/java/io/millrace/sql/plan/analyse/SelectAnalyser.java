package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.analyse.Scope.Found;
import io.millrace.sql.plan.analyse.Scope.Link;
import io.millrace.sql.plan.rel.DistinctOn;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTable;
import io.millrace.sql.plan.rel.MillWindow;
import io.millrace.sql.plan.rel.ProjectSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * One SELECT. All expressions are first typed over the row of FROM, with aggregates, window
 * functions and set-returning calls collected beside; then the stages are stacked (filter,
 * aggregation, having, windows, sets, projection, distinct, sort, limit) and the expressions
 * carried from each row to the next.
 */
final class SelectAnalyser {
  private static final Clause BY = new Clause("BY", false, false, false, false);

  private final QueryAnalyser queries;
  private final Session session;
  private final Rexes rexes;
  private final PgSelect select;
  private final @Nullable RowLocks locks;
  private final Collector collector;

  /** An item of the select list. */
  private static final class Target {
    final String name;
    final Ex ex;
    final SqlNode node;
    final @Nullable Field origin;
    RexNode rex;

    Target(String name, Ex ex, SqlNode node, @Nullable Field origin, RexNode rex) {
      this.name = name;
      this.ex = ex;
      this.node = node;
      this.origin = origin;
      this.rex = rex;
    }
  }

  /** A sort key: a target, or an expression beside the targets. */
  private static final class Sort {
    int target;
    final @Nullable SqlNode item;
    final int position;

    Sort(int target, @Nullable SqlNode item, int position) {
      this.target = target;
      this.item = item;
      this.position = position;
    }
  }

  private final List<Target> targets = new ArrayList<>();
  private final List<Target> hidden = new ArrayList<>();

  /**
   * Places of key columns in the row of FROM, which a query with locks gives behind its outputs.
   */
  private final List<Integer> lockKeys = new ArrayList<>();

  private @Nullable RexNode having;
  private @Nullable RexNode where;
  private RelNode rel;
  private Scope scope;
  private ExpressionAnalyser expressions;

  /**
   * @param locks what its locking clauses say, if it has any
   */
  SelectAnalyser(
      QueryAnalyser queries,
      PgSelect select,
      @Nullable Link outer,
      Ctes ctes,
      @Nullable RowLocks locks) {
    this.locks = locks;
    this.queries = queries;
    this.session = queries.session;
    this.rexes = session.rexes;
    this.select = select;
    this.collector =
        new Collector(select.align() instanceof SqlCall align ? new RangeClause(align) : null);
    Relation from =
        select.getFrom() == null
            ? new Relation(LogicalValues.createOneRow(session.cluster), List.of(), List.of())
            : new FromAnalyser(queries, ctes, outer, select.align() != null, locks)
                .from(select.getFrom());
    this.rel = from.rel();
    this.scope =
        new Scope(from.entries(), from.columns(), from.rel().getRowType(), outer, rexes.builder());
    this.expressions =
        new ExpressionAnalyser(
            session,
            queries,
            scope,
            ctes,
            Clause.SELECT,
            collector,
            new Windows(select.getWindowList()));
  }

  Output analyse(
      SqlNodeList order, @Nullable SqlNode offset, @Nullable SqlNode fetch, boolean resolve) {
    refuse();
    SqlNode whereNode = select.getWhere();
    RexNode condition =
        whereNode == null ? null : expressions.in(Clause.WHERE).condition(whereNode);
    where = condition;
    for (SqlNode n : select.getSelectList()) {
      target(n, resolve);
    }
    var sorts = new ArrayList<Sort>();
    for (SqlNode n : order) {
      sorts.add(sort(Sorting.expression(n), n, "ORDER BY"));
    }
    var on = new ArrayList<Sort>();
    SqlNodeList distinctOn = select.distinctOn();
    if (distinctOn != null) {
      for (SqlNode n : distinctOn) {
        on.add(sort(n, null, "DISTINCT ON"));
      }
    }
    RangeStage range = range();
    Grouping grouping = grouping();
    SqlNode havingNode = having();
    if (havingNode != null) {
      boolean plainKeys =
          grouping == null || grouping.keys.stream().noneMatch(k -> k instanceof RexCall);
      Clause clause = plainKeys ? Clause.HAVING : new Clause("HAVING", false, true, false, false);
      SqlNode named = havingNode.accept(new OutputAliases(select.getSelectList(), scope));
      having = expressions.in(clause).condition(named == null ? havingNode : named);
    }
    if (condition != null) {
      rel = Rels.filter(rel, condition, scope.given());
    }
    if (range != null) {
      RangeStage.Built built =
          range.build(
              rel,
              expressions,
              i -> new RexInputRef(i, placeholder(i)),
              i -> ungrouped(i, "BY clause"));
      reduced(built.to(), built.rel());
    } else if (grouping != null || having != null || !collector.aggregates.isEmpty()) {
      Grouping g = grouping == null ? new Grouping() : grouping;
      aggregate(g);
      gaps(g);
    } else {
      gaps(new Grouping());
    }
    windows();
    sets();
    return finish(sorts, on, offset, fetch);
  }

  /**
   * The same for a query with locks: a step, whose rows it gives. Rows are cut by OFFSET and LIMIT
   * when they are locked.
   */
  Output analyseLocked(
      SqlNodeList order, @Nullable SqlNode offset, @Nullable SqlNode fetch, int position) {
    RowLocks l = java.util.Objects.requireNonNull(locks);
    l.joins(select.getFrom());
    l.check(scope.entries().stream().map(Entry::alias).toList());
    var tables = new ArrayList<Analysed.Locked>();
    int behind = 0;
    for (Entry e : scope.entries()) {
      TableInfo table = e.table();
      RowLocks.Lock lock = l.of(e.alias());
      if (lock == null || table == null) {
        continue;
      }
      l.requireLockable(e.alias());
      List<Integer> ids = MillTable.of(table, session.types, true).columnIds();
      int base = ((RexInputRef) e.fields().get(0).rex()).getIndex();
      tables.add(new Analysed.Locked(table, table.name(), behind, lock.shared(), lock.onLocked()));
      for (int id : DmlPlan.keyColumnIds(table)) {
        lockKeys.add(base + ids.indexOf(id));
        behind++;
      }
    }
    if (tables.isEmpty()) {
      return analyse(order, offset, fetch, true);
    }
    refuseLocks(l);
    Output out = analyse(order, null, null, true);
    refuseLocks(l);
    int width = out.columns().size();
    var body =
        new Analysed.Locking(
            session.steps.complete(out.rel(), position),
            Analyser.outputs(out),
            tables.stream().map(t -> t.behind(width)).toList(),
            queries.offset(offset, expressions),
            queries.fetch(fetch, expressions));
    return session.steps.add(body, out.columns());
  }

  /** What makes of rows something else has no rows to lock. */
  private void refuseLocks(RowLocks l) {
    String what =
        select.isDistinct() || select.distinctOn() != null
            ? "DISTINCT clause"
            : select.getGroup() != null
                ? "GROUP BY clause"
                : select.getHaving() != null
                    ? "HAVING clause"
                    : !collector.aggregates.isEmpty() || collector.range != null
                        ? "aggregate functions"
                        : !collector.windows.isEmpty()
                            ? "window functions"
                            : !collector.sets.isEmpty()
                                ? "set-returning functions in the target list"
                                : null;
    if (what != null) {
      throw Problems.unsupported(0, l.name() + " is not allowed with " + what);
    }
  }

  private void refuse() {
    if (select.align() != null && select.getGroup() != null) {
      throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(select.getGroup()),
              "GROUP BY is not allowed in a query with ALIGN")
          .withHint("Name the groups behind ALIGN: ALIGN '5s' BY (host).");
    }
    if (select.getFrom() == null) {
      for (SqlNode n : select.getSelectList()) {
        if (n instanceof SqlIdentifier id && id.isStar() && id.names.size() == 1) {
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(n),
              "SELECT * with no tables specified is not valid");
        }
      }
    }
  }

  // ---- select list ----

  private void target(SqlNode item, boolean resolve) {
    SqlNode node = item;
    String name = null;
    if (node.getKind() == SqlKind.AS) {
      name = ((SqlIdentifier) ((SqlCall) node).operand(1)).getSimple();
      node = ((SqlCall) node).operand(0);
    }
    if (node instanceof SqlIdentifier id && id.isStar()) {
      int position = ExpressionAnalyser.position(id);
      List<Field> fields =
          id.names.size() == 1
              ? scope.columns()
              : expressions.entry(id.names.subList(0, id.names.size() - 1), position).fields();
      for (Field f : fields) {
        add(f.name(), new Ex.Value(f.rex(), f.type(), position), node, f, resolve);
      }
      return;
    }
    if (node.getKind() == SqlKind.DOT
        && ((SqlCall) node).operand(1) instanceof SqlIdentifier star
        && star.isStar()) {
      expand(((SqlCall) node).operand(0), resolve);
      return;
    }
    Ex ex = expressions.analyse(node);
    Field origin = null;
    if (node instanceof SqlIdentifier id && !id.isStar()) {
      Found found = expressions.resolve(id);
      origin = found == null ? null : found.field();
    }
    add(name == null ? OutputNames.of(node) : name, ex, node, origin, resolve);
  }

  /** (record).* */
  private void expand(SqlNode record, boolean resolve) {
    Ex.Value v = rexes.value(expressions.analyse(record));
    if (v.type().kind() != TypeKind.RECORD) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          ExpressionAnalyser.position(record),
          "type " + Problems.name(v.type()) + " is not composite");
    }
    for (int i = 0; i < v.type().fields().size(); i++) {
      SqlType.Field f = v.type().fields().get(i);
      add(
          f.name(),
          new Ex.Value(
              rexes.call(f.type(), MillOperators.field(i), v.rex()), f.type(), v.position()),
          record,
          null,
          resolve);
    }
  }

  private void add(String name, Ex ex, SqlNode node, @Nullable Field origin, boolean resolve) {
    Ex use = ex;
    RexNode rex;
    if (ex.isUnknown() && !resolve) {
      rex = rexes.nullOf(SqlType.TEXT);
    } else {
      Ex.Value v = rexes.value(ex);
      use = v;
      rex = v.rex();
    }
    targets.add(new Target(name, use, node, origin, rex));
  }

  // ---- ORDER BY, DISTINCT ON, GROUP BY by name or place ----

  private Sort sort(SqlNode e, @Nullable SqlNode item, String clause) {
    int position = ExpressionAnalyser.position(e);
    int at = byNameOrPlace(e, clause, true);
    if (at >= 0) {
      return new Sort(at, item, position);
    }
    Ex.Value v = rexes.value(expressions.in(Clause.ORDER_BY).analyse(e));
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).rex.equals(v.rex())) {
        return new Sort(i, item, position);
      }
    }
    for (int i = 0; i < hidden.size(); i++) {
      if (hidden.get(i).rex.equals(v.rex())) {
        return new Sort(targets.size() + i, item, position);
      }
    }
    hidden.add(new Target(clause, v, e, null, v.rex()));
    return new Sort(targets.size() + hidden.size() - 1, item, position);
  }

  /** The target that an ordinal or an output name means; -1 if it is an expression. */
  private int byNameOrPlace(SqlNode e, String clause, boolean outputFirst) {
    int position = ExpressionAnalyser.position(e);
    if (e instanceof SqlLiteral l && !(l.getValue() instanceof Boolean)) {
      if (!(e instanceof SqlNumericLiteral n) || !n.isInteger()) {
        if (l.getValue() == null) {
          return -1;
        }
        throw Problems.error(ErrorCode.SYNTAX_ERROR, position, "non-integer constant in " + clause);
      }
      long ordinal = n.longValue(true);
      if (ordinal < 1 || ordinal > targets.size()) {
        throw Problems.error(
            ErrorCode.INVALID_COLUMN_REFERENCE,
            position,
            clause + " position " + ordinal + " is not in select list");
      }
      return (int) ordinal - 1;
    }
    if (!(e instanceof SqlIdentifier id) || !id.isSimple()) {
      return -1;
    }
    if (!outputFirst && ownColumn(id)) {
      return -1;
    }
    int found = -1;
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).name.equals(id.getSimple())) {
        if (found >= 0 && !targets.get(found).rex.equals(targets.get(i).rex)) {
          throw Problems.error(
              ErrorCode.AMBIGUOUS_COLUMN,
              position,
              clause + " \"" + id.getSimple() + "\" is ambiguous");
        }
        found = found < 0 ? i : found;
      }
    }
    return found;
  }

  private boolean ownColumn(SqlIdentifier id) {
    return scope.columns().stream().anyMatch(f -> f.name().equals(id.getSimple()));
  }

  // ---- GROUP BY ----

  /** Distinct keys over the row of FROM, and the sets of them. */
  private static final class Grouping {
    final List<RexNode> keys = new ArrayList<>();
    List<List<Integer>> sets = new ArrayList<>(List.of(List.of()));

    int key(RexNode rex) {
      int at = keys.indexOf(rex);
      if (at < 0) {
        keys.add(rex);
        at = keys.size() - 1;
      }
      return at;
    }

    /** GROUP BY a, b: every set of one with every set of the other. */
    void cross(List<List<Integer>> others) {
      var out = new ArrayList<List<Integer>>();
      for (List<Integer> a : sets) {
        for (List<Integer> b : others) {
          var both = new ArrayList<>(a);
          for (int k : b) {
            if (!both.contains(k)) {
              both.add(k);
            }
          }
          out.add(both);
        }
      }
      sets = out;
    }
  }

  private @Nullable Grouping grouping() {
    SqlNodeList group = select.getGroup();
    if (group == null) {
      return null;
    }
    var g = new Grouping();
    List<? extends @Nullable SqlNode> elements = group.getList();
    if (group.size() == 1 && group.get(0).getKind() == SqlKind.GROUP_BY_DISTINCT) {
      elements = ((SqlCall) group.get(0)).getOperandList();
    }
    for (SqlNode n : elements) {
      g.cross(setsOf(java.util.Objects.requireNonNull(n), g));
    }
    return g;
  }

  private List<List<Integer>> setsOf(SqlNode n, Grouping g) {
    switch (n.getKind()) {
      case ROLLUP -> {
        var parts = parts((SqlCall) n, g);
        var out = new ArrayList<List<Integer>>();
        for (int i = parts.size(); i >= 0; i--) {
          var set = new ArrayList<Integer>();
          parts.subList(0, i).forEach(set::addAll);
          out.add(set);
        }
        return out;
      }
      case CUBE -> {
        var parts = parts((SqlCall) n, g);
        if (parts.size() > 12) {
          throw Problems.error(
              ErrorCode.STATEMENT_TOO_COMPLEX,
              ExpressionAnalyser.position(n),
              "CUBE is limited to 12 elements");
        }
        var out = new ArrayList<List<Integer>>();
        for (int bits = (1 << parts.size()) - 1; bits >= 0; bits--) {
          var set = new ArrayList<Integer>();
          for (int i = 0; i < parts.size(); i++) {
            if ((bits >> (parts.size() - 1 - i) & 1) != 0) {
              set.addAll(parts.get(i));
            }
          }
          out.add(set);
        }
        return out;
      }
      case GROUPING_SETS -> {
        var out = new ArrayList<List<Integer>>();
        for (SqlNode e : ((SqlCall) n).getOperandList()) {
          out.addAll(setsOf(e, g));
        }
        return out;
      }
      default -> {
        return List.of(keysOf(n, g));
      }
    }
  }

  private List<List<Integer>> parts(SqlCall c, Grouping g) {
    var out = new ArrayList<List<Integer>>();
    for (SqlNode n : c.getOperandList()) {
      out.add(keysOf(n, g));
    }
    return out;
  }

  /** One expression, or several in parentheses. */
  private List<Integer> keysOf(SqlNode n, Grouping g) {
    var out = new ArrayList<Integer>();
    if (n instanceof SqlNodeList list) {
      list.forEach(e -> out.addAll(keysOf(e, g)));
      return out;
    }
    if (n.getKind() == SqlKind.ROW
        && !session.text.regionMatches(
            true, Math.max(0, ExpressionAnalyser.position(n) - 1), "row", 0, 3)) {
      ((SqlCall) n).getOperandList().forEach(e -> out.addAll(keysOf(e, g)));
      return out;
    }
    int at = byNameOrPlace(n, "GROUP BY", false);
    RexNode rex;
    if (at >= 0) {
      rex = targets.get(at).rex;
      for (int ref : RowRewriter.references(rex)) {
        if (ref >= Collector.WINDOWS && ref < Collector.SETS) {
          throw Problems.error(
              ErrorCode.WINDOWING_ERROR,
              ExpressionAnalyser.position(targets.get(at).node),
              "window functions are not allowed in GROUP BY");
        }
        if (ref >= Collector.AGGREGATES && ref < Collector.WINDOWS) {
          throw Problems.error(
              ErrorCode.GROUPING_ERROR,
              ExpressionAnalyser.position(targets.get(at).node),
              "aggregate functions are not allowed in GROUP BY");
        }
      }
    } else {
      rex = rexes.rex(expressions.in(Clause.GROUP_BY).analyse(n));
    }
    out.add(g.key(rex));
    return out;
  }

  // ---- stages ----

  /** Every expression that is still needed above, carried over to a new row. */
  private void carry(RowRewriter to) {
    for (Target t : targets) {
      t.rex = t.rex.accept(to);
    }
    for (Target t : hidden) {
      t.rex = t.rex.accept(to);
    }
    if (having != null) {
      having = having.accept(to);
    }
    collector.windows.replaceAll(
        w ->
            new Collector.Window(
                w.function(),
                w.type(),
                to.apply(w.args()),
                w.filter() == null ? null : w.filter().accept(to),
                to.apply(w.partition()),
                keys(w.order(), to),
                w.frame()));
    collector.sets.replaceAll(
        s -> new Collector.SetCall(s.call().accept(to), s.level(), s.position()));
    collector.fills.replaceAll(f -> new Collector.Filled(f.arg().accept(to), f.fill(), f.type()));
  }

  private static List<Collector.Key> keys(List<Collector.Key> keys, RowRewriter to) {
    return keys.stream()
        .map(k -> new Collector.Key(k.rex().accept(to), k.descending(), k.nullsFirst()))
        .toList();
  }

  private void aggregate(Grouping g) {
    dependent(g);
    var lower = new ArrayList<RexNode>(g.keys);
    int keys = g.keys.size();
    var calls = new AggregateCalls(rexes, lower, keys);
    for (Collector.Aggregate a : collector.aggregates) {
      calls.prepare(a, g.sets.size() == 1);
    }
    RelNode input =
        lower.isEmpty()
            ? rel
            : Rels.project(
                rel, lower, java.util.Collections.nCopies(lower.size(), "$g"), scope.given());
    ImmutableBitSet all = ImmutableBitSet.range(keys);
    var sets = new ArrayList<ImmutableBitSet>();
    for (List<Integer> s : g.sets) {
      ImmutableBitSet set = ImmutableBitSet.of(s);
      if (!sets.contains(set)) {
        sets.add(set);
      }
    }
    if (sets.size() == 1) {
      sets.set(0, all);
    }
    RelNode aggregate =
        LogicalAggregate.create(
            input,
            ImmutableList.of(),
            all,
            ImmutableList.copyOf(ImmutableBitSet.ORDERING.sortedCopy(sets)),
            calls.build());
    var to =
        new RowRewriter(
            rexes.builder(),
            scope.given(),
            aggregate.getRowType(),
            i -> grouped(i, g, aggregate, calls)) {
          @Override
          @Nullable RexNode whole(RexNode node) {
            int at = g.keys.indexOf(node);
            return at < 0 ? null : Rels.ref(aggregate, at);
          }
        };
    reduced(to, aggregate);
  }

  /** Goes on over the groups, those that HAVING keeps. */
  private void reduced(RowRewriter to, RelNode groups) {
    carry(to);
    rel = groups;
    if (having != null) {
      rel = Rels.filter(rel, having, scope.given());
    }
  }

  // ---- gap filling ----

  private void gaps(Grouping g) {
    Collector.Gap gap = collector.gap;
    int bucket = gap == null ? -1 : g.keys.indexOf(gap.bucket());
    if (gap == null && collector.fills.isEmpty()) {
      return;
    }
    if (gap == null || bucket < 0) {
      throw Problems.error(
          ErrorCode.GROUPING_ERROR,
          0,
          gap == null
              ? "locf and interpolate need time_bucket_gapfill in GROUP BY"
              : "time_bucket_gapfill must be in GROUP BY");
    }
    if (g.sets.size() > 1) {
      throw Problems.unsupported(0, "time_bucket_gapfill with grouping sets is not supported");
    }
    GapStage.Built built =
        new GapStage(rexes, scope, collector, gap)
            .build(rel, g.keys.size(), bucket, where, i -> new RexInputRef(i, placeholder(i)));
    carry(built.to());
    rel = built.rel();
  }

  // ---- ALIGN ----

  /** HAVING, which may also stand behind ALIGN. */
  private @Nullable SqlNode having() {
    RangeClause clause = collector.range;
    SqlNode behind = clause == null ? null : clause.having();
    if (behind != null && select.getHaving() != null) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          ExpressionAnalyser.position(behind),
          "multiple HAVING clauses specified");
    }
    return behind == null ? select.getHaving() : behind;
  }

  private @Nullable RangeStage range() {
    RangeClause clause = collector.range;
    if (clause == null) {
      return null;
    }
    var stage = new RangeStage(rexes, scope, rel, collector);
    SqlNodeList by = clause.by();
    if (by == null) {
      stage.byPrimaryKey();
    } else {
      by.forEach(n -> stage.by(byKey(n)));
    }
    return stage;
  }

  /** An expression over FROM, or the name of an output column; numbers are no places here. */
  private RexNode byKey(SqlNode n) {
    if (n instanceof SqlIdentifier id && id.isSimple() && !ownColumn(id)) {
      int at = byNameOrPlace(n, "BY", false);
      if (at >= 0) {
        return groupable(targets.get(at));
      }
    }
    Ex.Value v = rexes.value(expressions.in(BY).analyse(n));
    comparable(v.type(), n);
    return v.rex();
  }

  /** The expression of a target that groups: without aggregates and window functions. */
  private RexNode groupable(Target t) {
    for (int ref : RowRewriter.references(t.rex)) {
      if (ref >= Collector.AGGREGATES) {
        throw Problems.error(
            ErrorCode.GROUPING_ERROR,
            ExpressionAnalyser.position(t.node),
            "aggregate and window functions are not allowed in BY");
      }
    }
    comparable(t.ex.type(), t.node);
    return t.rex;
  }

  private RexNode grouped(int i, Grouping g, RelNode aggregate, AggregateCalls calls) {
    if (i >= Collector.FILLS) {
      return new RexInputRef(i, placeholder(i));
    }
    if (i >= Collector.AGGREGATES) {
      return calls.result(i - Collector.AGGREGATES, aggregate);
    }
    int at = key(g, i);
    if (at < 0) {
      throw ungrouped(i, "GROUP BY clause");
    }
    return Rels.ref(aggregate, at);
  }

  private RelDataType placeholder(int i) {
    if (i < Collector.WINDOWS) {
      return rexes.relType(collector.fills.get(i - Collector.FILLS).type());
    }
    return i >= Collector.SETS
        ? collector.sets.get(i - Collector.SETS).call().getType()
        : rexes.relType(collector.windows.get(i - Collector.WINDOWS).type());
  }

  private static int key(Grouping g, int column) {
    for (int k = 0; k < g.keys.size(); k++) {
      if (g.keys.get(k) instanceof RexInputRef ref && ref.getIndex() == column) {
        return k;
      }
    }
    return -1;
  }

  /** Columns that depend on a grouped primary key become keys as well. */
  private void dependent(Grouping g) {
    if (g.sets.size() != 1 || g.keys.isEmpty()) {
      return;
    }
    for (Entry e : scope.entries()) {
      if (e.table() == null || !keyGrouped(e, g)) {
        continue;
      }
      for (Field f : e.fields()) {
        if (f.rex() instanceof RexInputRef ref
            && key(g, ref.getIndex()) < 0
            && used(ref.getIndex())) {
          g.keys.add(ref);
          g.sets.set(0, withLast(g.sets.get(0), g.keys.size() - 1));
        }
      }
    }
  }

  private static List<Integer> withLast(List<Integer> set, int key) {
    var out = new ArrayList<>(set);
    out.add(key);
    return out;
  }

  private boolean used(int column) {
    boolean[] found = new boolean[1];
    var to =
        new RowRewriter(
            rexes.builder(),
            scope.given(),
            rel.getRowType(),
            i -> {
              found[0] |= i == column;
              return new RexInputRef(
                  i,
                  i < Collector.AGGREGATES
                      ? rel.getRowType().getFieldList().get(i).getType()
                      : rexes.relType(SqlType.TEXT));
            });
    for (Target t : targets) {
      t.rex.accept(to);
    }
    for (Target t : hidden) {
      t.rex.accept(to);
    }
    if (having != null) {
      having.accept(to);
    }
    for (Collector.Window w : collector.windows) {
      to.apply(w.args());
      to.apply(w.partition());
      keys(w.order(), to);
    }
    for (Collector.SetCall s : collector.sets) {
      s.call().accept(to);
    }
    for (Collector.Filled f : collector.fills) {
      f.arg().accept(to);
    }
    return found[0];
  }

  /** Whether the columns that make rows of the table unique are all keys. */
  private static boolean keyGrouped(Entry e, Grouping g) {
    var table = java.util.Objects.requireNonNull(e.table());
    for (var constraint : table.constraints()) {
      if (constraint.kind() == 'p' && !constraint.columnIds().isEmpty()) {
        var ids = new ArrayList<>(constraint.columnIds());
        table.timeIndex().ifPresent(c -> ids.add(c.id()));
        boolean all = !table.appendMode();
        for (int id : ids) {
          boolean grouped = false;
          for (int i = 0; i < e.fields().size(); i++) {
            if (table.columns().get(i).id() == id
                && e.fields().get(i).rex() instanceof RexInputRef ref) {
              grouped = key(g, ref.getIndex()) >= 0;
            }
          }
          all &= grouped;
        }
        if (all) {
          return true;
        }
      }
    }
    return false;
  }

  private io.millrace.common.error.MillraceException ungrouped(int column, String clause) {
    String name = "?";
    for (Entry e : scope.entries()) {
      for (Field f : e.fields()) {
        if (f.rex() instanceof RexInputRef ref && ref.getIndex() == column) {
          name = e.alias() + "." + f.name();
        }
      }
    }
    int[] position = new int[1];
    boolean[] inner = new boolean[1];
    var finder = new UngroupedFinder(expressions, session.resolver, column, position, inner);
    for (SqlNode n : select.getSelectList()) {
      n.accept(finder);
    }
    for (Target t : hidden) {
      t.node.accept(finder);
    }
    SqlNode havingNode = having();
    if (havingNode != null) {
      havingNode.accept(finder);
    }
    if (inner[0]) {
      return Problems.error(
          ErrorCode.GROUPING_ERROR,
          position[0],
          "subquery uses ungrouped column \"" + name + "\" from outer query");
    }
    return Problems.error(
        ErrorCode.GROUPING_ERROR,
        position[0],
        "column \""
            + name
            + "\" must appear in the "
            + clause
            + " or be used in an aggregate function");
  }

  // ---- windows ----

  private record Partitioning(List<RexNode> partition, List<Collector.Key> order) {}

  private void windows() {
    if (collector.windows.isEmpty()) {
      return;
    }
    var extras = new ArrayList<RexNode>();
    int width = rel.getRowType().getFieldCount();
    for (Collector.Window w : collector.windows) {
      for (RexNode k : w.partition()) {
        place(k, extras, width);
      }
      for (Collector.Key k : w.order()) {
        place(k.rex(), extras, width);
      }
    }
    RelNode input = Rels.append(rel, extras, scope.given());
    Map<Partitioning, List<Integer>> groups = new LinkedHashMap<>();
    for (int i = 0; i < collector.windows.size(); i++) {
      Collector.Window w = collector.windows.get(i);
      groups
          .computeIfAbsent(new Partitioning(w.partition(), w.order()), k -> new ArrayList<>())
          .add(i);
    }
    RelNode top = input;
    Map<Integer, Integer> columns = new HashMap<>();
    for (var group : groups.entrySet()) {
      var partition = new ArrayList<Integer>();
      for (RexNode k : group.getKey().partition()) {
        partition.add(place(k, extras, width));
      }
      var order = new ArrayList<RelFieldCollation>();
      for (Collector.Key k : group.getKey().order()) {
        order.add(Sorting.collation(place(k.rex(), extras, width), k.descending(), k.nullsFirst()));
      }
      var calls = new ArrayList<MillWindow.Call>();
      var row = session.types.builder();
      row.addAll(top.getRowType().getFieldList());
      for (int i : group.getValue()) {
        Collector.Window w = collector.windows.get(i);
        columns.put(i, top.getRowType().getFieldCount() + calls.size());
        RelDataType type = rexes.relType(w.type());
        row.add("$w" + i, type);
        Collector.Frame f = w.frame();
        calls.add(
            new MillWindow.Call(
                w.function(),
                type,
                w.args(),
                w.filter(),
                f.mode(),
                f.start(),
                f.startOffset(),
                f.end(),
                f.endOffset(),
                f.exclude()));
      }
      top = new MillWindow(top, partition, order, calls, row.build());
    }
    RelNode last = top;
    carry(
        new RowRewriter(
            rexes.builder(),
            scope.given(),
            last.getRowType(),
            i ->
                i >= Collector.SETS
                    ? new RexInputRef(i, placeholder(i))
                    : Rels.ref(
                        last,
                        i >= Collector.WINDOWS
                            ? java.util.Objects.requireNonNull(columns.get(i - Collector.WINDOWS))
                            : i)));
    rel = last;
  }

  private static int place(RexNode key, List<RexNode> extras, int width) {
    if (key instanceof RexInputRef ref && ref.getIndex() < width) {
      return ref.getIndex();
    }
    int at = extras.indexOf(key);
    if (at < 0) {
      extras.add(key);
      at = extras.size() - 1;
    }
    return width + at;
  }

  // ---- set-returning calls ----

  private void sets() {
    Map<Integer, Integer> columns = new HashMap<>();
    int done = 0;
    for (int level = 0; done < collector.sets.size(); level++) {
      var items = new ArrayList<RexNode>(Rels.identity(rel));
      var row = session.types.builder();
      row.addAll(rel.getRowType().getFieldList());
      for (int i = 0; i < collector.sets.size(); i++) {
        Collector.SetCall s = collector.sets.get(i);
        if (s.level() == level) {
          columns.put(i, items.size());
          items.add(s.call());
          row.add("$s" + i, s.call().getType());
          done++;
        }
      }
      RelNode next = new ProjectSet(rel, items, row.build());
      carry(
          new RowRewriter(
              rexes.builder(),
              scope.given(),
              next.getRowType(),
              i -> {
                if (i < Collector.SETS) {
                  return Rels.ref(next, i);
                }
                Integer at = columns.get(i - Collector.SETS);
                return at == null ? new RexInputRef(i, placeholder(i)) : Rels.ref(next, at);
              }));
      rel = next;
    }
  }

  // ---- projection, distinct, sort, limit ----

  private Output finish(
      List<Sort> sorts, List<Sort> on, @Nullable SqlNode offset, @Nullable SqlNode fetch) {
    var exprs = new ArrayList<RexNode>();
    var names = new ArrayList<String>();
    var columns = new ArrayList<Output.Column>();
    for (Target t : targets) {
      exprs.add(t.rex);
      names.add(t.name);
      Field origin = t.origin;
      columns.add(
          new Output.Column(
              t.name,
              t.ex.isUnknown() ? SqlType.TEXT : t.ex.type(),
              t.ex.isUnknown() ? t.ex : null,
              origin == null ? 0 : origin.tableOid(),
              origin == null ? 0 : origin.attnum()));
    }
    for (Target t : hidden) {
      exprs.add(t.rex);
      names.add("$sort");
    }
    int keysAt = exprs.size();
    if (!lockKeys.isEmpty() && collector.isEmpty()) {
      for (int at : lockKeys) {
        exprs.add(Rels.ref(rel, at));
        names.add("$key");
      }
    }
    rel = Rels.project(rel, exprs, names, scope.given());
    boolean distinct = select.distinctOn() == null && select.isDistinct();
    if (distinct) {
      for (Sort s : sorts) {
        if (s.target >= targets.size()) {
          throw Problems.error(
              ErrorCode.INVALID_COLUMN_REFERENCE,
              s.position,
              "for SELECT DISTINCT, ORDER BY expressions must appear in select list");
        }
      }
      for (Target t : targets) {
        comparable(t.ex.type(), t.node);
      }
      ImmutableBitSet all = ImmutableBitSet.range(targets.size());
      rel = LogicalAggregate.create(rel, ImmutableList.of(), all, ImmutableList.of(all), List.of());
    }
    var keys = new ArrayList<RelFieldCollation>();
    for (Sort s : sorts) {
      sortable(
          s.target < targets.size() ? targets.get(s.target) : hidden.get(s.target - targets.size()),
          s);
      if (keys.stream().noneMatch(k -> k.getFieldIndex() == s.target)) {
        SqlNode item = java.util.Objects.requireNonNull(s.item);
        keys.add(Sorting.collation(s.target, Sorting.descending(item), Sorting.nullsFirst(item)));
      }
    }
    if (select.distinctOn() != null) {
      distinctOn(on, keys);
      if (!(fetch instanceof SqlCall c) || c.getOperator() != PgSyntax.WITH_TIES) {
        keys.clear();
      }
    }
    rel = queries.limit(rel, keys, offset, fetch, expressions);
    if (!hidden.isEmpty()) {
      var shown = new ArrayList<RexNode>(Rels.identity(rel).subList(0, targets.size()));
      var shownNames = new ArrayList<>(names.subList(0, targets.size()));
      for (int i = keysAt; i < rel.getRowType().getFieldCount(); i++) {
        shown.add(Rels.ref(rel, i));
        shownNames.add("$key");
      }
      rel = Rels.project(rel, shown, shownNames, scope.given());
    }
    return new Output(rel, columns);
  }

  private static void comparable(SqlType type, SqlNode node) {
    if (type.kind() == TypeKind.JSON) {
      throw Problems.error(
          ErrorCode.UNDEFINED_FUNCTION,
          ExpressionAnalyser.position(node),
          "could not identify an equality operator for type json");
    }
  }

  private static void sortable(Target t, Sort s) {
    if (t.ex.type().kind() == TypeKind.JSON) {
      throw Problems.error(
              ErrorCode.UNDEFINED_FUNCTION,
              s.position,
              "could not identify an ordering operator for type json")
          .withHint("Use an explicit ordering operator or modify the query.");
    }
  }

  private void distinctOn(List<Sort> on, List<RelFieldCollation> keys) {
    var wanted = new ArrayList<Integer>();
    for (Sort s : on) {
      if (!wanted.contains(s.target)) {
        wanted.add(s.target);
      }
    }
    for (int i = 0; i < Math.min(wanted.size(), keys.size()); i++) {
      if (!wanted.contains(keys.get(i).getFieldIndex())) {
        throw Problems.error(
            ErrorCode.INVALID_COLUMN_REFERENCE,
            on.get(0).position,
            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
      }
    }
    for (int w : wanted) {
      if (keys.stream().noneMatch(k -> k.getFieldIndex() == w)) {
        keys.add(Math.min(keys.size(), wanted.size()), Sorting.collation(w, false, false));
      }
    }
    rel =
        new DistinctOn(
            LogicalSort.create(rel, org.apache.calcite.rel.RelCollations.of(keys), null, null),
            wanted);
  }
}

package io.millrace.sql.plan;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.DistinctOn;
import io.millrace.sql.plan.rel.GapFill;
import io.millrace.sql.plan.rel.MillAggFunction;
import io.millrace.sql.plan.rel.MillScan;
import io.millrace.sql.plan.rel.MillTable;
import io.millrace.sql.plan.rel.MillTypeFactory;
import io.millrace.sql.plan.rel.MillWindow;
import io.millrace.sql.plan.rel.ProjectSet;
import io.millrace.sql.plan.rel.RangeSelect;
import io.millrace.sql.plan.rel.Recurse;
import io.millrace.sql.plan.rel.Shared;
import io.millrace.sql.plan.rel.SharedScan;
import io.millrace.sql.plan.rel.SortWithTies;
import io.millrace.sql.plan.rel.StepRows;
import io.millrace.sql.plan.rel.SystemTable;
import io.millrace.sql.plan.rel.TableFunction;
import io.millrace.sql.plan.rel.WorkTable;
import io.millrace.sql.rule.OneRow;
import io.millrace.sql.rule.Rels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * From the optimised tree to the plan. Every node is asked only for the columns that are needed
 * above it; it answers with a plan and the places of those columns, so unused columns vanish down
 * to the scans, and projections that only rename or drop cost nothing. Conditions that a scan can
 * evaluate become its conjuncts.
 */
final class PhysicalPlanner {
  /**
   * @param places where each column of the node is in the plan's row; -1 for those not asked for
   */
  private record Part(PhysicalPlan plan, int[] places) {}

  /** GROUPING(…), which execution tells from the set. */
  private static final FunctionId GROUPING = new FunctionId("grouping(any)");

  private static final FunctionId INT8_PLUS = new FunctionId("int8pl(int8,int8)");

  private final ExprTranslator exprs;
  private final Map<TableId, Integer> tables = new HashMap<>();
  private final Map<TableId, TableInfo> scanned = new HashMap<>();

  private final int[] stepAt;

  /**
   * @param stepAt where the rows of each earlier step begin among the parameters
   */
  PhysicalPlanner(ExprTranslator exprs, int[] stepAt) {
    this.exprs = exprs;
    this.stepAt = stepAt;
  }

  /** The tables read, with their versions. */
  Map<TableId, Integer> tables() {
    return tables;
  }

  /** The same as they are in the catalogue. */
  Map<TableId, TableInfo> scanned() {
    return scanned;
  }

  /** A plan that gives exactly the node's columns. */
  PhysicalPlan plan(RelNode rel) {
    return exact(rel);
  }

  private PhysicalPlan exact(RelNode rel) {
    Part part = part(rel, all(rel));
    int width = Rels.width(rel);
    boolean same = part.plan().types().size() == width;
    for (int i = 0; i < width && same; i++) {
      same = part.places()[i] == i;
    }
    if (same) {
      return part.plan();
    }
    List<SqlType> types = types(rel);
    var out = new ArrayList<Expr>(width);
    for (int i = 0; i < width; i++) {
      out.add(new Expr.Column(part.places()[i], types.get(i)));
    }
    return projected(part.plan(), out);
  }

  private static ImmutableBitSet all(RelNode rel) {
    return ImmutableBitSet.range(Rels.width(rel));
  }

  static List<SqlType> types(RelNode rel) {
    var out = new ArrayList<SqlType>(Rels.width(rel));
    for (RelDataTypeField f : rel.getRowType().getFieldList()) {
      out.add(MillTypeFactory.sqlType(f.getType()));
    }
    return out;
  }

  private static int[] identity(int n) {
    int[] out = new int[n];
    for (int i = 0; i < n; i++) {
      out[i] = i;
    }
    return out;
  }

  private static int[] nowhere(int n) {
    int[] out = new int[n];
    Arrays.fill(out, -1);
    return out;
  }

  private Part part(RelNode rel, ImmutableBitSet needed) {
    return switch (rel) {
      case MillScan s -> scan(s, List.of(), needed);
      case Filter f -> filter(f, needed);
      case Project p -> project(p, needed);
      case Aggregate a -> aggregate(a, needed);
      case Join j -> join(j, needed);
      case LogicalCorrelate c -> correlate(c, needed);
      case Sort s -> sort(s, needed);
      case OneRow o -> {
        Part in = part(o.getInput(), atLeastOne(needed, o.getInput()));
        yield new Part(new PhysicalPlan.SingleRow(in.plan()), in.places());
      }
      case DistinctOn d -> distinctOn(d, needed);
      case MillWindow w -> window(w, needed);
      case ProjectSet s -> projectSet(s, needed);
      case RangeSelect r -> range(r);
      case GapFill g -> gaps(g);
      case TableFunction t -> {
        var calls = exprs.translate(t.calls(), new int[0]);
        yield whole(
            new PhysicalPlan.TableFunction(null, calls, t.ordinality(), false, types(t)), t);
      }
      case ConstantRows c -> constantRows(c, needed);
      case Values v -> values(v);
      case Union u -> union(u, needed);
      case Intersect i -> setOp(i, true, i.all);
      case Minus m -> setOp(m, false, m.all);
      case Recurse r ->
          whole(
              new PhysicalPlan.Recurse(
                  r.workTable(), exact(r.getLeft()), exact(r.getRight()), r.distinct()),
              r);
      case WorkTable w -> whole(new PhysicalPlan.WorkTable(w.workTable(), types(w)), w);
      case Shared s -> {
        PhysicalPlan definition = exact(s.getLeft());
        Part in = part(s.getRight(), needed);
        yield new Part(new PhysicalPlan.Shared(s.shareId(), definition, in.plan()), in.places());
      }
      case StepRows s -> whole(new PhysicalPlan.ParamRows(types(s), stepAt[s.step()]), s);
      case SharedScan s -> whole(new PhysicalPlan.SharedScan(s.shareId(), types(s)), s);
      default -> throw new IllegalStateException("no plan for " + rel);
    };
  }

  private static Part whole(PhysicalPlan plan, RelNode rel) {
    return new Part(plan, identity(Rels.width(rel)));
  }

  private static ImmutableBitSet atLeastOne(ImmutableBitSet needed, RelNode rel) {
    return needed.isEmpty() && Rels.width(rel) > 0 ? ImmutableBitSet.of(0) : needed;
  }

  // ---- scans and filters ----

  private Part filter(Filter f, ImmutableBitSet needed) {
    List<RexNode> conjuncts = Rels.conjunctions(f.getCondition());
    if (f.getInput() instanceof MillScan s) {
      return scan(s, conjuncts, needed);
    }
    if (f.getInput() instanceof Join j && j.getJoinType() == JoinRelType.LEFT_MARK) {
      Part marked = markFilter(j, conjuncts, needed);
      if (marked != null) {
        return marked;
      }
    }
    Part in = part(f.getInput(), needed.union(Rels.refs(conjuncts)));
    return new Part(filtered(in.plan(), exprs.translate(conjuncts, in.places())), in.places());
  }

  /** A filter on the mark alone needs no mark: semi join, or anti join that minds NULL. */
  private @Nullable Part markFilter(Join j, List<RexNode> conjuncts, ImmutableBitSet needed) {
    int mark = Rels.width(j) - 1;
    if (needed.get(mark)) {
      return null;
    }
    var rest = new ArrayList<RexNode>();
    JoinType type = null;
    for (RexNode c : conjuncts) {
      if (!Rels.refs(c).get(mark)) {
        rest.add(c);
      } else if (type == null && c instanceof RexInputRef) {
        type = JoinType.SEMI;
      } else if (type == null
          && c instanceof RexCall call
          && call.getKind() == SqlKind.NOT
          && call.getOperands().get(0) instanceof RexInputRef) {
        type = JoinType.NULL_AWARE_ANTI;
      } else {
        return null;
      }
    }
    if (type == null) {
      return null;
    }
    Part joined = join(j, type, needed.union(Rels.refs(rest)));
    return new Part(
        filtered(joined.plan(), exprs.translate(rest, joined.places())), joined.places());
  }

  private static PhysicalPlan filtered(PhysicalPlan plan, List<Expr> conjuncts) {
    var rest = new ArrayList<Expr>();
    for (Expr c : conjuncts) {
      Boolean truth = Folder.truth(c);
      if (Boolean.FALSE.equals(truth) || Folder.isNull(c)) {
        return new PhysicalPlan.Values(plan.types(), List.of());
      }
      if (truth == null) {
        rest.addAll(Exprs.conjuncts(c));
      }
    }
    return rest.isEmpty() ? plan : new PhysicalPlan.Filter(plan, Exprs.and(rest));
  }

  private Part scan(MillScan scan, List<RexNode> conjuncts, ImmutableBitSet needed) {
    if (scan.getTable() instanceof SystemTable t) {
      return systemScan(scan, t, conjuncts, needed);
    }
    MillTable table = (MillTable) scan.getTable();
    tables.put(table.info().id(), table.info().version());
    scanned.put(table.info().id(), table.info());
    int width = Rels.width(scan);
    int[] own = identity(width);
    var pushed = new ArrayList<PhysicalPlan.ScanConjunct>();
    var rest = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      Expr e = exprs.translate(c, own);
      if (Boolean.FALSE.equals(Folder.truth(e)) || Folder.isNull(e)) {
        return new Part(new PhysicalPlan.Values(types(scan), List.of()), own);
      }
      if (Boolean.TRUE.equals(Folder.truth(e))) {
        continue;
      }
      for (Expr part : Exprs.conjuncts(e)) {
        if (!ScanConjuncts.push(part, table.columnIds(), pushed)) {
          ScanConjuncts.hint(part, table.columnIds(), pushed);
          rest.add(c);
          break;
        }
      }
    }
    ImmutableBitSet read = needed.union(Rels.refs(rest));
    if (read.isEmpty()) {
      int time = table.columnIds().indexOf(table.info().storage().timeIndexId());
      read = ImmutableBitSet.of(Math.max(0, time));
    }
    int[] places = nowhere(width);
    var ids = new ArrayList<Integer>();
    var types = new ArrayList<SqlType>();
    for (int c : read) {
      places[c] = ids.size();
      ids.add(table.columnIds().get(c));
      types.add(table.columnTypes().get(c));
    }
    PhysicalPlan plan =
        new PhysicalPlan.TableScan(
            table.info().id(),
            table.info().version(),
            table.info().name(),
            List.copyOf(ids),
            List.copyOf(types),
            ScanConjuncts.distinct(pushed),
            PhysicalPlan.ScanOrder.ANY,
            null,
            false);
    return new Part(filtered(plan, exprs.translate(rest, places)), places);
  }

  private Part systemScan(
      MillScan scan, SystemTable table, List<RexNode> conjuncts, ImmutableBitSet needed) {
    int width = Rels.width(scan);
    int[] own = identity(width);
    var hints = new ArrayList<PhysicalPlan.ScanConjunct>();
    var places = new ArrayList<Integer>();
    for (int i = 0; i < width; i++) {
      places.add(i);
    }
    for (RexNode c : conjuncts) {
      for (Expr part : Exprs.conjuncts(exprs.translate(c, own))) {
        ScanConjuncts.push(part, places, hints);
      }
    }
    ImmutableBitSet read = atLeastOne(needed.union(Rels.refs(conjuncts)), scan);
    int[] at = nowhere(width);
    var columns = new ArrayList<Integer>();
    var types = new ArrayList<SqlType>();
    for (int c : read) {
      at[c] = columns.size();
      columns.add(c);
      types.add(table.relation().columns().get(c).type());
    }
    PhysicalPlan plan =
        new PhysicalPlan.SystemScan(
            table.relation().schema(),
            table.relation().name(),
            List.copyOf(columns),
            List.copyOf(types),
            ScanConjuncts.distinct(hints));
    return new Part(filtered(plan, exprs.translate(conjuncts, at)), at);
  }

  // ---- projections ----

  private Part project(Project p, ImmutableBitSet needed) {
    List<RexNode> projects = p.getProjects();
    var wanted = new ArrayList<RexNode>();
    boolean plain = true;
    for (int i : needed) {
      wanted.add(projects.get(i));
      plain &= projects.get(i) instanceof RexInputRef;
    }
    int[] places = nowhere(projects.size());
    if (isOneEmptyRow(p.getInput())) {
      var row = new ArrayList<Expr>();
      var types = new ArrayList<SqlType>();
      for (int i : atLeastOne(needed, p)) {
        places[i] = row.size();
        Expr e = exprs.translate(projects.get(i), new int[Rels.width(p.getInput())]);
        row.add(e);
        types.add(e.type());
      }
      return new Part(
          new PhysicalPlan.Values(List.copyOf(types), List.of(List.copyOf(row))), places);
    }
    Part in = part(p.getInput(), atLeastOne(Rels.refs(wanted), p.getInput()));
    if (plain) {
      for (int i : needed) {
        places[i] = in.places()[((RexInputRef) projects.get(i)).getIndex()];
      }
      return new Part(in.plan(), places);
    }
    var out = new ArrayList<Expr>();
    for (int i : needed) {
      Expr e = exprs.translate(projects.get(i), in.places());
      int at = Exprs.isVolatile(e) ? -1 : out.indexOf(e);
      if (at < 0) {
        at = out.size();
        out.add(e);
      }
      places[i] = at;
    }
    return new Part(projected(in.plan(), out), places);
  }

  private static boolean isOneEmptyRow(RelNode rel) {
    return (rel instanceof ConstantRows c && c.rows().size() == 1 && Rels.width(c) == 0)
        || (rel instanceof Values v && v.getTuples().size() == 1);
  }

  private static PhysicalPlan projected(PhysicalPlan input, List<Expr> out) {
    if (input instanceof PhysicalPlan.Values v && v.rows().isEmpty()) {
      return new PhysicalPlan.Values(out.stream().map(Expr::type).toList(), List.of());
    }
    if (input instanceof PhysicalPlan.Project below && reorders(below, out)) {
      var merged = new ArrayList<Expr>(out.size());
      for (Expr e : out) {
        merged.add(below.exprs().get(((Expr.Column) e).index()));
      }
      return new PhysicalPlan.Project(below.input(), List.copyOf(merged));
    }
    return new PhysicalPlan.Project(input, List.copyOf(out));
  }

  /** Whether the columns are only those of the projection below, no work of it wanted twice. */
  private static boolean reorders(PhysicalPlan.Project below, List<Expr> out) {
    boolean[] seen = new boolean[below.exprs().size()];
    for (Expr e : out) {
      if (!(e instanceof Expr.Column c)) {
        return false;
      }
      Expr made = below.exprs().get(c.index());
      boolean trivial = made instanceof Expr.Column || made instanceof Expr.Literal;
      if (!trivial && seen[c.index()]) {
        return false;
      }
      seen[c.index()] = true;
    }
    return true;
  }

  private Part projectSet(ProjectSet s, ImmutableBitSet needed) {
    var wanted = new ArrayList<RexNode>();
    var indexes = new ArrayList<Integer>();
    for (int i = 0; i < s.items().size(); i++) {
      if (needed.get(i) || s.returnsSet(i)) {
        wanted.add(s.items().get(i));
        indexes.add(i);
      }
    }
    Part in = part(s.getInput(), atLeastOne(Rels.refs(wanted), s.getInput()));
    int[] places = nowhere(s.items().size());
    var items = new ArrayList<PhysicalPlan.ProjectSet.SetItem>();
    for (int i : indexes) {
      places[i] = items.size();
      items.add(
          new PhysicalPlan.ProjectSet.SetItem(
              exprs.translate(s.items().get(i), in.places()), s.returnsSet(i)));
    }
    return new Part(new PhysicalPlan.ProjectSet(in.plan(), List.copyOf(items)), places);
  }

  // ---- grouping ----

  private Part aggregate(Aggregate a, ImmutableBitSet needed) {
    int groups = a.getGroupCount();
    var calls = new ArrayList<Integer>();
    ImmutableBitSet input = a.getGroupSet();
    for (int i = 0; i < a.getAggCallList().size(); i++) {
      if (needed.get(groups + i)) {
        calls.add(i);
        input = input.union(reads(a.getAggCallList().get(i)));
      }
    }
    if (groups == 0 && calls.isEmpty() && !a.getAggCallList().isEmpty()) {
      calls.add(0);
      input = input.union(reads(a.getAggCallList().get(0)));
    }
    Part in = part(a.getInput(), atLeastOne(input, a.getInput()));
    int[] places = nowhere(Rels.width(a));
    var keys = new ArrayList<Integer>();
    var keyOf = new HashMap<Integer, Integer>();
    int at = 0;
    for (int column : a.getGroupSet()) {
      places[at++] = keys.size();
      keyOf.put(column, keys.size());
      keys.add(in.places()[column]);
    }
    var sets = new ArrayList<List<Integer>>();
    for (ImmutableBitSet set : a.getGroupSets()) {
      var places2 = new ArrayList<Integer>();
      for (int column : set) {
        places2.add(keyOf.get(column));
      }
      sets.add(List.copyOf(places2));
    }
    var out = new ArrayList<PhysicalPlan.AggregateCall>();
    for (int i : calls) {
      places[groups + i] = keys.size() + out.size();
      out.add(call(a.getAggCallList().get(i), in.places(), in.plan()));
    }
    var plan =
        new PhysicalPlan.Aggregate(
            in.plan(), List.copyOf(keys), List.copyOf(sets), List.copyOf(out), false);
    return new Part(LastRows.aggregate(plan, scanned), places);
  }

  /** All items are computed, since each may add align points. */
  private Part range(RangeSelect r) {
    Part in = part(r.getInput(), all(r.getInput()));
    var keys = new ArrayList<Integer>();
    for (int k = 0; k < r.keys(); k++) {
      keys.add(in.places()[k]);
    }
    List<SqlType> types = types(r);
    var items = new ArrayList<PhysicalPlan.RangeItem>();
    for (RangeSelect.Item i : r.items()) {
      items.add(
          new PhysicalPlan.RangeItem(
              call(i.call(), in.places(), in.plan()),
              exprs.translate(i.span(), in.places()),
              i.fill(),
              maybe(i.value(), in.places()),
              types.get(r.keys() + 1 + items.size())));
    }
    return whole(
        new PhysicalPlan.RangeSelect(
            in.plan(),
            List.copyOf(keys),
            in.places()[r.keys()],
            List.copyOf(items),
            exprs.translate(r.grid().align(), in.places()),
            maybe(r.grid().origin(), in.places())),
        r);
  }

  private Part gaps(GapFill g) {
    Part in = part(g.getInput(), all(g.getInput()));
    var keys = new ArrayList<Integer>();
    for (int k = 0; k < g.keys(); k++) {
      keys.add(in.places()[k]);
    }
    List<SqlType> types = types(g);
    var columns = new ArrayList<PhysicalPlan.GapColumn>();
    for (int c = 0; c < g.fills().size(); c++) {
      int at = g.keys() + 1 + c;
      columns.add(new PhysicalPlan.GapColumn(in.places()[at], g.fills().get(c), types.get(at)));
    }
    var bounds = new ArrayList<PhysicalPlan.GapBound>();
    for (GapFill.Bound b : g.grid().bounds()) {
      bounds.add(new PhysicalPlan.GapBound(b.kind(), exprs.translate(b.value(), in.places())));
    }
    return whole(
        new PhysicalPlan.GapFill(
            in.plan(),
            List.copyOf(keys),
            in.places()[g.keys()],
            List.copyOf(columns),
            exprs.translate(g.grid().width(), in.places()),
            exprs.translate(g.grid().origin(), in.places()),
            List.copyOf(bounds)),
        g);
  }

  private static ImmutableBitSet reads(AggregateCall c) {
    var out = ImmutableBitSet.builder().addAll(c.getArgList());
    if (c.filterArg >= 0) {
      out.set(c.filterArg);
    }
    for (RelFieldCollation f : c.getCollation().getFieldCollations()) {
      out.set(f.getFieldIndex());
    }
    return out.build();
  }

  private static PhysicalPlan.AggregateCall call(
      AggregateCall c, int[] places, PhysicalPlan input) {
    List<SqlType> types = input.types();
    MillAggFunction f = (MillAggFunction) c.getAggregation();
    var args = new ArrayList<Expr>();
    for (int arg : c.getArgList()) {
      args.add(new Expr.Column(places[arg], types.get(places[arg])));
    }
    var order = new ArrayList<PhysicalPlan.SortKey>();
    for (RelFieldCollation k : c.getCollation().getFieldCollations()) {
      order.add(key(k, places, types));
    }
    Expr filter =
        c.filterArg < 0
            ? null
            : new Expr.Column(places[c.filterArg], types.get(places[c.filterArg]));
    int direct = f.directArgs();
    return new PhysicalPlan.AggregateCall(
        f.id().signature().equals("grouping") ? GROUPING : f.id(),
        MillTypeFactory.sqlType(c.getType()),
        List.copyOf(args.subList(direct, args.size())),
        c.isDistinct(),
        filter,
        List.copyOf(order),
        fixed(args.subList(0, direct), input));
  }

  /** Direct arguments are the same for all rows: what the projection below makes them of. */
  private static List<Expr> fixed(List<Expr> columns, PhysicalPlan input) {
    var out = new ArrayList<Expr>(columns.size());
    for (Expr e : columns) {
      Expr made =
          input instanceof PhysicalPlan.Project p && e instanceof Expr.Column c
              ? p.exprs().get(c.index())
              : e;
      if (Exprs.readsInput(made)) {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "direct arguments of an ordered-set aggregate must not depend on rows");
      }
      out.add(made);
    }
    return List.copyOf(out);
  }

  private static PhysicalPlan.SortKey key(RelFieldCollation k, int[] places, List<SqlType> types) {
    int at = places[k.getFieldIndex()];
    boolean descending = k.getDirection().isDescending();
    boolean nullsFirst =
        switch (k.nullDirection) {
          case FIRST -> true;
          case LAST -> false;
          case UNSPECIFIED -> descending;
        };
    return new PhysicalPlan.SortKey(new Expr.Column(at, types.get(at)), descending, nullsFirst);
  }

  // ---- joins ----

  private Part join(Join j, ImmutableBitSet needed) {
    JoinType type =
        switch (j.getJoinType()) {
          case INNER -> JoinType.INNER;
          case LEFT -> JoinType.LEFT;
          case RIGHT -> JoinType.RIGHT;
          case FULL -> JoinType.FULL;
          case SEMI -> JoinType.SEMI;
          case ANTI -> JoinType.ANTI;
          case LEFT_MARK -> JoinType.LEFT_MARK;
          case ASOF, LEFT_ASOF -> throw new IllegalStateException("join " + j.getJoinType());
        };
    return join(j, type, needed);
  }

  private Part join(Join j, JoinType type, ImmutableBitSet needed) {
    int leftWidth = Rels.width(j.getLeft());
    int total = leftWidth + Rels.width(j.getRight());
    List<RexNode> conjuncts = Rels.conjunctions(j.getCondition());
    boolean right =
        switch (type) {
          case INNER, LEFT, RIGHT, FULL -> true;
          case SEMI, ANTI, NULL_AWARE_ANTI, LEFT_MARK -> false;
        };
    ImmutableBitSet condition = Rels.refs(conjuncts);
    ImmutableBitSet read =
        (right ? needed : needed.intersect(ImmutableBitSet.range(leftWidth))).union(condition);
    Part l =
        part(
            j.getLeft(), atLeastOne(read.intersect(ImmutableBitSet.range(leftWidth)), j.getLeft()));
    Part r =
        part(
            j.getRight(),
            atLeastOne(
                read.intersect(ImmutableBitSet.range(leftWidth, total)).shift(-leftWidth),
                j.getRight()));
    int leftSize = l.plan().types().size();
    int[] both = new int[total];
    for (int i = 0; i < total; i++) {
      int at = i < leftWidth ? l.places()[i] : r.places()[i - leftWidth];
      both[i] = at < 0 ? -1 : i < leftWidth ? at : at + leftSize;
    }
    var leftKeys = new ArrayList<Expr>();
    var rightKeys = new ArrayList<Expr>();
    var nullSafe = new ArrayList<Boolean>();
    var residual = new ArrayList<Expr>();
    for (RexNode c : conjuncts) {
      if (!keys(c, leftWidth, both, leftSize, leftKeys, rightKeys, nullSafe)) {
        Expr e = exprs.translate(c, both);
        if (!Boolean.TRUE.equals(Folder.truth(e))) {
          residual.add(e);
        }
      }
    }
    PhysicalPlan plan =
        new PhysicalPlan.Join(
            type,
            l.plan(),
            r.plan(),
            List.copyOf(leftKeys),
            List.copyOf(rightKeys),
            List.copyOf(nullSafe),
            residual.isEmpty() ? null : Exprs.and(residual));
    int[] places = right ? both : Arrays.copyOf(both, Rels.width(j));
    if (type == JoinType.LEFT_MARK) {
      places[leftWidth] = leftSize;
    } else if (!right && j.getJoinType() == JoinRelType.LEFT_MARK) {
      places[leftWidth] = -1;
    }
    return new Part(plan, places);
  }

  private boolean keys(
      RexNode c,
      int leftWidth,
      int[] both,
      int leftSize,
      List<Expr> leftKeys,
      List<Expr> rightKeys,
      List<Boolean> nullSafe) {
    if (!(c instanceof RexCall call)
        || (call.getKind() != SqlKind.EQUALS && call.getKind() != SqlKind.IS_NOT_DISTINCT_FROM)
        || !Rels.isStable(c)) {
      return false;
    }
    RexNode a = call.getOperands().get(0);
    RexNode b = call.getOperands().get(1);
    ImmutableBitSet refsA = Rels.refs(a);
    ImmutableBitSet refsB = Rels.refs(b);
    if (!(refsA.length() <= leftWidth && !refsB.isEmpty() && refsB.nextSetBit(0) >= leftWidth)) {
      RexNode swap = a;
      a = b;
      b = swap;
      ImmutableBitSet refs = refsA;
      refsA = refsB;
      refsB = refs;
    }
    if (!(refsA.length() <= leftWidth && !refsB.isEmpty() && refsB.nextSetBit(0) >= leftWidth)) {
      return false;
    }
    leftKeys.add(exprs.translate(a, both));
    rightKeys.add(Exprs.shift(exprs.translate(b, both), -leftSize));
    nullSafe.add(call.getKind() == SqlKind.IS_NOT_DISTINCT_FROM);
    return true;
  }

  private Part correlate(LogicalCorrelate c, ImmutableBitSet needed) {
    int leftWidth = Rels.width(c.getLeft());
    ImmutableBitSet fields = Rels.fieldsUsed(c.getRight(), c.getCorrelationId());
    ImmutableBitSet left = needed.intersect(ImmutableBitSet.range(leftWidth)).union(fields);
    Part l = part(c.getLeft(), atLeastOne(left, c.getLeft()));
    int leftSize = l.plan().types().size();
    if (c.getRight() instanceof TableFunction t
        && (c.getJoinType() == JoinRelType.INNER || c.getJoinType() == JoinRelType.LEFT)) {
      var calls = new ArrayList<Expr>();
      for (RexNode call : t.calls()) {
        calls.add(
            exprs.translate(
                Rels.bind(call, c.getCorrelationId(), c.getLeft().getRowType().getFieldList()),
                l.places()));
      }
      var types = new ArrayList<>(l.plan().types());
      types.addAll(types(t));
      int[] places = Arrays.copyOf(l.places(), Rels.width(c));
      for (int i = leftWidth; i < places.length; i++) {
        places[i] = leftSize + i - leftWidth;
      }
      return new Part(
          new PhysicalPlan.TableFunction(
              l.plan(),
              List.copyOf(calls),
              t.ordinality(),
              c.getJoinType() == JoinRelType.LEFT,
              List.copyOf(types)),
          places);
    }
    int first = exprs.bind(c.getCorrelationId(), fields.asList());
    JoinType type =
        switch (c.getJoinType()) {
          case INNER -> JoinType.INNER;
          case LEFT -> JoinType.LEFT;
          case SEMI -> JoinType.SEMI;
          case ANTI -> JoinType.ANTI;
          case LEFT_MARK -> JoinType.LEFT_MARK;
          case RIGHT, FULL, ASOF, LEFT_ASOF ->
              throw new IllegalStateException("correlate " + c.getJoinType());
        };
    boolean right = type == JoinType.INNER || type == JoinType.LEFT;
    int rightWidth = Rels.width(c.getRight());
    ImmutableBitSet wanted =
        right
            ? needed
                .intersect(ImmutableBitSet.range(leftWidth, leftWidth + rightWidth))
                .shift(-leftWidth)
            : ImmutableBitSet.of();
    Part r = part(c.getRight(), atLeastOne(wanted, c.getRight()));
    var correlated = new ArrayList<Integer>();
    for (int f : fields) {
      correlated.add(l.places()[f]);
    }
    int[] places = Arrays.copyOf(l.places(), Rels.width(c));
    for (int i = leftWidth; i < places.length; i++) {
      int at = right ? r.places()[i - leftWidth] : 0;
      places[i] = at < 0 ? -1 : leftSize + at;
    }
    return new Part(
        new PhysicalPlan.Correlate(type, l.plan(), r.plan(), first, List.copyOf(correlated)),
        places);
  }

  // ---- order ----

  private Part sort(Sort s, ImmutableBitSet needed) {
    ImmutableBitSet read = needed;
    for (RelFieldCollation f : s.getCollation().getFieldCollations()) {
      read = read.set(f.getFieldIndex());
    }
    Part in = part(s.getInput(), atLeastOne(read, s.getInput()));
    PhysicalPlan plan = in.plan();
    var keys = new ArrayList<PhysicalPlan.SortKey>();
    for (RelFieldCollation f : s.getCollation().getFieldCollations()) {
      keys.add(key(f, in.places(), plan.types()));
    }
    boolean byTime = false;
    if (keys.size() == 1 && s.fetch != null) {
      PhysicalPlan ordered = orderedByTime(plan, keys.get(0));
      byTime = ordered != null;
      plan = ordered == null ? plan : ordered;
    }
    if (!keys.isEmpty() && !byTime) {
      plan = new PhysicalPlan.Sort(plan, List.copyOf(keys));
    }
    if (s.fetch != null || s.offset != null) {
      int[] none = new int[0];
      Expr limit = s.fetch == null ? null : exprs.translate(s.fetch, none);
      Expr offset = s.offset == null ? null : exprs.translate(s.offset, none);
      plan =
          s instanceof SortWithTies
              ? new PhysicalPlan.Limit(plan, limit, offset, ties(s, in.places()))
              : limited(plan, limit, offset);
    }
    return new Part(plan, in.places());
  }

  private static List<Integer> ties(Sort s, int[] places) {
    return s.getCollation().getFieldCollations().stream()
        .map(f -> places[f.getFieldIndex()])
        .toList();
  }

  private static PhysicalPlan limited(
      PhysicalPlan plan, @Nullable Expr limit, @Nullable Expr offset) {
    PhysicalPlan in = plan;
    if (limit != null && !Folder.isNull(limit)) {
      if (offset == null) {
        in = hinted(plan, limit);
      } else if (limit.type().kind() == TypeKind.INT8 && offset.type().kind() == TypeKind.INT8) {
        in =
            hinted(plan, new Expr.Call(INT8_PLUS, SqlType.INT8, List.of(limit, offset), true, 'i'));
      }
    }
    return new PhysicalPlan.Limit(in, limit, offset);
  }

  /**
   * The scan in the order of its time index, for the first rows by time; null if that is not it.
   */
  private @Nullable PhysicalPlan orderedByTime(PhysicalPlan plan, PhysicalPlan.SortKey key) {
    if (plan instanceof PhysicalPlan.Project p
        && key.expr() instanceof Expr.Column c
        && p.exprs().get(c.index()) instanceof Expr.Column below) {
      PhysicalPlan ordered =
          orderedByTime(
              p.input(), new PhysicalPlan.SortKey(below, key.descending(), key.nullsFirst()));
      return ordered == null ? null : new PhysicalPlan.Project(ordered, p.exprs());
    }
    if (!(plan instanceof PhysicalPlan.TableScan t)
        || t.lastRow()
        || t.limit() != null
        || !(key.expr() instanceof Expr.Column c)) {
      return null;
    }
    TableInfo table = scanned.get(t.table());
    if (table == null || t.columnIds().get(c.index()) != table.storage().timeIndexId()) {
      return null;
    }
    return new PhysicalPlan.TableScan(
        t.table(),
        t.tableVersion(),
        t.name(),
        t.columnIds(),
        t.types(),
        t.conjuncts(),
        key.descending() ? PhysicalPlan.ScanOrder.TIME_DESC : PhysicalPlan.ScanOrder.TIME_ASC,
        null,
        false);
  }

  /** Tells a scan right below how many rows will be asked for. */
  private static PhysicalPlan hinted(PhysicalPlan plan, Expr limit) {
    return switch (plan) {
      case PhysicalPlan.TableScan t ->
          new PhysicalPlan.TableScan(
              t.table(),
              t.tableVersion(),
              t.name(),
              t.columnIds(),
              t.types(),
              t.conjuncts(),
              t.order(),
              limit,
              t.lastRow());
      case PhysicalPlan.Project p -> new PhysicalPlan.Project(hinted(p.input(), limit), p.exprs());
      default -> plan;
    };
  }

  private Part distinctOn(DistinctOn d, ImmutableBitSet needed) {
    Part in = part(d.getInput(), needed.union(ImmutableBitSet.of(d.keys())));
    var keys = new ArrayList<Integer>();
    for (int k : d.keys()) {
      keys.add(in.places()[k]);
    }
    var plan = new PhysicalPlan.DistinctOn(in.plan(), List.copyOf(keys));
    return new Part(LastRows.distinctOn(plan, scanned), in.places());
  }

  private Part window(MillWindow w, ImmutableBitSet needed) {
    int inputWidth = Rels.width(w.getInput());
    ImmutableBitSet read =
        needed
            .intersect(ImmutableBitSet.range(inputWidth))
            .union(ImmutableBitSet.of(w.partitionBy()));
    for (RelFieldCollation f : w.orderBy()) {
      read = read.set(f.getFieldIndex());
    }
    var wanted = new ArrayList<Integer>();
    for (int i = 0; i < w.calls().size(); i++) {
      if (needed.get(inputWidth + i)) {
        wanted.add(i);
        MillWindow.Call c = w.calls().get(i);
        read = read.union(Rels.refs(c.args()));
        for (RexNode n : optional(c.filter(), c.startOffset(), c.endOffset())) {
          read = read.union(Rels.refs(n));
        }
      }
    }
    Part in = part(w.getInput(), atLeastOne(read, w.getInput()));
    if (wanted.isEmpty()) {
      return new Part(in.plan(), Arrays.copyOf(in.places(), Rels.width(w)));
    }
    List<SqlType> types = in.plan().types();
    var partition = new ArrayList<Integer>();
    for (int p : w.partitionBy()) {
      partition.add(in.places()[p]);
    }
    var order = new ArrayList<PhysicalPlan.SortKey>();
    for (RelFieldCollation f : w.orderBy()) {
      order.add(key(f, in.places(), types));
    }
    int[] places = Arrays.copyOf(in.places(), Rels.width(w));
    Arrays.fill(places, inputWidth, places.length, -1);
    var calls = new ArrayList<PhysicalPlan.WindowCall>();
    for (int i : wanted) {
      MillWindow.Call c = w.calls().get(i);
      places[inputWidth + i] = types.size() + calls.size();
      calls.add(
          new PhysicalPlan.WindowCall(
              c.function().id(),
              MillTypeFactory.sqlType(c.type()),
              exprs.translate(c.args(), in.places()),
              maybe(c.filter(), in.places()),
              !c.function().windowOnly(),
              new PhysicalPlan.Frame(
                  c.mode(),
                  c.start(),
                  maybe(c.startOffset(), in.places()),
                  c.end(),
                  maybe(c.endOffset(), in.places()),
                  c.exclude())));
    }
    return new Part(
        new PhysicalPlan.Window(
            in.plan(), List.copyOf(partition), List.copyOf(order), List.copyOf(calls)),
        places);
  }

  private static List<RexNode> optional(@Nullable RexNode... nodes) {
    var out = new ArrayList<RexNode>();
    for (RexNode n : nodes) {
      if (n != null) {
        out.add(n);
      }
    }
    return out;
  }

  private @Nullable Expr maybe(@Nullable RexNode node, int[] places) {
    return node == null ? null : exprs.translate(node, places);
  }

  // ---- rows from nowhere, sets ----

  private Part constantRows(ConstantRows c, ImmutableBitSet needed) {
    ImmutableBitSet read = atLeastOne(needed, c);
    int[] places = nowhere(Rels.width(c));
    var types = new ArrayList<SqlType>();
    List<SqlType> all = types(c);
    for (int i : read) {
      places[i] = types.size();
      types.add(all.get(i));
    }
    var rows = new ArrayList<List<Expr>>(c.rows().size());
    int[] none = new int[0];
    for (List<RexNode> row : c.rows()) {
      var out = new ArrayList<Expr>(types.size());
      for (int i : read) {
        out.add(exprs.translate(row.get(i), none));
      }
      rows.add(List.copyOf(out));
    }
    return new Part(new PhysicalPlan.Values(List.copyOf(types), List.copyOf(rows)), places);
  }

  private Part values(Values v) {
    int[] none = new int[0];
    var rows = new ArrayList<List<Expr>>();
    for (List<RexLiteral> tuple : v.getTuples()) {
      var out = new ArrayList<Expr>(tuple.size());
      for (RexLiteral l : tuple) {
        out.add(exprs.translate(l, none));
      }
      rows.add(List.copyOf(out));
    }
    return whole(new PhysicalPlan.Values(types(v), List.copyOf(rows)), v);
  }

  private Part union(Union u, ImmutableBitSet needed) {
    ImmutableBitSet read = u.all ? atLeastOne(needed, u) : all(u);
    int[] places = nowhere(Rels.width(u));
    List<SqlType> all = types(u);
    var types = new ArrayList<SqlType>();
    for (int c : read) {
      places[c] = types.size();
      types.add(all.get(c));
    }
    var inputs = new ArrayList<PhysicalPlan>();
    for (RelNode input : u.getInputs()) {
      Part in = part(input, read);
      var out = new ArrayList<Expr>();
      boolean same = in.plan().types().size() == types.size();
      int at = 0;
      for (int c : read) {
        same &= in.places()[c] == at++;
        out.add(new Expr.Column(in.places()[c], in.plan().types().get(in.places()[c])));
      }
      PhysicalPlan one = same ? in.plan() : projected(in.plan(), out);
      if (one instanceof PhysicalPlan.UnionAll nested) {
        inputs.addAll(nested.inputs());
      } else {
        inputs.add(one);
      }
    }
    PhysicalPlan plan = new PhysicalPlan.UnionAll(List.copyOf(inputs), List.copyOf(types));
    return new Part(u.all ? plan : distinct(plan), places);
  }

  private static PhysicalPlan distinct(PhysicalPlan plan) {
    var keys = new ArrayList<Integer>();
    for (int i = 0; i < plan.types().size(); i++) {
      keys.add(i);
    }
    return new PhysicalPlan.Aggregate(
        plan, List.copyOf(keys), List.of(List.copyOf(keys)), List.of(), false);
  }

  private Part setOp(RelNode set, boolean intersect, boolean all) {
    PhysicalPlan plan = exact(set.getInput(0));
    for (int i = 1; i < set.getInputs().size(); i++) {
      plan = new PhysicalPlan.SetOp(plan, exact(set.getInput(i)), intersect, all);
    }
    return whole(plan, set);
  }
}

package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.function.AggregateKernel;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.spill.SpillFile;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * One grouping set of an aggregation.
 *
 * Runs of equal keys are found inside the batch and the hash table is asked once per run; where runs
 * are long each call takes a whole run at a time, else rows are scattered by group number. When
 * memory is short the table is frozen: rows of groups that it holds still go into them, all others
 * go to one of 16 files by the hash of their key, and each file is aggregated on its own afterwards
 * with the next level's hash. So a group is either wholly in memory or wholly in one file.
 */
/** Groups and their aggregate states for one grouping set. */
final class Grouping {
  static final int PARTITIONS = 16;
  private static final int LONG_RUN = 6;

  /** The arguments of all calls over one batch, evaluated once for all grouping sets. */
  record Inputs(Batch batch, List<List<Vector>> args, int @Nullable [][] selected, int[] counts) {}

  private final Execution run;
  private final PhysicalPlan.Aggregate plan;
  private final List<Integer> set;
  private final int[] places;
  private final int level;
  private final Role role;
  private final KeyEncoder encoder;
  private final GroupTable table;
  private final @Nullable AggregateKernel[] kernels;
  private final @Nullable Distinct[] distinct;
  private final @Nullable Sorter[] sorters;
  private final Runs runs = new Runs();
  private final EvalContext context;
  private long[] words = new long[0];
  private int[] runGroups = new int[0];
  private int[] rowGroups = new int[0];
  private boolean frozen;
  private final @Nullable SpillFile[] files = new @Nullable SpillFile[PARTITIONS];

  /** Rows seen by a DISTINCT call. */
  private static final class Distinct {
    final KeyEncoder encoder;
    final GroupTable table;
    long[] words = new long[0];

    Distinct(List<SqlType> argTypes) {
      var types = new ArrayList<SqlType>();
      types.add(SqlType.INT4);
      types.addAll(argTypes);
      encoder = new KeyEncoder(types);
      table = new GroupTable(encoder.width());
    }
  }

  /** What goes in and comes out. */
  enum Role {
    /** Rows in, results out. */
    WHOLE,
    /** Rows in, keys and partial states out. */
    PARTIAL,
    /** Keys and partial states in, results out. */
    FINAL
  }

  Grouping(Execution run, PhysicalPlan.Aggregate plan, List<Integer> set, int level, Role role) {
    this.role = role;
    this.run = run;
    this.plan = plan;
    this.set = set;
    this.level = level;
    this.context = run.exprs().context();
    places = new int[set.size()];
    var types = new ArrayList<SqlType>();
    for (int i = 0; i < places.length; i++) {
      int column = plan.keys().get(set.get(i));
      places[i] = role == Role.FINAL ? set.get(i) : column;
      types.add(plan.input().types().get(column));
    }
    encoder = new KeyEncoder(types);
    table = new GroupTable(encoder.width());
    int n = plan.calls().size();
    kernels = new @Nullable AggregateKernel[n];
    distinct = new @Nullable Distinct[n];
    sorters = new @Nullable Sorter[n];
    for (int c = 0; c < n; c++) {
      AggregateCall call = plan.calls().get(c);
      if (isGrouping(call)) {
        continue;
      }
      var argTypes = new ArrayList<SqlType>();
      call.args().forEach(a -> argTypes.add(a.type()));
      var direct = new ArrayList<Vector>();
      call.direct().forEach(d -> direct.add(run.exprs().constant(traced(d, plan.input()))));
      kernels[c] =
          run.exprs().functions().aggregate(call.function(), argTypes, call.type(), direct);
      if (call.distinct()) {
        distinct[c] = new Distinct(argTypes);
      }
      if (!call.orderBy().isEmpty()) {
        sorters[c] = sorter(call, argTypes);
      }
    }
    if (places.length == 0 && level == 0 && role != Role.PARTIAL) {
      // Without keys there is one group whatever the input.
      table.lookup(new long[encoder.width()], 0, true);
    }
  }

  /** A direct argument is the same for all rows: a column of it is followed down to its value. */
  private static Expr traced(Expr e, PhysicalPlan input) {
    Expr at = e;
    PhysicalPlan below = input;
    while (at instanceof Expr.Column c) {
      if (below instanceof PhysicalPlan.Project p) {
        at = p.exprs().get(c.index());
        below = p.input();
      } else if (below instanceof PhysicalPlan.Filter f) {
        below = f.input();
      } else if (below instanceof PhysicalPlan.Sort s) {
        below = s.input();
      } else if (below instanceof PhysicalPlan.Values v && v.rows().size() == 1) {
        at = v.rows().getFirst().get(c.index());
      } else {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "direct arguments of an ordered-set aggregate must be constants");
      }
    }
    return at;
  }

  private Sorter sorter(AggregateCall call, List<SqlType> argTypes) {
    var types = new ArrayList<SqlType>();
    types.add(SqlType.INT4);
    types.addAll(argTypes);
    var order = new ArrayList<Sorter.Key>();
    order.add(new Sorter.Key(0, false, false));
    for (PhysicalPlan.SortKey k : call.orderBy()) {
      order.add(new Sorter.Key(types.size(), k.descending(), k.nullsFirst()));
      types.add(k.expr().type());
    }
    return new Sorter(types, order, run.memory(), run.temp(), run.exprs().context().check());
  }

  /** GROUPING(…) is told by the set, not computed from rows. */
  static boolean isGrouping(AggregateCall call) {
    return call.function().signature().startsWith("grouping(");
  }

  /** Types of what {@link #emitPartial} gives: the keys, then the states of each call. */
  static List<SqlType> partialTypes(PhysicalPlan.Aggregate plan, List<List<SqlType>> states) {
    var out = new ArrayList<SqlType>();
    for (int k : plan.keys()) {
      out.add(plan.input().types().get(k));
    }
    states.forEach(out::addAll);
    return out;
  }

  /** Types of each call's state. */
  List<List<SqlType>> stateTypes() {
    var out = new ArrayList<List<SqlType>>();
    for (AggregateKernel k : kernels) {
      out.add(k == null ? List.of() : k.stateTypes());
    }
    return out;
  }

  /** Groups [from, from + count) as keys and partial states. */
  Batch emitPartial(int from, int count) {
    var out = new ArrayList<>(encoder.decode(table, from, count));
    for (AggregateKernel k : kernels) {
      if (k != null) {
        out.addAll(k.partial(from, count));
      }
    }
    return new Batch(out, count);
  }

  int groups() {
    return table.size();
  }

  boolean frozen() {
    return frozen;
  }

  void freeze() {
    frozen = places.length > 0;
  }

  int level() {
    return level;
  }

  List<Integer> set() {
    return set;
  }

  long byteSize() {
    long n = table.byteSize() + encoder.byteSize() + words.length * 8L + rowGroups.length * 8L;
    for (int c = 0; c < kernels.length; c++) {
      AggregateKernel k = kernels[c];
      n += k == null ? 0 : k.byteSize();
      Distinct d = distinct[c];
      n += d == null ? 0 : d.table.byteSize() + d.encoder.byteSize();
    }
    return n;
  }

  /** Bytes that a batch may add at most, without what states keep of their arguments. */
  long headroom(int rows) {
    return (long) rows * (encoder.width() * 8L + 24 + kernels.length * 24L);
  }

  void add(Inputs in) {
    Batch b = in.batch();
    int rows = b.rows();
    if (rows == 0) {
      return;
    }
    Vector[] keys = new Vector[places.length];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = b.column(places[k]);
    }
    runs.find(keys, rows);
    int n = runs.count();
    int[] starts = runs.starts();
    if (words.length < n * encoder.width()) {
      words = new long[Math.max(n, 256) * encoder.width()];
    }
    if (runGroups.length < n) {
      runGroups = new int[Math.max(n, 256)];
    }
    encoder.encode(keys, starts, n, words, !frozen);
    if (frozen) {
      if (spill(in, keys, n, starts)) {
        return;
      }
    } else {
      table.lookup(words, n, runGroups, true);
    }
    ensureGroups();
    accumulate(in, rows, n, starts);
  }

  /**
   * Adds runs of rows with equal keys: run r is rows [from[r], to[r]), key r its key. Calls with
   * FILTER, DISTINCT or ORDER BY cannot be fed so.
   */
  void addRuns(Vector[] keys, int n, int[] from, int[] to, List<List<Vector>> args) {
    if (n == 0) {
      return;
    }
    if (words.length < n * encoder.width()) {
      words = new long[Math.max(n, 256) * encoder.width()];
    }
    if (runGroups.length < n) {
      runGroups = new int[Math.max(n, 256)];
    }
    encoder.encode(keys, Gather.identity(n), n, words, true);
    table.lookup(words, n, runGroups, true);
    ensureGroups();
    int rows = 0;
    for (int r = 0; r < n; r++) {
      rows += to[r] - from[r];
    }
    int[] at = rows >= n * LONG_RUN ? null : spread(n, from, to, rows);
    for (int c = 0; c < kernels.length; c++) {
      AggregateKernel k = kernels[c];
      if (k == null) {
        continue;
      }
      if (at != null) {
        k.accumulate(take(args.get(c), at, rows), rows, rowGroups, context);
        continue;
      }
      for (int r = 0; r < n; r++) {
        k.accumulateRun(args.get(c), from[r], to[r], runGroups[r], context);
      }
    }
  }

  /** The rows of short runs, side by side, with their groups. */
  private int[] spread(int n, int[] from, int[] to, int rows) {
    if (rowGroups.length < rows) {
      rowGroups = new int[rows];
    }
    int[] at = new int[rows];
    int k = 0;
    for (int r = 0; r < n; r++) {
      for (int i = from[r]; i < to[r]; i++) {
        at[k] = i;
        rowGroups[k++] = runGroups[r];
      }
    }
    return at;
  }

  private void ensureGroups() {
    for (AggregateKernel k : kernels) {
      if (k != null) {
        k.ensureGroups(table.size());
      }
    }
  }

  private void accumulate(Inputs in, int rows, int n, int[] starts) {
    boolean runwise = rows >= n * LONG_RUN;
    boolean expanded = false;
    for (int c = 0; c < kernels.length; c++) {
      AggregateKernel k = kernels[c];
      if (k == null) {
        continue;
      }
      List<Vector> args = in.args().get(c);
      if (role == Role.FINAL) {
        if (!expanded) {
          expand(rows, n, starts);
          expanded = true;
        }
        k.mergePartial(args, rows, rowGroups, context);
        continue;
      }
      int[] selected = in.selected() == null ? null : in.selected()[c];
      boolean plain = selected == null && distinct[c] == null && sorters[c] == null;
      if (plain && runwise) {
        for (int r = 0; r < n; r++) {
          k.accumulateRun(args, starts[r], starts[r + 1], runGroups[r], context);
        }
        continue;
      }
      if (!expanded) {
        expand(rows, n, starts);
        expanded = true;
      }
      if (plain) {
        k.accumulate(args, rows, rowGroups, context);
      } else {
        special(c, k, args, selected, selected == null ? rows : in.counts()[c], in.batch());
      }
    }
  }

  private void expand(int rows, int n, int[] starts) {
    if (rowGroups.length < rows) {
      rowGroups = new int[rows];
    }
    for (int r = 0; r < n; r++) {
      int g = runGroups[r];
      for (int i = starts[r]; i < starts[r + 1]; i++) {
        rowGroups[i] = g;
      }
    }
  }

  /** FILTER, DISTINCT and ORDER BY: fewer rows, then order if asked for. */
  private void special(
      int c, AggregateKernel k, List<Vector> args, int @Nullable [] selected, int count, Batch b) {
    int[] groups = rowGroups;
    int[] positions = selected;
    List<Vector> values = args;
    if (positions != null) {
      groups = new int[count];
      for (int i = 0; i < count; i++) {
        groups[i] = rowGroups[positions[i]];
      }
      values = take(args, positions, count);
    }
    Distinct d = distinct[c];
    int rows = count;
    if (d != null) {
      var keys = new Vector[args.size() + 1];
      keys[0] = new IntVector(SqlType.INT4, groups, rows, null);
      for (int i = 0; i < args.size(); i++) {
        keys[i + 1] = values.get(i);
      }
      int w = d.encoder.width();
      if (d.words.length < rows * w) {
        d.words = new long[rows * w];
      }
      d.encoder.encode(keys, Gather.identity(rows), rows, d.words, true);
      int[] fresh = new int[rows];
      int m = 0;
      for (int i = 0; i < rows; i++) {
        int before = d.table.size();
        fresh[m] = i;
        m += d.table.lookup(d.words, i * w, true) == before ? 1 : 0;
      }
      int[] base = groups;
      groups = new int[m];
      for (int i = 0; i < m; i++) {
        groups[i] = base[fresh[i]];
      }
      values = take(values, fresh, m);
      if (positions == null) {
        positions = fresh;
      } else {
        int[] through = new int[m];
        for (int i = 0; i < m; i++) {
          through[i] = positions[fresh[i]];
        }
        positions = through;
      }
      rows = m;
    }
    Sorter s = sorters[c];
    if (s == null) {
      k.accumulate(values, rows, groups, context);
      return;
    }
    var columns = new ArrayList<Vector>();
    columns.add(
        new IntVector(
            SqlType.INT4,
            groups == rowGroups ? java.util.Arrays.copyOf(groups, rows) : groups,
            rows,
            null));
    columns.addAll(values);
    Rows source = Rows.of(b);
    Rows ordered =
        positions == null ? source : source.select(java.util.Arrays.copyOf(positions, rows), rows);
    for (Eval e : orderEvals(c)) {
      columns.add(e.eval(ordered));
    }
    s.add(new Batch(columns, rows));
  }

  private Eval @Nullable [][] orders;

  private Eval[] orderEvals(int c) {
    Eval[][] o = orders;
    if (o == null) {
      o = new Eval[kernels.length][];
      for (int i = 0; i < o.length; i++) {
        o[i] =
            run.exprs()
                .compileAll(
                    plan.calls().get(i).orderBy().stream()
                        .map(PhysicalPlan.SortKey::expr)
                        .toList());
      }
      orders = o;
    }
    return o[c];
  }

  private static List<Vector> take(List<Vector> v, int[] positions, int count) {
    var out = new ArrayList<Vector>(v.size());
    for (Vector x : v) {
      out.add(x.take(positions, count));
    }
    return out;
  }

  /** Puts rows of unknown groups away; true if it dealt with the whole batch. */
  private boolean spill(Inputs in, Vector[] keys, int n, int[] starts) {
    int rows = in.batch().rows();
    int w = encoder.width();
    int[] keep = new int[rows];
    int kept = 0;
    int unknown = 0;
    for (int r = 0; r < n; r++) {
      runGroups[r] = encoder.unknown(words, r * w) ? -1 : table.lookup(words, r * w, false);
      if (runGroups[r] < 0) {
        unknown += starts[r + 1] - starts[r];
      } else {
        for (int i = starts[r]; i < starts[r + 1]; i++) {
          keep[kept++] = i;
        }
      }
    }
    if (unknown == 0) {
      return false;
    }
    int[][] out = new int[PARTITIONS][unknown];
    int[] counts = new int[PARTITIONS];
    for (int r = 0; r < n; r++) {
      if (runGroups[r] < 0) {
        int p = (int) (KeyEncoder.valueHash(keys, starts[r], level) & PARTITIONS - 1);
        for (int i = starts[r]; i < starts[r + 1]; i++) {
          out[p][counts[p]++] = i;
        }
      }
    }
    for (int p = 0; p < PARTITIONS; p++) {
      if (counts[p] > 0) {
        SpillFile f = files[p];
        if (f == null) {
          f = run.temp().create();
          files[p] = f;
        }
        f.write(in.batch().take(out[p], counts[p]));
      }
    }
    if (kept > 0) {
      // The rest of the batch, as a batch of its own with all its groups known.
      add(narrow(in, java.util.Arrays.copyOf(keep, kept), kept));
    }
    return true;
  }

  private static Inputs narrow(Inputs in, int[] keep, int kept) {
    var args = new ArrayList<List<Vector>>();
    for (List<Vector> a : in.args()) {
      args.add(take(a, keep, kept));
    }
    int @Nullable [][] selected = null;
    int[] counts = in.counts();
    if (in.selected() != null) {
      selected = new int[in.selected().length][];
      counts = new int[selected.length];
      for (int c = 0; c < selected.length; c++) {
        int[] s = in.selected()[c];
        if (s == null) {
          continue;
        }
        int[] mine = new int[kept];
        int m = 0;
        int at = 0;
        for (int i = 0; i < kept; i++) {
          while (at < in.counts()[c] && s[at] < keep[i]) {
            at++;
          }
          if (at < in.counts()[c] && s[at] == keep[i]) {
            mine[m++] = i;
          }
        }
        selected[c] = mine;
        counts[c] = m;
      }
    }
    return new Inputs(in.batch().take(keep, kept), args, selected, counts);
  }

  /** Feeds ordered calls; true when all is ready for {@link #emit}. */
  boolean finish(Slice slice) {
    ensureGroups();
    for (int c = 0; c < kernels.length; c++) {
      Sorter s = sorters[c];
      AggregateKernel k = kernels[c];
      if (s == null || k == null) {
        continue;
      }
      if (!s.finish(slice)) {
        return false;
      }
      int args = plan.calls().get(c).args().size();
      while (true) {
        Batch b = s.next();
        if (b == null) {
          break;
        }
        k.accumulate(
            b.columns().subList(1, 1 + args),
            b.rows(),
            ((IntVector) b.column(0)).values(),
            context);
        if (slice.expired()) {
          return false;
        }
      }
      s.close();
      sorters[c] = null;
    }
    return true;
  }

  /** Groups [from, from + count) as output rows. */
  Batch emit(int from, int count) {
    var out = new ArrayList<Vector>();
    List<Vector> mine = encoder.decode(table, from, count);
    for (int k = 0; k < plan.keys().size(); k++) {
      int at = set.indexOf(k);
      out.add(
          at >= 0
              ? mine.get(at)
              : Gather.nulls(plan.input().types().get(plan.keys().get(k)), count));
    }
    for (int c = 0; c < kernels.length; c++) {
      AggregateKernel k = kernels[c];
      out.add(k == null ? grouping(plan.calls().get(c), count) : k.finish(from, count, context));
    }
    return new Batch(out, count);
  }

  /** Bit per argument, the last one lowest: 1 where it is not part of the set. */
  private Vector grouping(AggregateCall call, int count) {
    int bits = 0;
    for (var a : call.args()) {
      boolean in = false;
      if (a instanceof Expr.Column col) {
        for (int p : places) {
          in |= p == col.index();
        }
      }
      bits = bits << 1 | (in ? 0 : 1);
    }
    int[] v = new int[count];
    java.util.Arrays.fill(v, bits);
    return new IntVector(call.type(), v, count, null);
  }

  /** Files of rows still to be aggregated; theirs from now on. */
  List<SpillFile> takeFiles() {
    var out = new ArrayList<SpillFile>();
    for (int p = 0; p < PARTITIONS; p++) {
      SpillFile f = files[p];
      if (f != null) {
        out.add(f);
        files[p] = null;
      }
    }
    return out;
  }

  void close() {
    for (Sorter s : sorters) {
      if (s != null) {
        s.close();
      }
    }
    takeFiles().forEach(SpillFile::close);
  }
}

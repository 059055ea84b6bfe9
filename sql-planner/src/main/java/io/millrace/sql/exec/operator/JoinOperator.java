package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.memory.Revocable;
import io.millrace.sql.exec.spill.SpillFile;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Hash join; without keys all rows are in one group, which makes it nested loops.
 *
 * The right side is built. The left side is read batch by batch: candidate pairs (left row, right
 * slot) are listed up to 4,096 at a time, the residual is evaluated over them with columns gathered
 * only as it needs them, and what survives is put out or noted per left row. When a left batch has
 * been gone through, its outer rows, or its semi, anti and mark answers, follow. RIGHT and FULL give
 * the right rows that nothing matched at the end.
 *
 * NULL_AWARE_ANTI and LEFT_MARK follow three-valued logic: a left row that matches nothing is
 * unknown if some right row satisfies the residual and, with the NULLs of either side's keys taken
 * for any value, the keys. Those pairs are listed in a second pass over the unmatched rows, except
 * for one key without residual, where two facts about the right side decide. A residual that is NULL
 * counts as false.
 *
 * If the right side does not fit, both sides are split by the hash of the key into 16 files each,
 * and the pairs of files are joined one after the other by operators of this class.
 */
/** Joins two inputs. */
final class JoinOperator extends BaseOperator implements Revocable {
  private static final int PARTITIONS = 16;
  private static final int MAX_LEVEL = 5;

  /** Facts about the whole right side that parts of it cannot know. */
  record RightFacts(boolean empty, boolean hasNull) {}

  /** What is joined and how; the same for the parts of a join on disk. */
  record Spec(
      JoinType type,
      List<SqlType> leftTypes,
      List<SqlType> rightTypes,
      List<Expr> leftKeys,
      List<Expr> rightKeys,
      List<Boolean> nullSafe,
      @Nullable Expr residual) {}

  private enum Phase {
    BUILD,
    PROBE,
    RIGHT_REST,
    SPLIT_LEFT,
    PARTS,
    DONE
  }

  private final Spec spec;
  private final JoinType type;
  private final Operator left;
  private final Operator right;
  private final int level;
  private final Eval[] leftKeys;
  private final Eval[] rightKeys;
  private final boolean[] nullSafe;
  private final @Nullable Eval residual;
  private final int leftWidth;
  private final int rightWidth;
  private final boolean threeValued;
  private final boolean keyedUnknown;
  private @Nullable RightFacts facts;
  private BuildSide build;
  private Phase phase = Phase.BUILD;
  private boolean rightHasNull;
  private volatile boolean revoked;

  // The left batch at hand.
  private @Nullable Batch batch;
  private Vector[] batchKeys = new Vector[0];
  private int[] groups = new int[0];
  private boolean[] hit = new boolean[0];
  private boolean[] unknown = new boolean[0];
  private boolean unknownPass;
  private int row;
  private int slot = -1;
  private final int[] pairLeft = new int[Batch.ROWS];
  private final int[] pairSlot = new int[Batch.ROWS];
  private int restSlot;

  // On disk.
  private final @Nullable SpillFile[] leftFiles = new @Nullable SpillFile[PARTITIONS];
  private final @Nullable SpillFile[] rightFiles = new @Nullable SpillFile[PARTITIONS];
  private boolean split;
  private int part = -1;
  private @Nullable JoinOperator partJoin;

  JoinOperator(Execution run, Spec spec, Operator left, Operator right) {
    this(run, spec, left, right, 0, null);
  }

  private JoinOperator(
      Execution run,
      Spec spec,
      Operator left,
      Operator right,
      int level,
      @Nullable RightFacts facts) {
    super(run, left, right);
    this.spec = spec;
    this.type = spec.type();
    this.left = left;
    this.right = right;
    this.level = level;
    this.facts = facts;
    leftKeys = run.exprs().compileAll(spec.leftKeys());
    rightKeys = run.exprs().compileAll(spec.rightKeys());
    nullSafe = new boolean[leftKeys.length];
    for (int k = 0; k < nullSafe.length; k++) {
      nullSafe[k] = spec.nullSafe().get(k);
    }
    Expr r = spec.residual();
    residual = r == null ? null : run.exprs().compile(r);
    leftWidth = spec.leftTypes().size();
    rightWidth = spec.rightTypes().size();
    threeValued = type == JoinType.NULL_AWARE_ANTI || type == JoinType.LEFT_MARK;
    keyedUnknown = threeValued && leftKeys.length > 0 && (leftKeys.length > 1 || residual != null);
    build = newBuild();
    run.memory().register(this);
  }

  private BuildSide newBuild() {
    var types = new ArrayList<>(spec.rightTypes());
    var keyTypes = new ArrayList<SqlType>();
    for (Expr e : spec.rightKeys()) {
      keyTypes.add(e.type());
      if (keyedUnknown) {
        types.add(e.type());
      }
    }
    return new BuildSide(types, keyTypes, nullSafe);
  }

  @Override
  public long revocableBytes() {
    return phase == Phase.BUILD && canSplit() ? memory.reserved() : 0;
  }

  @Override
  public void revoke() {
    revoked = true;
  }

  private boolean canSplit() {
    return leftKeys.length > 0 && !keyedUnknown && level < MAX_LEVEL;
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Step s =
          switch (phase) {
            case BUILD -> build(slice);
            case PROBE -> probe(slice);
            case RIGHT_REST -> rightRest();
            case SPLIT_LEFT -> splitLeft(slice);
            case PARTS -> parts(slice);
            case DONE -> Step.Signal.DONE;
          };
      if (s != null) {
        return s;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  private static Vector[] keys(Eval[] evals, Batch b) {
    Rows rows = Rows.of(b);
    Vector[] v = new Vector[evals.length];
    for (int k = 0; k < v.length; k++) {
      v[k] = evals[k].eval(rows);
    }
    return v;
  }

  private @Nullable Step build(Slice slice) {
    Step s = right.step(slice);
    if (s instanceof Step.Out o) {
      Batch b = o.batch();
      if (b.rows() == 0) {
        return null;
      }
      Vector[] k = keys(rightKeys, b);
      for (int i = 0; i < k.length; i++) {
        rightHasNull |= !nullSafe[i] && hasNull(k[i]);
      }
      if (!split) {
        Batch kept = RowPages.compact(b);
        long need = BuildSide.bytesFor(kept);
        boolean room = !(revoked && canSplit()) && memory.tryReserve(need);
        if (!room && !canSplit()) {
          memory.reserve(need);
          room = true;
        }
        if (room) {
          build.add(keyedUnknown ? withKeys(kept, k) : kept, k);
          return null;
        }
        splitBuild();
      }
      splitTo(rightFiles, b, k);
      return null;
    }
    if (s != Step.Signal.DONE) {
      return s;
    }
    right.close();
    if (split) {
      facts = facts == null ? new RightFacts(false, rightHasNull) : facts;
      phase = Phase.SPLIT_LEFT;
      return null;
    }
    build.seal();
    if (facts == null) {
      facts = new RightFacts(build.rows() == 0, rightHasNull);
    }
    boolean nothing =
        build.rows() == 0
            && (type == JoinType.INNER || type == JoinType.RIGHT || type == JoinType.SEMI);
    phase = nothing ? Phase.DONE : Phase.PROBE;
    return null;
  }

  private static boolean hasNull(Vector v) {
    long[] valid = v.validity();
    return valid != null && Bits.count(valid, v.length()) < v.length();
  }

  private static Batch withKeys(Batch b, Vector[] keys) {
    var all = new ArrayList<Vector>(b.columns());
    all.addAll(Arrays.asList(keys));
    return new Batch(all, b.rows());
  }

  // ---- probing ----

  private @Nullable Step probe(Slice slice) {
    if (batch == null) {
      Step s = left.step(slice);
      if (s instanceof Step.Out o) {
        if (o.batch().rows() > 0) {
          begin(o.batch());
        }
        return null;
      }
      if (s == Step.Signal.DONE) {
        phase = type == JoinType.RIGHT || type == JoinType.FULL ? Phase.RIGHT_REST : Phase.DONE;
        return null;
      }
      return s;
    }
    Batch b = batch;
    if (shortcut()) {
      return finishBatch(b);
    }
    int n = listPairs(b);
    if (n > 0) {
      return pairs(b, n);
    }
    if (threeValued && !unknownPass && needsUnknownPass()) {
      unknownPass = true;
      row = 0;
      slot = -1;
      return null;
    }
    return finishBatch(b);
  }

  private void begin(Batch b) {
    batch = b;
    int n = b.rows();
    batchKeys = keys(leftKeys, b);
    if (groups.length < n) {
      groups = new int[n];
    }
    build.find(batchKeys, n, groups, false);
    if (hit.length < n) {
      hit = new boolean[n];
      unknown = new boolean[n];
    }
    Arrays.fill(hit, 0, n, false);
    Arrays.fill(unknown, 0, n, false);
    unknownPass = false;
    row = 0;
    slot = -1;
  }

  /** Semi, anti and mark joins without residual need no pairs. */
  private boolean shortcut() {
    if (residual != null || !answersOnly()) {
      return false;
    }
    Batch b = batch;
    if (b == null || row > 0 || unknownPass) {
      return false;
    }
    for (int i = 0; i < b.rows(); i++) {
      hit[i] = groups[i] >= 0 && build.end(groups[i]) > build.start(groups[i]);
    }
    if (keyedUnknown && needsUnknownPass()) {
      unknownPass = true;
      return false;
    }
    return true;
  }

  private boolean answersOnly() {
    return switch (type) {
      case SEMI, ANTI, NULL_AWARE_ANTI, LEFT_MARK -> true;
      case INNER, LEFT, RIGHT, FULL -> false;
    };
  }

  private boolean needsUnknownPass() {
    if (!keyedUnknown || build.rows() == 0) {
      return false;
    }
    if (rightHasNull) {
      return true;
    }
    for (int k = 0; k < batchKeys.length; k++) {
      if (!nullSafe[k] && hasNull(batchKeys[k])) {
        return true;
      }
    }
    return false;
  }

  private boolean nullKey(int r) {
    for (int k = 0; k < batchKeys.length; k++) {
      if (!nullSafe[k] && batchKeys[k].isNull(r)) {
        return true;
      }
    }
    return false;
  }

  /** Lists the next candidate pairs; 0 when the left batch is used up. */
  private int listPairs(Batch b) {
    int n = 0;
    boolean answers = answersOnly();
    while (row < b.rows()) {
      if (answers && hit[row] || unknownPass && unknown[row]) {
        row++;
        slot = -1;
        continue;
      }
      int from;
      int to;
      if (unknownPass) {
        boolean any = nullKey(row);
        from = any ? 0 : build.nullStart();
        to = build.rows();
      } else if (groups[row] < 0) {
        row++;
        slot = -1;
        continue;
      } else {
        from = build.start(groups[row]);
        to = build.end(groups[row]);
      }
      int s = Math.max(slot, from);
      while (s < to && n < Batch.ROWS) {
        if (!unknownPass || couldMatch(row, s)) {
          pairLeft[n] = row;
          pairSlot[n++] = s;
        }
        s++;
      }
      if (s < to) {
        slot = s;
        return n;
      }
      row++;
      slot = -1;
      if (n == Batch.ROWS) {
        return n;
      }
    }
    return n;
  }

  /** Whether the keys are equal if NULLs may be anything. */
  private boolean couldMatch(int r, int s) {
    int id = build.id(s);
    for (int k = 0; k < batchKeys.length; k++) {
      Vector rightKey = build.pages().column(rightWidth + k)[Gather.page(id)];
      boolean ln = batchKeys[k].isNull(r);
      boolean rn = rightKey.isNull(Gather.row(id));
      if (ln || rn) {
        if (nullSafe[k] && ln != rn) {
          return false;
        }
      } else if (RowOrder.order(batchKeys[k], r, rightKey, Gather.row(id)) != 0) {
        return false;
      }
    }
    return true;
  }

  private @Nullable Step pairs(Batch b, int listed) {
    int n = listed;
    if (residual != null) {
      int[] ids = new int[n];
      for (int i = 0; i < n; i++) {
        ids[i] = build.id(pairSlot[i]);
      }
      int count = n;
      int[] leftRows = Arrays.copyOf(pairLeft, n);
      var rows =
          new Rows(
              new Lazy(
                  leftWidth + rightWidth,
                  c ->
                      c < leftWidth
                          ? b.column(c).take(leftRows, count)
                          : rightColumn(c - leftWidth, ids, count)),
              n);
      int[] good = new int[n];
      n = residual.filter(rows, good);
      for (int i = 0; i < n; i++) {
        pairLeft[i] = pairLeft[good[i]];
        pairSlot[i] = pairSlot[good[i]];
      }
    }
    if (unknownPass) {
      for (int i = 0; i < n; i++) {
        unknown[pairLeft[i]] = true;
      }
      return null;
    }
    for (int i = 0; i < n; i++) {
      hit[pairLeft[i]] = true;
    }
    if (answersOnly() || n == 0) {
      return null;
    }
    if (type == JoinType.RIGHT || type == JoinType.FULL) {
      for (int i = 0; i < n; i++) {
        build.match(pairSlot[i]);
      }
    }
    int[] ids = new int[n];
    for (int i = 0; i < n; i++) {
      ids[i] = build.id(pairSlot[i]);
    }
    var out = new ArrayList<Vector>(leftWidth + rightWidth);
    boolean whole = n == b.rows();
    for (int i = 0; i < n && whole; i++) {
      whole = pairLeft[i] == i;
    }
    for (int c = 0; c < leftWidth; c++) {
      out.add(whole ? b.column(c) : b.column(c).take(pairLeft, n));
    }
    for (int c = 0; c < rightWidth; c++) {
      out.add(rightColumn(c, ids, n));
    }
    return new Step.Out(new Batch(out, n));
  }

  private Vector rightColumn(int c, int[] ids, int n) {
    return Gather.take(spec.rightTypes().get(c), build.pages().column(c), ids, 0, n);
  }

  /** Columns gathered when asked for, once. */
  private static final class Lazy implements Rows.Source {
    private final @Nullable Vector[] known;
    private final Rows.Source source;

    Lazy(int width, Rows.Source source) {
      known = new @Nullable Vector[width];
      this.source = source;
    }

    @Override
    public Vector column(int index) {
      Vector v = known[index];
      if (v == null) {
        v = source.column(index);
        known[index] = v;
      }
      return v;
    }
  }

  /** What remains to be said of the left batch. */
  private @Nullable Step finishBatch(Batch b) {
    batch = null;
    int n = b.rows();
    return switch (type) {
      case INNER, RIGHT -> null;
      case LEFT, FULL -> {
        int[] at = new int[n];
        int m = 0;
        for (int i = 0; i < n; i++) {
          at[m] = i;
          m += hit[i] ? 0 : 1;
        }
        if (m == 0) {
          yield null;
        }
        var out = new ArrayList<Vector>(leftWidth + rightWidth);
        for (int c = 0; c < leftWidth; c++) {
          out.add(m == n ? b.column(c) : b.column(c).take(at, m));
        }
        for (SqlType t : spec.rightTypes()) {
          out.add(Gather.nulls(t, m));
        }
        yield new Step.Out(new Batch(out, m));
      }
      case SEMI, ANTI, NULL_AWARE_ANTI -> {
        int[] at = new int[n];
        int m = 0;
        for (int i = 0; i < n; i++) {
          boolean keep =
              type == JoinType.SEMI ? hit[i] : !hit[i] && (type == JoinType.ANTI || !isUnknown(i));
          at[m] = i;
          m += keep ? 1 : 0;
        }
        yield m == 0 ? null : new Step.Out(m == n ? b : b.take(at, m));
      }
      case LEFT_MARK -> {
        boolean[] mark = Arrays.copyOf(hit, n);
        long[] valid = null;
        for (int i = 0; i < n; i++) {
          if (!mark[i] && isUnknown(i)) {
            valid = valid == null ? Bits.allSet(n) : valid;
            Bits.clear(valid, i);
          }
        }
        var out = new ArrayList<Vector>(b.columns());
        out.add(new BoolVector(SqlType.BOOL, mark, n, valid));
        yield new Step.Out(new Batch(out, n));
      }
    };
  }

  private boolean isUnknown(int i) {
    if (keyedUnknown) {
      return unknown[i];
    }
    RightFacts f = facts;
    return leftKeys.length == 1
        && f != null
        && !f.empty()
        && !nullSafe[0]
        && (f.hasNull() || batchKeys[0].isNull(i));
  }

  private @Nullable Step rightRest() {
    int[] ids = new int[Batch.ROWS];
    int n = 0;
    while (restSlot < build.rows() && n < Batch.ROWS) {
      if (!build.isMatched(restSlot)) {
        ids[n++] = build.id(restSlot);
      }
      restSlot++;
    }
    if (n == 0) {
      phase = Phase.DONE;
      return null;
    }
    var out = new ArrayList<Vector>(leftWidth + rightWidth);
    for (SqlType t : spec.leftTypes()) {
      out.add(Gather.nulls(t, n));
    }
    for (int c = 0; c < rightWidth; c++) {
      out.add(rightColumn(c, ids, n));
    }
    return new Step.Out(new Batch(out, n));
  }

  // ---- on disk ----

  private void splitBuild() {
    split = true;
    build.pages().seal();
    for (int p = 0; p < build.pages().pageCount(); p++) {
      run.exprs().context().check().run();
      Batch b = build.pages().page(p);
      splitTo(rightFiles, b, keys(rightKeys, b));
    }
    build = newBuild();
    memory.close();
  }

  private void splitTo(@Nullable SpillFile[] files, Batch b, Vector[] keys) {
    int n = b.rows();
    int[][] at = new int[PARTITIONS][n];
    int[] counts = new int[PARTITIONS];
    for (int i = 0; i < n; i++) {
      int p = (int) (KeyEncoder.valueHash(keys, i, level + 101L) & PARTITIONS - 1);
      at[p][counts[p]++] = i;
    }
    for (int p = 0; p < PARTITIONS; p++) {
      if (counts[p] > 0) {
        SpillFile f = files[p];
        if (f == null) {
          f = run.temp().create();
          files[p] = f;
        }
        f.write(b.take(at[p], counts[p]));
      }
    }
  }

  private @Nullable Step splitLeft(Slice slice) {
    Step s = left.step(slice);
    if (s instanceof Step.Out o) {
      if (o.batch().rows() > 0) {
        splitTo(leftFiles, o.batch(), keys(leftKeys, o.batch()));
      }
      return null;
    }
    if (s == Step.Signal.DONE) {
      left.close();
      stats().remark("hash join on disk, " + PARTITIONS + " parts");
      phase = Phase.PARTS;
      return null;
    }
    return s;
  }

  private @Nullable Step parts(Slice slice) {
    JoinOperator j = partJoin;
    if (j == null) {
      part++;
      if (part == PARTITIONS) {
        phase = Phase.DONE;
        return null;
      }
      SpillFile l = leftFiles[part];
      SpillFile r = rightFiles[part];
      leftFiles[part] = null;
      rightFiles[part] = null;
      j =
          new JoinOperator(
              run,
              spec,
              new FileSource(run, l, spec.leftTypes()),
              new FileSource(run, r, spec.rightTypes()),
              level + 1,
              facts);
      partJoin = j;
    }
    Step s = j.step(slice);
    if (s == Step.Signal.DONE) {
      j.close();
      partJoin = null;
      return null;
    }
    return s;
  }

  @Override
  void release() {
    run.memory().unregister(this);
    if (partJoin != null) {
      partJoin.close();
    }
    for (int p = 0; p < PARTITIONS; p++) {
      SpillFile l = leftFiles[p];
      SpillFile r = rightFiles[p];
      if (l != null) {
        l.close();
      }
      if (r != null) {
        r.close();
      }
    }
  }
}

package io.millrace.sql.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/*
 * Inputs to be joined and conditions between them.
 *
 * Sizes. A set of inputs joined is as large as the product of the inputs' rows and of the
 * selectivities of all conditions within it, so whatever the order. An equality leaves one in d
 * pairs, d being how many values its columns have: they are all keys of the smallest table of those
 * that equalities connect them with. Several equalities between two inputs are one key together:
 * they leave no less than one in as many as the smaller input has rows, conditions left aside.
 *
 * Order. Up to ten inputs every tree without needless cross products is looked at, by subset (n
 * inputs, 3^n splits, 59,049 for ten). A tree costs the rows that its joins read, build and give. A
 * cross product is needed between sets that no equality connects with the rest. Above ten: begin
 * with the smallest input, add the connected one that makes the smallest result; with each input's
 * conditions at hand that is n² + n c for n inputs and c conditions.
 *
 * The smaller side of each join stands right, where it is built.
 */
/** Finds an order of joins; one thread, once. */
final class JoinGraph {
  static final int EXACT = 10;

  /** A row that is built costs more than one that passes. */
  private static final double BUILD = 2;

  /** A tree of joins. */
  sealed interface Tree {
    ImmutableBitSet inputs();
  }

  record Input(int input) implements Tree {
    @Override
    public ImmutableBitSet inputs() {
      return ImmutableBitSet.of(input);
    }
  }

  record Pair(Tree left, Tree right, ImmutableBitSet inputs) implements Tree {}

  private record Equality(ImmutableBitSet left, ImmutableBitSet right, int from, int to) {
    ImmutableBitSet both() {
      return left.union(right);
    }
  }

  private record Condition(ImmutableBitSet inputs, double selectivity) {}

  private final int n;
  private final double[] rows;
  private final double[] tables;
  private final List<Equality> equalities = new ArrayList<>();
  private final List<Condition> conditions = new ArrayList<>();

  /** Columns that equalities connect, by any of them: the column that stands for all. */
  private final Map<Integer, Integer> classes = new HashMap<>();

  JoinGraph(int n) {
    this.n = n;
    this.rows = new double[n];
    this.tables = new double[n];
  }

  /**
   * @param of rows of the input
   * @param unfiltered rows of the table it is taken from
   */
  void input(int i, double of, double unfiltered) {
    rows[i] = Math.max(1, of);
    tables[i] = Math.max(rows[i], unfiltered);
  }

  /**
   * An equality of something of some inputs with something of others.
   *
   * @param from the column that the one side is, -1 for an expression
   * @param to likewise
   */
  void equality(ImmutableBitSet left, ImmutableBitSet right, int from, int to) {
    equalities.add(new Equality(left, right, from, to));
    if (from >= 0 && to >= 0) {
      classes.put(root(from), root(to));
    }
  }

  void condition(ImmutableBitSet inputs, double selectivity) {
    conditions.add(new Condition(inputs, selectivity));
  }

  private int root(int column) {
    int at = column;
    for (Integer up = classes.get(at); up != null && up != at; up = classes.get(at)) {
      at = up;
    }
    return at;
  }

  Tree order() {
    weigh();
    return n <= EXACT ? exact() : greedy();
  }

  // ---- sizes ----

  /** Makes conditions with selectivities of the equalities. */
  private void weigh() {
    var values = new HashMap<Integer, Double>();
    for (Equality e : equalities) {
      if (e.from() >= 0 && e.to() >= 0) {
        values.merge(root(e.from()), Math.min(table(e.left()), table(e.right())), Math::min);
      }
    }
    var together = new HashMap<ImmutableBitSet, Double>();
    for (Equality e : equalities) {
      double least = Math.min(table(e.left()), table(e.right()));
      double distinct =
          e.from() >= 0 && e.to() >= 0 ? values.getOrDefault(root(e.from()), least) : least;
      double floor = 1 / least;
      together.merge(e.both(), 1 / distinct, (a, b) -> Math.max(floor, a * b));
    }
    together.forEach((inputs, s) -> conditions.add(new Condition(inputs, s)));
  }

  private double table(ImmutableBitSet inputs) {
    double out = 1;
    for (int i : inputs) {
      out = Math.max(out, tables[i]);
    }
    return out;
  }

  // ---- every order ----

  private Tree exact() {
    int all = (1 << n) - 1;
    double[] size = sizes(all);
    double[] cost = new double[all + 1];
    int[] split = new int[all + 1];
    Arrays.fill(cost, Double.POSITIVE_INFINITY);
    for (int i = 0; i < n; i++) {
      cost[1 << i] = 0;
    }
    int[] lefts = masks(Equality::left);
    int[] rights = masks(Equality::right);
    fill(size, cost, split, new Links(lefts, rights, components(lefts, rights, all)));
    if (cost[all] == Double.POSITIVE_INFINITY) {
      // An equality over products alone: every set may be one.
      fill(size, cost, split, new Links(lefts, rights, new int[0]));
    }
    return tree(all, size, split);
  }

  private static void fill(double[] size, double[] cost, int[] split, Links links) {
    for (int s = 1; s < size.length; s++) {
      if (Integer.bitCount(s) > 1) {
        best(s, size, cost, split, links);
      }
    }
  }

  private record Links(int[] lefts, int[] rights, int[] parts) {
    boolean connects(int a, int b) {
      int both = a | b;
      for (int i = 0; i < lefts.length; i++) {
        int l = lefts[i];
        int r = rights[i];
        if (((l | r) & ~both) == 0
            && ((l & ~a) == 0 && (r & ~b) == 0 || (l & ~b) == 0 && (r & ~a) == 0)) {
          return true;
        }
      }
      return false;
    }

    /** Whether a set is made of whole parts that nothing connects. */
    boolean whole(int s) {
      for (int p : parts) {
        if ((s & p) != 0 && (p & ~s) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  private static void best(int s, double[] size, double[] cost, int[] split, Links links) {
    int lowest = Integer.lowestOneBit(s);
    boolean crossing = links.whole(s);
    for (int a = (s - 1) & s; a > 0; a = (a - 1) & s) {
      int b = s & ~a;
      if ((a & lowest) == 0
          || cost[a] == Double.POSITIVE_INFINITY
          || cost[b] == Double.POSITIVE_INFINITY) {
        continue;
      }
      double built = Math.min(size[a], size[b]);
      double probed = Math.max(size[a], size[b]);
      double here;
      if (links.connects(a, b)) {
        here = built * BUILD + probed + size[s];
      } else if (crossing) {
        here = built * BUILD + built * probed;
      } else {
        continue;
      }
      double total = cost[a] + cost[b] + here;
      if (total < cost[s]) {
        cost[s] = total;
        split[s] = a;
      }
    }
  }

  private double[] sizes(int all) {
    double[] out = new double[all + 1];
    int[] masks = new int[conditions.size()];
    for (int i = 0; i < masks.length; i++) {
      masks[i] = mask(conditions.get(i).inputs());
    }
    for (int s = 1; s <= all; s++) {
      double size = 1;
      for (int i = 0; i < n; i++) {
        size *= (s & 1 << i) != 0 ? rows[i] : 1;
      }
      for (int i = 0; i < masks.length; i++) {
        size *= (masks[i] & ~s) == 0 ? conditions.get(i).selectivity() : 1;
      }
      out[s] = Math.max(1, size);
    }
    return out;
  }

  private int[] masks(java.util.function.Function<Equality, ImmutableBitSet> side) {
    return equalities.stream().mapToInt(e -> mask(side.apply(e))).toArray();
  }

  private static int mask(ImmutableBitSet inputs) {
    int out = 0;
    for (int i : inputs) {
      out |= 1 << i;
    }
    return out;
  }

  /** The sets of inputs that equalities connect. */
  private int[] components(int[] lefts, int[] rights, int all) {
    var out = new ArrayList<Integer>();
    int left = all;
    while (left != 0) {
      int part = Integer.lowestOneBit(left);
      int before = 0;
      while (part != before) {
        before = part;
        for (int i = 0; i < lefts.length; i++) {
          int edge = lefts[i] | rights[i];
          part |= (edge & part) != 0 ? edge : 0;
        }
      }
      out.add(part);
      left &= ~part;
    }
    return out.stream().mapToInt(Integer::intValue).toArray();
  }

  private Tree tree(int s, double[] size, int[] split) {
    if (Integer.bitCount(s) == 1) {
      return new Input(Integer.numberOfTrailingZeros(s));
    }
    int a = split[s];
    if (a == 0) {
      throw new IllegalStateException("no way to join the inputs");
    }
    int b = s & ~a;
    return pair(tree(a, size, split), size[a], tree(b, size, split), size[b]);
  }

  private static Tree pair(Tree a, double sizeA, Tree b, double sizeB) {
    ImmutableBitSet both = a.inputs().union(b.inputs());
    return sizeB <= sizeA ? new Pair(a, b, both) : new Pair(b, a, both);
  }

  // ---- step by step ----

  private Tree greedy() {
    List<List<Condition>> of = new ArrayList<>();
    List<List<Equality>> keys = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      of.add(new ArrayList<>());
      keys.add(new ArrayList<>());
    }
    conditions.forEach(c -> c.inputs().forEach(i -> of.get(i).add(c)));
    equalities.forEach(e -> e.both().forEach(i -> keys.get(i).add(e)));
    int first = 0;
    for (int i = 1; i < n; i++) {
      first = rows[i] < rows[first] ? i : first;
    }
    Tree tree = new Input(first);
    double size = rows[first];
    while (tree.inputs().cardinality() < n) {
      Next next = next(tree.inputs(), size, of, keys);
      tree = pair(tree, size, new Input(next.input()), rows[next.input()]);
      size = next.size();
    }
    return tree;
  }

  private record Next(int input, boolean connected, double size) {
    boolean before(@Nullable Next other) {
      return other == null
          || connected && !other.connected
          || connected == other.connected && size < other.size;
    }
  }

  private Next next(
      ImmutableBitSet there, double size, List<List<Condition>> of, List<List<Equality>> keys) {
    Next best = null;
    for (int i = 0; i < n; i++) {
      if (there.get(i)) {
        continue;
      }
      ImmutableBitSet with = there.set(i);
      double result = size * rows[i];
      for (Condition c : of.get(i)) {
        result *= with.contains(c.inputs()) ? c.selectivity() : 1;
      }
      boolean connected = false;
      ImmutableBitSet own = ImmutableBitSet.of(i);
      for (Equality e : keys.get(i)) {
        connected |=
            e.left().equals(own) && there.contains(e.right())
                || e.right().equals(own) && there.contains(e.left());
      }
      var candidate = new Next(i, connected, Math.max(1, result));
      if (candidate.before(best)) {
        best = candidate;
      }
    }
    if (best == null) {
      throw new IllegalStateException("no input is left");
    }
    return best;
  }
}

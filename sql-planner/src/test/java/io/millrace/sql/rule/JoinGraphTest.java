package io.millrace.sql.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.calcite.util.ImmutableBitSet;
import org.junit.jupiter.api.Test;

/** Orders of joins: the best there is for few inputs, a sane one for many. */
final class JoinGraphTest {
  /** An edge between two inputs, each over a column of its own: input * 100 + number. */
  private record Edge(int a, int b) {}

  private static JoinGraph graph(double[] rows, List<Edge> edges) {
    var out = new JoinGraph(rows.length);
    for (int i = 0; i < rows.length; i++) {
      out.input(i, rows[i], rows[i]);
    }
    int column = 0;
    for (Edge e : edges) {
      out.equality(ImmutableBitSet.of(e.a()), ImmutableBitSet.of(e.b()), column++, column++);
    }
    return out;
  }

  /** Rows of a set joined: each edge leaves one in as many as the smaller side has. */
  private static double size(ImmutableBitSet set, double[] rows, List<Edge> edges) {
    double out = 1;
    for (int i : set) {
      out *= rows[i];
    }
    for (Edge e : edges) {
      out /= set.get(e.a()) && set.get(e.b()) ? Math.min(rows[e.a()], rows[e.b()]) : 1;
    }
    return Math.max(1, out);
  }

  private static boolean connected(ImmutableBitSet a, ImmutableBitSet b, List<Edge> edges) {
    return edges.stream()
        .anyMatch(e -> a.get(e.a()) && b.get(e.b()) || a.get(e.b()) && b.get(e.a()));
  }

  private static double cost(JoinGraph.Tree tree, double[] rows, List<Edge> edges) {
    if (!(tree instanceof JoinGraph.Pair p)) {
      return 0;
    }
    return cost(p.left(), rows, edges)
        + cost(p.right(), rows, edges)
        + joining(p.left().inputs(), p.right().inputs(), rows, edges);
  }

  private static double joining(
      ImmutableBitSet a, ImmutableBitSet b, double[] rows, List<Edge> edges) {
    double x = size(a, rows, edges);
    double y = size(b, rows, edges);
    return 2 * Math.min(x, y) + Math.max(x, y) + size(a.union(b), rows, edges);
  }

  /** The cost of the best tree without cross products, by trying all of them. */
  private static double best(ImmutableBitSet set, double[] rows, List<Edge> edges) {
    if (set.cardinality() == 1) {
      return 0;
    }
    double best = Double.POSITIVE_INFINITY;
    List<Integer> members = set.asList();
    for (int choice = 1; choice < 1 << members.size() - 1; choice++) {
      var left = ImmutableBitSet.builder();
      for (int i = 0; i < members.size(); i++) {
        if ((choice & 1 << i) != 0) {
          left.set(members.get(i));
        }
      }
      ImmutableBitSet a = left.build();
      ImmutableBitSet b = set.except(a);
      if (connected(a, b, edges)) {
        best =
            Math.min(
                best, best(a, rows, edges) + best(b, rows, edges) + joining(a, b, rows, edges));
      }
    }
    return best;
  }

  @Test
  void noTreeOfFewInputsIsCheaperThanTheOneChosen() {
    long seed = 4711;
    var random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      int n = 2 + random.nextInt(5);
      double[] rows = random.doubles(n, 1, 7).map(x -> Math.rint(Math.pow(10, x))).toArray();
      var edges = new ArrayList<Edge>();
      for (int i = 1; i < n; i++) {
        edges.add(new Edge(random.nextInt(i), i));
      }
      if (n > 3 && random.nextBoolean()) {
        edges.add(new Edge(0, n - 1));
      }
      edges.removeIf(e -> Collections.frequency(edges, e) > 1);
      JoinGraph.Tree tree = graph(rows, edges).order();
      double least = best(ImmutableBitSet.range(n), rows, edges);
      assertThat(cost(tree, rows, edges))
          .as("seed %s round %s", seed, round)
          .isCloseTo(least, within(least * 1e-9));
    }
  }

  private static void noCrossProducts(JoinGraph.Tree tree, List<Edge> edges) {
    if (tree instanceof JoinGraph.Pair p) {
      assertThat(connected(p.left().inputs(), p.right().inputs(), edges)).isTrue();
      noCrossProducts(p.left(), edges);
      noCrossProducts(p.right(), edges);
    }
  }

  @Test
  void sixtyFourInputsAreJoinedAlongTheirEqualities() {
    double[] rows = new double[64];
    var edges = new ArrayList<Edge>();
    for (int i = 0; i < rows.length; i++) {
      rows[i] = 10 + (i * 37) % 64 * 1_000;
      if (i > 0) {
        edges.add(new Edge(i, (i * 7 + 3) % i));
      }
    }
    JoinGraph.Tree tree = graph(rows, edges).order();
    assertThat(tree.inputs().cardinality()).isEqualTo(64);
    noCrossProducts(tree, edges);
  }

  @Test
  void theSmallerSideIsBuilt() {
    JoinGraph.Tree tree = graph(new double[] {10, 1_000}, List.of(new Edge(0, 1))).order();
    assertThat(tree)
        .isEqualTo(
            new JoinGraph.Pair(
                new JoinGraph.Input(1), new JoinGraph.Input(0), ImmutableBitSet.of(0, 1)));
  }

  @Test
  void whatNothingConnectsIsMultipliedLast() {
    var edges = List.of(new Edge(0, 1), new Edge(2, 3));
    JoinGraph.Tree tree = graph(new double[] {1e6, 10, 1e6, 10}, edges).order();
    assertThat(tree)
        .isInstanceOfSatisfying(
            JoinGraph.Pair.class,
            p -> {
              noCrossProducts(p.left(), edges);
              noCrossProducts(p.right(), edges);
              assertThat(p.left().inputs().cardinality()).isEqualTo(2);
            });
  }

  @Test
  void anEqualityOverTwoInputsTogetherIsStillJoined() {
    var graph = new JoinGraph(3);
    for (int i = 0; i < 3; i++) {
      graph.input(i, 100, 100);
    }
    graph.equality(ImmutableBitSet.of(0, 1), ImmutableBitSet.of(2), -1, -1);
    assertThat(graph.order().inputs().cardinality()).isEqualTo(3);
  }
}

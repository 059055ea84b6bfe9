package io.millrace.sql.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.partition.PartitionTerm.Op;
import io.millrace.storage.ColumnPredicate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionRuleTest {
  private static final IntFunction<String> NAMES = id -> id == 1 ? "a" : "b";

  /** Values around all that conditions compare with; null is below them. */
  private static final List<@Nullable Integer> VALUES = new ArrayList<>();

  static {
    VALUES.add(null);
    for (int i = -1; i <= 7; i++) {
      VALUES.add(i);
    }
  }

  private static PartitionRule.Column column(int id, SqlType type) {
    return new PartitionRule.Column(id, type, true);
  }

  private static PartitionTerm is(int column, Op op, Object value) {
    return PartitionTerm.compare(op, column, value.toString());
  }

  private static PartitionTerm and(PartitionTerm... terms) {
    return PartitionTerm.and(List.of(terms));
  }

  private static PartitionRule rule(List<PartitionRule.Column> columns, PartitionTerm... terms) {
    return PartitionRule.of(new PartitionRule.Definition(columns, List.of(terms)), NAMES);
  }

  private static PartitionRule onInt(PartitionTerm... terms) {
    return rule(List.of(column(1, SqlType.INT4)), terms);
  }

  private static Vector ints(List<@Nullable Integer> values) {
    var b = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, values.size());
    for (Integer v : values) {
      if (v == null) {
        b.appendNull();
      } else {
        b.append(v);
      }
    }
    return b.build();
  }

  private static Vector texts(String... values) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, values.length);
    for (String v : values) {
      b.append(v);
    }
    return b.build();
  }

  // ---- against a model

  /** Whether a row of two values satisfies a condition, NULL below all. */
  private static boolean holds(PartitionTerm t, @Nullable Integer a, @Nullable Integer b) {
    if (t.op() == Op.AND) {
      return t.args().stream().allMatch(x -> holds(x, a, b));
    }
    if (t.op() == Op.OR) {
      return t.args().stream().anyMatch(x -> holds(x, a, b));
    }
    Integer v = t.columnId() == 1 ? a : b;
    long left = v == null ? Long.MIN_VALUE : v;
    long right = Long.parseLong(t.value());
    return switch (t.op()) {
      case EQ -> left == right;
      case NE -> left != right;
      case LT -> left < right;
      case LE -> left <= right;
      case GT -> left > right;
      case GE -> left >= right;
      case AND, OR -> throw new IllegalStateException();
    };
  }

  /** Splits a condition into ones that exclude each other and make it up. */
  private static void split(
      SplittableRandom random, List<PartitionTerm> path, int depth, List<PartitionTerm> out) {
    if (depth == 0 || (!path.isEmpty() && random.nextInt(3) == 0)) {
      out.add(PartitionTerm.and(path));
      return;
    }
    int column = 1 + random.nextInt(2);
    int value = random.nextInt(7);
    Op[] pair =
        switch (random.nextInt(3)) {
          case 0 -> new Op[] {Op.LT, Op.GE};
          case 1 -> new Op[] {Op.LE, Op.GT};
          default -> new Op[] {Op.EQ, Op.NE};
        };
    for (Op op : pair) {
      var longer = new ArrayList<>(path);
      longer.add(is(column, op, value));
      split(random, longer, depth - 1, out);
    }
  }

  private static List<PartitionTerm> conditions(SplittableRandom random) {
    var out = new ArrayList<PartitionTerm>();
    split(random, List.of(), 1 + random.nextInt(4), out);
    if (out.size() > 2 && random.nextInt(3) == 0) {
      out.add(PartitionTerm.or(List.of(out.removeFirst(), out.removeFirst())));
    }
    if (random.nextBoolean()) { // broken, perhaps
      int at = random.nextInt(out.size());
      PartitionTerm t = out.get(at);
      switch (random.nextInt(3)) {
        case 0 -> out.remove(at);
        case 1 -> out.add(t);
        default ->
            out.set(
                at,
                and(
                    t,
                    is(
                        1 + random.nextInt(2),
                        random.nextBoolean() ? Op.LT : Op.GE,
                        random.nextInt(7))));
      }
    }
    return out;
  }

  @Test
  void what_is_accepted_gives_every_row_one_partition_and_the_rest_is_refused() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new SplittableRandom(seed);
    int accepted = 0;
    int refused = 0;
    for (int round = 0; round < 2_000; round++) {
      List<PartitionTerm> conditions = conditions(random);
      if (conditions.isEmpty()) {
        continue;
      }
      var as = new ArrayList<@Nullable Integer>();
      var bs = new ArrayList<@Nullable Integer>();
      var want = new ArrayList<Integer>();
      boolean valid = true;
      var used = new BitSet();
      for (Integer a : VALUES) {
        for (Integer b : VALUES) {
          List<Integer> hits = new ArrayList<>();
          for (int p = 0; p < conditions.size(); p++) {
            if (holds(conditions.get(p), a, b)) {
              hits.add(p);
            }
          }
          valid &= hits.size() == 1;
          as.add(a);
          bs.add(b);
          want.add(hits.isEmpty() ? -1 : hits.getFirst());
          hits.forEach(used::set);
        }
      }
      valid &= used.cardinality() == conditions.size();
      var columns = List.of(column(1, SqlType.INT4), column(2, SqlType.INT4));
      if (!valid) {
        assertThatThrownBy(() -> rule(columns, conditions.toArray(PartitionTerm[]::new)))
            .as("seed %s round %s: %s", seed, round, conditions)
            .isInstanceOfSatisfying(
                MillraceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OBJECT_DEFINITION));
        refused++;
        continue;
      }
      PartitionRule rule = rule(columns, conditions.toArray(PartitionTerm[]::new));
      assertThat(rule.route(List.of(ints(as), ints(bs)), as.size()))
          .as("seed %s round %s: %s", seed, round, conditions)
          .containsExactly(want.stream().mapToInt(i -> i).toArray());
      prune(random, rule, as, bs, want, "seed " + seed + " round " + round + ": " + conditions);
      accepted++;
    }
    assertThat(accepted).isGreaterThan(500);
    assertThat(refused).isGreaterThan(200);
  }

  /** The partitions of all rows that satisfy the predicates remain. */
  private static void prune(
      SplittableRandom random,
      PartitionRule rule,
      List<@Nullable Integer> as,
      List<@Nullable Integer> bs,
      List<Integer> partitions,
      String what) {
    var predicates = new ArrayList<ColumnPredicate>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      predicates.add(predicate(random));
    }
    var needed = new BitSet();
    for (int r = 0; r < as.size(); r++) {
      Integer a = as.get(r);
      Integer b = bs.get(r);
      if (predicates.stream().allMatch(p -> satisfies(p, p.columnId() == 1 ? a : b))) {
        needed.set(partitions.get(r));
      }
    }
    BitSet left = rule.remaining(predicates);
    needed.andNot(left);
    assertThat(needed.isEmpty()).as("%s, %s: %s", what, predicates, left).isTrue();
  }

  private static ColumnPredicate predicate(SplittableRandom random) {
    int column = 1 + random.nextInt(2);
    return switch (random.nextInt(6)) {
      case 0 -> new ColumnPredicate.IsNull(column);
      case 1 -> new ColumnPredicate.IsNotNull(column);
      case 2 -> {
        int low = random.nextInt(-1, 4);
        yield new ColumnPredicate.In(column, ints(List.of(low, low + 1 + random.nextInt(4))));
      }
      default ->
          new ColumnPredicate.Compare(
              column,
              ColumnPredicate.Op.values()[random.nextInt(6)],
              ints(List.of(random.nextInt(-1, 8))));
    };
  }

  private static boolean satisfies(ColumnPredicate p, @Nullable Integer v) {
    Vector row = ints(java.util.Collections.singletonList(v));
    return switch (p) {
      case ColumnPredicate.IsNull _ -> v == null;
      case ColumnPredicate.IsNotNull _ -> v != null;
      case ColumnPredicate.Text _ -> throw new IllegalArgumentException("no text here");
      case ColumnPredicate.In in ->
          v != null && (row.compare(0, in.values(), 0) == 0 || row.compare(0, in.values(), 1) == 0);
      case ColumnPredicate.Compare c -> {
        int order = v == null ? 0 : row.compare(0, c.constant(), 0);
        yield v != null
            && switch (c.op()) {
              case EQ -> order == 0;
              case NE -> order != 0;
              case LT -> order < 0;
              case LE -> order <= 0;
              case GT -> order > 0;
              case GE -> order >= 0;
            };
      }
    };
  }

  // ---- one by one

  @Test
  void a_gap_is_named_by_a_value_in_it() {
    assertThatThrownBy(() -> onInt(is(1, Op.LT, 10), is(1, Op.GT, 10)))
        .hasMessage("rows with a = 10 belong to no partition");
    assertThatThrownBy(() -> onInt(is(1, Op.LT, 10), is(1, Op.GE, 13)))
        .hasMessage("rows with a = 10 belong to no partition");
    assertThatThrownBy(() -> onInt(is(1, Op.LE, 10), is(1, Op.GE, 13)))
        .hasMessage("rows with a = 11 belong to no partition");
    assertThatThrownBy(
            () ->
                rule(
                    List.of(column(1, SqlType.TEXT)),
                    is(1, Op.LE, "k"),
                    and(is(1, Op.GE, "m"), is(1, Op.LT, "t"))))
        .hasMessage("rows with a > 'k' AND a < 'm' belong to no partition");
  }

  @Test
  void an_overlap_names_a_value_and_both_partitions() {
    assertThatThrownBy(() -> onInt(is(1, Op.LE, 10), is(1, Op.GE, 10)))
        .hasMessage("partition p1 would overlap partition p0: rows with a = 10 belong to both");
  }

  @Test
  void a_partition_that_nothing_belongs_to_is_refused() {
    assertThatThrownBy(
            () -> onInt(is(1, Op.LT, 10), is(1, Op.GE, 10), and(is(1, Op.LT, 3), is(1, Op.GT, 3))))
        .hasMessage("no row belongs to partition p2, a < 3 AND a > 3");
  }

  @Test
  void values_that_a_type_does_not_have_are_no_gap() {
    onInt(is(1, Op.LE, 10), is(1, Op.GE, 11));
    rule(List.of(column(1, SqlType.BOOL)), is(1, Op.LE, "f"), is(1, Op.EQ, "t"));
    rule(
        List.of(new PartitionRule.Column(1, SqlType.BOOL, false)),
        is(1, Op.EQ, "f"),
        is(1, Op.EQ, "t"));
    onInt(is(1, Op.LT, Integer.MAX_VALUE), is(1, Op.EQ, Integer.MAX_VALUE));
  }

  @Test
  void null_is_a_value_below_all_others() {
    assertThatThrownBy(
            () -> rule(List.of(column(1, SqlType.BOOL)), is(1, Op.EQ, "f"), is(1, Op.EQ, "t")))
        .hasMessage("rows with a IS NULL belong to no partition");
    PartitionRule rule = onInt(is(1, Op.GE, 0), is(1, Op.LT, 0));
    List<@Nullable Integer> values = new ArrayList<>();
    values.add(null);
    values.add(0);
    assertThat(rule.route(List.of(ints(values)), 2)).containsExactly(1, 0);
    assertThat(rule.remaining(List.of(new ColumnPredicate.IsNull(1)))).isEqualTo(bits(1));
  }

  @Test
  void codes_of_a_dictionary_go_where_their_texts_go() {
    PartitionRule rule =
        rule(List.of(column(1, SqlType.TEXT)), is(1, Op.LT, "m"), is(1, Op.GE, "m"));
    byte[] bytes = "xam".getBytes(StandardCharsets.UTF_8);
    var dictionary = new DictVector.FixedDictionary(new int[] {0, 1, 2, 3}, bytes, 3, false);
    var coded =
        new DictVector(SqlType.TEXT, new int[] {2, 1, 0, 1}, dictionary, 4, new long[] {0b1011});
    assertThat(rule.route(List.of(coded), 4)).containsExactly(1, 0, 0, 0);
    assertThat(rule.route(List.of(texts("m", "a", "x")), 3)).containsExactly(1, 0, 1);
  }

  @Test
  void predicates_leave_the_partitions_that_may_satisfy_them() {
    PartitionRule rule =
        rule(
            List.of(column(1, SqlType.TEXT), column(2, SqlType.INT4)),
            and(is(1, Op.LT, "h"), is(2, Op.LT, 5)),
            and(is(1, Op.LT, "h"), is(2, Op.GE, 5)),
            is(1, Op.GE, "h"));
    assertThat(rule.remaining(List.of())).isEqualTo(bits(0, 1, 2));
    assertThat(rule.remaining(List.of(text(ColumnPredicate.Op.EQ, "a")))).isEqualTo(bits(0, 1));
    assertThat(rule.remaining(List.of(text(ColumnPredicate.Op.LT, "h")))).isEqualTo(bits(0, 1));
    assertThat(rule.remaining(List.of(text(ColumnPredicate.Op.LE, "h")))).isEqualTo(bits(0, 1, 2));
    assertThat(rule.remaining(List.of(text(ColumnPredicate.Op.GT, "k")))).isEqualTo(bits(2));
    assertThat(
            rule.remaining(
                List.of(
                    text(ColumnPredicate.Op.EQ, "a"),
                    new ColumnPredicate.Compare(2, ColumnPredicate.Op.EQ, ints(List.of(7))))))
        .isEqualTo(bits(1));
    assertThat(
            rule.remaining(
                List.of(text(ColumnPredicate.Op.GT, "k"), text(ColumnPredicate.Op.LT, "b"))))
        .isEqualTo(bits());
  }

  @Test
  void conditions_are_written_as_they_can_be_read_again() {
    PartitionRule rule =
        rule(
            List.of(column(1, SqlType.TEXT), column(2, SqlType.FLOAT8)),
            and(
                PartitionTerm.or(List.of(is(1, Op.LT, "o'k"), is(1, Op.GT, "o'k"))),
                is(2, Op.LT, "1.5")),
            and(is(1, Op.EQ, "o'k"), is(2, Op.LT, "1.5")),
            is(2, Op.GE, "1.5"));
    assertThat(rule.expression(0, NAMES)).isEqualTo("(a < 'o''k' OR a > 'o''k') AND b < 1.5");
    assertThat(rule.expression(1, NAMES)).isEqualTo("a = 'o''k' AND b < 1.5");
  }

  private static ColumnPredicate text(ColumnPredicate.Op op, String value) {
    return new ColumnPredicate.Compare(1, op, texts(value));
  }

  private static BitSet bits(int... set) {
    var out = new BitSet();
    for (int i : set) {
      out.set(i);
    }
    return out;
  }
}

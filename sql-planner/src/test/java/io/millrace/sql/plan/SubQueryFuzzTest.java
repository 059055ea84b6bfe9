package io.millrace.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random queries with sub-queries give the same rows, or the same error, whether correlated ones
 * are made joins or run per row.
 */
final class SubQueryFuzzTest {
  private static final int QUERIES = 800;

  private static final String[][] TABLES = {
    {"r", "a", "b"}, {"s", "c", "d"}, {"t", "e", "f"},
  };

  private static TestTables tables() {
    return new TestTables()
        .table("r", List.of("a int4", "b int4"), "1|1", "1|2", "2|", "|3", "3|3", "4|1", "2|2")
        .table("s", List.of("c int4", "d int4"), "1|2", "2|2", "|1", "3|", "3|4", "1|1")
        .table("t", List.of("e int4", "f int4"), "2|1", "2|", "3|3", "5|2");
  }

  @Test
  void joinsAndLoopsAgree() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new Random(seed);
    try (var joins = new SqlFixture(tables(), true);
        var loops = new SqlFixture(tables(), false)) {
      for (int i = 0; i < QUERIES; i++) {
        String text = new Generator(random).query();
        assertThat(run(joins, text)).as("seed %s: %s", seed, text).isEqualTo(run(loops, text));
      }
    }
  }

  private static List<String> run(SqlFixture f, String text) {
    try {
      var rows = new ArrayList<>(f.rows(text));
      rows.sort(null);
      return rows;
    } catch (MillraceException e) {
      return List.of(e.sqlState());
    }
  }

  /** Queries over the three tables, two levels deep. */
  private static final class Generator {
    private final Random random;
    private int aliases;

    Generator(Random random) {
      this.random = random;
    }

    private String pick(String... options) {
      return options[random.nextInt(options.length)];
    }

    String query() {
      String[] t = TABLES[random.nextInt(3)];
      String alias = "q" + aliases++;
      List<String> own = List.of(alias + "." + t[1], alias + "." + t[2]);
      var items = new ArrayList<String>(own);
      if (random.nextInt(3) == 0) {
        items.add(scalar(own, 1));
      }
      if (random.nextInt(3) == 0) {
        items.add(condition(own, 1));
      }
      String from = t[0] + " " + alias;
      if (random.nextInt(4) == 0) {
        String[] u = TABLES[random.nextInt(3)];
        String other = "q" + aliases++;
        var both = new ArrayList<>(own);
        both.add(other + "." + u[1]);
        both.add(other + "." + u[2]);
        from +=
            pick(" JOIN ", " LEFT JOIN ", " RIGHT JOIN ")
                + u[0]
                + " "
                + other
                + " ON "
                + condition(both, random.nextInt(2));
        items.add(other + "." + u[1]);
        own = both;
      }
      return "SELECT "
          + String.join(", ", items)
          + " FROM "
          + from
          + " WHERE "
          + condition(own, 1)
          + (random.nextBoolean() ? " AND " + condition(own, 1) : "");
    }

    private String column(List<String> scope) {
      return scope.get(random.nextInt(scope.size()));
    }

    private String op() {
      return pick("=", "=", "=", "<>", "<", ">=");
    }

    private String condition(List<String> scope, int depth) {
      if (depth == 0) {
        return switch (random.nextInt(4)) {
          case 0 -> column(scope) + " IS NOT NULL";
          case 1 -> column(scope) + " > " + random.nextInt(4);
          default -> column(scope) + " " + op() + " " + column(scope);
        };
      }
      return switch (random.nextInt(9)) {
        case 0 -> "EXISTS (" + sub("1", scope, depth) + ")";
        case 1 -> "NOT EXISTS (" + sub("1", scope, depth) + ")";
        case 2 -> column(scope) + " IN (" + sub(null, scope, depth) + ")";
        case 3 -> column(scope) + " NOT IN (" + sub(null, scope, depth) + ")";
        case 4 ->
            column(scope)
                + " "
                + op()
                + " "
                + pick("ANY", "ALL")
                + " ("
                + sub(null, scope, depth)
                + ")";
        case 5 -> scalar(scope, depth) + " " + op() + " " + column(scope);
        case 6 -> "(" + condition(scope, depth) + " OR " + condition(scope, 0) + ")";
        case 7 -> "NOT (" + condition(scope, depth) + ")";
        default -> condition(scope, 0);
      };
    }

    private String scalar(List<String> scope, int depth) {
      String aggregate = pick("count(*)", "max(#)", "sum(#)", "count(#) + 1", "min(#) + max(#)");
      return "(" + sub(aggregate, scope, depth) + ")";
    }

    /**
     * @param item a '#' in it is a column of the sub-query; null for a column of it
     */
    private String sub(@Nullable String item, List<String> outer, int depth) {
      String[] t = TABLES[random.nextInt(3)];
      String alias = "q" + aliases++;
      List<String> own = List.of(alias + "." + t[1], alias + "." + t[2]);
      var all = new ArrayList<>(own);
      all.addAll(outer);
      String select = item == null ? column(own) : item.replace("#", column(own));
      String group = "";
      if (item == null && random.nextInt(4) == 0) {
        group = " GROUP BY " + select;
      }
      return "SELECT "
          + select
          + " FROM "
          + t[0]
          + " "
          + alias
          + " WHERE "
          + condition(all, random.nextInt(3) == 0 ? depth - 1 : 0)
          + (random.nextBoolean() ? " AND " + condition(all, depth - 1) : "")
          + group;
    }
  }
}

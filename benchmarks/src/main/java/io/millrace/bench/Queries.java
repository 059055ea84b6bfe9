package io.millrace.bench;

import java.time.LocalDateTime;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The fifteen query types of TSBS on cpu data. Each run of a type asks about other hosts and
 * another time, chosen by the seed and the run's number.
 */
final class Queries {
  static final List<String> NAMES =
      List.of(
          "single-groupby-1-1-1",
          "single-groupby-1-1-12",
          "single-groupby-1-8-1",
          "single-groupby-5-1-1",
          "single-groupby-5-1-12",
          "single-groupby-5-8-1",
          "cpu-max-all-1",
          "cpu-max-all-8",
          "double-groupby-1",
          "double-groupby-5",
          "double-groupby-all",
          "high-cpu-1",
          "high-cpu-all",
          "lastpoint",
          "groupby-orderby-limit");

  private static final int ALL = CpuData.METRICS.size();

  private final CpuData data;
  private final long seed;

  Queries(CpuData data, long seed) {
    this.data = data;
    this.seed = seed;
  }

  /** The statement of a query type for one run. */
  String sql(String name, int run) {
    var random = new SplittableRandom(seed * 1_000_003 + name.hashCode() * 31L + run);
    String[] part = name.split("-");
    if (name.startsWith("single-groupby")) {
      int hosts = Integer.parseInt(part[3]);
      int hours = Integer.parseInt(part[4]);
      return maxima("minute", Integer.parseInt(part[2]), hosts, hours, random);
    }
    if (name.startsWith("cpu-max-all")) {
      return maxima("hour", ALL, Integer.parseInt(part[3]), 8, random);
    }
    if (name.startsWith("double-groupby")) {
      return averages(part[2].equals("all") ? ALL : Integer.parseInt(part[2]), random);
    }
    return switch (name) {
      case "high-cpu-1" -> highCpu(random) + " AND " + hosts(1, random);
      case "high-cpu-all" -> highCpu(random);
      case "lastpoint" ->
          "SELECT DISTINCT ON (hostname) "
              + CpuData.columns()
              + " FROM cpu ORDER BY hostname, ts DESC";
      case "groupby-orderby-limit" -> newestMinutes(random);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private String maxima(String unit, int metrics, int hosts, int hours, SplittableRandom random) {
    return "SELECT date_trunc('%s', ts) AS t, %s FROM cpu WHERE %s AND %s GROUP BY t ORDER BY t"
        .formatted(unit, calls("max", metrics), hosts(hosts, random), range(hours, random));
  }

  private String averages(int metrics, SplittableRandom random) {
    return ("SELECT date_trunc('hour', ts) AS t, hostname, %s FROM cpu WHERE %s"
            + " GROUP BY t, hostname ORDER BY t, hostname")
        .formatted(calls("avg", metrics), range(12, random));
  }

  private String highCpu(SplittableRandom random) {
    return "SELECT "
        + CpuData.columns()
        + " FROM cpu WHERE usage_user > 90 AND "
        + range(12, random);
  }

  private String newestMinutes(SplittableRandom random) {
    long seconds = (long) data.steps() * data.stepSeconds();
    long until = seconds / 2 + random.nextLong(seconds / 2);
    return ("SELECT date_trunc('minute', ts) AS t, max(usage_user) FROM cpu WHERE ts < %s"
            + " GROUP BY t ORDER BY t DESC LIMIT 5")
        .formatted(literal(CpuData.timeAt(until)));
  }

  private static String calls(String function, int metrics) {
    return CpuData.METRICS.stream()
        .limit(metrics)
        .map(m -> "%s(%s) AS %s_%s".formatted(function, m, function, m))
        .collect(Collectors.joining(", "));
  }

  private String hosts(int count, SplittableRandom random) {
    var chosen = new TreeSet<Integer>();
    while (chosen.size() < Math.min(count, data.hosts())) {
      chosen.add(random.nextInt(data.hosts()));
    }
    String list = chosen.stream().map(h -> "'host_" + h + "'").collect(Collectors.joining(", "));
    return chosen.size() == 1 ? "hostname = " + list : "hostname IN (" + list + ")";
  }

  /** Some hours within the data; all of it if there is less. */
  private String range(int hours, SplittableRandom random) {
    long all = (long) data.steps() * data.stepSeconds();
    long length = hours * 3600L;
    long from = all > length ? random.nextLong(all - length) : 0;
    return "ts >= %s AND ts < %s"
        .formatted(literal(CpuData.timeAt(from)), literal(CpuData.timeAt(from + length)));
  }

  private static String literal(LocalDateTime time) {
    return "'" + Times.text(time) + "'";
  }
}

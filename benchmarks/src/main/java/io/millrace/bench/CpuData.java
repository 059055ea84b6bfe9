package io.millrace.bench;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The cpu measurements of a fleet of hosts, shaped as TSBS makes them: ten tags that never change,
 * ten metrics that each walk at random between 0 and 100, one row a host and step. Everything
 * follows from the seed, so that two runs load and ask the same, and an answer can be checked.
 */
final class CpuData {
  static final List<String> TAGS =
      List.of(
          "hostname",
          "region",
          "datacenter",
          "rack",
          "os",
          "arch",
          "team",
          "service",
          "service_version",
          "service_environment");
  static final List<String> METRICS =
      List.of(
          "usage_user",
          "usage_system",
          "usage_idle",
          "usage_nice",
          "usage_iowait",
          "usage_irq",
          "usage_softirq",
          "usage_steal",
          "usage_guest",
          "usage_guest_nice");

  private static final List<String> REGIONS =
      List.of(
          "us-east-1",
          "us-west-1",
          "us-west-2",
          "eu-west-1",
          "eu-central-1",
          "ap-southeast-1",
          "ap-southeast-2",
          "ap-northeast-1",
          "sa-east-1");
  private static final List<String> SYSTEMS =
      List.of("Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10");
  private static final List<String> TEAMS = List.of("SF", "NYC", "LON", "CHI");
  private static final List<String> STAGES = List.of("production", "staging", "test");
  private static final long START = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();

  private final int hosts;
  private final int steps;
  private final int stepSeconds;
  private final List<List<String>> tags;
  private final byte[] values;

  CpuData(int hosts, int hours, int stepSeconds, long seed) {
    this.hosts = hosts;
    this.stepSeconds = stepSeconds;
    this.steps = Math.toIntExact(hours * 3600L / stepSeconds);
    var random = new SplittableRandom(seed);
    this.tags = IntStream.range(0, hosts).mapToObj(h -> tags(h, random)).toList();
    this.values = new byte[Math.toIntExact((long) steps * hosts * METRICS.size())];
    walk(random);
  }

  private static List<String> tags(int host, SplittableRandom random) {
    String region = pick(REGIONS, random);
    return List.of(
        "host_" + host,
        region,
        region + (char) ('a' + random.nextInt(3)),
        Integer.toString(random.nextInt(100)),
        pick(SYSTEMS, random),
        random.nextBoolean() ? "x64" : "x86",
        pick(TEAMS, random),
        Integer.toString(random.nextInt(20)),
        Integer.toString(random.nextInt(2)),
        pick(STAGES, random));
  }

  private static String pick(List<String> from, SplittableRandom random) {
    return from.get(random.nextInt(from.size()));
  }

  private void walk(SplittableRandom random) {
    int width = hosts * METRICS.size();
    var now = new double[width];
    for (int i = 0; i < width; i++) {
      now[i] = random.nextInt(101);
    }
    for (int s = 0, at = 0; s < steps; s++) {
      for (int i = 0; i < width; i++) {
        // The sum of three uniform numbers is near enough to a normal one for a walk.
        double move = 2 * (random.nextDouble() + random.nextDouble() + random.nextDouble()) - 3;
        now[i] = Math.clamp(now[i] + move, 0, 100);
        values[at++] = (byte) now[i];
      }
    }
  }

  int hosts() {
    return hosts;
  }

  int steps() {
    return steps;
  }

  long rows() {
    return (long) steps * hosts;
  }

  int stepSeconds() {
    return stepSeconds;
  }

  List<String> tags(int host) {
    return tags.get(host);
  }

  int value(int step, int host, int metric) {
    return values[(step * hosts + host) * METRICS.size() + metric];
  }

  LocalDateTime time(int step) {
    return timeAt((long) step * stepSeconds);
  }

  /** So many seconds after the first row. */
  static LocalDateTime timeAt(long seconds) {
    return LocalDateTime.ofEpochSecond(START + seconds, 0, ZoneOffset.UTC);
  }

  static String columns() {
    return "ts, " + String.join(", ", TAGS) + ", " + String.join(", ", METRICS);
  }

  /** The lines of COPY's text format for one step, all hosts. */
  byte[] copyLines(int step) {
    String time = Times.text(time(step));
    var out = new StringBuilder(hosts * 128);
    for (int h = 0; h < hosts; h++) {
      out.append(time);
      for (String tag : tags(h)) {
        out.append('\t').append(tag);
      }
      for (int m = 0; m < METRICS.size(); m++) {
        out.append('\t').append(value(step, h, m));
      }
      out.append('\n');
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }
}

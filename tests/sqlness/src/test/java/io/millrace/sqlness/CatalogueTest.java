package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Types, casts, operators and functions are PostgreSQL 15's: those over the types that we have were
 * read from its catalogues (one row a line), and our catalogues, which the analyser resolves names
 * by, hold the same rows. What is not there is listed with its reason in missing.tsv.
 */
class CatalogueTest {
  private static final Path FOLDER = Path.of("exact", "catalogue");
  @TempDir static Path scratch;
  static Server server;
  static Wire wire;

  /** Names of types by their oids. */
  private static final Map<String, String> TYPES = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    server =
        new Server.Child(
            scratch.resolve("data"),
            List.of(
                System.getProperty("java.class.path")
                    .split(System.getProperty("path.separator"), -1)));
    wire = new Wire(server.host(), server.port(), "millrace", "millrace");
    rows("SELECT oid, typname FROM pg_type").forEach(r -> TYPES.put(r.get(0), r.get(1)));
  }

  @AfterAll
  static void stop() throws Exception {
    wire.close();
    server.close();
  }

  private static List<List<String>> rows(String sql) throws IOException {
    Wire.Reply reply = wire.query(sql);
    assertThat(reply.error()).isEmpty();
    return reply.rows().stream()
        .map(r -> r.stream().map(v -> v == null ? "" : v).toList())
        .toList();
  }

  private static List<List<String>> expected(String file) throws IOException {
    return Files.readAllLines(FOLDER.resolve(file)).stream()
        .map(l -> List.of(l.split("\t", -1)))
        .toList();
  }

  private static List<Pattern> missing(String kind) throws IOException {
    var out = new ArrayList<Pattern>();
    for (String line : Files.readAllLines(FOLDER.resolve("missing.tsv"))) {
      if (line.startsWith(kind + " ")) {
        out.add(Pattern.compile(line.split("\t", -1)[0].substring(kind.length() + 1)));
      }
    }
    return out;
  }

  private static String types(String oids) {
    return oids.isEmpty()
        ? ""
        : Arrays.stream(oids.split(" "))
            .map(t -> TYPES.getOrDefault(t, t))
            .collect(Collectors.joining(","));
  }

  /** Rows by their key, the first columns of which some are oids of types. */
  private static void compare(
      List<List<String>> expected,
      List<List<String>> actual,
      int key,
      int name,
      List<Pattern> missing) {
    var ours = new HashMap<List<String>, List<String>>();
    actual.forEach(r -> ours.put(r.subList(0, key), r));
    var wrong = new ArrayList<String>();
    for (List<String> row : expected) {
      List<String> own = ours.get(row.subList(0, key));
      if (own == null) {
        if (missing.stream().noneMatch(p -> p.matcher(row.get(name)).find())) {
          wrong.add("missing " + row);
        }
      } else if (!own.equals(row)) {
        wrong.add(own + " instead of " + row);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void typesAreTheSame() throws IOException {
    compare(
        expected("types.tsv"),
        rows(
            "SELECT typname, oid, typcategory, typispreferred, typlen, typarray FROM pg_type"
                + " WHERE typnamespace = 'pg_catalog'::regnamespace"),
        1,
        0,
        List.of());
  }

  @Test
  void castsAreTheSame() throws IOException {
    var ours = new ArrayList<List<String>>();
    for (List<String> r :
        rows("SELECT castsource, casttarget, castcontext, castmethod FROM pg_cast")) {
      ours.add(List.of(types(r.get(0)), types(r.get(1)), r.get(2), r.get(3)));
    }
    compare(expected("casts.tsv"), ours, 2, 0, List.of());
  }

  @Test
  void operatorsAreTheSame() throws IOException {
    var names = new HashMap<String, String>();
    rows("SELECT oid, oprname FROM pg_operator").forEach(r -> names.put(r.get(0), r.get(1)));
    var functions = new HashMap<String, List<String>>();
    rows("SELECT oid, provolatile, proisstrict FROM pg_proc")
        .forEach(r -> functions.put(r.get(0), r.subList(1, 3)));
    var ours = new ArrayList<List<String>>();
    for (List<String> r :
        rows(
            "SELECT oid, oprname, oprleft, oprright, oprresult, oprcom, oprnegate, oprcode::oid"
                + " FROM pg_operator")) {
      var row = new ArrayList<>(r.subList(0, 2));
      row.add(r.get(2).equals("0") ? "" : types(r.get(2)));
      row.add(types(r.get(3)));
      row.add(types(r.get(4)));
      row.add(names.getOrDefault(r.get(5), ""));
      row.add(names.getOrDefault(r.get(6), ""));
      row.addAll(functions.getOrDefault(r.get(7), List.of("i", "t")));
      ours.add(row);
    }
    compare(expected("operators.tsv"), ours, 4, 1, missing("operator"));
  }

  @Test
  void functionsAreTheSame() throws IOException {
    var ours = new ArrayList<List<String>>();
    for (List<String> r :
        rows(
            "SELECT oid, proname, prokind, proargtypes, provariadic <> 0, prorettype, proretset,"
                + " provolatile, proisstrict, pronargdefaults FROM pg_proc")) {
      var row = new ArrayList<>(r);
      row.set(3, types(r.get(3)));
      row.set(5, types(r.get(5)));
      ours.add(row);
    }
    compare(expected("functions.tsv"), ours, 1, 1, missing("function"));
  }
}

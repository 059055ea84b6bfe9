package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.sql.semantics.FunctionRow;
import io.millrace.sql.semantics.OperatorRow;
import io.millrace.sql.semantics.Semantics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Types, functions and operators that come with the server, by oid and by name. */
final class BuiltIns {
  private final Map<String, List<@Nullable String[]>> rows;
  private final Map<Integer, Type> types = new HashMap<>();
  private final Map<String, Type> typesByName = new HashMap<>();
  private final Map<Integer, Proc> procs = new HashMap<>();
  private final Map<String, List<Proc>> procsByName = new HashMap<>();
  private final Map<Integer, OperatorRow> operators = new HashMap<>();

  /** What pg_type says. */
  record Type(
      int oid,
      String name,
      int length,
      boolean byValue,
      char type,
      char align,
      char storage,
      int element,
      int array,
      int collation) {}

  /**
   * A function.
   *
   * @param row null for those that only types and access methods use
   */
  record Proc(int oid, String schema, String name, List<Integer> args, @Nullable FunctionRow row) {}

  BuiltIns(Semantics semantics) {
    rows = Resources.rows();
    for (@Nullable String[] r : rows("pg_type")) {
      var t =
          new Type(
              number(r[0]),
              text(r[1]),
              number(r[4]),
              "t".equals(r[5]),
              text(r[6]).charAt(0),
              text(r[22]).charAt(0),
              text(r[23]).charAt(0),
              number(r[13]),
              number(r[14]),
              number(r[28]));
      types.put(t.oid(), t);
      typesByName.put(t.name(), t);
    }
    for (FunctionRow f : semantics.allFunctions()) {
      boolean other = f.name().startsWith("information_schema.");
      String name = other ? f.name().substring("information_schema.".length()) : f.name();
      add(
          new Proc(
              f.oid(),
              other ? "information_schema" : "pg_catalog",
              name,
              f.args().stream().map(SqlType::oid).toList(),
              f));
    }
    for (@Nullable String[] r : rows("pg_proc")) {
      int oid = number(r[0]);
      if (!procs.containsKey(oid)) {
        var args = new ArrayList<Integer>();
        for (String a : text(r[19]).split(" ")) {
          if (!a.isEmpty()) {
            args.add(number(a));
          }
        }
        add(new Proc(oid, "pg_catalog", text(r[1]), args, null));
      }
    }
    for (OperatorRow o : semantics.allOperators()) {
      operators.put(o.oid(), o);
    }
  }

  private void add(Proc p) {
    procs.put(p.oid(), p);
    procsByName.computeIfAbsent(p.name(), _ -> new ArrayList<>()).add(p);
  }

  private static String text(@Nullable String s) {
    return Objects.requireNonNull(s);
  }

  static int number(@Nullable String s) {
    return (int) Long.parseLong(text(s));
  }

  List<@Nullable String[]> rows(String relation) {
    return rows.getOrDefault(relation, List.of());
  }

  @Nullable Type type(int oid) {
    return types.get(oid);
  }

  @Nullable Type type(String name) {
    return typesByName.get(name);
  }

  @Nullable Proc proc(int oid) {
    return procs.get(oid);
  }

  List<Proc> procs(String name) {
    return procsByName.getOrDefault(name, List.of());
  }

  /** Functions, in the order of their oids. */
  List<Proc> procs() {
    return procs.values().stream()
        .sorted((a, b) -> Integer.compareUnsigned(a.oid(), b.oid()))
        .toList();
  }

  boolean usableOperator(int oid) {
    return operators.containsKey(oid);
  }

  @Nullable String operator(int oid) {
    OperatorRow o = operators.get(oid);
    return o == null ? null : o.name();
  }

  @Nullable OperatorRow operatorRow(int oid) {
    return operators.get(oid);
  }

  int operator(String name) {
    for (var e : operators.entrySet()) {
      if (e.getValue().name().equals(name)) {
        return e.getKey();
      }
    }
    return 0;
  }
}

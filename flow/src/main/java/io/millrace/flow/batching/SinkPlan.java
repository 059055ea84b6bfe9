package io.millrace.flow.batching;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.flow.ledger.SinkDiff;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableDefinition.ColumnDefinition;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * How output rows become sink rows.
 *
 * The sink's key must cover the output key, so that no two output rows meet in one sink row. An automatic
 * sink takes the window's start (else the first timestamp of the key, else of the output) as its time index
 * and the rest of the shown key as its primary key; where a part of the key is not shown it gets the tag
 * __flow_key, a hash of the whole key.
 */
/**
 * Sink columns of a flow: the definition of an automatic sink, and the mapping onto one that
 * exists.
 */
public final class SinkPlan {
  public static final String UPDATE_AT = "update_at";
  public static final String PLACEHOLDER = "__ts_placeholder";
  public static final String FLOW_KEY = "__flow_key";

  private SinkPlan() {}

  /** Source of one sink column. */
  public sealed interface Source {
    /** Column of the extended output. */
    record Output(int place) implements Source {}

    /** Hash of the output key. */
    record KeyHash() implements Source {}

    /** The epoch, for placeholders. */
    record Epoch() implements Source {}
  }

  /**
   * @param shape ids for the diff
   * @param keys sources of the sink's key columns, in the shape's order
   * @param columns sources of the other columns, in the shape's order
   * @param types types of key and other columns in the sink
   */
  public record Mapping(
      SinkDiff.Shape shape, List<Source> keys, List<Source> columns, List<SqlType> types) {}

  /** Names of the output columns, duplicates made distinct by _1, _2. */
  static List<String> names(FlowPlan plan) {
    var out = new ArrayList<String>();
    Set<String> taken = new HashSet<>();
    for (PlanTemplate.ResultColumn c : plan.columns()) {
      String name = c.name().equals("?column?") ? "column" : c.name();
      String free = name;
      for (int i = 1; !taken.add(free); i++) {
        free = name + "_" + i;
      }
      out.add(free);
    }
    return out;
  }

  private static SqlType stored(SqlType t) {
    return t.kind() == TypeKind.UNKNOWN ? SqlType.TEXT : t;
  }

  private static boolean shown(FlowPlan plan, int place) {
    return place < plan.columns().size();
  }

  /** Place of the column that becomes the time index; -1 for the placeholder. */
  private static int timePlace(FlowPlan plan) {
    if (plan.windowPlace() >= 0
        && shown(plan, plan.windowPlace())
        && plan.columns().get(plan.windowPlace()).type().kind().isTimestamp()) {
      return plan.windowPlace();
    }
    if (plan.aggregates()) {
      return -1;
    }
    for (int i = 0; i < plan.columns().size(); i++) {
      if (plan.columns().get(i).type().kind().isTimestamp() && plan.key().contains(i)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean keyIsShown(FlowPlan plan) {
    return plan.key().stream().allMatch(k -> shown(plan, k));
  }

  /** The automatic sink. */
  public static TableDefinition definition(
      FlowPlan plan, String database, String schema, String name, String flow) {
    List<String> names = names(plan);
    int time = timePlace(plan);
    boolean natural = keyIsShown(plan) && !plan.bag();
    var columns = new ArrayList<ColumnDefinition>();
    var key = new ArrayList<String>();
    var hidden = new ArrayList<String>();
    if (!natural) {
      columns.add(column(FLOW_KEY, SqlType.BYTEA, true));
      key.add(FLOW_KEY);
      hidden.add(FLOW_KEY);
    }
    for (int i = 0; i < names.size(); i++) {
      columns.add(column(names.get(i), stored(plan.columns().get(i).type()), i == time));
      if (natural && i != time && plan.key().contains(i)) {
        key.add(names.get(i));
      }
    }
    if (!names.contains(UPDATE_AT)) {
      columns.add(column(UPDATE_AT, SqlType.of(TypeKind.TIMESTAMP, 3), false));
    }
    if (time < 0) {
      columns.add(column(PLACEHOLDER, SqlType.of(TypeKind.TIMESTAMP, 3), true));
    }
    return new TableDefinition(
        database,
        schema,
        name,
        columns,
        key,
        Optional.of(time < 0 ? PLACEHOLDER : names.get(time)),
        List.of(),
        Map.of(),
        Optional.of("created automatically by flow " + flow),
        false,
        hidden);
  }

  private static ColumnDefinition column(String name, SqlType type, boolean notNull) {
    return new ColumnDefinition(
        name, type, type.sqlName(), notNull, Optional.empty(), Optional.empty(), "");
  }

  /**
   * The mapping onto a sink.
   *
   * @throws MillraceException DATATYPE_MISMATCH or INVALID_TABLE_DEFINITION naming both column sets
   */
  public static Mapping map(FlowPlan plan, TableInfo sink, TableInfo ledger) {
    Map<Integer, Source> byId = sources(plan, sink);
    var keyIds = new ArrayList<>(sink.storage().tagIds());
    keyIds.add(sink.storage().timeIndexId());
    var keys = new ArrayList<Source>();
    for (int id : keyIds) {
      Source s = byId.get(id);
      if (s == null) {
        throw mismatch(plan, sink, "key column \"" + name(sink, id) + "\" is not given");
      }
      keys.add(s);
    }
    boolean hashed = keys.stream().anyMatch(s -> s instanceof Source.KeyHash);
    if (plan.bag() && !hashed) {
      throw mismatch(
          plan, sink, "output rows may be equal, so that they would meet in one sink row");
    }
    for (int k : plan.key()) {
      if (!hashed && !keys.contains(new Source.Output(k))) {
        throw mismatch(
            plan,
            sink,
            "its key does not cover the output key ("
                + keyNames(plan)
                + "), so different output rows would meet in one sink row");
      }
    }
    var ids = new ArrayList<Integer>();
    var columns = new ArrayList<Source>();
    int updateAt = -1;
    boolean others = false;
    SqlType updateType = SqlType.TIMESTAMP;
    for (TableInfo.Column c : sink.columns()) {
      if (keyIds.contains(c.id())) {
        continue;
      }
      Source s = byId.get(c.id());
      if (s != null) {
        ids.add(c.id());
        columns.add(s);
      } else if (c.name().equals(UPDATE_AT) && c.type().kind().isTimestamp()) {
        updateAt = c.id();
        updateType = c.type();
      } else {
        others = true;
      }
    }
    var types = new ArrayList<SqlType>();
    for (int id : keyIds) {
      types.add(type(sink, id));
    }
    for (int id : ids) {
      types.add(type(sink, id));
    }
    return new Mapping(
        new SinkDiff.Shape(
            sink, ledger, keyIds, ids, others && mergesFields(sink), updateAt, updateType),
        keys,
        columns,
        types);
  }

  private static boolean mergesFields(TableInfo sink) {
    return sink.regionOptions().mergeMode() == RegionOptions.MergeMode.LAST_NON_NULL;
  }

  private static String keyNames(FlowPlan plan) {
    List<String> names = names(plan);
    return String.join(
        ", ",
        plan.key().stream().map(k -> shown(plan, k) ? names.get(k) : "a key not shown").toList());
  }

  private static SqlType type(TableInfo t, int id) {
    return t.storage().columns().get(t.storage().indexOf(id)).type();
  }

  private static String name(TableInfo t, int id) {
    return t.storage().columns().get(t.storage().indexOf(id)).name();
  }

  /** Sink columns by id, matched by name, else all by position. */
  private static Map<Integer, Source> sources(FlowPlan plan, TableInfo sink) {
    List<String> names = names(plan);
    var out = new HashMap<Integer, Source>();
    boolean byName = names.stream().allMatch(n -> sink.column(n).isPresent());
    List<TableInfo.Column> open =
        sink.columns().stream()
            .filter(c -> !c.name().equals(UPDATE_AT) && !c.name().equals(PLACEHOLDER))
            .toList();
    if (!byName && open.size() < names.size()) {
      throw mismatch(plan, sink, "it has fewer columns");
    }
    for (int i = 0; i < names.size(); i++) {
      TableInfo.Column c = byName ? sink.column(names.get(i)).orElseThrow() : open.get(i);
      if (!assignable(plan.columns().get(i).type(), c.type())) {
        throw mismatch(
            plan,
            sink,
            "column \""
                + c.name()
                + "\" is of type "
                + c.type()
                + " but the output is "
                + plan.columns().get(i).type());
      }
      out.put(c.id(), new Source.Output(i));
    }
    sink.column(PLACEHOLDER).ifPresent(c -> out.putIfAbsent(c.id(), new Source.Epoch()));
    for (var stored : sink.storage().columns()) {
      if (stored.name().equals(FLOW_KEY)) {
        out.put(stored.id(), new Source.KeyHash());
      }
    }
    int time = sink.storage().timeIndexId();
    if (!out.containsKey(time) && name(sink, time).equals(UPDATE_AT)) {
      throw mismatch(plan, sink, "its time index is the update time");
    }
    return out;
  }

  /** Whether values convert by their text form without losing their meaning. */
  static boolean assignable(SqlType from, SqlType to) {
    if (from.sameKind(to)) {
      return true;
    }
    char a = from.kind().category();
    char b = to.kind().category();
    boolean text = to.kind().isText();
    return text || a == b || from.kind() == TypeKind.UNKNOWN;
  }

  private static MillraceException mismatch(FlowPlan plan, TableInfo sink, String why) {
    var output = new ArrayList<String>();
    List<String> names = names(plan);
    for (int i = 0; i < names.size(); i++) {
      output.add(names.get(i) + " " + plan.columns().get(i).type());
    }
    var have = sink.columns().stream().map(c -> c.name() + " " + c.type()).toList();
    var missing = names.stream().filter(n -> sink.column(n).isEmpty()).toList();
    var extra =
        sink.columns().stream()
            .map(TableInfo.Column::name)
            .filter(n -> !names.contains(n) && !n.equals(UPDATE_AT) && !n.equals(PLACEHOLDER))
            .toList();
    return new MillraceException(
            ErrorCode.DATATYPE_MISMATCH,
            "sink table \"" + sink.name() + "\" cannot hold the flow's output: " + why)
        .withDetail(
            "Output: ("
                + String.join(", ", output)
                + "). Sink: ("
                + String.join(", ", have)
                + "). Missing: ["
                + String.join(", ", missing)
                + "]. Extra: ["
                + String.join(", ", extra)
                + "].")
        .withHint("Leave the sink out to have it created, or create it with the output's columns.");
  }
}

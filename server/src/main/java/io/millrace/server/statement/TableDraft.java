package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.TableSchema;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.plan.Planner;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/*
 * One ALTER TABLE under way. Its actions change `table` one after the other, none of them what is stored;
 * then the rows are looked at (`checks`), then everything takes effect in one change of the catalog. Where an
 * action changes what rows look like in a way that storage does not know (a type, the key, a computed column),
 * the rows are written anew into regions of their own before.
 *
 * `sources` says for each column, by id, what its values are over the table as it was: rows() is that as SQL.
 */
/** What the actions of an ALTER TABLE have come to so far. */
final class TableDraft {
  final SessionContext session;
  final TableInfo before;
  TableInfo table;
  boolean rewrite;

  final List<CatalogChange.Action> more = new ArrayList<>();
  final List<Supplier<CompletableFuture<Void>>> checks = new ArrayList<>();
  final List<Supplier<CompletableFuture<Void>>> afterwards = new ArrayList<>();

  /** Columns whose values are not known before the rows are written anew. */
  final Set<String> unknown = new HashSet<>();

  private final Map<Integer, String> sources = new HashMap<>();

  TableDraft(SessionContext session, TableInfo before) {
    this.session = session;
    this.before = before;
    this.table = before;
    for (TableInfo.Column c : before.columns()) {
      sources.put(c.id(), TableChecks.quoted(c.name()));
    }
  }

  /** The catalog with what has been changed so far. */
  CatalogSnapshot catalog() {
    var actions = new ArrayList<CatalogChange.Action>();
    actions.add(new CatalogChange.Action.PutTable(table));
    actions.addAll(more);
    return session.catalog().preview(new CatalogChange(actions));
  }

  Planner.PlanContext context() {
    return Ddl.context(session, catalog());
  }

  void source(int columnId, String sql) {
    sources.put(columnId, sql);
  }

  String source(TableInfo.Column c) {
    return sources.getOrDefault(c.id(), "NULL");
  }

  /** The table's rows as they will be, for FROM; computed columns left out. */
  String rows() {
    return "(SELECT "
        + table.columns().stream()
            .filter(c -> !c.isComputed() || sources.containsKey(c.id()))
            .filter(c -> !unknown.contains(c.name()))
            .map(c -> source(c) + " AS " + TableChecks.quoted(c.name()))
            .collect(Collectors.joining(", "))
        + " FROM "
        + TableChecks.from(before)
        + ") AS t";
  }

  TableInfo.Column column(io.millrace.sql.parser.ast.Name name) {
    return column(table, name);
  }

  static TableInfo.Column column(TableInfo t, io.millrace.sql.parser.ast.Name name) {
    return t.column(name.text())
        .orElseThrow(
            () ->
                Names.hinted(
                    new MillraceException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "column \""
                            + name.text()
                            + "\" of relation \""
                            + t.name()
                            + "\" does not exist"),
                    name.text(),
                    t.columns().stream().map(TableInfo.Column::name).toList()));
  }

  boolean isKey(TableInfo.Column c) {
    return table.storage().tagIds().contains(c.id()) || table.storage().timeIndexId() == c.id();
  }

  void replace(TableInfo.Column changed) {
    replace(changed.id(), changed);
  }

  void replace(int id, TableInfo.Column changed) {
    table =
        table
            .edit()
            .columns(table.columns().stream().map(c -> c.id() == id ? changed : c).toList())
            .build();
  }

  /** Stores a column's name, nullability and type anew, under another id if it has one. */
  void store(int oldId, TableInfo.Column c, @Nullable String initial) {
    var columns = new ArrayList<ColumnSchema>();
    boolean known = false;
    for (ColumnSchema x : table.storage().columns()) {
      if (x.id() == oldId) {
        known = true;
        columns.add(
            new ColumnSchema(
                c.id(),
                c.name(),
                c.type().stored(),
                x.semantic(),
                x.semantic() == SemanticType.FIELD || c.nullable(),
                c.id() == oldId ? x.initialDefault() : null));
      } else {
        columns.add(x);
      }
    }
    if (!known) {
      columns.add(
          new ColumnSchema(c.id(), c.name(), c.type().stored(), SemanticType.FIELD, true, initial));
    }
    table = table.edit().storage(schema(columns, renumbered(oldId, c.id()), oldId, c.id())).build();
  }

  private List<Integer> renumbered(int oldId, int newId) {
    return table.storage().tagIds().stream().map(t -> t == oldId ? newId : t).toList();
  }

  private TableSchema schema(List<ColumnSchema> columns, List<Integer> tags, int oldId, int newId) {
    int time = table.storage().timeIndexId();
    return new TableSchema(table.storage().version(), columns, tags, time == oldId ? newId : time);
  }

  void unstore(int id) {
    table =
        table
            .edit()
            .storage(
                new TableSchema(
                    table.storage().version(),
                    table.storage().columns().stream().filter(c -> c.id() != id).toList(),
                    table.storage().tagIds(),
                    table.storage().timeIndexId()))
            .build();
  }

  /** Gives the table another key: tags of a table with a TIME INDEX, else the unique key. */
  void key(List<Integer> tags) {
    TableSchema s = table.storage();
    boolean plain = table.timeIndex().isEmpty();
    var columns = new ArrayList<ColumnSchema>();
    for (ColumnSchema c : s.columns()) {
      boolean tag = tags.contains(c.id());
      SemanticType semantic =
          c.id() == s.timeIndexId()
              ? SemanticType.TIMESTAMP
              : tag ? SemanticType.TAG : SemanticType.FIELD;
      columns.add(
          new ColumnSchema(
              c.id(),
              c.name(),
              c.type(),
              semantic,
              c.id() == s.timeIndexId() ? c.nullable() : !(plain && tag),
              null));
    }
    RegionOptions o = table.regionOptions();
    RegionOptions.KeyMode mode =
        !plain
            ? RegionOptions.KeyMode.TIME_INDEX
            : tags.isEmpty() ? RegionOptions.KeyMode.ROW_ID : RegionOptions.KeyMode.UNIQUE_KEY;
    table =
        table
            .edit()
            .storage(new TableSchema(s.version(), columns, tags, s.timeIndexId()))
            .regionOptions(o.withKeyMode(mode))
            .build();
    rewrite = true;
  }

  void constraints(List<TableInfo.Constraint> all) {
    table = table.edit().constraints(all).build();
  }

  void add(TableInfo.Constraint c) {
    var all = new ArrayList<>(table.constraints());
    all.add(c);
    constraints(all);
  }
}

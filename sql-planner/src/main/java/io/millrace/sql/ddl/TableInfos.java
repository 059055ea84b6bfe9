package io.millrace.sql.ddl;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns a definition into a table: column ids, storage schema, key mode, constraints. */
final class TableInfos {
  /** Name of the hidden time index of tables without a TIME INDEX. */
  static final String ROW_ID = "__rowid";

  private TableInfos() {}

  static TableInfo build(TableDefinition d, Catalog catalog, long nowMicros) {
    check(d);
    var ids = new HashMap<String, Integer>();
    var columns = new ArrayList<TableInfo.Column>();
    var stored = new ArrayList<ColumnSchema>();
    Set<String> key = new HashSet<>(d.primaryKey());
    boolean plain = d.timeIndex().isEmpty();
    int id = 0;
    for (TableDefinition.ColumnDefinition c : d.columns()) {
      id++;
      ids.put(c.name(), id);
      boolean isTime = d.timeIndex().filter(c.name()::equals).isPresent();
      boolean isTag = key.contains(c.name()) && !isTime;
      boolean nullable = !(c.notNull() || isTime || (plain && isTag));
      if (!d.hiddenColumns().contains(c.name())) {
        columns.add(
            new TableInfo.Column(
                id,
                c.name(),
                id,
                c.type(),
                c.declaredType(),
                nullable,
                c.defaultSql(),
                c.comment(),
                c.generated()));
      }
      SemanticType semantic =
          isTime ? SemanticType.TIMESTAMP : isTag ? SemanticType.TAG : SemanticType.FIELD;
      stored.add(new ColumnSchema(id, c.name(), c.type().stored(), semantic, nullable, null));
    }
    int timeId;
    if (plain) {
      timeId = ++id;
      stored.add(
          new ColumnSchema(timeId, ROW_ID, SqlType.INT8, SemanticType.TIMESTAMP, false, null));
    } else {
      timeId = require(ids, d.timeIndex().orElseThrow());
    }
    List<Integer> tags =
        d.primaryKey().stream().map(n -> require(ids, n)).filter(t -> t != timeId).toList();
    RegionOptions.KeyMode mode =
        !plain
            ? RegionOptions.KeyMode.TIME_INDEX
            : tags.isEmpty() ? RegionOptions.KeyMode.ROW_ID : RegionOptions.KeyMode.UNIQUE_KEY;
    Map<String, String> options = TableOptions.normalise(d.options());
    TableId table = catalog.nextTableId();
    return new TableInfo(
        table,
        catalog.nextOid(),
        1,
        d.database(),
        d.schema(),
        d.name(),
        columns,
        new TableSchema(1, stored, tags, timeId),
        TableOptions.regionOptions(options, mode),
        List.of(RegionId.of(table, 0)),
        constraints(d, ids, catalog),
        options,
        d.comment().or(() -> Optional.ofNullable(options.get("comment"))),
        nowMicros,
        d.hidden());
  }

  private static void check(TableDefinition d) {
    var seen = new HashSet<String>();
    for (TableDefinition.ColumnDefinition c : d.columns()) {
      if (!seen.add(c.name())) {
        throw new MillraceException(
            ErrorCode.DUPLICATE_COLUMN, "column \"" + c.name() + "\" specified more than once");
      }
      if (!d.hidden()
          && !d.hiddenColumns().contains(c.name())
          && c.name().startsWith("__")
          && !c.name().equals("__ts_placeholder")) {
        throw new MillraceException(
                ErrorCode.RESERVED_NAME, "column name \"" + c.name() + "\" is reserved")
            .withHint("Names that begin with two underscores belong to the system.");
      }
    }
    d.timeIndex()
        .ifPresent(
            t -> {
              SqlType type =
                  d.columns().stream()
                      .filter(c -> c.name().equals(t))
                      .findFirst()
                      .orElseThrow(() -> noColumn(d, t))
                      .type();
              if (!type.kind().isTimestamp()) {
                throw new MillraceException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "TIME INDEX column \"" + t + "\" must be of a timestamp type, not " + type);
              }
            });
    var inKey = new HashSet<String>();
    for (String k : d.primaryKey()) {
      if (!seen.contains(k)) {
        throw new MillraceException(
            ErrorCode.UNDEFINED_COLUMN, "column \"" + k + "\" named in key does not exist");
      }
      if (!inKey.add(k)) {
        throw new MillraceException(
            ErrorCode.DUPLICATE_COLUMN,
            "column \"" + k + "\" appears twice in primary key constraint");
      }
    }
  }

  private static MillraceException noColumn(TableDefinition d, String column) {
    return new MillraceException(
        ErrorCode.UNDEFINED_COLUMN,
        "TIME INDEX column \"" + column + "\" does not exist in table \"" + d.name() + "\"");
  }

  private static int require(Map<String, Integer> ids, String name) {
    Integer id = ids.get(name);
    if (id == null) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN, "column \"" + name + "\" named in key does not exist");
    }
    return id;
  }

  private static List<TableInfo.Constraint> constraints(
      TableDefinition d, Map<String, Integer> ids, Catalog catalog) {
    var out = new ArrayList<TableInfo.Constraint>();
    var names = new HashSet<String>();
    CatalogSnapshot snapshot = catalog.snapshot();
    for (TableDefinition.ConstraintDefinition c : d.constraints()) {
      if (!c.name().isEmpty() && !names.add(c.name())) {
        throw new MillraceException(
            ErrorCode.DUPLICATE_OBJECT,
            (c.kind() == 'c' ? "check constraint \"" : "constraint \"")
                + c.name()
                + (c.kind() == 'c' ? "\"" : "\" for relation \"" + d.name() + "\"")
                + " already exists");
      }
    }
    if (d.primaryKey().stream().anyMatch(n -> !d.hiddenColumns().contains(n))) {
      String given =
          d.constraints().stream()
              .filter(c -> c.kind() == 'p')
              .map(TableDefinition.ConstraintDefinition::name)
              .findFirst()
              .orElse("");
      out.add(
          new TableInfo.Constraint(
              catalog.nextOid(),
              given.isEmpty() ? indexName(snapshot, d, names, d.name() + "_pkey") : given,
              'p',
              d.primaryKey().stream()
                  .filter(n -> !d.hiddenColumns().contains(n))
                  .map(n -> require(ids, n))
                  .toList(),
              Optional.empty(),
              Optional.empty()));
    }
    for (TableDefinition.ConstraintDefinition c : d.constraints()) {
      if (c.kind() == 'p') {
        continue;
      }
      out.add(
          new TableInfo.Constraint(
              catalog.nextOid(),
              name(snapshot, d, names, c),
              c.kind(),
              c.columns().stream().map(n -> require(ids, n)).toList(),
              c.checkSql(),
              c.foreignKey()));
    }
    return out;
  }

  private static String name(
      CatalogSnapshot snapshot,
      TableDefinition d,
      Set<String> names,
      TableDefinition.ConstraintDefinition c) {
    if (!c.name().isEmpty()) {
      return c.name();
    }
    boolean several = c.kind() == 'c' && c.columns().size() != 1;
    String base =
        d.name() + (several || c.columns().isEmpty() ? "" : "_" + String.join("_", c.columns()));
    return switch (c.kind()) {
      case 'u' -> indexName(snapshot, d, names, base + "_key");
      case 'f' -> unique(names, base + "_fkey");
      default -> unique(names, base + "_check");
    };
  }

  /** Free among the table's constraints and the schema's relations. */
  private static String indexName(
      CatalogSnapshot snapshot, TableDefinition d, Set<String> names, String wanted) {
    String name = wanted;
    for (int i = 1;
        names.contains(name)
            || RelationNames.taken(snapshot, d.database(), d.schema(), name)
            || name.equals(d.name());
        i++) {
      name = wanted + i;
    }
    names.add(name);
    return name;
  }

  private static String unique(Set<String> taken, String wanted) {
    String name = wanted;
    for (int i = 1; !taken.add(name); i++) {
      name = wanted + i;
    }
    return name;
  }
}

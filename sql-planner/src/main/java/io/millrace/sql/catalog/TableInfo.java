package io.millrace.sql.catalog;

import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stored table as SQL sees it.
 *
 * @param oid pg_class oid, stable across restarts
 * @param version grows with every change of the table
 * @param database name of the database it lives in
 * @param schema name of the schema
 * @param columns user-visible columns in attribute order (attnum = place + 1, dropped ones excluded
 *     by attnum gaps), without hidden ones
 * @param storage what the regions know, hidden columns included
 * @param constraints primary key, unique, check, foreign key
 * @param options WITH options as given, normalised keys
 * @param hidden a table that no user sees (ledgers, checkpoints)
 * @param indexes made by CREATE INDEX, in order of creation
 * @param persistence permanent, or unlogged or temporary as CREATE TABLE said
 * @param onCommit of a temporary table: delete rows, drop or empty
 * @param highestColumnId the largest column id ever given out before the present columns; 0 = none
 * @param partitions which region a row belongs to, by its place among the regions; null = there is
 *     one region
 */
public record TableInfo(
    TableId id,
    int oid,
    int version,
    String database,
    String schema,
    String name,
    List<Column> columns,
    TableSchema storage,
    RegionOptions regionOptions,
    List<RegionId> regions,
    List<Constraint> constraints,
    Map<String, String> options,
    Optional<String> comment,
    long createdMicros,
    boolean hidden,
    List<Index> indexes,
    Persistence persistence,
    String onCommit,
    int highestColumnId,
    @Nullable PartitionRule partitions) {

  /** Entries that were written before there were indexes come without the last five. */
  public TableInfo(
      TableId id,
      int oid,
      int version,
      String database,
      String schema,
      String name,
      List<Column> columns,
      TableSchema storage,
      RegionOptions regionOptions,
      List<RegionId> regions,
      List<Constraint> constraints,
      Map<String, String> options,
      Optional<String> comment,
      long createdMicros,
      boolean hidden,
      @Nullable List<Index> indexes,
      @Nullable Persistence persistence,
      @Nullable String onCommit,
      int highestColumnId,
      @Nullable PartitionRule partitions) {
    this.id = id;
    this.oid = oid;
    this.version = version;
    this.database = database;
    this.schema = schema;
    this.name = name;
    this.columns = columns;
    this.storage = storage;
    this.regionOptions = regionOptions;
    this.regions = regions;
    this.constraints = constraints;
    this.options = options;
    this.comment = comment;
    this.createdMicros = createdMicros;
    this.hidden = hidden;
    this.indexes = indexes == null ? List.of() : List.copyOf(indexes);
    this.persistence = persistence == null ? Persistence.PERMANENT : persistence;
    this.onCommit = onCommit == null ? "" : onCommit;
    this.highestColumnId = highestColumnId;
    this.partitions = partitions;
  }

  /** A permanent table without indexes. */
  public TableInfo(
      TableId id,
      int oid,
      int version,
      String database,
      String schema,
      String name,
      List<Column> columns,
      TableSchema storage,
      RegionOptions regionOptions,
      List<RegionId> regions,
      List<Constraint> constraints,
      Map<String, String> options,
      Optional<String> comment,
      long createdMicros,
      boolean hidden) {
    this(
        id,
        oid,
        version,
        database,
        schema,
        name,
        columns,
        storage,
        regionOptions,
        regions,
        constraints,
        options,
        comment,
        createdMicros,
        hidden,
        List.of(),
        Persistence.PERMANENT,
        "",
        0,
        null);
  }

  /** An id that no column of the table has or had. */
  public int nextColumnId() {
    return 1
        + Math.max(
            highestColumnId, storage.columns().stream().mapToInt(ColumnSchema::id).max().orElse(0));
  }

  /** How long a table stays. */
  public enum Persistence {
    PERMANENT,
    UNLOGGED,
    TEMPORARY;

    /** pg_class.relpersistence. */
    public String code() {
      return switch (this) {
        case PERMANENT -> "p";
        case UNLOGGED -> "u";
        case TEMPORARY -> "t";
      };
    }
  }

  /**
   * A column as SQL sees it; its storage part is {@link TableSchema#byId}.
   *
   * @param declaredType the type as the user may write it again, such as {@code uint8}
   * @param defaultSql text of the DEFAULT expression
   * @param generated kind of identity or generated column: empty, a, d, s as pg_attribute
   * @param userType oid of the enumeration or domain that it was declared with; 0 for others
   */
  public record Column(
      int id,
      String name,
      int attnum,
      SqlType type,
      String declaredType,
      boolean nullable,
      Optional<String> defaultSql,
      Optional<String> comment,
      String generated,
      int userType) {

    public Column(
        int id,
        String name,
        int attnum,
        SqlType type,
        String declaredType,
        boolean nullable,
        Optional<String> defaultSql,
        Optional<String> comment,
        String generated) {
      this(id, name, attnum, type, declaredType, nullable, defaultSql, comment, generated, 0);
    }

    public boolean isIdentity() {
      return generated.equals("a") || generated.equals("d");
    }

    /** GENERATED … STORED. */
    public boolean isComputed() {
      return generated.equals("s");
    }

    public Column withName(String n) {
      return new Column(
          id, n, attnum, type, declaredType, nullable, defaultSql, comment, generated, userType);
    }

    public Column withDefault(Optional<String> sql) {
      return new Column(
          id, name, attnum, type, declaredType, nullable, sql, comment, generated, userType);
    }

    public Column withNullable(boolean can) {
      return new Column(
          id, name, attnum, type, declaredType, can, defaultSql, comment, generated, userType);
    }

    public Column withComment(Optional<String> text) {
      return new Column(
          id, name, attnum, type, declaredType, nullable, defaultSql, text, generated, userType);
    }

    public Column withGenerated(String kind) {
      return new Column(
          id, name, attnum, type, declaredType, nullable, defaultSql, comment, kind, userType);
    }

    public Column withType(int newId, SqlType t, String declared, int user) {
      return new Column(
          newId, name, attnum, t, declared, nullable, defaultSql, comment, generated, user);
    }
  }

  /**
   * kind: p, u, c, f as pg_constraint; columns by id (of a check: those that it reads).
   *
   * @param notValid added without looking at the rows that were there
   */
  public record Constraint(
      int oid,
      String name,
      char kind,
      List<Integer> columnIds,
      Optional<String> checkSql,
      Optional<ForeignKey> foreignKey,
      boolean notValid) {

    public Constraint(
        int oid,
        String name,
        char kind,
        List<Integer> columnIds,
        Optional<String> checkSql,
        Optional<ForeignKey> foreignKey) {
      this(oid, name, kind, columnIds, checkSql, foreignKey, false);
    }

    public Constraint withName(String n) {
      return new Constraint(oid, n, kind, columnIds, checkSql, foreignKey, notValid);
    }

    public Constraint withColumns(List<Integer> ids) {
      return new Constraint(oid, name, kind, ids, checkSql, foreignKey, notValid);
    }

    public Constraint withNotValid(boolean open) {
      return new Constraint(oid, name, kind, columnIds, checkSql, foreignKey, open);
    }

    public Constraint withForeignKey(ForeignKey f) {
      return new Constraint(oid, name, kind, columnIds, checkSql, Optional.of(f), notValid);
    }
  }

  /**
   * What a foreign key refers to.
   *
   * @param table schema and name as text, each quoted where it needs it
   * @param onDelete no action, restrict, cascade, set null or set default
   */
  public record ForeignKey(String table, List<String> columns, String onDelete, String onUpdate) {
    /** Without actions where an older entry has none. */
    public ForeignKey(
        String table, List<String> columns, @Nullable String onDelete, @Nullable String onUpdate) {
      this.table = table;
      this.columns = List.copyOf(columns);
      this.onDelete = onDelete == null ? "no action" : onDelete;
      this.onUpdate = onUpdate == null ? "no action" : onUpdate;
    }

    public ForeignKey(String table, List<String> columns) {
      this(table, columns, "no action", "no action");
    }
  }

  /**
   * An index that CREATE INDEX made. A unique one over plain columns is enforced, the others are
   * records.
   *
   * @param includeIds columns of INCLUDE
   * @param where condition of a partial index
   * @param options of WITH, checked and complete
   */
  public record Index(
      int oid,
      String name,
      boolean unique,
      String method,
      List<Key> keys,
      List<Integer> includeIds,
      Optional<String> where,
      Map<String, String> options) {

    /** Without options where an older entry has none. */
    public Index(
        int oid,
        String name,
        boolean unique,
        String method,
        List<Key> keys,
        List<Integer> includeIds,
        Optional<String> where,
        @Nullable Map<String, String> options) {
      this.oid = oid;
      this.name = name;
      this.unique = unique;
      this.method = method;
      this.keys = keys;
      this.includeIds = includeIds;
      this.where = where;
      this.options = options == null ? Map.of() : Map.copyOf(options);
    }

    public Index(
        int oid,
        String name,
        boolean unique,
        String method,
        List<Key> keys,
        List<Integer> includeIds,
        Optional<String> where) {
      this(oid, name, unique, method, keys, includeIds, where, Map.of());
    }

    public Index named(String newName) {
      return new Index(oid, newName, unique, method, keys, includeIds, where, options);
    }

    public Index withOptions(Map<String, String> other) {
      return new Index(oid, name, unique, method, keys, includeIds, where, other);
    }

    /** Whether it can be held like a UNIQUE constraint. */
    public boolean enforceable() {
      return unique && where.isEmpty() && keys.stream().allMatch(k -> k.columnId() > 0);
    }

    public List<Integer> columnIds() {
      return keys.stream().map(Key::columnId).toList();
    }
  }

  /**
   * A key of an index.
   *
   * @param columnId 0 for an expression
   */
  public record Key(int columnId, String expression, boolean descending, boolean nullsFirst) {}

  /** Columns whose values together stand once in the table. */
  public record UniqueKey(String name, List<Integer> columnIds, boolean primary) {}

  /** The primary key, unique constraints and enforceable unique indexes. */
  public List<UniqueKey> uniqueKeys() {
    var out = new ArrayList<UniqueKey>();
    for (Constraint c : constraints) {
      if (c.kind() == 'p' || c.kind() == 'u') {
        out.add(new UniqueKey(c.name(), c.columnIds(), c.kind() == 'p'));
      }
    }
    for (Index x : indexes) {
      if (x.enforceable()) {
        out.add(new UniqueKey(x.name(), x.columnIds(), false));
      }
    }
    return out;
  }

  public Optional<Column> column(String columnName) {
    return columns.stream().filter(c -> c.name().equals(columnName)).findFirst();
  }

  public Optional<Column> columnById(int id) {
    return columns.stream().filter(c -> c.id() == id).findFirst();
  }

  public Optional<Constraint> constraint(String constraintName) {
    return constraints.stream().filter(c -> c.name().equals(constraintName)).findFirst();
  }

  /** The time index as the user knows it; empty for tables with a hidden one. */
  public Optional<Column> timeIndex() {
    ColumnSchema t = storage.timeIndex();
    return columnById(t.id());
  }

  public boolean appendMode() {
    return regionOptions.appendMode();
  }

  /** Option that makes a table a materialized view: the text of its query. */
  public static final String MATERIALIZED_QUERY = "materialized_view";

  /** Option of a materialized view that has no rows yet. */
  public static final String UNPOPULATED = "materialized_view.unpopulated";

  public boolean materialized() {
    return options.containsKey(MATERIALIZED_QUERY);
  }

  public boolean populated() {
    return !options.containsKey(UNPOPULATED);
  }

  public boolean temporary() {
    return persistence == Persistence.TEMPORARY;
  }

  /** The regions that may hold rows that satisfy all of the predicates. */
  public List<RegionId> regions(List<ColumnPredicate> predicates) {
    PartitionRule rule = partitions;
    return rule == null
        ? regions
        : rule.remaining(predicates).stream().mapToObj(regions::get).toList();
  }

  /** A copy to change. */
  public Edit edit() {
    return new Edit(this);
  }

  /** Collects changes of a table. */
  public static final class Edit {
    private final TableInfo from;
    private TableId id;
    private int version;
    private String database;
    private String schema;
    private String name;
    private List<Column> columns;
    private TableSchema storage;
    private RegionOptions regionOptions;
    private List<RegionId> regions;
    private List<Constraint> constraints;
    private Map<String, String> options;
    private Optional<String> comment;
    private List<Index> indexes;
    private boolean hidden;
    private Persistence persistence;
    private String onCommit;
    private int highestColumnId;
    private @Nullable PartitionRule partitions;

    private Edit(TableInfo t) {
      from = t;
      id = t.id;
      version = t.version;
      database = t.database;
      schema = t.schema;
      name = t.name;
      columns = t.columns;
      storage = t.storage;
      regionOptions = t.regionOptions;
      regions = t.regions;
      constraints = t.constraints;
      options = t.options;
      comment = t.comment;
      indexes = t.indexes;
      hidden = t.hidden;
      persistence = t.persistence;
      onCommit = t.onCommit;
      highestColumnId = t.nextColumnId() - 1;
      partitions = t.partitions;
    }

    public Edit id(TableId v) {
      id = v;
      return this;
    }

    public Edit version(int v) {
      version = v;
      return this;
    }

    public Edit database(String v) {
      database = v;
      return this;
    }

    public Edit schema(String v) {
      schema = v;
      return this;
    }

    public Edit name(String v) {
      name = v;
      return this;
    }

    public Edit columns(List<Column> v) {
      columns = List.copyOf(v);
      return this;
    }

    public Edit storage(TableSchema v) {
      storage = v;
      return this;
    }

    public Edit regionOptions(RegionOptions v) {
      regionOptions = v;
      return this;
    }

    public Edit regions(List<RegionId> v) {
      regions = List.copyOf(v);
      return this;
    }

    public Edit constraints(List<Constraint> v) {
      constraints = List.copyOf(v);
      return this;
    }

    public Edit options(Map<String, String> v) {
      options = v;
      return this;
    }

    public Edit comment(Optional<String> v) {
      comment = v;
      return this;
    }

    public Edit indexes(List<Index> v) {
      indexes = List.copyOf(v);
      return this;
    }

    public Edit hidden(boolean v) {
      hidden = v;
      return this;
    }

    public Edit persistence(Persistence v) {
      persistence = v;
      return this;
    }

    public Edit onCommit(String v) {
      onCommit = v;
      return this;
    }

    /** With a rule, there must be as many regions as it has partitions. */
    public Edit partitions(@Nullable PartitionRule v) {
      partitions = v;
      return this;
    }

    public TableInfo build() {
      return new TableInfo(
          id,
          from.oid,
          version,
          database,
          schema,
          name,
          columns,
          storage,
          regionOptions,
          regions,
          constraints,
          options,
          comment,
          from.createdMicros,
          hidden,
          indexes,
          persistence,
          onCommit,
          highestColumnId,
          partitions);
    }
  }
}

package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableDefinition.ConstraintDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.sql.parser.ast.TableElement;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns CREATE TABLE's elements into a table: types resolved, defaults, checks and generated
 * columns planned once, names given to what has none.
 */
final class TableDefinitions {
  private final StatementServices services;
  private final ColumnSpecs specs;
  private final PartitionDefinitions partitions;

  TableDefinitions(StatementServices services) {
    this.services = services;
    this.specs = new ColumnSpecs(services);
    this.partitions = new PartitionDefinitions(new DmlSupport(services));
  }

  /** A table with what goes into the catalog beside it. */
  record Prepared(TableInfo table, List<CatalogChange.Action> more) {}

  /** What has been gathered of one statement. */
  private static final class Draft {
    final List<ColumnSpecs.Spec> columns = new ArrayList<>();
    final List<SequenceInfo> sequences = new ArrayList<>();
    final List<ConstraintDefinition> constraints = new ArrayList<>();
    final List<TableConstraint.Check> checks = new ArrayList<>();
    final List<TableConstraint.ForeignKey> foreignKeys = new ArrayList<>();
    final List<TableInfo> indexesOf = new ArrayList<>();
    @Nullable List<String> primaryKey;
    @Nullable String primaryName;
    @Nullable String timeIndex;
  }

  Prepared of(SessionContext session, Names.Target target, Statement.CreateTable s) {
    if (!s.inherits().isEmpty()) {
      throw new MillraceException(ErrorCode.FEATURE_NOT_SUPPORTED, "INHERITS is not supported")
          .withHint("CREATE TABLE ... (LIKE parent INCLUDING ALL, ...) copies its columns.");
    }
    var d = new Draft();
    for (TableElement e : s.elements()) {
      switch (e) {
        case ColumnDefinition c -> column(session, target, c, d);
        case TableElement.LikeTable l -> like(session, target, l, d);
        case TableConstraint c -> constraint(target, c, d);
      }
    }
    Planner.PlanContext context = session.planContext(List.of());
    TableInfo bare = services.tables().prepare(definition(target, s, d, List.of()));
    generated(bare, d, context);
    var constraints = new ArrayList<>(d.constraints);
    for (TableConstraint.Check c : d.checks) {
      constraints.add(check(services.planner(), c, bare, context));
    }
    for (TableConstraint.ForeignKey f : d.foreignKeys) {
      constraints.add(foreignKey(session, f, bare));
    }
    if (d.primaryName != null) {
      constraints.add(
          new ConstraintDefinition(
              d.primaryName, 'p', List.of(), Optional.empty(), Optional.empty()));
    }
    TableInfo table =
        withUserTypes(services.tables().prepare(definition(target, s, d, constraints)), d);
    table =
        s.partitions() == null
            ? partitionedLike(session, table, s.elements())
            : partitioned(session, table, s.partitions());
    var more = new ArrayList<CatalogChange.Action>();
    table = withColumnIndexes(session, withIndexes(session.catalog(), table, d), s);
    for (ColumnSpecs.Spec c : d.columns) {
      for (SequenceInfo q : c.owned(table).stream().toList()) {
        more.add(new CatalogChange.Action.PutSequence(q));
      }
    }
    warn(session, table);
    return new Prepared(table, more);
  }

  /** CREATE TABLE … LIKE, with all that the other table has: its partitions too. */
  private static TableInfo partitionedLike(
      SessionContext session, TableInfo table, List<TableElement> elements) {
    if (elements.size() == 1
        && elements.getFirst() instanceof TableElement.LikeTable l
        && l.options().equals(List.of("including all"))) {
      return PartitionDefinitions.like(table, Names.table(session, l.table()));
    }
    return table;
  }

  /** The table in the partitions that the rules say; in one region without. */
  TableInfo partitioned(
      SessionContext session, TableInfo table, Statement.@Nullable PartitionRules rules) {
    return rules == null
        ? table
        : partitions.partitioned(
            table, rules.columns(), rules.rules(), session, session.planContext(List.of()));
  }

  private static TableDefinition definition(
      Names.Target target,
      Statement.CreateTable s,
      Draft d,
      List<ConstraintDefinition> constraints) {
    return new TableDefinition(
        target.database(),
        target.schema(),
        target.name(),
        d.columns.stream().map(ColumnSpecs.Spec::definition).toList(),
        d.primaryKey == null ? List.of() : d.primaryKey,
        Optional.ofNullable(d.timeIndex),
        constraints,
        options(s.options()),
        Optional.ofNullable(s.comment()),
        false);
  }

  static void warn(SessionContext session, TableInfo t) {
    if (t.timeIndex().isPresent()
        && (t.constraints().stream().anyMatch(c -> c.kind() == 'u')
            || t.indexes().stream().anyMatch(TableInfo.Index::unique))) {
      session.notice(
          Notice.warning(
              ErrorCode.WARNING,
              "UNIQUE is recorded but not enforced on tables with a TIME INDEX"));
    }
    if (t.constraints().stream().anyMatch(c -> c.kind() == 'f')) {
      session.notice(Notice.warning(ErrorCode.WARNING, "FOREIGN KEY is recorded but not enforced"));
    }
  }

  private static TableInfo withUserTypes(TableInfo t, Draft d) {
    var columns = new ArrayList<TableInfo.Column>();
    for (TableInfo.Column c : t.columns()) {
      int user =
          d.columns.stream()
              .filter(s -> s.name().equals(c.name()))
              .findFirst()
              .orElseThrow()
              .userType();
      columns.add(c.withType(c.id(), c.type(), c.declaredType(), user));
    }
    return t.edit().columns(columns).build();
  }

  // ---- columns

  private void column(SessionContext session, Names.Target target, ColumnDefinition c, Draft d) {
    String name = c.name().text();
    ColumnSpecs.Spec spec = specs.of(session, target, c, d.sequences);
    d.columns.add(spec);
    if (spec.sequence() != null) {
      d.sequences.add(spec.sequence());
    }
    if (c.primaryKey()) {
      setPrimaryKey(target.name(), d, List.of(name), c.constraintName());
    }
    if (c.timeIndex()) {
      setTimeIndex(d, name);
    }
    if (c.unique()) {
      d.constraints.add(unique(c.primaryKey() ? null : c.constraintName(), List.of(name)));
    }
    d.checks.addAll(c.checks());
    TableConstraint.ForeignKey references = c.references();
    if (references != null) {
      d.foreignKeys.add(references);
    }
  }

  /** Plans the generated columns over the table, for their faults. */
  private void generated(TableInfo t, Draft d, Planner.PlanContext context) {
    for (TableInfo.Column c : t.columns()) {
      if (c.isComputed()) {
        ParsedExpression given =
            d.columns.stream()
                .filter(s -> s.name().equals(c.name()))
                .findFirst()
                .map(ColumnSpecs.Spec::expression)
                .orElse(null);
        Runnable check = () -> checkGenerated(services.planner(), t, c, context);
        if (given == null) {
          check.run();
        } else {
          ColumnSpecs.placed(
              given,
              () -> {
                check.run();
                return c;
              });
        }
      }
    }
  }

  static void checkGenerated(
      Planner planner, TableInfo t, TableInfo.Column c, Planner.PlanContext context) {
    Expr e = planner.planGenerated(c.defaultSql().orElseThrow(), t, c.type(), context);
    for (int place : planner.columnsOf(e)) {
      TableInfo.Column used = t.columns().get(place);
      if (used.isComputed()) {
        throw new MillraceException(
                ErrorCode.INVALID_OBJECT_DEFINITION,
                "cannot use generated column \""
                    + used.name()
                    + "\" in column generation expression")
            .withDetail("A generated column cannot reference another generated column.");
      }
    }
    if (t.storage().tagIds().contains(c.id()) || t.storage().timeIndexId() == c.id()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "generated column \"" + c.name() + "\" cannot be part of the table's key");
    }
  }

  private static void setPrimaryKey(
      String table, Draft d, List<String> columns, @Nullable String name) {
    if (d.primaryKey != null) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "multiple primary keys for table \"" + table + "\" are not allowed");
    }
    d.primaryKey = columns;
    d.primaryName = name;
  }

  private static void setTimeIndex(Draft d, String column) {
    if (d.timeIndex != null && !d.timeIndex.equals(column)) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "a table has one TIME INDEX, but \""
              + d.timeIndex
              + "\" and \""
              + column
              + "\" are named");
    }
    d.timeIndex = column;
  }

  // ---- constraints

  static ConstraintDefinition unique(@Nullable String name, List<String> columns) {
    return new ConstraintDefinition(
        name == null ? "" : name, 'u', columns, Optional.empty(), Optional.empty());
  }

  private static void constraint(Names.Target target, TableConstraint c, Draft d) {
    switch (c) {
      case TableConstraint.PrimaryKey p ->
          setPrimaryKey(target.name(), d, names(p.columns()), p.constraintName());
      case TableConstraint.TimeIndex t -> setTimeIndex(d, t.column().text());
      case TableConstraint.Unique u ->
          d.constraints.add(unique(u.constraintName(), names(u.columns())));
      case TableConstraint.Check k -> d.checks.add(k);
      case TableConstraint.ForeignKey f -> d.foreignKeys.add(f);
    }
  }

  static List<String> names(List<Name> names) {
    return names.stream().map(Name::text).toList();
  }

  /** A CHECK, planned, with the columns that it reads. */
  static ConstraintDefinition check(
      Planner planner, TableConstraint.Check c, TableInfo table, Planner.PlanContext context) {
    String sql = c.condition().text();
    Expr e = ColumnSpecs.placed(c.condition(), () -> planner.planCheck(sql, table, context));
    List<String> columns =
        planner.columnsOf(e).stream().map(i -> table.columns().get(i).name()).toList();
    return new ConstraintDefinition(
        c.constraintName() == null ? "" : c.constraintName(),
        'c',
        columns,
        Optional.of(sql),
        Optional.empty());
  }

  /** A FOREIGN KEY, its table and columns looked up; the table may be the one being made. */
  static ConstraintDefinition foreignKey(
      SessionContext session, TableConstraint.ForeignKey f, TableInfo table) {
    List<String> columns = names(f.columns());
    for (String c : columns) {
      requireColumn(table, c);
    }
    boolean own = f.table().parts().size() == 1 && f.table().name().equals(table.name());
    TableInfo target = own ? table : Names.table(session, f.table());
    if (!target.database().equals(table.database())) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "a foreign key cannot refer to another database");
    }
    List<String> referenced = names(f.referenced());
    referenced.forEach(c -> requireColumn(target, c));
    int width = referenced.size();
    if (referenced.isEmpty()) {
      width =
          target.constraints().stream()
              .filter(c -> c.kind() == 'p')
              .findFirst()
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.UNDEFINED_OBJECT,
                          "there is no primary key for referenced table \"" + target.name() + "\""))
              .columnIds()
              .size();
    } else if (width == columns.size() && target.timeIndex().isEmpty()) {
      requireUnique(target, referenced);
    }
    if (width != columns.size()) {
      throw new MillraceException(
          ErrorCode.INVALID_FOREIGN_KEY,
          "number of referencing and referenced columns for foreign key disagree");
    }
    return new ConstraintDefinition(
        f.constraintName() == null ? "" : f.constraintName(),
        'f',
        columns,
        Optional.empty(),
        Optional.of(
            new TableInfo.ForeignKey(
                RelationNames.text(target), referenced, f.onDelete(), f.onUpdate())));
  }

  private static void requireColumn(TableInfo t, String column) {
    if (t.column(column).isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN,
          "column \"" + column + "\" referenced in foreign key constraint does not exist");
    }
  }

  private static void requireUnique(TableInfo t, List<String> columns) {
    List<Integer> wanted =
        columns.stream().map(n -> t.column(n).orElseThrow().id()).sorted().toList();
    if (t.uniqueKeys().stream()
        .noneMatch(k -> k.columnIds().stream().sorted().toList().equals(wanted))) {
      throw new MillraceException(
          ErrorCode.INVALID_FOREIGN_KEY,
          "there is no unique constraint matching given keys for referenced table \""
              + t.name()
              + "\"");
    }
  }

  // ---- LIKE

  private static boolean included(TableElement.LikeTable l, String what) {
    boolean on = false;
    for (String o : l.options()) {
      if (o.equals("including all") || o.equals("including " + what)) {
        on = true;
      } else if (o.equals("excluding all") || o.equals("excluding " + what)) {
        on = false;
      }
    }
    return on;
  }

  private void like(
      SessionContext session, Names.Target target, TableElement.LikeTable l, Draft d) {
    TableInfo t = Names.table(session, l.table());
    boolean comments = included(l, "comments");
    for (TableInfo.Column c : t.columns()) {
      boolean identity = c.isIdentity() && included(l, "identity");
      boolean computed = c.isComputed() && included(l, "generated");
      boolean plain = c.generated().isEmpty() && included(l, "defaults");
      SequenceInfo sequence = identity ? likeSequence(session, target, t, c, d.sequences) : null;
      if (sequence != null) {
        d.sequences.add(sequence);
      }
      d.columns.add(
          new ColumnSpecs.Spec(
              new TableDefinition.ColumnDefinition(
                  c.name(),
                  c.type(),
                  c.declaredType(),
                  !c.nullable(),
                  sequence != null
                      ? Optional.of(SequenceCalls.nextval(sequence.oid()))
                      : computed || plain ? c.defaultSql() : Optional.empty(),
                  comments ? c.comment() : Optional.empty(),
                  identity || computed ? c.generated() : ""),
              sequence,
              c.userType()));
    }
    boolean indexes = included(l, "indexes");
    boolean constraints = included(l, "constraints");
    if (indexes || t.timeIndex().isPresent()) {
      t.timeIndex().ifPresent(c -> setTimeIndex(d, c.name()));
      likeKeys(t, target, d);
    }
    if (indexes) {
      d.indexesOf.add(t);
    }
    for (TableInfo.Constraint c : t.constraints()) {
      if (constraints && c.kind() == 'c') {
        d.constraints.add(
            new ConstraintDefinition(
                c.name(), 'c', columnNames(t, c.columnIds()), c.checkSql(), Optional.empty()));
      }
    }
  }

  private SequenceInfo likeSequence(
      SessionContext session,
      Names.Target target,
      TableInfo t,
      TableInfo.Column c,
      List<SequenceInfo> earlier) {
    SequenceInfo made =
        specs.sequence(session, target, c.name(), c.type().typname(), List.of(), earlier);
    return session.catalog().sequences(t.database()).stream()
        .filter(
            q ->
                q.owner()
                    .filter(o -> o.table().equals(t.id()) && o.columnId() == c.id())
                    .isPresent())
        .findFirst()
        .map(
            q ->
                new SequenceInfo(
                    made.oid(),
                    1,
                    made.database(),
                    made.schema(),
                    made.name(),
                    q.typname(),
                    q.start(),
                    q.increment(),
                    q.min(),
                    q.max(),
                    q.cache(),
                    q.cycle(),
                    Optional.empty()))
        .orElse(made);
  }

  private static void likeKeys(TableInfo t, Names.Target target, Draft d) {
    for (TableInfo.Constraint c : t.constraints()) {
      List<String> columns = columnNames(t, c.columnIds());
      if (c.kind() == 'p') {
        setPrimaryKey(target.name(), d, columns, null);
      } else if (c.kind() == 'u') {
        d.constraints.add(unique(null, columns));
      }
    }
  }

  private static List<String> columnNames(TableInfo t, List<Integer> ids) {
    return ids.stream().map(id -> t.columnById(id).orElseThrow().name()).toList();
  }

  /** Indexes of the tables that LIKE named, over the new table's columns. */
  private TableInfo withIndexes(CatalogSnapshot catalog, TableInfo table, Draft d) {
    var indexes = new ArrayList<TableInfo.Index>();
    for (TableInfo from : d.indexesOf) {
      for (TableInfo.Index x : from.indexes()) {
        var keys = new ArrayList<TableInfo.Key>();
        for (TableInfo.Key k : x.keys()) {
          keys.add(
              new TableInfo.Key(
                  k.columnId() == 0 ? 0 : moved(from, table, k.columnId()),
                  k.expression(),
                  k.descending(),
                  k.nullsFirst()));
        }
        var made =
            new TableInfo.Index(
                services.catalog().nextOid(),
                "",
                x.unique(),
                x.method(),
                keys,
                x.includeIds().stream().map(id -> moved(from, table, id)).toList(),
                x.where(),
                x.options());
        String wanted = IndexExecutor.wantedName(table, made);
        String name = wanted;
        for (int i = 1; isTaken(catalog, table, indexes, name); i++) {
          name = wanted + i;
        }
        indexes.add(made.named(name));
      }
    }
    return table.edit().indexes(indexes).build();
  }

  /** The indexes that stand with columns. */
  private TableInfo withColumnIndexes(
      SessionContext session, TableInfo table, Statement.CreateTable s) {
    TableInfo t = table;
    for (TableElement e : s.elements()) {
      if (e instanceof ColumnDefinition c) {
        for (ColumnDefinition.ColumnIndex x : c.indexes()) {
          TableInfo.Column column = t.column(c.name().text()).orElseThrow();
          t = AlterColumns.withColumnIndex(services, session, t, column, x);
        }
      }
    }
    return t;
  }

  private static boolean isTaken(
      CatalogSnapshot catalog, TableInfo t, List<TableInfo.Index> made, String name) {
    return RelationNames.taken(catalog, t.database(), t.schema(), name)
        || RelationNames.hasIndex(t, name)
        || made.stream().anyMatch(x -> x.name().equals(name));
  }

  private static int moved(TableInfo from, TableInfo to, int columnId) {
    return to.column(from.columnById(columnId).orElseThrow().name()).orElseThrow().id();
  }

  static Map<String, String> options(List<Option> options) {
    var out = new LinkedHashMap<String, String>();
    for (Option o : options) {
      String v = o.value();
      out.put(o.key(), v == null ? "true" : v);
    }
    return out;
  }
}

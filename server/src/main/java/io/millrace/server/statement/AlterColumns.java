package io.millrace.server.statement;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableIndexes;
import io.millrace.sql.parser.Identifiers;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.physical.Expr;
import io.millrace.wire.Notice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Actions of ALTER TABLE on columns. Column ids are never used again. A new column whose default is
 * constant shows it in older rows without a rewrite; a computed or volatile one is written.
 */
final class AlterColumns {
  private final StatementServices services;
  private final DmlSupport dml;
  private final ColumnSpecs specs;
  private final TableChecks checks;
  private final AlterConstraints constraints;

  AlterColumns(DmlSupport dml, AlterConstraints constraints) {
    this.services = dml.services();
    this.dml = dml;
    this.specs = new ColumnSpecs(services);
    this.checks = new TableChecks(dml);
    this.constraints = constraints;
  }

  private static String of(TableInfo t, String column) {
    return "column \"" + column + "\" of relation \"" + t.name() + "\"";
  }

  // ---- ADD

  void add(TableDraft d, AlterAction.AddColumn a) {
    ColumnDefinition c = a.column();
    String name = c.name().text();
    if (d.table.column(name).isPresent()) {
      if (a.ifNotExists()) {
        Ddl.exists(d.session, ErrorCode.DUPLICATE_COLUMN, of(d.table, name));
        return;
      }
      throw new MillraceException(
          ErrorCode.DUPLICATE_COLUMN, of(d.table, name) + " already exists");
    }
    if (name.startsWith("__")) {
      throw new MillraceException(
              ErrorCode.RESERVED_NAME, "column name \"" + name + "\" is reserved")
          .withHint("Names that begin with two underscores belong to the system.");
    }
    var at = new Names.Target(d.table.database(), d.table.schema(), d.table.name());
    ColumnSpecs.Spec spec = specs.of(d.session, at, c, List.of());
    int id = d.table.nextColumnId();
    var column =
        new TableInfo.Column(
            id,
            name,
            1 + d.table.columns().stream().mapToInt(TableInfo.Column::attnum).max().orElse(0),
            spec.definition().type(),
            spec.definition().declaredType(),
            true,
            spec.definition().defaultSql(),
            spec.definition().comment(),
            spec.definition().generated(),
            spec.userType());
    place(d, column, a);
    SequenceInfo sequence = spec.sequence();
    if (sequence != null) {
      d.more.add(
          new CatalogChange.Action.PutSequence(
              sequence.ownedBy(
                  Optional.of(
                      new SequenceInfo.Owner(
                          d.table.id(), id, !spec.definition().generated().isEmpty())))));
    }
    initial(d, column);
    if (spec.definition().notNull()) {
      setNotNull(d, column.name());
    }
    constraints.ofColumn(d, c);
  }

  /** Puts a column at its place; FIRST and AFTER number all of them anew. */
  private static void place(TableDraft d, TableInfo.Column column, AlterAction.AddColumn a) {
    var columns = new ArrayList<>(d.table.columns());
    Name after = a.after();
    if (a.first()) {
      columns.addFirst(column);
    } else if (after != null) {
      columns.add(columns.indexOf(d.column(after)) + 1, column);
    } else {
      columns.add(column);
    }
    if (a.first() || after != null) {
      for (int i = 0; i < columns.size(); i++) {
        TableInfo.Column c = columns.get(i);
        columns.set(
            i,
            new TableInfo.Column(
                c.id(),
                c.name(),
                i + 1,
                c.type(),
                c.declaredType(),
                c.nullable(),
                c.defaultSql(),
                c.comment(),
                c.generated(),
                c.userType()));
      }
    }
    d.table = d.table.edit().columns(columns).build();
  }

  /** What the rows that are there have in a new column. */
  private void initial(TableDraft d, TableInfo.Column c) {
    String type = c.type().labels() == null ? c.type().sqlName() : c.declaredType();
    if (c.isComputed()) {
      d.store(c.id(), c, null);
      TableDefinitions.checkGenerated(services.planner(), d.table, c, d.context());
      d.rewrite = true;
      return;
    }
    String sql = c.defaultSql().orElse(null);
    if (sql == null) {
      d.source(c.id(), "CAST(NULL AS " + type + ")");
      d.store(c.id(), c, null);
      return;
    }
    Expr e = services.planner().planDefault(sql, c.type(), d.context());
    d.source(c.id(), "CAST((" + sql + ") AS " + type + ")");
    if (services.planner().isVolatile(e)) {
      d.store(c.id(), c, null);
      d.unknown.add(c.name());
      d.rewrite = true;
      return;
    }
    Vector v = services.evaluator().constant(e, List.of(), dml.evalContext(d.session));
    d.store(c.id(), c, text(v));
  }

  private static @Nullable String text(Vector v) {
    if (v.isNull(0)) {
      return null;
    }
    var out = new ByteSink(64);
    Vector stored = v.withType(v.type().stored());
    TypeCodecs.full(stored.type()).writeText(stored, 0, out, SessionFormat.DEFAULT);
    return new String(out.array(), 0, out.position(), StandardCharsets.UTF_8);
  }

  // ---- DROP, RENAME

  /** What a rule of partitions needs as it is. */
  private static void requireOutsidePartitions(TableDraft d, TableInfo.Column c, String what) {
    PartitionRule rule = d.table.partitions();
    if (rule != null && rule.reads(c.id())) {
      throw new MillraceException(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          "cannot "
              + what
              + " column \""
              + c.name()
              + "\" because it is part of the partition key of relation \""
              + d.table.name()
              + "\"");
    }
  }

  void drop(TableDraft d, AlterAction.DropColumn a) {
    String name = a.column().text();
    if (d.table.column(name).isEmpty() && a.ifExists()) {
      Ddl.missing(d.session, of(d.table, name));
      return;
    }
    TableInfo.Column c = d.column(a.column());
    TableInfo t = d.table;
    requireOutsidePartitions(d, c, "drop");
    if (t.storage().timeIndexId() == c.id()
        || (t.timeIndex().isPresent() && t.storage().tagIds().contains(c.id()))) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "column \"" + name + "\" is part of the key and cannot be dropped");
    }
    requireNoFlows(d, "cannot drop column " + name + " because other objects depend on its table");
    List<String> computed = computedFrom(d, c);
    if (!computed.isEmpty() && !a.cascade()) {
      throw Ddl.dependents(
          "column " + name + " of table " + t.name(),
          computed.stream()
              .map(
                  g ->
                      "column "
                          + g
                          + " of table "
                          + t.name()
                          + " depends on column "
                          + name
                          + " of table "
                          + t.name())
              .toList());
    }
    constraints.dropOf(d, c, a.cascade());
    if (t.storage().tagIds().contains(c.id())) {
      d.key(List.of());
    }
    remove(d, c);
    for (String g : computed) {
      remove(d, d.table.column(g).orElseThrow());
    }
  }

  private List<String> computedFrom(TableDraft d, TableInfo.Column c) {
    int place = d.table.columns().indexOf(c);
    var out = new ArrayList<String>();
    for (TableInfo.Column g : d.table.columns()) {
      if (g.isComputed() && g.id() != c.id()) {
        Expr e =
            services
                .planner()
                .planGenerated(g.defaultSql().orElseThrow(), d.table, g.type(), d.context());
        if (services.planner().columnsOf(e).contains(place)) {
          out.add(g.name());
        }
      }
    }
    return out;
  }

  private static void remove(TableDraft d, TableInfo.Column c) {
    d.unstore(c.id());
    d.table =
        d.table
            .edit()
            .columns(d.table.columns().stream().filter(x -> x.id() != c.id()).toList())
            .indexes(
                d.table.indexes().stream()
                    .filter(
                        x -> !x.columnIds().contains(c.id()) && !x.includeIds().contains(c.id()))
                    .toList())
            .build();
    for (SequenceInfo q : d.session.catalog().sequences(d.table.database())) {
      if (q.owner()
          .filter(o -> o.table().equals(d.table.id()) && o.columnId() == c.id())
          .isPresent()) {
        d.more.add(new CatalogChange.Action.RemoveSequence(q.oid()));
      }
    }
  }

  void requireNoFlows(TableDraft d, String message) {
    List<String> users = services.flows().dependents(d.table.id());
    if (!users.isEmpty()) {
      throw new MillraceException(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST, message)
          .withDetail("flow " + String.join(", ", users) + " uses table " + d.table.name());
    }
  }

  void rename(TableDraft d, AlterAction.RenameColumn a) {
    TableInfo.Column c = d.column(a.column());
    String next = a.newName().text();
    if (d.table.column(next).isPresent()) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_COLUMN, of(d.table, next) + " already exists");
    }
    UnaryOperator<String> text = sql -> Identifiers.renamed(sql, c.name(), next);
    TableInfo.Column renamed = c.withName(next);
    d.replace(renamed);
    d.store(c.id(), renamed, null);
    d.table =
        d.table
            .edit()
            .columns(
                d.table.columns().stream()
                    .map(x -> x.isComputed() ? x.withDefault(x.defaultSql().map(text)) : x)
                    .toList())
            .constraints(
                d.table.constraints().stream()
                    .map(
                        k ->
                            new TableInfo.Constraint(
                                k.oid(),
                                k.name(),
                                k.kind(),
                                k.columnIds(),
                                k.checkSql().map(text),
                                k.foreignKey(),
                                k.notValid()))
                    .toList())
            .indexes(d.table.indexes().stream().map(x -> renamed(x, text)).toList())
            .build();
    constraints.renameReferenced(d, c.name(), next);
  }

  private static TableInfo.Index renamed(TableInfo.Index x, UnaryOperator<String> text) {
    return new TableInfo.Index(
        x.oid(),
        x.name(),
        x.unique(),
        x.method(),
        x.keys().stream()
            .map(
                k ->
                    new TableInfo.Key(
                        k.columnId(), text.apply(k.expression()), k.descending(), k.nullsFirst()))
            .toList(),
        x.includeIds(),
        x.where().map(text),
        x.options());
  }

  // ---- ALTER

  void type(TableDraft d, AlterAction.AlterType a) {
    TableInfo.Column c = d.column(a.column());
    TableInfo t = d.table;
    requireOutsidePartitions(d, c, "alter");
    if (c.isComputed() && a.using() != null) {
      throw new MillraceException(
          ErrorCode.INVALID_COLUMN_DEFINITION,
          "cannot specify USING when altering type of generated column");
    }
    if (t.storage().timeIndexId() == c.id() && !typeOf(d, a).type().kind().isTimestamp()) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "TIME INDEX column \"" + c.name() + "\" must be of a timestamp type");
    }
    requireNoFlows(
        d,
        "cannot alter type of column " + c.name() + " because other objects depend on its table");
    ColumnSpecs.Typed typed = typeOf(d, a);
    ParsedExpression using = a.using();
    String value = d.source(c);
    if (using != null) {
      ColumnSpecs.placed(using, () -> services.planner().planOver(using.text(), t, d.context()));
      value = using.text();
    }
    String given = using == null ? TableChecks.quoted(c.name()) : value;
    boolean casts = a.modify() && using == null && !c.isComputed() && isCast(d, c, typed);
    if (casts) {
      given = cast(c, typed, given);
      value = cast(c, typed, value);
    }
    requireAssignable(d, given, c, typed, using);
    Optional<String> defaultSql = c.defaultSql();
    if (casts) {
      defaultSql = defaultSql.map(v -> cast(c, typed, v));
    } else if (defaultSql.isPresent() && !c.isComputed()) {
      requireDefault(d, c, typed.type());
    }
    for (TableInfo.Index x : t.indexes()) {
      if (x.columnIds().equals(List.of(c.id()))) {
        TableIndexes.kind(x.method())
            .ifPresent(k -> TableIndexes.check(k, c.name(), typed.type(), x.options()));
      }
    }
    int id = d.table.nextColumnId();
    TableInfo.Column changed =
        c.withType(id, typed.type(), typed.declared(), typed.userOid()).withDefault(defaultSql);
    d.replace(c.id(), changed);
    d.store(c.id(), changed, null);
    if (!c.isComputed()) {
      d.source(id, value);
    }
    renumber(d, c.id(), id);
    d.rewrite = true;
  }

  private ColumnSpecs.Typed typeOf(TableDraft d, AlterAction.AlterType a) {
    return specs.type(d.session, a.type());
  }

  /** Whether MODIFY COLUMN has a cast to use; it knows more of them than assignment. */
  private boolean isCast(TableDraft d, TableInfo.Column c, ColumnSpecs.Typed typed) {
    try {
      services
          .planner()
          .planOver(cast(c, typed, TableChecks.quoted(c.name())), d.table, d.context());
      return true;
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.CANNOT_COERCE) {
        throw e;
      }
      return false;
    }
  }

  /** Numbers that are not zero are true. */
  private static String cast(TableInfo.Column c, ColumnSpecs.Typed typed, String value) {
    return typed.type().kind() == TypeKind.BOOL && c.type().kind().category() == 'N'
        ? "(" + value + ") <> 0"
        : "CAST(" + value + " AS " + typed.declared() + ")";
  }

  private void requireAssignable(
      TableDraft d,
      String value,
      TableInfo.Column c,
      ColumnSpecs.Typed typed,
      @Nullable ParsedExpression using) {
    if (c.isComputed()) {
      return;
    }
    try {
      services.planner().planGenerated(value, d.table, typed.type(), d.context());
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DATATYPE_MISMATCH) {
        throw e;
      }
      String target = typed.type().sqlName();
      throw using != null
          ? new MillraceException(
              ErrorCode.DATATYPE_MISMATCH,
              "result of USING clause for column \""
                  + c.name()
                  + "\" cannot be cast automatically to type "
                  + target)
          : new MillraceException(
                  ErrorCode.DATATYPE_MISMATCH,
                  "column \"" + c.name() + "\" cannot be cast automatically to type " + target)
              .withHint(
                  "You might need to specify \"USING "
                      + Names.quote(c.name())
                      + "::"
                      + target
                      + "\".");
    }
  }

  private void requireDefault(TableDraft d, TableInfo.Column c, SqlType type) {
    try {
      services.planner().planGenerated(TableChecks.quoted(c.name()), d.table, type, d.context());
    } catch (MillraceException e) {
      throw new MillraceException(
          ErrorCode.DATATYPE_MISMATCH,
          "default for column \""
              + c.name()
              + "\" cannot be cast automatically to type "
              + type.sqlName(),
          e);
    }
  }

  /** Everything that names a column by id names the new one. */
  private static void renumber(TableDraft d, int old, int id) {
    UnaryOperator<List<Integer>> ids = list -> list.stream().map(x -> x == old ? id : x).toList();
    d.table =
        d.table
            .edit()
            .constraints(
                d.table.constraints().stream()
                    .map(k -> k.withColumns(ids.apply(k.columnIds())))
                    .toList())
            .indexes(
                d.table.indexes().stream()
                    .map(
                        x ->
                            new TableInfo.Index(
                                x.oid(),
                                x.name(),
                                x.unique(),
                                x.method(),
                                x.keys().stream()
                                    .map(
                                        k ->
                                            new TableInfo.Key(
                                                k.columnId() == old ? id : k.columnId(),
                                                k.expression(),
                                                k.descending(),
                                                k.nullsFirst()))
                                    .toList(),
                                ids.apply(x.includeIds()),
                                x.where(),
                                x.options()))
                    .toList())
            .build();
    for (SequenceInfo q : d.session.catalog().sequences(d.table.database())) {
      q.owner()
          .filter(o -> o.table().equals(d.table.id()) && o.columnId() == old)
          .ifPresent(
              o ->
                  d.more.add(
                      new CatalogChange.Action.PutSequence(
                          q.ownedBy(
                              Optional.of(new SequenceInfo.Owner(o.table(), id, o.identity()))))));
    }
  }

  private static void requirePlain(TableDraft d, TableInfo.Column c) {
    if (c.isIdentity() || c.isComputed()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR,
          of(d.table, c.name())
              + (c.isIdentity() ? " is an identity column" : " is a generated column"));
    }
  }

  void setDefault(TableDraft d, AlterAction.SetDefault a) {
    TableInfo.Column c = d.column(a.column());
    requirePlain(d, c);
    d.replace(c.withDefault(specs.defaultOf(d.session, a.value(), c.type())));
  }

  void dropDefault(TableDraft d, Name name) {
    TableInfo.Column c = d.column(name);
    if (c.isIdentity()) {
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR, of(d.table, c.name()) + " is an identity column")
          .withHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.");
    }
    requirePlain(d, c);
    d.replace(c.withDefault(Optional.empty()));
  }

  void setNotNull(TableDraft d, String name) {
    TableInfo.Column c = d.table.column(name).orElseThrow();
    if (!c.nullable()) {
      return;
    }
    d.replace(c.withNullable(false));
    if (!c.isComputed() && !d.unknown.contains(name)) {
      d.checks.add(() -> checks.notNull(d.session, d.table, d.rows(), name));
    }
  }

  void dropNotNull(TableDraft d, Name name) {
    TableInfo.Column c = d.column(name);
    if (c.isIdentity()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, of(d.table, c.name()) + " is an identity column");
    }
    if (d.table.storage().timeIndexId() == c.id()) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION, "column \"" + c.name() + "\" is the time index");
    }
    if (d.table.timeIndex().isEmpty() && d.table.storage().tagIds().contains(c.id())) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION, "column \"" + c.name() + "\" is in a primary key");
    }
    PartitionDefinitions.requireNullable(d.table, c.id());
    TableInfo.Column changed = c.withNullable(true);
    d.replace(changed);
    d.store(c.id(), changed, null);
  }

  // ---- identity

  void identity(TableDraft d, AlterAction.AlterIdentity a) {
    TableInfo.Column c = d.column(a.column());
    if (a.words().startsWith("add generated")) {
      addIdentity(d, c, a);
      return;
    }
    if (!c.isIdentity()) {
      throw new MillraceException(
          ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
          of(d.table, c.name()) + " is not an identity column");
    }
    SequenceInfo q =
        d.session.catalog().sequences(d.table.database()).stream()
            .filter(
                s ->
                    s.owner()
                        .filter(
                            o ->
                                o.identity()
                                    && o.table().equals(d.table.id())
                                    && o.columnId() == c.id())
                        .isPresent())
            .findFirst()
            .orElseThrow();
    if (a.words().equals("drop identity")) {
      d.replace(c.withGenerated("").withDefault(Optional.empty()));
      d.more.add(new CatalogChange.Action.RemoveSequence(q.oid()));
      return;
    }
    if (a.words().startsWith("set generated")) {
      d.replace(c.withGenerated(a.words().endsWith("always") ? "a" : "d"));
    }
    List<Option> options = a.options();
    if (!options.isEmpty()) {
      SequenceInfo changed = SequenceDefinitions.alter(q, options);
      Long restart = SequenceDefinitions.restart(changed, options);
      d.more.add(new CatalogChange.Action.PutSequence(changed));
      if (restart != null) {
        d.afterwards.add(
            () -> {
              services.catalog().sequenceValues().set(changed, restart, false);
              return CompletableFuture.completedFuture(null);
            });
      }
    }
  }

  private void addIdentity(TableDraft d, TableInfo.Column c, AlterAction.AlterIdentity a) {
    String typname = ColumnSpecs.identityType(c.type());
    String problem =
        c.nullable()
            ? " must be declared NOT NULL before identity can be added"
            : c.isIdentity()
                ? " is already an identity column"
                : c.defaultSql().isPresent() ? " already has a default value" : null;
    if (problem != null) {
      throw new MillraceException(
          ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, of(d.table, c.name()) + problem);
    }
    var at = new Names.Target(d.table.database(), d.table.schema(), d.table.name());
    SequenceInfo q =
        specs
            .sequence(d.session, at, c.name(), typname, a.options(), List.of())
            .ownedBy(Optional.of(new SequenceInfo.Owner(d.table.id(), c.id(), true)));
    d.more.add(new CatalogChange.Action.PutSequence(q));
    d.replace(
        c.withGenerated(a.words().endsWith("always") ? "a" : "d")
            .withDefault(Optional.of(SequenceCalls.nextval(q.oid()))));
  }

  // ---- indexes of one column

  void setIndex(TableDraft d, AlterAction.SetIndex a) {
    TableInfo.Column c = d.column(a.column());
    d.table = withColumnIndex(services, d.session, d.table, c, a.index());
  }

  static TableInfo withColumnIndex(
      StatementServices services,
      SessionContext session,
      TableInfo t,
      TableInfo.Column c,
      ColumnDefinition.ColumnIndex wanted) {
    String method = wanted.kind().name().toLowerCase(java.util.Locale.ROOT);
    Map<String, String> options =
        TableIndexes.check(
            TableIndexes.kind(method).orElseThrow(),
            c.name(),
            c.type(),
            TableDefinitions.options(wanted.options()));
    var all = new ArrayList<>(t.indexes());
    for (TableInfo.Index x : t.indexes()) {
      if (x.method().equals(method) && x.columnIds().equals(List.of(c.id()))) {
        if (x.options().equals(options)) {
          session.notice(Notice.notice("index \"" + x.name() + "\" already exists, skipping"));
          return t;
        }
        all.set(all.indexOf(x), x.withOptions(options));
        return t.edit().indexes(all).build();
      }
    }
    String name = t.name() + "_" + c.name() + "_" + method + "_idx";
    all.add(
        new TableInfo.Index(
            services.catalog().nextOid(),
            name,
            false,
            method,
            List.of(new TableInfo.Key(c.id(), "", false, false)),
            List.of(),
            Optional.empty(),
            options));
    return t.edit().indexes(all).build();
  }

  void unsetIndex(TableDraft d, AlterAction.UnsetIndex a) {
    TableInfo.Column c = d.column(a.column());
    String method = a.kind().name().toLowerCase(java.util.Locale.ROOT);
    List<TableInfo.Index> kept =
        d.table.indexes().stream()
            .filter(x -> !(x.method().equals(method) && x.columnIds().equals(List.of(c.id()))))
            .toList();
    if (kept.size() == d.table.indexes().size()) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_OBJECT, of(d.table, c.name()) + " has no " + method + " index");
    }
    d.table = d.table.edit().indexes(kept).build();
  }
}

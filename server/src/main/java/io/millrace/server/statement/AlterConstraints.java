package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableDefinition.ConstraintDefinition;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Actions of ALTER TABLE on constraints. */
final class AlterConstraints {
  private final StatementServices services;
  private final TableChecks checks;

  AlterConstraints(DmlSupport dml) {
    this.services = dml.services();
    this.checks = new TableChecks(dml);
  }

  // ---- ADD

  /** The constraints that came with an added column. */
  void ofColumn(TableDraft d, ColumnDefinition c) {
    Name name = c.name();
    if (c.timeIndex()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "a TIME INDEX cannot be added to a table");
    }
    if (c.primaryKey()) {
      if (d.table.timeIndex().isPresent()) {
        tag(d, d.table.column(name.text()).orElseThrow());
      } else {
        add(d, new TableConstraint.PrimaryKey(c.constraintName(), List.of(name), null), false);
      }
    }
    if (c.unique()) {
      add(d, new TableConstraint.Unique(c.constraintName(), List.of(name), false, null), false);
    }
    c.checks().forEach(k -> add(d, k, false));
    TableConstraint.ForeignKey references = c.references();
    if (references != null) {
      add(d, references, false);
    }
    c.indexes()
        .forEach(
            x ->
                d.table =
                    AlterColumns.withColumnIndex(
                        services,
                        d.session,
                        d.table,
                        d.table.column(name.text()).orElseThrow(),
                        x));
  }

  /** ADD COLUMN … PRIMARY KEY of a table with a TIME INDEX: one more tag at the key's end. */
  private void tag(TableDraft d, TableInfo.Column c) {
    var tags = new ArrayList<>(d.table.storage().tagIds());
    tags.add(c.id());
    Optional<TableInfo.Constraint> primary =
        d.table.constraints().stream().filter(k -> k.kind() == 'p').findFirst();
    if (primary.isPresent()) {
      var ids = new ArrayList<>(primary.get().columnIds());
      ids.add(c.id());
      d.constraints(
          d.table.constraints().stream()
              .map(k -> k.kind() == 'p' ? k.withColumns(ids) : k)
              .toList());
    } else {
      d.add(constraint(free(d, d.table.name() + "_pkey"), 'p', List.of(c.id())));
    }
    d.key(tags);
  }

  private TableInfo.Constraint constraint(String name, char kind, List<Integer> ids) {
    return new TableInfo.Constraint(
        services.catalog().nextOid(), name, kind, ids, Optional.empty(), Optional.empty());
  }

  private static String free(TableDraft d, String wanted) {
    String name = wanted;
    for (int i = 1;
        d.table.constraint(name).isPresent()
            || RelationNames.hasIndex(d.table, name)
            || RelationNames.taken(d.session.catalog(), d.table.database(), d.table.schema(), name);
        i++) {
      name = wanted + i;
    }
    return name;
  }

  private static String freeConstraint(TableDraft d, String wanted) {
    String name = wanted;
    for (int i = 1; d.table.constraint(name).isPresent(); i++) {
      name = wanted + i;
    }
    return name;
  }

  private static void requireFree(TableDraft d, @Nullable String name) {
    if (name != null && d.table.constraint(name).isPresent()) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_OBJECT,
          "constraint \"" + name + "\" for relation \"" + d.table.name() + "\" already exists");
    }
  }

  private static void requireFreeIndex(TableDraft d, @Nullable String name) {
    if (name != null
        && RelationNames.taken(d.session.catalog(), d.table.database(), d.table.schema(), name)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + name + "\" already exists");
    }
  }

  void add(TableDraft d, TableConstraint c, boolean notValid) {
    requireFree(d, c.constraintName());
    switch (c) {
      case TableConstraint.Check k -> check(d, k, notValid);
      case TableConstraint.ForeignKey f -> foreignKey(d, f, notValid);
      case TableConstraint.Unique u -> unique(d, u);
      case TableConstraint.PrimaryKey p -> primaryKey(d, p);
      case TableConstraint.TimeIndex t ->
          throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED, "a TIME INDEX cannot be added to a table");
    }
  }

  private static List<Integer> ids(TableInfo t, List<String> names) {
    return names.stream().map(n -> t.column(n).orElseThrow().id()).toList();
  }

  private void check(TableDraft d, TableConstraint.Check k, boolean notValid) {
    ConstraintDefinition def = TableDefinitions.check(services.planner(), k, d.table, d.context());
    String base =
        d.table.name() + (def.columns().size() == 1 ? "_" + def.columns().getFirst() : "");
    String name = def.name().isEmpty() ? freeConstraint(d, base + "_check") : def.name();
    d.add(
        new TableInfo.Constraint(
            services.catalog().nextOid(),
            name,
            'c',
            ids(d.table, def.columns()),
            def.checkSql(),
            Optional.empty(),
            notValid));
    boolean computed =
        def.columns().stream()
            .anyMatch(n -> d.unknown.contains(n) || d.table.column(n).orElseThrow().isComputed());
    if (!notValid && !computed) {
      d.checks.add(
          () -> checks.check(d.session, d.table, d.rows(), name, def.checkSql().orElse("true")));
    }
  }

  private void foreignKey(TableDraft d, TableConstraint.ForeignKey f, boolean notValid) {
    ConstraintDefinition def = TableDefinitions.foreignKey(d.session, f, d.table);
    String name =
        def.name().isEmpty()
            ? freeConstraint(d, d.table.name() + "_" + String.join("_", def.columns()) + "_fkey")
            : def.name();
    d.add(
        new TableInfo.Constraint(
            services.catalog().nextOid(),
            name,
            'f',
            ids(d.table, def.columns()),
            Optional.empty(),
            def.foreignKey(),
            notValid));
    d.session.notice(Notice.warning(ErrorCode.WARNING, "FOREIGN KEY is recorded but not enforced"));
  }

  private static List<String> columns(TableDraft d, List<Name> names) {
    for (Name n : names) {
      if (d.table.column(n.text()).isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNDEFINED_COLUMN, "column \"" + n.text() + "\" named in key does not exist");
      }
    }
    return TableDefinitions.names(names);
  }

  /** The columns of USING INDEX; the index becomes the constraint's. */
  private static List<String> takeIndex(TableDraft d, String index) {
    TableInfo.Index x =
        d.table.indexes().stream()
            .filter(i -> i.name().equals(index))
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNDEFINED_OBJECT, "index \"" + index + "\" does not exist"));
    if (!x.enforceable()) {
      throw new MillraceException(
              ErrorCode.WRONG_OBJECT_TYPE, "\"" + index + "\" is not a unique index")
          .withDetail("Cannot create a primary key or unique constraint using such an index.");
    }
    List<String> names =
        x.columnIds().stream().map(id -> d.table.columnById(id).orElseThrow().name()).toList();
    d.table =
        d.table
            .edit()
            .indexes(d.table.indexes().stream().filter(i -> i.oid() != x.oid()).toList())
            .build();
    return names;
  }

  private void unique(TableDraft d, TableConstraint.Unique u) {
    String index = u.usingIndex();
    List<String> names = index == null ? columns(d, u.columns()) : takeIndex(d, index);
    String given = u.constraintName() != null ? u.constraintName() : index;
    if (index == null) {
      requireFreeIndex(d, given);
    }
    String name =
        given != null ? given : free(d, d.table.name() + "_" + String.join("_", names) + "_key");
    d.add(constraint(name, 'u', ids(d.table, names)));
    if (d.table.timeIndex().isPresent()) {
      d.session.notice(
          Notice.warning(
              ErrorCode.WARNING,
              "UNIQUE is recorded but not enforced on tables with a TIME INDEX"));
    } else if (index == null && names.stream().noneMatch(d.unknown::contains)) {
      d.checks.add(() -> checks.unique(d.session, d.table, d.rows(), name, names));
    }
  }

  private void primaryKey(TableDraft d, TableConstraint.PrimaryKey p) {
    if (d.table.constraints().stream().anyMatch(c -> c.kind() == 'p')) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "multiple primary keys for table \"" + d.table.name() + "\" are not allowed");
    }
    String index = p.usingIndex();
    List<String> names = index == null ? columns(d, p.columns()) : takeIndex(d, index);
    String given = p.constraintName() != null ? p.constraintName() : index;
    if (index == null) {
      requireFreeIndex(d, given);
    }
    String name = given != null ? given : free(d, d.table.name() + "_pkey");
    List<Integer> ids = ids(d.table, names);
    boolean plain = d.table.timeIndex().isEmpty();
    if (plain) {
      if (names.stream().noneMatch(d.unknown::contains)) {
        d.checks.add(() -> checks.unique(d.session, d.table, d.rows(), name, names));
      }
      for (String n : names) {
        TableInfo.Column c = d.table.column(n).orElseThrow();
        if (c.isComputed()) {
          throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "generated column \"" + n + "\" cannot be part of the table's key");
        }
        if (c.nullable() && !d.unknown.contains(n)) {
          d.checks.addFirst(() -> checks.notNull(d.session, d.table, d.rows(), n));
        }
        d.replace(c.withNullable(false));
      }
    }
    var all = new ArrayList<TableInfo.Constraint>();
    all.add(constraint(name, 'p', ids));
    all.addAll(d.table.constraints());
    d.constraints(all);
    d.key(ids.stream().filter(id -> id != d.table.storage().timeIndexId()).toList());
  }

  // ---- DROP

  void drop(TableDraft d, AlterAction.DropConstraint a) {
    Optional<TableInfo.Constraint> found =
        a.name().equals("primary key")
            ? d.table.constraints().stream().filter(c -> c.kind() == 'p').findFirst()
            : d.table.constraint(a.name());
    if (found.isEmpty()) {
      String what = "constraint \"" + a.name() + "\" of relation \"" + d.table.name() + "\"";
      if (!a.ifExists()) {
        throw new MillraceException(ErrorCode.UNDEFINED_OBJECT, what + " does not exist");
      }
      Ddl.missing(d.session, what);
      return;
    }
    TableInfo.Constraint c = found.get();
    if (c.kind() == 'p' && d.table.timeIndex().isPresent()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "the primary key of a table with a TIME INDEX cannot be dropped")
          .withHint("Rows of different keys would become one where their times are equal.");
    }
    remove(d, c, a.cascade());
    if (c.kind() == 'p') {
      d.key(List.of());
    }
  }

  private void remove(TableDraft d, TableInfo.Constraint c, boolean cascade) {
    dropReferences(d, c, cascade);
    d.constraints(d.table.constraints().stream().filter(x -> x.oid() != c.oid()).toList());
  }

  /** Constraints that a dropped column is part of. */
  void dropOf(TableDraft d, TableInfo.Column column, boolean cascade) {
    for (TableInfo.Constraint c : d.table.constraints()) {
      if (c.columnIds().contains(column.id())) {
        remove(d, c, cascade);
      }
    }
  }

  /** Foreign keys that need a primary key or unique constraint: refused, or dropped too. */
  private static void dropReferences(TableDraft d, TableInfo.Constraint c, boolean cascade) {
    if (c.kind() != 'p' && c.kind() != 'u') {
      return;
    }
    Set<Integer> key = new HashSet<>(c.columnIds());
    var details = new ArrayList<String>();
    var users = new ArrayList<TableInfo>(Ddl.referring(d.session.catalog(), d.before));
    users.add(d.table);
    for (TableInfo t : users) {
      List<TableInfo.Constraint> needed =
          t.constraints().stream()
              .filter(f -> TableProcedures.refers(f, d.before) && uses(d, f, c, key))
              .toList();
      if (needed.isEmpty()) {
        continue;
      }
      needed.forEach(f -> details.add("constraint " + f.name() + " on table " + t.name()));
      List<TableInfo.Constraint> kept =
          t.constraints().stream().filter(f -> !needed.contains(f)).toList();
      if (t == d.table) {
        d.constraints(kept);
      } else {
        d.more.add(
            new CatalogChange.Action.PutTable(
                t.edit().version(t.version() + 1).constraints(kept).build()));
      }
    }
    if (!details.isEmpty() && !cascade) {
      throw Ddl.dependents(
          "constraint " + c.name() + " on table " + d.table.name(),
          details.stream().map(x -> x + " depends on index " + c.name()).toList());
    }
    Ddl.cascades(d.session, details);
  }

  private static boolean uses(
      TableDraft d, TableInfo.Constraint f, TableInfo.Constraint c, Set<Integer> key) {
    List<String> columns = f.foreignKey().orElseThrow().columns();
    if (columns.isEmpty()) {
      return c.kind() == 'p';
    }
    Set<Integer> ids = new HashSet<>();
    columns.forEach(n -> d.table.column(n).ifPresent(x -> ids.add(x.id())));
    return ids.equals(key);
  }

  /** Foreign keys of other tables follow a column's new name. */
  void renameReferenced(TableDraft d, String old, String next) {
    for (TableInfo t : Ddl.referring(d.session.catalog(), d.before)) {
      List<TableInfo.Constraint> changed =
          t.constraints().stream()
              .map(
                  c ->
                      TableProcedures.refers(c, d.before)
                          ? c.withForeignKey(renamed(c.foreignKey().orElseThrow(), old, next))
                          : c)
              .toList();
      if (!changed.equals(t.constraints())) {
        d.more.add(
            new CatalogChange.Action.PutTable(
                t.edit().version(t.version() + 1).constraints(changed).build()));
      }
    }
  }

  private static TableInfo.ForeignKey renamed(TableInfo.ForeignKey f, String old, String next) {
    return new TableInfo.ForeignKey(
        f.table(),
        f.columns().stream().map(c -> c.equals(old) ? next : c).toList(),
        f.onDelete(),
        f.onUpdate());
  }

  // ---- VALIDATE, RENAME

  private static TableInfo.Constraint required(TableDraft d, String name) {
    return d.table
        .constraint(name)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNDEFINED_OBJECT,
                    "constraint \""
                        + name
                        + "\" of relation \""
                        + d.table.name()
                        + "\" does not exist"));
  }

  void validate(TableDraft d, String name) {
    TableInfo.Constraint c = required(d, name);
    if (c.kind() != 'c' && c.kind() != 'f') {
      throw new MillraceException(
          ErrorCode.WRONG_OBJECT_TYPE,
          "constraint \""
              + name
              + "\" of relation \""
              + d.table.name()
              + "\" is not a foreign key or check constraint");
    }
    if (!c.notValid()) {
      return;
    }
    if (c.kind() == 'c') {
      d.checks.add(
          () -> checks.check(d.session, d.table, d.rows(), name, c.checkSql().orElse("true")));
    }
    d.constraints(
        d.table.constraints().stream()
            .map(x -> x.oid() == c.oid() ? x.withNotValid(false) : x)
            .toList());
  }

  void rename(TableDraft d, String old, String next) {
    TableInfo.Constraint c = required(d, old);
    requireFree(d, next);
    if (c.kind() == 'p' || c.kind() == 'u') {
      requireFreeIndex(d, next);
    }
    d.constraints(
        d.table.constraints().stream()
            .map(x -> x.oid() == c.oid() ? x.withName(next) : x)
            .toList());
  }
}

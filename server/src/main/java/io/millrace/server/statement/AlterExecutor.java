package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.Identifiers;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.partition.PartitionTerm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * ALTER TABLE: all actions of a statement together or none, see {@link TableDraft}. A view takes
 * the actions that it shares with tables.
 */
final class AlterExecutor {
  private static final Set<String> FLAGS =
      Set.of("append_mode", "skip_wal", "index.tags", "index.key_bloom");

  private static final String TAG = "ALTER TABLE";

  private final StatementServices services;
  private final AlterColumns columns;
  private final AlterConstraints constraints;
  private final TableRewrite rewrite;
  private final PartitionDefinitions partitions;

  AlterExecutor(DmlSupport dml, InsertExecutor insert) {
    this.services = dml.services();
    this.constraints = new AlterConstraints(dml);
    this.partitions = new PartitionDefinitions(dml);
    this.columns = new AlterColumns(dml, constraints);
    this.rewrite = new TableRewrite(dml, insert);
  }

  /** The statement that a sequence or view is to have instead; empty for tables. */
  static Optional<Statement.AlterObject> other(SessionContext session, Statement.AlterTable s) {
    boolean view = Names.findView(session, s.name()).isPresent();
    if (!view && Names.findSequence(session, s.name()).isEmpty()) {
      return Optional.empty();
    }
    if (s.actions().size() != 1) {
      return Optional.empty();
    }
    Statement.ObjectKind kind = view ? Statement.ObjectKind.VIEW : Statement.ObjectKind.SEQUENCE;
    return switch (s.actions().getFirst()) {
      case AlterAction.OwnerTo o -> Optional.of(object(kind, s, "owner", o.role()));
      case AlterAction.RenameTable r -> Optional.of(object(kind, s, "rename", r.newName().name()));
      case AlterAction.SetSchema x -> Optional.of(object(kind, s, "set schema", x.schema().text()));
      case AlterAction.RenameColumn r when view ->
          Optional.of(object(kind, s, "rename column " + r.column().text(), r.newName().text()));
      default -> Optional.empty();
    };
  }

  private static Statement.AlterObject object(
      Statement.ObjectKind kind, Statement.AlterTable s, String action, String argument) {
    return new Statement.AlterObject(kind, s.name(), s.ifExists(), action, argument, List.of());
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.AlterTable s) {
    DmlSupport.requireWritable(session, TAG);
    Optional<TableInfo> found = Names.findTable(session, s.name());
    if (found.isEmpty() && s.ifExists()) {
      Ddl.missing(session, "relation \"" + s.name().name() + "\"");
      return Ddl.done(TAG);
    }
    var d = new TableDraft(session, found.orElseGet(() -> Names.table(session, s.name())));
    for (AlterAction a : s.actions()) {
      apply(d, a);
    }
    PartitionRule rule = d.table.partitions();
    if (rule != null) {
      PartitionDefinitions.requireInKey(d.table, rule.columnIds());
    }
    requireViews(d, s.actions());
    if (d.rewrite) {
      columns.requireNoFlows(
          d, "cannot rewrite table " + d.table.name() + " because other objects depend on it");
    }
    Ddl.noticeInBlock(session);
    return Async.then(
        session,
        all(session, d.checks, 0),
        v ->
            Async.then(
                session,
                d.rewrite ? rewrite.run(d) : change(d),
                w -> Ddl.done(all(session, d.afterwards, 0), TAG)));
  }

  private static CompletableFuture<Void> all(
      SessionContext session, List<Supplier<CompletableFuture<Void>>> steps, int at) {
    return at == steps.size()
        ? CompletableFuture.completedFuture(null)
        : Async.then(session, steps.get(at).get(), v -> all(session, steps, at + 1));
  }

  private CompletableFuture<Void> change(TableDraft d) {
    if (d.table.equals(d.before) && d.more.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return services
        .tables()
        .alter(
            d.before.id(),
            t -> {
              if (t.version() != d.before.version()) {
                throw new MillraceException(
                    ErrorCode.OBJECT_IN_USE,
                    "table \"" + t.name() + "\" was changed at the same time; try again");
              }
              return d.table;
            },
            t -> d.more)
        .thenAccept(t -> {});
  }

  private void apply(TableDraft d, AlterAction action) {
    switch (action) {
      case AlterAction.AddColumn a -> columns.add(d, a);
      case AlterAction.DropColumn a -> columns.drop(d, a);
      case AlterAction.RenameColumn a -> columns.rename(d, a);
      case AlterAction.RenameTable a -> rename(d, a.newName().name());
      case AlterAction.AlterType a -> columns.type(d, a);
      case AlterAction.SetDefault a -> columns.setDefault(d, a);
      case AlterAction.DropDefault a -> columns.dropDefault(d, a.column());
      case AlterAction.SetNotNull a -> columns.setNotNull(d, d.column(a.column()).name());
      case AlterAction.DropNotNull a -> columns.dropNotNull(d, a.column());
      case AlterAction.AlterIdentity a -> columns.identity(d, a);
      case AlterAction.AddConstraint a -> constraints.add(d, a.constraint(), a.notValid());
      case AlterAction.DropConstraint a -> constraints.drop(d, a);
      case AlterAction.ValidateConstraint a -> constraints.validate(d, a.name());
      case AlterAction.RenameConstraint a -> constraints.rename(d, a.name(), a.newName());
      case AlterAction.SetSchema a -> setSchema(d, a.schema().text());
      case AlterAction.SetIndex a -> columns.setIndex(d, a);
      case AlterAction.UnsetIndex a -> columns.unsetIndex(d, a);
      case AlterAction.SetOptions a -> setOptions(d, a.options());
      case AlterAction.UnsetOptions a -> unsetOptions(d, a.keys());
      case AlterAction.OwnerTo a -> {}
      case AlterAction.NoEffect a -> {}
      case AlterAction.Repartition a -> repartition(d, a);
    }
  }

  /** Views that could not be read any more: dropped with CASCADE, else in the way. */
  private void requireViews(TableDraft d, List<AlterAction> actions) {
    var changes = new ArrayList<CatalogChange.Action>();
    changes.add(new CatalogChange.Action.PutTable(d.table));
    List<ViewInfo> views =
        Ddl.brokenViews(services, d.session, d.table.database(), new CatalogChange(changes));
    views = follow(d, views, actions);
    if (views.isEmpty()) {
      return;
    }
    boolean cascade =
        actions.stream().anyMatch(a -> a instanceof AlterAction.DropColumn x && x.cascade());
    if (!cascade) {
      boolean drop = actions.stream().anyMatch(a -> a instanceof AlterAction.DropColumn);
      List<String> details =
          views.stream()
              .map(v -> "view " + v.name() + " depends on table " + d.before.name())
              .toList();
      throw drop
          ? Ddl.dependents("a column of table " + d.before.name(), details)
          : new MillraceException(
                  ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                  "cannot alter table " + d.before.name() + " because other objects depend on it")
              .withDetail(String.join("\n", details))
              .withHint("Drop the views first and make them again afterwards.");
    }
    Ddl.cascades(d.session, views.stream().map(v -> "view " + v.name()).toList());
    views.forEach(v -> d.more.add(new CatalogChange.Action.RemoveView(v.oid())));
  }

  /**
   * Lets views follow renames: their texts get the new names where the old stood, and are kept if
   * they can be read then with the same columns as before.
   *
   * @return the views that are in the way all the same
   */
  private List<ViewInfo> follow(TableDraft d, List<ViewInfo> views, List<AlterAction> actions) {
    Ddl.Followed f =
        Ddl.follow(
            services,
            d.session,
            d.catalog(),
            views,
            query -> {
              String text = query;
              for (AlterAction a : actions) {
                text = renamed(d, a, text);
              }
              return text;
            });
    d.more.addAll(f.puts());
    return f.broken();
  }

  private static String renamed(TableDraft d, AlterAction action, String text) {
    return switch (action) {
      case AlterAction.RenameColumn r ->
          Identifiers.replaced(text, r.column().text(), r.newName().text());
      case AlterAction.RenameTable r ->
          Identifiers.replaced(text, d.before.name(), r.newName().name());
      case AlterAction.SetSchema x ->
          text.replace(
              RelationNames.text(d.before), RelationNames.text(x.schema().text(), d.before.name()));
      default -> text;
    };
  }

  /**
   * REPARTITION, SPLIT and MERGE: the rows are written anew. The partitions that go are named by
   * their conditions; without new ones they become one.
   */
  private void repartition(TableDraft d, AlterAction.Repartition a) {
    PartitionRule rule = PartitionDefinitions.require(d.table);
    List<PartitionTerm> gone = partitions.terms(d.table, a.from(), d.session, d.context());
    var kept = new ArrayList<>(rule.definition().partitions());
    for (int i = 0; i < gone.size(); i++) {
      if (!kept.remove(gone.get(i))) {
        throw new MillraceException(
                ErrorCode.UNDEFINED_OBJECT,
                "table \"" + d.table.name() + "\" has no partition " + a.from().get(i).text())
            .withHint("SHOW CREATE TABLE shows the conditions of the partitions.");
      }
    }
    List<PartitionTerm> made =
        a.into().isEmpty()
            ? List.of(PartitionTerm.or(gone))
            : partitions.terms(d.table, a.into(), d.session, d.context());
    d.table = partitions.repartitioned(d.table, kept, made);
    d.rewrite = true;
  }

  private void rename(TableDraft d, String next) {
    TableInfo t = d.table;
    if (next.equals(t.name())
        || RelationNames.taken(d.session.catalog(), t.database(), t.schema(), next)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + next + "\" already exists");
    }
    d.table = t.edit().name(next).build();
    moveReferences(d);
  }

  private void setSchema(TableDraft d, String schema) {
    TableInfo t = d.table;
    if (schema.equals(t.schema())) {
      return;
    }
    if (t.temporary() || schema.startsWith(TableProcedures.TEMPORARY_SCHEMA)) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "cannot move objects into or out of temporary schemas");
    }
    if (Names.hasSchema(d.session.catalog(), t.database(), schema)
        && RelationNames.taken(d.session.catalog(), t.database(), schema, t.name())) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE,
          "relation \"" + t.name() + "\" already exists in schema \"" + schema + "\"");
    }
    TableProcedures.checkFree(d.session.catalog(), t.database(), schema, t.name());
    d.table = t.edit().schema(schema).build();
    for (SequenceInfo q : TableProcedures.ownedSequences(d.session.catalog(), t)) {
      d.more.add(new CatalogChange.Action.PutSequence(q.named(schema, q.name())));
    }
    moveReferences(d);
  }

  /** Foreign keys say the table's new name. */
  private static void moveReferences(TableDraft d) {
    String text = RelationNames.text(d.table);
    d.table = ObjectExecutor.references(d.table, d.before, text);
    for (TableInfo o : Ddl.referring(d.session.catalog(), d.before)) {
      TableInfo moved = ObjectExecutor.references(o, d.before, text);
      d.more.add(new CatalogChange.Action.PutTable(moved.edit().version(o.version() + 1).build()));
    }
  }

  private static void setOptions(TableDraft d, List<Option> options) {
    var all = new LinkedHashMap<>(d.table.options());
    var given = new ArrayList<Option>();
    for (Option o : options) {
      String key = o.key().toLowerCase(Locale.ROOT);
      String value = o.value();
      // Nothing is no value, but for a flag that is named only.
      if (value == null ? !FLAGS.contains(key) : value.isEmpty()) {
        all.remove(key);
      } else {
        given.add(o);
      }
    }
    TableDefinitions.options(given).forEach((k, v) -> all.put(k.toLowerCase(Locale.ROOT), v));
    setOptions(d, all);
  }

  private static void unsetOptions(TableDraft d, List<String> keys) {
    var all = new LinkedHashMap<>(d.table.options());
    keys.forEach(k -> all.remove(k.toLowerCase(Locale.ROOT)));
    setOptions(d, all);
  }

  /** Versions of a key that would be merged in another way, or not any more, are folded before. */
  private static void setOptions(TableDraft d, Map<String, String> all) {
    d.table = TableProcedures.withOptions(d.table, all);
    d.rewrite |= !d.table.regionOptions().mergesLike(d.before.regionOptions());
  }
}

package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** CREATE, ALTER and DROP SEQUENCE. */
final class SequenceExecutor {
  private final StatementServices services;

  SequenceExecutor(StatementServices services) {
    this.services = services;
  }

  CompletableFuture<Outcome> create(SessionContext session, Statement.CreateSequence s) {
    DmlSupport.requireWritable(session, "CREATE SEQUENCE");
    Names.Target at = Ddl.target(session, s.name(), s.temporary());
    if (s.ifNotExists()
        && RelationNames.taken(session.catalog(), at.database(), at.schema(), at.name())) {
      Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + at.name() + "\"");
      return Ddl.done("CREATE SEQUENCE");
    }
    List<Option> options = withoutOwner(s.options());
    Optional<SequenceInfo.Owner> owner = owner(session, s.options(), at.schema());
    SequenceInfo sequence =
        SequenceDefinitions.create(services.catalog().nextOid(), at, "int8", options, owner);
    Ddl.noticeInBlock(session);
    CompletableFuture<?> first =
        s.temporary()
            ? Ddl.temporarySchema(services, session)
            : CompletableFuture.completedFuture(null);
    return Ddl.done(
        first.thenCompose(
            v ->
                services
                    .catalog()
                    .change(
                        c -> {
                          TableProcedures.checkFree(c, at.database(), at.schema(), at.name());
                          return CatalogChange.of(new CatalogChange.Action.PutSequence(sequence));
                        })),
        "CREATE SEQUENCE");
  }

  private static List<Option> withoutOwner(List<Option> options) {
    return options.stream().filter(o -> !o.key().equals("owned by")).toList();
  }

  /** The column that OWNED BY names; none for NONE or without it. */
  private static Optional<SequenceInfo.Owner> owner(
      SessionContext session, List<Option> options, String schema) {
    Option o = options.stream().filter(x -> x.key().equals("owned by")).findFirst().orElse(null);
    if (o == null || o.value() == null || o.value().equalsIgnoreCase("none")) {
      return Optional.empty();
    }
    List<String> parts = Names.parse(o.value()).parts();
    if (parts.size() < 2) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, "invalid OWNED BY option")
          .withHint("Specify OWNED BY table.column or OWNED BY NONE.");
    }
    TableInfo t =
        Names.table(session, new QualifiedName(parts.subList(0, parts.size() - 1), o.position()));
    String column = parts.getLast();
    if (!t.schema().equals(schema)) {
      throw new MillraceException(
          ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "sequence must be in same schema as table it is linked to");
    }
    TableInfo.Column c =
        t.column(column)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "column \""
                            + column
                            + "\" of relation \""
                            + t.name()
                            + "\" does not exist"));
    return Optional.of(new SequenceInfo.Owner(t.id(), c.id(), false));
  }

  /** The sequence, or 42P01. */
  private static SequenceInfo sequence(SessionContext session, QualifiedName name) {
    return Names.findSequence(session, name)
        .orElseThrow(
            () ->
                Names.isRelation(session, name)
                    ? new MillraceException(
                        ErrorCode.WRONG_OBJECT_TYPE, "\"" + name.name() + "\" is not a sequence")
                    : new MillraceException(
                        ErrorCode.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist"));
  }

  CompletableFuture<Outcome> alter(SessionContext session, Statement.AlterObject s) {
    DmlSupport.requireWritable(session, "ALTER SEQUENCE");
    if (s.ifExists() && Names.findSequence(session, s.name()).isEmpty()) {
      Ddl.missing(session, "relation \"" + s.name() + "\"");
      return Ddl.done("ALTER SEQUENCE");
    }
    SequenceInfo q = sequence(session, s.name());
    String argument = s.argument() == null ? "" : s.argument();
    return switch (s.action()) {
      case "rename" -> moved(session, q, q.schema(), argument);
      case "set schema" -> {
        if (q.owner().isPresent()) {
          throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED, "cannot move an owned sequence into another schema");
        }
        yield moved(session, q, argument, q.name());
      }
      case "options" -> options(session, q, s.options());
      default -> Ddl.done("ALTER SEQUENCE");
    };
  }

  private CompletableFuture<Outcome> moved(
      SessionContext session, SequenceInfo q, String schema, String name) {
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  TableProcedures.checkFree(c, q.database(), schema, name);
                  return CatalogChange.of(
                      new CatalogChange.Action.PutSequence(q.named(schema, name)));
                }),
        "ALTER SEQUENCE");
  }

  private CompletableFuture<Outcome> options(
      SessionContext session, SequenceInfo q, List<Option> given) {
    List<Option> options = withoutOwner(given);
    SequenceInfo changed = SequenceDefinitions.alter(q, options);
    if (options.size() < given.size()) {
      if (q.owner().filter(SequenceInfo.Owner::identity).isPresent()) {
        throw new MillraceException(
                ErrorCode.FEATURE_NOT_SUPPORTED, "cannot change ownership of identity sequence")
            .withDetail("Sequence \"" + q.name() + "\" is linked to a table's identity column.");
      }
      changed = changed.ownedBy(owner(session, given, q.schema()));
    }
    Long restart = SequenceDefinitions.restart(changed, options);
    Ddl.noticeInBlock(session);
    SequenceInfo next = changed;
    return Ddl.done(
        put(next)
            .thenAccept(
                c -> {
                  if (restart != null) {
                    services.catalog().sequenceValues().set(next, restart, false);
                  } else {
                    settle(next);
                  }
                }),
        "ALTER SEQUENCE");
  }

  private CompletableFuture<?> put(SequenceInfo s) {
    return services
        .catalog()
        .change(c -> CatalogChange.of(new CatalogChange.Action.PutSequence(s)));
  }

  /** Ends the run that was reserved by the old definition. */
  private void settle(SequenceInfo s) {
    var state = services.catalog().sequenceValues().state(s);
    services.catalog().sequenceValues().set(s, state.last(), state.called());
  }

  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropObject s) {
    DmlSupport.requireWritable(session, "DROP SEQUENCE");
    var found = new ArrayList<SequenceInfo>();
    for (QualifiedName n : s.names()) {
      Optional<SequenceInfo> q = Names.findSequence(session, n);
      if (q.isPresent()) {
        found.add(q.get());
      } else if (Names.isRelation(session, n)) {
        throw new MillraceException(
            ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a sequence");
      } else if (s.ifExists()) {
        Ddl.missing(session, "sequence \"" + n + "\"");
      } else {
        throw new MillraceException(
            ErrorCode.UNDEFINED_TABLE, "sequence \"" + n + "\" does not exist");
      }
    }
    var used = new ArrayList<String>();
    for (SequenceInfo q : found) {
      refuseIdentity(session, q);
      for (TableInfo t : session.catalog().tables(q.database())) {
        for (TableInfo.Column c : t.columns()) {
          if (uses(c, q)) {
            used.add("default value for column " + c.name() + " of table " + t.name());
          }
        }
      }
      if (!used.isEmpty() && !s.cascade()) {
        throw Ddl.dependents(
            "sequence " + q.name(),
            used.stream().map(u -> u + " depends on sequence " + q.name()).toList());
      }
    }
    Ddl.cascades(session, used);
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services.catalog().change(c -> removal(c.tables(session.database()), found)),
        "DROP SEQUENCE");
  }

  private static void refuseIdentity(SessionContext session, SequenceInfo q) {
    q.owner()
        .filter(SequenceInfo.Owner::identity)
        .flatMap(o -> session.catalog().table(o.table()))
        .ifPresent(
            t -> {
              String column =
                  t.columnById(q.owner().orElseThrow().columnId())
                      .map(TableInfo.Column::name)
                      .orElse("");
              throw new MillraceException(
                      ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                      "cannot drop sequence "
                          + q.name()
                          + " because column "
                          + column
                          + " of table "
                          + t.name()
                          + " requires it")
                  .withHint(
                      "You can drop column " + column + " of table " + t.name() + " instead.");
            });
  }

  private static boolean uses(TableInfo.Column c, SequenceInfo q) {
    return c.defaultSql().filter(d -> SequenceCalls.uses(d, q.oid())).isPresent();
  }

  private static CatalogChange removal(Iterable<TableInfo> tables, List<SequenceInfo> found) {
    var actions = new ArrayList<CatalogChange.Action>();
    for (TableInfo t : tables) {
      List<TableInfo.Column> columns =
          t.columns().stream()
              .map(
                  c ->
                      found.stream().anyMatch(q -> uses(c, q))
                          ? c.withDefault(Optional.empty())
                          : c)
              .toList();
      if (!columns.equals(t.columns())) {
        actions.add(
            new CatalogChange.Action.PutTable(
                t.edit().version(t.version() + 1).columns(columns).build()));
      }
    }
    found.forEach(q -> actions.add(new CatalogChange.Action.RemoveSequence(q.oid())));
    return new CatalogChange(actions);
  }
}

package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** What the executors of definitions share. */
final class Ddl {
  private Ddl() {}

  static CompletableFuture<Outcome> done(String tag) {
    return CompletableFuture.completedFuture(new Outcome.Done(tag));
  }

  static <T> CompletableFuture<Outcome> done(CompletableFuture<T> f, String tag) {
    return f.thenApply(v -> new Outcome.Done(tag));
  }

  static void noticeInBlock(SessionContext session) {
    if (session.transaction().explicit()) {
      session.notice(Notice.notice("DDL takes effect at once and is not undone by ROLLBACK"));
    }
  }

  /** NOTICE that something is there already. */
  static void exists(SessionContext session, ErrorCode code, String what) {
    session.notice(
        new Notice(
            Notice.Severity.NOTICE, code, what + " already exists, skipping", null, null, 0));
  }

  static void missing(SessionContext session, String what) {
    session.notice(Notice.notice(what + " does not exist, skipping"));
  }

  /** The session's surroundings with another catalog. */
  static Planner.PlanContext context(SessionContext session, CatalogSnapshot catalog) {
    Planner.PlanContext c = session.planContext(List.of());
    return new Planner.PlanContext(
        catalog, c.database(), c.user(), c.searchPath(), c.settings(), c.declaredTypes());
  }

  /** Makes the session's temporary schema if it has none yet. */
  static CompletableFuture<?> temporarySchema(StatementServices services, SessionContext session) {
    String name = session.temporarySchema();
    int oid = services.catalog().nextOid();
    return services
        .catalog()
        .change(
            c ->
                Names.hasSchema(c, session.database(), name)
                    ? new CatalogChange(List.of())
                    : CatalogChange.of(
                        new CatalogChange.Action.PutSchema(
                            new SchemaInfo(oid, session.database(), name))));
  }

  /** Where an object goes; a temporary one into the session's own schema. */
  static Names.Target target(
      SessionContext session, io.millrace.sql.parser.ast.QualifiedName name, boolean temporary) {
    if (!temporary) {
      return Names.target(session, name);
    }
    int n = name.parts().size();
    if (n > 1 && !name.parts().get(n - 2).equals("pg_temp")) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "cannot create temporary relation in non-temporary schema");
    }
    return new Names.Target(session.database(), session.temporarySchema(), name.name());
  }

  /**
   * Views that can be planned now and could no longer be after a change: those that depend on what
   * it takes away.
   */
  static List<ViewInfo> brokenViews(
      StatementServices services, SessionContext session, String database, CatalogChange change) {
    CatalogSnapshot before = session.catalog();
    CatalogSnapshot after = before.preview(change);
    var out = new ArrayList<ViewInfo>();
    for (ViewInfo v : after.views(database)) {
      if (plans(services, session, before, v) && !plans(services, session, after, v)) {
        out.add(v);
      }
    }
    return out;
  }

  private static boolean plans(
      StatementServices services, SessionContext session, CatalogSnapshot catalog, ViewInfo v) {
    try {
      services.planner().planQuery(v.query(), context(session, catalog));
      return true;
    } catch (MillraceException e) {
      return false; // whatever is the matter, the view is not usable with that catalog
    }
  }

  /**
   * Views after renames.
   *
   * @param puts the views with their new texts, if none is broken
   * @param broken those that cannot be read with the columns that they had
   */
  record Followed(List<CatalogChange.Action> puts, List<ViewInfo> broken) {}

  /**
   * Lets views follow renames: their texts get the new names where the old stood, and are kept if
   * they can be read then with the same columns as before. A view over a view that followed needs
   * no change itself: its own text is tried again.
   *
   * @param after the catalog with the renames done
   */
  static Followed follow(
      StatementServices services,
      SessionContext session,
      CatalogSnapshot after,
      List<ViewInfo> views,
      UnaryOperator<String> renames) {
    List<ViewInfo> changed =
        views.stream().map(v -> withText(v, renames.apply(v.query()))).toList();
    CatalogSnapshot first = after.preview(puts(changed));
    var mixed = new ArrayList<ViewInfo>();
    for (int i = 0; i < views.size(); i++) {
      boolean fits = reads(services, session, first, changed.get(i));
      mixed.add(fits ? changed.get(i) : views.get(i));
    }
    CatalogChange all = puts(mixed);
    CatalogSnapshot second = after.preview(all);
    List<ViewInfo> broken =
        mixed.stream().filter(v -> !reads(services, session, second, v)).toList();
    return new Followed(broken.isEmpty() ? all.actions() : List.of(), broken);
  }

  private static CatalogChange puts(List<ViewInfo> views) {
    return new CatalogChange(
        views.stream().<CatalogChange.Action>map(CatalogChange.Action.PutView::new).toList());
  }

  private static ViewInfo withText(ViewInfo v, String text) {
    return new ViewInfo(
        v.oid(),
        v.version() + 1,
        v.database(),
        v.schema(),
        v.name(),
        text,
        v.columnNames(),
        v.columnTypes());
  }

  private static boolean reads(
      StatementServices services, SessionContext session, CatalogSnapshot catalog, ViewInfo v) {
    try {
      return services
          .planner()
          .planQuery(v.query(), context(session, catalog))
          .template()
          .columns()
          .stream()
          .map(PlanTemplate.ResultColumn::type)
          .toList()
          .equals(v.columnTypes());
    } catch (MillraceException e) {
      return false; // the names mean something else there: the view is in the way
    }
  }

  /** Foreign keys of other tables that point to a table. */
  static List<TableInfo> referring(CatalogSnapshot catalog, TableInfo t) {
    return catalog.tables(t.database()).stream()
        .filter(o -> !o.id().equals(t.id()))
        .filter(o -> o.constraints().stream().anyMatch(c -> TableProcedures.refers(c, t)))
        .toList();
  }

  static MillraceException dependents(String what, List<String> details) {
    return new MillraceException(
            ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop " + what + " because other objects depend on it")
        .withDetail(String.join("\n", details))
        .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
  }

  /** NOTICE of what CASCADE drops. */
  static void cascades(SessionContext session, List<String> what) {
    if (what.size() == 1) {
      session.notice(Notice.notice("drop cascades to " + what.getFirst()));
    } else if (what.size() > 1) {
      session.notice(
          new Notice(
              Notice.Severity.NOTICE,
              ErrorCode.SUCCESSFUL_COMPLETION,
              "drop cascades to " + what.size() + " other objects",
              String.join("\n", what.stream().map(w -> "drop cascades to " + w).toList()),
              null,
              0));
    }
  }
}

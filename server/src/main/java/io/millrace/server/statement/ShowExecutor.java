package io.millrace.server.statement;

import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SemanticType;
import io.millrace.flow.FlowStatistics;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** SHOW TABLES, DATABASES, COLUMNS, CREATE …, FLOWS, VIEWS, PROCESSLIST and DESC. */
final class ShowExecutor {
  private final StatementServices services;

  ShowExecutor(StatementServices services) {
    this.services = services;
  }

  /** Columns of a statement's result; null if it is none of ours. */
  @Nullable List<PlanTemplate.ResultColumn> describe(Statement s) {
    return switch (s) {
      case Statement.ShowTables t ->
          t.full() ? TextRows.columns("Tables", "Table_type") : TextRows.columns("Tables");
      case Statement.ShowDatabases d -> TextRows.columns("Database");
      case Statement.ShowViews v -> TextRows.columns("Views");
      case Statement.ShowFlows f -> TextRows.columns("Flows");
      case Statement.ShowFlowStatus f -> TextRows.columns(STATUS);
      case Statement.ShowColumns c ->
          TextRows.columns("Field", "Type", "Null", "Key", "Default", "Extra");
      case Statement.ShowIndex i ->
          TextRows.columns("Table", "Key_name", "Seq_in_index", "Column_name", "Index_type");
      case Statement.ShowRegion r -> TextRows.columns("Table", "Region", "Leader");
      case Statement.ShowCreate c -> TextRows.columns(kind(c), "Create " + kind(c));
      case Statement.ShowProcessList p ->
          TextRows.columns("Id", "Catalog", "Query", "Elapsed_Time", "State");
      case Statement.ShowOther o -> TextRows.columns(others(o));
      case Statement.Describe d ->
          TextRows.columns("Column", "Type", "Key", "Null", "Default", "Semantic Type");
      default -> null;
    };
  }

  private static final String[] STATUS = {
    "Flow",
    "Engine",
    "State",
    "Last_execution",
    "Evaluations",
    "Dirty_ranges",
    "Errors",
    "Last_error"
  };

  private static String[] others(Statement.ShowOther s) {
    return switch (s.what()) {
      case "charset" -> new String[] {"Charset", "Description", "Default collation", "Maxlen"};
      case "collation", "collations" ->
          new String[] {"Collation", "Charset", "Id", "Default", "Compiled", "Sortlen"};
      default -> new String[] {"Variable_name", "Value"};
    };
  }

  /** What MySQL's clients ask for: there is one character set, and one order of it. */
  Outcome other(Statement.ShowOther s) {
    var rows = new TextRows(others(s));
    switch (s.what()) {
      case "charset" -> {
        if (Patterns.like(s.like(), "utf8")) {
          rows.row("utf8", "UTF-8 Unicode", "utf8_bin", "4");
        }
      }
      case "collation", "collations" -> {
        if (Patterns.like(s.like(), "utf8_bin")) {
          rows.row("utf8_bin", "utf8", "1", "Yes", "Yes", "1");
        }
      }
      default -> {}
    }
    return rows.done("SHOW");
  }

  private static String kind(Statement.ShowCreate c) {
    return switch (c.kind()) {
      case VIEW -> "View";
      case FLOW -> "Flow";
      case DATABASE -> "Database";
      default -> "Table";
    };
  }

  private static String databaseOf(SessionContext session, @Nullable QualifiedName from) {
    if (from == null) {
      return session.database();
    }
    CatalogSnapshot c = session.catalog();
    return c.database(from.parts().getFirst()).map(d -> d.name()).orElse(session.database());
  }

  private static @Nullable String schemaOf(SessionContext session, @Nullable QualifiedName from) {
    if (from == null) {
      return null;
    }
    String last = from.name();
    return Names.hasSchema(session.catalog(), databaseOf(session, from), last) ? last : null;
  }

  Outcome tables(SessionContext session, Statement.ShowTables s) {
    String database = databaseOf(session, s.from());
    String schema = schemaOf(session, s.from());
    List<String> path = schema == null ? session.searchPath() : List.of(schema);
    var names = new TreeMap<String, String>();
    for (TableInfo t : session.catalog().tables(database)) {
      if (path.contains(t.schema()) && Patterns.like(s.like(), t.name())) {
        names.put(t.name(), "BASE TABLE");
      }
    }
    for (ViewInfo v : session.catalog().views(database)) {
      if (path.contains(v.schema()) && Patterns.like(s.like(), v.name())) {
        names.put(v.name(), "VIEW");
      }
    }
    var rows = s.full() ? new TextRows("Tables", "Table_type") : new TextRows("Tables");
    names.forEach(
        (n, type) -> {
          if (s.full()) {
            rows.row(n, type);
          } else {
            rows.row(n);
          }
        });
    return rows.done("SHOW");
  }

  Outcome databases(SessionContext session, Statement.ShowDatabases s) {
    var names = new TreeSet<String>();
    session.catalog().databases().forEach(d -> names.add(d.name()));
    var rows = new TextRows("Database");
    names.stream().filter(n -> Patterns.like(s.like(), n)).forEach(rows::row);
    return rows.done("SHOW");
  }

  Outcome views(SessionContext session, Statement.ShowViews s) {
    var rows = new TextRows("Views");
    session.catalog().views(databaseOf(session, s.from())).stream()
        .map(ViewInfo::name)
        .filter(n -> Patterns.like(s.like(), n))
        .sorted()
        .forEach(rows::row);
    return rows.done("SHOW");
  }

  Outcome flows(SessionContext session, Statement.ShowFlows s) {
    String database = databaseOf(session, s.from());
    var rows = new TextRows("Flows");
    session.catalog().flows().stream()
        .filter(f -> f.database().equals(database))
        .map(FlowInfo::name)
        .filter(n -> Patterns.like(s.like(), n))
        .sorted()
        .forEach(rows::row);
    return rows.done("SHOW");
  }

  Outcome flowStatus(Statement.ShowFlowStatus s) {
    var rows = new TextRows(STATUS);
    for (FlowStatistics f : services.flows().statistics()) {
      if (Patterns.like(s.like(), f.name())) {
        rows.row(
            f.name(),
            f.engine(),
            f.state(),
            f.lastExecutionMicros() == 0
                ? null
                : Instant.ofEpochMilli(f.lastExecutionMicros() / 1000).toString(),
            Long.toString(f.evaluations()),
            Integer.toString(f.dirtyRanges()),
            Long.toString(f.errors()),
            f.lastError().orElse(null));
      }
    }
    return rows.done("SHOW");
  }

  Outcome columns(SessionContext session, Statement.ShowColumns s) {
    var rows = new TextRows("Field", "Type", "Null", "Key", "Default", "Extra");
    Optional<TableInfo> stored = Names.findTable(session, s.table());
    if (stored.isEmpty()) {
      for (PlanTemplate.ResultColumn c : computed(session, s.table())) {
        if (Patterns.like(s.like(), c.name())) {
          rows.row(c.name(), c.type().sqlName(), "YES", "", null, "");
        }
      }
      return rows.done("SHOW");
    }
    TableInfo t = stored.get();
    for (TableInfo.Column c : t.columns()) {
      if (Patterns.like(s.like(), c.name())) {
        rows.row(
            c.name(),
            c.declaredType(),
            c.nullable() ? "YES" : "NO",
            key(t, c),
            c.defaultSql().isEmpty() ? null : CreateText.defaultText(c, session.catalog()),
            "");
      }
    }
    return rows.done("SHOW");
  }

  private static String key(TableInfo t, TableInfo.Column c) {
    if (t.storage().timeIndexId() == c.id()) {
      return "TIME INDEX";
    }
    return t.storage().tagIds().contains(c.id()) ? "PRI" : "";
  }

  Outcome describe(SessionContext session, Statement.Describe s) {
    Optional<ViewInfo> view = Names.findView(session, s.table());
    var rows = new TextRows("Column", "Type", "Key", "Null", "Default", "Semantic Type");
    if (view.isPresent() && Names.findTable(session, s.table()).isEmpty()) {
      ViewInfo v = view.get();
      for (int i = 0; i < v.columnNames().size(); i++) {
        rows.row(v.columnNames().get(i), v.columnTypes().get(i).sqlName(), "", "YES", "", "FIELD");
      }
      return rows.done("SHOW");
    }
    Optional<TableInfo> found = Names.findTable(session, s.table());
    if (found.isEmpty()) {
      for (PlanTemplate.ResultColumn c : computed(session, s.table())) {
        rows.row(c.name(), c.type().sqlName(), "", "YES", "", "FIELD");
      }
      return rows.done("SHOW");
    }
    TableInfo t = found.get();
    for (TableInfo.Column c : t.columns()) {
      boolean keyed = t.storage().tagIds().contains(c.id()) || t.storage().timeIndexId() == c.id();
      var stored = t.storage().byId(c.id());
      SemanticType semantic = stored == null ? SemanticType.FIELD : stored.semantic();
      rows.row(
          c.name(),
          c.type().sqlName(),
          keyed ? "PRI" : "",
          c.nullable() ? "YES" : "NO",
          CreateText.defaultText(c, session.catalog()),
          semantic.name());
    }
    return rows.done("SHOW");
  }

  /** The columns of a view or a system table. */
  private List<PlanTemplate.ResultColumn> computed(SessionContext session, QualifiedName name) {
    String text = name.parts().stream().map(Names::quote).collect(Collectors.joining("."));
    try {
      return services
          .planner()
          .planQuery("SELECT * FROM " + text, session.planContext(List.of()))
          .template()
          .columns();
    } catch (MillraceException e) {
      throw e.at(name.position());
    }
  }

  Outcome index(SessionContext session, Statement.ShowIndex s) {
    TableInfo t = Names.table(session, s.table());
    var rows = new TextRows("Table", "Key_name", "Seq_in_index", "Column_name", "Index_type");
    int n = 1;
    for (int id : t.storage().tagIds()) {
      String name = t.columnById(id).map(TableInfo.Column::name).orElse("?");
      rows.row(t.name(), "PRIMARY", Integer.toString(n++), name, "primary key");
    }
    t.timeIndex().ifPresent(c -> rows.row(t.name(), "TIME INDEX", "1", c.name(), "time index"));
    for (TableInfo.Index x : t.indexes()) {
      int k = 1;
      for (TableInfo.Key key : x.keys()) {
        String column =
            t.columnById(key.columnId()).map(TableInfo.Column::name).orElse(key.expression());
        rows.row(t.name(), x.name(), Integer.toString(k++), column, x.method());
      }
    }
    return rows.done("SHOW");
  }

  Outcome regions(SessionContext session, Statement.ShowRegion s) {
    TableInfo t = Names.table(session, s.table());
    var rows = new TextRows("Table", "Region", "Leader");
    t.regions().forEach(r -> rows.row(t.name(), r.toString(), "Yes"));
    return rows.done("SHOW");
  }

  Outcome create(SessionContext session, Statement.ShowCreate s) {
    String kind = kind(s);
    var rows = new TextRows(kind, "Create " + kind);
    switch (s.kind()) {
      case VIEW -> {
        ViewInfo v =
            Names.findView(session, s.name())
                .orElseThrow(
                    () ->
                        new io.millrace.common.error.MillraceException(
                            io.millrace.common.error.ErrorCode.UNDEFINED_TABLE,
                            "view \"" + s.name() + "\" does not exist"));
        rows.row(v.name(), CreateText.view(v));
      }
      case FLOW -> {
        FlowInfo f = Names.flow(session, s.name());
        rows.row(f.name(), CreateText.flow(f));
      }
      case DATABASE ->
          rows.row(
              s.name().name(), "CREATE DATABASE IF NOT EXISTS " + Names.quote(s.name().name()));
      default -> {
        TableInfo t = Names.table(session, s.name());
        rows.row(t.name(), CreateText.table(t, session.catalog()));
      }
    }
    return rows.done("SHOW");
  }

  Outcome processes(SessionContext session, Statement.ShowProcessList s) {
    var rows = new TextRows("Id", "Catalog", "Query", "Elapsed_Time", "State");
    long now = services.clock().wallMicros();
    services
        .registry()
        .activity()
        .forEach(
            a ->
                rows.row(
                    Integer.toString(a.processId()),
                    a.database(),
                    a.query(),
                    (now - a.queryStart()) / 1000 + "ms",
                    a.state()));
    return rows.done("SHOW");
  }
}

package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogChange.Action;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.ObjectKind;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.wire.Notice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * CREATE TYPE … AS ENUM and CREATE DOMAIN, their ALTER and DROP. Columns of an enumeration carry
 * its labels, so a change of those is a change of the tables as well; the values stay as they are.
 */
final class TypeExecutor {
  private static final int LABEL_BYTES = 63;

  private final StatementServices services;
  private final AlterExecutor tables;

  TypeExecutor(StatementServices services, AlterExecutor tables) {
    this.services = services;
    this.tables = tables;
  }

  private int oid() {
    return services.catalog().nextOid();
  }

  // ---- CREATE

  CompletableFuture<Outcome> create(SessionContext session, Statement.CreateEnum s) {
    DmlSupport.requireWritable(session, "CREATE TYPE");
    Names.Target at = Ddl.target(session, s.name(), false);
    int oid = oid();
    var labels = new ArrayList<UserType.Label>();
    var seen = new HashSet<String>();
    for (String text : s.labels()) {
      requireLabel(text);
      if (!seen.add(text)) {
        throw new MillraceException(
                ErrorCode.UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"")
            .withDetail("Key (enumtypid, enumlabel)=(" + oid + ", " + text + ") already exists.")
            .about("pg_catalog", "pg_enum", null, "pg_enum_typid_label_index");
      }
      labels.add(new UserType.Label(oid(), labels.size() + 1, text));
    }
    var type =
        new UserType(
            oid,
            oid(),
            1,
            at.database(),
            at.schema(),
            at.name(),
            'e',
            labels,
            SqlType.INT8,
            "",
            false,
            Optional.empty(),
            List.of());
    return put(session, type, "CREATE TYPE");
  }

  private static void requireLabel(String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > LABEL_BYTES) {
      throw new MillraceException(ErrorCode.INVALID_NAME, "invalid enum label \"" + text + "\"")
          .withDetail("Labels must be 63 bytes or less.");
    }
  }

  CompletableFuture<Outcome> create(SessionContext session, Statement.CreateDomain s) {
    DmlSupport.requireWritable(session, "CREATE DOMAIN");
    Names.Target at = Ddl.target(session, s.name(), false);
    UserType over = Names.findType(session, s.type()).orElse(null);
    if (over != null && over.isEnum()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "domains over enumerations are not supported");
    }
    SqlType base = services.planner().resolveType(s.type(), session.planContext(List.of()));
    var checks = new ArrayList<UserType.Check>();
    if (over != null) {
      checks.addAll(over.checks());
    }
    for (TableConstraint.Check c : s.checks()) {
      checks.add(
          new UserType.Check(
              oid(), constraintName(c.constraintName(), at.name(), checks), c.condition().text()));
    }
    Optional<String> defaultSql = defaultOf(session, s, over, base);
    var type =
        new UserType(
            oid(),
            oid(),
            1,
            at.database(),
            at.schema(),
            at.name(),
            'd',
            List.of(),
            base,
            s.type().sql(),
            s.notNull() || (over != null && over.notNull()),
            defaultSql,
            checks);
    requireReadable(session, type);
    return put(session, type, "CREATE DOMAIN");
  }

  private Optional<String> defaultOf(
      SessionContext session, Statement.CreateDomain s, @Nullable UserType over, SqlType base) {
    if (s.defaultValue() == null) {
      return over == null ? Optional.empty() : over.defaultSql();
    }
    String sql = s.defaultValue().text();
    var _ =
        ColumnSpecs.placed(
            s.defaultValue(),
            () -> services.planner().planDefault(sql, base, session.planContext(List.of())));
    return Optional.of(sql);
  }

  private static String constraintName(
      @Nullable String given, String domain, List<UserType.Check> others) {
    if (given != null) {
      if (others.stream().anyMatch(c -> c.name().equals(given))) {
        throw new MillraceException(
            ErrorCode.DUPLICATE_OBJECT,
            "constraint \"" + given + "\" for domain " + domain + " already exists");
      }
      return given;
    }
    String name = domain + "_check";
    for (int i = 1; taken(others, name); i++) {
      name = domain + "_check" + i;
    }
    return name;
  }

  private static boolean taken(List<UserType.Check> checks, String name) {
    return checks.stream().anyMatch(c -> c.name().equals(name));
  }

  /** Plans a cast to the domain, for the faults of its checks. */
  private void requireReadable(SessionContext session, UserType domain) {
    CatalogSnapshot with = session.catalog().preview(CatalogChange.of(new Action.PutType(domain)));
    var name = new TypeName(List.of(domain.schema(), domain.name()), List.of(), 0, false, null, 0);
    try {
      var _ =
          services.planner().planQuery("SELECT NULL::" + name.sql(), Ddl.context(session, with));
    } catch (MillraceException e) {
      throw e.at(0); // a place in a text that nobody wrote
    }
  }

  private CompletableFuture<Outcome> put(SessionContext session, UserType type, String tag) {
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  requireFree(c, type.database(), type.schema(), type.name());
                  return CatalogChange.of(new Action.PutType(type));
                }),
        tag);
  }

  private static void requireFree(CatalogSnapshot c, String database, String schema, String name) {
    if (c.type(database, schema, name).isPresent()
        || c.table(database, schema, name).isPresent()
        || c.view(database, schema, name).isPresent()) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_OBJECT, "type \"" + name + "\" already exists");
    }
  }

  // ---- ALTER

  CompletableFuture<Outcome> alter(SessionContext session, Statement.AlterObject s) {
    String tag = "ALTER " + s.kind();
    UserType t = find(session, s.name(), s.kind());
    String argument = s.argument() == null ? "" : s.argument();
    String action = s.action();
    if (action.startsWith("add value")) {
      requireLabel(argument);
      if (t.labels().stream().anyMatch(l -> l.text().equals(argument))) {
        if (action.equals("add value if not exists")) {
          Ddl.exists(session, ErrorCode.DUPLICATE_OBJECT, "enum label \"" + argument + "\"");
          return Ddl.done(tag);
        }
        throw labelExists(argument);
      }
      var label = new UserType.Label(oid(), place(t, s.options()), argument);
      return changed(session, t, x -> x.labelled(added(x, label)), tag);
    }
    if (action.startsWith("rename value ")) {
      String old = action.substring("rename value ".length());
      return changed(session, t, x -> x.labelled(renamed(x, old, argument)), tag);
    }
    return switch (action) {
      case "rename" -> moved(session, t, t.schema(), argument, tag);
      case "set schema" -> {
        if (!Names.hasSchema(session.catalog(), t.database(), argument)) {
          throw new MillraceException(
              ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + argument + "\" does not exist");
        }
        yield moved(session, t, argument, t.name(), tag);
      }
      case "owner" -> Ddl.done(tag);
      default ->
          throw new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED, "this form of " + tag + " is not supported")
              .withHint("Drop the domain and make it anew.");
    };
  }

  private static MillraceException labelExists(String label) {
    return new MillraceException(
        ErrorCode.DUPLICATE_OBJECT, "enum label \"" + label + "\" already exists");
  }

  private CompletableFuture<Outcome> moved(
      SessionContext session, UserType t, String schema, String name, String tag) {
    requireFree(session.catalog(), t.database(), schema, name);
    return changed(session, t, x -> x.named(schema, name), tag);
  }

  /** Where a new label goes: at the end, or halfway to the neighbour. */
  private static float place(UserType t, List<Option> where) {
    List<UserType.Label> labels = t.labels();
    if (where.isEmpty()) {
      return labels.isEmpty() ? 1 : labels.getLast().order() + 1;
    }
    Option o = where.getFirst();
    int at = at(t, o.value() == null ? "" : o.value());
    boolean before = o.key().equals("before");
    int other = before ? at - 1 : at + 1;
    float known = labels.get(at).order();
    if (other < 0 || other == labels.size()) {
      return before ? known - 1 : known + 1;
    }
    float middle = (known + labels.get(other).order()) / 2;
    if (middle == known || middle == labels.get(other).order()) {
      throw new MillraceException(
              ErrorCode.PROGRAM_LIMIT_EXCEEDED, "there is no room for a label at this place")
          .withHint("Too many labels were put between the same two.");
    }
    return middle;
  }

  private static int at(UserType t, String label) {
    for (int i = 0; i < t.labels().size(); i++) {
      if (t.labels().get(i).text().equals(label)) {
        return i;
      }
    }
    throw new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE, "\"" + label + "\" is not an existing enum label");
  }

  private static List<UserType.Label> added(UserType t, UserType.Label label) {
    var out = new ArrayList<>(t.labels());
    out.add(label);
    out.sort(Comparator.comparingDouble(UserType.Label::order));
    return out;
  }

  private static List<UserType.Label> renamed(UserType t, String old, String next) {
    int at = at(t, old);
    if (t.labels().stream().anyMatch(l -> l.text().equals(next))) {
      throw labelExists(next);
    }
    requireLabel(next);
    var out = new ArrayList<>(t.labels());
    UserType.Label l = out.get(at);
    out.set(at, new UserType.Label(l.oid(), l.order(), next));
    return out;
  }

  private CompletableFuture<Outcome> changed(
      SessionContext session, UserType type, UnaryOperator<UserType> how, String tag) {
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  UserType now = c.type(type.oid()).orElse(type);
                  UserType next = how.apply(now);
                  var actions = new ArrayList<Action>();
                  actions.add(new Action.PutType(next));
                  for (TableInfo t : users(c, next)) {
                    actions.add(new Action.PutTable(retyped(t, next)));
                  }
                  return new CatalogChange(actions);
                }),
        tag);
  }

  private static List<TableInfo> users(CatalogSnapshot c, UserType type) {
    return c.tables(type.database()).stream()
        .filter(t -> t.columns().stream().anyMatch(x -> x.userType() == type.oid()))
        .toList();
  }

  /** A table whose columns of the type are of its newest form. */
  private static TableInfo retyped(TableInfo t, UserType type) {
    var columns = new ArrayList<TableInfo.Column>();
    for (TableInfo.Column c : t.columns()) {
      columns.add(
          c.userType() == type.oid()
              ? c.withType(c.id(), type.sqlType(), declared(type), type.oid())
              : c);
    }
    return t.edit().columns(columns).version(t.version() + 1).build();
  }

  private static String declared(UserType type) {
    return new TypeName(List.of(type.name()), List.of(), 0, false, null, 0).sql();
  }

  // ---- DROP

  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropObject s) {
    String tag = "DROP " + s.kind();
    var types = new ArrayList<UserType>();
    for (QualifiedName n : s.names()) {
      Optional<UserType> found = Names.findType(session, n);
      if (found.isEmpty() && s.ifExists()) {
        session.notice(Notice.notice("type \"" + n + "\" does not exist, skipping"));
      } else {
        types.add(find(session, n, s.kind()));
      }
    }
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (UserType t : types) {
      List<AlterTables> columns = columns(session.catalog(), t);
      if (!columns.isEmpty() && !s.cascade()) {
        throw Ddl.dependents(
            "type " + t.name(), columns.stream().flatMap(x -> x.texts(t).stream()).toList());
      }
      Ddl.cascades(session, columns.stream().flatMap(x -> x.cascades().stream()).toList());
      for (AlterTables x : columns) {
        all = Async.then(session, all, v -> tables.run(session, x.statement()));
      }
    }
    Ddl.noticeInBlock(session);
    return Ddl.done(
        Async.then(
            session,
            all,
            v ->
                services
                    .catalog()
                    .change(
                        c ->
                            new CatalogChange(
                                types.stream()
                                    .<Action>map(t -> new Action.RemoveType(t.oid()))
                                    .toList()))),
        tag);
  }

  /** The columns of one table that a type's DROP … CASCADE takes along. */
  private record AlterTables(TableInfo table, List<String> columns) {
    List<String> texts(UserType t) {
      return cascades().stream().map(c -> c + " depends on type " + t.name()).toList();
    }

    List<String> cascades() {
      return columns.stream().map(c -> "column " + c + " of table " + table.name()).toList();
    }

    Statement.AlterTable statement() {
      return new Statement.AlterTable(
          new QualifiedName(List.of(table.schema(), table.name()), 0),
          false,
          columns.stream()
              .<AlterAction>map(c -> new AlterAction.DropColumn(new Name(c, 0), false, true))
              .toList());
    }
  }

  private static List<AlterTables> columns(CatalogSnapshot c, UserType type) {
    return users(c, type).stream()
        .map(
            t ->
                new AlterTables(
                    t,
                    t.columns().stream()
                        .filter(x -> x.userType() == type.oid())
                        .map(TableInfo.Column::name)
                        .toList()))
        .toList();
  }

  private static UserType find(SessionContext session, QualifiedName name, ObjectKind kind) {
    UserType t =
        Names.findType(session, name)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNDEFINED_OBJECT, "type \"" + name + "\" does not exist"));
    if (kind == ObjectKind.DOMAIN && !t.isDomain()) {
      throw new MillraceException(ErrorCode.WRONG_OBJECT_TYPE, "\"" + name + "\" is not a domain");
    }
    return t;
  }
}

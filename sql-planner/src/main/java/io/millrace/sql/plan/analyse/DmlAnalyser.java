package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedList;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.MillScan;
import io.millrace.sql.plan.rel.MillTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/** INSERT, UPDATE and DELETE: the rows they work on, in the layout that {@link DmlPlan} fixes. */
final class DmlAnalyser {
  private final Session session;
  private final Rexes rexes;
  private final QueryAnalyser queries;

  DmlAnalyser(Session session) {
    this.session = session;
    this.rexes = session.rexes;
    this.queries = new QueryAnalyser(session);
  }

  // ---- the target ----

  TableInfo target(QualifiedName name, String verb) {
    Names.Target t = new Names(session.context).relation(name.parts(), name.position());
    return switch (t) {
      case Names.Target.Table table when table.info().materialized() ->
          throw Problems.error(
              ErrorCode.WRONG_OBJECT_TYPE,
              0,
              "cannot change materialized view \"" + table.info().name() + "\"");
      case Names.Target.Table table -> {
        session.tables.add(table.info().id());
        yield table.info();
      }
      case Names.Target.View v ->
          throw Problems.error(
                  ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                  name.position(),
                  "cannot " + verb + " view \"" + v.info().name() + "\"")
              .withDetail("Views are not automatically updatable.");
      case Names.Target.System s ->
          throw Problems.error(
              ErrorCode.INSUFFICIENT_PRIVILEGE,
              name.position(),
              "permission denied for table " + s.relation().name());
    };
  }

  static TableInfo.Column column(TableInfo table, Name name) {
    return table
        .column(name.text())
        .orElseThrow(
            () -> {
              MillraceException e =
                  Problems.error(
                      ErrorCode.UNDEFINED_COLUMN,
                      name.position(),
                      "column \""
                          + name.text()
                          + "\" of relation \""
                          + table.name()
                          + "\" does not exist");
              var known = new TreeSet<String>();
              table.columns().forEach(c -> known.add(c.name()));
              String nearest = Problems.nearest(name.text(), known);
              return nearest == null ? e : e.withHint("Did you mean \"" + nearest + "\"?");
            });
  }

  /** Data for a column: time columns of tables with a TIME INDEX take integers and text too. */
  private RexNode taken(TableInfo table, Ex e, TableInfo.Column c, int position) {
    if (table.timeIndex().isPresent() && c.type().kind().isTimestamp()) {
      Ex.Value v = rexes.tryCoerce(e, c.type(), Context.ASSIGNMENT);
      if (v == null) {
        v = rexes.tryInstant(e, c.type());
      }
      if (v != null) {
        return v.rex();
      }
    }
    return assigned(e, c, position);
  }

  RexNode assigned(Ex e, TableInfo.Column c, int position) {
    Ex.Value v = rexes.tryCoerce(e, c.type(), Context.ASSIGNMENT);
    if (v == null) {
      throw Problems.error(
              ErrorCode.DATATYPE_MISMATCH,
              e.position() > 0 ? e.position() : position,
              "column \""
                  + c.name()
                  + "\" is of type "
                  + Problems.name(c.type())
                  + " but expression is of type "
                  + Problems.name(e.type()))
          .withHint("You will need to rewrite or cast the expression.");
    }
    return v.rex();
  }

  private SqlNode parsed(String expression) {
    ParsedQuery q = session.context.parser().apply("SELECT " + expression);
    SqlNode item = ((PgSelect) q.node()).getSelectList().get(0);
    return item.getKind() == SqlKind.AS ? ((SqlCall) item).operand(0) : item;
  }

  /** The DEFAULT of a column, NULL without. */
  RexNode defaultOf(TableInfo.Column c) {
    String sql = c.defaultSql().orElse(null);
    if (sql == null) {
      UserType domain = domain(c);
      sql = domain == null ? null : domain.defaultSql().orElse(null);
    }
    if (sql == null || c.generated().equals("s")) {
      return rexes.nullOf(c.type());
    }
    session.viewDepth++;
    try {
      Ex e = queries.constants(null, Ctes.NONE, Clause.DEFAULT).analyse(parsed(sql));
      return assigned(e, c, 0);
    } finally {
      session.viewDepth--;
    }
  }

  // ---- rows of the table ----

  private RelDataType row(TableInfo table) {
    var row = session.types.builder();
    for (TableInfo.Column c : table.columns()) {
      row.add(c.name(), session.types.of(c.type()));
    }
    return row.build();
  }

  /** Fields of the table from a place of a row on. */
  static List<Field> fields(TableInfo table, RelDataType row, int offset) {
    var out = new ArrayList<Field>();
    for (int i = 0; i < table.columns().size(); i++) {
      TableInfo.Column c = table.columns().get(i);
      RexNode ref = new RexInputRef(offset + i, row.getFieldList().get(offset + i).getType());
      out.add(new Field(c.name(), c.type(), ref, table.oid(), c.attnum()));
    }
    return out;
  }

  static Entry entry(TableInfo table, @Nullable Name alias, List<Field> fields) {
    return new Entry(
        alias == null ? table.name() : alias.text(),
        table.name(),
        alias == null ? table.schema() : null,
        fields,
        table);
  }

  ExpressionAnalyser over(Scope scope, Ctes ctes, Clause clause) {
    return new ExpressionAnalyser(session, queries, scope, ctes, clause, null, Windows.NONE);
  }

  private Scope tableScope(TableInfo table) {
    RelDataType row = row(table);
    List<Field> fields = fields(table, row, 0);
    return new Scope(List.of(entry(table, null, fields)), fields, row, null, rexes.builder());
  }

  List<Analysed.Check> checks(TableInfo table) {
    var out = new ArrayList<Analysed.Check>();
    for (TableInfo.Constraint c : byName(table.constraints())) {
      if (c.kind() == 'c' && c.checkSql().isPresent()) {
        session.viewDepth++;
        try {
          SqlNode node = parsed("(" + c.checkSql().get() + ")");
          ExpressionAnalyser with = over(tableScope(table), Ctes.NONE, Clause.CHECK);
          out.add(new Analysed.Check(c.name(), with.bool(with.analyse(node), "CHECK", 0)));
        } finally {
          session.viewDepth--;
        }
      }
    }
    RelDataType row = row(table);
    for (int i = 0; i < table.columns().size(); i++) {
      TableInfo.Column c = table.columns().get(i);
      UserType domain = domain(c);
      if (domain != null) {
        RexNode value = new RexInputRef(i, row.getFieldList().get(i).getType());
        out.addAll(0, new Domains(session, queries).checks(domain, value, c.type(), row));
      }
    }
    return out;
  }

  /** Checks are tried in the order of their names. */
  static List<TableInfo.Constraint> byName(List<TableInfo.Constraint> constraints) {
    return constraints.stream()
        .sorted(java.util.Comparator.comparing(TableInfo.Constraint::name))
        .toList();
  }

  /** The domain that a column was declared with; null if none. */
  private @Nullable UserType domain(TableInfo.Column c) {
    return c.userType() == 0
        ? null
        : session.context.catalog().type(c.userType()).filter(UserType::isDomain).orElse(null);
  }

  /** What the domains of a table's columns ask for. */
  static List<Analysed.Check> domainChecks(Session session, TableInfo table) {
    var dml = new DmlAnalyser(session);
    return dml.checks(table.edit().constraints(List.of()).build());
  }

  static RexNode check(Session session, ParsedExpression expression, TableInfo table) {
    var dml = new DmlAnalyser(session);
    ExpressionAnalyser with = dml.over(dml.tableScope(table), Ctes.NONE, Clause.CHECK);
    return with.bool(with.analyse(expression.node()), "CHECK", 0);
  }

  static Ex.Value generated(
      Session session, ParsedExpression expression, TableInfo table, @Nullable SqlType target) {
    var dml = new DmlAnalyser(session);
    Ex e = dml.over(dml.tableScope(table), Ctes.NONE, Clause.GENERATED).analyse(expression.node());
    if (target == null) {
      return session.rexes.value(e);
    }
    Ex.Value v = session.rexes.tryCoerce(e, target, Context.ASSIGNMENT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          0,
          "generation expression is of type "
              + Problems.name(e.type())
              + " but the column is of type "
              + Problems.name(target));
    }
    return v;
  }

  private Analysed.@Nullable Returning returning(
      @Nullable ParsedList list, Scope scope, Ctes ctes) {
    if (list == null) {
      return null;
    }
    var exprs = new ArrayList<RexNode>();
    var outputs = new ArrayList<Analysed.Output>();
    ExpressionAnalyser with = over(scope, ctes, Clause.RETURNING);
    for (SqlNode item : list.node()) {
      SqlNode node = item;
      String name = null;
      if (node.getKind() == SqlKind.AS) {
        name = ((SqlIdentifier) ((SqlCall) node).operand(1)).getSimple();
        node = ((SqlCall) node).operand(0);
      }
      if (node instanceof SqlIdentifier id && id.isStar()) {
        List<Field> fields =
            id.names.size() == 1
                ? scope.columns()
                : with.entry(
                        id.names.subList(0, id.names.size() - 1), ExpressionAnalyser.position(id))
                    .fields();
        for (Field f : fields) {
          exprs.add(f.rex());
          outputs.add(new Analysed.Output(f.name(), f.type(), f.tableOid(), f.attnum()));
        }
        continue;
      }
      Ex.Value v = rexes.value(with.analyse(node));
      Scope.Found found =
          node instanceof SqlIdentifier id && !id.isStar() ? with.resolve(id) : null;
      exprs.add(v.rex());
      outputs.add(
          new Analysed.Output(
              name == null ? OutputNames.of(node) : name,
              v.type(),
              found == null ? 0 : found.field().tableOid(),
              found == null ? 0 : found.field().attnum()));
    }
    return new Analysed.Returning(exprs, outputs);
  }

  RelNode source(@Nullable ParsedList with, Ctes ctes, Function<Ctes, RelNode> body) {
    if (with == null) {
      return body.apply(ctes);
    }
    return queries
        .items(with.node(), null, null, ctes, c -> new Output(body.apply(c), List.of()))
        .rel();
  }

  /** A change by itself. */
  Analysed change(Statement statement) {
    return change(statement, Ctes.NONE);
  }

  /** A change in WITH, which may read the items before it. */
  Analysed step(Statement statement, Ctes ctes, int position) {
    return switch (change(statement, ctes)) {
      case Analysed.Insert i -> i.over(session.steps.complete(i.source(), position));
      case Analysed.Update u -> u.over(session.steps.complete(u.source(), position));
      case Analysed.Delete d -> d.over(session.steps.complete(d.source(), position));
      case Analysed.Merge m ->
          throw Problems.unsupported(position, "MERGE not supported in WITH query");
      case Analysed a -> throw new IllegalStateException("no change: " + a);
    };
  }

  private Analysed change(Statement statement, Ctes ctes) {
    return switch (statement) {
      case Statement.Insert i -> insert(i, ctes);
      case Statement.Update u -> update(u, ctes);
      case Statement.Delete d -> delete(d, ctes);
      case Statement.Merge m -> new MergeAnalyser(session, this).merge(m, ctes);
      default -> throw new IllegalArgumentException("not a data change: " + statement);
    };
  }

  // ---- INSERT ----

  private Analysed.Insert insert(Statement.Insert s, Ctes reach) {
    TableInfo table = target(s.table(), "insert into");
    var columns = new ArrayList<TableInfo.Column>();
    Set<String> seen = new HashSet<>();
    for (Name n : s.columns()) {
      columns.add(column(table, n));
      if (!seen.add(n.text())) {
        throw Problems.error(
            ErrorCode.DUPLICATE_COLUMN,
            n.position(),
            "column \"" + n.text() + "\" specified more than once");
      }
    }
    boolean named = !columns.isEmpty();
    List<TableInfo.Column> targets = named ? columns : table.columns();
    RelNode source = source(s.with(), reach, c -> rows(s, table, targets, named, c));
    source = generated(source, table);
    RelDataType row = row(table);
    List<Field> fields = fields(table, row, 0);
    var scope =
        new Scope(List.of(entry(table, s.alias(), fields)), fields, row, null, rexes.builder());
    Analysed.Conflict conflict =
        s.onConflict() == null ? null : conflict(s.onConflict(), table, s.alias(), s.table());
    Analysed.Returning returning = returning(s.returning(), scope, Ctes.NONE);
    return new Analysed.Insert(
        table, source, checks(table), conflict, s.replace(), returning, session.facts());
  }

  private RelNode rows(
      Statement.Insert s,
      TableInfo table,
      List<TableInfo.Column> targets,
      boolean named,
      Ctes ctes) {
    ParsedQuery query = s.source();
    if (query == null) {
      var row = new ArrayList<RexNode>();
      for (TableInfo.Column c : table.columns()) {
        row.add(defaultOf(c));
      }
      return constantRows(table, List.of(row), null);
    }
    if (query.node().getKind() == SqlKind.VALUES) {
      return values((SqlCall) query.node(), s, table, targets, named, ctes);
    }
    Output q = queries.query(query.node(), null, ctes, false);
    checkWidth(q.columns().size(), s, targets, named, selectItem(query.node(), targets.size()));
    Map<Integer, RexNode> given = new HashMap<>();
    for (int i = 0; i < q.columns().size(); i++) {
      TableInfo.Column c = targets.get(i);
      if (ignored(c, s)) {
        continue;
      }
      refuseGenerated(c, s);
      given.put(c.id(), taken(table, q.operand(i, selectItem(query.node(), i)), c, 0));
    }
    var exprs = new ArrayList<RexNode>();
    var names = new ArrayList<String>();
    for (TableInfo.Column c : table.columns()) {
      RexNode e = given.get(c.id());
      exprs.add(e == null ? defaultOf(c) : e);
      names.add(c.name());
    }
    return Rels.project(q.rel(), exprs, names, Set.of());
  }

  private static int selectItem(SqlNode query, int i) {
    if (query instanceof PgSelect s && i < s.getSelectList().size()) {
      SqlNode n = s.getSelectList().get(i);
      return ExpressionAnalyser.position(n.getKind() == SqlKind.AS ? ((SqlCall) n).operand(0) : n);
    }
    return ExpressionAnalyser.position(query);
  }

  static void checkWidth(
      int width, Statement.Insert s, List<TableInfo.Column> targets, boolean named, int position) {
    if (width > targets.size()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, position, "INSERT has more expressions than target columns");
    }
    if (named && width < targets.size()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          s.columns().get(width).position(),
          "INSERT has more target columns than expressions");
    }
  }

  /** Refuses a value for a column that makes its own, unless the statement overrides that. */
  static void refuseGenerated(TableInfo.Column c, Statement.Insert s) {
    if (c.isComputed() || c.generated().equals("a") && s.overriding() == null) {
      MillraceException e =
          Problems.error(
                  ErrorCode.GENERATED_ALWAYS,
                  0,
                  "cannot insert a non-DEFAULT value into column \"" + c.name() + "\"")
              .withDetail(
                  c.isComputed()
                      ? "Column \"" + c.name() + "\" is a generated column."
                      : "Column \""
                          + c.name()
                          + "\" is an identity column defined as GENERATED ALWAYS.");
      throw c.isComputed() ? e : e.withHint("Use OVERRIDING SYSTEM VALUE to override.");
    }
  }

  /** OVERRIDING USER VALUE: what is given for identity columns is not taken. */
  static boolean ignored(TableInfo.Column c, Statement.Insert s) {
    return c.isIdentity() && "USER".equalsIgnoreCase(s.overriding());
  }

  private RelNode values(
      SqlCall values,
      Statement.Insert s,
      TableInfo table,
      List<TableInfo.Column> targets,
      boolean named,
      Ctes ctes) {
    ExpressionAnalyser with = queries.constants(null, ctes, Clause.VALUES);
    Map<Integer, Integer> places = new HashMap<>();
    for (int i = 0; i < targets.size(); i++) {
      places.put(targets.get(i).id(), i);
    }
    @Nullable RexNode[] defaults = new RexNode[table.columns().size()];
    var rows = new ArrayList<List<RexNode>>(values.operandCount());
    int width = -1;
    for (SqlNode n : values.getOperandList()) {
      List<SqlNode> cells = ((SqlCall) n).getOperandList();
      if (width >= 0 && cells.size() != width) {
        throw Problems.error(
            ErrorCode.SYNTAX_ERROR,
            ExpressionAnalyser.position(cells.get(0)),
            "VALUES lists must all be the same length");
      }
      width = cells.size();
      checkWidth(
          width,
          s,
          targets,
          named,
          cells.size() > targets.size()
              ? ExpressionAnalyser.position(cells.get(targets.size()))
              : 0);
      var row = new ArrayList<RexNode>(table.columns().size());
      for (int i = 0; i < table.columns().size(); i++) {
        TableInfo.Column c = table.columns().get(i);
        Integer place = places.get(c.id());
        SqlNode cell = place == null || place >= width ? null : cells.get(place);
        boolean isDefault = cell == null || cell.getKind() == SqlKind.DEFAULT || ignored(c, s);
        if (isDefault || cell == null) {
          RexNode d = defaults[i];
          if (d == null) {
            d = defaultOf(c);
            defaults[i] = d;
          }
          row.add(d);
        } else {
          int position = ExpressionAnalyser.position(cell);
          refuseGenerated(c, s);
          row.add(taken(table, with.analyse(cell), c, position));
        }
      }
      rows.add(row);
    }
    return constantRows(table, rows, with.scope);
  }

  private RelNode constantRows(TableInfo table, List<List<RexNode>> rows, @Nullable Scope scope) {
    List<SqlType> types = table.columns().stream().map(TableInfo.Column::type).toList();
    List<String> names = table.columns().stream().map(TableInfo.Column::name).toList();
    if (scope == null) {
      return new ConstantRows(session.cluster, session.types.row(types, names), rows);
    }
    return queries.rows(rows, types, names, scope);
  }

  /** GENERATED … STORED columns from the others. */
  private RelNode generated(RelNode source, TableInfo table) {
    if (table.columns().stream().noneMatch(c -> c.generated().equals("s"))) {
      return source;
    }
    List<Field> fields = fields(table, source.getRowType(), 0);
    var exprs = new ArrayList<RexNode>();
    var names = new ArrayList<String>();
    for (int i = 0; i < table.columns().size(); i++) {
      TableInfo.Column c = table.columns().get(i);
      exprs.add(
          c.generated().equals("s") && c.defaultSql().isPresent()
              ? computed(table, c, fields, source.getRowType())
              : Rels.ref(source, i));
      names.add(c.name());
    }
    return Rels.project(source, exprs, names, Set.of());
  }

  private Analysed.Conflict conflict(
      Statement.OnConflict c, TableInfo table, @Nullable Name alias, QualifiedName name) {
    String constraint = arbiter(c, table);
    if (c.doNothing()) {
      return new Analysed.Conflict(constraint, true, List.of(), List.of(), null);
    }
    if (constraint == null) {
      throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              name.position(),
              "ON CONFLICT DO UPDATE requires inference specification or constraint name")
          .withHint("For example, ON CONFLICT (column_name).");
    }
    var row = session.types.builder();
    for (TableInfo.Column t : table.columns()) {
      row.add(t.name(), session.types.of(t.type()));
    }
    for (TableInfo.Column t : table.columns()) {
      row.add("excluded." + t.name(), session.types.of(t.type()));
    }
    RelDataType both = row.build();
    List<Field> existing = fields(table, both, 0);
    List<Field> proposed = fields(table, both, table.columns().size());
    var columns = new ArrayList<>(existing);
    columns.addAll(proposed);
    var scope =
        new Scope(
            List.of(
                entry(table, alias, existing), new Entry("excluded", null, null, proposed, null)),
            columns,
            both,
            null,
            rexes.builder());
    ExpressionAnalyser with = over(scope, Ctes.NONE, Clause.CONFLICT);
    var ids = new ArrayList<Integer>();
    var values = new ArrayList<RexNode>();
    assignments(c.assignments(), table, with, ids, values);
    RexNode where =
        c.where() == null
            ? null
            : with.bool(
                with.analyse(c.where().node()),
                "WHERE",
                ExpressionAnalyser.position(c.where().node()));
    return new Analysed.Conflict(constraint, false, ids, values, where);
  }

  private static @Nullable String arbiter(Statement.OnConflict c, TableInfo table) {
    String given = c.constraint();
    if (given != null) {
      for (TableInfo.Constraint k : table.constraints()) {
        if (k.name().equals(given) && (k.kind() == 'p' || k.kind() == 'u')) {
          return given;
        }
      }
      throw Problems.error(
          ErrorCode.UNDEFINED_OBJECT,
          0,
          "constraint \"" + given + "\" for table \"" + table.name() + "\" does not exist");
    }
    if (c.columns().isEmpty()) {
      return null;
    }
    Set<Integer> wanted = new HashSet<>();
    for (Name n : c.columns()) {
      wanted.add(column(table, n).id());
    }
    for (TableInfo.UniqueKey k : table.uniqueKeys()) {
      Set<Integer> ids = new HashSet<>(k.columnIds());
      Set<Integer> withTime = new HashSet<>(ids);
      if (k.primary()) {
        withTime.add(table.storage().timeIndexId());
      }
      if (wanted.equals(ids)
          && (!k.primary() || table.timeIndex().isEmpty() || ids.equals(withTime))) {
        return k.name();
      }
      if (k.primary() && wanted.equals(withTime)) {
        return k.name();
      }
    }
    if (wanted.equals(Set.of(table.storage().timeIndexId()))
        && table.storage().tagIds().isEmpty()) {
      return table.name() + "_pkey";
    }
    throw Problems.error(
        ErrorCode.INVALID_COLUMN_REFERENCE,
        0,
        "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  }

  void assignments(
      List<Statement.Assignment> list,
      TableInfo table,
      ExpressionAnalyser with,
      List<Integer> ids,
      List<RexNode> values) {
    for (Statement.Assignment a : list) {
      SqlNode node = a.value().node();
      int position = ExpressionAnalyser.position(node);
      List<Ex> parts;
      if (!a.row() || a.columns().size() == 1 && node.getKind() != SqlKind.ROW) {
        assign(table, a.columns().get(0), node, with, ids, values);
        continue;
      }
      if (QueryAnalyser.isQuery(node)) {
        parts = new SubQueryAnalyser(with).columns(node, a.columns().size());
      } else if (node.getKind() == SqlKind.ROW) {
        List<SqlNode> cells = ((SqlCall) node).getOperandList();
        if (cells.size() != a.columns().size()) {
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              position,
              "number of columns does not match number of values");
        }
        for (int i = 0; i < cells.size(); i++) {
          assign(table, a.columns().get(i), cells.get(i), with, ids, values);
        }
        continue;
      } else {
        throw Problems.unsupported(
            position,
            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression");
      }
      for (int i = 0; i < parts.size(); i++) {
        TableInfo.Column c = single(table, a.columns().get(i), ids, false);
        ids.add(c.id());
        values.add(taken(table, parts.get(i), c, position));
      }
    }
  }

  private void assign(
      TableInfo table,
      Name name,
      SqlNode value,
      ExpressionAnalyser with,
      List<Integer> ids,
      List<RexNode> values) {
    boolean isDefault = value.getKind() == SqlKind.DEFAULT;
    TableInfo.Column c = single(table, name, ids, isDefault);
    if (isDefault && c.isComputed()) {
      return; // computed anew anyway
    }
    ids.add(c.id());
    values.add(
        isDefault
            ? defaultOf(c)
            : taken(table, with.analyse(value), c, ExpressionAnalyser.position(value)));
  }

  private static TableInfo.Column single(
      TableInfo table, Name name, List<Integer> ids, boolean isDefault) {
    TableInfo.Column c = column(table, name);
    if (ids.contains(c.id())) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, 0, "multiple assignments to same column \"" + c.name() + "\"");
    }
    if (!isDefault && (c.isComputed() || c.generated().equals("a"))) {
      throw Problems.error(
              ErrorCode.GENERATED_ALWAYS,
              0,
              "column \"" + c.name() + "\" can only be updated to DEFAULT")
          .withDetail(
              c.isComputed()
                  ? "Column \"" + c.name() + "\" is a generated column."
                  : "Column \""
                      + c.name()
                      + "\" is an identity column defined as GENERATED ALWAYS.");
    }
    return c;
  }

  // ---- UPDATE, DELETE ----

  /** The target joined with FROM or USING, and the names over that row. */
  private final class Joined {
    final TableInfo table;
    final MillTable millTable;
    final @Nullable Relation from;
    RelNode rel;
    final Scope scope;
    final int fromOffset;

    Joined(TableInfo table, @Nullable Name alias, @Nullable ParsedExpression other, Ctes ctes) {
      this.table = table;
      this.millTable = MillTable.of(table, session.types, true);
      RelNode scan = new MillScan(session.cluster, millTable);
      this.fromOffset = scan.getRowType().getFieldCount();
      this.from =
          other == null ? null : new FromAnalyser(queries, ctes, null, false).from(other.node());
      List<Field> fields = fields(table, scan.getRowType(), 0);
      var entries = new ArrayList<Entry>();
      entries.add(entry(table, alias, fields));
      var columns = new ArrayList<>(fields);
      Relation f = from;
      if (f == null) {
        rel = scan;
      } else {
        session.joins++;
        rel =
            LogicalJoin.create(
                scan,
                f.rel(),
                ImmutableList.of(),
                rexes.literal(true),
                Set.of(),
                JoinRelType.INNER);
        for (Entry e : f.entries()) {
          if (e.alias().equals(entries.get(0).alias())) {
            throw Problems.error(
                ErrorCode.DUPLICATE_ALIAS,
                0,
                "table name \"" + e.alias() + "\" specified more than once");
          }
        }
        entries.addAll(Relation.moved(f.entries(), fromOffset, rel));
        columns.addAll(Relation.movedFields(f.columns(), fromOffset, rel));
      }
      this.scope = new Scope(entries, columns, rel.getRowType(), null, rexes.builder());
    }

    void where(@Nullable ParsedExpression where, Ctes ctes) {
      if (where != null) {
        RexNode condition = over(scope, ctes, Clause.WHERE).condition(where.node());
        rel = Rels.filter(rel, condition, scope.given());
      }
    }

    /** Key, row of the table, then what is given, then all of FROM. */
    RelNode project(List<RexNode> values) {
      var exprs = new ArrayList<RexNode>();
      for (int id : DmlPlan.keyColumnIds(table)) {
        exprs.add(Rels.ref(rel, millTable.columnIds().indexOf(id)));
      }
      for (int i = 0; i < table.columns().size(); i++) {
        exprs.add(Rels.ref(rel, i));
      }
      exprs.addAll(values);
      for (int i = fromOffset; i < rel.getRowType().getFieldCount(); i++) {
        exprs.add(Rels.ref(rel, i));
      }
      return Rels.project(
          rel, exprs, java.util.Collections.nCopies(exprs.size(), "c"), scope.given());
    }

    /** The names over (row of the table, all of FROM). */
    Scope result(@Nullable Name alias) {
      var row = session.types.builder();
      var names = new ArrayList<String>();
      var types = new ArrayList<RelDataType>();
      for (TableInfo.Column c : table.columns()) {
        names.add(c.name());
        types.add(session.types.of(c.type()));
      }
      Relation f = from;
      if (f != null) {
        for (RelDataTypeField field : f.rel().getRowType().getFieldList()) {
          names.add(field.getName());
          types.add(field.getType());
        }
      }
      List<String> distinct = OutputNames.distinct(names);
      for (int i = 0; i < distinct.size(); i++) {
        row.add(distinct.get(i), types.get(i));
      }
      RelDataType both = row.build();
      List<Field> fields = fields(table, both, 0);
      var entries = new ArrayList<Entry>();
      entries.add(entry(table, alias, fields));
      var columns = new ArrayList<>(fields);
      if (f != null) {
        int by = table.columns().size();
        for (Entry e : f.entries()) {
          entries.add(e.over(shifted(e.fields(), by)));
        }
        columns.addAll(shifted(f.columns(), by));
      }
      return new Scope(entries, columns, both, null, rexes.builder());
    }

    private static List<Field> shifted(List<Field> fields, int by) {
      var out = new ArrayList<Field>();
      for (Field f : fields) {
        out.add(
            f.over(
                f.rex()
                    .accept(
                        new org.apache.calcite.rex.RexShuttle() {
                          @Override
                          public RexNode visitInputRef(RexInputRef ref) {
                            return new RexInputRef(ref.getIndex() + by, ref.getType());
                          }
                        })));
      }
      return out;
    }
  }

  private Analysed.Update update(Statement.Update s, Ctes reach) {
    TableInfo table = target(s.table(), "update");
    var ids = new ArrayList<Integer>();
    var scopes = new ArrayList<Scope>();
    RelNode source =
        source(
            s.with(),
            reach,
            ctes -> {
              var joined = new Joined(table, s.alias(), s.from(), ctes);
              joined.where(s.where(), ctes);
              var values = new ArrayList<RexNode>();
              assignments(
                  s.assignments(), table, over(joined.scope, ctes, Clause.UPDATE), ids, values);
              RelDataType row = joined.rel.getRowType();
              recompute(table, fields(table, row, 0), row, ids, values);
              scopes.add(joined.result(s.alias()));
              return joined.project(values);
            });
    Analysed.Returning returning = returning(s.returning(), scopes.get(0), Ctes.NONE);
    return new Analysed.Update(
        table, source, List.copyOf(ids), checks(table), returning, session.facts());
  }

  /**
   * GENERATED … STORED columns follow the change.
   *
   * @param before the columns of the table
   * @param row what they refer to
   */
  void recompute(
      TableInfo table,
      List<Field> before,
      RelDataType row,
      List<Integer> ids,
      List<RexNode> values) {
    int assigned = ids.size();
    for (int i = 0; i < table.columns().size(); i++) {
      TableInfo.Column c = table.columns().get(i);
      if (!c.generated().equals("s") || c.defaultSql().isEmpty()) {
        continue;
      }
      var fields = new ArrayList<Field>();
      for (Field f : before) {
        int at = ids.indexOf(table.column(f.name()).orElseThrow().id());
        fields.add(at >= 0 && at < assigned ? f.over(values.get(at)) : f);
      }
      ids.add(c.id());
      values.add(computed(table, c, fields, row));
    }
  }

  /** A GENERATED … STORED column from the others. */
  RexNode computed(TableInfo table, TableInfo.Column c, List<Field> fields, RelDataType row) {
    var scope = new Scope(List.of(entry(table, null, fields)), fields, row, null, rexes.builder());
    session.viewDepth++;
    try {
      return assigned(
          over(scope, Ctes.NONE, Clause.DEFAULT).analyse(parsed(c.defaultSql().orElseThrow())),
          c,
          0);
    } finally {
      session.viewDepth--;
    }
  }

  private Analysed.Delete delete(Statement.Delete s, Ctes reach) {
    TableInfo table = target(s.table(), "delete from");
    var scopes = new ArrayList<Scope>();
    RelNode source =
        source(
            s.with(),
            reach,
            ctes -> {
              var joined = new Joined(table, s.alias(), s.using(), ctes);
              joined.where(s.where(), ctes);
              scopes.add(joined.result(s.alias()));
              return joined.project(List.of());
            });
    Analysed.Returning returning = returning(s.returning(), scopes.get(0), Ctes.NONE);
    return new Analysed.Delete(
        table, source, s.where() == null && s.using() == null, returning, session.facts());
  }
}

package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.analyse.Scope.Link;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.MillFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillScan;
import io.millrace.sql.plan.rel.MillTable;
import io.millrace.sql.plan.rel.SystemTable;
import io.millrace.sql.plan.rel.TableFunction;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** FROM: tables, views, sub-queries, functions and joins, with the names they bring. */
final class FromAnalyser {
  /** Functions with one output column of their own name, {@code value}. */
  private static final Set<String> NAMED_VALUE =
      Set.of(
          "json_array_elements",
          "json_array_elements_text",
          "jsonb_array_elements",
          "jsonb_array_elements_text");

  private final QueryAnalyser queries;
  private final Session session;
  private final Rexes rexes;
  private final Ctes ctes;
  private final @Nullable Link outer;
  private final boolean unnamed;
  private final @Nullable RowLocks locks;
  private final Set<CorrelationId> given = new HashSet<>();

  /**
   * @param unnamed sub-queries may go without alias, as in range queries
   */
  FromAnalyser(QueryAnalyser queries, Ctes ctes, @Nullable Link outer, boolean unnamed) {
    this(queries, ctes, outer, unnamed, null);
  }

  /**
   * @param locks with them, tables come with the hidden columns of their keys
   */
  FromAnalyser(
      QueryAnalyser queries,
      Ctes ctes,
      @Nullable Link outer,
      boolean unnamed,
      @Nullable RowLocks locks) {
    this.locks = locks;
    this.unnamed = unnamed;
    this.queries = queries;
    this.session = queries.session;
    this.rexes = session.rexes;
    this.ctes = ctes;
    this.outer = outer;
  }

  Relation from(SqlNode node) {
    Relation r = item(node, outer);
    return r;
  }

  /**
   * @param lateral what LATERAL items see: siblings to the left, then the level around
   */
  private Relation item(SqlNode node, @Nullable Link lateral) {
    if (node instanceof SqlIdentifier id) {
      return named(id, null, null);
    }
    if (node instanceof SqlJoin j) {
      return join(j, lateral);
    }
    var c = (SqlCall) node;
    if (c.getKind() == SqlKind.AS) {
      return aliased(c, lateral);
    }
    if (c.getOperator() == PgSyntax.TABLESAMPLE) {
      return sample(c, lateral);
    }
    if (QueryAnalyser.isQuery(c) && (unnamed || isRangeQuery(c))) {
      var alias = new SqlIdentifier("unnamed_subquery", c.getParserPosition());
      return subQuery(c, outer, alias, List.of());
    }
    if (QueryAnalyser.isQuery(c) || c.getKind() == SqlKind.LATERAL && isQueryInside(c)) {
      // A name that nobody can write by chance, and that no other subquery has.
      var unnamed =
          new SqlIdentifier(
              "unnamed subquery " + ExpressionAnalyser.position(c), c.getParserPosition());
      return QueryAnalyser.isQuery(c)
          ? subQuery(c, outer, unnamed, List.of())
          : subQuery(c.operand(0), lateral, unnamed, List.of());
    }
    return functions(c, null, List.of(), lateral);
  }

  /** Whether a query is one with ALIGN, sorted or not. */
  private static boolean isRangeQuery(SqlNode query) {
    SqlNode q = query instanceof SqlOrderBy sorted ? sorted.query : query;
    return q instanceof PgSelect s && s.align() != null;
  }

  private static boolean isQueryInside(SqlCall lateral) {
    return QueryAnalyser.isQuery(lateral.operand(0));
  }

  private Relation aliased(SqlCall as, @Nullable Link lateral) {
    SqlNode inner = as.operand(0);
    var alias = (SqlIdentifier) as.operand(1);
    List<SqlNode> columns = as.getOperandList().subList(2, as.operandCount());
    if (inner instanceof SqlIdentifier id) {
      return named(id, alias, columns);
    }
    if (inner instanceof SqlJoin j) {
      Relation r = join(j, lateral);
      return renamed(r.rel(), r.columns(), alias.getSimple(), columns, null);
    }
    var c = (SqlCall) inner;
    if (QueryAnalyser.isQuery(c)) {
      return subQuery(c, outer, alias, columns);
    }
    if (c.getKind() == SqlKind.LATERAL && isQueryInside(c)) {
      return subQuery(c.operand(0), lateral, alias, columns);
    }
    return functions(c, alias, columns, lateral);
  }

  private Relation subQuery(
      SqlNode query, @Nullable Link sees, SqlIdentifier alias, List<SqlNode> columns) {
    if (locks != null) {
      locks.handDown(query, alias.getSimple());
    }
    Output q = queries.query(query, sees, ctes, true);
    return renamed(q.rel(), fields(q, q.rel()), alias.getSimple(), columns, null);
  }

  private static List<Field> fields(Output q, RelNode rel) {
    var out = new ArrayList<Field>();
    for (int i = 0; i < q.columns().size(); i++) {
      Output.Column c = q.columns().get(i);
      out.add(new Field(c.name(), c.type(), Rels.ref(rel, i), c.tableOid(), c.attnum()));
    }
    return out;
  }

  /** One entry under an alias, its first columns renamed. */
  private static Relation renamed(
      RelNode rel,
      List<Field> fields,
      String alias,
      List<SqlNode> columns,
      @Nullable String relation) {
    if (columns.size() > fields.size()) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          0,
          "table \""
              + alias
              + "\" has "
              + fields.size()
              + " columns available but "
              + columns.size()
              + " columns specified");
    }
    var out = new ArrayList<Field>();
    for (int i = 0; i < fields.size(); i++) {
      out.add(
          i < columns.size()
              ? fields.get(i).named(((SqlIdentifier) columns.get(i)).getSimple())
              : fields.get(i));
    }
    return new Relation(rel, List.of(new Entry(alias, relation, null, out, null)), out);
  }

  // ---- tables, views, WITH items ----

  private Relation named(
      SqlIdentifier id, @Nullable SqlIdentifier alias, @Nullable List<SqlNode> columns) {
    String last = id.names.get(id.names.size() - 1);
    String as = alias == null ? last : alias.getSimple();
    List<SqlNode> renames = columns == null ? List.of() : columns;
    if (id.isSimple()) {
      Ctes.Item item = ctes.find(last);
      if (item != null) {
        if (locks != null && locks.isNamed(as)) {
          throw Problems.unsupported(
              locks.position(as), locks.name() + " cannot be applied to a WITH query");
        }
        RelNode rel = item.rel().get();
        return renamed(rel, fields(item.query(), rel), as, renames, last);
      }
    }
    Names.Target target =
        new Names(session.context).relation(id.names, ExpressionAnalyser.position(id));
    Relation r =
        switch (target) {
          case Names.Target.Table t -> table(t.info(), as, last, alias == null);
          case Names.Target.System s -> system(s.relation(), as, last);
          case Names.Target.View v -> view(v.info(), as, last, id);
        };
    if (renames.isEmpty()) {
      return r;
    }
    Relation out = renamed(r.rel(), r.columns(), as, renames, last);
    Entry e = r.entries().get(0);
    return new Relation(
        out.rel(),
        List.of(new Entry(as, last, e.schema(), out.columns(), e.table())),
        out.columns());
  }

  private Relation table(TableInfo info, String alias, String name, boolean bare) {
    session.tables.add(info.id());
    if (!info.populated()) {
      throw Problems.error(
              ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
              0,
              "materialized view \"" + info.name() + "\" has not been populated")
          .withHint("Use the REFRESH MATERIALIZED VIEW command.");
    }
    RelNode rel = new MillScan(session.cluster, MillTable.of(info, session.types, locks != null));
    return tableRelation(rel, info, alias, name, bare ? info.schema() : null, 0);
  }

  /** The names of a table whose visible columns start at a place of the row. */
  static Relation tableRelation(
      RelNode rel, TableInfo info, String alias, String name, @Nullable String schema, int offset) {
    var fields = new ArrayList<Field>();
    for (int i = 0; i < info.columns().size(); i++) {
      TableInfo.Column c = info.columns().get(i);
      fields.add(new Field(c.name(), c.type(), Rels.ref(rel, offset + i), info.oid(), c.attnum()));
    }
    return new Relation(rel, List.of(new Entry(alias, name, schema, fields, info)), fields);
  }

  private Relation system(SystemRelation relation, String alias, String name) {
    session.views.add(relation.oid());
    RelNode rel = new MillScan(session.cluster, new SystemTable(relation, session.types));
    var fields = new ArrayList<Field>();
    for (int i = 0; i < relation.columns().size(); i++) {
      SystemRelation.Column c = relation.columns().get(i);
      fields.add(new Field(c.name(), c.type(), Rels.ref(rel, i), relation.oid(), i + 1));
    }
    return new Relation(
        rel, List.of(new Entry(alias, name, relation.schema(), fields, null)), fields);
  }

  private Relation view(ViewInfo view, String alias, String name, SqlIdentifier id) {
    if (locks != null && locks.of(alias) != null) {
      throw Problems.unsupported(
              locks.position(alias), locks.name() + " cannot be applied to view \"" + name + "\"")
          .withHint("Lock the rows of its tables.");
    }
    session.views.add(view.oid());
    if (session.viewDepth > 50) {
      throw Problems.error(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          ExpressionAnalyser.position(id),
          "infinite recursion detected in view \"" + name + "\"");
    }
    ParsedQuery parsed = session.context.parser().apply(view.query());
    session.viewDepth++;
    Output q;
    try {
      q = queries.query(parsed.node(), null, Ctes.NONE, true);
    } finally {
      session.viewDepth--;
    }
    var fields = new ArrayList<Field>();
    for (int i = 0; i < q.columns().size() && i < view.columnNames().size(); i++) {
      fields.add(
          new Field(
              view.columnNames().get(i),
              q.columns().get(i).type(),
              Rels.ref(q.rel(), i),
              view.oid(),
              i + 1));
    }
    return new Relation(
        q.rel(), List.of(new Entry(alias, name, view.schema(), fields, null)), fields);
  }

  private Relation sample(SqlCall c, @Nullable Link lateral) {
    int position = ExpressionAnalyser.position(c);
    String method = ((SqlIdentifier) c.operand(1)).getSimple();
    if (!method.equals("bernoulli") && !method.equals("system")) {
      throw Problems.error(
          ErrorCode.UNDEFINED_OBJECT, position, "tablesample method " + method + " does not exist");
    }
    var arguments = (SqlNodeList) c.operand(2);
    if (arguments.size() != 1) {
      throw Problems.error(
          ErrorCode.INVALID_TABLESAMPLE_ARGUMENT,
          position,
          "tablesample method " + method + " requires 1 argument, not " + arguments.size());
    }
    Relation r = item(c.operand(0), lateral);
    var scope = scope(r, outer);
    ExpressionAnalyser with = expressions(scope, Clause.FROM);
    RexNode percent =
        rexes
            .coerce(with.analyse(arguments.get(0)), SqlType.FLOAT8, Context.ASSIGNMENT, position)
            .rex();
    RexNode checked =
        rexes.function(
            new FunctionId("sample_percent(float8)"), SqlType.FLOAT8, 'v', false, List.of(percent));
    SqlNode seed = c.operandCount() > 3 ? c.operand(3) : null;
    RexNode drawn =
        seed == null
            ? with.binary(
                    "*",
                    new CallAnalyser(with).plain("random", List.of(), position),
                    new Ex.Num(SqlType.INT4, BigDecimal.valueOf(100), false, position),
                    position)
                .rex()
            : drawn(
                r, rexes.coerce(with.analyse(seed), SqlType.FLOAT8, Context.ASSIGNMENT, position));
    RexNode keep = rexes.bool(SqlStdOperatorTable.LESS_THAN, drawn, checked);
    RelNode rel = Rels.filter(r.rel(), keep, scope.given());
    return new Relation(
        rel, Relation.moved(r.entries(), 0, rel), Relation.movedFields(r.columns(), 0, rel));
  }

  /** REPEATABLE: a number from 0 to 100 that depends on the seed and the row's values alone. */
  private RexNode drawn(Relation r, Ex.Value seed) {
    var values = new ArrayList<RexNode>();
    values.add(seed.rex());
    for (Field f : r.columns()) {
      values.add(
          rexes
              .coerce(new Ex.Value(f.rex(), f.type(), 0), SqlType.TEXT, Context.EXPLICIT, 0)
              .rex());
    }
    return rexes.function(
        new FunctionId("sample_draw(float8,text)"), SqlType.FLOAT8, 'i', false, values);
  }

  // ---- functions ----

  private Relation functions(
      SqlCall node, @Nullable SqlIdentifier alias, List<SqlNode> columns, @Nullable Link lateral) {
    SqlCall c = node;
    if (c.getKind() == SqlKind.LATERAL) {
      c = c.operand(0);
    }
    boolean ordinality = c.getOperator() == PgSyntax.WITH_ORDINALITY;
    if (ordinality) {
      c = c.operand(0);
    }
    var calls = new ArrayList<SqlCall>();
    if (c.getOperator() == PgSyntax.ROWS_FROM) {
      for (SqlNode n : c.getOperandList()) {
        calls.add((SqlCall) n);
      }
    } else {
      calls.add(c.operand(0));
    }
    RelDataType noRow =
        org.apache.calcite.rel.logical.LogicalValues.createOneRow(session.cluster).getRowType();
    var scope = new Scope(List.of(), List.of(), noRow, lateral, rexes.builder());
    ExpressionAnalyser with = expressions(scope, Clause.FROM);
    var rexCalls = new ArrayList<RexNode>();
    var names = new ArrayList<String>();
    var types = new ArrayList<SqlType>();
    boolean plainAlias = calls.size() == 1 && alias != null && !alias.getSimple().isEmpty();
    List<SqlNode> renames = columns;
    for (SqlCall call : calls) {
      SqlCall plain = call.getKind() == SqlKind.AS ? call.operand(0) : call;
      List<SqlNode> defs =
          call.getKind() == SqlKind.AS
              ? call.getOperandList().subList(1, call.operandCount())
              : definitions(columns);
      if (!defs.isEmpty()) {
        renames = List.of();
      }
      for (SqlCall one : spread(plain)) {
        Ex.Value v = with.clause == Clause.FROM ? one(one, with) : one(one, with);
        columnsOf(
            v,
            one,
            defs,
            plainAlias && alias != null ? alias.getSimple() : null,
            with,
            rexCalls,
            names,
            types);
      }
    }
    if (ordinality) {
      names.add("ordinality");
      types.add(SqlType.INT8);
    }
    RelDataType row = session.types.row(types, OutputNames.distinct(names));
    RelNode rel = new TableFunction(session.cluster, rexCalls, ordinality, row);
    var fields = new ArrayList<Field>();
    for (int i = 0; i < names.size(); i++) {
      fields.add(new Field(names.get(i), types.get(i), Rels.ref(rel, i), 0, 0));
    }
    String as =
        alias != null && !alias.getSimple().isEmpty()
            ? alias.getSimple()
            : CallAnalyser.nameOf(
                calls.get(0).getKind() == SqlKind.AS ? calls.get(0).operand(0) : calls.get(0));
    return renamed(rel, fields, as, renames, null);
  }

  private Ex.Value one(SqlCall call, ExpressionAnalyser with) {
    if (call.getOperator() instanceof org.apache.calcite.sql.SqlUnresolvedFunction) {
      return new CallAnalyser(with).table(call);
    }
    return rexes.value(with.analyse(call));
  }

  private static List<SqlNode> definitions(List<SqlNode> columns) {
    return columns.stream()
        .filter(n -> n instanceof SqlCall d && d.getOperator() == PgSyntax.COLUMN_DEFINITION)
        .toList();
  }

  /** unnest(a, b) is ROWS FROM (unnest(a), unnest(b)). */
  private static List<SqlCall> spread(SqlCall call) {
    if (call.getOperator() instanceof org.apache.calcite.sql.SqlUnresolvedFunction f
        && CallAnalyser.nameOf(call).equals("unnest")
        && call.operandCount() > 1) {
      var out = new ArrayList<SqlCall>();
      for (SqlNode n : call.getOperandList()) {
        out.add(f.createCall(null, call.getParserPosition(), n));
      }
      return out;
    }
    return List.of(call);
  }

  private void columnsOf(
      Ex.Value v,
      SqlCall call,
      List<SqlNode> definitions,
      @Nullable String alias,
      ExpressionAnalyser with,
      List<RexNode> calls,
      List<String> names,
      List<SqlType> types) {
    SqlType type = v.type();
    if (!definitions.isEmpty()) {
      var fields = new ArrayList<SqlType.Field>();
      for (SqlNode n : definitions) {
        var d = (SqlCall) n;
        fields.add(
            new SqlType.Field(
                ((SqlIdentifier) d.operand(0)).getSimple(), with.typeOf(d.operand(1))));
      }
      type = SqlType.record(fields);
    } else if (type.kind() == TypeKind.RECORD && type.fields().isEmpty()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR,
          v.position(),
          "a column definition list is required for functions returning \"record\"");
    }
    RexNode rex = v.rex();
    if (!type.equals(v.type())
        && rex instanceof RexCall c
        && c.getOperator() instanceof MillFunction f) {
      rex =
          rexes.call(
              type,
              new MillFunction(f.id(), type, f.volatility(), f.strict(), f.returnsSet()),
              c.getOperands());
    }
    calls.add(rex);
    if (type.kind() == TypeKind.RECORD) {
      for (SqlType.Field field : type.fields()) {
        names.add(field.name());
        types.add(field.type());
      }
    } else {
      names.add(columnName(CallAnalyser.nameOf(call), alias));
      types.add(type);
    }
  }

  /** A function's own name for its only column goes before the alias. */
  private static String columnName(String function, @Nullable String alias) {
    if (NAMED_VALUE.contains(function)) {
      return "value";
    }
    return alias != null ? alias : function;
  }

  private ExpressionAnalyser expressions(Scope scope, Clause clause) {
    return new ExpressionAnalyser(session, queries, scope, ctes, clause, null, Windows.NONE);
  }

  private Scope scope(Relation r, @Nullable Link around) {
    return new Scope(r.entries(), r.columns(), r.rel().getRowType(), around, rexes.builder());
  }

  // ---- joins ----

  private Relation join(SqlJoin j, @Nullable Link lateral) {
    session.joins++;
    Relation left = item(j.getLeft(), lateral);
    Scope leftScope = scope(left, lateral);
    var link = new Link(leftScope, session.cluster.createCorrel(), left.rel().getRowType());
    Relation right = item(j.getRight(), link);
    checkAliases(left, right);
    JoinRelType type =
        switch (j.getJoinType()) {
          case LEFT -> JoinRelType.LEFT;
          case RIGHT -> JoinRelType.RIGHT;
          case FULL -> JoinRelType.FULL;
          default -> JoinRelType.INNER;
        };
    if (link.used && (type == JoinRelType.RIGHT || type == JoinRelType.FULL)) {
      throw Problems.error(
              ErrorCode.INVALID_COLUMN_REFERENCE,
              ExpressionAnalyser.position(j.getRight()),
              "invalid reference to FROM-clause entry of the left side of the join")
          .withDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
    }
    int width = left.rel().getRowType().getFieldCount();
    RelDataType row = joinedRow(left.rel(), right.rel(), type);
    var entries = new ArrayList<Entry>(retyped(left.entries(), 0, row));
    entries.addAll(retyped(right.entries(), width, row));
    List<Field> l = retypedFields(left.columns(), 0, row);
    List<Field> r = retypedFields(right.columns(), width, row);
    var columns = new ArrayList<Field>();
    RexNode condition;
    Set<CorrelationId> used = new HashSet<>();
    List<String> using = using(j, l, r);
    if (using == null) {
      columns.addAll(l);
      columns.addAll(r);
      if (j.getConditionType() == JoinConditionType.ON) {
        RelDataType plain = joinedRow(left.rel(), right.rel(), JoinRelType.INNER);
        var on = new ArrayList<Entry>(retyped(left.entries(), 0, plain));
        on.addAll(retyped(right.entries(), width, plain));
        var onColumns = new ArrayList<Field>(retypedFields(left.columns(), 0, plain));
        onColumns.addAll(retypedFields(right.columns(), width, plain));
        var scope = new Scope(on, onColumns, plain, lateral, rexes.builder());
        SqlNode node = java.util.Objects.requireNonNull(j.getCondition());
        ExpressionAnalyser with = expressions(scope, Clause.JOIN);
        condition = with.bool(with.analyse(node), "JOIN/ON", ExpressionAnalyser.position(node));
        used.addAll(Rels.variables(List.of(condition), scope.given()));
      } else {
        condition = rexes.literal(true);
      }
    } else {
      condition = merged(using, left, right, type, l, r, columns, j);
    }
    RelNode rel =
        link.used
            ? correlate(left.rel(), right.rel(), link, type, condition, used)
            : LogicalJoin.create(
                left.rel(), right.rel(), ImmutableList.of(), condition, used, type);
    given.addAll(used);
    return new Relation(rel, entries, columns);
  }

  /** The row of a join: columns of a side that may be missing are nullable. */
  private RelDataType joinedRow(RelNode left, RelNode right, JoinRelType type) {
    var builder = session.types.builder();
    var names = new ArrayList<String>();
    var fieldTypes = new ArrayList<RelDataType>();
    for (RelDataTypeField f : left.getRowType().getFieldList()) {
      names.add(f.getName());
      fieldTypes.add(
          type.generatesNullsOnLeft()
              ? session.types.createTypeWithNullability(f.getType(), true)
              : f.getType());
    }
    for (RelDataTypeField f : right.getRowType().getFieldList()) {
      names.add(f.getName());
      fieldTypes.add(
          type.generatesNullsOnRight()
              ? session.types.createTypeWithNullability(f.getType(), true)
              : f.getType());
    }
    List<String> distinct = OutputNames.distinct(names);
    for (int i = 0; i < distinct.size(); i++) {
      builder.add(distinct.get(i), fieldTypes.get(i));
    }
    return builder.build();
  }

  private static List<Entry> retyped(List<Entry> entries, int by, RelDataType row) {
    var out = new ArrayList<Entry>();
    for (Entry e : entries) {
      out.add(e.over(retypedFields(e.fields(), by, row)));
    }
    return out;
  }

  private static List<Field> retypedFields(List<Field> fields, int by, RelDataType row) {
    var out = new ArrayList<Field>();
    for (Field f : fields) {
      out.add(
          f.over(
              f.rex()
                  .accept(
                      new org.apache.calcite.rex.RexShuttle() {
                        @Override
                        public RexNode visitInputRef(RexInputRef ref) {
                          int at = ref.getIndex() + by;
                          return new RexInputRef(at, row.getFieldList().get(at).getType());
                        }
                      })));
    }
    return out;
  }

  private static void checkAliases(Relation left, Relation right) {
    for (Entry a : left.entries()) {
      for (Entry b : right.entries()) {
        boolean same = a.alias().equals(b.alias());
        boolean apart = a.schema() != null && b.schema() != null && !a.schema().equals(b.schema());
        if (same && !apart && !a.alias().isEmpty()) {
          throw Problems.error(
              ErrorCode.DUPLICATE_ALIAS,
              0,
              "table name \"" + a.alias() + "\" specified more than once");
        }
      }
    }
  }

  /** The names that USING or NATURAL merge; null without. */
  private static @Nullable List<String> using(SqlJoin j, List<Field> left, List<Field> right) {
    if (j.isNatural()) {
      var names = new ArrayList<String>();
      for (Field f : left) {
        if (right.stream().anyMatch(o -> o.name().equals(f.name())) && !names.contains(f.name())) {
          names.add(f.name());
        }
      }
      return names;
    }
    if (j.getConditionType() != JoinConditionType.USING) {
      return null;
    }
    var names = new ArrayList<String>();
    for (SqlNode n : (SqlNodeList) java.util.Objects.requireNonNull(j.getCondition())) {
      String name = ((SqlIdentifier) n).getSimple();
      if (names.contains(name)) {
        throw Problems.error(
            ErrorCode.DUPLICATE_COLUMN,
            ExpressionAnalyser.position(n),
            "column name \"" + name + "\" appears more than once in USING clause");
      }
      names.add(name);
    }
    return names;
  }

  /** Merged columns first, then the others; gives the condition. */
  private RexNode merged(
      List<String> using,
      Relation left,
      Relation right,
      JoinRelType type,
      List<Field> l,
      List<Field> r,
      List<Field> columns,
      SqlJoin j) {
    int position = ExpressionAnalyser.position(j);
    int width = left.rel().getRowType().getFieldCount();
    RelDataType plain = joinedRow(left.rel(), right.rel(), JoinRelType.INNER);
    List<Field> lp = retypedFields(left.columns(), 0, plain);
    List<Field> rp = retypedFields(right.columns(), width, plain);
    var none = new Scope(List.of(), List.of(), plain, null, rexes.builder());
    ExpressionAnalyser with = expressions(none, Clause.JOIN);
    var conditions = new ArrayList<RexNode>();
    for (String name : using) {
      int a = find(l, name, "left", 0);
      int b = find(r, name, "right", 0);
      Ex le = new Ex.Value(lp.get(a).rex(), lp.get(a).type(), position);
      Ex re = new Ex.Value(rp.get(b).rex(), rp.get(b).type(), position);
      conditions.add(with.compare("=", SqlStdOperatorTable.EQUALS, le, re, position).rex());
      SqlType common = session.typing.common(List.of(le, re), "JOIN/USING");
      RexNode lc = coerced(l.get(a), common, position);
      RexNode rc = coerced(r.get(b), common, position);
      RexNode value =
          switch (type) {
            case RIGHT -> rc;
            case FULL -> rexes.call(common, MillOperators.COALESCE, lc, rc);
            default -> lc;
          };
      boolean asLeft = type != JoinRelType.RIGHT && type != JoinRelType.FULL;
      columns.add(
          new Field(
              name,
              common,
              value,
              asLeft ? l.get(a).tableOid() : 0,
              asLeft ? l.get(a).attnum() : 0));
    }
    for (Field f : l) {
      if (!using.contains(f.name())) {
        columns.add(f);
      }
    }
    for (Field f : r) {
      if (!using.contains(f.name())) {
        columns.add(f);
      }
    }
    return rexes.and(conditions);
  }

  private RexNode coerced(Field f, SqlType type, int position) {
    return rexes
        .coerce(new Ex.Value(f.rex(), f.type(), position), type, Context.IMPLICIT, position)
        .rex();
  }

  private static int find(List<Field> fields, String name, String side, int position) {
    int found = -1;
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name)) {
        if (found >= 0) {
          throw Problems.error(
              ErrorCode.AMBIGUOUS_COLUMN,
              position,
              "common column name \"" + name + "\" appears more than once in " + side + " table");
        }
        found = i;
      }
    }
    if (found < 0) {
      throw Problems.error(
          ErrorCode.UNDEFINED_COLUMN,
          position,
          "column \"" + name + "\" specified in USING clause does not exist in " + side + " table");
    }
    return found;
  }

  /** A lateral join: the condition goes into the right side, so that LEFT keeps its meaning. */
  private RelNode correlate(
      RelNode left,
      RelNode right,
      Link link,
      JoinRelType type,
      RexNode condition,
      Set<CorrelationId> used) {
    RelNode inner = right;
    if (!condition.isAlwaysTrue()) {
      int width = left.getRowType().getFieldCount();
      RexNode moved =
          condition.accept(
              new org.apache.calcite.rex.RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  if (ref.getIndex() >= width) {
                    return Rels.ref(right, ref.getIndex() - width);
                  }
                  return rexes
                      .builder()
                      .makeFieldAccess(
                          rexes.builder().makeCorrel(link.row, link.id), ref.getIndex());
                }
              });
      inner =
          org.apache.calcite.rel.logical.LogicalFilter.create(
              right, moved, ImmutableSet.copyOf(used));
    }
    ImmutableBitSet required = RelOptUtil.correlationColumns(link.id, inner);
    return LogicalCorrelate.create(left, inner, ImmutableList.of(), link.id, required, type);
  }
}

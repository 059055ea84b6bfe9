package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.parser.ast.PgOperator;
import io.millrace.sql.parser.ast.PgQuantifiedOperator;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.PgTypeNameSpec;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.analyse.Scope.Found;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.MillFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.semantics.OperatorRow;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Expressions of one scope and clause: names are looked up, operators and functions resolved, types
 * brought together, bottom up. What is a call of a function is {@link CallAnalyser}'s, what holds a
 * query {@link SubQueryAnalyser}'s.
 */
final class ExpressionAnalyser {
  private static final FunctionId NAME_SUBSCRIPT = new FunctionId("name_subscript(name,int4)");

  private static final int MAX_DEPTH = 2_000;
  private static final BigDecimal INT4_MIN = BigDecimal.valueOf(Integer.MIN_VALUE);
  private static final BigDecimal INT4_MAX = BigDecimal.valueOf(Integer.MAX_VALUE);
  private static final BigDecimal INT8_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal INT8_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final Set<String> COLLATIONS =
      Set.of("default", "C", "POSIX", "C.UTF-8", "c.utf-8", "c", "posix", "ucs_basic", "C.utf8");

  final Session session;
  final QueryAnalyser queries;
  final Scope scope;
  final Ctes ctes;
  final Clause clause;
  final @Nullable Collector collector;
  final Windows windows;
  private final Rexes rexes;
  private int depth;

  ExpressionAnalyser(
      Session session,
      QueryAnalyser queries,
      Scope scope,
      Ctes ctes,
      Clause clause,
      @Nullable Collector collector,
      Windows windows) {
    this.session = session;
    this.queries = queries;
    this.scope = scope;
    this.ctes = ctes;
    this.clause = clause;
    this.collector = collector;
    this.windows = windows;
    this.rexes = session.rexes;
  }

  ExpressionAnalyser in(Clause other) {
    return new ExpressionAnalyser(session, queries, scope, ctes, other, collector, windows);
  }

  static int position(SqlNode node) {
    return Math.max(0, node.getParserPosition().getColumnNum());
  }

  // ---- entry points ----

  /** A condition; NULL and untyped literals are booleans. */
  RexNode condition(SqlNode node) {
    return bool(analyse(node), clause.name(), position(node));
  }

  RexNode bool(Ex e, String what, int position) {
    if (e instanceof Ex.Value v && v.type().kind() == TypeKind.BOOL) {
      return v.rex();
    }
    if (e.isUnknown()) {
      return rexes.coerce(e, SqlType.BOOL, Context.IMPLICIT, position).rex();
    }
    throw Problems.mustBeBool(what, e.type(), e.position() > 0 ? e.position() : position);
  }

  Ex analyse(SqlNode node) {
    if (++depth > MAX_DEPTH) {
      throw new io.millrace.common.error.MillraceException(
              ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
          .withHint("Write the expression with less nesting.");
    }
    try {
      return dispatch(node);
    } catch (StackOverflowError e) {
      throw new io.millrace.common.error.MillraceException(
          ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", e);
    } finally {
      depth--;
    }
  }

  private Ex dispatch(SqlNode node) {
    return switch (node) {
      case SqlIdentifier id -> identifier(id);
      case SqlDynamicParam p -> parameter(p);
      case SqlLiteral l -> literal(l);
      case SqlCase c -> caseOf(c);
      case SqlCall c when QueryAnalyser.isQuery(c) -> new SubQueryAnalyser(this).scalar(c);
      case SqlCall c -> call(c);
      default ->
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR, position(node), "syntax error at \"" + node + "\"");
    };
  }

  // ---- names ----

  private Ex identifier(SqlIdentifier id) {
    int position = position(id);
    if (id.isStar()) {
      if (id.names.size() > 1) {
        return wholeRow(entry(id.names.subList(0, id.names.size() - 1), position), position);
      }
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, position, "row expansion via \"*\" is not supported here");
    }
    Found found = resolve(id);
    if (found != null) {
      Field f = found.field();
      return new Ex.Value(f.rex(), f.type(), position);
    }
    Entry whole = id.names.size() == 1 ? scope.entry(null, id.names.get(0), position) : null;
    if (whole != null) {
      return wholeRow(whole, position);
    }
    if (clause == Clause.VALUES && id.isSimple() && id.getComponentParserPosition(0).isQuoted()) {
      // A double-quoted token in VALUES that names no column is a string.
      return new Ex.Unknown(id.getSimple(), false, position);
    }
    throw undefinedColumn(id);
  }

  private Ex wholeRow(Entry e, int position) {
    var types = new ArrayList<SqlType.Field>();
    var values = new ArrayList<RexNode>();
    for (Field f : e.fields()) {
      types.add(new SqlType.Field(f.name(), f.type()));
      values.add(f.rex());
    }
    SqlType type = SqlType.record(types);
    return new Ex.Value(rexes.call(type, MillOperators.ROW_OF, values), type, position);
  }

  /** The column of a name; null if an unqualified one is unknown. */
  @Nullable Found resolve(SqlIdentifier id) {
    int position = position(id);
    List<String> names = id.names;
    if (names.size() == 1) {
      Found known = scope.column(names.get(0), position);
      if (known != null || !names.get(0).equals("tableoid") || scope.entries().size() != 1) {
        return known;
      }
      return tableOid(scope.entries().get(0), position);
    }
    List<String> qualifier = names.subList(0, names.size() - 1);
    Found path = new JsonPaths(scope, rexes).find(names, position);
    if (path != null) {
      return path;
    }
    Entry e = entry(qualifier, position);
    String column = names.get(names.size() - 1);
    Field found = null;
    for (Field f : e.fields()) {
      if (f.name().equals(column)) {
        if (found != null) {
          throw Problems.error(
              ErrorCode.AMBIGUOUS_COLUMN,
              position,
              "column reference \"" + column + "\" is ambiguous");
        }
        found = f;
      }
    }
    if (found == null) {
      Found system = column.equals("tableoid") ? tableOid(e, position) : null;
      if (system != null) {
        return system;
      }
      throw undefinedColumn(id);
    }
    return new Found(found, !scope.entries().contains(e));
  }

  /**
   * The system column tableoid: one value for a relation, NULL where an outer join made the row.
   */
  private @Nullable Found tableOid(Entry e, int position) {
    if (e.fields().isEmpty() || e.fields().get(0).tableOid() == 0) {
      return null;
    }
    Field first = e.fields().get(0);
    RexNode value =
        rexes
            .coerce(
                new Ex.Num(
                    SqlType.INT8,
                    BigDecimal.valueOf(Integer.toUnsignedLong(first.tableOid())),
                    false,
                    position),
                SqlType.OID,
                Context.EXPLICIT,
                position)
            .rex();
    if (first.name().equals("oid")) {
      RexNode absent = rexes.call(SqlType.BOOL, SqlStdOperatorTable.IS_NULL, first.rex());
      value =
          rexes.call(
              SqlType.OID, SqlStdOperatorTable.CASE, absent, rexes.nullOf(SqlType.OID), value);
    }
    return new Found(new Field("tableoid", SqlType.OID, value, 0, 0), !scope.entries().contains(e));
  }

  Entry entry(List<String> qualifier, int position) {
    String alias = qualifier.get(qualifier.size() - 1);
    String schema = qualifier.size() > 1 ? qualifier.get(qualifier.size() - 2) : null;
    Entry e = scope.entry(schema, alias, position);
    if (e != null) {
      return e;
    }
    for (Entry other : scope.allEntries()) {
      if (alias.equals(other.relation()) && !alias.equals(other.alias())) {
        throw Problems.error(
                ErrorCode.UNDEFINED_TABLE,
                position,
                "invalid reference to FROM-clause entry for table \"" + alias + "\"")
            .withHint("Perhaps you meant to reference the table alias \"" + other.alias() + "\".");
      }
    }
    throw Problems.error(
        ErrorCode.UNDEFINED_TABLE,
        position,
        "missing FROM-clause entry for table \"" + alias + "\"");
  }

  private io.millrace.common.error.MillraceException undefinedColumn(SqlIdentifier id) {
    String name = id.names.get(id.names.size() - 1);
    String shown =
        id.names.size() == 1 ? "\"" + name + "\"" : id.names.get(id.names.size() - 2) + "." + name;
    var e =
        Problems.error(
            ErrorCode.UNDEFINED_COLUMN, position(id), "column " + shown + " does not exist");
    String qualifier = id.names.size() > 1 ? id.names.get(id.names.size() - 2) : null;
    var nearest = new NearestColumn(qualifier, name);
    scope.allEntries().forEach(nearest::consider);
    String hint = nearest.hint();
    return hint == null ? e : e.withHint(hint);
  }

  // ---- literals ----

  private Ex parameter(SqlDynamicParam p) {
    int number = p.getIndex() + 1;
    SqlType type = session.parameters.use(number, position(p));
    var param = new Ex.Param(number, position(p));
    return type == null ? param : rexes.coerce(param, type, Context.IMPLICIT, position(p));
  }

  private Ex literal(SqlLiteral l) {
    int position = position(l);
    if (l.getTypeName() == SqlTypeName.NULL || l.getValue() == null) {
      return new Ex.Unknown(null, false, position);
    }
    if (l.getTypeName() == SqlTypeName.BOOLEAN) {
      return new Ex.Value(rexes.literal(l.booleanValue()), SqlType.BOOL, position);
    }
    if (l instanceof SqlNumericLiteral n) {
      return number(n, position);
    }
    if (l.getValue() instanceof NlsString s) {
      return new Ex.Unknown(s.getValue(), free(), position);
    }
    throw Problems.error(ErrorCode.SYNTAX_ERROR, position, "syntax error at \"" + l + "\"");
  }

  /** Whether a literal here may become a free slot; never in the text of a view. */
  private boolean free() {
    return clause.free() && session.viewDepth == 0;
  }

  private Ex number(SqlNumericLiteral n, int position) {
    BigDecimal v = Objects.requireNonNull(n.bigDecimalValue());
    if ((long) v.precision() - v.scale() > 131_072 || v.scale() > 100_000) {
      throw Problems.error(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, position, "value overflows numeric format");
    }
    SqlType type;
    if (!n.isInteger()) {
      type = SqlType.NUMERIC;
    } else if (v.compareTo(INT4_MIN) >= 0 && v.compareTo(INT4_MAX) <= 0) {
      type = SqlType.INT4;
    } else if (v.compareTo(INT8_MIN) >= 0 && v.compareTo(INT8_MAX) <= 0) {
      type = SqlType.INT8;
    } else {
      type = SqlType.NUMERIC;
    }
    int at = position;
    boolean free = free();
    if (v.signum() < 0 && free) {
      at = digitsAfterMinus(position);
      free = at > 0;
    }
    return new Ex.Num(type, v, free, at > 0 ? at : position);
  }

  /** Where the number begins behind its minus sign; 0 if something else stands between. */
  private int digitsAfterMinus(int position) {
    String text = session.text;
    int i = position;
    while (i > 0 && i < text.length() && Character.isWhitespace(text.charAt(i))) {
      i++;
    }
    if (i < text.length() && (Character.isDigit(text.charAt(i)) || text.charAt(i) == '.')) {
      return i + 1;
    }
    return 0;
  }

  // ---- calls by form ----

  private Ex call(SqlCall c) {
    SqlOperator op = c.getOperator();
    int position = position(c);
    if (op instanceof SqlUnresolvedFunction) {
      return new CallAnalyser(this).call(c);
    }
    if (op instanceof PgOperator pg) {
      return c.operandCount() == 1
          ? prefix(pg.symbol(), analyse(c.operand(0)), position)
          : binaryOf(pg.symbol(), c.operand(0), c.operand(1), position);
    }
    if (op instanceof PgQuantifiedOperator q) {
      return new SubQueryAnalyser(this).quantified(q.symbol(), q.isAll(), c);
    }
    if (op == PgSyntax.SLICE) {
      return slice(c);
    }
    if (op == PgSyntax.COLLATE) {
      return collate(c);
    }
    if (op == PgSyntax.TRY_CAST) {
      return rexes.tryCast(analyse(c.operand(0)), typeOf(c.operand(1)), position);
    }
    if (op == PgSyntax.RANGE) {
      return new CallAnalyser(this).call(c);
    }
    switch (op.getKind()) {
      case AND, OR -> {
        var parts = new ArrayList<RexNode>();
        flatten(op.getKind(), c, parts);
        return boolValue(rexes.bool(op, parts), position);
      }
      case NOT -> {
        SqlNode inner = c.operand(0);
        return boolValue(rexes.not(bool(analyse(inner), "NOT", position(inner))), position);
      }
      case IS_NULL, IS_NOT_NULL -> {
        if (op.getName().endsWith("UNKNOWN")) {
          return truth(op.getName(), c.operand(0), position);
        }
        Ex e = analyse(c.operand(0));
        if (e instanceof Ex.Param) {
          throw Problems.error(
              ErrorCode.INDETERMINATE_DATATYPE,
              e.position(),
              "could not determine data type of parameter $" + ((Ex.Param) e).number());
        }
        return boolValue(rexes.test(op, rexes.rex(e)), position);
      }
      case IS_TRUE, IS_NOT_TRUE, IS_FALSE, IS_NOT_FALSE, IS_UNKNOWN -> {
        return truth(op.getName(), c.operand(0), position);
      }
      case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM -> {
        return compareOf("=", op, c.operand(0), c.operand(1), position);
      }
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL -> {
        return compareOf(op.getName(), op, c.operand(0), c.operand(1), position);
      }
      case BETWEEN -> {
        return between(c);
      }
      case LIKE, SIMILAR -> {
        return like(c);
      }
      case IN, NOT_IN -> {
        return in(c);
      }
      case SOME, ALL -> {
        var q = (SqlQuantifyOperator) op;
        return new SubQueryAnalyser(this)
            .quantified(symbol(q.comparisonKind), op.getKind() == SqlKind.ALL, c);
      }
      case EXISTS -> {
        return new SubQueryAnalyser(this).exists(c);
      }
      case CAST -> {
        return cast(c);
      }
      case ITEM -> {
        return item(c);
      }
      case ARRAY_VALUE_CONSTRUCTOR -> {
        return array(c);
      }
      case ARRAY_QUERY_CONSTRUCTOR -> {
        return new SubQueryAnalyser(this).array(c);
      }
      case ROW -> {
        var fields = new ArrayList<Ex>();
        for (SqlNode n : c.getOperandList()) {
          if (n instanceof SqlIdentifier id && id.isStar()) {
            fields.addAll(starFields(id));
          } else {
            fields.add(analyse(n));
          }
        }
        return new Ex.Row(fields, position);
      }
      case DOT -> {
        return field(c);
      }
      case FILTER, WITHIN_GROUP, OVER, IGNORE_NULLS, RESPECT_NULLS -> {
        return new CallAnalyser(this).call(c);
      }
      case DEFAULT ->
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR, position, "DEFAULT is not allowed in this context");
      case MINUS_PREFIX -> {
        return prefix("-", analyse(c.operand(0)), position);
      }
      case PLUS_PREFIX -> {
        return prefix("+", analyse(c.operand(0)), position);
      }
      default -> {
        if (c instanceof SqlBasicCall && c.operandCount() == 2) {
          return binaryOf(op.getName(), c.operand(0), c.operand(1), position);
        }
        throw Problems.error(
            ErrorCode.SYNTAX_ERROR, position, "syntax error at \"" + op.getName() + "\"");
      }
    }
  }

  private List<Ex> starFields(SqlIdentifier id) {
    int position = position(id);
    List<Field> fields =
        id.names.size() == 1
            ? scope.columns()
            : entry(id.names.subList(0, id.names.size() - 1), position).fields();
    var out = new ArrayList<Ex>();
    for (Field f : fields) {
      out.add(new Ex.Value(f.rex(), f.type(), position));
    }
    return out;
  }

  private static String symbol(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> "=";
      case NOT_EQUALS -> "<>";
      case LESS_THAN -> "<";
      case LESS_THAN_OR_EQUAL -> "<=";
      case GREATER_THAN -> ">";
      default -> ">=";
    };
  }

  static @Nullable SqlOperator comparison(String symbol) {
    return switch (symbol) {
      case "=" -> SqlStdOperatorTable.EQUALS;
      case "<>", "!=" -> SqlStdOperatorTable.NOT_EQUALS;
      case "<" -> SqlStdOperatorTable.LESS_THAN;
      case "<=" -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case ">" -> SqlStdOperatorTable.GREATER_THAN;
      case ">=" -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      default -> null;
    };
  }

  /** Where an expression begins that has its operator at a place. */
  private static int leftmost(Ex left, int position) {
    return left.position() > 0 ? Math.min(left.position(), position) : position;
  }

  /** Where an expression begins in the text. */
  static int start(SqlNode node) {
    int at = position(node);
    if (node instanceof SqlBasicCall c
        && c.operandCount() == 2
        && c.operand(0) != null
        && !(c.getOperator() instanceof SqlUnresolvedFunction)) {
      int left = start(c.operand(0));
      return left > 0 ? Math.min(at, left) : at;
    }
    return at;
  }

  Ex.Value boolValue(RexNode rex, int position) {
    return new Ex.Value(rex, SqlType.BOOL, position);
  }

  private void flatten(SqlKind kind, SqlCall c, List<RexNode> out) {
    for (SqlNode n : c.getOperandList()) {
      if (n.getKind() == kind) {
        flatten(kind, (SqlCall) n, out);
      } else {
        out.add(bool(analyse(n), kind.name(), position(n)));
      }
    }
  }

  /** IS [NOT] TRUE, FALSE, UNKNOWN. */
  private Ex truth(String name, SqlNode operand, int position) {
    RexNode arg = bool(analyse(operand), name, position(operand));
    SqlOperator op =
        switch (name) {
          case "IS TRUE" -> SqlStdOperatorTable.IS_TRUE;
          case "IS NOT TRUE" -> SqlStdOperatorTable.IS_NOT_TRUE;
          case "IS FALSE" -> SqlStdOperatorTable.IS_FALSE;
          case "IS NOT FALSE" -> SqlStdOperatorTable.IS_NOT_FALSE;
          case "IS UNKNOWN" -> SqlStdOperatorTable.IS_NULL;
          default -> SqlStdOperatorTable.IS_NOT_NULL;
        };
    return boolValue(rexes.test(op, arg), position);
  }

  // ---- operators ----

  private Ex prefix(String symbol, Ex arg, int position) {
    OperatorRow def = session.resolver.operator(symbol, null, arg.type(), position);
    RexNode a = rexes.coerce(arg, def.right(), Context.IMPLICIT, position).rex();
    return new Ex.Value(
        rexes.function(def.function(), def.result(), def.volatility(), def.strict(), List.of(a)),
        def.result(),
        position);
  }

  private Ex binaryOf(String symbol, SqlNode left, SqlNode right, int position) {
    SqlOperator comparison = comparison(symbol);
    if (comparison != null) {
      return compareOf(symbol, comparison, left, right, position);
    }
    return binary(symbol, analyse(left), analyse(right), position);
  }

  Ex.Value binary(String symbol, Ex left, Ex right, int position) {
    String name = symbol.equals("!=") ? "<>" : symbol;
    SqlOperator comparison = comparison(name);
    if (comparison != null) {
      return compare(name, comparison, left, right, position);
    }
    OperatorRow def = session.resolver.operator(name, left.type(), right.type(), position);
    return apply(def, left, right, position);
  }

  private Ex.Value apply(OperatorRow def, Ex left, Ex right, int position) {
    SqlType leftType = java.util.Objects.requireNonNull(def.left());
    List<SqlType> declared = List.of(leftType, def.right());
    SqlType result = def.result();
    if (Polymorphism.applies(declared, result)) {
      var p = new Polymorphism(session.typing);
      declared = p.resolve(declared, List.of(left, right), position);
      result = p.actual(result, position);
    }
    RexNode l = rexes.coerce(left, declared.get(0), Context.IMPLICIT, position).rex();
    RexNode r = rexes.coerce(right, declared.get(1), Context.IMPLICIT, position).rex();
    return new Ex.Value(
        rexes.function(def.function(), result, def.volatility(), def.strict(), List.of(l, r)),
        result,
        leftmost(left, position));
  }

  private Ex compareOf(
      String symbol, SqlOperator op, SqlNode leftNode, SqlNode rightNode, int position) {
    if (leftNode.getKind() == SqlKind.ROW && QueryAnalyser.isQuery(rightNode)) {
      return new SubQueryAnalyser(this).rowCompare(symbol, op, leftNode, rightNode, position);
    }
    if (clause == Clause.HAVING && isLiteral(leftNode) != isLiteral(rightNode)) {
      Ex left = isLiteral(leftNode) ? in(clause.freely()).analyse(leftNode) : analyse(leftNode);
      Ex right = isLiteral(rightNode) ? in(clause.freely()).analyse(rightNode) : analyse(rightNode);
      return compare(symbol, op, left, right, position);
    }
    return compare(symbol, op, analyse(leftNode), analyse(rightNode), position);
  }

  private static boolean isLiteral(SqlNode n) {
    return n instanceof SqlLiteral;
  }

  /** A comparison, of rows field by field. */
  Ex.Value compare(String symbol, SqlOperator op, Ex left, Ex right, int position) {
    if (left instanceof Ex.Row l && right instanceof Ex.Row r) {
      return boolValue(
          rows(symbol, op, l.fields(), r.fields(), position), leftmost(left, position));
    }
    return boolValue(compareValues(symbol, op, left, right, position), leftmost(left, position));
  }

  private RexNode rows(String symbol, SqlOperator op, List<Ex> left, List<Ex> right, int position) {
    if (left.size() != right.size()) {
      throw Problems.error(
          ErrorCode.SYNTAX_ERROR, position, "unequal number of entries in row expressions");
    }
    if (left.isEmpty()) {
      throw Problems.unsupported(position, "cannot compare rows of zero length");
    }
    var parts = new ArrayList<RexNode>();
    switch (op.getKind()) {
      case EQUALS, IS_NOT_DISTINCT_FROM -> {
        for (int i = 0; i < left.size(); i++) {
          parts.add(compareValues(symbol, op, left.get(i), right.get(i), position));
        }
        return rexes.and(parts);
      }
      case NOT_EQUALS, IS_DISTINCT_FROM -> {
        for (int i = 0; i < left.size(); i++) {
          parts.add(compareValues(symbol, op, left.get(i), right.get(i), position));
        }
        return rexes.or(parts);
      }
      default -> {
        // a < x OR (a = x AND (b < y OR …))
        boolean less =
            op.getKind() == SqlKind.LESS_THAN || op.getKind() == SqlKind.LESS_THAN_OR_EQUAL;
        String strict = less ? "<" : ">";
        SqlOperator strictOp =
            less ? SqlStdOperatorTable.LESS_THAN : SqlStdOperatorTable.GREATER_THAN;
        int last = left.size() - 1;
        RexNode out = compareValues(symbol, op, left.get(last), right.get(last), position);
        for (int i = last - 1; i >= 0; i--) {
          RexNode smaller = compareValues(strict, strictOp, left.get(i), right.get(i), position);
          RexNode equal =
              compareValues("=", SqlStdOperatorTable.EQUALS, left.get(i), right.get(i), position);
          out = rexes.or(List.of(smaller, rexes.and(List.of(equal, out))));
        }
        return out;
      }
    }
  }

  private RexNode compareValues(String symbol, SqlOperator op, Ex left, Ex right, int position) {
    if (Rexes.isInstant(left, right.type())) {
      return rexes.bool(
          op, rexes.coerce(left, right.type(), Context.IMPLICIT, position).rex(), rexes.rex(right));
    }
    if (Rexes.isInstant(right, left.type())) {
      return rexes.bool(
          op, rexes.rex(left), rexes.coerce(right, left.type(), Context.IMPLICIT, position).rex());
    }
    if (left.type().kind() == TypeKind.RECORD && right.type().kind() == TypeKind.RECORD) {
      return rexes.bool(op, rexes.rex(left), rexes.rex(right));
    }
    OperatorRow def = session.resolver.operator(symbol, left.type(), right.type(), position);
    if (def.comparison() == null) {
      RexNode r = apply(def, left, right, position).rex();
      return switch (op.getKind()) {
        case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM -> distinct(op, left, right, r);
        default -> r;
      };
    }
    List<SqlType> types = compared(def, left, right, position);
    Ex.Value l = side(left, right, types.get(0), position);
    Ex.Value r = side(right, left, types.get(1), position);
    return rexes.bool(op, l.rex(), r.rex());
  }

  /** IS [NOT] DISTINCT FROM by an equality function. */
  private RexNode distinct(SqlOperator op, Ex left, Ex right, RexNode equal) {
    RexNode l = rexes.rex(left);
    RexNode r = rexes.rex(right);
    RexNode bothNull =
        rexes.and(
            List.of(
                rexes.test(SqlStdOperatorTable.IS_NULL, l),
                rexes.test(SqlStdOperatorTable.IS_NULL, r)));
    RexNode same = rexes.or(List.of(bothNull, rexes.test(SqlStdOperatorTable.IS_TRUE, equal)));
    return op.getKind() == SqlKind.IS_NOT_DISTINCT_FROM ? same : rexes.not(same);
  }

  /** The types that the sides of a comparison are brought to. */
  List<SqlType> compared(OperatorRow def, Ex left, Ex right, int position) {
    SqlType as = def.compareAs();
    if (as != null) {
      return List.of(as, as);
    }
    List<SqlType> declared = List.of(java.util.Objects.requireNonNull(def.left()), def.right());
    return Polymorphism.applies(declared, def.result())
        ? new Polymorphism(session.typing).resolve(declared, List.of(left, right), position)
        : declared;
  }

  /** Text kinds stay as they are; a constant takes its partner's type where that is one of them. */
  Ex.Value side(Ex e, Ex partner, SqlType declared, int position) {
    if (e instanceof Ex.Value v && Rexes.isBytes(v.type()) && Rexes.isBytes(declared)) {
      return v;
    }
    if (e instanceof Ex.Unknown && Rexes.isBytes(declared) && Rexes.isBytes(partner.type())) {
      return rexes.coerce(e, partner.type().withTypmod(-1), Context.IMPLICIT, position);
    }
    return rexes.coerce(e, declared, Context.EXPLICIT, position);
  }

  private Ex between(SqlCall c) {
    int position = position(c);
    String name = c.getOperator().getName();
    Ex v = analyse(c.operand(0));
    Ex low = analyse(c.operand(1));
    Ex high = analyse(c.operand(2));
    boolean not = name.contains("NOT");
    RexNode out = range(v, low, high, position);
    if (name.contains("SYMMETRIC") && !name.contains("ASYMMETRIC")) {
      out = rexes.or(List.of(out, range(v, high, low, position)));
    }
    return boolValue(not ? rexes.not(out) : out, position);
  }

  private RexNode range(Ex v, Ex low, Ex high, int position) {
    return rexes.and(
        List.of(
            compare(">=", SqlStdOperatorTable.GREATER_THAN_OR_EQUAL, v, low, position).rex(),
            compare("<=", SqlStdOperatorTable.LESS_THAN_OR_EQUAL, v, high, position).rex()));
  }

  private Ex like(SqlCall c) {
    int position = position(c);
    String name = c.getOperator().getName();
    Ex value = analyse(c.operand(0));
    Ex pattern = analyse(c.operand(1));
    boolean not = name.startsWith("NOT ") || c.getOperator().getName().startsWith("NEGATED");
    boolean similar = name.contains("SIMILAR");
    boolean caseless = name.contains("ILIKE");
    if (similar || c.operandCount() == 3) {
      var args = new ArrayList<Ex>(List.of(pattern));
      if (c.operandCount() == 3) {
        args.add(analyse(c.operand(2)));
      }
      pattern =
          new CallAnalyser(this)
              .plain(similar ? "similar_to_escape" : "like_escape", args, position);
    }
    String symbol = similar ? (not ? "!~" : "~") : (not ? "!~~" : "~~") + (caseless ? "*" : "");
    return binary(symbol, value, pattern, position);
  }

  private Ex in(SqlCall c) {
    boolean not = c.getKind() == SqlKind.NOT_IN;
    if (!(c.operand(1) instanceof SqlNodeList list)) {
      return new SubQueryAnalyser(this).in(c, not);
    }
    int position = position(c);
    Ex value = analyse(c.operand(0));
    var options = new ArrayList<Ex>();
    for (SqlNode n : list) {
      options.add(analyse(n));
    }
    RexNode out = inList(value, options, position);
    return boolValue(not ? rexes.not(out) : out, position);
  }

  private RexNode inList(Ex value, List<Ex> options, int position) {
    SqlType common = value instanceof Ex.Row ? null : commonOrNull(value, options);
    if (common == null || options.size() == 1) {
      return disjunction(value, options, position);
    }
    OperatorRow def = session.resolver.operator("=", value.type(), common, position);
    if (def.comparison() == null || def.compareAs() == null) {
      return disjunction(value, options, position);
    }
    Ex.Value v = side(value, options.get(0), def.compareAs(), position);
    SqlType target = Rexes.isBytes(v.type()) ? v.type().withTypmod(-1) : v.type();
    var constants = new ArrayList<RexNode>();
    var others = new ArrayList<Ex>();
    for (Ex o : options) {
      if (o instanceof Ex.Value ov
          && !(ov.rex() instanceof org.apache.calcite.rex.RexDynamicParam)) {
        others.add(o);
      } else {
        constants.add(rexes.coerce(o, target, Context.IMPLICIT, position).rex());
      }
    }
    for (RexNode r : constants) {
      if (!(r instanceof org.apache.calcite.rex.RexLiteral)
          && !(r instanceof org.apache.calcite.rex.RexDynamicParam)) {
        return disjunction(value, options, position);
      }
    }
    var parts = new ArrayList<RexNode>();
    if (!constants.isEmpty()) {
      constants.add(0, v.rex());
      parts.add(rexes.call(SqlType.BOOL, MillOperators.IN_LIST, constants));
    }
    for (Ex o : others) {
      parts.add(compare("=", SqlStdOperatorTable.EQUALS, v, o, position).rex());
    }
    return rexes.or(parts);
  }

  private RexNode disjunction(Ex value, List<Ex> options, int position) {
    var parts = new ArrayList<RexNode>();
    for (Ex o : options) {
      parts.add(compare("=", SqlStdOperatorTable.EQUALS, value, o, position).rex());
    }
    return rexes.or(parts);
  }

  /** The common type for IN; null if there is none, and then each option is compared by itself. */
  private @Nullable SqlType commonOrNull(Ex value, List<Ex> options) {
    var all = new ArrayList<Ex>();
    all.add(value);
    all.addAll(options);
    SqlType first = null;
    for (Ex e : all) {
      if (e instanceof Ex.Row) {
        return null;
      }
      if (Rexes.isInstant(e, value.type())) {
        return null;
      }
      if (!Typing.isUnknown(e.type())) {
        if (first != null && Typing.category(first) != Typing.category(e.type())) {
          return null;
        }
        first = first == null ? e.type() : first;
      }
    }
    return session.typing.common(all, "IN").withTypmod(-1);
  }

  // ---- CASE, casts, arrays, rows ----

  /** Analyses what may hold no set-returning call, whatever the clause allows. */
  <T> T withoutSets(String where, java.util.function.Supplier<T> parts) {
    Collector c = collector;
    int before = c == null ? 0 : c.sets.size();
    T result = parts.get();
    if (c != null && c.sets.size() > before) {
      throw Problems.unsupported(
              c.sets.get(before).position(), "set-returning functions are not allowed in " + where)
          .withHint(CallAnalyser.LATERAL_HINT);
    }
    return result;
  }

  private Ex caseOf(SqlCase c) {
    return withoutSets("CASE", () -> caseParts(c));
  }

  private Ex caseParts(SqlCase c) {
    int position = position(c);
    Ex operand = c.getValueOperand() == null ? null : analyse(c.getValueOperand());
    var conditions = new ArrayList<RexNode>();
    var results = new ArrayList<Ex>();
    for (int i = 0; i < c.getWhenOperands().size(); i++) {
      SqlNode when = c.getWhenOperands().get(i);
      conditions.add(
          operand == null
              ? bool(analyse(when), "CASE/WHEN", position(when))
              : compare("=", SqlStdOperatorTable.EQUALS, operand, analyse(when), whenAt(when))
                  .rex());
      results.add(analyse(c.getThenOperands().get(i)));
    }
    SqlNode elseNode = c.getElseOperand();
    Ex otherwise = elseNode == null ? new Ex.Unknown(null, false, position) : analyse(elseNode);
    var all = new ArrayList<Ex>();
    all.add(otherwise);
    all.addAll(results);
    SqlType type = session.typing.common(all, "CASE");
    var operands = new ArrayList<RexNode>();
    for (int i = 0; i < conditions.size(); i++) {
      operands.add(conditions.get(i));
      operands.add(common(results.get(i), type, "CASE/WHEN", position));
    }
    operands.add(common(otherwise, type, "CASE/ELSE", position));
    return new Ex.Value(rexes.call(type, SqlStdOperatorTable.CASE, operands), type, position);
  }

  /** Where the WHEN before a condition stands, which errors of the comparison point at. */
  private int whenAt(SqlNode condition) {
    int at = start(condition) - 1;
    String text = session.text;
    int i = Math.min(at, text.length());
    while (i > 0 && Character.isWhitespace(text.charAt(i - 1))) {
      i--;
    }
    return i >= 4 && text.regionMatches(true, i - 4, "when", 0, 4) ? i - 3 : at + 1;
  }

  /** coerce_to_common_type. */
  RexNode common(Ex e, SqlType type, String what, int position) {
    Ex.Value v = rexes.tryCoerce(e, type, Context.IMPLICIT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.CANNOT_COERCE,
          e.position() > 0 ? e.position() : position,
          what
              + " could not convert type "
              + Problems.name(e.type())
              + " to "
              + Problems.name(type));
    }
    return v.rex();
  }

  SqlType typeOf(SqlNode spec) {
    if (spec instanceof SqlDataTypeSpec d && d.getTypeNameSpec() instanceof PgTypeNameSpec pg) {
      return new Names(session.context).typeOf(pg.type());
    }
    throw Problems.error(ErrorCode.SYNTAX_ERROR, position(spec), "syntax error at type");
  }

  private Ex cast(SqlCall c) {
    if (c.operand(1) instanceof SqlDataTypeSpec d
        && d.getTypeNameSpec() instanceof PgTypeNameSpec pg
        && pg.type().arrayDimensions() == 0) {
      UserType user = new Names(session.context).userType(pg.type());
      if (user != null && user.isDomain()) {
        return new Domains(session, queries).cast(castTo(c), user, position(c));
      }
    }
    return castTo(c);
  }

  private Ex castTo(SqlCall c) {
    int position = position(c);
    SqlType target = typeOf(c.operand(1));
    SqlNode operand = c.operand(0);
    if (operand.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR && target.isArray()) {
      return arrayOf((SqlCall) operand, target);
    }
    Ex e = analyse(operand);
    if (target.kind() == TypeKind.INTERVAL && e instanceof Ex.Unknown u) {
      e = withUnit(u, c.operand(1));
    }
    if (e instanceof Ex.Param p && session.parameters.use(p.number(), p.position()) == null) {
      // $1::type types the parameter.
      return rexes.coerce(p, target, Context.EXPLICIT, position);
    }
    if (e instanceof Ex.Value v
        && v.type().kind() == TypeKind.RECORD
        && target.kind() != TypeKind.RECORD
        && Typing.category(target) != 'S') {
      throw Problems.error(
          ErrorCode.CANNOT_COERCE, position, "cannot cast type record to " + Problems.name(target));
    }
    return rexes.coerce(e, target, Context.EXPLICIT, position);
  }

  /** INTERVAL '5' DAY: a bare number is of the last field. */
  private static Ex.Unknown withUnit(Ex.Unknown u, SqlNode spec) {
    if (spec instanceof SqlDataTypeSpec d
        && d.getTypeNameSpec() instanceof PgTypeNameSpec pg
        && pg.type().fields() != null
        && u.text() != null
        && u.text().strip().matches("[+-]?[0-9]+(\\.[0-9]*)?")) {
      String fields = pg.type().fields().strip();
      String last = fields.substring(fields.lastIndexOf(' ') + 1);
      return new Ex.Unknown(u.text().strip() + " " + last, false, u.position());
    }
    return u;
  }

  private Ex array(SqlCall c) {
    int position = position(c);
    if (c.operandCount() == 0) {
      throw Problems.error(
              ErrorCode.INDETERMINATE_DATATYPE, position, "cannot determine type of empty array")
          .withHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].");
    }
    var elements = new ArrayList<Ex>();
    for (SqlNode n : c.getOperandList()) {
      elements.add(analyse(n));
    }
    SqlType element = session.typing.common(elements, "ARRAY");
    SqlType type = element.isArray() ? element : SqlType.arrayOf(element.withTypmod(-1));
    SqlType target = element.isArray() ? element : element.withTypmod(-1);
    var values = new ArrayList<RexNode>();
    for (Ex e : elements) {
      values.add(common(e, target, "ARRAY", position));
    }
    return new Ex.Value(rexes.call(type, MillOperators.ARRAY_OF, values), type, position);
  }

  /** ARRAY[…]::type[]: the cast reaches the elements. */
  private Ex arrayOf(SqlCall c, SqlType target) {
    int position = position(c);
    var values = new ArrayList<RexNode>();
    for (SqlNode n : c.getOperandList()) {
      Ex e =
          n.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
              ? arrayOf((SqlCall) n, target)
              : rexes.coerce(analyse(n), target.elementType(), Context.EXPLICIT, position(n));
      values.add(rexes.rex(e));
    }
    return new Ex.Value(rexes.call(target, MillOperators.ARRAY_OF, values), target, position);
  }

  private Ex item(SqlCall c) {
    int position = position(c);
    var indexes = new ArrayList<SqlNode>();
    SqlNode base = c;
    while (base.getKind() == SqlKind.ITEM) {
      indexes.add(0, ((SqlCall) base).operand(1));
      base = ((SqlCall) base).operand(0);
    }
    Ex.Value array = rexes.value(analyse(base));
    if (array.type().kind() == TypeKind.JSONB) {
      Ex.Value v = array;
      for (SqlNode n : indexes) {
        v = binary("->", v, analyse(n), position);
      }
      return v;
    }
    if (array.type().kind() == TypeKind.NAME && indexes.size() == 1) {
      // A name is a fixed array of characters, counted from 0, as clients of the catalogue know.
      return new Ex.Value(
          rexes.function(
              NAME_SUBSCRIPT,
              SqlType.CHAR,
              'i',
              true,
              List.of(array.rex(), subscript(indexes.get(0)))),
          SqlType.CHAR,
          position);
    }
    SqlType element = elementType(array, position(base));
    var operands = new ArrayList<RexNode>();
    operands.add(array.rex());
    for (SqlNode n : indexes) {
      operands.add(subscript(n));
    }
    return new Ex.Value(rexes.call(element, MillOperators.SUBSCRIPT, operands), element, position);
  }

  private SqlType elementType(Ex.Value array, int position) {
    if (!array.type().isArray()) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "cannot subscript type "
              + Problems.name(array.type())
              + " because it does not support subscripting");
    }
    return array.type().elementType();
  }

  private RexNode subscript(SqlNode n) {
    Ex e = analyse(n);
    Ex.Value v = rexes.tryCoerce(e, SqlType.INT4, Context.ASSIGNMENT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH, position(n), "array subscript must have type integer");
    }
    return v.rex();
  }

  private Ex slice(SqlCall c) {
    int position = position(c);
    Ex.Value array = rexes.value(analyse(c.operand(0)));
    SqlType ignored = elementType(array, position(c.operand(0)));
    SqlNode low = c.operand(1);
    SqlNode high = c.operand(2);
    var operands = new ArrayList<RexNode>();
    operands.add(array.rex());
    if (low != null) {
      operands.add(subscript(low));
    }
    if (high != null) {
      operands.add(subscript(high));
    }
    SqlType type = array.type().kind() == TypeKind.ARRAY ? array.type() : SqlType.arrayOf(ignored);
    return new Ex.Value(
        rexes.call(type, MillOperators.slice(low != null, high != null), operands), type, position);
  }

  private Ex field(SqlCall c) {
    int position = position(c);
    Ex.Value record = rexes.value(analyse(c.operand(0)));
    int base = position(c.operand(0));
    var name = (SqlIdentifier) c.operand(1);
    List<SqlType.Field> fields = record.type().fields();
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name.getSimple())) {
        SqlType t = fields.get(i).type();
        return new Ex.Value(rexes.call(t, MillOperators.field(i), record.rex()), t, position);
      }
    }
    if (record.type().kind() != TypeKind.RECORD) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          base,
          "column notation ."
              + name.getSimple()
              + " applied to type "
              + Problems.name(record.type())
              + ", which is not a composite type");
    }
    if (c.operand(0) instanceof SqlIdentifier table && table.isSimple()) {
      throw Problems.error(
          ErrorCode.UNDEFINED_COLUMN,
          base,
          "column " + table.getSimple() + "." + name.getSimple() + " does not exist");
    }
    throw Problems.error(
        ErrorCode.UNDEFINED_COLUMN,
        base,
        "could not identify column \"" + name.getSimple() + "\" in record data type");
  }

  private Ex collate(SqlCall c) {
    int position = position(c);
    var name = (SqlIdentifier) c.operand(1);
    String last = name.names.get(name.names.size() - 1);
    if (!COLLATIONS.contains(last)
        || (name.names.size() > 1 && !name.names.get(0).equals("pg_catalog"))) {
      throw Problems.error(
          ErrorCode.UNDEFINED_OBJECT,
          position,
          "collation \""
              + String.join(".", name.names)
              + "\" for encoding \"UTF8\" does not exist");
    }
    Ex e = analyse(c.operand(0));
    char category = Typing.category(e.type());
    if (category != 'S' && category != 'X' && !e.type().isArray()) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "collations are not supported by type " + Problems.name(e.type()));
    }
    return e.isUnknown() ? rexes.value(e) : e;
  }

  RexNode function(
      FunctionId id,
      SqlType type,
      char volatility,
      boolean strict,
      boolean set,
      List<RexNode> args) {
    return rexes.call(type, new MillFunction(id, type, volatility, strict, set), args);
  }
}

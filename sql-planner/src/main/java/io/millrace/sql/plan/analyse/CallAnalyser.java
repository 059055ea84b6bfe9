package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.EnumLabels;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.MillAggFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.semantics.FunctionRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Calls by name: functions, aggregates, window functions, and what SQL writes like a function. */
final class CallAnalyser {
  private static final String NESTED = "aggregate function calls";

  static final String LATERAL_HINT =
      "You might be able to move the set-returning function into a LATERAL FROM item.";

  /** Aggregates of (value, time) that are fed in order of time. */
  private static final java.util.Set<String> BY_TIME =
      java.util.Set.of("delta", "increase", "rate");

  private final ExpressionAnalyser expressions;
  private final Session session;
  private final Rexes rexes;
  private final Clause clause;

  CallAnalyser(ExpressionAnalyser expressions) {
    this.expressions = expressions;
    this.session = expressions.session;
    this.rexes = session.rexes;
    this.clause = expressions.clause;
  }

  private static final Set<String> SKETCHED =
      Set.of("approx_percentile_cont", "approx_percentile_cont_with_weight");

  /** A call with what stands around it. */
  private static final class Parts {
    String name = "";
    String shown = "";
    @Nullable SqlNode filter;
    @Nullable SqlNodeList within;
    @Nullable SqlNode over;
    @Nullable SqlCall range;
    boolean distinct;
    boolean star;
    boolean variadic;
    @Nullable SqlNodeList order;
    final List<SqlNode> operands = new ArrayList<>();
    final List<@Nullable String> names = new ArrayList<>();
    int position;
  }

  Ex call(SqlCall node) {
    Parts p = parts(node);
    sketched(p);
    if (p.over == null
        && p.filter == null
        && p.within == null
        && p.range == null
        && !p.distinct
        && !p.star) {
      Ex special = special(p);
      if (special != null) {
        return special;
      }
    }
    boolean aggregate = session.resolver.isAggregate(p.name);
    boolean window = p.over != null;
    // Window functions take no order among their arguments: last_value(x ORDER BY t) is an
    // aggregate.
    boolean ordered = p.within != null || p.order != null;
    if (aggregate && !window && (ordered || !session.resolver.isWindowOnly(p.name))) {
      return aggregate(p);
    }
    if (p.range != null) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          window
              ? "RANGE cannot be combined with OVER"
              : "RANGE specified, but " + p.name + " is not an aggregate function");
    }
    if (window) {
      return window(p);
    }
    if (session.resolver.isWindowOnly(p.name)) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          "window function " + p.name + " requires an OVER clause");
    }
    return scalar(p);
  }

  /**
   * f(p) WITHIN GROUP (ORDER BY x) of the sketches of percentiles is f(x, p): a sketch takes its
   * rows in any order. Going down, p is seen from the other end.
   */
  private static void sketched(Parts p) {
    if (p.within == null || p.within.size() != 1 || !SKETCHED.contains(p.name)) {
      return;
    }
    SqlNode key = p.within.get(0);
    if (Sorting.descending(key) && !p.operands.isEmpty()) {
      int last = p.operands.size() - 1;
      SqlParserPos at = p.operands.get(last).getParserPosition();
      SqlNode one = SqlLiteral.createExactNumeric("1", at);
      p.operands.set(last, SqlStdOperatorTable.MINUS.createCall(at, one, p.operands.get(last)));
    }
    p.operands.add(0, Sorting.expression(key));
    p.names.add(0, null);
    p.within = null;
  }

  private static Parts parts(SqlCall node) {
    SqlCall c = node;
    var p = new Parts();
    while (!(c.getOperator() instanceof SqlUnresolvedFunction)) {
      if (c.getOperator() == PgSyntax.RANGE) {
        p.range = c;
        if (!(c.operand(0) instanceof SqlCall)) {
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(c),
              "RANGE must follow an aggregate function");
        }
        c = c.operand(0);
        continue;
      }
      switch (c.getKind()) {
        case OVER -> p.over = c.operand(1);
        case FILTER -> p.filter = c.operand(1);
        case WITHIN_GROUP -> p.within = c.operand(1);
        case RESPECT_NULLS -> {}
        case IGNORE_NULLS ->
            throw Problems.unsupported(
                ExpressionAnalyser.position(c), "IGNORE NULLS is not supported");
        default ->
            throw Problems.error(
                ErrorCode.SYNTAX_ERROR,
                ExpressionAnalyser.position(c),
                "syntax error at \"" + c.getOperator().getName() + "\"");
      }
      c = c.operand(0);
    }
    p.position = ExpressionAnalyser.position(c);
    var id = Objects.requireNonNull(((SqlUnresolvedFunction) c.getOperator()).getSqlIdentifier());
    p.shown = String.join(".", id.names);
    p.name =
        id.names.size() == 1 || (id.names.size() == 2 && id.names.get(0).equals("pg_catalog"))
            ? id.names.get(id.names.size() - 1)
            : p.shown;
    p.distinct =
        c.getFunctionQuantifier() != null
            && c.getFunctionQuantifier().getValue() == SqlSelectKeyword.DISTINCT;
    operands(p, c);
    return p;
  }

  private static void operands(Parts p, SqlCall c) {
    boolean named = false;
    for (SqlNode n : c.getOperandList()) {
      boolean assigned = n instanceof SqlCall a && a.getKind() == SqlKind.ARGUMENT_ASSIGNMENT;
      if (named && !assigned && !(n instanceof SqlNodeList)) {
        throw Problems.error(
            ErrorCode.SYNTAX_ERROR,
            ExpressionAnalyser.start(n),
            "positional argument cannot follow named argument");
      }
      named |= assigned;
      if (n instanceof SqlNodeList list) {
        p.order = list;
      } else if (n instanceof SqlIdentifier id && id.isStar() && id.names.size() == 1) {
        p.star = true;
      } else if (n instanceof SqlCall a && a.getKind() == SqlKind.ARGUMENT_ASSIGNMENT) {
        String name = ((SqlIdentifier) a.operand(1)).getSimple();
        if (p.names.contains(name)) {
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(a.operand(1)),
              "argument name \"" + name + "\" used more than once");
        }
        p.operands.add(a.operand(0));
        p.names.add(name);
      } else if (n instanceof SqlCall v && v.getOperator() == PgSyntax.VARIADIC) {
        variadic(p, v.operand(0));
      } else {
        p.operands.add(n);
        p.names.add(null);
      }
    }
  }

  /** VARIADIC ARRAY[a, b] is a, b; another array stays one argument. */
  private static void variadic(Parts p, SqlNode array) {
    boolean listed =
        array.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR && ((SqlCall) array).operandCount() > 0;
    List<SqlNode> operands = listed ? ((SqlCall) array).getOperandList() : List.of(array);
    p.variadic = !listed;
    for (SqlNode n : operands) {
      p.operands.add(n);
      p.names.add(null);
    }
  }

  // ---- notations of SQL's own ----

  private @Nullable Ex special(Parts p) {
    switch (p.name) {
      case "coalesce" -> {
        if (p.operands.isEmpty()) {
          return null;
        }
        var args = expressions.withoutSets("COALESCE", () -> analyseAll(p, expressions));
        SqlType type = session.typing.common(args, "COALESCE");
        var values = new ArrayList<RexNode>();
        for (Ex e : args) {
          values.add(expressions.common(e, type, "COALESCE", p.position));
        }
        return new Ex.Value(
            values.size() == 1 ? values.get(0) : rexes.call(type, MillOperators.COALESCE, values),
            type,
            p.position);
      }
      case "greatest", "least" -> {
        return extreme(p);
      }
      case "nullif" -> {
        return p.operands.size() == 2 ? nullIf(p) : null;
      }
      case "grouping" -> {
        return grouping(p);
      }
      case "time_bucket_gapfill", "locf", "interpolate" -> {
        return new GapCalls(expressions, p.name, p.position).call(p.operands, p.names);
      }
      case "enum_first", "enum_last", "enum_range" -> {
        return enumeration(p);
      }
      case "current_date" -> {
        return now(p, SqlType.DATE);
      }
      case "current_timestamp" -> {
        return now(p, SqlType.TIMESTAMPTZ);
      }
      case "localtimestamp" -> {
        return now(p, SqlType.TIMESTAMP);
      }
      case "current_time" -> {
        return now(p, SqlType.TIMETZ);
      }
      case "localtime" -> {
        return now(p, SqlType.TIME);
      }
      case "current_catalog" -> {
        return plain("current_database", List.of(), p.position);
      }
      case "current_role", "user" -> {
        return p.operands.isEmpty() ? plain("current_user", List.of(), p.position) : null;
      }
      case "pg_typeof" -> {
        return p.operands.size() == 1 && p.operands.getFirst() instanceof SqlLiteral literal
            ? literalType(p, literal)
            : null;
      }
      default -> {
        return null;
      }
    }
  }

  /** enum_first, enum_last, enum_range: the type says it, and for a range the two bounds. */
  private @Nullable Ex enumeration(Parts p) {
    List<Ex> args = analyseAll(p, expressions);
    boolean range = p.name.equals("enum_range");
    if (args.isEmpty() || args.size() > (range ? 2 : 1)) {
      return null;
    }
    SqlType type = session.typing.common(args, p.name);
    EnumLabels labels = type.labels();
    if (labels == null) {
      throw args.stream().allMatch(Ex::isUnknown)
          ? Problems.error(
              ErrorCode.DATATYPE_MISMATCH,
              p.position,
              "could not determine polymorphic type because input has type unknown")
          : session.resolver.noFunction(
              p.name, Resolver.Arguments.of(args.stream().map(Ex::type).toList()), p.position);
    }
    List<EnumLabels.Label> all = labels.labels();
    if (!range) {
      EnumLabels.Label l = p.name.equals("enum_first") ? all.getFirst() : all.getLast();
      return label(l, type, p.position);
    }
    var values = new ArrayList<RexNode>();
    all.forEach(l -> values.add(label(l, type, p.position).rex()));
    SqlType array = SqlType.arrayOf(type);
    RexNode whole = rexes.call(array, MillOperators.ARRAY_OF, values);
    if (args.size() == 1) {
      return new Ex.Value(whole, array, p.position);
    }
    return between(p, whole, args, type);
  }

  private Ex.Value label(EnumLabels.Label l, SqlType type, int position) {
    return rexes.coerce(
        new Ex.Unknown(l.text(), false, position), type, Context.EXPLICIT, position);
  }

  /** The part of all labels from one to another; a bound that is NULL is open. */
  private Ex between(Parts p, RexNode whole, List<Ex> bounds, SqlType type) {
    SqlType array = SqlType.arrayOf(type);
    var places = new ArrayList<Ex>();
    for (Ex b : bounds) {
      Ex.Value bound = rexes.coerce(b, type, Context.IMPLICIT, p.position);
      places.add(
          plain(
              "array_position",
              List.of(new Ex.Value(whole, array, p.position), bound),
              p.position));
    }
    var parts = new ArrayList<RexNode>();
    parts.add(whole);
    parts.add(orElse(places.getFirst(), 1));
    parts.add(orElse(places.getLast(), type.labels() == null ? 0 : type.labels().labels().size()));
    return new Ex.Value(
        rexes.call(array, MillOperators.slice(true, true), parts), array, p.position);
  }

  private RexNode orElse(Ex place, int otherwise) {
    return rexes.call(
        SqlType.INT4, MillOperators.COALESCE, rexes.rex(place), rexes.int4(otherwise));
  }

  /** A literal whose type is still open says so; others are as any argument. */
  private @Nullable Ex literalType(Parts p, SqlLiteral literal) {
    return expressions.analyse(literal) instanceof Ex.Unknown
        ? rexes.coerce(
            new Ex.Unknown("unknown", false, p.position),
            SqlType.REGTYPE,
            Context.EXPLICIT,
            p.position)
        : null;
  }

  private Ex now(Parts p, SqlType type) {
    Ex.Value v = plain("now", List.of(), p.position);
    SqlType target = type;
    if (!p.operands.isEmpty() && expressions.analyse(p.operands.get(0)) instanceof Ex.Num digits) {
      target = type.withTypmod(Math.min(6, digits.value().intValue()));
    }
    return rexes.coerce(v, target, Context.EXPLICIT, p.position);
  }

  private Ex extreme(Parts p) {
    List<Ex> args = analyseAll(p, expressions);
    SqlType type = session.typing.common(args, p.name.toUpperCase(java.util.Locale.ROOT));
    var same = new ArrayList<Ex>();
    for (Ex e : args) {
      RexNode rex = expressions.common(e, type, p.name, p.position);
      same.add(new Ex.Value(rex, type, e.position()));
    }
    return plain(p.name, same, p.position);
  }

  private Ex nullIf(Parts p) {
    Ex a = expressions.analyse(p.operands.get(0));
    Ex b = expressions.analyse(p.operands.get(1));
    if (a.isUnknown() && b.isUnknown()) {
      a = rexes.value(a);
    }
    RexNode equal = expressions.compare("=", SqlStdOperatorTable.EQUALS, a, b, p.position).rex();
    Ex.Value v = asCompared(a, b, p.position);
    return new Ex.Value(
        rexes.call(v.type(), SqlStdOperatorTable.CASE, equal, rexes.nullOf(v.type()), v.rex()),
        v.type(),
        p.position);
  }

  /** The first argument of NULLIF, in the type that the equality takes it in. */
  private Ex.Value asCompared(Ex a, Ex b, int position) {
    if (a.isUnknown()) {
      return rexes.coerce(a, b.type(), Context.IMPLICIT, position);
    }
    Ex.Value v = rexes.value(a);
    if (Typing.category(a.type()) != 'N' || Typing.category(b.type()) != 'N') {
      return v;
    }
    SqlType left = session.resolver.operator("=", a.type(), b.type(), position).left();
    return left == null || left.sameKind(a.type())
        ? v
        : rexes.coerce(v, left, Context.IMPLICIT, position);
  }

  private Ex grouping(Parts p) {
    Collector collector = expressions.collector;
    if (!clause.aggregates() || collector == null) {
      throw Problems.error(
          ErrorCode.GROUPING_ERROR,
          p.position,
          "grouping operations are not allowed in " + clause.name());
    }
    if (collector.range != null) {
      throw Problems.error(
          ErrorCode.GROUPING_ERROR,
          p.position,
          "grouping operations are not allowed in a range query");
    }
    var args = new ArrayList<RexNode>();
    for (SqlNode n : p.operands) {
      args.add(rexes.rex(expressions.in(inner(NESTED)).analyse(n)));
    }
    var f = new MillAggFunction(new FunctionId("grouping"), SqlType.INT4, 0, false);
    return new Ex.Value(
        collector.aggregate(
            new Collector.Aggregate(f, SqlType.INT4, args, false, null, List.of(), null),
            rexes.relType(SqlType.INT4)),
        SqlType.INT4,
        p.position);
  }

  // ---- arguments ----

  private static Clause inner(String name) {
    return new Clause(name, false, false, false, false);
  }

  private List<Ex> analyseAll(Parts p, ExpressionAnalyser with) {
    var out = new ArrayList<Ex>();
    for (SqlNode n : p.operands) {
      out.add(with.analyse(n));
    }
    return out;
  }

  private static Resolver.Arguments arguments(Parts p, List<Ex> args) {
    return new Resolver.Arguments(args.stream().map(Ex::type).toList(), p.names, p.variadic);
  }

  /** A resolved call. */
  private record Resolved(FunctionRow def, SqlType type, List<RexNode> args) {}

  /** A call of a known function with plain arguments. */
  Ex.Value plain(String name, List<Ex> args, int position) {
    var arguments = Resolver.Arguments.of(args.stream().map(Ex::type).toList());
    return value(coerced(name, arguments, args, position), position);
  }

  private Ex.Value value(Resolved r, int position) {
    FunctionRow d = r.def();
    return new Ex.Value(
        expressions.function(
            d.id(), r.type(), d.volatility(), d.strict(), d.returnsSet(), r.args()),
        r.type(),
        position);
  }

  private Resolved coerced(String name, Resolver.Arguments arguments, List<Ex> args, int position) {
    Resolver.Match m = session.resolver.function(name, arguments, position);
    return coerced(m, args, position);
  }

  private Resolved coerced(Resolver.Match m, List<Ex> args, int position) {
    FunctionRow def = m.def();
    List<SqlType> declared = m.declared();
    SqlType result = def.result();
    var poly = new Polymorphism(session.typing);
    if (Polymorphism.applies(declared, result) || hasPolymorphicFields(result)) {
      declared = poly.resolve(declared, args, position);
      result = actual(poly, result, position);
    }
    var values = new ArrayList<RexNode>();
    for (int i = 0; i < args.size(); i++) {
      Ex.Value v = rexes.tryCoerce(args.get(i), declared.get(i), Context.IMPLICIT);
      if (v == null) {
        throw Problems.error(
            ErrorCode.CANNOT_COERCE,
            position,
            "cannot cast type "
                + Problems.name(args.get(i).type())
                + " to "
                + Problems.name(declared.get(i)));
      }
      values.add(v.rex());
    }
    if (m.expanded() && def.args().get(def.args().size() - 1).kind() != TypeKind.ANY) {
      int fixed = def.args().size() - 1;
      SqlType array = SqlType.arrayOf(declared.get(fixed).withTypmod(-1));
      var rest = new ArrayList<>(values.subList(fixed, values.size()));
      values.subList(fixed, values.size()).clear();
      values.add(rexes.call(array, MillOperators.ARRAY_OF, rest));
    }
    return new Resolved(def, result, inOrder(m, values));
  }

  private static boolean hasPolymorphicFields(SqlType t) {
    return t.fields().stream().anyMatch(f -> Typing.isPolymorphic(f.type()));
  }

  private static SqlType actual(Polymorphism poly, SqlType result, int position) {
    if (result.fields().isEmpty()) {
      return poly.actual(result, position);
    }
    var out = new ArrayList<SqlType.Field>();
    for (SqlType.Field f : result.fields()) {
      out.add(new SqlType.Field(f.name(), poly.actual(f.type(), position)));
    }
    return SqlType.record(out);
  }

  /** Arguments in their places, those left out by their defaults. */
  private List<RexNode> inOrder(Resolver.Match m, List<RexNode> values) {
    FunctionRow def = m.def();
    if (m.expanded() || (m.defaults() == 0 && straight(m))) {
      return values;
    }
    int required = def.args().size() - def.defaults().size();
    var out = new ArrayList<RexNode>();
    for (int i = 0; i < def.args().size(); i++) {
      int at = m.order().indexOf(i);
      if (at >= 0) {
        out.add(values.get(at));
      } else {
        SqlNode node =
            ((org.apache.calcite.sql.SqlSelect)
                    session
                        .context
                        .parser()
                        .apply("SELECT " + def.defaults().get(i - required))
                        .node())
                .getSelectList()
                .get(0);
        Ex e = expressions.queries.constants(null, Ctes.NONE, Clause.DEFAULT).analyse(node);
        out.add(rexes.coerce(e, def.args().get(i), Context.EXPLICIT, 0).rex());
      }
    }
    return out;
  }

  private static boolean straight(Resolver.Match m) {
    for (int i = 0; i < m.order().size(); i++) {
      if (m.order().get(i) != i) {
        return false;
      }
    }
    return true;
  }

  // ---- plain functions ----

  private Ex scalar(Parts p) {
    var with = expressions;
    List<Ex> args = analyseAll(p, with);
    Resolver.Arguments arguments = arguments(p, args);
    String not =
        p.distinct
            ? "DISTINCT"
            : p.filter != null
                ? "FILTER"
                : p.within != null ? "WITHIN GROUP" : p.order != null ? "ORDER BY" : null;
    SqlType cast = session.resolver.castLike(p.name, arguments);
    if (cast != null && !p.star && not == null) {
      return rexes.coerce(args.get(0), cast, Context.EXPLICIT, p.position);
    }
    if (not != null && session.resolver.isFunction(p.name)) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          not + " specified, but " + p.name + " is not an aggregate function");
    }
    if (p.variadic) {
      Ex joined = joined(p, args);
      if (joined != null) {
        return joined;
      }
    }
    Ex attribute = attribute(p, args);
    if (attribute != null) {
      return attribute;
    }
    Resolved r = coerced(resolvable(p), arguments, args, p.position);
    if (!r.def().returnsSet()) {
      return value(r, p.position);
    }
    Collector collector = expressions.collector;
    if (clause.name().equals(NESTED)) {
      throw Problems.unsupported(
              p.position, "aggregate function calls cannot contain set-returning function calls")
          .withHint(LATERAL_HINT);
    }
    if (!clause.sets() || collector == null) {
      throw Problems.unsupported(
          p.position, "set-returning functions are not allowed in " + clause.name());
    }
    return new Ex.Value(
        collector.set(value(r, p.position).rex(), p.position), r.type(), p.position);
  }

  /**
   * An array as the arguments of a function of any types: text of concat and concat_ws, which take
   * it as array_to_string does; null for functions that take arrays themselves.
   */
  private @Nullable Ex joined(Parts p, List<Ex> args) {
    Ex last = args.get(args.size() - 1);
    if (!session.resolver.takesAny(p.name)) {
      return null;
    }
    if (!last.type().isArray()) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH, last.position(), "VARIADIC argument must be an array");
    }
    if (p.name.equals("concat") && args.size() == 1) {
      Ex none = new Ex.Unknown("", false, p.position);
      return plain("array_to_string", List.of(last, none), p.position);
    }
    if (p.name.equals("concat_ws") && args.size() == 2) {
      return plain("array_to_string", List.of(last, args.get(0)), p.position);
    }
    throw Problems.unsupported(
        last.position(), "VARIADIC arrays are not supported for " + p.name + ", but ARRAY[...] is");
  }

  private static String resolvable(Parts p) {
    return p.name;
  }

  /** f(record) where f is a field of the record. */
  private @Nullable Ex attribute(Parts p, List<Ex> args) {
    if (args.size() != 1
        || args.get(0).type().kind() != TypeKind.RECORD
        || session.resolver.isFunction(p.name)) {
      return null;
    }
    List<SqlType.Field> fields = args.get(0).type().fields();
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(p.name)) {
        SqlType t = fields.get(i).type();
        return new Ex.Value(
            rexes.call(t, MillOperators.field(i), rexes.rex(args.get(0))), t, p.position);
      }
    }
    return null;
  }

  /** A call in FROM: its rex, set-returning or not. */
  Ex.Value table(SqlCall node) {
    Parts p = parts(node);
    Ex special = special(p);
    if (special != null) {
      return rexes.value(special);
    }
    if (session.resolver.isAggregate(p.name)) {
      throw notAllowed(p);
    }
    List<Ex> args = analyseAll(p, expressions);
    Resolver.Arguments arguments = arguments(p, args);
    SqlType cast = session.resolver.castLike(p.name, arguments);
    if (cast != null) {
      return rexes.coerce(args.get(0), cast, Context.EXPLICIT, p.position);
    }
    return value(coerced(p.name, arguments, args, p.position), p.position);
  }

  /** The name of a call, as a FROM item's alias. */
  static String nameOf(SqlCall node) {
    if (node.getOperator() instanceof SqlUnresolvedFunction f) {
      List<String> names = Objects.requireNonNull(f.getSqlIdentifier()).names;
      return names.get(names.size() - 1);
    }
    return node.getOperator().getName().toLowerCase(java.util.Locale.ROOT);
  }

  // ---- aggregates ----

  private MillraceException notAllowed(Parts p) {
    if (clause.name().equals(NESTED)) {
      return Problems.error(
          ErrorCode.GROUPING_ERROR, p.position, "aggregate function calls cannot be nested");
    }
    return Problems.error(
        ErrorCode.GROUPING_ERROR,
        p.position,
        "aggregate functions are not allowed in " + clause.name());
  }

  private Ex aggregate(Parts p) {
    Collector collector = expressions.collector;
    if (!clause.aggregates() || collector == null) {
      throw notAllowed(p);
    }
    if (p.operands.isEmpty() && p.within == null && !p.star && !p.name.equals("mode")) {
      parameterless(p);
    }
    ExpressionAnalyser with = expressions.in(inner(NESTED));
    List<Ex> args = analyseAll(p, with);
    var sorts = new ArrayList<Ex>();
    var keys = new ArrayList<SqlNode>();
    if (p.within != null) {
      for (SqlNode n : p.within) {
        keys.add(n);
        Ex e = with.analyse(Sorting.expression(n));
        sorts.add(e);
      }
    }
    var all = new ArrayList<>(args);
    all.addAll(sorts);
    var names = new ArrayList<@Nullable String>(p.names);
    while (names.size() < all.size()) {
      names.add(null);
    }
    var arguments = new Resolver.Arguments(all.stream().map(Ex::type).toList(), names, p.variadic);
    Resolver.Match m = session.resolver.function(p.name, arguments, 'a', p.position);
    FunctionRow def = m.def();
    boolean ordered = def.aggregateKind() == 'o' || def.aggregateKind() == 'h';
    if (def.aggregateKind() == 'h' && args.size() != sorts.size()) {
      throw session
          .resolver
          .noFunction(p.name, arguments, p.position)
          .withHint(
              "To use the hypothetical-set aggregate "
                  + p.name
                  + ", the number of hypothetical direct arguments (here "
                  + args.size()
                  + ") must match the number of ordering columns (here "
                  + sorts.size()
                  + ").");
    }
    if (ordered && p.within == null) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          "WITHIN GROUP is required for ordered-set aggregate " + p.name);
    }
    if (!ordered && p.within != null) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          p.name + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP");
    }
    Resolved r = coerced(m, all, p.position);
    RexNode filter =
        p.filter == null
            ? null
            : expressions
                .in(Clause.FILTER)
                .bool(
                    expressions.in(Clause.FILTER).analyse(p.filter),
                    "FILTER",
                    ExpressionAnalyser.position(p.filter));
    var order = new ArrayList<Collector.Key>();
    if (p.within != null) {
      int direct = r.args().size() - sorts.size();
      for (int i = 0; i < sorts.size(); i++) {
        order.add(Sorting.key(keys.get(i), r.args().get(direct + i)));
      }
    } else if (p.order != null) {
      for (SqlNode n : p.order) {
        RexNode key = rexes.rex(with.analyse(Sorting.expression(n)));
        if (p.distinct && !r.args().contains(key)) {
          throw Problems.error(
              ErrorCode.INVALID_COLUMN_REFERENCE,
              ExpressionAnalyser.position(n),
              "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list");
        }
        order.add(Sorting.key(n, key));
      }
    } else if (BY_TIME.contains(p.name)) {
      order.add(new Collector.Key(r.args().get(1), false, false));
    }
    int direct = ordered ? r.args().size() - sorts.size() : 0;
    var f = new MillAggFunction(def.id(), r.type(), direct, false);
    Collector.Range range =
        RangeClause.item(collector.range, p.range, r.type(), p.position, expressions);
    SqlType type = range == null ? r.type() : range.type();
    return new Ex.Value(
        collector.aggregate(
            new Collector.Aggregate(f, r.type(), r.args(), p.distinct, filter, order, range),
            rexes.relType(type)),
        type,
        p.position);
  }

  /** f() of an aggregate that is written f(*). */
  private void parameterless(Parts p) {
    if (session.resolver.isParameterless(p.name)) {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          p.name + "(*) must be used to call a parameterless aggregate function");
    }
  }

  // ---- window functions ----

  private Ex window(Parts p) {
    Collector collector = expressions.collector;
    if (!clause.windows() || collector == null) {
      if (clause.name().equals(NESTED)) {
        throw Problems.error(
            ErrorCode.GROUPING_ERROR,
            p.position,
            "aggregate function calls cannot contain window function calls");
      }
      if (clause.name().equals("window function calls")) {
        throw Problems.error(
            ErrorCode.WINDOWING_ERROR, p.position, "window function calls cannot be nested");
      }
      throw Problems.error(
          ErrorCode.WINDOWING_ERROR,
          p.position,
          "window functions are not allowed in " + clause.name());
    }
    if (p.distinct) {
      throw Problems.unsupported(p.position, "DISTINCT is not implemented for window functions");
    }
    if (p.within != null && session.resolver.isAggregate(p.name)) {
      throw Problems.unsupported(
          p.position, "OVER is not supported for ordered-set aggregate " + p.name);
    }
    if (p.within != null || p.order != null) {
      throw Problems.unsupported(
          p.position, "aggregate ORDER BY is not implemented for window functions");
    }
    ExpressionAnalyser with =
        expressions.in(new Clause("window function calls", false, true, false, false));
    List<Ex> args = analyseAll(p, with);
    char kind = session.resolver.isWindowOnly(p.name) ? 'w' : 'a';
    Resolver.Match m = session.resolver.function(p.name, arguments(p, args), kind, p.position);
    FunctionRow def = m.def();
    if (def.kind() == 'f') {
      throw Problems.error(
          ErrorCode.WRONG_OBJECT_TYPE,
          p.position,
          "OVER specified, but " + p.name + " is not a window function nor an aggregate function");
    }
    Resolved r = coerced(m, args, p.position);
    RexNode filter = null;
    if (p.filter != null) {
      if (def.kind() == 'w') {
        throw Problems.unsupported(
            p.position, "FILTER is not implemented for non-aggregate window functions");
      }
      filter = with.bool(with.analyse(p.filter), "FILTER", p.position);
    }
    Windows.Spec spec =
        expressions.windows.spec(
            Objects.requireNonNull(p.over), expressions.in(Clause.WINDOW), p.position);
    var f = new MillAggFunction(def.id(), r.type(), 0, def.kind() == 'w');
    return new Ex.Value(
        collector.window(
            new Collector.Window(
                f, r.type(), r.args(), filter, spec.partition(), spec.order(), spec.frame()),
            rexes.relType(r.type())),
        r.type(),
        p.position);
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.exec.function.RangeSpans;
import io.millrace.sql.parser.ast.PgSyntax.FillMode;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.RangeSelect;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;

/**
 * The ALIGN clause of a range query, and what RANGE and FILL mean behind its aggregates.
 *
 * <p>Intervals, the origin and constants of FILL are expressions without columns, evaluated when
 * the plan is opened; those written as plain text are checked at once, with their place.
 */
final class RangeClause {
  private static final Clause SPAN = clause("RANGE");
  private static final Clause ALIGN = clause("ALIGN");
  private static final Clause TO = clause("ALIGN TO");
  private static final Clause FILL = clause("FILL");

  private final SqlCall node;

  /**
   * @param node a call of PgSyntax.ALIGN
   */
  RangeClause(SqlCall node) {
    this.node = node;
  }

  private static Clause clause(String name) {
    return new Clause(name, false, false, false, false);
  }

  int position() {
    return ExpressionAnalyser.position(node);
  }

  /** The expressions of BY; null for the primary key. */
  @Nullable SqlNodeList by() {
    return node.operand(2);
  }

  /** HAVING where it stands behind ALIGN. */
  @Nullable SqlNode having() {
    return node.operand(4);
  }

  // ---- RANGE and FILL ----

  /**
   * What stands behind an aggregate of the given type; null outside of range queries.
   *
   * @param range a call of PgSyntax.RANGE, if the aggregate has one
   */
  static Collector.@Nullable Range item(
      @Nullable RangeClause clause,
      @Nullable SqlCall range,
      SqlType type,
      int position,
      ExpressionAnalyser expressions) {
    if (range == null) {
      if (clause == null) {
        return null;
      }
      throw Problems.error(
              ErrorCode.GROUPING_ERROR,
              position,
              "aggregate functions of a query with ALIGN must have a RANGE")
          .withHint("Write the length of the window behind the call: max(x) RANGE '10s'.");
    }
    if (clause == null) {
      throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(range),
              "RANGE is only allowed in a query with ALIGN")
          .withHint("Add ALIGN with the distance of the windows behind FROM and WHERE.");
    }
    RexNode span = span(range.operand(1), expressions.in(SPAN));
    SqlNode own = range.operand(2);
    SqlNode fill = own == null ? clause.node.operand(3) : own;
    return filled(span, fill, type, expressions.in(FILL));
  }

  private static Collector.Range filled(
      RexNode span, @Nullable SqlNode fill, SqlType type, ExpressionAnalyser with) {
    if (fill == null) {
      return new Collector.Range(span, Fill.NONE, null, type);
    }
    if (fill instanceof SqlLiteral l && l.getValue() instanceof FillMode mode) {
      return switch (mode) {
        case NULL -> new Collector.Range(span, Fill.NULL, null, type);
        case PREV -> new Collector.Range(span, Fill.PREV, null, type);
        case LINEAR ->
            new Collector.Range(
                span,
                Fill.LINEAR,
                null,
                linear("FILL LINEAR", type, ExpressionAnalyser.position(fill)));
      };
    }
    Ex e = with.analyse(fill);
    Ex.Value v = e instanceof Ex.Value x && x.type().equals(type) ? x : coerced(e, type, with);
    if (v == null) {
      throw Problems.error(
              ErrorCode.DATATYPE_MISMATCH,
              ExpressionAnalyser.position(fill),
              "FILL has a value of type "
                  + Problems.name(e.type())
                  + ", but the item it fills is of type "
                  + Problems.name(type))
          .withHint("Fill with NULL, PREV, LINEAR or a value of the item's type.");
    }
    fixed(v.rex(), fill, "FILL");
    return new Collector.Range(span, Fill.VALUE, v.rex(), type);
  }

  private static Ex.@Nullable Value coerced(Ex e, SqlType type, ExpressionAnalyser with) {
    return with.session.rexes.tryCoerce(e, type, Context.IMPLICIT);
  }

  /** Points on a line are seldom whole numbers. */
  static SqlType linear(String what, SqlType type, int position) {
    return switch (type.kind()) {
      case INT2, INT4, INT8, FLOAT8 -> SqlType.FLOAT8;
      case FLOAT4 -> type;
      case NUMERIC -> SqlType.NUMERIC;
      default ->
          throw Problems.error(
                  ErrorCode.DATATYPE_MISMATCH,
                  position,
                  what + " needs numbers, not values of type " + Problems.name(type))
              .withHint("Only numbers have others between them; the last value can be kept.");
    };
  }

  // ---- intervals ----

  private static RexNode span(SqlNode node, ExpressionAnalyser with) {
    Rexes rexes = with.session.rexes;
    Ex e = with.analyse(node);
    String what = with.clause.name();
    int position = ExpressionAnalyser.position(node);
    if (e instanceof Ex.Unknown u && u.text() != null) {
      check(what, u, rexes);
    }
    Ex.Value v = e.isUnknown() || isInterval(e) ? coerced(e, SqlType.INTERVAL, with) : null;
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "argument of " + what + " must be type interval, not type " + Problems.name(e.type()));
    }
    fixed(v.rex(), node, what);
    return v.rex();
  }

  private static boolean isInterval(Ex e) {
    return e.type().kind() == TypeKind.INTERVAL;
  }

  private static void check(String what, Ex.Unknown u, Rexes rexes) {
    try {
      RangeSpans.micros(
          what, rexes.read(Objects.requireNonNull(u.text()), SqlType.INTERVAL, u.position()));
    } catch (MillraceException e) {
      throw e.position() > 0 ? e : e.at(u.position());
    }
  }

  private static void fixed(RexNode e, SqlNode node, String what) {
    if (!RowRewriter.references(e).isEmpty() || Rels.hasSubQuery(e)) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          ExpressionAnalyser.position(node),
          "argument of " + what + " must not contain columns or subqueries");
    }
  }

  // ---- ALIGN … TO … ----

  /**
   * @param time type of the rows' time
   */
  RangeSelect.Grid grid(SqlType time, ExpressionAnalyser expressions) {
    RexNode align = span(node.operand(0), expressions.in(ALIGN));
    SqlNode to = node.operand(1);
    if (to instanceof SqlIdentifier id && id.isSimple()) {
      return switch (id.getSimple()) {
        case "calendar" -> new RangeSelect.Grid(align, null);
        case "now" -> new RangeSelect.Grid(align, in(time, now(expressions), expressions));
        default ->
            throw Problems.error(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    ExpressionAnalyser.position(to),
                    "ALIGN TO does not know \"" + id.getSimple() + "\"")
                .withHint("Use NOW, CALENDAR, a timestamp or an interval since the epoch.");
      };
    }
    Ex.Value origin = to == null ? epoch(expressions) : origin(to, time, expressions.in(TO));
    return new RangeSelect.Grid(align, in(time, origin, expressions));
  }

  private static Ex.Value now(ExpressionAnalyser with) {
    return new CallAnalyser(with).plain("now", List.of(), 0);
  }

  private static Ex.Value epoch(ExpressionAnalyser with) {
    return with.session.rexes.coerce(
        new Ex.Unknown("1970-01-01 00:00:00+00", false, 0),
        SqlType.TIMESTAMPTZ,
        Context.EXPLICIT,
        0);
  }

  /** An instant: text and intervals are meant so even where the rows' time has no zone. */
  private static Ex.Value origin(SqlNode to, SqlType time, ExpressionAnalyser with) {
    Rexes rexes = with.session.rexes;
    Ex e = with.analyse(to);
    int position = ExpressionAnalyser.position(to);
    Ex.Value v;
    if (isInterval(e)) {
      RexNode at =
          rexes.function(
              new FunctionId("timestamptz_pl_interval(timestamptz,interval)"),
              SqlType.TIMESTAMPTZ,
              's',
              true,
              List.of(epoch(with).rex(), rexes.rex(e)));
      v = new Ex.Value(at, SqlType.TIMESTAMPTZ, position);
    } else if (e instanceof Ex.Num) {
      v = Rexes.isInstant(e, time) ? rexes.tryCoerce(e, time, Context.ASSIGNMENT) : null;
    } else if (e.isUnknown()) {
      v = coerced(e, SqlType.TIMESTAMPTZ, with);
    } else {
      v = e.type().kind().isTimestamp() || e.type().kind() == TypeKind.DATE ? rexes.value(e) : null;
    }
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "argument of ALIGN TO must be a timestamp, not type " + Problems.name(e.type()));
    }
    fixed(v.rex(), to, "ALIGN TO");
    return v;
  }

  private static RexNode in(SqlType time, Ex.Value instant, ExpressionAnalyser with) {
    return with.session.rexes.coerce(instant, time, Context.EXPLICIT, instant.position()).rex();
  }
}

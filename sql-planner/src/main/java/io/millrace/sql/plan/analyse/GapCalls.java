package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import io.millrace.sql.plan.analyse.Typing.Context;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/**
 * Calls of gap filling. time_bucket_gapfill is time_bucket to every row, and besides has the groups
 * filled up; locf and interpolate stand for columns of the filled groups.
 */
final class GapCalls {
  private static final List<String> PARAMETERS = List.of("bucket_width", "ts", "start", "finish");

  private final ExpressionAnalyser expressions;
  private final Rexes rexes;
  private final String name;
  private final int position;

  GapCalls(ExpressionAnalyser expressions, String name, int position) {
    this.expressions = expressions;
    this.rexes = expressions.session.rexes;
    this.name = name;
    this.position = position;
  }

  /**
   * @param names of arguments given by name, else null
   */
  Ex call(List<SqlNode> operands, List<@Nullable String> names) {
    return name.equals("time_bucket_gapfill") ? bucket(operands, names) : fill(operands, names);
  }

  private Collector collector(boolean allowed) {
    Collector c = expressions.collector;
    if (c == null || !allowed) {
      throw Problems.error(
          ErrorCode.GROUPING_ERROR,
          position,
          name + " is not allowed in " + expressions.clause.name());
    }
    if (c.range != null) {
      throw Problems.error(
              ErrorCode.SYNTAX_ERROR, position, name + " is not allowed in a query with ALIGN")
          .withHint("Use FILL PREV or FILL LINEAR behind RANGE.");
    }
    return c;
  }

  // ---- time_bucket_gapfill ----

  private Ex bucket(List<SqlNode> operands, List<@Nullable String> names) {
    Collector collector = collector(expressions.clause.sets() || expressions.clause.aggregates());
    @Nullable Ex[] args = new Ex[PARAMETERS.size()];
    for (int i = 0; i < operands.size(); i++) {
      String given = names.get(i);
      int at = given == null ? i : PARAMETERS.indexOf(given);
      if (at < 0 || at >= args.length || args[at] != null) {
        throw wrong();
      }
      args[at] = expressions.analyse(operands.get(i));
    }
    Ex width = args[0];
    Ex ts = args[1];
    if (width == null || ts == null) {
      throw wrong();
    }
    Ex.Value time = time(ts);
    Ex.Value w = rexes.tryCoerce(width, SqlType.INTERVAL, Context.IMPLICIT);
    if (w == null || !RowRewriter.references(w.rex()).isEmpty()) {
      throw wrong();
    }
    var calls = new CallAnalyser(expressions);
    Ex.Value bucket = calls.plain("time_bucket", List.of(w, time), position);
    Ex.Value origin = calls.plain("time_bucket", List.of(w, some(time.type())), position);
    var gap =
        new Collector.Gap(
            bucket.rex(),
            time.rex(),
            w.rex(),
            origin.rex(),
            bound(args[2], bucket.type()),
            bound(args[3], bucket.type()));
    if (collector.gap != null && !collector.gap.equals(gap)) {
      throw Problems.unsupported(
          position, "multiple different calls of time_bucket_gapfill are not supported");
    }
    collector.gap = gap;
    return bucket;
  }

  private MillraceException wrong() {
    return Problems.error(
            ErrorCode.UNDEFINED_FUNCTION, position, "function " + name + " has other arguments")
        .withHint("They are an interval, a timestamp and, if wanted, start and finish.");
  }

  private Ex.Value time(Ex ts) {
    if (ts.type().kind() == TypeKind.DATE) {
      return rexes.coerce(ts, SqlType.TIMESTAMP, Context.IMPLICIT, position);
    }
    if (!ts.type().kind().isTimestamp()) {
      throw wrong();
    }
    return rexes.value(ts);
  }

  /** Any time: one bucket that has it tells where all are. */
  private Ex.Value some(SqlType type) {
    return rexes.coerce(
        new Ex.Unknown("2000-01-03 00:00:00+00", false, 0), type, Context.EXPLICIT, 0);
  }

  private @Nullable RexNode bound(@Nullable Ex e, SqlType type) {
    if (e == null) {
      return null;
    }
    Ex.Value v = rexes.tryCoerce(e, type, Context.ASSIGNMENT);
    if (v == null) {
      throw wrong();
    }
    if (!RowRewriter.references(v.rex()).isEmpty() || Rels.hasSubQuery(v.rex())) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          position,
          "start and finish of time_bucket_gapfill must not contain columns or subqueries");
    }
    return v.rex();
  }

  // ---- locf and interpolate ----

  private Ex fill(List<SqlNode> operands, List<@Nullable String> names) {
    Collector collector =
        collector(expressions.clause.aggregates() && !expressions.clause.name().equals("HAVING"));
    boolean last = name.equals("locf");
    boolean missing = false;
    var values = new ArrayList<SqlNode>();
    for (int i = 0; i < operands.size(); i++) {
      if (last && "treat_null_as_missing".equals(names.get(i))) {
        missing = truth(operands.get(i));
      } else {
        values.add(operands.get(i));
      }
    }
    if (values.size() != 1) {
      throw Problems.error(
              ErrorCode.UNDEFINED_FUNCTION, position, "function " + name + " takes one value")
          .withHint(last ? "Besides, treat_null_as_missing => true makes it look past NULL." : "");
    }
    Ex.Value v = rexes.value(expressions.analyse(values.get(0)));
    for (int ref : RowRewriter.references(v.rex())) {
      if (ref >= Collector.FILLS) {
        throw Problems.error(
            ErrorCode.GROUPING_ERROR,
            position,
            "argument of " + name + " must not contain window functions or filled values");
      }
    }
    SqlType type = last ? v.type() : RangeClause.linear(name, v.type(), position);
    Fill fill = last ? (missing ? Fill.PREV : Fill.CARRY) : Fill.BETWEEN;
    return new Ex.Value(
        collector.filled(new Collector.Filled(v.rex(), fill, type), rexes.relType(type)),
        type,
        position);
  }

  private boolean truth(SqlNode node) {
    if (node instanceof SqlLiteral l && l.getValue() instanceof Boolean b) {
      return b;
    }
    throw Problems.error(
        ErrorCode.INVALID_PARAMETER_VALUE,
        ExpressionAnalyser.position(node),
        "treat_null_as_missing must be true or false");
  }
}

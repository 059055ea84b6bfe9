package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.MillTypeFactory;
import java.util.List;
import java.util.function.Supplier;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rex.RexBuilder;
import org.jspecify.annotations.Nullable;

/**
 * From parsed statements to relational trees with every name and type known, by PostgreSQL's rules.
 * Stateless but for what the constructor is given; any thread may call.
 *
 * <p>Errors are MillraceExceptions with PostgreSQL's SQLSTATE and text and the position in the
 * statement's text.
 */
public final class Analyser {
  private final Supplier<RelOptCluster> clusters;

  /**
   * @param clusters a new cluster per statement; its type factory is a {@link MillTypeFactory}
   */
  public Analyser(Supplier<RelOptCluster> clusters) {
    this.clusters = clusters;
  }

  /** Clusters of a new planner each. */
  public Analyser() {
    this(() -> RelOptCluster.create(new VolcanoPlanner(), new RexBuilder(new MillTypeFactory())));
  }

  private Session session(String text, AnalyseContext context) {
    RelOptCluster cluster = clusters.get();
    var types = (MillTypeFactory) cluster.getTypeFactory();
    var typing = new Typing(context.semantics());
    var parameters = new Parameters(context.declared());
    var pool = new ConstantPool(types);
    var rexes =
        new Rexes(cluster.getRexBuilder(), types, pool, typing, parameters, context.format());
    return new Session(
        context,
        cluster,
        types,
        rexes,
        pool,
        typing,
        new Resolver(context.semantics(), typing),
        parameters,
        text);
  }

  /** Analyses a query that is a statement by itself or stands in one. */
  public Analysed.Query query(ParsedQuery query, String text, AnalyseContext context) {
    Session s = session(text, context);
    Output out = new QueryAnalyser(s).query(query.node(), null, Ctes.NONE, true);
    return new Analysed.Query(out.rel(), outputs(out), s.facts());
  }

  static List<Analysed.Output> outputs(Output out) {
    return out.columns().stream()
        .map(c -> new Analysed.Output(c.name(), c.type(), c.tableOid(), c.attnum()))
        .toList();
  }

  /** Analyses INSERT, UPDATE or DELETE. */
  public Analysed dml(Statement statement, String text, AnalyseContext context) {
    return new DmlAnalyser(session(text, context)).change(statement);
  }

  /** An expression without columns (arguments of ADMIN, EXECUTE). */
  public Analysed.Expression constant(
      ParsedExpression expression, String text, AnalyseContext context) {
    Session s = session(text, context);
    Ex.Value v =
        s.rexes.value(
            new QueryAnalyser(s)
                .constants(null, Ctes.NONE, Clause.CALL)
                .analyse(expression.node()));
    return new Analysed.Expression(v.rex(), v.type(), s.facts());
  }

  /** A DEFAULT: no columns, converted by assignment. */
  public Analysed.Expression defaultValue(
      ParsedExpression expression, String column, SqlType target, AnalyseContext context) {
    Session s = session(expression.text(), context);
    var with = new QueryAnalyser(s).constants(null, Ctes.NONE, Clause.DEFAULT);
    Ex e = with.analyse(expression.node());
    Ex.Value v = s.rexes.tryCoerce(e, target, Context.ASSIGNMENT);
    if (v == null) {
      throw Problems.error(
              io.millrace.common.error.ErrorCode.DATATYPE_MISMATCH,
              0,
              "column \""
                  + column
                  + "\" is of type "
                  + Problems.name(target)
                  + " but default expression is of type "
                  + Problems.name(e.type()))
          .withHint("You will need to rewrite or cast the expression.");
    }
    return new Analysed.Expression(v.rex(), target, s.facts());
  }

  /** A boolean over a table's visible columns, such as a CHECK or a partition's rule. */
  public Analysed.Expression check(
      ParsedExpression expression, TableInfo table, AnalyseContext context) {
    Session s = session(expression.text(), context);
    return new Analysed.Expression(
        DmlAnalyser.check(s, expression, table), SqlType.BOOL, s.facts());
  }

  /** Constraints in the order in which they are tried. */
  public static List<TableInfo.Constraint> byName(List<TableInfo.Constraint> constraints) {
    return DmlAnalyser.byName(constraints);
  }

  /** What the domains of a table's columns ask for. */
  public List<DomainCheck> domainChecks(TableInfo table, AnalyseContext context) {
    Session s = session("", context);
    return DmlAnalyser.domainChecks(s, table).stream()
        .map(
            c ->
                new DomainCheck(c, new Analysed.Expression(c.condition(), SqlType.BOOL, s.facts())))
        .toList();
  }

  /** A check of a domain, and its condition as an expression by itself. */
  public record DomainCheck(Analysed.Check check, Analysed.Expression condition) {}

  /**
   * An expression over a table's visible columns.
   *
   * @param target converted to it by assignment; null leaves the expression's own type
   */
  public Analysed.Expression generated(
      ParsedExpression expression,
      TableInfo table,
      @Nullable SqlType target,
      AnalyseContext context) {
    Session s = session(expression.text(), context);
    Ex.Value v = DmlAnalyser.generated(s, expression, table, target);
    return new Analysed.Expression(v.rex(), v.type(), s.facts());
  }

  /** The type that a statement names. */
  public static SqlType type(TypeName name, AnalyseContext context) {
    return new Names(context).typeOf(name);
  }
}

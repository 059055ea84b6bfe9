package io.millrace.sql.plan;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PlanTemplate;
import java.util.List;
import java.util.Map;

/**
 * From text to plans. Thread-safe; plans come from the shape-keyed cache where they can. Planning
 * works on the calling thread (never the event loop) and never reads data.
 *
 * <p>All methods throw MillraceException with PostgreSQL's SQLSTATE and, where the text is at
 * fault, the position in characters of the statement's text.
 */
public interface Planner {
  /**
   * What a statement is planned in.
   *
   * @param database name of the session's database (resolved)
   * @param searchPath schemas in order
   * @param settings session settings by lower-case name
   * @param declaredTypes types the client gave for {@code $1}…; null entries are inferred
   */
  record PlanContext(
      CatalogSnapshot catalog,
      String database,
      String user,
      List<String> searchPath,
      Map<String, String> settings,
      List<@org.jspecify.annotations.Nullable SqlType> declaredTypes) {}

  /**
   * A statement ready to run. Its parameters are {@code $1}… in order and then the values of its
   * free literals.
   */
  sealed interface Planned {
    /** Types of {@code $1}…. */
    List<SqlType> parameterTypes();
  }

  /**
   * @param literals vectors for the template's parameters after {@code $n}: of one row, but for the
   *     columns of {@link io.millrace.sql.physical.PhysicalPlan.ParamRows}
   */
  record PlannedQuery(PlanTemplate template, List<SqlType> parameterTypes, List<Vector> literals)
      implements Planned {}

  /**
   * @param literals as for a query; all templates and expressions of the plan share the parameters
   * @param tuples 0, or the number of equal VALUES tuples that {@code $1}, {@code $2}, … fill row
   *     by row: the plan then takes one vector of so many rows per place in the tuple instead of
   *     one vector per parameter
   */
  record PlannedDml(DmlPlan plan, List<SqlType> parameterTypes, List<Vector> literals, int tuples)
      implements Planned {
    public PlannedDml(DmlPlan plan, List<SqlType> parameterTypes, List<Vector> literals) {
      this(plan, parameterTypes, literals, 0);
    }
  }

  /** Everything that is neither query nor data change: its executor knows. */
  record PlannedUtility(Statement statement) implements Planned {
    @Override
    public List<SqlType> parameterTypes() {
      return List.of();
    }
  }

  /** One statement's text and where it starts in the message. */
  record StatementText(String text, int offset) {}

  /** Cuts a message into statements (empty ones dropped); no parsing. */
  List<StatementText> split(String sql);

  /** Plans one statement's text: by the cache, else parse, analyse, plan. */
  Planned plan(String text, PlanContext context);

  /** Plans an already parsed statement (EXPLAIN's, PREPARE's, a cursor's). */
  Planned plan(Statement statement, String text, PlanContext context);

  /** Plans a query inside another statement (CREATE TABLE AS, COPY, views, flows). */
  PlannedQuery planQuery(ParsedQuery query, PlanContext context);

  /** Plans a query given as text. */
  PlannedQuery planQuery(String query, PlanContext context);

  /** A constant expression (ADMIN and EXECUTE arguments), to be evaluated without input. */
  Expr planExpression(ParsedExpression expression, PlanContext context);

  /** The expression converted by assignment to a type, such as a DEFAULT; no column references. */
  Expr planDefault(String expression, SqlType target, PlanContext context);

  /** A boolean over a table's user-visible columns, such as a CHECK. */
  Expr planCheck(String expression, TableInfo table, PlanContext context);

  /** A GENERATED … STORED expression over a table's user-visible columns. */
  Expr planGenerated(String expression, TableInfo table, SqlType target, PlanContext context);

  /** Any expression over a table's user-visible columns, of whatever type. */
  Expr planOver(String expression, TableInfo table, PlanContext context);

  /** Places of the columns that an expression reads, in order. */
  List<Integer> columnsOf(Expr expression);

  /** Whether an expression may give another value each time (random(), nextval()). */
  boolean isVolatile(Expr expression);

  /** CHECK constraints of a table, planned. */
  List<DmlPlan.Check> planChecks(TableInfo table, PlanContext context);

  /** The defaults of a table's user-visible columns, NULL literals where there are none. */
  List<Expr> planDefaults(TableInfo table, PlanContext context);

  /** The type of a name in DDL or a cast; UNDEFINED_OBJECT with the position. */
  SqlType resolveType(TypeName name, PlanContext context);

  /** The plan as EXPLAIN's lines. */
  List<String> explain(PlanTemplate template, boolean verbose);
}

package io.millrace.sql.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.parser.Keyword;
import io.millrace.sql.parser.ParsedStatement;
import io.millrace.sql.parser.SqlLexer;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.analyse.AnalyseContext;
import io.millrace.sql.plan.analyse.Analysed;
import io.millrace.sql.plan.analyse.Analyser;
import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.MillTypeFactory;
import io.millrace.sql.rule.Optimizer;
import io.millrace.sql.rule.TableStatistics;
import io.millrace.sql.semantics.Semantics;
import io.millrace.sql.session.SettingDefinitions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rex.RexBuilder;
import org.jspecify.annotations.Nullable;

/** Parser, analyser, optimiser and cache behind the one door. */
public final class MillPlanner implements Planner {
  /** What planning works with. */
  public record Services(
      StatementParser parser,
      Semantics semantics,
      SystemRelations systemRelations,
      FunctionRegistry functions,
      Clock clock,
      TableStatistics statistics,
      long planCacheBytes) {
    public static final long DEFAULT_PLAN_CACHE_BYTES = 64L << 20;

    /** Without statistics, with a plan cache of the default size. */
    public Services(
        StatementParser parser,
        Semantics semantics,
        SystemRelations systemRelations,
        FunctionRegistry functions,
        Clock clock) {
      this(
          parser,
          semantics,
          systemRelations,
          functions,
          clock,
          TableStatistics.NONE,
          DEFAULT_PLAN_CACHE_BYTES);
    }
  }

  private final Services services;
  private final Analyser analyser;
  private final Optimizer optimizer;
  private final PlanCache cache;

  /** By identity of the settings, which sessions keep until one changes. */
  private final Cache<Map<String, String>, SessionFormat> formats =
      Caffeine.newBuilder().weakKeys().build();

  /** What EXPLAIN shows beside a plan, as long as the plan is used. */
  private final Cache<PlanTemplate, Explainer.Background> backgrounds =
      Caffeine.newBuilder().weakKeys().build();

  public MillPlanner(Services services) {
    this(services, new Optimizer(true, services.statistics()));
  }

  MillPlanner(Services services, Optimizer optimizer) {
    this.services = services;
    this.optimizer = optimizer;
    this.cache = new PlanCache(services.planCacheBytes());
    HepProgram nothing = HepProgram.builder().build();
    Supplier<RelOptCluster> clusters =
        () -> RelOptCluster.create(new HepPlanner(nothing), new RexBuilder(new MillTypeFactory()));
    this.analyser = new Analyser(clusters);
  }

  /** Hits, misses and variants dropped since the start. */
  public CacheStatistics cacheStatistics() {
    return cache.statistics();
  }

  /** Figures of the plan cache. */
  public record CacheStatistics(long hits, long misses, long overflows) {}

  // ---- texts ----

  @Override
  public List<StatementText> split(String sql) {
    byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
    SqlLexer lexer = new SqlLexer();
    lexer.scan(bytes);
    var out = new ArrayList<StatementText>(1);
    int from = 0;
    int depth = 0;
    for (int i = 0; i <= lexer.count(); i++) {
      byte kind = lexer.kind(i);
      if (kind == SqlLexer.LEFT_PAREN) {
        depth++;
      } else if (kind == SqlLexer.RIGHT_PAREN) {
        depth--;
      } else if (kind == SqlLexer.END || (kind == SqlLexer.SEMICOLON && depth <= 0)) {
        if (i > from) {
          int start = lexer.start(from);
          int end = lexer.end(i - 1);
          out.add(
              new StatementText(
                  new String(bytes, start, end - start, StandardCharsets.UTF_8),
                  lexer.position(start) - 1));
        }
        from = i + 1;
        depth = 0;
      }
    }
    return out;
  }

  @Override
  public Planned plan(String text, PlanContext context) {
    SessionFormat format = format(context);
    var names = new Shape.Names(context.database(), context.searchPath(), context.declaredTypes());
    Planned known = cache.byText(text, names, context.catalog(), format);
    if (known != null) {
      return known;
    }
    byte[] sql = text.getBytes(StandardCharsets.UTF_8);
    SqlLexer lexer = new SqlLexer();
    lexer.scan(sql);
    int end = lexer.count();
    while (end > 0 && lexer.kind(end - 1) == SqlLexer.SEMICOLON) {
      end--;
    }
    if (end == 0 || !isCacheable(lexer)) {
      return parsed(text, context).planned();
    }
    var slots = new Slots(lexer, sql, format);
    PlannedDml tuples = tuples(lexer, sql, end, slots, context);
    if (tuples != null) {
      return tuples;
    }
    Shape shape = Shape.of(lexer, sql, 0, end, names);
    PlanCache.Known found = cache.byShape(shape, 0, slots, context.catalog(), format);
    if (found == null) {
      var reads = new CatalogReads(context.catalog());
      Parsed parsed = parsed(text, over(reads, context));
      found = new PlanCache.Known(basis(reads, parsed.planned()), format, parsed.planned());
      Analysed.Facts facts = parsed.facts();
      if (facts != null) {
        cache.keep(shape, lexer, 0, end, parsed.offset(), slots, context.catalog(), facts, found);
        if (!facts.cacheable()) {
          return found.plan();
        }
      }
    }
    if (!(found.plan() instanceof PlannedUtility)) {
      cache.keepText(text, names, found);
    }
    return found.plan();
  }

  /** What a plan stands on: the catalog's answers and, if it joins, how large the tables are. */
  private CatalogReads.Basis basis(CatalogReads reads, Planned planned) {
    PhysicalPlan plan = planned instanceof PlannedQuery q ? q.template().plan() : null;
    return plan == null || !TableSizes.matter(plan)
        ? reads.basis()
        : reads.basis(TableSizes.of(reads.tables(), services.statistics()));
  }

  /** The same surroundings with a catalog that notes what is read. */
  private static PlanContext over(CatalogReads reads, PlanContext context) {
    return new PlanContext(
        reads,
        context.database(),
        context.user(),
        context.searchPath(),
        context.settings(),
        context.declaredTypes());
  }

  /** INSERT of plain tuples; null for anything else. */
  private @Nullable PlannedDml tuples(
      SqlLexer lexer, byte[] sql, int end, Slots slots, PlanContext context) {
    InsertValues.Tuples t = InsertValues.read(lexer, sql, end);
    if (t == null) {
      return null;
    }
    List<@Nullable SqlType> declared = List.of();
    if (t.parameters()) {
      declared = repeated(context.declaredTypes(), t.width());
      if (declared == null) {
        return null;
      }
    }
    String one = InsertValues.representative(lexer, sql, end, t);
    var of =
        new PlanContext(
            context.catalog(),
            context.database(),
            context.user(),
            context.searchPath(),
            context.settings(),
            declared);
    InsertValues.Template template =
        cache.tuples(
            one,
            new Shape.Names(context.database(), context.searchPath(), declared),
            context.catalog(),
            reads -> representative(one, t.width(), over(reads, of)));
    if (template == null) {
      return null;
    }
    return t.parameters()
        ? InsertValues.ofParameters(template, t)
        : InsertValues.ofLiterals(template, t, lexer, slots);
  }

  private InsertValues.@Nullable Template representative(
      String one, int width, PlanContext context) {
    try {
      Parsed parsed = parsed(one, context);
      Analysed.Facts facts = parsed.facts();
      return facts != null
              && facts.cacheable()
              && !facts.readsSession()
              && parsed.planned() instanceof PlannedDml d
          ? InsertValues.template(d, width)
          : null;
    } catch (MillraceException e) {
      // The statement itself will say what is wrong, at the right place.
      return null;
    }
  }

  /** The types of one tuple if all tuples are declared alike; null if not. */
  private static @Nullable List<@Nullable SqlType> repeated(
      List<@Nullable SqlType> declared, int width) {
    var out = new ArrayList<@Nullable SqlType>(width);
    for (int i = 0; i < declared.size(); i++) {
      if (i < width) {
        out.add(declared.get(i));
      } else if (!Objects.equals(declared.get(i), declared.get(i % width))) {
        return null;
      }
    }
    return out;
  }

  /** Only what can be a query or a data change is looked for. */
  private static boolean isCacheable(SqlLexer lexer) {
    if (lexer.kind(0) == SqlLexer.LEFT_PAREN) {
      return true;
    }
    Keyword k = lexer.keyword(0);
    return k != null
        && switch (k) {
          case SELECT, WITH, VALUES, TABLE, INSERT, UPDATE, DELETE, REPLACE, MERGE -> true;
          default -> false;
        };
  }

  /**
   * A text planned without the cache.
   *
   * @param facts null for utilities
   */
  private record Parsed(Planned planned, Analysed.@Nullable Facts facts, int offset) {}

  private Parsed parsed(String text, PlanContext context) {
    List<ParsedStatement> parsed = services.parser().parse(text);
    if (parsed.size() != 1) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR,
          parsed.isEmpty()
              ? "syntax error at end of input"
              : "cannot insert multiple commands into a prepared statement");
    }
    ParsedStatement one = parsed.get(0);
    return shifted(one.offset(), () -> planned(one.statement(), one.text(), context, one.offset()));
  }

  private static <T> T shifted(int offset, Supplier<T> body) {
    if (offset == 0) {
      return body.get();
    }
    try {
      return body.get();
    } catch (MillraceException e) {
      throw e.position() > 0 ? e.at(e.position() + offset) : e;
    }
  }

  @Override
  public Planned plan(Statement statement, String text, PlanContext context) {
    SessionFormat format = format(context);
    var names = new Shape.Names(context.database(), context.searchPath(), context.declaredTypes());
    Planned known = cache.byStatement(statement, names, context.catalog(), format);
    if (known != null) {
      return known;
    }
    var reads = new CatalogReads(context.catalog());
    Parsed parsed = planned(statement, text, over(reads, context), 0);
    Analysed.Facts facts = parsed.facts();
    if (facts != null && facts.cacheable()) {
      cache.keepStatement(
          statement, names, basis(reads, parsed.planned()), format, parsed.planned());
    }
    return parsed.planned();
  }

  private Parsed planned(Statement statement, String text, PlanContext context, int offset) {
    return switch (statement) {
      case Statement.Query q -> {
        Analysed.Query a = analysed(q.query(), text, context);
        yield a.facts().steps().isEmpty()
            ? new Parsed(query(a, context), a.facts(), offset)
            : steps(a, context, offset);
      }
      case Statement.Insert i -> dml(i, text, context, offset);
      case Statement.Update u -> dml(u, text, context, offset);
      case Statement.Delete d -> dml(d, text, context, offset);
      case Statement.Merge m -> dml(m, text, context, offset);
      default -> new Parsed(new PlannedUtility(statement), null, offset);
    };
  }

  @Override
  public PlannedQuery planQuery(ParsedQuery query, PlanContext context) {
    return query(analysed(query, query.text(), context), context);
  }

  @Override
  public PlannedQuery planQuery(String query, PlanContext context) {
    return plan(query, context) instanceof PlannedQuery q
        ? q
        : planQuery(services.parser().parseQuery(query), context);
  }

  private Analysed.Query analysed(ParsedQuery query, String text, PlanContext context) {
    SessionFormat format = format(context);
    return analyser.query(query, text, analyseContext(context, format));
  }

  private PlannedQuery query(Analysed.Query analysed, PlanContext context) {
    if (!analysed.facts().steps().isEmpty()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "a query inside another statement can neither lock rows nor change data")
          .withHint("Run it by itself.");
    }
    SessionFormat format = format(context);
    var planning = new Planning(analysed.facts(), folder(context, format), optimizer);
    PlanTemplate template =
        planning.template(analysed.root(), Planning.columns(analysed.outputs()));
    List<Vector> literals = literals(analysed.facts().pool());
    backgrounds.put(template, new Explainer.Background(planning.scanned(), literals));
    return new PlannedQuery(template, analysed.facts().parameterTypes(), literals);
  }

  private Parsed dml(Statement statement, String text, PlanContext context, int offset) {
    SessionFormat format = format(context);
    return steps(analyser.dml(statement, text, analyseContext(context, format)), context, offset);
  }

  /** Data changes, and queries with steps before them. */
  private Parsed steps(Analysed analysed, PlanContext context, int offset) {
    SessionFormat format = format(context);
    var planning = new Planning(analysed.facts(), folder(context, format), optimizer);
    DmlPlan plan = Objects.requireNonNull(planning.statement(analysed));
    List<Vector> literals = literals(analysed.facts().pool());
    var background = new Explainer.Background(planning.scanned(), literals);
    List<DmlPlan> steps = plan instanceof DmlPlan.Steps s ? s.steps() : List.of(plan);
    steps.forEach(s -> backgrounds.put(s.source(), background));
    return new Parsed(
        new PlannedDml(plan, analysed.facts().parameterTypes(), literals),
        analysed.facts(),
        offset);
  }

  /** The values of the free slots, in order. */
  private static List<Vector> literals(ConstantPool pool) {
    var out = new ArrayList<Vector>();
    for (ConstantPool.Entry e : pool.entries()) {
      if (e instanceof ConstantPool.Slot s) {
        out.add(s.value());
      }
    }
    return List.copyOf(out);
  }

  // ---- expressions ----

  @Override
  public Expr planExpression(ParsedExpression expression, PlanContext context) {
    SessionFormat format = format(context);
    return expr(
        analyser.constant(expression, expression.text(), analyseContext(context, format)),
        context,
        format);
  }

  @Override
  public Expr planDefault(String expression, SqlType target, PlanContext context) {
    return defaultOf(expression, "?column?", target, context);
  }

  private Expr defaultOf(String expression, String column, SqlType target, PlanContext context) {
    SessionFormat format = format(context);
    return expr(
        analyser.defaultValue(
            services.parser().parseExpression(expression),
            column,
            target,
            analyseContext(context, format)),
        context,
        format);
  }

  @Override
  public Expr planCheck(String expression, TableInfo table, PlanContext context) {
    SessionFormat format = format(context);
    return expr(
        analyser.check(
            services.parser().parseExpression(expression), table, analyseContext(context, format)),
        context,
        format);
  }

  @Override
  public Expr planGenerated(
      String expression, TableInfo table, SqlType target, PlanContext context) {
    SessionFormat format = format(context);
    return expr(
        analyser.generated(
            services.parser().parseExpression(expression),
            table,
            target,
            analyseContext(context, format)),
        context,
        format);
  }

  @Override
  public Expr planOver(String expression, TableInfo table, PlanContext context) {
    SessionFormat format = format(context);
    return expr(
        analyser.generated(
            services.parser().parseExpression(expression),
            table,
            null,
            analyseContext(context, format)),
        context,
        format);
  }

  @Override
  public List<Integer> columnsOf(Expr expression) {
    var out = new TreeSet<Integer>();
    columns(expression, out);
    return List.copyOf(out);
  }

  @Override
  public boolean isVolatile(Expr expression) {
    return expression instanceof Expr.Call c && c.volatility() == 'v'
        || Exprs.children(expression).stream().anyMatch(this::isVolatile);
  }

  private static void columns(Expr e, Set<Integer> out) {
    if (e instanceof Expr.Column c) {
      out.add(c.index());
    }
    Exprs.children(e).forEach(c -> columns(c, out));
  }

  /** An expression by itself: what would be free slots are literals. */
  private Expr expr(Analysed.Expression analysed, PlanContext context, SessionFormat format) {
    return new Planning(analysed.facts(), folder(context, format), optimizer).alone(analysed.rex());
  }

  @Override
  public List<DmlPlan.Check> planChecks(TableInfo table, PlanContext context) {
    var out = new ArrayList<DmlPlan.Check>();
    SessionFormat format = format(context);
    for (var d : analyser.domainChecks(table, analyseContext(context, format))) {
      Expr condition = expr(d.condition(), context, format);
      out.add(new DmlPlan.Check(d.check().name(), condition, d.check().domain()));
    }
    for (TableInfo.Constraint c : Analyser.byName(table.constraints())) {
      if (c.kind() == 'c' && c.checkSql().isPresent()) {
        out.add(new DmlPlan.Check(c.name(), planCheck(c.checkSql().get(), table, context), null));
      }
    }
    return List.copyOf(out);
  }

  @Override
  public List<Expr> planDefaults(TableInfo table, PlanContext context) {
    var out = new ArrayList<Expr>();
    for (TableInfo.Column c : table.columns()) {
      Optional<String> sql =
          c.defaultSql()
              .or(() -> context.catalog().type(c.userType()).flatMap(UserType::defaultSql));
      out.add(
          sql.isPresent() && !c.generated().equals("s")
              ? defaultOf(sql.get(), c.name(), c.type(), context)
              : Folder.nullOf(c.type()));
    }
    return List.copyOf(out);
  }

  @Override
  public SqlType resolveType(TypeName name, PlanContext context) {
    SqlType type = Analyser.type(name, analyseContext(context, format(context)));
    String digits = context.settings().get("default_timestamp_precision");
    return digits == null ? type : withDigits(type, Integer.parseInt(digits));
  }

  /** A timestamp type that says no precision, with the one of the session. */
  private static SqlType withDigits(SqlType type, int digits) {
    if (type.typmod() >= 0 || digits == 6) {
      return type;
    }
    return switch (type.kind()) {
      case TIMESTAMP -> digits > 6 ? SqlType.TIMESTAMP_NS : type.withTypmod(digits);
      case TIMESTAMPTZ -> type.withTypmod(Math.min(digits, 6));
      default -> type;
    };
  }

  @Override
  public List<String> explain(PlanTemplate template, boolean verbose) {
    Explainer.Background b = backgrounds.getIfPresent(template);
    return Explainer.explain(
        template, b == null ? Explainer.Background.NONE : b, services.systemRelations(), verbose);
  }

  // ---- contexts ----

  private SessionFormat format(PlanContext context) {
    return formats.get(context.settings(), SettingDefinitions::format);
  }

  private AnalyseContext analyseContext(PlanContext context, SessionFormat format) {
    return new AnalyseContext(
        context.catalog(),
        services.semantics(),
        services.systemRelations(),
        context.database(),
        context.searchPath(),
        format,
        declared(context),
        services.parser()::parseQuery);
  }

  private static List<@Nullable SqlType> declared(PlanContext context) {
    return context.declaredTypes();
  }

  private Folder folder(PlanContext context, SessionFormat format) {
    long now = services.clock().wallMicros();
    return new Folder(
        services.functions(),
        new EvalContext(
            context.catalog(),
            format,
            new SessionInfo(
                context.database(), context.user(), context.searchPath(), 0, context.settings()),
            now,
            now,
            services.clock(),
            new SplittableRandom(0),
            () -> {}));
  }
}

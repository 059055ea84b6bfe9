package io.millrace.sql.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.parser.SqlLexer;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.CatalogReads.Basis;
import io.millrace.sql.plan.Planner.Planned;
import io.millrace.sql.plan.Planner.PlannedDml;
import io.millrace.sql.plan.Planner.PlannedQuery;
import io.millrace.sql.plan.analyse.Analysed;
import io.millrace.sql.plan.rel.ConstantPool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * Plans by shape.
 *
 * Level 0 knows whole texts: the same text in the same surroundings is the same plan with the same
 * values. Level 1 knows shapes (Shape): the tokens with literals reduced to their class. A shape has
 * up to eight variants. In a variant every literal of the text is either pinned, its bytes being
 * part of the match, or free, its value being read into a parameter of the plan. Which is which the
 * analyser decided when it planned the first text.
 *
 * A plan stands on what the catalogue answered while it was made (CatalogReads) and is of use in
 * every version that answers the same; that is asked once a version.
 *
 * Constants that were read in the session's zone pin the zone too. Caffeine's admission window is
 * the probation of shapes that are seen only once; both levels are bounded by weight.
 */
/** Keeps plans; any thread may call. */
final class PlanCache {
  static final int VARIANTS = 8;
  private static final int LONGEST_TEXT = 16 << 10;

  /** A free literal. */
  private record Free(int token, boolean negated, SqlType type) {}

  /** A literal that must be the same, by its place from the first token. */
  private record Pinned(int token, byte[] bytes) {}

  /**
   * @param format the session's, if constants depend on it
   */
  private record Variant(
      Basis basis,
      @Nullable SessionFormat format,
      List<Pinned> pinned,
      List<Free> free,
      Planned plan,
      int weight) {}

  private record Text(String sql, Shape.Names names) {}

  /**
   * Plans for tuples by the statement that stands for them.
   *
   * @param template null if it is known not to be plain
   */
  private record Inserts(Basis basis, InsertValues.@Nullable Template template) {}

  /** A plan and what it stands on. */
  record Known(Basis basis, SessionFormat format, Planned plan) {}

  private record Kept(Shape.Names names, Known known) {}

  private final Cache<Text, Known> texts;
  private final Cache<Shape, List<Variant>> shapes;

  /** By identity: gone with the statement. */
  private final Cache<Statement, Kept> statements = Caffeine.newBuilder().weakKeys().build();

  private final Cache<Text, Inserts> inserts;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder overflows = new LongAdder();

  /**
   * @param bytes what the shapes may take; whole texts and INSERTs get a quarter of it each
   */
  PlanCache(long bytes) {
    texts =
        Caffeine.newBuilder()
            .maximumWeight(bytes / 4)
            .weigher((Text t, Known k) -> 256 + 2 * t.sql().length() + weight(k.plan()))
            .build();
    shapes =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .weigher(
                (Shape s, List<Variant> v) -> {
                  int sum = 128 + s.tokens().length;
                  for (Variant x : v) {
                    sum += x.weight();
                  }
                  return sum;
                })
            .build();
    inserts =
        Caffeine.newBuilder()
            .maximumWeight(bytes / 4)
            .weigher(
                (Text t, Inserts i) ->
                    256
                        + 2 * t.sql().length()
                        + (i.template() == null ? 0 : 2 * weight(i.template().ofParameters())))
            .build();
  }

  MillPlanner.CacheStatistics statistics() {
    return new MillPlanner.CacheStatistics(hits.sum(), misses.sum(), overflows.sum());
  }

  // ---- level 0 ----

  @Nullable Planned byText(
      String sql, Shape.Names names, CatalogSnapshot catalog, SessionFormat format) {
    if (sql.length() > LONGEST_TEXT) {
      return null;
    }
    Known k = texts.getIfPresent(new Text(sql, names));
    if (k == null || !k.format().equals(format) || !k.basis().holds(catalog)) {
      return null;
    }
    hits.increment();
    return k.plan();
  }

  void keepText(String sql, Shape.Names names, Known known) {
    if (sql.length() <= LONGEST_TEXT) {
      texts.put(new Text(sql, names), known);
    }
  }

  // ---- parsed statements ----

  /** The plan of a statement that is kept parsed, such as that of PREPARE. */
  @Nullable Planned byStatement(
      Statement statement, Shape.Names names, CatalogSnapshot catalog, SessionFormat format) {
    Kept k = statements.getIfPresent(statement);
    if (k == null
        || !k.known().format().equals(format)
        || !k.names().equals(names)
        || !k.known().basis().holds(catalog)) {
      return null;
    }
    hits.increment();
    return k.known().plan();
  }

  void keepStatement(
      Statement statement, Shape.Names names, Basis basis, SessionFormat format, Planned plan) {
    statements.put(statement, new Kept(names, new Known(basis, format, plan)));
  }

  // ---- tuples ----

  /** The plan for tuples by the statement that stands for them; made if there is none. */
  InsertValues.@Nullable Template tuples(
      String representative,
      Shape.Names names,
      CatalogSnapshot catalog,
      Function<CatalogReads, InsertValues.@Nullable Template> maker) {
    var key = new Text(representative, names);
    Inserts known = inserts.getIfPresent(key);
    if (known != null && known.basis().holds(catalog)) {
      hits.increment();
      return known.template();
    }
    misses.increment();
    var reads = new CatalogReads(catalog);
    InsertValues.Template made = maker.apply(reads);
    inserts.put(key, new Inserts(reads.basis(), made));
    return made;
  }

  // ---- level 1 ----

  /** The plan of a text by its shape; null if there is none. */
  @Nullable Known byShape(
      Shape shape, int first, Slots slots, CatalogSnapshot catalog, SessionFormat format) {
    List<Variant> variants = shapes.getIfPresent(shape);
    if (variants != null) {
      for (Variant v : variants) {
        if ((v.format() == null || v.format().equals(format))
            && matches(v, first, slots)
            && v.basis().holds(catalog)) {
          List<Vector> values = values(v, first, slots);
          if (values == null) {
            break;
          }
          hits.increment();
          return new Known(v.basis(), format, with(v.plan(), values));
        }
      }
    }
    misses.increment();
    return null;
  }

  private static boolean matches(Variant v, int first, Slots slots) {
    for (Pinned p : v.pinned()) {
      if (!slots.same(first + p.token(), p.bytes())) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable List<Vector> values(Variant v, int first, Slots slots) {
    var out = new ArrayList<Vector>(v.free().size());
    for (Free f : v.free()) {
      Vector value = slots.value(first + f.token(), f.negated(), f.type());
      if (value == null) {
        return null;
      }
      out.add(value);
    }
    return out;
  }

  private static Planned with(Planned plan, List<Vector> values) {
    return switch (plan) {
      case PlannedQuery q -> new PlannedQuery(q.template(), q.parameterTypes(), values);
      case PlannedDml d -> new PlannedDml(d.plan(), d.parameterTypes(), values, d.tuples());
      case Planner.PlannedUtility u -> u;
    };
  }

  /**
   * Keeps a plan under its shape.
   *
   * @param offset characters of the text before the statement's own
   */
  void keep(
      Shape shape,
      SqlLexer lexer,
      int first,
      int end,
      int offset,
      Slots slots,
      CatalogSnapshot catalog,
      Analysed.Facts facts,
      Known known) {
    if (!facts.cacheable()) {
      return;
    }
    var at = new HashMap<Integer, Integer>();
    for (int t = first; t < end; t++) {
      if (Shape.isLiteral(lexer.kind(t))) {
        at.put(lexer.position(lexer.start(t)) - 1 - offset, t - first);
      }
    }
    var free = new ArrayList<Free>();
    var freeTokens = new HashMap<Integer, Free>();
    for (ConstantPool.Entry e : facts.pool().entries()) {
      if (e instanceof ConstantPool.Slot s) {
        Integer token = at.get(s.offset());
        if (token == null) {
          return;
        }
        var f = new Free(token, s.negated(), s.type());
        free.add(f);
        freeTokens.put(token, f);
      }
    }
    var pinned = new ArrayList<Pinned>();
    for (int token : at.values()) {
      if (facts.pinAll() || !freeTokens.containsKey(token)) {
        pinned.add(new Pinned(token, slots.bytes(first + token)));
      }
    }
    var variant =
        new Variant(
            known.basis(),
            facts.readsSession() ? known.format() : null,
            List.copyOf(pinned),
            List.copyOf(free),
            known.plan(),
            weight(known.plan()) + 48 * pinned.size() + 48 * free.size());
    shapes
        .asMap()
        .compute(
            shape,
            (k, old) -> {
              var next = new ArrayList<Variant>();
              next.add(variant);
              if (old != null) {
                for (Variant v : old) {
                  boolean holds = v.basis().holds(catalog);
                  if (holds && next.size() < VARIANTS) {
                    next.add(v);
                  } else if (holds) {
                    overflows.increment();
                  }
                }
              }
              return List.copyOf(next);
            });
  }

  private static int weight(Planned plan) {
    return switch (plan) {
      case PlannedQuery q -> weight(q.template()) + 64 * q.literals().size();
      case PlannedDml d -> weight(d.plan()) + 64 * d.literals().size();
      case Planner.PlannedUtility u -> 1_024;
    };
  }

  private static int weight(DmlPlan plan) {
    return plan instanceof DmlPlan.Steps s
        ? s.steps().stream().mapToInt(PlanCache::weight).sum()
        : 1_024 + weight(plan.source());
  }

  /** A guess: operators and expressions at some hundred bytes each. */
  private static int weight(PlanTemplate t) {
    return 1_024
        + 96 * (t.columns().size() + t.parameterTypes().size() + t.inits().size())
        + PlanSizes.nodes(t.plan()) * 200;
  }
}

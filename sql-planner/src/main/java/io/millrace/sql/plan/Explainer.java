package io.millrace.sql.plan;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.ColumnPredicate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A plan as EXPLAIN shows it: a tree of operators, their conditions below them. */
final class Explainer {
  /**
   * What a plan does not say itself.
   *
   * @param tables those scanned
   * @param literals values of the last parameters in the text that was planned
   */
  record Background(Map<TableId, TableInfo> tables, List<Vector> literals) {
    static final Background NONE = new Background(Map.of(), List.of());
  }

  private final PlanTemplate template;
  private final Background background;
  private final SystemRelations systemRelations;
  private final boolean verbose;
  private final List<String> lines = new ArrayList<>();

  private Explainer(
      PlanTemplate template,
      Background background,
      SystemRelations systemRelations,
      boolean verbose) {
    this.template = template;
    this.background = background;
    this.systemRelations = systemRelations;
    this.verbose = verbose;
  }

  static List<String> explain(
      PlanTemplate template,
      Background background,
      SystemRelations systemRelations,
      boolean verbose) {
    var e = new Explainer(template, background, systemRelations, verbose);
    e.node(template.plan(), 0);
    return List.copyOf(e.lines);
  }

  private void node(PhysicalPlan p, int depth) {
    String lead = depth == 0 ? "" : "  ".repeat(depth * 3 - 2) + "->  ";
    lines.add(lead + title(p));
    String pad = "  ".repeat(depth * 3 + 1);
    for (String d : details(p)) {
      lines.add(pad + d);
    }
    for (PhysicalPlan in : p.inputs()) {
      node(in, depth + 1);
    }
  }

  private static String title(PhysicalPlan p) {
    return switch (p) {
      case PhysicalPlan.TableScan t -> (t.lastRow() ? "LastRowScan " : "Scan ") + t.name();
      case PhysicalPlan.SystemScan s -> "SystemScan " + s.schema() + "." + s.relation();
      case PhysicalPlan.Values v -> "Values (" + v.rows().size() + " rows)";
      case PhysicalPlan.ParamRows v -> "Values";
      case PhysicalPlan.Aggregate a ->
          a.keys().isEmpty() ? "Aggregate" : a.ordered() ? "GroupAggregate" : "HashAggregate";
      case PhysicalPlan.Join j ->
          (j.leftKeys().isEmpty() ? "NestedLoop" : "HashJoin") + kind(j.joinType());
      case PhysicalPlan.Correlate c -> "Correlate" + kind(c.joinType());
      case PhysicalPlan.Limit l -> "Limit";
      case PhysicalPlan.Sort s -> "Sort";
      case PhysicalPlan.DistinctOn d -> "Unique";
      case PhysicalPlan.UnionAll u -> "Append";
      case PhysicalPlan.SetOp s ->
          "SetOp " + (s.intersect() ? "Intersect" : "Except") + (s.all() ? " All" : "");
      case PhysicalPlan.Window w -> "WindowAgg";
      case PhysicalPlan.Recurse r -> "RecursiveUnion" + (r.distinct() ? " Distinct" : "");
      case PhysicalPlan.WorkTable w -> "WorkTableScan " + w.id();
      case PhysicalPlan.Shared s -> "Shared " + s.id();
      case PhysicalPlan.SharedScan s -> "SharedScan " + s.id();
      case PhysicalPlan.Filter f -> "Filter";
      case PhysicalPlan.Project x -> "Project";
      case PhysicalPlan.ProjectSet x -> "ProjectSet";
      case PhysicalPlan.RangeSelect r -> "RangeSelect";
      case PhysicalPlan.GapFill g -> "GapFill";
      case PhysicalPlan.TableFunction x -> "FunctionScan";
      case PhysicalPlan.SingleRow x -> "SingleRow";
    };
  }

  private static String kind(PhysicalPlan.JoinType type) {
    return switch (type) {
      case INNER -> "";
      case LEFT -> " Left";
      case RIGHT -> " Right";
      case FULL -> " Full";
      case SEMI -> " Semi";
      case ANTI -> " Anti";
      case NULL_AWARE_ANTI -> " Anti (null-aware)";
      case LEFT_MARK -> " Mark";
    };
  }

  private List<String> details(PhysicalPlan p) {
    var out = new ArrayList<String>();
    switch (p) {
      case PhysicalPlan.TableScan t -> {
        IntFunction<String> names = names(t);
        out.add(
            "Columns: "
                + t.columnIds().stream().map(names::apply).collect(Collectors.joining(", ")));
        if (!t.conjuncts().isEmpty()) {
          out.add("Conjuncts: " + conjuncts(t.conjuncts(), names));
        }
        regions(t).ifPresent(out::add);
        if (t.order() != PhysicalPlan.ScanOrder.ANY) {
          out.add("Order: " + t.order());
        }
        if (t.limit() != null) {
          out.add("Limit: " + text(t.limit()));
        }
      }
      case PhysicalPlan.SystemScan s -> {
        if (!s.conjuncts().isEmpty()) {
          out.add("Access: " + conjuncts(s.conjuncts(), names(s)));
        }
      }
      case PhysicalPlan.Filter f -> out.add("Filter: " + text(f.condition()));
      case PhysicalPlan.Project x -> out.add("Output: " + list(x.exprs()));
      case PhysicalPlan.ProjectSet x ->
          out.add(
              "Output: "
                  + x.items().stream().map(i -> text(i.expr())).collect(Collectors.joining(", ")));
      case PhysicalPlan.TableFunction x -> out.add("Function Call: " + list(x.calls()));
      case PhysicalPlan.Aggregate a -> {
        if (a.groupingSets().size() == 1) {
          if (!a.keys().isEmpty()) {
            out.add("Group Key: " + places(a.keys()));
          }
        } else {
          for (List<Integer> set : a.groupingSets()) {
            out.add(
                "Group Key: "
                    + (set.isEmpty() ? "()" : places(set.stream().map(a.keys()::get).toList())));
          }
        }
        if (!a.calls().isEmpty()) {
          out.add("Calls: " + a.calls().stream().map(this::call).collect(Collectors.joining(", ")));
        }
      }
      case PhysicalPlan.GapFill g -> {
        if (!g.keys().isEmpty()) {
          out.add("Group Key: " + places(g.keys()));
        }
        out.add("Buckets: " + places(List.of(g.time())) + " by " + text(g.width()));
        if (!g.bounds().isEmpty()) {
          out.add("Bounds: " + bounds(g.bounds()));
        }
      }
      case PhysicalPlan.RangeSelect r -> {
        if (!r.keys().isEmpty()) {
          out.add("Group Key: " + places(r.keys()));
        }
        Expr origin = r.origin();
        out.add(
            "Align: "
                + places(List.of(r.time()))
                + " by "
                + text(r.align())
                + " to "
                + (origin == null ? "calendar" : text(origin)));
        out.add("Items: " + r.items().stream().map(this::item).collect(Collectors.joining(", ")));
      }
      case PhysicalPlan.Join j -> {
        if (!j.leftKeys().isEmpty()) {
          var keys = new ArrayList<String>();
          int left = j.left().types().size();
          for (int i = 0; i < j.leftKeys().size(); i++) {
            keys.add(
                text(j.leftKeys().get(i))
                    + (j.nullSafe().get(i) ? " IS NOT DISTINCT FROM " : " = ")
                    + text(Exprs.shift(j.rightKeys().get(i), left)));
          }
          out.add("Hash Cond: (" + String.join(" AND ", keys) + ")");
        }
        if (j.residual() != null) {
          out.add("Join Filter: " + text(j.residual()));
        }
      }
      case PhysicalPlan.Correlate c -> out.add("Params: " + places(c.correlated()));
      case PhysicalPlan.Sort s -> out.add("Sort Key: " + keys(s.keys()));
      case PhysicalPlan.Limit l -> {
        if (verbose || l.limit() != null) {
          out.add("Rows: " + (l.limit() == null ? "all" : text(l.limit())));
        }
        if (l.offset() != null) {
          out.add("Offset: " + text(l.offset()));
        }
        if (!l.ties().isEmpty()) {
          out.add("Ties: " + places(l.ties()));
        }
      }
      case PhysicalPlan.DistinctOn d -> out.add("Key: " + places(d.keys()));
      case PhysicalPlan.Window w -> {
        if (!w.partitionBy().isEmpty()) {
          out.add("Partition Key: " + places(w.partitionBy()));
        }
        if (!w.orderBy().isEmpty()) {
          out.add("Order Key: " + keys(w.orderBy()));
        }
        out.add(
            "Calls: "
                + w.calls().stream()
                    .map(c -> name(c.function().signature()) + "(" + list(c.args()) + ")")
                    .collect(Collectors.joining(", ")));
      }
      case PhysicalPlan.Values v -> {}
      case PhysicalPlan.ParamRows v -> {}
      case PhysicalPlan.SingleRow v -> {}
      case PhysicalPlan.UnionAll v -> {}
      case PhysicalPlan.SetOp v -> {}
      case PhysicalPlan.Recurse v -> {}
      case PhysicalPlan.WorkTable v -> {}
      case PhysicalPlan.Shared v -> {}
      case PhysicalPlan.SharedScan v -> {}
    }
    return out;
  }

  private String bounds(List<PhysicalPlan.GapBound> bounds) {
    return bounds.stream()
        .map(
            b ->
                switch (b.kind()) {
                      case FROM -> "from ";
                      case BEFORE -> "before ";
                      case UP_TO -> "up to ";
                    }
                    + text(b.value()))
        .collect(Collectors.joining(", "));
  }

  private String item(PhysicalPlan.RangeItem i) {
    Expr value = i.value();
    String fill =
        switch (i.fill()) {
          case NONE -> "";
          case NULL, PREV, LINEAR, CARRY, BETWEEN -> " FILL " + i.fill();
          case VALUE -> value == null ? "" : " FILL " + text(value);
        };
    return call(i.call()) + " RANGE " + text(i.span()) + fill;
  }

  private String call(PhysicalPlan.AggregateCall c) {
    var s = new StringBuilder(name(c.function().signature())).append('(');
    if (c.distinct()) {
      s.append("DISTINCT ");
    }
    s.append(
        c.args().isEmpty() && c.direct().isEmpty()
            ? "*"
            : list(c.direct().isEmpty() ? c.args() : c.direct()));
    if (!c.orderBy().isEmpty()) {
      s.append(" ORDER BY ").append(keys(c.orderBy()));
    }
    s.append(')');
    if (c.filter() != null) {
      s.append(" FILTER (WHERE ").append(text(c.filter())).append(')');
    }
    return s.toString();
  }

  private String keys(List<PhysicalPlan.SortKey> keys) {
    return keys.stream()
        .map(
            k ->
                text(k.expr())
                    + (k.descending() ? " DESC" : "")
                    + (k.nullsFirst() == k.descending()
                        ? ""
                        : k.nullsFirst() ? " NULLS FIRST" : " NULLS LAST"))
        .collect(Collectors.joining(", "));
  }

  private static String places(List<Integer> places) {
    return places.stream().map(i -> "$" + i).collect(Collectors.joining(", ")).replace("$", "@");
  }

  /** How many regions of a partitioned table are read, as far as the values are known. */
  private Optional<String> regions(PhysicalPlan.TableScan t) {
    TableInfo table = background.tables().get(t.table());
    PartitionRule rule = table == null ? null : table.partitions();
    if (rule == null) {
      return Optional.empty();
    }
    var known = new ArrayList<ColumnPredicate>();
    for (PhysicalPlan.ScanConjunct c : t.conjuncts()) {
      if (rule.reads(c.columnId())) {
        predicate(c).ifPresent(known::add);
      }
    }
    return Optional.of(
        "Regions: " + rule.remaining(known).cardinality() + " of " + rule.partitions());
  }

  /** The condition with its values; empty if one is not known before the plan is opened. */
  private Optional<ColumnPredicate> predicate(PhysicalPlan.ScanConjunct c) {
    VectorBuilder values =
        VectorBuilder.of(c.values().isEmpty() ? SqlType.BOOL : c.values().getFirst().type(), 1);
    for (Expr e : c.values()) {
      Vector v = value(e);
      if (v == null) {
        return Optional.empty();
      }
      if (!v.isNull(0)) {
        values.append(v, 0);
      }
    }
    Vector v = values.build();
    return switch (c.kind()) {
      case IS_NULL -> Optional.of(new ColumnPredicate.IsNull(c.columnId()));
      case IS_NOT_NULL -> Optional.of(new ColumnPredicate.IsNotNull(c.columnId()));
      case IN -> Optional.of(new ColumnPredicate.In(c.columnId(), v));
      case EQ, NE, LT, LE, GT, GE ->
          v.length() == 0
              ? Optional.empty()
              : Optional.of(
                  new ColumnPredicate.Compare(
                      c.columnId(), ColumnPredicate.Op.valueOf(c.kind().name()), v));
      case MATCHES, MATCHES_TERM, LIKE_PREFIX -> Optional.empty();
    };
  }

  private @Nullable Vector value(Expr e) {
    return switch (e) {
      case Expr.Literal l -> l.value();
      case Expr.Param p -> {
        int given = template.parameterTypes().size();
        int at = p.index() - (given - background.literals().size());
        int init = p.index() - given;
        if (init >= 0) {
          yield init < template.inits().size() ? value(template.inits().get(init)) : null;
        }
        yield at < 0 ? null : background.literals().get(at);
      }
      default -> null;
    };
  }

  private IntFunction<String> names(PhysicalPlan.TableScan t) {
    TableInfo table = background.tables().get(t.table());
    return id -> {
      ColumnSchema c = table == null ? null : table.storage().byId(id);
      return c == null ? "#" + id : c.name();
    };
  }

  private IntFunction<String> names(PhysicalPlan.SystemScan s) {
    return place ->
        systemRelations
            .find(s.schema(), s.relation())
            .map(r -> r.columns().get(place).name())
            .orElse("#" + place);
  }

  private String conjuncts(List<PhysicalPlan.ScanConjunct> conjuncts, IntFunction<String> names) {
    return conjuncts.stream()
        .map(
            c ->
                names.apply(c.columnId())
                    + switch (c.kind()) {
                      case EQ -> " = " + list(c.values());
                      case NE -> " <> " + list(c.values());
                      case LT -> " < " + list(c.values());
                      case LE -> " <= " + list(c.values());
                      case GT -> " > " + list(c.values());
                      case GE -> " >= " + list(c.values());
                      case IN -> " IN (" + list(c.values()) + ")";
                      case IS_NULL -> " IS NULL";
                      case IS_NOT_NULL -> " IS NOT NULL";
                      case MATCHES -> " matches " + list(c.values());
                      case MATCHES_TERM -> " matches_term " + list(c.values());
                      case LIKE_PREFIX -> " starts as LIKE " + list(c.values());
                    })
        .collect(Collectors.joining(" AND "));
  }

  private String list(List<Expr> exprs) {
    return exprs.stream().map(this::text).collect(Collectors.joining(", "));
  }

  private static String name(String signature) {
    int open = signature.indexOf('(');
    return open < 0 ? signature : signature.substring(0, open);
  }

  private String text(@Nullable Expr e) {
    return switch (e) {
      case null -> "NULL";
      case Expr.Column c -> "@" + c.index();
      case Expr.Literal l -> literal(l.type(), l.value());
      case Expr.Param p -> param(p);
      case Expr.Call c -> callText(c);
      case Expr.And a -> joined(a.args(), " AND ");
      case Expr.Or o -> joined(o.args(), " OR ");
      case Expr.Not n -> "(NOT " + text(n.arg()) + ")";
      case Expr.IsNull n -> "(" + text(n.arg()) + (n.negated() ? " IS NOT NULL)" : " IS NULL)");
      case Expr.Compare c ->
          "("
              + text(c.left())
              + switch (c.op()) {
                case EQ -> " = ";
                case NE -> " <> ";
                case LT -> " < ";
                case LE -> " <= ";
                case GT -> " > ";
                case GE -> " >= ";
                case IS_DISTINCT -> " IS DISTINCT FROM ";
                case IS_NOT_DISTINCT -> " IS NOT DISTINCT FROM ";
              }
              + text(c.right())
              + ")";
      case Expr.In i ->
          "(" + text(i.value()) + (i.negated() ? " NOT IN (" : " IN (") + list(i.options()) + "))";
      case Expr.Case c -> {
        var s = new StringBuilder("CASE");
        for (Expr.When w : c.whens()) {
          s.append(" WHEN ").append(text(w.condition())).append(" THEN ").append(text(w.value()));
        }
        if (c.otherwise() != null) {
          s.append(" ELSE ").append(text(c.otherwise()));
        }
        yield s.append(" END").toString();
      }
      case Expr.Coalesce c -> "COALESCE(" + list(c.args()) + ")";
      case Expr.ArrayOf a -> "ARRAY[" + list(a.elements()) + "]";
      case Expr.RowOf r -> "ROW(" + list(r.fields()) + ")";
      case Expr.FieldOf f -> "(" + text(f.record()) + ").f" + (f.field() + 1);
      case Expr.Subscript s ->
          text(s.array())
              + s.indexes().stream().map(i -> "[" + text(i) + "]").collect(Collectors.joining());
      case Expr.Slice s ->
          text(s.array())
              + "["
              + (s.lower() == null ? "" : text(s.lower()))
              + ":"
              + (s.upper() == null ? "" : text(s.upper()))
              + "]";
      case Expr.Quantified q ->
          "(" + text(q.value()) + (q.all() ? " ALL " : " ANY ") + text(q.array()) + ")";
    };
  }

  private String joined(List<Expr> args, String with) {
    return args.stream().map(this::text).collect(Collectors.joining(with, "(", ")"));
  }

  private String callText(Expr.Call c) {
    String signature = c.function().signature();
    if (signature.startsWith("cast(") && c.args().size() == 1) {
      return "(" + text(c.args().get(0)) + ")::" + c.type().sqlName();
    }
    return name(signature) + "(" + list(c.args()) + ")";
  }

  /** Parameters by number, hoisted expressions in full. */
  private String param(Expr.Param p) {
    int given = template.parameterTypes().size();
    int written = given - background.literals().size();
    if (p.index() < written) {
      return "$" + (p.index() + 1);
    }
    if (p.index() < given) {
      return literal(p.type(), background.literals().get(p.index() - written));
    }
    return p.index() - given < template.inits().size()
        ? text(template.inits().get(p.index() - given))
        : "outer" + (p.index() - given - template.inits().size());
  }

  private static String literal(SqlType type, Vector value) {
    if (value.isNull(0)) {
      return "NULL";
    }
    ByteSink sink = new ByteSink(64);
    TypeCodecs.of(type).writeText(value, 0, sink, SessionFormat.DEFAULT);
    String text = new String(sink.toByteArray(), StandardCharsets.UTF_8);
    return switch (type.kind()) {
      case INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC -> text;
      case BOOL -> text.equals("t") ? "true" : "false";
      default -> "'" + text.replace("'", "''") + "'::" + type.sqlName().toLowerCase(Locale.ROOT);
    };
  }
}

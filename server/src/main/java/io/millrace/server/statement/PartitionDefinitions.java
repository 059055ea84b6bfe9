package io.millrace.server.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.partition.PartitionTerm;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.plan.Planner;
import io.millrace.storage.RegionOptions.KeyMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * A condition is planned like a CHECK, so its faults are those of any expression, and then read: comparisons
 * of a partition column with a constant, AND, OR, IN. The constant becomes a value of the column's own type by
 * way of its text, so one that the column cannot have (1.5 for an integer) is refused and not rounded.
 */
/** Turns PARTITION ON COLUMNS into a rule. */
final class PartitionDefinitions {
  private final StatementServices services;
  private final DmlSupport dml;

  PartitionDefinitions(DmlSupport dml) {
    this.services = dml.services();
    this.dml = dml;
  }

  /** A table's rule by its conditions, in which its columns go by their present names. */
  private final class Reader {
    private final TableInfo table;
    private final List<PartitionRule.Column> columns;
    private final Planner.PlanContext context;
    private final EvalContext evalContext;

    Reader(
        TableInfo table,
        List<PartitionRule.Column> columns,
        SessionContext session,
        Planner.PlanContext context) {
      this.table = table;
      this.columns = columns;
      this.context = context;
      this.evalContext = dml.evalContext(session);
    }

    PartitionTerm term(ParsedExpression e) {
      return ColumnSpecs.placed(
          e, () -> term(services.planner().planCheck(e.text(), table, context)));
    }

    private PartitionTerm term(Expr e) {
      return switch (e) {
        case Expr.And a -> PartitionTerm.and(a.args().stream().map(this::term).toList());
        case Expr.Or o -> PartitionTerm.or(o.args().stream().map(this::term).toList());
        case Expr.Compare c -> compare(c);
        case Expr.In i ->
            in(i.negated(), i.options().stream().map(o -> compare(sign(i), i.value(), o)).toList());
        case Expr.Column c -> PartitionTerm.compare(PartitionTerm.Op.EQ, column(c).id(), "t");
        case Expr.Not n when n.arg() instanceof Expr.Column c ->
            PartitionTerm.compare(PartitionTerm.Op.EQ, column(c).id(), "f");
        default -> throw unsupported();
      };
    }

    private static PartitionTerm.Op sign(Expr.In i) {
      return i.negated() ? PartitionTerm.Op.NE : PartitionTerm.Op.EQ;
    }

    private static PartitionTerm in(boolean negated, List<PartitionTerm> terms) {
      return negated ? PartitionTerm.and(terms) : PartitionTerm.or(terms);
    }

    private PartitionTerm compare(Expr.Compare c) {
      PartitionTerm.Op op =
          switch (c.op()) {
            case EQ -> PartitionTerm.Op.EQ;
            case NE -> PartitionTerm.Op.NE;
            case LT -> PartitionTerm.Op.LT;
            case LE -> PartitionTerm.Op.LE;
            case GT -> PartitionTerm.Op.GT;
            case GE -> PartitionTerm.Op.GE;
            case IS_DISTINCT, IS_NOT_DISTINCT -> throw unsupported();
          };
      return columnOf(c.left()) != null
          ? compare(op, c.left(), c.right())
          : compare(flipped(op), c.right(), c.left());
    }

    private static PartitionTerm.Op flipped(PartitionTerm.Op op) {
      return switch (op) {
        case LT -> PartitionTerm.Op.GT;
        case LE -> PartitionTerm.Op.GE;
        case GT -> PartitionTerm.Op.LT;
        case GE -> PartitionTerm.Op.LE;
        case EQ, NE, AND, OR -> op;
      };
    }

    private PartitionTerm compare(PartitionTerm.Op op, Expr side, Expr value) {
      Expr.Column c = columnOf(side);
      if (c == null || !services.planner().columnsOf(value).isEmpty() || !isImmutable(value)) {
        throw unsupported();
      }
      PartitionRule.Column column = column(c);
      Vector v = services.evaluator().constant(value, List.of(), evalContext);
      if (v.isNull(0)) {
        throw new MillraceException(
                ErrorCode.INVALID_OBJECT_DEFINITION, "a partition cannot be compared with NULL")
            .withHint("NULL is below all values: it belongs where the least value does.");
      }
      return PartitionTerm.compare(op, column.id(), valueOf(column, v));
    }

    private PartitionRule.Column column(Expr.Column c) {
      TableInfo.Column named = table.columns().get(c.index());
      return columns.stream()
          .filter(x -> x.id() == named.id())
          .findFirst()
          .orElseThrow(
              () ->
                  new MillraceException(
                      ErrorCode.INVALID_OBJECT_DEFINITION,
                      "column \""
                          + named.name()
                          + "\" of a partition's condition is not among PARTITION ON COLUMNS"));
    }

    private String valueOf(PartitionRule.Column column, Vector v) {
      if (family(v.type()) != family(column.type())) {
        throw new MillraceException(
            ErrorCode.DATATYPE_MISMATCH,
            "partition column \""
                + table.columnById(column.id()).orElseThrow().name()
                + "\" is of type "
                + column.type().sqlName()
                + ", but is compared with a value of type "
                + v.type().sqlName());
      }
      SqlType type = column.type().withTypmod(-1);
      byte[] bytes = text(v).getBytes(UTF_8);
      VectorBuilder out = VectorBuilder.of(type, 1);
      TypeCodecs.of(type).parseText(bytes, 0, bytes.length, out, SessionFormat.DEFAULT);
      return text(out.build());
    }
  }

  private static String text(Vector v) {
    var out = new ByteSink(32);
    TypeCodecs.of(v.type()).writeText(v, 0, out, SessionFormat.DEFAULT);
    return new String(out.toByteArray(), UTF_8);
  }

  /** Types between which values go by their text. */
  private static TypeKind family(SqlType type) {
    return switch (type.kind()) {
      case INT2, INT4, INT8, NUMERIC, FLOAT4, FLOAT8 -> TypeKind.NUMERIC;
      case TEXT, VARCHAR, UNKNOWN -> TypeKind.TEXT;
      case TIMESTAMP, TIMESTAMP_NS -> TypeKind.TIMESTAMP;
      default -> type.kind();
    };
  }

  private static boolean isPartitionable(SqlType type) {
    return switch (type.kind()) {
      case BOOL,
          INT2,
          INT4,
          INT8,
          FLOAT4,
          FLOAT8,
          NUMERIC,
          TEXT,
          VARCHAR,
          BYTEA,
          UUID,
          DATE,
          TIME,
          TIMESTAMP,
          TIMESTAMP_NS,
          TIMESTAMPTZ ->
          true;
      default -> false;
    };
  }

  /** The column, under casts that comparing it with a value of another type has brought. */
  private static Expr.@Nullable Column columnOf(Expr e) {
    return switch (e) {
      case Expr.Column c -> c;
      case Expr.Call c when c.args().size() == 1 && c.function().signature().startsWith("cast(") ->
          columnOf(c.args().getFirst());
      default -> null;
    };
  }

  private static boolean isImmutable(Expr e) {
    return switch (e) {
      case Expr.Literal _ -> true;
      case Expr.Call c -> c.volatility() == 'i' && c.args().stream().allMatch(x -> isImmutable(x));
      default -> false;
    };
  }

  private static MillraceException unsupported() {
    return new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED, "the condition of a partition is too complex")
        .withHint("Compare partition columns with constants; combine with AND, OR and IN.");
  }

  // ---- the door

  /**
   * The table in the partitions that are asked for; with none, it has one region.
   *
   * @param conditions one for each partition
   */
  TableInfo partitioned(
      TableInfo t,
      List<Name> columnNames,
      List<ParsedExpression> conditions,
      SessionContext session,
      Planner.PlanContext context) {
    var columns = new ArrayList<PartitionRule.Column>();
    for (Name n : columnNames) {
      columns.add(column(t, n, columns));
    }
    requireInKey(t, columns.stream().map(PartitionRule.Column::id).toList());
    if (conditions.isEmpty()) {
      return t;
    }
    var reader = new Reader(t, columns, session, context);
    List<PartitionTerm> terms = conditions.stream().map(reader::term).toList();
    return t.edit()
        .partitions(PartitionRule.of(new PartitionRule.Definition(columns, terms), names(t)))
        .regions(regions(t, terms.size()))
        .build();
  }

  /** A table in the partitions of another, whose columns it has under other ids. */
  static TableInfo like(TableInfo t, TableInfo other) {
    PartitionRule rule = other.partitions();
    if (rule == null) {
      return t;
    }
    IntUnaryOperator ids =
        id -> t.column(other.columnById(id).orElseThrow().name()).orElseThrow().id();
    PartitionRule.Definition d = rule.definition();
    requireInKey(t, d.columns().stream().map(c -> ids.applyAsInt(c.id())).toList());
    return t.edit()
        .partitions(
            PartitionRule.of(
                new PartitionRule.Definition(
                    d.columns().stream()
                        .map(
                            c ->
                                new PartitionRule.Column(
                                    ids.applyAsInt(c.id()), c.type(), c.nullable()))
                        .toList(),
                    d.partitions().stream().map(p -> p.withColumns(ids)).toList()),
                names(t)))
        .regions(regions(t, d.partitions().size()))
        .build();
  }

  private static List<RegionId> regions(TableInfo t, int count) {
    return IntStream.range(0, count).mapToObj(i -> RegionId.of(t.id(), i)).toList();
  }

  /** Other partitions over the same columns. */
  TableInfo repartitioned(TableInfo t, List<PartitionTerm> kept, List<PartitionTerm> made) {
    PartitionRule rule = require(t);
    var all = new ArrayList<>(kept);
    all.addAll(made);
    return t.edit()
        .partitions(
            PartitionRule.of(
                new PartitionRule.Definition(rule.definition().columns(), all), names(t)))
        .build();
  }

  /** Conditions over a partitioned table. */
  List<PartitionTerm> terms(
      TableInfo t,
      List<ParsedExpression> conditions,
      SessionContext session,
      Planner.PlanContext context) {
    var reader = new Reader(t, require(t).definition().columns(), session, context);
    return conditions.stream().map(reader::term).toList();
  }

  static PartitionRule require(TableInfo t) {
    PartitionRule rule = t.partitions();
    if (rule == null) {
      throw new MillraceException(
              ErrorCode.WRONG_OBJECT_TYPE, "table \"" + t.name() + "\" is not partitioned")
          .withHint("PARTITION ON COLUMNS is given when a table is created.");
    }
    return rule;
  }

  /** The rule still holds when a column may be NULL. */
  static void requireNullable(TableInfo t, int columnId) {
    PartitionRule rule = t.partitions();
    if (rule != null && rule.reads(columnId)) {
      var columns =
          rule.definition().columns().stream()
              .map(c -> c.id() == columnId ? new PartitionRule.Column(c.id(), c.type(), true) : c)
              .toList();
      var _ =
          PartitionRule.of(
              new PartitionRule.Definition(columns, rule.definition().partitions()), names(t));
    }
  }

  static IntFunction<String> names(TableInfo t) {
    return id -> Names.quote(t.columnById(id).map(TableInfo.Column::name).orElse("#" + id));
  }

  private static PartitionRule.Column column(
      TableInfo t, Name name, List<PartitionRule.Column> earlier) {
    TableInfo.Column c =
        t.column(name.text())
            .orElseThrow(
                () ->
                    Names.hinted(
                        new MillraceException(
                            ErrorCode.UNDEFINED_COLUMN,
                            "column \"" + name.text() + "\" named in partition key does not exist"),
                        name.text(),
                        t.columns().stream().map(TableInfo.Column::name).toList()));
    if (earlier.stream().anyMatch(x -> x.id() == c.id())) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_COLUMN,
          "column \"" + c.name() + "\" appears more than once in partition key");
    }
    if (c.isComputed()) {
      throw new MillraceException(
              ErrorCode.INVALID_OBJECT_DEFINITION, "cannot use generated column in partition key")
          .withDetail("Column \"" + c.name() + "\" is a generated column.");
    }
    if (!isPartitionable(c.type()) || c.userType() != 0) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "column \""
              + c.name()
              + "\" of type "
              + c.declaredType()
              + " cannot be a partition column");
    }
    return new PartitionRule.Column(c.id(), c.type(), c.nullable());
  }

  /**
   * Rows of one key must meet in one region, so partition columns are part of the key where there
   * is one: of the PRIMARY KEY, or the TIME INDEX. Rows of append_mode tables have no key.
   */
  static void requireInKey(TableInfo t, List<Integer> partitionColumns) {
    if (t.regionOptions().keyMode() == KeyMode.ROW_ID || t.appendMode()) {
      return;
    }
    boolean timed = t.timeIndex().isPresent();
    var key = new HashSet<>(t.storage().tagIds());
    if (timed) {
      key.add(t.storage().timeIndexId());
    }
    for (int id : partitionColumns) {
      if (!key.contains(id)) {
        throw notInKey(t, t.columnById(id).orElseThrow().name(), timed);
      }
    }
  }

  private static MillraceException notInKey(TableInfo t, String column, boolean timed) {
    String what = t.storage().tagIds().isEmpty() ? "TIME INDEX of" : "PRIMARY KEY constraint on";
    return new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "unique constraint on partitioned table must include all partitioning columns")
        .withDetail(
            what
                + " table \""
                + t.name()
                + "\" lacks column \""
                + column
                + "\" which is part of the partition key.")
        .withHint(
            timed
                ? "Add the column to the PRIMARY KEY, or create the table with append_mode ="
                    + " 'true', whose rows have no key."
                : "Add the column to the PRIMARY KEY.");
  }
}

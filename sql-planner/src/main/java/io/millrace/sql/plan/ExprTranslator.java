package io.millrace.sql.plan;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.MillFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTypeFactory;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.jspecify.annotations.Nullable;

/**
 * From Rex to Expr, folding constants on the way. Params are numbered: {@code $1}…, the free slots,
 * and, from {@link #CORRELATED} on until the plan is finished, fields of outer rows.
 */
final class ExprTranslator {
  /** First number of a Param that a Correlate sets. */
  static final int CORRELATED = 1 << 24;

  private record OuterField(CorrelationId id, int field) {}

  private final ConstantPool pool;
  private final int parameters;
  private final Folder folder;
  private final Map<OuterField, Integer> outer = new HashMap<>();
  private int correlated;

  /**
   * @param parameters number of {@code $n}
   */
  ExprTranslator(ConstantPool pool, int parameters, Folder folder) {
    this.pool = pool;
    this.parameters = parameters;
    this.folder = folder;
  }

  /** Numbers the fields of an outer row, one after the other; the first number. */
  int bind(CorrelationId id, List<Integer> fields) {
    int first = CORRELATED + correlated;
    correlated += fields.size();
    for (int i = 0; i < fields.size(); i++) {
      outer.put(new OuterField(id, fields.get(i)), first + i);
    }
    return first;
  }

  /**
   * @param places where the input's columns are in the plan's row
   */
  Expr translate(RexNode node, int[] places) {
    return switch (node) {
      case RexInputRef r -> column(r, places);
      case RexLiteral l -> literal(l);
      case RexDynamicParam p -> parameter(p);
      case RexFieldAccess a -> outerField(a);
      case RexCall c -> folder.fold(call(c, places));
      default -> throw new IllegalStateException("expression " + node);
    };
  }

  List<Expr> translate(List<RexNode> nodes, int[] places) {
    var out = new ArrayList<Expr>(nodes.size());
    for (RexNode n : nodes) {
      out.add(translate(n, places));
    }
    return out;
  }

  static SqlType type(RexNode node) {
    return MillTypeFactory.sqlType(node.getType());
  }

  private static Expr column(RexInputRef r, int[] places) {
    int at = places[r.getIndex()];
    if (at < 0) {
      throw new IllegalStateException("column " + r + " was dropped");
    }
    return new Expr.Column(at, type(r));
  }

  private static Expr literal(RexLiteral l) {
    SqlType type = type(l);
    if (l.isNull()) {
      return Folder.nullOf(type);
    }
    VectorBuilder b = VectorBuilder.of(type, 1);
    switch (b) {
      case VectorBuilder.Bools x -> x.append(RexLiteral.booleanValue(l));
      case VectorBuilder.Ints x -> x.append(number(l).intValueExact());
      case VectorBuilder.Longs x -> x.append(number(l).longValueExact());
      case VectorBuilder.Doubles x -> x.append(number(l).doubleValue());
      case VectorBuilder.Floats x -> x.append(number(l).floatValue());
      case VectorBuilder.Bytes x ->
          x.append(
              Objects.requireNonNull(l.getValueAs(String.class)).getBytes(StandardCharsets.UTF_8));
      default -> throw new IllegalStateException("literal " + l + " of type " + type);
    }
    return new Expr.Literal(type, b.build());
  }

  private static BigDecimal number(RexLiteral l) {
    return Objects.requireNonNull(l.getValueAs(BigDecimal.class));
  }

  private Expr parameter(RexDynamicParam p) {
    return switch (pool.entry(p)) {
      case ConstantPool.Parameter x -> new Expr.Param(x.number() - 1, x.type());
      case ConstantPool.Slot x -> new Expr.Param(parameters + x.slot(), x.type());
      case ConstantPool.Constant x -> new Expr.Literal(x.type(), x.value());
    };
  }

  private Expr outerField(RexFieldAccess a) {
    if (a.getReferenceExpr() instanceof RexCorrelVariable v) {
      Integer at = outer.get(new OuterField(v.id, a.getField().getIndex()));
      if (at == null) {
        throw new IllegalStateException("outer column " + a + " is not bound");
      }
      return new Expr.Param(at, type(a));
    }
    throw new IllegalStateException("field access " + a);
  }

  private Expr call(RexCall c, int[] places) {
    SqlOperator op = c.getOperator();
    if (op instanceof MillFunction f) {
      return new Expr.Call(f.id(), type(c), args(c, places), f.strict(), f.volatility());
    }
    if (op instanceof MillOperators.Special) {
      return special(c, op, places);
    }
    return switch (c.getKind()) {
      case AND -> new Expr.And(args(c, places));
      case OR -> or(args(c, places));
      case NOT -> new Expr.Not(arg(c, 0, places));
      case IS_NULL -> new Expr.IsNull(arg(c, 0, places), false);
      case IS_NOT_NULL -> new Expr.IsNull(arg(c, 0, places), true);
      case IS_UNKNOWN -> new Expr.IsNull(arg(c, 0, places), false);
      case IS_TRUE -> is(Expr.Op.IS_NOT_DISTINCT, c, true, places);
      case IS_FALSE -> is(Expr.Op.IS_NOT_DISTINCT, c, false, places);
      case IS_NOT_TRUE -> is(Expr.Op.IS_DISTINCT, c, true, places);
      case IS_NOT_FALSE -> is(Expr.Op.IS_DISTINCT, c, false, places);
      case CASE -> cases(c, places);
      case CAST -> arg(c, 0, places);
      default -> {
        Expr.Op compare = comparison(c.getKind());
        if (compare == null) {
          if (c instanceof org.apache.calcite.rex.RexSubQuery) {
            throw new MillraceException(
                    ErrorCode.FEATURE_NOT_SUPPORTED, "a sub-query is not supported here")
                .withHint("Run it before, and give its result as a constant.");
          }
          throw new IllegalStateException("operator " + op + " of kind " + c.getKind());
        }
        yield new Expr.Compare(compare, arg(c, 0, places), arg(c, 1, places));
      }
    };
  }

  static Expr.@Nullable Op comparison(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> Expr.Op.EQ;
      case NOT_EQUALS -> Expr.Op.NE;
      case LESS_THAN -> Expr.Op.LT;
      case LESS_THAN_OR_EQUAL -> Expr.Op.LE;
      case GREATER_THAN -> Expr.Op.GT;
      case GREATER_THAN_OR_EQUAL -> Expr.Op.GE;
      case IS_DISTINCT_FROM -> Expr.Op.IS_DISTINCT;
      case IS_NOT_DISTINCT_FROM -> Expr.Op.IS_NOT_DISTINCT;
      default -> null;
    };
  }

  private Expr is(Expr.Op op, RexCall c, boolean value, int[] places) {
    return new Expr.Compare(op, arg(c, 0, places), Folder.literal(value));
  }

  /** Equalities of one column with constants become one IN. */
  private static Expr or(List<Expr> args) {
    Expr column = null;
    var options = new ArrayList<Expr>();
    for (Expr a : args) {
      Expr value;
      if (a instanceof Expr.Compare c
          && c.op() == Expr.Op.EQ
          && c.left() instanceof Expr.Column
          && isConstant(c.right())) {
        value = c.left();
        options.add(c.right());
      } else if (a instanceof Expr.In i
          && !i.negated()
          && i.value() instanceof Expr.Column
          && i.options().stream().allMatch(ExprTranslator::isConstant)) {
        value = i.value();
        options.addAll(i.options());
      } else {
        return new Expr.Or(args);
      }
      if (column != null && !column.equals(value)) {
        return new Expr.Or(args);
      }
      column = value;
    }
    return column == null ? new Expr.Or(args) : new Expr.In(column, options, false);
  }

  private static boolean isConstant(Expr e) {
    return e instanceof Expr.Literal || e instanceof Expr.Param;
  }

  private Expr special(RexCall c, SqlOperator op, int[] places) {
    SqlType type = type(c);
    if (op == MillOperators.COALESCE) {
      return new Expr.Coalesce(type, args(c, places));
    }
    if (op == MillOperators.IN_LIST) {
      List<Expr> all = args(c, places);
      return new Expr.In(all.get(0), List.copyOf(all.subList(1, all.size())), false);
    }
    if (op == MillOperators.ARRAY_OF) {
      return new Expr.ArrayOf(type, args(c, places));
    }
    if (op == MillOperators.ROW_OF) {
      return new Expr.RowOf(type, args(c, places));
    }
    if (op == MillOperators.SUBSCRIPT) {
      List<Expr> all = args(c, places);
      return new Expr.Subscript(all.get(0), List.copyOf(all.subList(1, all.size())), type);
    }
    return switch (op) {
      case MillOperators.SliceOf s -> {
        List<Expr> all = args(c, places);
        int next = 1;
        Expr lower = s.lower() ? all.get(next++) : null;
        Expr upper = s.upper() ? all.get(next) : null;
        yield new Expr.Slice(all.get(0), lower, upper, type);
      }
      case MillOperators.FieldOf f -> new Expr.FieldOf(arg(c, 0, places), f.index(), type);
      case MillOperators.Quantified q -> quantified(c, q, places);
      default -> throw new IllegalStateException("operator " + op);
    };
  }

  private Expr quantified(RexCall c, MillOperators.Quantified q, int[] places) {
    Expr value = arg(c, 0, places);
    Expr array = arg(c, 1, places);
    SqlType element = array.type().isArray() ? array.type().elementType() : value.type();
    Expr left = new Expr.Column(0, value.type());
    Expr right = new Expr.Column(1, element);
    Expr op;
    if (q.op() instanceof MillFunction f) {
      op = new Expr.Call(f.id(), SqlType.BOOL, List.of(left, right), f.strict(), f.volatility());
    } else {
      op = new Expr.Compare(Objects.requireNonNull(comparison(q.op().getKind())), left, right);
    }
    if (q.negated()) {
      op = new Expr.Not(op);
    }
    List<Expr> options = options(array);
    if (!q.all()
        && !q.negated()
        && q.op().getKind() == SqlKind.EQUALS
        && options != null
        && !options.isEmpty()
        && value.type().sameKind(element)) {
      return new Expr.In(value, options, false);
    }
    return new Expr.Quantified(value, array, op, q.all());
  }

  /** The elements of a constant array of one dimension; null if it is none. */
  private static @Nullable List<Expr> options(Expr array) {
    if (array instanceof Expr.ArrayOf a
        && a.elements().stream().allMatch(ExprTranslator::isConstant)
        && a.elements().stream().noneMatch(e -> e.type().isArray())) {
      return a.elements();
    }
    if (array instanceof Expr.Literal l
        && !l.value().isNull(0)
        && l.value() instanceof io.millrace.common.batch.ArrayVector v) {
      Vector elements = v.elements();
      int from = v.offsets()[0];
      int to = v.offsets()[1];
      if (to - from > 1_000) {
        return null;
      }
      var out = new ArrayList<Expr>();
      for (int i = from; i < to; i++) {
        out.add(new Expr.Literal(l.type().elementType(), elements.slice(i, 1)));
      }
      return out;
    }
    return null;
  }

  private Expr cases(RexCall c, int[] places) {
    var whens = new ArrayList<Expr.When>();
    int n = c.getOperands().size();
    for (int i = 0; i + 1 < n; i += 2) {
      whens.add(new Expr.When(arg(c, i, places), arg(c, i + 1, places)));
    }
    Expr otherwise = n % 2 == 1 ? arg(c, n - 1, places) : null;
    return new Expr.Case(type(c), whens, otherwise);
  }

  private List<Expr> args(RexCall c, int[] places) {
    return translate(c.getOperands(), places);
  }

  private Expr arg(RexCall c, int i, int[] places) {
    return translate(c.getOperands().get(i), places);
  }
}

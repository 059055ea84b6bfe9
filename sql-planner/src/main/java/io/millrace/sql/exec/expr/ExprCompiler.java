package io.millrace.sql.exec.expr;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.exec.function.StepFunction;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Makes evaluators of expressions, with parameters put in as constants. */
public final class ExprCompiler {
  private final FunctionRegistry functions;
  private final EvalContext context;
  private final List<Vector> parameters;

  /**
   * @param parameters one-row vectors; the list may grow while inits are evaluated
   */
  public ExprCompiler(FunctionRegistry functions, EvalContext context, List<Vector> parameters) {
    this.functions = functions;
    this.context = context;
    this.parameters = parameters;
  }

  public FunctionRegistry functions() {
    return functions;
  }

  public EvalContext context() {
    return context;
  }

  public List<Vector> parameters() {
    return parameters;
  }

  /** The same with parameters [first, first + values.size()) set, for correlated plans. */
  public ExprCompiler with(int first, List<Vector> values) {
    var all = new ArrayList<Vector>(parameters);
    while (all.size() < first + values.size()) {
      all.add(values.getFirst());
    }
    for (int i = 0; i < values.size(); i++) {
      all.set(first + i, values.get(i));
    }
    return new ExprCompiler(functions, context, all);
  }

  /** The same in which pg_sleep tells how long it would sleep. */
  public ExprCompiler withNaps(LongConsumer taker) {
    return new ExprCompiler(functions, context.withNaps(taker), parameters);
  }

  /** The value of an expression without columns: a vector of one row. */
  public Vector constant(Expr e) {
    Eval v = compile(e);
    return v instanceof Const c ? c.one() : v.eval(Rows.none(1));
  }

  public Eval[] compileAll(List<? extends Expr> exprs) {
    Eval[] out = new Eval[exprs.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = compile(exprs.get(i));
    }
    return out;
  }

  public Eval compile(Expr e) {
    return switch (e) {
      case Expr.Column c -> new Call.Column(c.index(), c.type());
      case Expr.Literal l -> new Const(l.type(), l.value());
      case Expr.Param p -> new Const(p.type(), parameters.get(p.index()));
      case Expr.Call c -> call(c);
      case Expr.And a -> junction(a.args(), false);
      case Expr.Or o -> junction(o.args(), true);
      case Expr.Not n -> once(new Logic.Not(compile(n.arg())), n.arg());
      case Expr.IsNull n -> new Logic.IsNull(compile(n.arg()), n.negated());
      case Expr.Compare c -> {
        Eval left = compile(c.left());
        Eval right = compile(c.right());
        Eval out = new Compare(c.op(), left, right);
        yield fixed(left) && fixed(right) ? new Call.Once(out) : out;
      }
      case Expr.In in -> in(in);
      case Expr.Case c -> {
        var conditions = new Eval[c.whens().size()];
        var values = new Eval[conditions.length];
        for (int i = 0; i < conditions.length; i++) {
          conditions[i] = compile(c.whens().get(i).condition());
          values[i] = compile(c.whens().get(i).value());
        }
        Expr otherwise = c.otherwise();
        yield new Conditional.Case(
            c.type(), conditions, values, otherwise == null ? null : compile(otherwise));
      }
      case Expr.Coalesce c -> new Conditional.Coalesce(c.type(), compileAll(c.args()));
      case Expr.ArrayOf a -> {
        Eval[] elements = compileAll(a.elements());
        Eval out = new Composite.ArrayOf(a.type(), elements);
        yield fixed(elements) ? new Call.Once(out) : out;
      }
      case Expr.RowOf r -> new Composite.RowOf(r.type(), compileAll(r.fields()));
      case Expr.FieldOf f -> new Composite.FieldOf(compile(f.record()), f.field(), f.type());
      case Expr.Subscript s ->
          new Composite.Subscript(compile(s.array()), compileAll(s.indexes()), s.type());
      case Expr.Slice s -> {
        Expr lower = s.lower();
        Expr upper = s.upper();
        yield new Composite.SliceOf(
            compile(s.array()),
            lower == null ? null : compile(lower),
            upper == null ? null : compile(upper),
            s.type());
      }
      case Expr.Quantified q -> quantified(q);
    };
  }

  private static boolean fixed(Eval... args) {
    for (Eval a : args) {
      if (!(a instanceof Const) && !(a instanceof Call.Once)) {
        return false;
      }
    }
    return true;
  }

  private Eval once(Eval e, Expr arg) {
    return arg instanceof Expr.Literal || arg instanceof Expr.Param ? new Call.Once(e) : e;
  }

  private Eval call(Expr.Call c) {
    Eval[] args = compileAll(c.args());
    Eval out =
        new Call(
            c.type(),
            functions.scalar(c.function(), Call.types(args), c.type()),
            args,
            c.strict(),
            context);
    return c.volatility() != 'v' && fixed(args) ? new Call.Once(out) : out;
  }

  /**
   * A call over one column and constants as steps of the column; null if it is not made of such.
   */
  public @Nullable StepFunction steps(Expr.Call c) {
    var constants = new ArrayList<@Nullable Vector>();
    var types = new ArrayList<SqlType>();
    int columns = 0;
    for (Expr arg : c.args()) {
      types.add(arg.type());
      if (arg instanceof Expr.Column && arg.type().layout() == Layout.LONG) {
        constants.add(null);
        columns++;
      } else if (compile(arg) instanceof Const k && !k.isNull()) {
        constants.add(k.one());
      } else {
        return null;
      }
    }
    return columns == 1 && c.volatility() != 'v' && c.type().layout() == Layout.LONG
        ? functions.scalar(c.function(), types, c.type()).steps(constants, context)
        : null;
  }

  private Eval junction(List<Expr> args, boolean dominant) {
    return args.size() == 1
        ? compile(args.getFirst())
        : new Logic.Junction(compileAll(args), dominant);
  }

  private Eval in(Expr.In in) {
    Eval value = compile(in.value());
    if (value.type().kind() == TypeKind.BPCHAR) {
      // Blank-padded strings are equal without being the same bytes.
      return unfoldIn(in);
    }
    Eval[] options = compileAll(in.options());
    VectorBuilder b = VectorBuilder.of(value.type(), options.length);
    for (Eval o : options) {
      if (!(o instanceof Const c)) {
        return unfoldIn(in);
      }
      b.append(c.one(), 0);
    }
    return new InSet(value, b.build(), in.negated());
  }

  /** Options that are not constants: a disjunction of equalities. */
  private Eval unfoldIn(Expr.In in) {
    var parts = new ArrayList<Expr>();
    for (Expr o : in.options()) {
      parts.add(new Expr.Compare(Expr.Op.EQ, in.value(), o));
    }
    Eval any = junction(parts, true);
    return in.negated() ? new Logic.Not(any) : any;
  }

  private Eval quantified(Expr.Quantified q) {
    Eval value = compile(q.value());
    Eval array = compile(q.array());
    boolean equality =
        q.op() instanceof Expr.Compare c
            && c.op() == (q.all() ? Expr.Op.NE : Expr.Op.EQ)
            && c.left() instanceof Expr.Column l
            && l.index() == 0
            && c.right() instanceof Expr.Column r
            && r.index() == 1;
    if (equality
        && value.type().kind() != TypeKind.BPCHAR
        && array instanceof Const c
        && !c.isNull()) {
      var a = (ArrayVector) c.one();
      Vector elements = a.elements().slice(a.start(0), a.end(0) - a.start(0));
      if (elements.length() > 0 && elements.type().layout() == value.type().layout()) {
        return new InSet(value, elements, q.all());
      }
    }
    return new Composite.Quantified(value, array, compile(q.op()), q.all());
  }
}

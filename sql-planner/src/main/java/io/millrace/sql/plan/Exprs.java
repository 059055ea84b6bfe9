package io.millrace.sql.plan;

import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Walks over expressions. */
final class Exprs {
  private Exprs() {}

  /** The children, without the call inside a Quantified. */
  static List<Expr> children(Expr e) {
    return switch (e) {
      case Expr.Column c -> List.of();
      case Expr.Literal l -> List.of();
      case Expr.Param p -> List.of();
      case Expr.Call c -> c.args();
      case Expr.And a -> a.args();
      case Expr.Or o -> o.args();
      case Expr.Not n -> List.of(n.arg());
      case Expr.IsNull n -> List.of(n.arg());
      case Expr.Compare c -> List.of(c.left(), c.right());
      case Expr.In i -> {
        var out = new ArrayList<Expr>();
        out.add(i.value());
        out.addAll(i.options());
        yield out;
      }
      case Expr.Case c -> {
        var out = new ArrayList<Expr>();
        for (Expr.When w : c.whens()) {
          out.add(w.condition());
          out.add(w.value());
        }
        if (c.otherwise() != null) {
          out.add(c.otherwise());
        }
        yield out;
      }
      case Expr.Coalesce c -> c.args();
      case Expr.ArrayOf a -> a.elements();
      case Expr.RowOf r -> r.fields();
      case Expr.FieldOf f -> List.of(f.record());
      case Expr.Subscript s -> {
        var out = new ArrayList<Expr>();
        out.add(s.array());
        out.addAll(s.indexes());
        yield out;
      }
      case Expr.Slice s -> {
        var out = new ArrayList<Expr>();
        out.add(s.array());
        if (s.lower() != null) {
          out.add(s.lower());
        }
        if (s.upper() != null) {
          out.add(s.upper());
        }
        yield out;
      }
      case Expr.Quantified q -> List.of(q.value(), q.array());
    };
  }

  /** The node with its children replaced. */
  static Expr map(Expr e, UnaryOperator<Expr> f) {
    return switch (e) {
      case Expr.Column c -> c;
      case Expr.Literal l -> l;
      case Expr.Param p -> p;
      case Expr.Call c ->
          new Expr.Call(c.function(), c.type(), all(c.args(), f), c.strict(), c.volatility());
      case Expr.And a -> new Expr.And(all(a.args(), f));
      case Expr.Or o -> new Expr.Or(all(o.args(), f));
      case Expr.Not n -> new Expr.Not(f.apply(n.arg()));
      case Expr.IsNull n -> new Expr.IsNull(f.apply(n.arg()), n.negated());
      case Expr.Compare c -> new Expr.Compare(c.op(), f.apply(c.left()), f.apply(c.right()));
      case Expr.In i -> new Expr.In(f.apply(i.value()), all(i.options(), f), i.negated());
      case Expr.Case c -> {
        var whens = new ArrayList<Expr.When>(c.whens().size());
        for (Expr.When w : c.whens()) {
          whens.add(new Expr.When(f.apply(w.condition()), f.apply(w.value())));
        }
        yield new Expr.Case(c.type(), whens, maybe(c.otherwise(), f));
      }
      case Expr.Coalesce c -> new Expr.Coalesce(c.type(), all(c.args(), f));
      case Expr.ArrayOf a -> new Expr.ArrayOf(a.type(), all(a.elements(), f));
      case Expr.RowOf r -> new Expr.RowOf(r.type(), all(r.fields(), f));
      case Expr.FieldOf o -> new Expr.FieldOf(f.apply(o.record()), o.field(), o.type());
      case Expr.Subscript s ->
          new Expr.Subscript(f.apply(s.array()), all(s.indexes(), f), s.type());
      case Expr.Slice s ->
          new Expr.Slice(f.apply(s.array()), maybe(s.lower(), f), maybe(s.upper(), f), s.type());
      case Expr.Quantified q ->
          new Expr.Quantified(f.apply(q.value()), f.apply(q.array()), q.op(), q.all());
    };
  }

  static List<Expr> all(List<Expr> list, UnaryOperator<Expr> f) {
    var out = new ArrayList<Expr>(list.size());
    for (Expr e : list) {
      out.add(f.apply(e));
    }
    return out;
  }

  static @Nullable Expr maybe(@Nullable Expr e, UnaryOperator<Expr> f) {
    return e == null ? null : f.apply(e);
  }

  static boolean any(Expr e, Predicate<Expr> p) {
    if (p.test(e)) {
      return true;
    }
    for (Expr c : children(e)) {
      if (any(c, p)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it reads columns. */
  static boolean readsInput(Expr e) {
    return any(e, c -> c instanceof Expr.Column);
  }

  static boolean isVolatile(Expr e) {
    return any(
        e,
        c ->
            (c instanceof Expr.Call f && f.volatility() == 'v')
                || (c instanceof Expr.Quantified q && isVolatile(q.op())));
  }

  /** Moves columns. */
  static Expr shift(Expr e, int by) {
    return e instanceof Expr.Column c
        ? new Expr.Column(c.index() + by, c.type())
        : map(e, x -> shift(x, by));
  }

  static List<Expr> conjuncts(Expr e) {
    return e instanceof Expr.And a ? a.args() : List.of(e);
  }

  static Expr and(List<Expr> conjuncts) {
    return conjuncts.size() == 1 ? conjuncts.get(0) : new Expr.And(List.copyOf(conjuncts));
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * func_select_candidate: of several candidates that a call could mean by implicit coercions, the
 * one that PostgreSQL's heuristics prefer. Costs: candidates × arguments, a handful of passes.
 */
final class Candidates<T> {
  private final Typing typing;
  private final Function<T, List<SqlType>> arguments;

  Candidates(Typing typing, Function<T, List<SqlType>> arguments) {
    this.typing = typing;
    this.arguments = arguments;
  }

  /** Those whose argument types all inputs coerce to implicitly. */
  List<T> matching(List<T> all, List<SqlType> inputs) {
    var out = new ArrayList<T>();
    for (T c : all) {
      List<SqlType> args = arguments.apply(c);
      boolean ok = args.size() == inputs.size();
      for (int i = 0; ok && i < inputs.size(); i++) {
        ok = typing.canCoerce(inputs.get(i), args.get(i), Typing.Context.IMPLICIT);
      }
      if (ok && Polymorphism.consistent(typing, args, inputs)) {
        out.add(c);
      }
    }
    return out;
  }

  /** The best of the matching ones; null if it cannot be decided. */
  @Nullable T best(List<T> matching, List<SqlType> inputs) {
    List<T> left = matching;
    if (left.size() == 1) {
      return left.get(0);
    }
    left = most(left, inputs, (in, arg) -> !Typing.isUnknown(in) && Typing.same(in, arg));
    if (left.size() == 1) {
      return left.get(0);
    }
    left =
        most(
            left,
            inputs,
            (in, arg) ->
                !Typing.isUnknown(in)
                    && (Typing.same(in, arg)
                        || (Typing.preferred(arg) && Typing.category(arg) == Typing.category(in))));
    if (left.size() == 1) {
      return left.get(0);
    }
    if (inputs.stream().noneMatch(Typing::isUnknown)) {
      return null;
    }
    List<T> byCategory = byCategory(left, inputs);
    if (byCategory != null) {
      if (byCategory.size() == 1) {
        return byCategory.get(0);
      }
      left = byCategory;
    }
    return sameAsKnown(left, inputs);
  }

  private interface Score {
    boolean counts(SqlType input, SqlType argument);
  }

  private List<T> most(List<T> all, List<SqlType> inputs, Score score) {
    var out = new ArrayList<T>();
    int best = -1;
    for (T c : all) {
      List<SqlType> args = arguments.apply(c);
      int n = 0;
      for (int i = 0; i < inputs.size(); i++) {
        if (score.counts(inputs.get(i), args.get(i))) {
          n++;
        }
      }
      if (n > best) {
        best = n;
        out.clear();
      }
      if (n == best) {
        out.add(c);
      }
    }
    return out;
  }

  /** Unknown inputs are taken for strings if a candidate takes one, else for what all agree on. */
  private @Nullable List<T> byCategory(List<T> all, List<SqlType> inputs) {
    char[] slot = new char[inputs.size()];
    boolean[] slotPreferred = new boolean[inputs.size()];
    for (int i = 0; i < inputs.size(); i++) {
      if (!Typing.isUnknown(inputs.get(i))) {
        continue;
      }
      boolean conflict = false;
      for (T c : all) {
        SqlType arg = arguments.apply(c).get(i);
        char category = Typing.category(arg);
        boolean preferred = Typing.preferred(arg);
        if (slot[i] == 0) {
          slot[i] = category;
          slotPreferred[i] = preferred;
        } else if (category == slot[i]) {
          slotPreferred[i] |= preferred;
        } else if (category == 'S') {
          slot[i] = category;
          slotPreferred[i] = preferred;
          conflict = false;
        } else if (slot[i] != 'S') {
          conflict = true;
        }
      }
      if (conflict && slot[i] != 'S') {
        return null;
      }
    }
    var out = new ArrayList<T>();
    for (T c : all) {
      List<SqlType> args = arguments.apply(c);
      boolean keep = true;
      for (int i = 0; keep && i < inputs.size(); i++) {
        if (Typing.isUnknown(inputs.get(i))) {
          keep =
              Typing.category(args.get(i)) == slot[i]
                  && (!slotPreferred[i] || Typing.preferred(args.get(i)));
        }
      }
      if (keep) {
        out.add(c);
      }
    }
    return out.isEmpty() ? all : out;
  }

  /** If all known inputs have one type, unknown ones are tried as that type. */
  private @Nullable T sameAsKnown(List<T> all, List<SqlType> inputs) {
    SqlType known = null;
    for (SqlType in : inputs) {
      if (!Typing.isUnknown(in)) {
        if (known != null && !Typing.same(known, in)) {
          return null;
        }
        known = in;
      }
    }
    if (known == null) {
      return null;
    }
    T found = null;
    for (T c : all) {
      List<SqlType> args = arguments.apply(c);
      boolean ok =
          Polymorphism.consistent(typing, args, java.util.Collections.nCopies(args.size(), known));
      for (SqlType arg : args) {
        ok &= typing.canCoerce(known, arg, Typing.Context.IMPLICIT);
      }
      if (ok) {
        if (found != null) {
          return null;
        }
        found = c;
      }
    }
    return found;
  }
}

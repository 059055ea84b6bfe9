package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.semantics.CastRow;
import io.millrace.sql.semantics.FunctionRow;
import io.millrace.sql.semantics.OperatorRow;
import io.millrace.sql.semantics.Semantics;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which operator or function a call means (parse_oper.c, parse_func.c). */
final class Resolver {
  private static final String NO_OPERATOR =
      "No operator matches the given name and argument types. You might need to add explicit type"
          + " casts.";
  private static final String NO_PREFIX =
      "No operator matches the given name and argument type. You might need to add an explicit type"
          + " cast.";
  private static final String MANY_OPERATORS =
      "Could not choose a best candidate operator. You might need to add explicit type casts.";
  private static final String NO_FUNCTION =
      "No function matches the given name and argument types. You might need to add explicit type"
          + " casts.";
  private static final String MANY_FUNCTIONS =
      "Could not choose a best candidate function. You might need to add explicit type casts.";

  private final Semantics semantics;
  private final Typing typing;
  private final Candidates<OperatorRow> operators;
  private final Candidates<Match> functions;

  Resolver(Semantics semantics, Typing typing) {
    this.semantics = semantics;
    this.typing = typing;
    this.operators = new Candidates<>(typing, Resolver::arguments);
    this.functions = new Candidates<>(typing, Match::declared);
  }

  private static List<SqlType> arguments(OperatorRow o) {
    SqlType left = o.left();
    return left == null ? List.of(o.right()) : List.of(left, o.right());
  }

  /** A function with the argument types of one call. */
  record Match(
      FunctionRow def,
      List<SqlType> declared,
      List<Integer> order,
      boolean expanded,
      int defaults) {}

  /** A call's arguments as they stand in the text. */
  record Arguments(List<SqlType> types, List<@Nullable String> names, boolean variadic) {
    static Arguments of(List<SqlType> types) {
      var names = new ArrayList<@Nullable String>();
      for (int i = 0; i < types.size(); i++) {
        names.add(null);
      }
      return new Arguments(types, names, false);
    }

    boolean named() {
      return names.stream().anyMatch(Objects::nonNull);
    }
  }

  /** The operator of this name for these types; the left one is null for a prefix operator. */
  OperatorRow operator(String name, @Nullable SqlType left, SqlType right, int position) {
    var all = new ArrayList<OperatorRow>();
    for (OperatorRow o : semantics.operators(name)) {
      if ((o.left() == null) == (left == null)) {
        all.add(o);
      }
    }
    List<SqlType> inputs = left == null ? List.of(right) : List.of(left, right);
    OperatorRow exact = exact(all, left, right);
    if (exact != null) {
      return exact;
    }
    List<OperatorRow> matching = operators.matching(all, inputs);
    if (matching.isEmpty()) {
      throw noOperator(name, left, right, position);
    }
    OperatorRow best = operators.best(matching, inputs);
    if (best == null) {
      throw Problems.error(
              ErrorCode.AMBIGUOUS_FUNCTION,
              position,
              "operator is not unique: " + signature(name, left, right))
          .withHint(MANY_OPERATORS);
    }
    return best;
  }

  MillraceException noOperator(String name, @Nullable SqlType left, SqlType right, int position) {
    return Problems.error(
            ErrorCode.UNDEFINED_FUNCTION,
            position,
            "operator does not exist: " + signature(name, left, right))
        .withHint(left == null ? NO_PREFIX : NO_OPERATOR);
  }

  private static String signature(String name, @Nullable SqlType left, SqlType right) {
    return (left == null ? "" : Problems.name(left) + " ") + name + " " + Problems.name(right);
  }

  /** An untyped side is taken for the other side's type. */
  private static @Nullable OperatorRow exact(
      List<OperatorRow> all, @Nullable SqlType left, SqlType right) {
    if (left == null) {
      return all.stream().filter(o -> Typing.same(o.right(), right)).findFirst().orElse(null);
    }
    SqlType l = Typing.isUnknown(left) ? right : left;
    SqlType r = Typing.isUnknown(right) ? left : right;
    if (Typing.isUnknown(l)) {
      return null;
    }
    for (OperatorRow o : all) {
      SqlType ol = Objects.requireNonNull(o.left());
      if (Typing.same(ol, l) && Typing.same(o.right(), r)) {
        return o;
      }
    }
    return null;
  }

  /** Whether any function has this name. */
  boolean isFunction(String name) {
    return !semantics.functions(name).isEmpty();
  }

  boolean isAggregate(String name) {
    return semantics.functions(name).stream().anyMatch(f -> f.kind() == 'a');
  }

  /** Whether an aggregate of this name takes no argument, as count(*). */
  boolean isParameterless(String name) {
    return semantics.functions(name).stream().anyMatch(f -> f.kind() == 'a' && f.args().isEmpty());
  }

  /** Whether a function of this name has arguments of any number and types. */
  boolean takesAny(String name) {
    return semantics.functions(name).stream()
        .anyMatch(f -> f.variadic() && f.args().getLast().kind() == TypeKind.ANY);
  }

  boolean isWindowOnly(String name) {
    return semantics.functions(name).stream().anyMatch(f -> f.kind() == 'w');
  }

  boolean returnsSet(String name) {
    return semantics.functions(name).stream().anyMatch(FunctionRow::returnsSet);
  }

  /** The type that f(x) casts to where no function takes x exactly; null if f names no type. */
  @Nullable SqlType castLike(String name, Arguments args) {
    if (args.types().size() != 1 || args.named() || args.variadic()) {
      return null;
    }
    TypeKind kind = TypeKind.ofTypname(name);
    if (kind == null || kind.category() == 'P' || kind == TypeKind.UNKNOWN) {
      return null;
    }
    for (FunctionRow f : semantics.functions(name)) {
      if (f.args().size() == 1 && Typing.same(f.args().get(0), args.types().get(0))) {
        return null;
      }
    }
    SqlType target = SqlType.of(kind);
    SqlType source = args.types().get(0);
    if (Typing.isUnknown(source)) {
      return target;
    }
    CastRow row = typing.path(source, target, Typing.Context.EXPLICIT);
    if (row == null) {
      return null;
    }
    return switch (row.method()) {
      case BINARY -> target;
      case TEXT ->
          source.kind() == TypeKind.RECORD && Typing.category(target) == 'S' ? null : target;
      case FUNCTION -> null;
    };
  }

  /** The function that a call means. */
  Match function(String name, Arguments args, int position) {
    return function(name, args, 'f', position);
  }

  /**
   * The function that a call means.
   *
   * @param kind a for aggregates, w for window functions where the name has one, else f: functions
   *     of that kind are tried first, others only if there are none
   */
  Match function(String name, Arguments args, char kind, int position) {
    List<Match> matching = matching(semantics.functions(name), args, kind);
    if (matching.isEmpty()) {
      matching = matching(semantics.fallbacks(name), args, kind);
    }
    if (matching.isEmpty()) {
      throw noFunction(name, args, position);
    }
    Match best = matching.size() == 1 ? matching.get(0) : functions.best(matching, args.types());
    if (best == null) {
      throw Problems.error(
              ErrorCode.AMBIGUOUS_FUNCTION,
              position,
              "function " + signature(name, args) + " is not unique")
          .withHint(MANY_FUNCTIONS);
    }
    return best;
  }

  /** The forms that take these arguments; the only one if one takes exactly their types. */
  private List<Match> matching(List<FunctionRow> rows, Arguments args, char kind) {
    var all = new ArrayList<Match>();
    boolean some = rows.stream().anyMatch(f -> f.kind() == kind);
    for (FunctionRow f : rows) {
      if (some && f.kind() != kind) {
        continue;
      }
      Match plain = plain(f, args);
      if (plain != null) {
        all.add(plain);
      }
      Match spread = args.variadic() ? null : expanded(f, args);
      if (spread != null) {
        all.add(spread);
      }
    }
    List<SqlType> inputs = args.types();
    for (Match m : all) {
      if (isExact(m, inputs)) {
        return List.of(m);
      }
    }
    List<Match> matching = functions.matching(all, inputs);
    if (matching.size() > 1) {
      // A plain form is preferred to the same types by VARIADIC or defaults.
      List<Match> plain =
          matching.stream().filter(m -> !m.expanded() && m.defaults() == 0).toList();
      matching = dropCovered(matching, plain);
    }
    return matching;
  }

  private static boolean isExact(Match m, List<SqlType> inputs) {
    for (int i = 0; i < inputs.size(); i++) {
      if (!Typing.same(m.declared().get(i), inputs.get(i))) {
        return false;
      }
    }
    return m.declared().size() == inputs.size();
  }

  private static List<Match> dropCovered(List<Match> all, List<Match> plain) {
    var out = new ArrayList<Match>();
    for (Match m : all) {
      boolean covered = false;
      if (m.expanded() || m.defaults() > 0) {
        for (Match p : plain) {
          covered |= isExact(p, m.declared());
        }
      }
      if (!covered) {
        out.add(m);
      }
    }
    return out;
  }

  private static @Nullable Match plain(FunctionRow f, Arguments args) {
    int given = args.types().size();
    int declared = f.args().size();
    if (given > declared || given < declared - f.defaults().size()) {
      return null;
    }
    if (args.variadic() && !f.variadic()) {
      return null;
    }
    var types = new ArrayList<SqlType>(given);
    var order = new ArrayList<Integer>(given);
    boolean[] used = new boolean[declared];
    for (int i = 0; i < given; i++) {
      String name = args.names().get(i);
      int at = name == null ? i : f.argNames().indexOf(name);
      if (at < 0 || at >= declared || used[at]) {
        return null;
      }
      used[at] = true;
      types.add(f.args().get(at));
      order.add(at);
    }
    for (int i = 0; i < declared - f.defaults().size(); i++) {
      if (!used[i]) {
        return null;
      }
    }
    return new Match(f, types, order, false, declared - given);
  }

  private static @Nullable Match expanded(FunctionRow f, Arguments args) {
    int given = args.types().size();
    int declared = f.args().size();
    if (!f.variadic() || given < declared || args.named()) {
      return null;
    }
    SqlType last = f.args().get(declared - 1);
    SqlType element =
        switch (last.kind()) {
          case ANYARRAY -> SqlType.of(TypeKind.ANYELEMENT);
          case ANYCOMPATIBLEARRAY -> SqlType.of(TypeKind.ANYCOMPATIBLE);
          case ARRAY -> last.elementType();
          default -> last;
        };
    var types = new ArrayList<SqlType>(f.args().subList(0, declared - 1));
    var order = new ArrayList<Integer>();
    for (int i = 0; i < given; i++) {
      if (i >= declared - 1) {
        types.add(element);
      }
      order.add(i);
    }
    return new Match(f, types, order, true, 0);
  }

  static String signature(String name, Arguments args) {
    var sb = new StringBuilder(name).append('(');
    for (int i = 0; i < args.types().size(); i++) {
      sb.append(i > 0 ? ", " : "");
      String argument = args.names().get(i);
      if (argument != null) {
        sb.append(argument).append(" => ");
      }
      sb.append(Problems.name(args.types().get(i)));
    }
    return sb.append(')').toString();
  }

  MillraceException noFunction(String name, Arguments args, int position) {
    var e =
        Problems.error(
            ErrorCode.UNDEFINED_FUNCTION,
            position,
            "function " + signature(name, args) + " does not exist");
    if (isFunction(name)) {
      return e.withHint(NO_FUNCTION);
    }
    var names = new TreeSet<String>();
    for (FunctionRow f : semantics.allFunctions()) {
      names.add(f.name());
    }
    String nearest = Problems.nearest(name, names);
    return e.withHint(
        nearest == null ? NO_FUNCTION : "Did you mean \"" + nearest + "\"? " + NO_FUNCTION);
  }
}

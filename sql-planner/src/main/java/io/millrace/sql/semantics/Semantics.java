package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.semantics.CastRow.Method;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tables that the analyser resolves names by: operators, functions and casts with their exact
 * types. Immutable; loaded once and handed on by constructor. The rows are PostgreSQL 15's over the
 * types we have, plus our own; only rows whose kernel is in the registry are kept.
 */
public final class Semantics {
  private static final String FOLDER = "/io/millrace/sql/semantics/";

  private final Map<String, List<OperatorRow>> operators = new HashMap<>();
  private final Map<String, List<FunctionRow>> functions = new HashMap<>();
  private final Map<String, List<FunctionRow>> fallbacks = new HashMap<>();
  private final Map<FunctionId, FunctionRow> byId = new HashMap<>();
  private final Map<Pair, CastRow> casts = new HashMap<>();

  private record Pair(TypeKind source, TypeKind target) {}

  private Semantics(@Nullable FunctionRegistry registry) {
    for (String file : List.of("operators.tsv", "own-operators.tsv")) {
      for (String[] f : rows(file)) {
        OperatorRow row = operator(f);
        if (registry == null || row.comparison() != null || registry.isScalar(row.function())) {
          operators.computeIfAbsent(row.name(), _ -> new ArrayList<>()).add(row);
        }
      }
    }
    for (String file : List.of("functions.tsv", "own-functions.tsv")) {
      functions(file, registry, functions);
    }
    functions("own-fallbacks.tsv", registry, fallbacks);
    for (String file : List.of("casts.tsv", "own-casts.tsv")) {
      for (String[] f : rows(file)) {
        SqlType source = type(f[0]);
        SqlType target = type(f[1]);
        Method method =
            switch (f[3]) {
              case "b" -> Method.BINARY;
              case "i" -> Method.TEXT;
              default -> Method.FUNCTION;
            };
        var row = castRow(source, target, f[2].charAt(0), method, f[4].charAt(0));
        casts.put(new Pair(source.kind(), target.kind()), row);
      }
    }
    operators.replaceAll((_, l) -> List.copyOf(l));
    functions.replaceAll((_, l) -> List.copyOf(l));
    fallbacks.replaceAll((_, l) -> List.copyOf(l));
  }

  private void functions(
      String file, @Nullable FunctionRegistry registry, Map<String, List<FunctionRow>> to) {
    for (String[] f : rows(file)) {
      FunctionRow row = function(f);
      if (registry == null || has(registry, row)) {
        to.computeIfAbsent(row.name(), _ -> new ArrayList<>()).add(row);
        byId.put(row.id(), row);
      }
    }
  }

  /** The rows whose kernels are in the registry. */
  public static Semantics load(FunctionRegistry registry) {
    return new Semantics(registry);
  }

  /** All rows, whether there are kernels or not: for tests of resolution. */
  public static Semantics loadAll() {
    return new Semantics(null);
  }

  /** Operators of that name, all argument types. */
  public List<OperatorRow> operators(String name) {
    return operators.getOrDefault(name, List.of());
  }

  /** Functions, aggregates and window functions of that (folded) name. */
  public List<FunctionRow> functions(String name) {
    return functions.getOrDefault(name, List.of());
  }

  /**
   * Forms that PostgreSQL has not, of functions that it has. They count only where none of {@link
   * #functions} fits, so that they change nothing about how its own calls are resolved.
   */
  public List<FunctionRow> fallbacks(String name) {
    return fallbacks.getOrDefault(name, List.of());
  }

  /** The row of a function's identity; null if it is no function's (an operator's, a cast's). */
  public @Nullable FunctionRow function(FunctionId id) {
    return byId.get(id);
  }

  public Collection<OperatorRow> allOperators() {
    return operators.values().stream().flatMap(List::stream).toList();
  }

  public Collection<FunctionRow> allFunctions() {
    return functions.values().stream().flatMap(List::stream).toList();
  }

  /** The casts that have rows of their own (not the derived ones over text and arrays). */
  public Collection<CastRow> allCasts() {
    return casts.values();
  }

  /**
   * The cast between two types; null if there is none. Beside the rows of pg_cast: a type to itself
   * (for its modifier), arrays by their elements, everything to text kinds on assignment and from
   * text kinds explicitly through the text form, unknown to everything implicitly.
   */
  public @Nullable CastRow cast(SqlType source, SqlType target) {
    CastRow row = casts.get(new Pair(source.kind(), target.kind()));
    if (row != null && source.kind() != TypeKind.ARRAY) {
      return row.source().equals(source) && row.target().equals(target)
          ? row
          : castRow(source, target, row.context(), row.method(), row.volatility());
    }
    if (source.sameKind(target)) {
      boolean plain = target.typmod() < 0 && element(target).typmod() < 0;
      return castRow(source, target, 'i', plain ? Method.BINARY : Method.FUNCTION, 'i');
    }
    if (source.kind() == TypeKind.UNKNOWN) {
      return castRow(source, target, 'i', Method.TEXT, 's');
    }
    if (source.kind() == TypeKind.ARRAY && target.kind() == TypeKind.ARRAY) {
      CastRow inner = cast(source.elementType(), target.elementType());
      return inner == null
          ? null
          : castRow(source, target, inner.context(), inner.method(), inner.volatility());
    }
    if (source.isArray() && target.isArray()) {
      boolean vectors = source.kind() != TypeKind.ARRAY && target.kind() == TypeKind.ARRAY;
      return vectors && element(source).sameKind(element(target))
          ? castRow(source, target, 'i', Method.FUNCTION, 'i')
          : null;
    }
    boolean pseudo = target.kind() == TypeKind.VOID || source.kind() == TypeKind.VOID;
    if (target.kind().category() == 'S' && !pseudo) {
      return castRow(source, target, 'a', Method.TEXT, 's');
    }
    if (source.kind().category() == 'S' && target.kind().category() != 'P') {
      return castRow(source, target, 'e', Method.TEXT, 's');
    }
    return null;
  }

  private static SqlType element(SqlType t) {
    return t.element() == null ? t : t.elementType();
  }

  private static CastRow castRow(
      SqlType source, SqlType target, char context, Method method, char volatility) {
    String pair = "(" + name(source) + "):" + name(target);
    boolean differs =
        switch (element(target).kind()) {
          case VARCHAR, BPCHAR -> true;
          default -> false;
        };
    var function = new FunctionId("cast" + pair);
    return new CastRow(
        source,
        target,
        context,
        method,
        function,
        differs ? new FunctionId("assign" + pair) : function,
        volatility);
  }

  /** The name of a type in signatures: pg_type.typname, and timestamp_ns for TIMESTAMP(9). */
  public static String name(SqlType t) {
    if (t.kind() == TypeKind.ARRAY) {
      return "_" + name(t.elementType());
    }
    return t.kind() == TypeKind.TIMESTAMP_NS ? "timestamp_ns" : t.kind().typname();
  }

  private static boolean has(FunctionRegistry registry, FunctionRow row) {
    return switch (row.kind()) {
      case 'a' -> registry.isAggregate(row.id());
      case 'w' -> registry.isWindow(row.id());
      default -> row.returnsSet() ? registry.isSet(row.id()) : registry.isScalar(row.id());
    };
  }

  private static OperatorRow operator(String[] f) {
    SqlType left = f[1].isEmpty() ? null : type(f[1]);
    SqlType right = type(f[2]);
    Expr.Op op =
        switch (f[10]) {
          case "=" -> Expr.Op.EQ;
          case "<>" -> Expr.Op.NE;
          case "<" -> Expr.Op.LT;
          case "<=" -> Expr.Op.LE;
          case ">" -> Expr.Op.GT;
          case ">=" -> Expr.Op.GE;
          default -> null;
        };
    if (right.kind() == TypeKind.JSONB) {
      op = null;
    }
    return new OperatorRow(
        Integer.parseInt(f[7]),
        f[0],
        left,
        right,
        type(f[3]),
        new FunctionId(f[4]),
        f[6].equals("t"),
        f[5].charAt(0),
        op,
        op == null || left == null ? null : compareAs(left, right),
        f[8].isEmpty() ? null : f[8],
        f[9].isEmpty() ? null : f[9]);
  }

  private static @Nullable SqlType compareAs(SqlType left, SqlType right) {
    if (left.kind() == TypeKind.BPCHAR || right.kind() == TypeKind.TEXT) {
      return SqlType.TEXT;
    }
    if (left.kind() == TypeKind.ANYARRAY
        || left.kind() == TypeKind.RECORD
        || left.kind() == TypeKind.ENUM) {
      return null;
    }
    return rank(left) >= rank(right) ? left : right;
  }

  /** Of two comparable types the higher one holds all values of both. */
  private static int rank(SqlType t) {
    return switch (t.kind()) {
      case INT2, DATE, FLOAT4, NAME -> 1;
      case INT4, TIMESTAMP, FLOAT8, TEXT -> 2;
      case TIMESTAMP_NS -> 3;
      case INT8, TIMESTAMPTZ -> 4;
      default -> 0;
    };
  }

  private static FunctionRow function(String[] f) {
    List<SqlType> args = types(f[3]);
    SqlType result = type(f[5]);
    if (!f[11].isEmpty()) {
      var fields = new ArrayList<SqlType.Field>();
      for (String column : f[11].split(",")) {
        int colon = column.indexOf(':');
        fields.add(
            new SqlType.Field(column.substring(0, colon), type(column.substring(colon + 1))));
      }
      if (fields.size() > 1 || result.kind() == TypeKind.RECORD) {
        result = SqlType.record(fields);
      }
    }
    int defaults = Integer.parseInt(f[9]);
    return new FunctionRow(
        Integer.parseUnsignedInt(f[0]),
        f[1],
        f[2].charAt(0),
        args,
        f[4].equals("t"),
        result,
        f[6].equals("t"),
        f[7].charAt(0),
        f[8].equals("t"),
        defaults == 0 ? List.of() : defaults(f[14], defaults),
        f[10].isEmpty() ? List.of() : List.of(f[10].split(",", -1)),
        new FunctionId(f[1] + "(" + f[3] + ")"),
        f[12].isEmpty() ? 'n' : f[12].charAt(0),
        Integer.parseInt(f[13]));
  }

  /** Splits the list of default expressions at commas outside quotes and parentheses. */
  private static List<String> defaults(String text, int count) {
    var out = new ArrayList<String>();
    int depth = 0;
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i == text.length() ? ',' : text.charAt(i);
      if (c == '\'') {
        quoted = !quoted;
      } else if (!quoted && (c == '(' || c == ')')) {
        depth += c == '(' ? 1 : -1;
      } else if (c == ',' && !quoted && depth == 0) {
        out.add(text.substring(from, i).strip());
        from = i + 1;
      }
    }
    if (out.size() != count) {
      throw new IllegalStateException("defaults: " + text);
    }
    return List.copyOf(out);
  }

  private static List<SqlType> types(String list) {
    var out = new ArrayList<SqlType>();
    if (!list.isEmpty()) {
      for (String t : list.split(",")) {
        out.add(type(t));
      }
    }
    return List.copyOf(out);
  }

  private static SqlType type(String name) {
    if (name.equals("timestamp_ns")) {
      return SqlType.TIMESTAMP_NS;
    }
    if (name.startsWith("_")) {
      return SqlType.arrayOf(type(name.substring(1)));
    }
    TypeKind kind = Objects.requireNonNull(TypeKind.ofTypname(name), name);
    return switch (kind) {
      case INT2VECTOR -> SqlType.INT2VECTOR;
      case OIDVECTOR -> SqlType.OIDVECTOR;
      default -> SqlType.of(kind);
    };
  }

  private static List<String[]> rows(String file) {
    var out = new ArrayList<String[]>();
    try (InputStream in = Semantics.class.getResourceAsStream(FOLDER + file);
        var reader =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in, file), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        out.add(line.split("\t", -1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
    return out;
  }
}

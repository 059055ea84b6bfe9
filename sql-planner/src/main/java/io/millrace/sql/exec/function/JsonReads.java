package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Json;
import io.millrace.common.type.io.Json.Bool;
import io.millrace.common.type.io.Json.Num;
import io.millrace.common.type.io.Json.Str;
import io.millrace.common.type.io.Json.Value;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reading JSON by paths: json_get_*, json_is_*, json_path_exists, json_path_match; and parse_json,
 * json_to_string. What is not there, or of a kind that cannot be what is asked for, is NULL.
 */
final class JsonReads {
  private JsonReads() {}

  private interface Test {
    boolean of(Value v);
  }

  private interface Put {
    boolean put(Value v, VectorBuilder out);
  }

  static void register(FunctionRegistry.Builder b) {
    b.scalar("parse_json(text)", (t, r) -> Casts.bind(t.getFirst(), r, true));
    for (String j : new String[] {"json", "jsonb"}) {
      b.simple(
          "json_to_string(" + j + ")",
          (a, n, _) -> Build.text(SqlType.TEXT, a, n, i -> compact(value(a, i))));
      is(b, "json_is_object(" + j + ")", v -> v instanceof Json.Obj);
      is(b, "json_is_array(" + j + ")", v -> v instanceof Json.Arr);
      is(b, "json_is_string(" + j + ")", v -> v instanceof Str);
      is(b, "json_is_bool(" + j + ")", v -> v instanceof Bool);
      is(b, "json_is_null(" + j + ")", v -> v instanceof Json.Null);
      is(b, "json_is_float(" + j + ")", v -> v instanceof Num);
      is(b, "json_is_int(" + j + ")", v -> v instanceof Num x && whole(x.value()));
      get(b, "json_get_int(" + j + ",text)", SqlType.INT8, JsonReads::integer);
      get(b, "json_get_float(" + j + ",text)", SqlType.FLOAT8, JsonReads::number);
      get(b, "json_get_bool(" + j + ",text)", SqlType.BOOL, JsonReads::bool);
      get(b, "json_get_string(" + j + ",text)", SqlType.TEXT, JsonReads::string);
      get(b, "json_get(" + j + ",text)", SqlType.JSONB, JsonReads::object);
      get(b, "json_get_object(" + j + ",text)", SqlType.JSONB, JsonReads::object);
      b.scalar(
          "json_path_exists(" + j + ",text)",
          (_, _) -> {
            var paths = new Paths();
            return (a, n, _) ->
                Build.bools(
                    a, n, i -> !paths.of(TextKernels.str(a, 1, i)).find(value(a, i)).isEmpty());
          });
      b.scalar(
          "json_path_match(" + j + ",text)",
          (_, _) -> {
            var paths = new Paths();
            return (a, n, _) ->
                Build.bools(a, n, i -> paths.of(TextKernels.str(a, 1, i)).matches(value(a, i)));
          });
    }
  }

  /** The last path, since it mostly is the same for all rows. One thread. */
  private static final class Paths {
    private @Nullable String text;
    private @Nullable JsonPath path;

    JsonPath of(String wanted) {
      JsonPath p = path;
      if (p == null || !wanted.equals(text)) {
        p = JsonPath.parse(wanted);
        path = p;
        text = wanted;
      }
      return p;
    }
  }

  private static void is(FunctionRegistry.Builder b, String signature, Test test) {
    b.simple(signature, (a, n, _) -> Build.bools(a, n, i -> test.of(value(a, i))));
  }

  private static void get(FunctionRegistry.Builder b, String signature, SqlType type, Put put) {
    b.scalar(
        signature,
        (_, _) -> {
          var paths = new Paths();
          return (a, n, _) ->
              Build.any(
                  type,
                  a,
                  n,
                  (i, out) -> {
                    List<Value> found = paths.of(TextKernels.str(a, 1, i)).find(value(a, i));
                    if (found.isEmpty() || !put.put(found.getFirst(), out)) {
                      out.appendNull();
                    }
                  });
        });
  }

  private static Value value(List<Vector> a, int row) {
    var v = (BytesColumn) a.getFirst();
    return Json.parseBinary(v.data(row), v.start(row), v.size(row));
  }

  private static boolean whole(BigDecimal x) {
    return x.signum() == 0 || x.stripTrailingZeros().scale() <= 0;
  }

  private static boolean integer(Value v, VectorBuilder out) {
    BigDecimal x = decimal(v);
    if (x == null
        || x.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        || x.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) < 0) {
      return false;
    }
    ((VectorBuilder.Longs) out).append(x.setScale(0, RoundingMode.DOWN).longValue());
    return true;
  }

  private static boolean number(Value v, VectorBuilder out) {
    BigDecimal x = decimal(v);
    if (x == null) {
      return false;
    }
    ((VectorBuilder.Doubles) out).append(x.doubleValue());
    return true;
  }

  private static @Nullable BigDecimal decimal(Value v) {
    return switch (v) {
      case Num x -> x.value();
      case Bool x -> x.value() ? BigDecimal.ONE : BigDecimal.ZERO;
      case Str x -> read(x.value());
      case Json.Obj _, Json.Arr _, Json.Null _ -> null;
    };
  }

  private static @Nullable BigDecimal read(String text) {
    try {
      return text.length() > 64 ? null : new BigDecimal(text.strip());
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private static boolean bool(Value v, VectorBuilder out) {
    Boolean x =
        switch (v) {
          case Bool y -> y.value();
          case Str y ->
              switch (y.value()) {
                case "true" -> true;
                case "false" -> false;
                default -> null;
              };
          case Num y -> y.value().signum() != 0;
          case Json.Obj _, Json.Arr _, Json.Null _ -> null;
        };
    if (x == null) {
      return false;
    }
    ((VectorBuilder.Bools) out).append(x);
    return true;
  }

  private static boolean string(Value v, VectorBuilder out) {
    if (v instanceof Json.Null) {
      return false;
    }
    ((VectorBuilder.Bytes) out).append(v instanceof Str s ? s.value() : compact(v));
    return true;
  }

  private static boolean object(Value v, VectorBuilder out) {
    var sink = new ByteSink();
    Json.write(Json.canonical(v), sink);
    ((VectorBuilder.Bytes) out).append(sink.array(), 0, sink.position());
    return true;
  }

  /** Without any blanks. */
  static String compact(Value v) {
    var out = new ByteSink();
    compact(v, out);
    return out.toString();
  }

  private static void compact(Value v, ByteSink out) {
    switch (v) {
      case Json.Obj o -> {
        out.put((byte) '{');
        for (int k = 0; k < o.members().size(); k++) {
          if (k > 0) {
            out.put((byte) ',');
          }
          Json.quote(o.members().get(k).key(), out);
          out.put((byte) ':');
          compact(o.members().get(k).value(), out);
        }
        out.put((byte) '}');
      }
      case Json.Arr r -> {
        out.put((byte) '[');
        for (int k = 0; k < r.items().size(); k++) {
          if (k > 0) {
            out.put((byte) ',');
          }
          compact(r.items().get(k), out);
        }
        out.put((byte) ']');
      }
      case Str _, Num _, Bool _, Json.Null _ -> Json.write(v, out);
    }
  }
}

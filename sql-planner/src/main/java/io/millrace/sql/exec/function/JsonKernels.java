package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.Json;
import io.millrace.common.type.io.Json.Arr;
import io.millrace.common.type.io.Json.Bool;
import io.millrace.common.type.io.Json.Member;
import io.millrace.common.type.io.Json.Null;
import io.millrace.common.type.io.Json.Num;
import io.millrace.common.type.io.Json.Obj;
import io.millrace.common.type.io.Json.Str;
import io.millrace.common.type.io.Json.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** json and jsonb. Parts of json come out as they were written, parts of jsonb canonical. */
final class JsonKernels {
  private JsonKernels() {}

  static void register(FunctionRegistry.Builder b) {
    for (String j : new String[] {"json", "jsonb"}) {
      boolean binary = j.equals("jsonb");
      SqlType type = binary ? SqlType.JSONB : SqlType.JSON;
      for (boolean text : new boolean[] {false, true}) {
        String t = text ? "_text" : "";
        b.simple(
            j + "_object_field" + t + "(" + j + ",text)",
            (a, n, _) -> pick(a, n, type, text, (v, i) -> field(v, TextKernels.str(a, 1, i))));
        b.simple(
            j + "_array_element" + t + "(" + j + ",int4)",
            (a, n, _) -> pick(a, n, type, text, (v, i) -> item(v, Args.ints(a, 1)[i])));
        b.simple(
            j + "_extract_path" + t + "(" + j + ",_text)",
            (a, n, _) -> pick(a, n, type, text, (v, i) -> path(v, strings(a, 1, i))));
        b.set(
            j + "_array_elements" + t + "(" + j + ")",
            (_, _) -> (a, i, _) -> elements(a, i, type, text));
        b.set(j + "_each" + t + "(" + j + ")", (_, _) -> (a, i, _) -> each(a, i, type, text));
      }
      b.set(j + "_object_keys(" + j + ")", (_, _) -> (a, i, _) -> keys(a, i, type));
      b.simple(
          j + "_array_length(" + j + ")",
          (a, n, _) ->
              Build.ints(
                  SqlType.INT4,
                  a,
                  n,
                  i -> {
                    var value = parse(a, 0, i);
                    if (value instanceof Arr r) {
                      return r.items().size();
                    }
                    String kind = typeName(value).equals("object") ? "non-array" : "scalar";
                    throw Errors.invalidParameter("cannot get array length of a " + kind);
                  }));
      b.simple(
          j + "_typeof(" + j + ")",
          (a, n, _) -> Build.text(SqlType.TEXT, a, n, i -> typeName(parse(a, 0, i))));
      b.simple(
          j + "_strip_nulls(" + j + ")",
          (a, n, _) ->
              Build.bytes(
                  type,
                  a,
                  n,
                  (i, out) ->
                      out.append(
                          compact(
                              strip(parse(a, 0, i)),
                              binary,
                              ((BytesColumn) a.getFirst()).data(i)))));
      b.scalar(j + "_build_object(any)", (t, _) -> buildObject(t, binary));
      b.scalar(j + "_build_object()", (t, _) -> buildObject(t, binary));
      b.scalar(j + "_build_array(any)", (t, _) -> buildArray(t, binary));
      b.scalar(j + "_build_array()", (t, _) -> buildArray(t, binary));
      b.simple(j + "_object(_text)", (a, n, c) -> object(a, n, binary));
      b.simple(j + "_object(_text,_text)", (a, n, c) -> object(a, n, binary));
      b.scalar("to_" + j + "(anyelement)", (t, _) -> toJson(t, binary, false));
    }
    b.scalar("row_to_json(record)", (t, _) -> toJson(t, false, false));
    b.scalar("row_to_json(record,bool)", (t, _) -> toJson(t, false, true));
    b.scalar("array_to_json(anyarray)", (t, _) -> toJson(t, false, false));
    b.scalar("array_to_json(anyarray,bool)", (t, _) -> toJson(t, false, true));
    b.simple(
        "jsonb_pretty(jsonb)",
        (a, n, _) -> {
          return Build.text(
              SqlType.TEXT,
              a,
              n,
              i -> {
                var out = new StringBuilder();
                pretty(parse(a, 0, i), 0, out);
                return out.toString();
              });
        });
    comparisons(b);
    b.simple(
        "jsonb_concat(jsonb,jsonb)",
        (a, n, _) -> map(a, n, i -> concat(parse(a, 0, i), parse(a, 1, i))));
    b.simple(
        "jsonb_delete(jsonb,text)",
        (a, n, _) -> map(a, n, i -> without(parse(a, 0, i), List.of(TextKernels.str(a, 1, i)))));
    b.simple(
        "jsonb_delete(jsonb,_text)",
        (a, n, _) -> map(a, n, i -> without(parse(a, 0, i), present(strings(a, 1, i)))));
    b.simple(
        "jsonb_delete(jsonb,int4)",
        (a, n, _) -> map(a, n, i -> withoutItem(parse(a, 0, i), Args.ints(a, 1)[i])));
    b.simple(
        "jsonb_delete_path(jsonb,_text)",
        (a, n, _) ->
            map(a, n, i -> change(parse(a, 0, i), strings(a, 1, i), 0, null, Change.DELETE)));
    b.simple(
        "jsonb_set(jsonb,_text,jsonb,bool)",
        (a, n, _) ->
            map(
                a,
                n,
                i ->
                    change(
                        parse(a, 0, i),
                        strings(a, 1, i),
                        0,
                        parse(a, 2, i),
                        Args.bools(a, 3)[i] ? Change.SET : Change.REPLACE)));
    b.simple(
        "jsonb_insert(jsonb,_text,jsonb,bool)",
        (a, n, _) ->
            map(
                a,
                n,
                i ->
                    change(
                        parse(a, 0, i),
                        strings(a, 1, i),
                        0,
                        parse(a, 2, i),
                        Args.bools(a, 3)[i] ? Change.INSERT_AFTER : Change.INSERT)));
    b.simple(
        "jsonb_exists(jsonb,text)",
        (a, n, _) -> Build.bools(a, n, i -> exists(parse(a, 0, i), TextKernels.str(a, 1, i))));
    b.simple(
        "jsonb_exists_any(jsonb,_text)",
        (a, n, _) ->
            Build.bools(
                a,
                n,
                i -> {
                  Value v = parse(a, 0, i);
                  return present(strings(a, 1, i)).stream().anyMatch(k -> exists(v, k));
                }));
    b.simple(
        "jsonb_exists_all(jsonb,_text)",
        (a, n, _) ->
            Build.bools(
                a,
                n,
                i -> {
                  Value v = parse(a, 0, i);
                  return present(strings(a, 1, i)).stream().allMatch(k -> exists(v, k));
                }));
    b.simple(
        "jsonb_contains(jsonb,jsonb)",
        (a, n, _) -> Build.bools(a, n, i -> contains(parse(a, 0, i), parse(a, 1, i), true)));
    b.simple(
        "jsonb_contained(jsonb,jsonb)",
        (a, n, _) -> Build.bools(a, n, i -> contains(parse(a, 1, i), parse(a, 0, i), true)));
  }

  private static void comparisons(FunctionRegistry.Builder b) {
    String[] names = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (int k = 0; k < names.length; k++) {
      int op = k;
      b.simple(
          "jsonb_" + names[k] + "(jsonb,jsonb)",
          (a, n, _) -> {
            IntPredicate test =
                i -> {
                  int c = compare(parse(a, 0, i), parse(a, 1, i));
                  return switch (op) {
                    case 0 -> c == 0;
                    case 1 -> c != 0;
                    case 2 -> c < 0;
                    case 3 -> c <= 0;
                    case 4 -> c > 0;
                    default -> c >= 0;
                  };
                };
            return Build.bools(a, n, test);
          });
    }
    b.simple(
        "jsonb_cmp(jsonb,jsonb)",
        (a, n, _) -> Build.ints(SqlType.INT4, a, n, i -> compare(parse(a, 0, i), parse(a, 1, i))));
  }

  private static Value parse(List<Vector> a, int arg, int row) {
    var v = (BytesColumn) a.get(arg);
    return v.type().kind() == io.millrace.common.type.TypeKind.JSON
        ? Json.parse(v.data(row), v.start(row), v.size(row))
        : Json.parseBinary(v.data(row), v.start(row), v.size(row));
  }

  /** Appends JSON text, made canonical for jsonb. */
  static void append(VectorBuilder.Bytes out, ByteSink text, boolean binary) {
    if (!binary) {
      out.append(text.array(), 0, text.position());
      return;
    }
    var canonical = new ByteSink(text.position());
    Json.write(Json.parseBinary(text.array(), 0, text.position()), canonical);
    out.append(canonical.array(), 0, canonical.position());
  }

  private static List<@Nullable String> strings(List<Vector> a, int arg, int row) {
    var v = (ArrayVector) a.get(arg);
    var e = (BytesColumn) v.elements();
    var out = new ArrayList<@Nullable String>();
    for (int k = v.start(row); k < v.end(row); k++) {
      out.add(e.isNull(k) ? null : e.string(k));
    }
    return out;
  }

  private static List<String> present(List<@Nullable String> list) {
    var out = new ArrayList<String>();
    for (String s : list) {
      if (s != null) {
        out.add(s);
      }
    }
    return out;
  }

  private interface Pick {
    @Nullable Value of(Value v, int row);
  }

  private static Vector pick(List<Vector> a, int n, SqlType type, boolean text, Pick pick) {
    var source = (BytesColumn) a.getFirst();
    return Build.bytes(
        text ? SqlType.TEXT : type,
        a,
        n,
        (i, out) -> put(pick.of(parse(a, 0, i), i), source, i, type, text, out));
  }

  private static void put(
      @Nullable Value v,
      BytesColumn source,
      int row,
      SqlType type,
      boolean text,
      VectorBuilder.Bytes out) {
    if (v == null || (text && v instanceof Null)) {
      out.appendNull();
    } else if (text && v instanceof Str s) {
      out.append(s.value());
    } else if (type.kind() == io.millrace.common.type.TypeKind.JSON) {
      out.append(source.data(row), v.start(), v.end() - v.start());
    } else {
      out.append(Json.text(v));
    }
  }

  private static @Nullable Value field(Value v, String key) {
    return v instanceof Obj o ? o.get(key) : null;
  }

  private static @Nullable Value item(Value v, int index) {
    if (!(v instanceof Arr a)) {
      return null;
    }
    int at = index < 0 ? a.items().size() + index : index;
    return at >= 0 && at < a.items().size() ? a.items().get(at) : null;
  }

  private static @Nullable Integer index(String s) {
    try {
      return Integer.valueOf(s.strip());
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private static @Nullable Value path(Value v, List<@Nullable String> path) {
    Value at = v;
    for (String s : path) {
      if (s == null || at == null) {
        return null;
      }
      if (at instanceof Arr) {
        Integer k = index(s);
        at = k == null ? null : item(at, k);
      } else {
        at = field(at, s);
      }
    }
    return at;
  }

  private static String typeName(Value v) {
    return switch (v) {
      case Obj _ -> "object";
      case Arr _ -> "array";
      case Str _ -> "string";
      case Num _ -> "number";
      case Bool _ -> "boolean";
      case Null _ -> "null";
    };
  }

  private static SetKernel.Rows elements(List<Vector> a, int row, SqlType type, boolean text) {
    if (a.getFirst().isNull(row)) {
      return _ -> null;
    }
    Value v = parse(a, 0, row);
    if (!(v instanceof Arr r)) {
      throw Errors.invalidParameter(
          v instanceof Obj
              ? "cannot extract elements from an object"
              : "cannot extract elements from a scalar");
    }
    var out = (VectorBuilder.Bytes) VectorBuilder.of(text ? SqlType.TEXT : type, 8);
    for (Value x : r.items()) {
      put(x, (BytesColumn) a.getFirst(), row, type, text, out);
    }
    return SetKernels.of(out.build());
  }

  private static Obj requireObject(Value v, String what) {
    if (v instanceof Obj o) {
      return o;
    }
    throw Errors.invalidParameter(
        "cannot " + what + (v instanceof Arr ? " an array" : " a scalar"));
  }

  private static SetKernel.Rows each(List<Vector> a, int row, SqlType type, boolean text) {
    if (a.getFirst().isNull(row)) {
      return _ -> null;
    }
    Value v = parse(a, 0, row);
    if (!(v instanceof Obj o)) {
      throw Errors.invalidParameter(
          v instanceof Arr
              ? "cannot deconstruct an array as an object"
              : "cannot deconstruct a scalar");
    }
    var keys = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 8);
    var values = (VectorBuilder.Bytes) VectorBuilder.of(text ? SqlType.TEXT : type, 8);
    for (Member m : o.members()) {
      keys.append(m.key());
      put(m.value(), (BytesColumn) a.getFirst(), row, type, text, values);
    }
    return SetKernels.of(keys.build(), values.build());
  }

  private static SetKernel.Rows keys(List<Vector> a, int row, SqlType type) {
    if (a.getFirst().isNull(row)) {
      return _ -> null;
    }
    Obj o = requireObject(parse(a, 0, row), "call " + type.kind().typname() + "_object_keys on");
    var keys = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 8);
    for (Member m : o.members()) {
      keys.append(m.key());
    }
    return SetKernels.of(keys.build());
  }

  private static Value strip(Value v) {
    return switch (v) {
      case Obj o -> {
        var out = new ArrayList<Member>();
        for (Member m : o.members()) {
          if (!(m.value() instanceof Null)) {
            out.add(new Member(m.key(), strip(m.value())));
          }
        }
        yield new Obj(out);
      }
      case Arr r -> new Arr(r.items().stream().map(JsonKernels::strip).toList());
      default -> v;
    };
  }

  /** Text of a value: jsonb's with blanks, json's without and its numbers as they were written. */
  private static String compact(Value v, boolean binary, byte[] source) {
    if (binary) {
      return Json.text(v);
    }
    var out = new ByteSink();
    tight(v, out, source);
    return out.toString();
  }

  private static void tight(Value v, ByteSink out, byte[] source) {
    switch (v) {
      case Obj o -> {
        out.put('{');
        for (int i = 0; i < o.members().size(); i++) {
          if (i > 0) {
            out.put(',');
          }
          Json.quote(o.members().get(i).key(), out);
          out.put(':');
          tight(o.members().get(i).value(), out, source);
        }
        out.put('}');
      }
      case Arr r -> {
        out.put('[');
        for (int i = 0; i < r.items().size(); i++) {
          if (i > 0) {
            out.put(',');
          }
          tight(r.items().get(i), out, source);
        }
        out.put(']');
      }
      case Num x -> out.putBytes(source, x.start(), x.end() - x.start());
      default -> Json.write(v, out);
    }
  }

  private static void pretty(Value v, int depth, StringBuilder out) {
    String indent = "\n" + "    ".repeat(depth + 1);
    String end = "\n" + "    ".repeat(depth);
    switch (v) {
      case Obj o -> {
        out.append('{');
        String between = indent;
        for (Member m : o.members()) {
          out.append(between).append(Json.text(new Str(m.key()))).append(": ");
          pretty(m.value(), depth + 1, out);
          between = "," + indent;
        }
        out.append(end).append('}');
      }
      case Arr r -> {
        out.append('[');
        String between = indent;
        for (Value x : r.items()) {
          out.append(between);
          pretty(x, depth + 1, out);
          between = "," + indent;
        }
        out.append(end).append(']');
      }
      default -> out.append(Json.text(v));
    }
  }

  private static ScalarKernel buildObject(List<SqlType> types, boolean binary) {
    var json = types.stream().map(ToJson::new).toList();
    return (a, n, c) -> {
      if (a.size() % 2 != 0) {
        throw Errors.invalidParameter("argument list must have even number of elements")
            .withHint(
                "The arguments of "
                    + (binary ? "jsonb" : "json")
                    + "_build_object() must consist of alternating keys and values.");
      }
      var out = (VectorBuilder.Bytes) VectorBuilder.of(binary ? SqlType.JSONB : SqlType.JSON, n);
      var text = new ByteSink();
      for (int i = 0; i < n; i++) {
        text.clear();
        text.put('{');
        for (int k = 0; k < a.size(); k += 2) {
          if (k > 0) {
            text.putText(", ");
          }
          if (a.get(k).isNull(i)) {
            throw binary
                ? Errors.invalidParameter("argument " + (k + 1) + ": key must not be null")
                : new MillraceException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "argument " + (k + 1) + " cannot be null")
                    .withHint("Object keys should be text.");
          }
          json.get(k).writeKey(a.get(k), i, text, c);
          text.putText(" : ");
          json.get(k + 1).write(a.get(k + 1), i, text, c);
        }
        text.put('}');
        append(out, text, binary);
      }
      return out.build();
    };
  }

  private static ScalarKernel buildArray(List<SqlType> types, boolean binary) {
    var json = types.stream().map(ToJson::new).toList();
    return (a, n, c) -> {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(binary ? SqlType.JSONB : SqlType.JSON, n);
      var text = new ByteSink();
      for (int i = 0; i < n; i++) {
        text.clear();
        text.put('[');
        for (int k = 0; k < a.size(); k++) {
          if (k > 0) {
            text.putText(", ");
          }
          json.get(k).write(a.get(k), i, text, c);
        }
        text.put(']');
        append(out, text, binary);
      }
      return out.build();
    };
  }

  private static Vector object(List<Vector> a, int n, boolean binary) {
    return Build.bytes(
        binary ? SqlType.JSONB : SqlType.JSON,
        a,
        n,
        (i, out) -> {
          List<@Nullable String> keys = strings(a, 0, i);
          List<@Nullable String> values = a.size() > 1 ? strings(a, 1, i) : keys;
          boolean pairs = a.size() == 1;
          if (pairs ? keys.size() % 2 != 0 : keys.size() != values.size()) {
            throw new MillraceException(
                ErrorCode.ARRAY_SUBSCRIPT_ERROR,
                pairs ? "array must have even number of elements" : "mismatched array dimensions");
          }
          var text = new ByteSink();
          text.put('{');
          for (int k = 0; k < keys.size(); k += pairs ? 2 : 1) {
            if (k > 0) {
              text.putText(", ");
            }
            String key = keys.get(k);
            if (key == null) {
              throw new MillraceException(
                  ErrorCode.NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key");
            }
            Json.quote(key, text);
            text.putText(" : ");
            String value = values.get(pairs ? k + 1 : k);
            if (value == null) {
              text.putText("null");
            } else {
              Json.quote(value, text);
            }
          }
          text.put('}');
          append(out, text, binary);
        });
  }

  private static ScalarKernel toJson(List<SqlType> types, boolean binary, boolean pretty) {
    var plain = new ToJson(types.getFirst());
    var lines = new ToJson(types.getFirst(), true);
    return (a, n, c) -> {
      var text = new ByteSink();
      return Build.bytes(
          binary ? SqlType.JSONB : SqlType.JSON,
          a,
          n,
          (i, out) -> {
            text.clear();
            boolean feed = pretty && Args.bools(a, 1)[i];
            (feed ? lines : plain).write(a.getFirst(), i, text, c);
            append(out, text, binary);
          });
    };
  }

  private interface Make {
    Value of(int row);
  }

  private static Vector map(List<Vector> a, int n, Make make) {
    return Build.text(SqlType.JSONB, a, n, i -> Json.text(Json.canonical(make.of(i))));
  }

  private static int rank(Value v) {
    return switch (v) {
      case Null _ -> 0;
      case Str _ -> 1;
      case Num _ -> 2;
      case Bool _ -> 3;
      case Arr _ -> 4;
      case Obj _ -> 5;
    };
  }

  /** jsonb's btree order. */
  static int compare(Value a, Value b) {
    int ra = rank(a);
    int rb = rank(b);
    if (ra != rb) {
      return Integer.compare(ra, rb);
    }
    switch (a) {
      case Null _ -> {
        return 0;
      }
      case Str s -> {
        return s.value().compareTo(((Str) b).value());
      }
      case Num x -> {
        return x.value().compareTo(((Num) b).value());
      }
      case Bool x -> {
        return Boolean.compare(x.value(), ((Bool) b).value());
      }
      case Arr x -> {
        var y = (Arr) b;
        int c = Integer.compare(x.items().size(), y.items().size());
        for (int i = 0; c == 0 && i < x.items().size(); i++) {
          c = compare(x.items().get(i), y.items().get(i));
        }
        return c;
      }
      case Obj x -> {
        var y = (Obj) b;
        int c = Integer.compare(x.members().size(), y.members().size());
        for (int i = 0; c == 0 && i < x.members().size(); i++) {
          c = x.members().get(i).key().compareTo(y.members().get(i).key());
          c = c != 0 ? c : compare(x.members().get(i).value(), y.members().get(i).value());
        }
        return c;
      }
    }
  }

  private static boolean container(Value v) {
    return v instanceof Arr || v instanceof Obj;
  }

  private static Value concat(Value a, Value b) {
    if (a instanceof Obj x && b instanceof Obj y) {
      var members = new ArrayList<>(x.members());
      members.addAll(y.members());
      return new Obj(members);
    }
    if ((a instanceof Obj && !container(b)) || (b instanceof Obj && !container(a))) {
      throw Errors.invalidParameter("invalid concatenation of jsonb objects");
    }
    var items = new ArrayList<Value>();
    for (Value v : List.of(a, b)) {
      if (v instanceof Arr r) {
        items.addAll(r.items());
      } else {
        items.add(v);
      }
    }
    return new Arr(items);
  }

  private static Value without(Value v, List<String> keys) {
    return switch (v) {
      case Obj o -> new Obj(o.members().stream().filter(m -> !keys.contains(m.key())).toList());
      case Arr r ->
          new Arr(
              r.items().stream()
                  .filter(x -> !(x instanceof Str s && keys.contains(s.value())))
                  .toList());
      default -> throw Errors.invalidParameter("cannot delete from scalar");
    };
  }

  private static Value withoutItem(Value v, int index) {
    if (v instanceof Obj) {
      throw Errors.invalidParameter("cannot delete from object using integer index");
    }
    if (!(v instanceof Arr r)) {
      throw Errors.invalidParameter("cannot delete from scalar");
    }
    int at = index < 0 ? r.items().size() + index : index;
    if (at < 0 || at >= r.items().size()) {
      return v;
    }
    var items = new ArrayList<>(r.items());
    items.remove(at);
    return new Arr(items);
  }

  private enum Change {
    /** Replace or create. */
    SET,
    REPLACE,
    INSERT,
    INSERT_AFTER,
    DELETE
  }

  private static Value change(
      Value v, List<@Nullable String> path, int depth, @Nullable Value value, Change change) {
    if (path.isEmpty()) {
      return v;
    }
    String step = path.get(depth);
    if (step == null) {
      throw new MillraceException(
          ErrorCode.NULL_VALUE_NOT_ALLOWED, "path element at position " + (depth + 1) + " is null");
    }
    boolean last = depth == path.size() - 1;
    if (v instanceof Obj o) {
      var members = new ArrayList<>(o.members());
      for (int i = 0; i < members.size(); i++) {
        Member m = members.get(i);
        if (!m.key().equals(step)) {
          continue;
        }
        if (!last) {
          members.set(i, new Member(step, change(m.value(), path, depth + 1, value, change)));
        } else if (change == Change.DELETE) {
          members.remove(i);
        } else if (change == Change.SET || change == Change.REPLACE) {
          members.set(i, new Member(step, java.util.Objects.requireNonNull(value)));
        } else {
          throw Errors.invalidParameter("cannot replace existing key")
              .withHint("Try using the function jsonb_set to replace key value.");
        }
        return new Obj(members);
      }
      if (last && change != Change.DELETE && change != Change.REPLACE) {
        members.add(new Member(step, java.util.Objects.requireNonNull(value)));
        return new Obj(members);
      }
      return v;
    }
    if (v instanceof Arr r) {
      Integer k = index(step);
      if (k == null) {
        throw new MillraceException(
            ErrorCode.INVALID_TEXT_REPRESENTATION,
            "path element at position " + (depth + 1) + " is not an integer: \"" + step + "\"");
      }
      int size = r.items().size();
      int at = k < 0 ? size + k : k;
      var items = new ArrayList<>(r.items());
      boolean inside = at >= 0 && at < size;
      if (!last) {
        if (inside) {
          items.set(at, change(items.get(at), path, depth + 1, value, change));
        }
        return new Arr(items);
      }
      switch (change) {
        case DELETE -> {
          if (inside) {
            items.remove(at);
          }
        }
        case SET, REPLACE -> {
          Value x = java.util.Objects.requireNonNull(value);
          if (inside) {
            items.set(at, x);
          } else if (change == Change.SET) {
            items.add(at < 0 ? 0 : size, x);
          }
        }
        case INSERT, INSERT_AFTER -> {
          int place = at < 0 ? 0 : at >= size ? size : change == Change.INSERT_AFTER ? at + 1 : at;
          items.add(place, java.util.Objects.requireNonNull(value));
        }
      }
      return new Arr(items);
    }
    if (depth == 0) {
      throw Errors.invalidParameter(
          change == Change.DELETE ? "cannot delete path in scalar" : "cannot set path in scalar");
    }
    return v;
  }

  private static boolean exists(Value v, String key) {
    return switch (v) {
      case Obj o -> o.get(key) != null;
      case Arr r -> r.items().stream().anyMatch(x -> x instanceof Str s && s.value().equals(key));
      case Str s -> s.value().equals(key);
      default -> false;
    };
  }

  private static boolean contains(Value a, Value b, boolean top) {
    if (a instanceof Obj x && b instanceof Obj y) {
      return y.members().stream()
          .allMatch(
              m -> {
                Value mine = x.get(m.key());
                return mine != null && contains(mine, m.value(), false);
              });
    }
    if (a instanceof Arr x && b instanceof Arr y) {
      return y.items().stream()
          .allMatch(v -> x.items().stream().anyMatch(w -> contains(w, v, false)));
    }
    if (top && a instanceof Arr x && !container(b)) {
      return x.items().stream().anyMatch(w -> contains(w, b, false));
    }
    return !container(a) && !container(b) && compare(a, b) == 0;
  }
}

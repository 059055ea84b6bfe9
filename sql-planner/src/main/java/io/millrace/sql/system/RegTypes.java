package io.millrace.sql.system;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.BuiltinTypes;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.semantics.OperatorRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Names of relations, types, functions, operators, schemas and roles to oids, and back. */
final class RegTypes {
  private static final List<String> TEXTS = List.of("text", "varchar", "bpchar", "name");

  private RegTypes() {}

  static void register(FunctionRegistry.Builder registry, SystemCatalog catalog) {
    var f = new Fn(registry, catalog);
    in(f, "regclass", c -> regclass(c, c.text(0), true));
    in(f, "regtype", c -> regtype(c, c.text(0), true));
    in(f, "regproc", c -> regproc(c, c.text(0), true));
    in(f, "regprocedure", c -> regprocedure(c, c.text(0), true));
    in(f, "regoper", c -> regoper(c, c.text(0), true));
    in(f, "regnamespace", c -> regnamespace(c, c.text(0), true));
    in(f, "regrole", c -> regrole(c, c.text(0), true));
    for (TypeKind k :
        List.of(
            TypeKind.REGCLASS,
            TypeKind.REGTYPE,
            TypeKind.REGPROC,
            TypeKind.REGPROCEDURE,
            TypeKind.REGOPER,
            TypeKind.REGOPERATOR,
            TypeKind.REGNAMESPACE,
            TypeKind.REGROLE)) {
      out(f, k.typname(), c -> output(c.lookup(), k, c.integer(0)));
    }
    f.strict("to_regclass(text)", c -> regclass(c, c.text(0), false));
    f.strict("to_regtype(text)", c -> regtype(c, c.text(0), false));
    f.strict("to_regproc(text)", c -> regproc(c, c.text(0), false));
    f.strict("to_regprocedure(text)", c -> regprocedure(c, c.text(0), false));
    f.strict("to_regoper(text)", c -> regoper(c, c.text(0), false));
    f.strict("to_regnamespace(text)", c -> regnamespace(c, c.text(0), false));
    f.strict("to_regrole(text)", c -> regrole(c, c.text(0), false));
  }

  private static void in(Fn f, String type, Fn.Body body) {
    for (String t : TEXTS) {
      f.strict("cast(" + t + "):" + type, body);
    }
  }

  private static void out(Fn f, String type, Fn.Body body) {
    for (String t : TEXTS) {
      f.strict("cast(" + type + "):" + t, body);
      if (t.equals("varchar") || t.equals("bpchar")) {
        f.strict("assign(" + type + "):" + t, body);
      }
    }
  }

  /** The search path with pg_catalog, first unless it is named. */
  static List<String> path(SessionInfo session) {
    List<String> path = session.searchPath();
    if (path.contains("pg_catalog")) {
      return path;
    }
    var out = new ArrayList<String>();
    out.add("pg_catalog");
    out.addAll(path);
    return out;
  }

  // ---- names in

  /** Splits a possibly qualified name; unquoted parts fold to lower case. */
  static List<String> parts(String text) {
    var out = new ArrayList<String>();
    var part = new StringBuilder();
    boolean quoted = false;
    boolean any = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        if (quoted && i + 1 < text.length() && text.charAt(i + 1) == '"') {
          part.append('"');
          i++;
        } else {
          quoted = !quoted;
          any = true;
        }
      } else if (c == '.' && !quoted) {
        out.add(part.toString());
        part.setLength(0);
        any = false;
      } else {
        part.append(quoted ? c : Character.toLowerCase(c));
      }
    }
    if (quoted || part.isEmpty() && !any) {
      throw new MillraceException(ErrorCode.INVALID_NAME, "invalid name syntax");
    }
    out.add(part.toString());
    out.replaceAll(String::strip);
    return out;
  }

  /** Digits are an oid; a dash is none. */
  private static @Nullable Integer number(String text) {
    if (text.equals("-")) {
      return 0;
    }
    if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return null;
    }
    try {
      return Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "value \"" + text + "\" is out of range for type oid",
          e);
    }
  }

  static @Nullable Integer regclass(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    List<String> name = parts(text);
    int size = name.size();
    String last = name.get(size - 1);
    int oid = 0;
    if (size == 1) {
      for (String schema : c.path()) {
        oid = oid == 0 ? c.view().find(schema, last) : oid;
      }
    } else {
      String schema = name.get(size - 2);
      oid =
          c.view()
              .find(
                  schema.equals("pg_temp") ? "pg_temp_" + c.session().backendPid() : schema, last);
    }
    if (oid == 0) {
      if (!must) {
        return null;
      }
      throw new MillraceException(
          ErrorCode.UNDEFINED_TABLE, "relation \"" + String.join(".", name) + "\" does not exist");
    }
    return oid;
  }

  static @Nullable Integer regtype(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    SqlType known = BuiltinTypes.parse(text);
    if (known != null) {
      return known.oid();
    }
    List<String> name = parts(text);
    String last = name.get(name.size() - 1);
    if (name.size() == 1 || name.get(name.size() - 2).equals("pg_catalog")) {
      BuiltIns.Type t = c.builtIns().type(last);
      if (t != null) {
        return t.oid();
      }
    }
    boolean array = last.startsWith("_");
    String relation = array ? last.substring(1) : last;
    List<String> schemas = name.size() == 1 ? c.path() : List.of(name.get(name.size() - 2));
    for (String schema : schemas) {
      int oid = c.view().find(schema, relation);
      if (oid != 0 && c.view().index(oid) == null) {
        return array ? Oids.rowTypeArray(oid) : Oids.rowType(oid);
      }
    }
    if (!must) {
      return null;
    }
    throw new MillraceException(ErrorCode.UNDEFINED_OBJECT, "type \"" + text + "\" does not exist");
  }

  private static List<BuiltIns.Proc> named(Fn.Call c, String text) {
    List<String> name = parts(text);
    String last = name.get(name.size() - 1);
    List<String> schemas = name.size() == 1 ? c.path() : List.of(name.get(name.size() - 2));
    return c.builtIns().procs(last).stream().filter(p -> schemas.contains(p.schema())).toList();
  }

  static @Nullable Integer regproc(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    List<BuiltIns.Proc> found = named(c, text);
    if (found.size() == 1) {
      return found.getFirst().oid();
    }
    if (!must) {
      return null;
    }
    throw found.isEmpty()
        ? new MillraceException(
            ErrorCode.UNDEFINED_FUNCTION, "function \"" + text + "\" does not exist")
        : new MillraceException(
            ErrorCode.AMBIGUOUS_FUNCTION, "more than one function named \"" + text + "\"");
  }

  static @Nullable Integer regprocedure(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    int open = text.indexOf('(');
    if (open < 0 || !text.endsWith(")")) {
      throw new MillraceException(
          ErrorCode.INVALID_TEXT_REPRESENTATION, "expected a left parenthesis");
    }
    var args = new ArrayList<Integer>();
    String inside = text.substring(open + 1, text.length() - 1).strip();
    if (!inside.isEmpty()) {
      for (String a : inside.split(",")) {
        Integer oid = regtype(c, a.strip(), must);
        if (oid == null) {
          return null;
        }
        args.add(oid);
      }
    }
    for (BuiltIns.Proc p : named(c, text.substring(0, open).strip())) {
      if (p.args().equals(args)) {
        return p.oid();
      }
    }
    if (!must) {
      return null;
    }
    throw new MillraceException(
        ErrorCode.UNDEFINED_FUNCTION, "function \"" + text + "\" does not exist");
  }

  static @Nullable Integer regoper(Fn.Call c, String text, boolean must) {
    Integer n = text.equals("-") ? null : number(text);
    if (n != null) {
      return n;
    }
    String name = text.startsWith("pg_catalog.") ? text.substring(11) : text;
    int oid = c.builtIns().operator(name);
    if (oid != 0 || !must) {
      return oid == 0 ? null : (Integer) oid;
    }
    throw new MillraceException(ErrorCode.UNDEFINED_FUNCTION, "operator does not exist: " + text);
  }

  static @Nullable Integer regnamespace(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    String name = parts(text).getFirst();
    Integer oid = c.view().namespaces().get(name);
    if (oid == null && must) {
      throw new MillraceException(
          ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
    }
    return oid;
  }

  static @Nullable Integer regrole(Fn.Call c, String text, boolean must) {
    Integer n = number(text);
    if (n != null) {
      return n;
    }
    String name = parts(text).getFirst();
    if (PgRoles.all(c.view().snapshot(), c.session()).stream()
        .anyMatch(r -> r.name().equals(name))) {
      return Oids.role(name);
    }
    if (!must) {
      return null;
    }
    throw new MillraceException(ErrorCode.UNDEFINED_OBJECT, "role \"" + name + "\" does not exist");
  }

  // ---- names out

  /** What names depend on. */
  record Lookup(View view, BuiltIns builtIns, SessionInfo session) {
    List<String> path() {
      return RegTypes.path(session);
    }
  }

  /** The text form of a reg type's value. */
  static String output(Lookup c, TypeKind kind, int oid) {
    if (oid == 0) {
      return kind == TypeKind.REGOPER || kind == TypeKind.REGOPERATOR ? "0" : "-";
    }
    return switch (kind) {
      case REGCLASS -> className(c, oid);
      case REGTYPE -> typeName(c, oid);
      case REGPROC -> procName(c, oid);
      case REGPROCEDURE -> procedureName(c, oid);
      case REGOPER -> operatorName(c, oid);
      case REGOPERATOR -> operatorSignature(c, oid);
      case REGNAMESPACE -> namespaceName(c, oid);
      case REGROLE -> roleName(c, oid);
      default -> unsigned(oid);
    };
  }

  private static String unsigned(int oid) {
    return oid == 0 ? "-" : Integer.toUnsignedString(oid);
  }

  /** A relation's name, with its schema where the search path does not find it. */
  static String className(Lookup c, int oid) {
    String name = c.view().name(oid);
    Rel r = c.view().rel(oid);
    if (name == null || r == null) {
      return unsigned(oid);
    }
    return visible(c, oid) ? Sql.quoted(name) : Sql.quoted(r.schema()) + "." + Sql.quoted(name);
  }

  /** Whether the search path finds the relation by its bare name. */
  static boolean visible(Lookup c, int oid) {
    String name = c.view().name(oid);
    if (name == null) {
      return false;
    }
    for (String schema : c.path()) {
      int found = c.view().find(schema, name);
      if (found != 0) {
        return found == oid;
      }
    }
    return false;
  }

  static String typeName(Lookup c, int oid) {
    String known = format(c, oid, null);
    return known == null ? unsigned(oid) : known;
  }

  /** format_type, row types of relations included; null for unknown oids. */
  static @Nullable String format(Lookup c, int oid, @Nullable Integer typmod) {
    String known = Sql.formatType(c.builtIns(), oid, typmod);
    if (known != null) {
      return known;
    }
    UserType user = c.view().userType(oid);
    if (user != null) {
      String name = Sql.quoted(user.name());
      boolean shown = typeVisible(c, user);
      return (shown ? "" : Sql.quoted(user.schema()) + ".")
          + name
          + (oid == user.arrayOid() ? "[]" : "");
    }
    Rel r = c.view().rowType(oid);
    return r == null
        ? null
        : className(c, r.oid()) + (oid == Oids.rowTypeArray(r.oid()) ? "[]" : "");
  }

  /** Whether the search path finds the type by its bare name. */
  private static boolean typeVisible(Lookup c, UserType type) {
    CatalogSnapshot all = c.view().snapshot();
    for (String schema : c.path()) {
      Optional<UserType> found = all.type(type.database(), schema, type.name());
      if (found.isPresent()) {
        return found.get().oid() == type.oid();
      }
    }
    return false;
  }

  static String procName(Lookup c, int oid) {
    BuiltIns.Proc p = c.builtIns().proc(oid);
    if (p == null) {
      return unsigned(oid);
    }
    boolean plain = c.builtIns().procs(p.name()).size() == 1 && c.path().contains(p.schema());
    return plain ? Sql.quoted(p.name()) : p.schema() + "." + Sql.quoted(p.name());
  }

  static String procedureName(Lookup c, int oid) {
    BuiltIns.Proc p = c.builtIns().proc(oid);
    if (p == null) {
      return unsigned(oid);
    }
    return (c.path().contains(p.schema()) ? "" : p.schema() + ".")
        + Sql.quoted(p.name())
        + p.args().stream().map(a -> typeName(c, a)).collect(Collectors.joining(",", "(", ")"));
  }

  private static String operatorName(Lookup c, int oid) {
    String name = c.builtIns().operator(oid);
    return name == null ? unsigned(oid) : "pg_catalog." + name;
  }

  private static String operatorSignature(Lookup c, int oid) {
    OperatorRow o = c.builtIns().operatorRow(oid);
    if (o == null) {
      return unsigned(oid);
    }
    SqlType left = o.left();
    return o.name()
        + "("
        + (left == null ? "NONE" : typeName(c, left.oid()))
        + ","
        + typeName(c, o.right().oid())
        + ")";
  }

  private static String namespaceName(Lookup c, int oid) {
    String name = c.view().namespaceName(oid);
    return name == null ? unsigned(oid) : Sql.quoted(name);
  }

  private static String roleName(Lookup c, int oid) {
    String name = role(c, oid);
    return name == null ? unsigned(oid) : Sql.quoted(name);
  }

  static @Nullable String role(Lookup c, int oid) {
    return PgRoles.name(c.view().snapshot(), c.session(), oid);
  }

  static String lower(String s) {
    return s.toLowerCase(Locale.ROOT);
  }
}

package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.IntervalText;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.parser.ast.TypeName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What names of relations and types mean. A relation's name has one to three parts: the search path
 * decides for one; of two the first is a schema, else a database (its public schema); three reach
 * across databases.
 */
final class Names {
  private static final Set<String> SYSTEM = Set.of("pg_catalog", "information_schema");

  private final AnalyseContext context;

  Names(AnalyseContext context) {
    this.context = context;
  }

  /** A relation of one of the kinds. */
  sealed interface Target {
    record Table(TableInfo info) implements Target {}

    record System(SystemRelation relation) implements Target {}

    record View(ViewInfo info) implements Target {}
  }

  Target relation(List<String> name, int position) {
    Target t = find(name);
    if (t == null) {
      throw missing(name, position);
    }
    return t;
  }

  @Nullable Target find(List<String> name) {
    Target t = declared(name);
    return t == null ? numbers(name) : t;
  }

  /** The table of the numbers 0 to 99 goes by its name alone, after all tables of that name. */
  private @Nullable Target numbers(List<String> name) {
    boolean bare = name.size() == 1 || name.size() == 2 && name.get(0).equals("public");
    return bare && name.get(name.size() - 1).equals("numbers")
        ? inSchema(context.database(), "information_schema", "numbers")
        : null;
  }

  private @Nullable Target declared(List<String> name) {
    String last = name.get(name.size() - 1);
    switch (name.size()) {
      case 1 -> {
        List<String> path = context.searchPath();
        if (!path.contains("pg_catalog")) {
          Target t = inSchema(context.database(), "pg_catalog", last);
          if (t != null) {
            return t;
          }
        }
        for (String schema : path) {
          Target t = inSchema(context.database(), schema, last);
          if (t != null) {
            return t;
          }
        }
        return null;
      }
      case 2 -> {
        String first = schema(name.get(0));
        if (isSchema(context.database(), first)) {
          return inSchema(context.database(), first, last);
        }
        return context
            .catalog()
            .database(first)
            .map(d -> inSchema(d.name(), "public", last))
            .orElse(null);
      }
      case 3 -> {
        return context
            .catalog()
            .database(name.get(0))
            .map(d -> inSchema(d.name(), schema(name.get(1)), last))
            .orElse(null);
      }
      default -> {
        return null;
      }
    }
  }

  /** pg_temp stands for the session's own temporary schema. */
  private String schema(String name) {
    return name.equals("pg_temp")
        ? context.searchPath().stream()
            .filter(s -> s.startsWith("pg_temp_"))
            .findFirst()
            .orElse(name)
        : name;
  }

  private boolean isSchema(String database, String name) {
    return SYSTEM.contains(name)
        || context.catalog().schemas(database).stream().anyMatch(s -> s.name().equals(name));
  }

  private @Nullable Target inSchema(String database, String schema, String name) {
    if (SYSTEM.contains(schema)) {
      Optional<SystemRelation> r = context.systemRelations().find(schema, name);
      return r.isPresent() ? new Target.System(r.get()) : null;
    }
    CatalogSnapshot catalog = context.catalog();
    Optional<TableInfo> table = catalog.table(database, schema, name);
    if (table.isPresent()) {
      return new Target.Table(table.get());
    }
    Optional<ViewInfo> view = catalog.view(database, schema, name);
    return view.isPresent()
        ? new Target.View(view.get())
        : catalog
            .sequence(database, schema, name)
            .map(Names::sequence)
            .map(Target.View::new)
            .orElse(null);
  }

  /** A sequence read like a table: one row that says where it stands. */
  private static ViewInfo sequence(SequenceInfo s) {
    return new ViewInfo(
        s.oid(),
        s.version(),
        s.database(),
        s.schema(),
        s.name(),
        "SELECT last_value, log_cnt, is_called FROM pg_catalog.millrace_sequence_state("
            + Integer.toUnsignedString(s.oid())
            + "::oid)",
        List.of("last_value", "log_cnt", "is_called"),
        List.of(SqlType.INT8, SqlType.INT8, SqlType.BOOL));
  }

  MillraceException missing(List<String> name, int position) {
    String shown = String.join(".", name);
    var e =
        Problems.error(
            ErrorCode.UNDEFINED_TABLE, position, "relation \"" + shown + "\" does not exist");
    var known = new TreeSet<String>();
    for (TableInfo t : context.catalog().tables(context.database())) {
      suggest(known, t.schema(), t.name());
    }
    for (ViewInfo v : context.catalog().views(context.database())) {
      suggest(known, v.schema(), v.name());
    }
    if (name.size() == 2 && SYSTEM.contains(name.get(0))) {
      known.clear();
      for (SystemRelation r : context.systemRelations().all()) {
        if (r.schema().equals(name.get(0))) {
          known.add(r.name());
        }
      }
    }
    String last = name.get(name.size() - 1);
    for (String k : known) {
      if (k.endsWith("." + last)) {
        return e.withHint("Did you mean \"" + k + "\"?");
      }
    }
    String nearest = Problems.nearest(last, known);
    return nearest == null ? e : e.withHint("Did you mean \"" + nearest + "\"?");
  }

  /** The name as this session would have to write it; others' temporary tables are left out. */
  private void suggest(Set<String> known, String schema, String name) {
    if (context.searchPath().contains(schema)) {
      known.add(name);
    } else if (!schema.startsWith("pg_temp_")) {
      known.add(schema + "." + name);
    }
  }

  /** The type that a statement names; of a domain its base type. */
  SqlType typeOf(TypeName name) {
    UserType user = userType(name);
    if (user == null) {
      return type(name);
    }
    SqlType type = user.sqlType();
    return name.arrayDimensions() > 0 ? SqlType.arrayOf(type) : type;
  }

  /** The type that a user made of that name; null if it is another one's or none's. */
  @Nullable UserType userType(TypeName name) {
    List<String> parts = name.name();
    if (parts.size() == 1) {
      String base = parts.getFirst();
      if (TypeKind.ofTypname(base) != null) {
        return null;
      }
      for (String schema : context.searchPath()) {
        Optional<UserType> t = context.catalog().type(context.database(), schema, base);
        if (t.isPresent()) {
          return t.get();
        }
      }
      return null;
    }
    int n = parts.size();
    String database = n > 2 ? parts.get(n - 3) : context.database();
    return context.catalog().type(database, parts.get(n - 2), parts.get(n - 1)).orElse(null);
  }

  /** The type of PostgreSQL's, or one of ours, that a statement names. */
  static SqlType type(TypeName name) {
    String base = name.baseName();
    SqlType type = simple(base);
    if (type == null && base.startsWith("_")) {
      SqlType element = simple(base.substring(1));
      type = element == null ? null : SqlType.arrayOf(element);
    }
    if (type == null) {
      var e =
          Problems.error(
              ErrorCode.UNDEFINED_OBJECT,
              name.position(),
              "type \"" + String.join(".", name.name()) + "\" does not exist");
      var known = new TreeSet<String>();
      for (TypeKind k : TypeKind.values()) {
        known.add(k.typname());
      }
      String nearest = Problems.nearest(base, known);
      throw nearest == null ? e : e.withHint("Did you mean \"" + nearest + "\"?");
    }
    type = modified(type, name);
    return name.arrayDimensions() > 0 ? SqlType.arrayOf(type) : type;
  }

  /** PostgreSQL's names, and those of other databases that this one is told about too. */
  private static @Nullable SqlType simple(String name) {
    return switch (name) {
      case "string", "mediumtext", "longtext", "tinytext" -> SqlType.TEXT;
      case "int", "integer", "int32", "mediumint" -> SqlType.INT4;
      case "tinyint", "smallint", "int16", "uint8" -> SqlType.INT2;
      case "uint16" -> SqlType.INT4;
      case "bigint", "int64", "uint32" -> SqlType.INT8;
      case "uint64" -> SqlType.numeric(20, 0);
      case "float", "double", "float64" -> SqlType.FLOAT8;
      case "real", "float32" -> SqlType.FLOAT4;
      case "decimal", "dec" -> SqlType.NUMERIC;
      case "boolean" -> SqlType.BOOL;
      case "binary", "varbinary", "blob", "mediumblob", "longblob", "tinyblob" -> SqlType.BYTEA;
      case "datetime" -> SqlType.TIMESTAMP;
      case "json2" -> SqlType.JSONB;
      case "timestamp_s", "timestamp_sec", "timestampsecond" -> SqlType.of(TypeKind.TIMESTAMP, 0);
      case "timestamp_ms", "timestampmillisecond" -> SqlType.of(TypeKind.TIMESTAMP, 3);
      case "timestamp_us", "timestampmicrosecond" -> SqlType.of(TypeKind.TIMESTAMP, 6);
      case "timestamp_ns", "timestampnanosecond" -> SqlType.TIMESTAMP_NS;
      case "int2vector" -> SqlType.INT2VECTOR;
      case "oidvector" -> SqlType.OIDVECTOR;
      default -> {
        TypeKind kind = TypeKind.ofTypname(name);
        yield kind == null
                || kind == TypeKind.ENUM
                || kind.category() == 'P' && kind != TypeKind.VOID && kind != TypeKind.RECORD
            ? null
            : SqlType.of(kind);
      }
    };
  }

  private static SqlType modified(SqlType type, TypeName name) {
    var numbers = new ArrayList<Integer>();
    for (String m : name.modifiers()) {
      try {
        numbers.add(Integer.parseInt(m.trim()));
      } catch (NumberFormatException e) {
        throw Problems.error(
            ErrorCode.INVALID_PARAMETER_VALUE,
            name.position(),
            "type modifiers must be simple constants or identifiers");
      }
    }
    if (type.kind() == TypeKind.INTERVAL) {
      return type.withTypmod(
          IntervalText.typmod(name.fields(), numbers.isEmpty() ? -1 : numbers.get(0)));
    }
    if (numbers.isEmpty()) {
      return type;
    }
    int n = numbers.get(0);
    return switch (type.kind()) {
      case VARCHAR, BPCHAR -> {
        if (n < 1 || n > 10_485_760) {
          throw Problems.error(
              ErrorCode.INVALID_PARAMETER_VALUE,
              name.position(),
              "length for type "
                  + (type.kind() == TypeKind.VARCHAR ? "varchar" : "char")
                  + (n < 1 ? " must be at least 1" : " cannot exceed 10485760"));
        }
        yield type.withTypmod(n + 4);
      }
      case NUMERIC -> numeric(numbers, name.position());
      case TIMESTAMP, TIMESTAMPTZ, TIME, TIMETZ -> {
        if (n < 0) {
          throw Problems.error(
              ErrorCode.INVALID_PARAMETER_VALUE,
              name.position(),
              type.kind().typname().toUpperCase(java.util.Locale.ROOT)
                  + "("
                  + n
                  + ") precision must not be negative");
        }
        yield type.kind() == TypeKind.TIMESTAMP && n > 6
            ? SqlType.TIMESTAMP_NS
            : type.withTypmod(Math.min(n, 6));
      }
      default ->
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              name.position(),
              "type modifier is not allowed for type \"" + name.baseName() + "\"");
    };
  }

  private static SqlType numeric(List<Integer> numbers, int position) {
    int precision = numbers.get(0);
    int scale = numbers.size() > 1 ? numbers.get(1) : 0;
    if (precision < 1 || precision > 1000) {
      throw Problems.error(
          ErrorCode.INVALID_PARAMETER_VALUE,
          position,
          "NUMERIC precision " + precision + " must be between 1 and 1000");
    }
    if (scale < -1000 || scale > 1000) {
      throw Problems.error(
          ErrorCode.INVALID_PARAMETER_VALUE,
          position,
          "NUMERIC scale " + scale + " must be between -1000 and 1000");
    }
    if (numbers.size() > 2) {
      throw Problems.error(
          ErrorCode.INVALID_PARAMETER_VALUE, position, "invalid NUMERIC type modifier");
    }
    return SqlType.numeric(precision, scale);
  }
}

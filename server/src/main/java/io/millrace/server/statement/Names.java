package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.TypeName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Names of tables, views and flows in a session: {@code t} by the search path, {@code x.t} as
 * schema x, else as database x's public schema, {@code x.s.t} across databases.
 */
final class Names {
  private Names() {}

  /** Where a name points, whether or not something is there. */
  record Target(String database, String schema, String name) {}

  static boolean hasSchema(CatalogSnapshot c, String database, String schema) {
    return c.schemas(database).stream().map(SchemaInfo::name).anyMatch(schema::equals);
  }

  /** The place that a new object of this name goes to. */
  static Target target(SessionContext session, QualifiedName name) {
    List<String> p = name.parts();
    CatalogSnapshot c = session.catalog();
    switch (p.size()) {
      case 1 -> {
        List<String> path = session.searchPath();
        String schema =
            path.stream()
                .filter(s -> !s.equals(session.temporarySchema()))
                .filter(s -> hasSchema(c, session.database(), s))
                .findFirst()
                .orElseThrow(
                    () ->
                        new MillraceException(
                            ErrorCode.INVALID_SCHEMA_NAME,
                            "no schema has been selected to create in"));
        return new Target(session.database(), schema, p.getFirst());
      }
      case 2 -> {
        String first = schema(session, p.getFirst());
        if (hasSchema(c, session.database(), first)) {
          return new Target(session.database(), first, p.get(1));
        }
        return c.database(first)
            .map(d -> new Target(d.name(), Catalog.DEFAULT_SCHEMA, p.get(1)))
            .orElseThrow(
                () ->
                    new MillraceException(
                            ErrorCode.INVALID_SCHEMA_NAME,
                            "schema \"" + first + "\" does not exist")
                        .at(name.position()));
      }
      case 3 -> {
        String database =
            c.database(p.getFirst())
                .orElseThrow(
                    () ->
                        new MillraceException(
                                ErrorCode.INVALID_CATALOG_NAME,
                                "database \"" + p.getFirst() + "\" does not exist")
                            .at(name.position()))
                .name();
        return new Target(database, schema(session, p.get(1)), p.get(2));
      }
      default ->
          throw new MillraceException(
                  ErrorCode.SYNTAX_ERROR,
                  "improper qualified name (too many dotted names): " + name)
              .at(name.position());
    }
  }

  /** pg_temp stands for the session's own temporary schema. */
  private static String schema(SessionContext session, String name) {
    return name.equals("pg_temp") ? session.temporarySchema() : name;
  }

  /** What a name means by the search path, or by the place that it gives itself. */
  static <T> Optional<T> find(
      SessionContext session, QualifiedName name, Function<Target, Optional<T>> lookup) {
    if (name.parts().size() == 1) {
      for (String schema : session.searchPath()) {
        Optional<T> t = lookup.apply(new Target(session.database(), schema, name.name()));
        if (t.isPresent()) {
          return t;
        }
      }
      return Optional.empty();
    }
    try {
      return lookup.apply(target(session, name));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.INVALID_SCHEMA_NAME || e.code() == ErrorCode.INVALID_CATALOG_NAME) {
        return Optional.empty();
      }
      throw e;
    }
  }

  static Optional<TableInfo> findTable(SessionContext session, QualifiedName name) {
    return find(session, name, t -> session.catalog().table(t.database(), t.schema(), t.name()));
  }

  static Optional<ViewInfo> findView(SessionContext session, QualifiedName name) {
    return find(session, name, t -> session.catalog().view(t.database(), t.schema(), t.name()));
  }

  static Optional<FlowInfo> findFlow(SessionContext session, QualifiedName name) {
    return find(session, name, t -> session.catalog().flow(t.database(), t.schema(), t.name()));
  }

  static Optional<SequenceInfo> findSequence(SessionContext session, QualifiedName name) {
    return find(session, name, t -> session.catalog().sequence(t.database(), t.schema(), t.name()));
  }

  /** The enumeration or domain of a name that is no built-in type's. */
  static Optional<UserType> findType(SessionContext session, TypeName name) {
    return find(
        session,
        new QualifiedName(name.name(), name.position()),
        t -> session.catalog().type(t.database(), t.schema(), t.name()));
  }

  static Optional<UserType> findType(SessionContext session, QualifiedName name) {
    return find(session, name, t -> session.catalog().type(t.database(), t.schema(), t.name()));
  }

  /** Whether a table, view, sequence or index has the name. */
  static boolean isRelation(SessionContext session, QualifiedName name) {
    return find(
            session,
            name,
            t ->
                RelationNames.taken(session.catalog(), t.database(), t.schema(), t.name())
                    ? Optional.of(t)
                    : Optional.empty())
        .isPresent();
  }

  /** Names of the tables as this session would have to write them. */
  static List<String> tableNames(SessionContext session) {
    var out = new ArrayList<String>();
    for (TableInfo t : session.catalog().tables(session.database())) {
      if (session.searchPath().contains(t.schema())) {
        out.add(t.name());
      } else if (!t.schema().startsWith(TableProcedures.TEMPORARY_SCHEMA)) {
        out.add(t.schema() + "." + t.name());
      }
    }
    return out;
  }

  /** The table, or 42P01 with the nearest name as a hint. */
  static TableInfo table(SessionContext session, QualifiedName name) {
    return findTable(session, name)
        .orElseThrow(
            () -> {
              if (findView(session, name).isPresent()) {
                return new MillraceException(
                    ErrorCode.WRONG_OBJECT_TYPE, "\"" + name.name() + "\" is not a table");
              }
              return hinted(
                  new MillraceException(
                      ErrorCode.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist"),
                  name.name(),
                  tableNames(session));
            });
  }

  static FlowInfo flow(SessionContext session, QualifiedName name) {
    return findFlow(session, name)
        .orElseThrow(
            () ->
                hinted(
                    new MillraceException(
                        ErrorCode.UNDEFINED_OBJECT, "flow \"" + name + "\" does not exist"),
                    name.name(),
                    session.catalog().flows().stream().map(FlowInfo::name).toList()));
  }

  /** Names the nearest of the candidates in a hint, if one is near. */
  static MillraceException hinted(
      MillraceException error, String wanted, Collection<String> candidates) {
    for (String c : candidates) {
      if (c.endsWith("." + wanted)) {
        return error.withHint("Did you mean \"" + c + "\"?");
      }
    }
    String best = null;
    int bestDistance = Math.max(1, wanted.length() / 3) + 1;
    for (String c : candidates) {
      int d = distance(wanted, c);
      if (d < bestDistance) {
        best = c;
        bestDistance = d;
      }
    }
    return best == null ? error : error.withHint("Did you mean \"" + best + "\"?");
  }

  /** Edit distance of Levenshtein. */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int up = row[j];
        int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j], row[j - 1]) + 1, diagonal + same);
        diagonal = up;
      }
    }
    return row[b.length()];
  }

  /** A name as SQL text that means it. */
  static String quote(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Dotted text such as ADMIN's argument, folded unless quoted. */
  static QualifiedName parse(String text) {
    var parts = new ArrayList<String>();
    var part = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '.';
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '.' && (!quoted || i == text.length())) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(quoted ? c : Character.toLowerCase(c));
      }
    }
    return new QualifiedName(parts, 0);
  }
}

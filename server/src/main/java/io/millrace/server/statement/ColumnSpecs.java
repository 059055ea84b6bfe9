package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SequenceCalls;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition.Generated;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Columns of CREATE TABLE and ADD COLUMN: types, defaults, identities, generated columns. */
final class ColumnSpecs {
  private final StatementServices services;

  ColumnSpecs(StatementServices services) {
    this.services = services;
  }

  /**
   * A column as analysed.
   *
   * @param definition its default is that of the table or, with {@code generated} s, the expression
   * @param sequence made with the column for SERIAL and IDENTITY; null without
   * @param userType oid of the enumeration or domain; 0 for other types
   * @param expression of a generated column
   */
  record Spec(
      TableDefinition.ColumnDefinition definition,
      @Nullable SequenceInfo sequence,
      int userType,
      @Nullable ParsedExpression expression) {

    Spec(
        TableDefinition.ColumnDefinition definition,
        @Nullable SequenceInfo sequence,
        int userType) {
      this(definition, sequence, userType, null);
    }

    String name() {
      return definition.name();
    }

    /** The sequence as the column's own. */
    Optional<SequenceInfo> owned(TableInfo table) {
      SequenceInfo s = sequence;
      return s == null
          ? Optional.empty()
          : Optional.of(
              s.ownedBy(
                  Optional.of(
                      new SequenceInfo.Owner(
                          table.id(),
                          table.column(name()).orElseThrow().id(),
                          !definition.generated().isEmpty()))));
    }
  }

  /** A type as a statement names it, with the user's type behind it if it is one. */
  record Typed(SqlType type, String declared, @Nullable UserType user) {
    int userOid() {
      return user == null ? 0 : user.oid();
    }
  }

  Typed type(SessionContext session, TypeName name) {
    Optional<UserType> user = Names.findType(session, name);
    if (user.isEmpty()) {
      return new Typed(
          services.planner().resolveType(name, session.planContext(List.of())), name.sql(), null);
    }
    if (name.arrayDimensions() > 0) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "arrays of type " + user.get().name() + " cannot be stored")
          .at(name.position());
    }
    return new Typed(user.get().sqlType(), name.sql(), user.get());
  }

  private static @Nullable String serial(TypeName t) {
    if (t.name().size() > 1) {
      return null;
    }
    return switch (t.baseName()) {
      case "serial", "serial4" -> "int4";
      case "bigserial", "serial8" -> "int8";
      case "smallserial", "serial2" -> "int2";
      default -> null;
    };
  }

  /** Analyses a column; the names of sequences made before it in the statement are kept free. */
  Spec of(
      SessionContext session, Names.Target table, ColumnDefinition c, List<SequenceInfo> earlier) {
    String name = c.name().text();
    String serial = serial(c.type());
    if (serial != null) {
      return serial(session, table, c, serial, earlier);
    }
    Typed typed = type(session, c.type());
    SqlType type = typed.type();
    if (type.kind() == TypeKind.VOID || type.kind() == TypeKind.RECORD) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "column \"" + name + "\" has pseudo-type " + type.sqlName());
    }
    Generated g = c.generated();
    Boolean nullable = c.nullable();
    boolean notNull = nullable != null && !nullable;
    if (g == null) {
      return new Spec(
          definition(c, typed, notNull, defaultOf(session, c.defaultValue(), type), ""),
          null,
          typed.userOid());
    }
    if (c.defaultValue() != null) {
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR,
              "both default and "
                  + (g.isIdentity() ? "identity" : "generation expression")
                  + " specified for column \""
                  + name
                  + "\" of table \""
                  + table.name()
                  + "\"")
          .at(c.name().position());
    }
    ParsedExpression expression = g.expression();
    if (expression != null) {
      return new Spec(
          definition(c, typed, notNull, Optional.of(expression.text()), "s"),
          null,
          typed.userOid(),
          expression);
    }
    if (nullable != null && nullable) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR,
          "conflicting NULL/NOT NULL declarations for column \""
              + name
              + "\" of table \""
              + table.name()
              + "\"");
    }
    SequenceInfo sequence =
        sequence(session, table, name, identityType(type), g.sequenceOptions(), earlier);
    return new Spec(
        definition(
            c,
            typed,
            true,
            Optional.of(SequenceCalls.nextval(sequence.oid())),
            g.always() ? "a" : "d"),
        sequence,
        0);
  }

  static String identityType(SqlType type) {
    return switch (type.kind()) {
      case INT2, INT4, INT8 -> type.typname();
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "identity column type must be smallint, integer, or bigint");
    };
  }

  private Spec serial(
      SessionContext session,
      Names.Target table,
      ColumnDefinition c,
      String typname,
      List<SequenceInfo> earlier) {
    String name = c.name().text();
    if (c.type().arrayDimensions() > 0) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED, "array of serial is not implemented")
          .at(c.type().position());
    }
    Boolean nullable = c.nullable();
    if (nullable != null && nullable) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR,
          "conflicting NULL/NOT NULL declarations for column \""
              + name
              + "\" of table \""
              + table.name()
              + "\"");
    }
    if (c.defaultValue() != null || c.generated() != null) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR,
          c.generated() != null
              ? "both default and identity specified for column \""
                  + name
                  + "\" of table \""
                  + table.name()
                  + "\""
              : "multiple default values specified for column \""
                  + name
                  + "\" of table \""
                  + table.name()
                  + "\"");
    }
    SqlType type =
        switch (typname) {
          case "int2" -> SqlType.INT2;
          case "int4" -> SqlType.INT4;
          default -> SqlType.INT8;
        };
    SequenceInfo sequence = sequence(session, table, name, typname, List.of(), earlier);
    return new Spec(
        definition(
            c,
            new Typed(type, type.sqlName(), null),
            true,
            Optional.of(SequenceCalls.nextval(sequence.oid())),
            ""),
        sequence,
        0);
  }

  private static TableDefinition.ColumnDefinition definition(
      ColumnDefinition c,
      Typed typed,
      boolean notNull,
      Optional<String> defaultSql,
      String generated) {
    return new TableDefinition.ColumnDefinition(
        c.name().text(),
        typed.type(),
        typed.declared(),
        notNull,
        defaultSql,
        Optional.ofNullable(c.comment()),
        generated);
  }

  /** A sequence for a column, under the column's name or that of SEQUENCE NAME. */
  SequenceInfo sequence(
      SessionContext session,
      Names.Target table,
      String column,
      String typname,
      List<Option> options,
      List<SequenceInfo> earlier) {
    CatalogSnapshot catalog = session.catalog();
    String wanted = table.name() + "_" + column + "_seq";
    String name = wanted;
    var rest = new ArrayList<Option>();
    boolean named = false;
    for (Option o : options) {
      if (o.key().equals("sequence name") && o.value() != null) {
        name = Names.parse(o.value()).name();
        named = true;
      } else {
        rest.add(o);
      }
    }
    for (int i = 1; !named && isTaken(catalog, table, name, earlier); i++) {
      name = wanted + i;
    }
    return SequenceDefinitions.create(
        services.catalog().nextOid(),
        new Names.Target(table.database(), table.schema(), name),
        typname,
        rest,
        Optional.empty());
  }

  private static boolean isTaken(
      CatalogSnapshot catalog, Names.Target table, String name, List<SequenceInfo> earlier) {
    return RelationNames.taken(catalog, table.database(), table.schema(), name)
        || earlier.stream().anyMatch(s -> s.name().equals(name));
  }

  /** A DEFAULT, planned once for its faults, as it is kept. */
  Optional<String> defaultOf(
      SessionContext session, @Nullable ParsedExpression given, SqlType type) {
    if (given == null) {
      return Optional.empty();
    }
    Planner.PlanContext context = session.planContext(List.of());
    try {
      placed(given, () -> services.planner().planDefault(given.text(), type, context));
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.UNDEFINED_COLUMN
          ? new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED,
                  "cannot use column reference in DEFAULT expression",
                  e)
              .at(e.position())
          : e;
    }
    return Optional.of(kept(session, given.text()));
  }

  /** Sequences that the text names by name, by oid. */
  static String kept(SessionContext session, String sql) {
    return SequenceCalls.kept(
        sql,
        name -> Names.findSequence(session, Names.parse(name)).map(SequenceInfo::oid).orElse(0));
  }

  /** Runs with the positions of errors moved from the expression's text to the statement's. */
  static <T> T placed(ParsedExpression expression, Supplier<T> body) {
    try {
      return body.get();
    } catch (MillraceException e) {
      throw e.position() > 0 && expression.position() > 0
          ? e.at(e.position() + expression.position() - 1)
          : e;
    }
  }
}

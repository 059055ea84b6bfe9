package io.millrace.sql.plan.analyse;

import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.PgTypeNameSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** FigureColname: the name of an output column without AS. */
final class OutputNames {
  static final String UNNAMED = "?column?";

  private OutputNames() {}

  /** A name with its strength: 2 names itself, 1 gives way to a better one, 0 is none. */
  private record Figured(String name, int strength) {}

  private static final Figured NONE = new Figured(UNNAMED, 0);

  static String of(SqlNode node) {
    return figure(node).name();
  }

  private static Figured figure(@Nullable SqlNode node) {
    return switch (node) {
      case null -> NONE;
      case SqlIdentifier id ->
          id.isStar()
              ? (id.names.size() > 1 ? new Figured(id.names.get(id.names.size() - 2), 2) : NONE)
              : new Figured(id.names.get(id.names.size() - 1), 2);
      case SqlLiteral l when l.getTypeName() == SqlTypeName.BOOLEAN -> new Figured("bool", 1);
      case SqlCase c -> {
        Figured inner = figure(c.getElseOperand());
        yield inner.strength() <= 1 ? new Figured("case", 1) : inner;
      }
      case SqlCall c -> call(c);
      default -> NONE;
    };
  }

  private static Figured call(SqlCall c) {
    if (QueryAnalyser.isQuery(c)) {
      return new Figured(subQuery(c), 2);
    }
    if (c.getOperator() instanceof SqlUnresolvedFunction f) {
      List<String> names = java.util.Objects.requireNonNull(f.getSqlIdentifier()).names;
      return new Figured(names.get(names.size() - 1), 2);
    }
    if (c.getOperator() == PgSyntax.COLLATE
        || c.getOperator() == PgSyntax.SLICE
        || c.getOperator() == PgSyntax.RANGE) {
      return figure(c.operand(0));
    }
    if (c.getOperator() == PgSyntax.TRY_CAST) {
      Figured inner = figure(c.operand(0));
      return inner.strength() <= 1 ? new Figured(typeName(c.operand(1)), 1) : inner;
    }
    return switch (c.getKind()) {
      case FILTER, WITHIN_GROUP, OVER, IGNORE_NULLS, RESPECT_NULLS, ITEM -> figure(c.operand(0));
      case CAST -> {
        Figured inner = figure(c.operand(0));
        yield inner.strength() <= 1 ? new Figured(typeName(c.operand(1)), 1) : inner;
      }
      case ROW -> new Figured("row", 2);
      case ARRAY_VALUE_CONSTRUCTOR, ARRAY_QUERY_CONSTRUCTOR -> new Figured("array", 2);
      case EXISTS -> new Figured("exists", 2);
      case DOT -> figure(c.operand(1));
      default -> NONE;
    };
  }

  private static String typeName(SqlNode spec) {
    if (spec instanceof SqlDataTypeSpec d && d.getTypeNameSpec() instanceof PgTypeNameSpec pg) {
      return pg.type().baseName();
    }
    return spec.toString().toLowerCase(Locale.ROOT);
  }

  /** The name of the first column of a query. */
  private static String subQuery(SqlNode query) {
    SqlNode q = query;
    while (true) {
      if (q instanceof SqlOrderBy o) {
        q = o.query;
      } else if (q instanceof SqlWith w) {
        q = w.body;
      } else if (q instanceof PgSelect s) {
        if (s.getSelectList().isEmpty()) {
          return UNNAMED;
        }
        SqlNode first = s.getSelectList().get(0);
        return first.getKind() == SqlKind.AS
            ? ((SqlIdentifier) ((SqlCall) first).operand(1)).getSimple()
            : of(first);
      } else if (q.getKind() == SqlKind.VALUES) {
        return "column1";
      } else if (q instanceof SqlCall c
          && c.operandCount() > 0
          && QueryAnalyser.isQuery(c.operand(0))) {
        q = c.operand(0);
      } else {
        return UNNAMED;
      }
    }
  }

  /** Names for the fields of a row: the same, made distinct, for Calcite wants them so. */
  static List<String> distinct(List<String> names) {
    var seen = new HashSet<String>();
    var out = new ArrayList<String>(names.size());
    for (String n : names) {
      String name = n;
      for (int i = 0; !seen.add(name); i++) {
        name = n + "_" + i;
      }
      out.add(name);
    }
    return out;
  }
}

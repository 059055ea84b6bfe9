package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.analyse.Scope.Found;
import io.millrace.sql.plan.analyse.Typing.Context;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Dotted names that go on into a JSON column: {@code doc.a.b} is what {@code doc #>> '{a,b}'}
 * gives. Only names that PostgreSQL would refuse are read so, those whose qualifier is no relation.
 */
final class JsonPaths {
  private final Scope scope;
  private final Rexes rexes;

  JsonPaths(Scope scope, Rexes rexes) {
    this.scope = scope;
    this.rexes = rexes;
  }

  /** Null if the name is none of these. */
  @Nullable Found find(List<String> names, int position) {
    int n = names.size();
    String schema = n > 2 ? names.get(n - 3) : null;
    if (n < 2 || scope.entry(schema, names.get(n - 2), position) != null) {
      return null;
    }
    Entry relation = n > 2 ? scope.entry(null, names.get(0), position) : null;
    if (relation != null) {
      for (Field f : relation.fields()) {
        if (f.name().equals(names.get(1)) && isJson(f.type())) {
          return path(f, !scope.entries().contains(relation), names.subList(2, n), position);
        }
      }
      return null;
    }
    Found column = scope.column(names.get(0), position);
    return column == null || !isJson(column.field().type())
        ? null
        : path(column.field(), column.outer(), names.subList(1, n), position);
  }

  private static boolean isJson(SqlType type) {
    return type.kind() == TypeKind.JSON || type.kind() == TypeKind.JSONB;
  }

  private Found path(Field column, boolean outer, List<String> steps, int position) {
    String array =
        steps.stream()
            .map(s -> '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
            .collect(Collectors.joining(",", "{", "}"));
    RexNode path =
        rexes
            .coerce(
                new Ex.Unknown(array, false, position),
                SqlType.arrayOf(SqlType.TEXT),
                Context.IMPLICIT,
                position)
            .rex();
    String of = column.type().kind() == TypeKind.JSON ? "json" : "jsonb";
    var function = new FunctionId(of + "_extract_path_text(" + of + ",_text)");
    RexNode value = rexes.function(function, SqlType.TEXT, 'i', true, List.of(column.rex(), path));
    return new Found(new Field(steps.getLast(), SqlType.TEXT, value, 0, 0), outer);
  }
}

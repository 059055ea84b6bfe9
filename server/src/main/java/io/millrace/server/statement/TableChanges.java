package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.TableSchema;
import io.millrace.sql.catalog.TableInfo;
import java.util.List;
import java.util.Optional;

/** Tables with one thing changed. */
final class TableChanges {
  private TableChanges() {}

  static TableInfo withComment(TableInfo t, Optional<String> comment) {
    return copy(t, t.name(), t.columns(), t.storage(), comment);
  }

  static TableInfo withColumnComment(TableInfo t, String column, Optional<String> comment) {
    if (t.column(column).isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN,
          "column \"" + column + "\" of relation \"" + t.name() + "\" does not exist");
    }
    List<TableInfo.Column> columns =
        t.columns().stream()
            .map(
                c ->
                    c.name().equals(column)
                        ? new TableInfo.Column(
                            c.id(),
                            c.name(),
                            c.attnum(),
                            c.type(),
                            c.declaredType(),
                            c.nullable(),
                            c.defaultSql(),
                            comment,
                            c.generated())
                        : c)
            .toList();
    return copy(t, t.name(), columns, t.storage(), t.comment());
  }

  static TableInfo copy(
      TableInfo t,
      String name,
      List<TableInfo.Column> columns,
      TableSchema storage,
      Optional<String> comment) {
    return t.edit().name(name).columns(columns).storage(storage).comment(comment).build();
  }
}

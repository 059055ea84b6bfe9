package io.millrace.sql.plan.analyse;

import io.millrace.common.error.MillraceException;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Puts the expressions of the select list in the places of their aliases, where HAVING names one
 * that is no column: columns come first, as in GROUP BY.
 */
final class OutputAliases extends SqlShuttle {
  private final SqlNodeList items;
  private final Scope scope;

  OutputAliases(SqlNodeList items, Scope scope) {
    this.items = items;
    this.scope = scope;
  }

  @Override
  public SqlNode visit(SqlIdentifier id) {
    if (!id.isSimple() || id.isStar() || isColumn(id)) {
      return id;
    }
    SqlNode found = null;
    for (SqlNode item : items) {
      if (item instanceof SqlCall c
          && c.getKind() == SqlKind.AS
          && c.operand(1) instanceof SqlIdentifier alias
          && alias.getSimple().equals(id.getSimple())) {
        if (found != null) {
          return id;
        }
        found = c.operand(0);
      }
    }
    return found == null ? id : found;
  }

  private boolean isColumn(SqlIdentifier id) {
    try {
      return scope.column(id.getSimple(), 0) != null;
    } catch (MillraceException e) {
      return true; // ambiguous, which is said where the name is resolved
    }
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    return QueryAnalyser.isQuery(call) ? call : super.visit(call);
  }
}

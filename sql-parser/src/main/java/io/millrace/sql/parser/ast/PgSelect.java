package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** A SELECT with what PostgreSQL and range queries add to the standard's. */
public final class PgSelect extends SqlSelect {
  private final @Nullable SqlNodeList distinctOn;
  private @Nullable SqlIdentifier into;
  private final @Nullable SqlNode align;
  private @Nullable SqlNodeList locking;

  public PgSelect(
      SqlParserPos pos,
      @Nullable SqlLiteral distinct,
      @Nullable SqlNodeList distinctOn,
      SqlNodeList selectList,
      @Nullable SqlIdentifier into,
      @Nullable SqlNode from,
      @Nullable SqlNode where,
      @Nullable SqlNodeList groupBy,
      @Nullable SqlNode having,
      @Nullable SqlNodeList windows,
      @Nullable SqlNode align) {
    super(
        pos,
        distinct == null ? SqlNodeList.EMPTY : SqlNodeList.of(distinct),
        selectList,
        from,
        where,
        groupBy,
        having,
        windows,
        null,
        null,
        null,
        null,
        null);
    this.distinctOn = distinctOn;
    this.into = into;
    this.align = align;
  }

  /** The expressions of DISTINCT ON, null without it (and then {@link #isDistinct()} tells). */
  public @Nullable SqlNodeList distinctOn() {
    return distinctOn;
  }

  /** The table of SELECT … INTO. */
  public @Nullable SqlIdentifier into() {
    return into;
  }

  /** The table of SELECT … INTO, which the query then has no more. */
  public @Nullable SqlIdentifier takeInto() {
    SqlIdentifier taken = into;
    into = null;
    return taken;
  }

  /** The ALIGN clause of a range query: a call of {@link PgSyntax#ALIGN}. */
  public @Nullable SqlNode align() {
    return align;
  }

  /** FOR UPDATE, FOR SHARE, …: calls of {@link PgSyntax#LOCKING}, in order. */
  public @Nullable SqlNodeList locking() {
    return locking;
  }

  public void setLocking(SqlNodeList locking) {
    this.locking = locking;
  }
}

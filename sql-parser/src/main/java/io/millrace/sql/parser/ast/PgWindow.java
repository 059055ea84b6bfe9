package io.millrace.sql.parser.ast;

import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** A window with PostgreSQL's third frame mode. */
public final class PgWindow extends SqlWindow {
  private final boolean groups;
  private final boolean framed;

  public PgWindow(
      SqlParserPos pos,
      @Nullable SqlIdentifier refName,
      SqlNodeList partitionList,
      SqlNodeList orderList,
      FrameMode mode,
      @Nullable SqlNode lowerBound,
      @Nullable SqlNode upperBound,
      SqlLiteral exclude) {
    super(
        pos,
        null,
        refName,
        partitionList,
        orderList,
        SqlLiteral.createBoolean(mode == FrameMode.ROWS, pos),
        lowerBound,
        upperBound,
        null,
        exclude);
    this.groups = mode == FrameMode.GROUPS;
    this.framed = mode != FrameMode.NONE;
  }

  /** How a frame counts; NONE where no frame clause was given (then RANGE applies). */
  public enum FrameMode {
    NONE,
    ROWS,
    RANGE,
    GROUPS
  }

  public FrameMode mode() {
    if (!framed) {
      return FrameMode.NONE;
    }
    return groups ? FrameMode.GROUPS : isRows() ? FrameMode.ROWS : FrameMode.RANGE;
  }
}

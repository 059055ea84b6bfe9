package io.millrace.sql.semantics;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;

/**
 * A cast.
 *
 * @param context i implicit, a on assignment, e explicit only
 * @param function the kernel of an explicit (or implicit) cast; it applies the modifier of the
 *     call's result type too
 * @param assignment the kernel when assigning: differs for varchar(n) and char(n), where a value
 *     that is too long is an error and not cut
 * @param volatility s where the session's zone or styles matter
 */
public record CastRow(
    SqlType source,
    SqlType target,
    char context,
    Method method,
    FunctionId function,
    FunctionId assignment,
    char volatility) {
  public enum Method {
    /** The bytes stay; only the type changes (the kernel is still there, and free). */
    BINARY,
    FUNCTION,
    /** Through the text form. */
    TEXT
  }

  public boolean implicit() {
    return context == 'i';
  }

  public boolean onAssignment() {
    return context != 'e';
  }
}

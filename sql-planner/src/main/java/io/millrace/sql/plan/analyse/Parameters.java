package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Types of {@code $1}…: given by the client, or by the first use that tells. */
final class Parameters {
  private final List<@Nullable SqlType> types = new ArrayList<>();
  private final List<Integer> positions = new ArrayList<>();

  Parameters(List<@Nullable SqlType> declared) {
    for (SqlType t : declared) {
      types.add(t == null || Typing.isUnknown(t) ? null : t);
      positions.add(0);
    }
  }

  /** Makes room for a parameter; its type so far. */
  @Nullable SqlType use(int number, int position) {
    if (number < 1 || number > 65_535) {
      throw Problems.error(
          ErrorCode.UNDEFINED_PARAMETER, position, "there is no parameter $" + number);
    }
    while (types.size() < number) {
      types.add(null);
      positions.add(0);
    }
    if (positions.get(number - 1) == 0) {
      positions.set(number - 1, position);
    }
    return types.get(number - 1);
  }

  /** The first place that needs a type decides it. */
  SqlType decide(int number, SqlType type, int position) {
    SqlType known = types.get(number - 1);
    if (known == null) {
      SqlType plain =
          type.kind() == io.millrace.common.type.TypeKind.TIMESTAMP_NS ? type : type.withTypmod(-1);
      types.set(number - 1, plain);
      return plain;
    }
    if (!Typing.same(known, type)) {
      throw Problems.error(
              ErrorCode.AMBIGUOUS_PARAMETER,
              position,
              "inconsistent types deduced for parameter $" + number)
          .withDetail(Problems.name(known) + " versus " + Problems.name(type));
    }
    return known;
  }

  /** All types; 42P18 if one was never told. */
  List<SqlType> finish() {
    var out = new ArrayList<SqlType>(types.size());
    for (int i = 0; i < types.size(); i++) {
      SqlType t = types.get(i);
      if (t == null) {
        throw Problems.error(
            ErrorCode.INDETERMINATE_DATATYPE,
            positions.get(i),
            "could not determine data type of parameter $" + (i + 1));
      }
      out.add(t);
    }
    return out;
  }
}

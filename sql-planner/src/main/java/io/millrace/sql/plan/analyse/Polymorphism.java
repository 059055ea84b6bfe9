package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * enforce_generic_type_consistency: what anyelement, anyarray, anycompatible… stand for in one
 * call.
 */
final class Polymorphism {
  private final Typing typing;
  private @Nullable SqlType element;
  private @Nullable SqlType compatible;

  Polymorphism(Typing typing) {
    this.typing = typing;
  }

  static boolean applies(List<SqlType> declared, SqlType result) {
    return Typing.isPolymorphic(result) || declared.stream().anyMatch(Typing::isPolymorphic);
  }

  /** check_generic_type_consistency: whether the inputs can be what the declared types say. */
  static boolean consistent(Typing typing, List<SqlType> declared, List<SqlType> inputs) {
    SqlType element = null;
    SqlType compatible = null;
    for (int i = 0; i < declared.size(); i++) {
      SqlType in = inputs.get(i);
      TypeKind kind = declared.get(i).kind();
      if (Typing.isUnknown(in) || !Typing.isPolymorphic(declared.get(i))) {
        continue;
      }
      boolean array = kind == TypeKind.ANYARRAY || kind == TypeKind.ANYCOMPATIBLEARRAY;
      if (array && !in.isArray()) {
        return false;
      }
      SqlType e = array ? in.elementType() : in;
      if (kind == TypeKind.ANYCOMPATIBLE || kind == TypeKind.ANYCOMPATIBLEARRAY) {
        if (compatible == null) {
          compatible = e;
        } else if (typing.canCoerce(compatible, e, Typing.Context.IMPLICIT)) {
          compatible = e;
        } else if (!typing.canCoerce(e, compatible, Typing.Context.IMPLICIT)) {
          return false;
        }
      } else if (element == null) {
        element = e;
      } else if (!Typing.same(element, e)) {
        return false;
      }
    }
    return true;
  }

  /** Actual argument types for the declared ones; unknown inputs take what the others give. */
  List<SqlType> resolve(List<SqlType> declared, List<? extends Ex> inputs, int position) {
    var compatibles = new ArrayList<Ex>();
    for (int i = 0; i < declared.size(); i++) {
      Ex in = inputs.get(i);
      SqlType t = in.type();
      if (Typing.isUnknown(t)) {
        if (declared.get(i).kind() == TypeKind.ANYCOMPATIBLE) {
          compatibles.add(in);
        }
        continue;
      }
      switch (declared.get(i).kind()) {
        case ANYELEMENT, ANYNONARRAY -> unify(t, position, "anyelement");
        case ENUM -> unify(t, position, "anyenum");
        case ANYARRAY -> unify(elementOf(t, position), position, "anyarray");
        case ANYCOMPATIBLE -> compatibles.add(in);
        case ANYCOMPATIBLEARRAY -> compatibles.add(typed(elementOf(t, position), in.position()));
        default -> {}
      }
    }
    if (!compatibles.isEmpty()) {
      compatible = typing.common(compatibles, "anycompatible").withTypmod(-1);
    }
    var out = new ArrayList<SqlType>(declared.size());
    for (SqlType d : declared) {
      out.add(actual(d, position));
    }
    return out;
  }

  private static Ex typed(SqlType type, int position) {
    return new Ex.Num(type, java.math.BigDecimal.ZERO, false, position);
  }

  private static SqlType elementOf(SqlType array, int position) {
    if (!array.isArray()) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "argument declared anyarray is not an array but type " + Problems.name(array));
    }
    return array.elementType();
  }

  private void unify(SqlType t, int position, String what) {
    SqlType e = element;
    if (e == null) {
      element = t.withTypmod(-1);
    } else if (!Typing.same(e, t)) {
      throw Problems.error(
              ErrorCode.DATATYPE_MISMATCH,
              position,
              "arguments declared \"" + what + "\" are not all alike")
          .withDetail(Problems.name(e) + " versus " + Problems.name(t));
    }
  }

  /** The type that a declared one means in this call. */
  SqlType actual(SqlType declared, int position) {
    return switch (declared.kind()) {
      case ANYELEMENT, ANYNONARRAY -> need(element, position);
      case ENUM -> declared.labels() == null ? need(element, position) : declared;
      case ANYARRAY -> SqlType.arrayOf(need(element, position));
      case ANYCOMPATIBLE -> need(compatible, position);
      case ANYCOMPATIBLEARRAY -> SqlType.arrayOf(need(compatible, position));
      default -> declared;
    };
  }

  private static SqlType need(@Nullable SqlType t, int position) {
    if (t == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "could not determine polymorphic type because input has type unknown");
    }
    return t;
  }
}

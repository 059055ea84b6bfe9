package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.semantics.CastRow;
import io.millrace.sql.semantics.Semantics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's rules of coercion (parse_coerce.c): which type becomes which in what context, and
 * the common type of several. Types are compared without modifiers.
 */
final class Typing {
  /** Where a coercion happens, from strict to loose. */
  enum Context {
    IMPLICIT,
    ASSIGNMENT,
    EXPLICIT
  }

  private final Semantics semantics;

  Typing(Semantics semantics) {
    this.semantics = semantics;
  }

  static boolean same(SqlType a, SqlType b) {
    if (a.isArray() && b.isArray() && a.kind() == TypeKind.ARRAY && b.kind() == TypeKind.ARRAY) {
      if (a.element() == null || b.element() == null) {
        return a.element() == b.element();
      }
      return same(a.elementType(), b.elementType());
    }
    return a.kind() == b.kind() && (a.kind() != TypeKind.ENUM || a.oid() == b.oid());
  }

  static boolean isUnknown(SqlType t) {
    return t.kind() == TypeKind.UNKNOWN;
  }

  static boolean isPolymorphic(SqlType t) {
    return switch (t.kind()) {
      case ANYELEMENT, ANYARRAY, ANYNONARRAY, ANYCOMPATIBLE, ANYCOMPATIBLEARRAY -> true;
      case ENUM -> t.labels() == null;
      default -> false;
    };
  }

  static char category(SqlType t) {
    return t.kind() == TypeKind.UNKNOWN ? 'X' : t.kind().category();
  }

  static boolean preferred(SqlType t) {
    return t.kind().preferred();
  }

  /** can_coerce_type for one argument. */
  boolean canCoerce(SqlType from, SqlType to, Context context) {
    if (same(from, to) || to.kind() == TypeKind.ANY || isUnknown(from)) {
      return true;
    }
    switch (to.kind()) {
      case ANYELEMENT, ANYCOMPATIBLE -> {
        return true;
      }
      case ENUM -> {
        return to.labels() == null ? from.kind() == TypeKind.ENUM : reaches(from, to, context);
      }
      case ANYNONARRAY -> {
        return !from.isArray();
      }
      case ANYARRAY, ANYCOMPATIBLEARRAY -> {
        return from.isArray();
      }
      default -> {
        return reaches(from, to, context);
      }
    }
  }

  /** Whether there is a cast that the context allows. */
  boolean reaches(SqlType from, SqlType to, Context context) {
    return same(from, to) || path(from, to, context) != null;
  }

  /** find_coercion_pathway; null if there is none in this context. */
  @Nullable CastRow path(SqlType from, SqlType to, Context context) {
    CastRow row = semantics.cast(from, to);
    if (row == null) {
      return null;
    }
    boolean allowed =
        switch (row.context()) {
          case 'i' -> true;
          case 'a' -> context != Context.IMPLICIT;
          default -> context == Context.EXPLICIT;
        };
    return allowed ? row : null;
  }

  /**
   * select_common_type.
   *
   * @param what names the construct in errors: CASE, UNION, VALUES, COALESCE, ARRAY, …
   */
  SqlType common(List<? extends Ex> list, String what) {
    SqlType found = null;
    for (Ex e : list) {
      SqlType t = e.type();
      if (isUnknown(t)) {
        continue;
      }
      if (found == null) {
        found = t;
      } else if (!same(found, t)) {
        if (category(found) != category(t)) {
          throw Problems.error(
              ErrorCode.DATATYPE_MISMATCH,
              e.position(),
              what
                  + " types "
                  + Problems.name(found)
                  + " and "
                  + Problems.name(t)
                  + " cannot be matched");
        }
        if (!preferred(found)
            && canCoerce(found, t, Context.IMPLICIT)
            && !canCoerce(t, found, Context.IMPLICIT)) {
          found = t;
        }
      }
    }
    if (found == null) {
      return SqlType.TEXT;
    }
    return found.withTypmod(commonTypmod(list, found));
  }

  private static int commonTypmod(List<? extends Ex> list, SqlType type) {
    int typmod = Integer.MIN_VALUE;
    for (Ex e : list) {
      SqlType t = e.type();
      if (isUnknown(t)) {
        if (e instanceof Ex.Unknown u && u.text() == null) {
          continue;
        }
        return -1;
      }
      if (!t.sameKind(type) || (typmod != Integer.MIN_VALUE && typmod != t.typmod())) {
        return type.kind() == TypeKind.TIMESTAMP_NS ? 9 : -1;
      }
      typmod = t.typmod();
    }
    return typmod == Integer.MIN_VALUE ? -1 : typmod;
  }
}

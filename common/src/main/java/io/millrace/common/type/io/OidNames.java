package io.millrace.common.type.io;

import io.millrace.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

/** What the reg types show instead of numbers. */
@FunctionalInterface
public interface OidNames {
  /** Knows nothing. */
  OidNames NONE = (_, _) -> null;

  /**
   * The name of an oid as the type's text form has it; null if it is not known.
   *
   * @param kind one of the reg types
   */
  @Nullable String name(TypeKind kind, int oid);
}

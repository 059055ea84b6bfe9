package io.millrace.storage;

import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;

/** Kinds of index in the side-car of a file. */
public enum IndexKind {
  /** Bloom filters of whole keys. */
  KEY_BLOOM,
  /** Per value the rows that have it. */
  INVERTED,
  /** Bloom filters of the values of some rows each. */
  SKIPPING,
  /** Per word the rows that have it. */
  FULLTEXT;

  /** Whether a column of the type can have one. */
  public boolean supports(SqlType type) {
    boolean plain =
        type.layout() != Layout.ARRAY
            && type.layout() != Layout.RECORD
            && type.kind() != TypeKind.JSON
            && type.kind() != TypeKind.JSONB;
    return switch (this) {
      case KEY_BLOOM -> false;
      case INVERTED, SKIPPING -> plain;
      case FULLTEXT -> type.kind() == TypeKind.TEXT || type.kind() == TypeKind.VARCHAR;
    };
  }
}

package io.millrace.common.type;

/** What a column means to storage. */
public enum SemanticType {
  /** Part of the primary key. */
  TAG,
  /** The time index. */
  TIMESTAMP,
  FIELD
}
